"""What the narrow phase and the queries see of a shape: its boundary as features.

A feature is a straight edge or a part of a circle (a corner is a circle of radius 0). Most shapes
are a disc (ROUND) or a convex core of corners with a radius around it (HULL), whose features are
written down when asked for; all others are an OUTLINE: a list of features.

Which feature is which: a HULL's corner k is feature 2 k and the edge from it to the next corner is
2 k + 1; an OUTLINE has them in the same order (the corner at point k, then the piece from it), with
no normals (`sweep` < 0) where a corner points inwards or two pieces go on smoothly. A disc is
feature 0. An open path runs forth on its right side and back on its left: a closed run around
nothing. docs/maths/shapes.md.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t

from engine2d.collide.outline cimport Bounds
from engine2d.vec2 cimport Vec2, add, cross, dot, scaled, vec2

cdef enum GeometryKind:
    ROUND = 0    # core[0] and a radius
    HULL = 1     # n_core >= 2 corners, anticlockwise, and a radius; 2: a line with two sides
    OUTLINE = 2  # features

ctypedef struct Feature:
    Vec2 c         # m, a circle's centre; where an edge begins
    double r       # m, signed: corner 0, convex arc > 0, concave arc < 0, edge infinite
    Vec2 low       # unit, the first of its outward normals, anticlockwise; an edge's only one
    Vec2 high      # unit, the last of them
    # rad, from low to high, 0 to 2 pi; 0 for an edge; < 0: nothing touches here, and if that is an
    # inner corner, its turn
    double sweep
    double length  # m, of an edge; it runs along (-low.y, low.x) from c
    Bounds box     # m, around its part of the boundary

# The features of a long run come in blocks, so that most of them need not be looked at.
cdef enum:
    BLOCK = 16
    GREAT_BLOCK = 256  # features of BLOCK blocks

ctypedef struct Geometry:
    int32_t kind
    int32_t n_core
    const Vec2* core         # ROUND, HULL: corners
    const Vec2* normals      # HULL: outward unit normal of the edge from corner k to the next
    double radius            # m, around the core; 0 for an OUTLINE
    double bounding_radius             # m, the farthest point of the boundary from `middle`
    bint closed              # encloses an area
    bint convex
    int32_t n_features       # of an OUTLINE
    int32_t n_blocks
    const Feature* features  # OUTLINE
    # OUTLINE: around features BLOCK k to BLOCK (k + 1) - 1; behind these n_blocks, around features
    # GREAT_BLOCK k to GREAT_BLOCK (k + 1) - 1
    const Bounds* blocks
    Bounds box               # m, around everything
    Vec2 middle              # m, a point in the middle (the centroid)
    double flattest          # m, the greatest radius of an OUTLINE's arcs: centres far off


cdef inline Vec2 edge_along(Vec2 normal) noexcept nogil:
    """The direction in which an edge with this outward normal runs."""
    return vec2(-normal.y, normal.x)


# The features of a run (see outline.pxd): two for each piece, of an open run 4 (n - 1) in all.
# Writes them, and the bounds of each block of them: count_boxes(how many features) boxes.
cdef void build_features(const Vec2* points, const double* bulges, Py_ssize_t n, bint closed,
                         Feature* features, Bounds* blocks) noexcept nogil

cdef inline Py_ssize_t count_boxes(Py_ssize_t n_features) noexcept nogil:
    """How many boxes there are around n features: blocks and great blocks."""
    return (n_features + BLOCK - 1) // BLOCK + (n_features + GREAT_BLOCK - 1) // GREAT_BLOCK


# Whether the closed run that these n features are of has neither inner corners nor concave arcs.
cdef bint turn_one_way(const Feature* features, int32_t n) noexcept nogil

# How many features a geometry has, and feature k of it, of whatever kind it is.
cdef int32_t count_features(const Geometry* geometry) noexcept nogil
cdef void feature_at(const Geometry* geometry, int32_t k, Feature* out) noexcept nogil

# Whether an outward unit normal belongs to a feature, to within `slack` (rad).
cdef bint has_normal(const Feature* feature, Vec2 normal, double slack) noexcept nogil

# Whether a point of the shape's frame lies in it or on its boundary; an open path has no inside.
cdef bint contains(const Geometry* geometry, Vec2 point) noexcept nogil
