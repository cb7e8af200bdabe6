"""What collisions see of a shape: a convex core with a radius, a half space or a hollow sphere."""

from libc.math cimport fabs, sqrt
from libc.stdint cimport int32_t

from enginecore.scalar cimport greater
from engine3d.vec3 cimport Mat3, Vec3, dot

cdef enum GeometryKind:
    ROUND = 0       # sphere: one corner with a radius
    SEGMENT = 1     # capsule: two corners with a radius
    HULL = 2        # convex polyhedron, radius 0
    CYLINDER = 3    # two corners, the centres of its ends, and a radius across the axis
    PLANE = 4       # the half space below a plane; infinite
    HOLLOW = 5      # all of space but the inside of a sphere; infinite

cdef enum:
    MOST_SIDES = 64       # corners of one face
    MOST_CORNERS = 1024   # of a hull

# Pointers are into the Shape, which outlives its geometry's users.
ctypedef struct Geometry:
    int32_t kind           # GeometryKind
    int32_t n_core
    int32_t n_faces
    int32_t n_edges
    int32_t n_dirs
    bint boxed             # a hull with three pairs of faces at right angles: frame and half
    double radius          # m
    double bounding_radius           # m, the farthest point from `middle`; infinite for what is
    double thickness       # m, of the thinnest part
    Vec3 middle            # m, centre of the volume
    const Vec3* core       # m, corners
    const Vec3* normals    # of faces, outward
    const double* offsets  # m, of faces: normal.x <= offset inside
    const int32_t* first   # of a face's corners in `corners`; n_faces + 1
    const int32_t* corners  # loops of corners, anticlockwise seen from outside
    const int32_t* edges   # four numbers each: corner, corner, face left, face right
    const Vec3* dirs       # directions of edges, parallel ones once
    Vec3 axis              # unit: of a cylinder; a plane's normal; a capsule's direction
    double offset          # m: a plane's, normal.x <= offset inside; a cylinder's half height
    Mat3 frame             # of a box: columns are the directions of its sides
    Vec3 half              # m: of a box
    Vec3 low               # m, least box in the shape's frame
    Vec3 high


cdef inline int32_t support(const Geometry* g, Vec3 d) noexcept nogil:
    """The corner farthest along d; of several the first."""
    cdef int32_t k, best = 0
    cdef double most = dot(g.core[0], d), at
    for k in range(1, g.n_core):
        at = dot(g.core[k], d)
        if at > most:
            most = at
            best = k
    return best


cdef inline double reach_along(const Geometry* g, Vec3 d) noexcept nogil:
    """m: the farthest that a finite shape goes along the unit vector d, from its frame's origin."""
    cdef double x, y, z
    if g.boxed:
        x = g.frame.x.x * d.x + g.frame.y.x * d.y + g.frame.z.x * d.z
        y = g.frame.x.y * d.x + g.frame.y.y * d.y + g.frame.z.y * d.z
        z = g.frame.x.z * d.x + g.frame.y.z * d.y + g.frame.z.z * d.z
        return dot(g.middle, d) + g.half.x * fabs(x) + g.half.y * fabs(y) + g.half.z * fabs(z)
    if g.kind == CYLINDER:
        x = dot(g.axis, d)
        return (dot(g.middle, d) + g.offset * fabs(x)
                + g.radius * sqrt(greater(0.0, 1.0 - x * x)))
    return dot(g.core[support(g, d)], d) + g.radius
