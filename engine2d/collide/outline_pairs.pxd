"""Features of two shapes that come near each other, and the gap of each pair of them.

Used by outlines.pyx, which chooses contacts among the pairs, and by outline_overlap.pyx, which says
whether the shapes overlap. All of it in B's frame.
"""

from libc.stdint cimport int32_t

from engine2d.collide.geometry cimport OUTLINE, Geometry, contains
from engine2d.collide.outline cimport Bounds
from engine2d.pose cimport Pose, to_local
from engine2d.vec2 cimport Vec2, cross, dot, sub

cdef extern from *:
    """
    #define ENGINE2D_SAME_NORMAL (1.0 - 1e-6)
    #define ENGINE2D_THROUGH_WALL 0.25
    #define ENGINE2D_NUDGE 1e-6
    #define ENGINE2D_SHALLOW 0.02
    """
    # Normals that differ by less (cosine) are one.
    double SAME_NORMAL "ENGINE2D_SAME_NORMAL"
    # A corner that has gone through a thin wall was stopped by it if no deeper than this share of
    # the smaller shape's reach.
    double THROUGH_WALL "ENGINE2D_THROUGH_WALL"
    # How far aside of a point it is looked whether that is inside, where it may be on the boundary:
    # a share of that reach.
    double NUDGE "ENGINE2D_NUDGE"
    # Up to this share of depth, the boundary beside a point of an arc is where its tangent is.
    double SHALLOW "ENGINE2D_SHALLOW"

cdef enum:
    MOST_PLACED = 48      # features of one shape that are looked at together
    MOST_CANDIDATES = 64  # pairs of features that are kept; the least far apart or deep of more


# A feature of A or B, in B's frame.
cdef struct Placed:
    int32_t k          # which feature
    Vec2 c             # m, as in Feature
    double r
    Vec2 low
    Vec2 high
    bint wide          # the normals sweep more than half a turn
    bint full          # all directions
    double length
    double ease_low    # sin of how far its normals may be exceeded and the shape still faces
    double ease_high
    bint wall_low      # an edge: behind its beginning stands a wall (an inner corner)
    bint wall_high
    bint goes_on_low   # an edge: the boundary goes on smoothly before its beginning
    bint goes_on_high
    Vec2 wall_normal_low   # unit, of that wall
    Vec2 wall_normal_high


cdef struct Candidate:
    int32_t f1
    int32_t f2
    Vec2 n         # unit, from B into A
    double d       # m, gap
    Vec2 p1        # m, A's point
    Vec2 p2        # m, B's point
    double r1      # m
    double r2
    bint strict    # normals fit; else they only nearly do
    bint foot      # the foot lies within the edge


# One call's worth of everything.
cdef struct Search:
    const Geometry* a
    const Geometry* b
    Pose pose            # of A in B's frame
    Bounds box_a         # m, around A in B's frame
    Bounds box_b         # m, around B in A's frame
    double margin        # m
    bint ahead           # edges that go on behind a shallow inner corner are contacts too
    double limit         # m, gaps beyond it do not matter (any more)
    double small         # m, reach of the smaller shape
    double foot          # m
    double touching      # m
    double noise         # m, rounding of coordinates
    int count
    int worst            # the one to go if there are too many
    Candidate found[MOST_CANDIDATES]


# What to do with the features of A and B that come near each other.
ctypedef bint (*Visit)(Search* s, const Placed* x, const Placed* y) noexcept nogil


cdef inline bint boxes_apart(const Bounds* a, const Bounds* b, double by) noexcept nogil:
    return (a.low.x > b.high.x + by or b.low.x > a.high.x + by
            or a.low.y > b.high.y + by or b.low.y > a.high.y + by)


cdef inline bint faces(const Placed* f, Vec2 n, double low, double high) noexcept nogil:
    """Whether n is one of its normals, to within sin `low` and `high` at the two ends."""
    cdef bint after = cross(f.low, n) >= -low, before = cross(n, f.high) >= -high
    if f.wide:
        return after or before or f.full
    return after and before and dot(f.low, n) + dot(f.high, n) >= -low - high


cdef inline Vec2 some_point(const Geometry* g) noexcept nogil:
    """A point of the shape."""
    return g.features[0].c if g.kind == OUTLINE else g.core[0]


cdef inline bint in_a(const Search* s, Vec2 point, Vec2 shift) noexcept nogil:
    """Whether a point lies in A, moved by shift."""
    return s.a.closed and contains(s.a, to_local(&s.pose, sub(point, shift)))


cdef inline bint in_b(const Search* s, Vec2 point) noexcept nogil:
    return s.b.closed and contains(s.b, point)


# Put A's origin there.
cdef void move_a(Search* s, Vec2 p) noexcept nogil

# Feature k of a geometry, moved by `pose` unless that is NULL.
cdef void place(const Geometry* g, int32_t k, const Pose* pose, Placed* out) noexcept nogil

# Place the features from next_k on that come within `by` of a region of g's frame, at most
# MOST_PLACED, without sharp corners if these do not matter; next_k goes on to where the search
# stopped. Returns how many.
cdef int place_some(const Geometry* g, const Bounds* region, double by, const Pose* pose,
                    bint corners, int32_t* next_k, Placed* out) noexcept nogil

# The gap of A's feature x and B's feature y; False unless they face each other and matter.
cdef bint pair_features(const Search* s, const Placed* x, const Placed* y,
                        Candidate* out) noexcept nogil

# Whether the boundaries have crossed at a pair of features, with A moved by shift: the point of a
# circle is in the other shape, or the other's boundary is in the circle's shape right beside it.
cdef bint is_crossed(const Search* s, const Placed* x, const Placed* y, const Candidate* c,
                     Vec2 shift) noexcept nogil

# Visit all pairs of features of A that come within by_a of B, and of B within by_b of A, until one
# says True; without sharp corners if these do not matter.
cdef bint visit_pairs(Search* s, double by_a, double by_b, bint corners,
                      Visit visit) noexcept nogil

# Visitors that keep pairs among the candidates: those that are contacts or may be beside others;
# those that face each other and overlap, wherever; of two convex shapes the one with the greatest
# gap (True if that parts them), and corners and arcs that face an edge, or nearly.
cdef bint collect(Search* s, const Placed* x, const Placed* y) noexcept nogil
cdef bint collect_facing(Search* s, const Placed* x, const Placed* y) noexcept nogil
cdef bint collect_support(Search* s, const Placed* x, const Placed* y) noexcept nogil
cdef bint collect_face(Search* s, const Placed* x, const Placed* y) noexcept nogil

# The corner or convex arc that reaches farthest along n, its point there and its radius.
cdef int32_t farthest(const Geometry* g, const Pose* pose, Vec2 n, Vec2* point,
                      double* r) noexcept nogil
