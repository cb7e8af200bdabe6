"""Where a frame is: inline, by value. A pose carries points of a body's frame into the world."""

from libc.math cimport cos, sin

from engine2d.vec2 cimport Vec2, add, sub, vec2

ctypedef struct Pose:
    Vec2 p   # m, the frame's origin
    Vec2 q   # cosine and sine of the frame's angle


cdef inline Pose make_pose(Vec2 p, double angle) noexcept nogil:
    cdef Pose out
    out.p = p
    out.q = vec2(cos(angle), sin(angle))
    return out


cdef inline Vec2 rotate(Vec2 q, Vec2 a) noexcept nogil:
    """A direction of the frame, in the world."""
    return vec2(q.x * a.x - q.y * a.y, q.y * a.x + q.x * a.y)


cdef inline Vec2 unrotate(Vec2 q, Vec2 a) noexcept nogil:
    """A direction of the world, in the frame."""
    return vec2(q.x * a.x + q.y * a.y, q.x * a.y - q.y * a.x)


cdef inline Vec2 to_world(const Pose* pose, Vec2 a) noexcept nogil:
    """A point of the frame, in the world."""
    return add(pose.p, rotate(pose.q, a))


cdef inline Vec2 to_local(const Pose* pose, Vec2 a) noexcept nogil:
    """A point of the world, in the frame."""
    return unrotate(pose.q, sub(a, pose.p))


cdef inline Pose seen_from(const Pose* base, const Pose* other) noexcept nogil:
    """The pose of `other` in the frame of `base`: far from the world's origin, no digits are lost
    but those of the difference of two places."""
    cdef Pose out
    out.p = unrotate(base.q, sub(other.p, base.p))
    out.q = unrotate(base.q, other.q)
    return out
