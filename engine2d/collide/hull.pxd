"""Contact points of discs and convex hulls with a radius."""

from engine2d.collide.geometry cimport Geometry
from engine2d.collide.narrow_phase cimport Touch, AxisCache
from engine2d.pose cimport Pose

# As narrow_phase.find_contacts, for two geometries of kind ROUND or HULL.
cdef int collide_hulls(const Geometry* a, const Pose* pose_a, const Geometry* b,
                       const Pose* pose_b, double margin, AxisCache* cache, Touch* out,
                       int room) noexcept nogil
