"""Vec3: a vector or a point of space, as users see it."""

from libc.math cimport cos, sin

from enginecore.arguments cimport read_number, read_numbers
from enginecore.vector cimport make_vector

from enginecore.vector import Vector, read_components


class Vec3(Vector):
    """A vector or a point of space: a tuple (x, y, z) of floats with arithmetic.

    v + w, v - w, s * v, v / s, -v, abs(v); wherever a vector is wanted, a tuple or a list will do.
    """

    __slots__ = ()
    __match_args__ = ("x", "y", "z")

    def __new__(cls, *components):
        return read_components(cls, components)

    @property
    def x(self):
        """The first component."""
        return (<tuple> self)[0]

    @property
    def y(self):
        """The second component."""
        return (<tuple> self)[1]

    @property
    def z(self):
        """The third component: up."""
        return (<tuple> self)[2]

    def cross(self, other):
        """The vector product with another vector."""
        cdef double[3] a, b, out
        read_numbers(self, "self", 3, a)
        read_numbers(other, "other", 3, b)
        out[0] = a[1] * b[2] - a[2] * b[1]
        out[1] = a[2] * b[0] - a[0] * b[2]
        out[2] = a[0] * b[1] - a[1] * b[0]
        return make_vector(VEC3, out, 3)

    def rotated(self, axis, angle):
        """This vector turned about an axis by an angle (rad, right-handed)."""
        cdef double turn = read_number(angle, "angle")
        unit = Vec3(axis).normalized()
        if unit.length == 0.0:
            raise ValueError(f"axis must not be zero, got {axis!r}")
        # Rodrigues' formula
        return (self * cos(turn) + unit.cross(self) * sin(turn)
                + unit * (unit.dot(self) * (1.0 - cos(turn))))


cdef type VEC3 = Vec3


cdef object as_vector(Triple v):
    return make_vector(VEC3, &v.x, 3)
