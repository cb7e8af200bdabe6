"""Contacts of convex polyhedra: with each other, and with balls and capsules."""

from libc.stdint cimport int32_t

from engine3d.collide.geometry cimport CYLINDER, Geometry, reach_along
from engine3d.collide.gjk cimport Nearest
from engine3d.collide.narrow_phase cimport Touch, AxisCache
from engine3d.pose cimport Pose
from engine3d.vec3 cimport Vec3

# As find_contacts, of two hulls. rel: pose of A in B's frame. Touches are not yet refreshed.
cdef int collide_hulls(const Geometry* a, const Geometry* b, const Pose* rel, double margin,
                       AxisCache* cache, Touch* out) noexcept nogil

# As find_contacts, A being a sphere or a capsule.
cdef int collide_round(const Geometry* a, const Geometry* b, const Pose* rel, double margin,
                       AxisCache* cache, Touch* out) noexcept nogil

# Of n contact points in a plane with normal n and one direction u in it, keep four: the extremes
# along four fixed directions, so that they stay the same from step to step. Returns how many.
cdef int keep_four(Touch* touches, const Vec3* points, const double* gaps, int n, Vec3 normal,
                   Vec3 u, double near) noexcept nogil

# The contact of the nearest points of two cores that are apart, with radii (m) around them: a ball
# on the plane there. Not yet refreshed.
cdef void touch_points(const Pose* rel, const Nearest* near, double radius_a, double radius_b,
                       Touch* out) noexcept nogil


cdef inline double face_offset(const Geometry* g, int32_t k) noexcept nogil:
    """m: where a face is along its normal. The sides of a cylinder's prism are inside it."""
    return reach_along(g, g.normals[k]) if g.kind == CYLINDER else g.offsets[k]
