"""Vectors as users see them: tuples of floats with arithmetic.

What knows no dimension; engine2d.vector has Vec2 and engine3d.vector Vec3. A vector is a tuple in
every respect but + and *, so that it unpacks, indexes, compares, hashes and goes into numpy arrays
as one. With arrays numpy's rules hold, and an array comes back.
"""

import numbers

from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_CheckExact
from libc.math cimport hypot

from enginecore.arguments cimport read_number, read_numbers

cdef enum:
    MOST = 3    # axes

cdef inline double number_of(object item) except? -1.0:
    return PyFloat_AS_DOUBLE(item) if PyFloat_CheckExact(item) else <double> item


cdef bint read_other(object value, Py_ssize_t n, double* out) except -1:
    """The other side of a sum, if it is a tuple or list of so many numbers; else False."""
    cdef Py_ssize_t k
    try:
        if isinstance(value, tuple):
            if len(<tuple> value) != n:
                return False
            for k in range(n):
                out[k] = number_of((<tuple> value)[k])
        elif isinstance(value, list) and len(value) == n:
            for k in range(n):
                out[k] = number_of(value[k])
        else:
            return False
    except TypeError:
        return False
    return True


cdef inline bint is_number(object value):
    return PyFloat_CheckExact(value) or isinstance(value, numbers.Real)


class Vector(tuple):
    """What Vec2 and Vec3 share. Vectors never change; sums and products are new ones."""

    __slots__ = ()
    # Numbers of numpy leave products to vectors, its arrays do not.
    __array_priority__ = -1.0

    def __add__(self, other):
        cdef double[MOST] a, b
        cdef Py_ssize_t n = len(<tuple> self), k
        if not read_other(other, n, b):
            return NotImplemented
        for k in range(n):
            a[k] = number_of((<tuple> self)[k]) + b[k]
        return make_vector(type(self), a, n)

    __radd__ = __add__

    def __sub__(self, other):
        cdef double[MOST] a, b
        cdef Py_ssize_t n = len(<tuple> self), k
        if not read_other(other, n, b):
            return NotImplemented
        for k in range(n):
            a[k] = number_of((<tuple> self)[k]) - b[k]
        return make_vector(type(self), a, n)

    def __rsub__(self, other):
        cdef double[MOST] a, b
        cdef Py_ssize_t n = len(<tuple> self), k
        if not read_other(other, n, b):
            return NotImplemented
        for k in range(n):
            a[k] = b[k] - number_of((<tuple> self)[k])
        return make_vector(type(self), a, n)

    def __mul__(self, factor):
        cdef double[MOST] a
        cdef double s
        cdef Py_ssize_t n = len(<tuple> self), k
        if not is_number(factor):
            return NotImplemented
        s = factor
        for k in range(n):
            a[k] = number_of((<tuple> self)[k]) * s
        return make_vector(type(self), a, n)

    __rmul__ = __mul__

    def __truediv__(self, divisor):
        cdef double[MOST] a
        cdef double s
        cdef Py_ssize_t n = len(<tuple> self), k
        if not is_number(divisor):
            return NotImplemented
        s = divisor
        if s == 0.0:
            raise ZeroDivisionError(f"{self!r} divided by zero")
        for k in range(n):
            a[k] = number_of((<tuple> self)[k]) / s
        return make_vector(type(self), a, n)

    def __neg__(self):
        return self * -1.0

    def __pos__(self):
        return self

    def __abs__(self):
        return self.length

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(map(repr, self))})"

    def __getnewargs__(self):
        return tuple(self)

    @property
    def length(self):
        """Its length: abs(v)."""
        cdef double total = 0.0
        for item in <tuple> self:
            total = hypot(total, item)
        return total

    def dot(self, other):
        """Scalar product with another vector."""
        cdef double[MOST] b
        cdef double total = 0.0
        cdef Py_ssize_t n = len(<tuple> self), k
        if not read_other(other, n, b):
            read_numbers(other, "other", n, b)
        for k in range(n):
            total += number_of((<tuple> self)[k]) * b[k]
        return total

    def distance_to(self, other):
        """Distance from this point to another."""
        cdef double[MOST] b
        cdef double total = 0.0
        cdef Py_ssize_t n = len(<tuple> self), k
        if not read_other(other, n, b):
            read_numbers(other, "other", n, b)
        for k in range(n):
            total = hypot(total, number_of((<tuple> self)[k]) - b[k])
        return total

    def normalized(self):
        """The vector of length 1 in this direction; of zero length it is zero."""
        length = self.length
        return self / length if length > 0.0 else self * 0.0


def read_components(kind, components):
    """A vector of a class from its components, or from one thing that has them."""
    cdef double[MOST] a
    cdef Py_ssize_t n = len(kind.__match_args__), k
    if len(components) == 1:
        read_numbers(components[0], kind.__name__, n, a)
    elif len(components) == n:
        for k in range(n):
            a[k] = read_number(components[k], kind.__match_args__[k])
    else:
        raise TypeError(f"{kind.__name__} takes {n} numbers, got {components!r}")
    return make_vector(kind, a, n)
