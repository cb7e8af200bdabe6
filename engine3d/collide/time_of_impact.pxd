"""When two moving shapes meet (docs/maths/contact3d.md)."""

from engine3d.collide.geometry cimport CYLINDER, Geometry
from engine3d.pose cimport Pose
from engine3d.quat cimport Quat, matrix_of, turned_by
from engine3d.vec3 cimport Vec3, add_scaled, apply, scaled, sub

# A motion: the centre of mass goes x + v t + a t^2/2, the body turns with w.
ctypedef struct Sweep:
    Vec3 x             # m, centre of mass at t = 0
    Quat q             # orientation then
    Vec3 v             # m/s
    Vec3 w             # rad/s
    Vec3 a             # m/s^2
    Vec3 local_center  # m, in the shape's frame
    double bounding_radius       # m, how far from the centre turning moves the surface


cdef inline Pose sweep_pose(const Sweep* s, double t) noexcept nogil:
    """The pose of the shape's frame at time t."""
    cdef Pose out
    out.r = matrix_of(turned_by(s.q, scaled(t, s.w)))
    out.p = sub(add_scaled(add_scaled(s.x, t, s.v), 0.5 * t * t, s.a),
                apply(&out.r, s.local_center))
    return out


cdef inline double radius_of(const Geometry* g) noexcept nogil:
    """m: the radius around a core; a cylinder's is part of it."""
    return 0.0 if g.kind == CYLINDER else g.radius


# The gap of two shapes that do not overlap (m, at most 0 where they do) and the direction of it,
# from B into A, in the world's axes.
cdef double gap_between(const Geometry* a, const Pose* pose_a, const Geometry* b,
                        const Pose* pose_b, Vec3* normal) noexcept nogil

# Whether two shapes that are apart come within `near` (m) in a time; t: when, never later than they
# do. Conservative advancement.
cdef bint find_impact_time(const Geometry* a, const Sweep* sweep_a, const Geometry* b,
                           const Sweep* sweep_b, double duration, double near,
                           double* t) noexcept nogil

# When two shapes in touch, with a normal from B into A, will overlap along it by `deeper` (m) more
# than they do; never later than that; infinite if not within the duration, or for what turns and
# has no end.
cdef double find_sink_time(const Geometry* a, const Sweep* sweep_a, const Geometry* b,
                           const Sweep* sweep_b, Vec3 normal, double duration,
                           double deeper) noexcept nogil
