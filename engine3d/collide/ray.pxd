"""Rays and points against one shape."""

from engine3d.collide.geometry cimport Geometry
from engine3d.pose cimport Pose
from engine3d.vec3 cimport Vec3

ctypedef struct RayHit:
    double t       # share of the way, 0 to 1
    Vec3 point     # m, world
    Vec3 normal    # unit, out of the shape

# Where a ray enters a shape; False if it does not, or starts in it.
cdef bint cast_ray_at(const Geometry* g, const Pose* pose, Vec3 start, Vec3 end,
                      RayHit* hit) noexcept nogil

# Whether a point of the shape's frame lies in it or on its surface.
cdef bint contains(const Geometry* g, Vec3 point) noexcept nogil
