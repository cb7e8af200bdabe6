"""The signed distance of two shapes."""

from engine2d.collide.geometry cimport Geometry
from engine2d.collide.narrow_phase cimport Touch
from engine2d.pose cimport Pose

# Where A and B are nearest, or deepest in each other; returns the gap (m), < 0 where they overlap.
# Open paths that cross a line have no depth: the gap is 0, and f1 = f2 = -1.
cdef double measure_distance(const Geometry* a, const Pose* pose_a, const Geometry* b,
                             const Pose* pose_b, Touch* out) noexcept nogil
