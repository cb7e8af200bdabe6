"""Rays and points against one shape: exact for edges and arcs (docs/maths/shapes.md).

A ray hits a solid where it enters it. One that starts inside goes out unnoticed, and hits where
it enters again, if it does; one that starts on the surface and heads inwards hits at once. A line
(an open path, a segment without radius) is hit from both sides, and not where the ray starts on
it. A ray of no length hits nothing.
"""

from engine2d.collide.geometry cimport Geometry
from engine2d.pose cimport Pose
from engine2d.vec2 cimport Vec2

ctypedef struct RayHit:
    double t      # 0 at the ray's start, 1 at its end
    Vec2 point    # m, world, on the boundary
    Vec2 normal   # unit, world, outward; of a line, towards where the ray came from

# The first hit of the ray from start to end (m, world); False, and nothing written, if none.
cdef bint cast_ray_at(const Geometry* geometry, const Pose* pose, Vec2 start, Vec2 end,
                      RayHit* out) noexcept nogil

# How far a point of the world is from the boundary (m), < 0 inside; never < 0 for an open path.
# Writes the nearest point of the boundary and the outward unit normal there, in the world.
cdef double signed_distance_to(const Geometry* geometry, const Pose* pose, Vec2 point,
                               Vec2* nearest, Vec2* normal) noexcept nogil

# The point of the boundary's convex hull that is farthest along a unit vector (shape's frame).
cdef Vec2 support_of(const Geometry* geometry, Vec2 u) noexcept nogil
