"""Unit quaternions (w, x, y, z) for orientations: inline, by value."""

from libc.math cimport cos, sin, sqrt

from engine3d.vec3 cimport Mat3, Vec3, mat3, vec3

ctypedef struct Quat:
    double w
    double x
    double y
    double z

# rad: below this the series of `rotation_by` are exact to rounding.
cdef extern from *:
    """
    #define ENGINE_SMALL_TURN 1e-2
    """
    double SMALL_TURN "ENGINE_SMALL_TURN"


cdef inline Quat quat(double w, double x, double y, double z) noexcept nogil:
    cdef Quat out
    out.w = w
    out.x = x
    out.y = y
    out.z = z
    return out


cdef inline Quat product(Quat a, Quat b) noexcept nogil:
    """The rotation b, then a."""
    return quat(a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w)


cdef inline Quat conjugate(Quat q) noexcept nogil:
    return quat(q.w, -q.x, -q.y, -q.z)


cdef inline Quat normalised(Quat q) noexcept nogil:
    cdef double s = 1.0 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z)
    return quat(s * q.w, s * q.x, s * q.y, s * q.z)


cdef inline Quat rotation_by(Vec3 turn) noexcept nogil:
    """The rotation about the axis of `turn` by its length (rad)."""
    cdef double t = turn.x * turn.x + turn.y * turn.y + turn.z * turn.z, c, s, angle
    if t < SMALL_TURN * SMALL_TURN:
        c = 1.0 - t / 8.0 * (1.0 - t / 48.0)
        s = 0.5 - t / 48.0 * (1.0 - t / 80.0)
    else:
        angle = sqrt(t)
        c = cos(0.5 * angle)
        s = sin(0.5 * angle) / angle
    return quat(c, s * turn.x, s * turn.y, s * turn.z)


cdef inline Quat turned_by(Quat q, Vec3 turn) noexcept nogil:
    """The orientation q after a rotation about an axis of the world."""
    if turn.x == 0.0 and turn.y == 0.0 and turn.z == 0.0:
        return q
    return normalised(product(rotation_by(turn), q))


cdef inline Mat3 matrix_of(Quat q) noexcept nogil:
    """The rotation matrix of a unit quaternion: carries vectors of the frame into the world."""
    cdef double x = 2.0 * q.x, y = 2.0 * q.y, z = 2.0 * q.z
    return mat3(vec3(1.0 - (q.y * y + q.z * z), q.x * y - q.w * z, q.x * z + q.w * y),
                vec3(q.x * y + q.w * z, 1.0 - (q.x * x + q.z * z), q.y * z - q.w * x),
                vec3(q.x * z - q.w * y, q.y * z + q.w * x, 1.0 - (q.x * x + q.y * y)))
