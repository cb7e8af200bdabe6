"""When two moving shapes meet.

Each turns steadily about a point that moves in a straight line. Steps are never longer than the
time in which the two can have come together, so no contact is stepped over.
"""

from libc.stdint cimport int32_t

from engine2d.collide.geometry cimport Geometry
from engine2d.collide.narrow_phase cimport Touch
from engine2d.pose cimport Pose, make_pose, rotate
from engine2d.vec2 cimport Vec2, scaled, sub, vec2

# A steady motion.
ctypedef struct Sweep:
    Vec2 center        # m, world, at t = 0: what the body turns about
    Vec2 local_center  # m, the same point in the shape's frame
    double angle       # rad, at t = 0
    Vec2 v             # m/s, of the centre
    double w           # rad/s

ctypedef struct Strike:
    double t           # s
    Touch at           # where they touch then
    int32_t steps      # distances measured
    bint finished      # False: the search was given up; there is no contact before t


cdef inline Pose pose_at(const Sweep* sweep, double t) noexcept nogil:
    """The pose of the shape's frame at time t."""
    cdef Pose out = make_pose(vec2(0.0, 0.0), sweep.angle + sweep.w * t)
    cdef Vec2 arm = rotate(out.q, sweep.local_center)
    out.p = vec2(sweep.center.x + sweep.v.x * t - arm.x, sweep.center.y + sweep.v.y * t - arm.y)
    return out


# The first time from 0 to `duration` (s) at which A and B are within `tolerance` (m, > 0) of each
# other; False if there is none. Those that touch at the start are struck at once if they approach;
# otherwise the time is sought from when they have parted on. Features f1 and f2 of the touch are
# -1 where only the place is known.
cdef bint find_impact(const Geometry* a, const Sweep* sweep_a, const Geometry* b,
                      const Sweep* sweep_b, double duration, double tolerance,
                      Strike* out) noexcept nogil

# The same for two that may touch at the start without striking: the first impact after they have
# parted; False also if they do not part.
cdef bint find_next_impact(const Geometry* a, const Sweep* sweep_a, const Geometry* b,
                           const Sweep* sweep_b, double duration, double tolerance,
                           Strike* out) noexcept nogil

# The same for A carried along `way` (m) without turning while B stays; t goes from 0 to 1.
cdef bint cast_shape(const Geometry* a, const Pose* pose_a, Vec2 way, const Geometry* b,
                     const Pose* pose_b, double tolerance, Strike* out) noexcept nogil
