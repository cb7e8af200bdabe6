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


cdef inline Vec3 negated(Vec3 a) noexcept nogil:
    return vec3(-a.x, -a.y, -a.z)


cdef inline Vec3 unit(Vec3 a) noexcept nogil:
    """a / |a|; a must not be 0."""
    return scaled(1.0 / sqrt(dot(a, a)), a)


cdef inline Vec3 add_scaled(Vec3 a, double s, Vec3 b) noexcept nogil:
    """a + s b."""
    return vec3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z)


cdef inline Vec3 across(Vec3 n) noexcept nogil:
    """A unit vector at right angles to the unit vector n, the same for the same n."""
    cdef double s
    if -0.57735 < n.x < 0.57735:
        s = 1.0 / sqrt(n.y * n.y + n.z * n.z)
        return vec3(0.0, s * n.z, -s * n.y)
    s = 1.0 / sqrt(n.x * n.x + n.z * n.z)
    return vec3(-s * n.z, 0.0, s * n.x)


cdef inline Mat3 transposed(const Mat3* m) noexcept nogil:
    return mat3(vec3(m.x.x, m.y.x, m.z.x), vec3(m.x.y, m.y.y, m.z.y), vec3(m.x.z, m.y.z, m.z.z))


cdef inline Mat3 times(const Mat3* a, const Mat3* b) noexcept nogil:
    """a b."""
    return mat3(apply_transposed(b, a.x), apply_transposed(b, a.y), apply_transposed(b, a.z))


cdef inline Mat3 times_transposed(const Mat3* a, const Mat3* b) noexcept nogil:
    """a b^T."""
    return mat3(apply(b, a.x), apply(b, a.y), apply(b, a.z))


cdef inline Mat3 diagonal(double x, double y, double z) noexcept nogil:
    return mat3(vec3(x, 0.0, 0.0), vec3(0.0, y, 0.0), vec3(0.0, 0.0, z))
