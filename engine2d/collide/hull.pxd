"""Contact points of discs and convex hulls with a radius."""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t

from engine2d.collide.geometry cimport Geometry
from engine2d.collide.narrow_phase cimport Touch, AxisCache
from engine2d.pose cimport Pose
from engine2d.vec2 cimport Vec2, add, scaled

# As narrow_phase.find_contacts, for two geometries of kind ROUND or HULL.
cdef int collide_hulls(const Geometry* a, const Pose* pose_a, const Geometry* b,
                       const Pose* pose_b, double margin, AxisCache* cache, Touch* out,
                       int room) noexcept nogil


cdef inline void put_circle(const Geometry* g, int32_t k, Vec2* c, double* r,
                            int32_t* f) noexcept nogil:
    c[0] = g.core[k]
    r[0] = g.radius
    f[0] = 2 * k


cdef inline void put_edge(const Geometry* g, int32_t k, Vec2* c, double* r, Vec2* n,
                          int32_t* f) noexcept nogil:
    n[0] = g.normals[k]
    c[0] = add(g.core[k], scaled(g.radius, n[0]))
    r[0] = INFINITY
    f[0] = 2 * k + 1


cdef inline void write_stand(const Geometry* corner_of, int32_t corner, const Geometry* edge_of,
                             int32_t edge, bint edge_is_b, Touch* out) noexcept nogil:
    """The features of a corner on an edge."""
    if edge_is_b:
        put_circle(corner_of, corner, &out.c1, &out.r1, &out.f1)
        put_edge(edge_of, edge, &out.c2, &out.r2, &out.n, &out.f2)
    else:
        put_edge(edge_of, edge, &out.c1, &out.r1, &out.n, &out.f1)
        put_circle(corner_of, corner, &out.c2, &out.r2, &out.f2)
