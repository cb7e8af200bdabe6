"""Where a frame is: inline, by value. A pose carries points of a body's frame into the world."""

from engine3d.quat cimport Quat, matrix_of
from engine3d.vec3 cimport Mat3, Vec3, add, apply, apply_transposed, sub

ctypedef struct Pose:
    Vec3 p   # m, the frame's origin
    Mat3 r   # rotation of the frame into the world


cdef inline Pose make_pose(Vec3 p, Quat q) noexcept nogil:
    cdef Pose out
    out.p = p
    out.r = matrix_of(q)
    return out


cdef inline Vec3 rotate(const Pose* pose, Vec3 a) noexcept nogil:
    """A direction of the frame, in the world."""
    return apply(&pose.r, a)


cdef inline Vec3 unrotate(const Pose* pose, Vec3 a) noexcept nogil:
    """A direction of the world, in the frame."""
    return apply_transposed(&pose.r, a)


cdef inline Vec3 to_world(const Pose* pose, Vec3 a) noexcept nogil:
    """A point of the frame, in the world."""
    return add(pose.p, apply(&pose.r, a))


cdef inline Vec3 to_local(const Pose* pose, Vec3 a) noexcept nogil:
    """A point of the world, in the frame."""
    return apply_transposed(&pose.r, sub(a, pose.p))


cdef inline Pose seen_from(const Pose* base, const Pose* other) noexcept nogil:
    """The pose of `other` in the frame of `base`: far from the world's origin, no digits are lost
    but those of the difference of two places."""
    cdef Pose out
    cdef Vec3 x, y, z
    out.p = apply_transposed(&base.r, sub(other.p, base.p))
    # columns of the result are base^T times columns of other
    x = apply_transposed(&base.r, _column(&other.r, 0))
    y = apply_transposed(&base.r, _column(&other.r, 1))
    z = apply_transposed(&base.r, _column(&other.r, 2))
    out.r.x.x, out.r.y.x, out.r.z.x = x.x, x.y, x.z
    out.r.x.y, out.r.y.y, out.r.z.y = y.x, y.y, y.z
    out.r.x.z, out.r.y.z, out.r.z.z = z.x, z.y, z.z
    return out


cdef inline Vec3 _column(const Mat3* m, int k) noexcept nogil:
    cdef Vec3 out
    out.x = (&m.x.x)[k]
    out.y = (&m.y.x)[k]
    out.z = (&m.z.x)[k]
    return out
