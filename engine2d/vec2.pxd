"""Vectors of the plane: inline, by value. x to the right, y up, angles anticlockwise."""

from libc.math cimport sqrt

ctypedef struct Vec2:
    double x
    double y


cdef inline Vec2 vec2(double x, double y) noexcept nogil:
    cdef Vec2 out
    out.x = x
    out.y = y
    return out


cdef inline Vec2 add(Vec2 a, Vec2 b) noexcept nogil:
    return vec2(a.x + b.x, a.y + b.y)


cdef inline Vec2 sub(Vec2 a, Vec2 b) noexcept nogil:
    return vec2(a.x - b.x, a.y - b.y)


cdef inline Vec2 scaled(double s, Vec2 a) noexcept nogil:
    return vec2(s * a.x, s * a.y)


cdef inline double dot(Vec2 a, Vec2 b) noexcept nogil:
    return a.x * b.x + a.y * b.y


cdef inline double cross(Vec2 a, Vec2 b) noexcept nogil:
    """The z component of a x b."""
    return a.x * b.y - a.y * b.x


cdef inline Vec2 turn(double w, Vec2 a) noexcept nogil:
    """w z x a: the velocity of the point at a on a body that turns with w."""
    return vec2(-w * a.y, w * a.x)


cdef inline double length(Vec2 a) noexcept nogil:
    return sqrt(a.x * a.x + a.y * a.y)
