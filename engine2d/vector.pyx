"""Vec2: a vector or a point of the plane, as users see it."""

from libc.math cimport atan2, cos, sin

from enginecore.arguments cimport read_number, read_numbers
from enginecore.vector cimport free_quickly, make_vector
from engine2d.vec2 cimport vec2

from enginecore.vector import Vector, read_components


class Vec2(Vector):
    """A vector or a point of the plane: a tuple (x, y) of floats with arithmetic.

    v + w, v - w, s * v, v / s, -v, abs(v); wherever a vector is wanted, a tuple or a list will do.
    """

    __slots__ = ()
    __match_args__ = ("x", "y")

    def __new__(cls, *components):
        return read_components(cls, components)

    @classmethod
    def polar(cls, length, angle):
        """The vector of a length that points at an angle (rad, anticlockwise from x)."""
        cdef double r = read_number(length, "length"), turn = read_number(angle, "angle")
        return cls(r * cos(turn), r * sin(turn))

    @property
    def x(self):
        """To the right."""
        return (<tuple> self)[0]

    @property
    def y(self):
        """Up."""
        return (<tuple> self)[1]

    @property
    def angle(self):
        """Where it points (rad, anticlockwise from x, -pi to pi)."""
        return atan2((<tuple> self)[1], (<tuple> self)[0])

    def cross(self, other):
        """The z component of the vector product with another vector."""
        cdef double[2] b
        read_numbers(other, "other", 2, b)
        return <double> (<tuple> self)[0] * b[1] - <double> (<tuple> self)[1] * b[0]

    def perpendicular(self):
        """This vector turned left by a right angle."""
        return as_vector(vec2(-<double> (<tuple> self)[1], (<tuple> self)[0]))

    def rotated(self, angle):
        """This vector turned by an angle (rad, anticlockwise)."""
        cdef double turn = read_number(angle, "angle"), c = cos(turn), s = sin(turn)
        cdef double x = (<tuple> self)[0], y = (<tuple> self)[1]
        return as_vector(vec2(c * x - s * y, s * x + c * y))


cdef type VEC2 = Vec2
free_quickly(VEC2)


cdef object as_vector(Pair v):
    return make_vector(VEC2, &v.x, 2)
