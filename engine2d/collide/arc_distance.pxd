"""How far an arc, taken as a curve with two sides, is from a convex shape or another piece."""

from engine2d.collide.geometry cimport Feature, Geometry
from engine2d.pose cimport Pose
from engine2d.vec2 cimport Vec2

ctypedef struct ArcGap:
    double gap      # m, < 0 only where a radius reaches over the arc
    Vec2 point      # m, world, halfway
    Vec2 normal     # unit, world, from the other to the arc

# The arc runs from p to q (its frame). The other is a disc, a hull, or an outline whose every piece
# is looked at; where they cross the gap is 0 (minus the radius) or less.
cdef void measure_arc(const Feature* arc, Vec2 p, Vec2 q, const Pose* pose, const Geometry* other,
                      const Pose* other_pose, ArcGap* out) noexcept nogil
