"""Vectors and matrices of space: inline, by value. Right-handed axes."""

from libc.math cimport sqrt

ctypedef struct Vec3:
    double x
    double y
    double z

# Rows x, y, z.
ctypedef struct Mat3:
    Vec3 x
    Vec3 y
    Vec3 z


cdef inline Vec3 vec3(double x, double y, double z) noexcept nogil:
    cdef Vec3 out
    out.x = x
    out.y = y
    out.z = z
    return out


cdef inline Vec3 add(Vec3 a, Vec3 b) noexcept nogil:
    return vec3(a.x + b.x, a.y + b.y, a.z + b.z)


cdef inline Vec3 sub(Vec3 a, Vec3 b) noexcept nogil:
    return vec3(a.x - b.x, a.y - b.y, a.z - b.z)


cdef inline Vec3 scaled(double s, Vec3 a) noexcept nogil:
    return vec3(s * a.x, s * a.y, s * a.z)


cdef inline double dot(Vec3 a, Vec3 b) noexcept nogil:
    return a.x * b.x + a.y * b.y + a.z * b.z


cdef inline Vec3 cross(Vec3 a, Vec3 b) noexcept nogil:
    return vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)


cdef inline double length(Vec3 a) noexcept nogil:
    return sqrt(dot(a, a))


cdef inline Mat3 mat3(Vec3 x, Vec3 y, Vec3 z) noexcept nogil:
    cdef Mat3 out
    out.x = x
    out.y = y
    out.z = z
    return out


cdef inline Vec3 apply(const Mat3* m, Vec3 a) noexcept nogil:
    """m a."""
    return vec3(dot(m.x, a), dot(m.y, a), dot(m.z, a))


cdef inline Vec3 apply_transposed(const Mat3* m, Vec3 a) noexcept nogil:
    """m^T a; for a rotation, the way back."""
    return add(add(scaled(a.x, m.x), scaled(a.y, m.y)), scaled(a.z, m.z))


cdef inline double determinant(const Mat3* m) noexcept nogil:
    return dot(m.x, cross(m.y, m.z))
