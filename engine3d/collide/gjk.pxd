"""The distance of two convex cores, by Gilbert, Johnson and Keerthi's method."""

from libc.stdint cimport int32_t

from engine3d.collide.geometry cimport Geometry
from engine3d.pose cimport Pose
from engine3d.vec3 cimport Vec3

ctypedef struct Nearest:
    double distance     # m, of the cores, without radii; 0 where they overlap
    Vec3 normal         # unit, B's frame, from B to A; not set where they overlap
    Vec3 on_a           # m, B's frame: the nearest points
    Vec3 on_b
    int32_t n_a         # how many corners of each make the nearest features
    int32_t n_b
    int32_t a[4]        # these corners; of a cylinder none are told (n = 0)
    int32_t b[4]

# rel: pose of A in B's frame; start: a guess of the normal, or 0. Both must be finite shapes.
cdef void find_nearest(const Geometry* a, const Geometry* b, const Pose* rel, Vec3 start,
                       Nearest* out) noexcept nogil
