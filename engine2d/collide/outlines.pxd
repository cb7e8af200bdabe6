"""Contact points where arcs of several radii, inner corners or open paths take part."""

from engine2d.collide.geometry cimport Geometry
from engine2d.collide.narrow_phase cimport Touch, AxisCache
from engine2d.pose cimport Pose

# As narrow_phase.find_contacts, for any two geometries.
cdef int collide_outlines(const Geometry* a, const Pose* pose_a, const Geometry* b,
                          const Pose* pose_b, double margin, AxisCache* cache, Touch* out,
                          int room) noexcept nogil
