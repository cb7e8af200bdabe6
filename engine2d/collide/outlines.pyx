"""Contact points where arcs of several radii, inner corners or open paths take part.

Every pair of features that can touch has one gap function (docs/maths/shapes.md). Between two
convex shapes the greatest gap over all pairs of support features is their signed distance. In
general a pair counts where it is a local least distance, or where it says how two boundaries that
have crossed come apart again. All of it in B's frame.
"""

from libc.math cimport INFINITY, M_PI, atan2, cos, fabs, sin, sqrt
from libc.stdint cimport int32_t

from enginecore.scalar cimport greater, lesser
from engine2d.collide.geometry cimport (
    BLOCK, GREAT_BLOCK, HULL, OUTLINE, ROUND, Feature, Geometry, contains, count_features,
    edge_along, feature_at,
)
from engine2d.collide.outline cimport Bounds
from engine2d.pose cimport Pose, rotate, seen_from, to_local, to_world
from engine2d.vec2 cimport Vec2, add, cross, dot, length, scaled, sub, vec2

cdef enum:
    MOST_PLACED = 48      # features of one shape that are looked at together
    MOST_TURNS = 8        # until a way out of several contacts is given up
    MOST_CANDIDATES = 64  # pairs of features that are kept; the least far apart or deep of more

# rad. Normals this far outside a sector still belong to it: seams between pieces that go on
# smoothly (geometry.pyx) have no feature of their own.
cdef double SECTOR_SLACK = 2e-9
# rad. A corner tilted by so much over an edge still faces it: where a body lies nearly flat, both
# its corners are contacts.
cdef double CORNER_TILT = 0.15
# Shares of the smaller shape's reach: how far beyond an edge's end a foot may lie; what counts as
# touching, neither apart nor overlapping; where two contacts are the same place.
cdef double FOOT_SLACK = 1e-9
cdef double TOUCHING = 1e-10
cdef double SAME_PLACE = 1e-8
# How far behind a wall a corner may be and still stand on the floor before it.
cdef double BEHIND_WALL = 0.05
# A corner that has gone through a thin wall was stopped by it if no deeper than this share.
cdef double THROUGH_WALL = 0.25
# How far aside of a point it is looked whether that is inside, where it may be on the boundary.
cdef double NUDGE = 1e-6
# rad. The tip of a sharper corner has no inside to speak of.
cdef double SHARPEST = 1e-6
# Up to this share of depth, the boundary beside a point of an arc is where its tangent is.
cdef double SHALLOW = 0.02
# Contacts that push against each other hold a body between them if no deeper than this share;
# deeper ones are not how it got there.
cdef double SQUEEZED = 0.02
# Times a shallow depth: so far apart what is beside it is looked for.
cdef double FARTHER = 4.0
# A way out may be this much longer than contacts say.
cdef double OVERSHOOT = 1.25
# Rounding of coordinates, in shares of the greatest of them.
cdef double COORDINATE_ROUNDING = 1e-15
# Radii this near (relative) are equal.
cdef double EQUAL_RADII = 1e-12
# Normals closer than this (cosine) push the same way; contacts whose normals differ less than the
# second (cosine) are one facing pair; less than the third, one contact if at one place.
cdef double SAME_WAY = 0.9
cdef double SAME_FACE = 0.98
cdef double SAME_NORMAL = 1.0 - 1e-6
# Cosine of the turn at an inner corner up to which a chain of edges is one bent floor.
cdef double BENDS_ON = 0.9
# rad. Where a boundary turns inwards by more, it has a wall there.
cdef double INNER_TURN = 1e-6


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


# ------------------------------------------------------------------------------------- placing

cdef Bounds box_seen(const Bounds* box, const Pose* pose) noexcept nogil:
    """A box around a box of a frame at `pose`."""
    cdef Vec2 half = scaled(0.5, sub(box.high, box.low))
    cdef Vec2 middle = to_world(pose, scaled(0.5, add(box.high, box.low)))
    cdef Vec2 reach = vec2(fabs(pose.q.x) * half.x + fabs(pose.q.y) * half.y,
                           fabs(pose.q.y) * half.x + fabs(pose.q.x) * half.y)
    cdef Bounds out
    out.low = sub(middle, reach)
    out.high = add(middle, reach)
    return out


cdef inline bint boxes_apart(const Bounds* a, const Bounds* b, double by) noexcept nogil:
    return (a.low.x > b.high.x + by or b.low.x > a.high.x + by
            or a.low.y > b.high.y + by or b.low.y > a.high.y + by)


cdef inline Vec2 normal_at_start(const Feature* piece) noexcept nogil:
    """Outward normal where a piece begins."""
    return piece.high if piece.r < 0.0 else piece.low


cdef inline Vec2 normal_at_end(const Feature* piece) noexcept nogil:
    return piece.low if piece.r < 0.0 else piece.high


cdef void place_hull(const Geometry* g, int32_t k, Placed* out) noexcept nogil:
    """Feature k of a HULL, in its own frame."""
    cdef int32_t i = k // 2, before = i - 1 if i > 0 else g.n_core - 1
    cdef int32_t after = i + 1 if i + 1 < g.n_core else 0
    out.high = g.normals[i]
    out.wide = out.full = out.wall_low = out.wall_high = False
    out.goes_on_low = out.goes_on_high = False
    out.ease_low = out.ease_high = 0.0
    if k % 2:
        out.c = add(g.core[i], scaled(g.radius, out.high))
        out.r = INFINITY
        out.low = out.high
        out.length = length(sub(g.core[after], g.core[i]))
        return
    out.c = g.core[i]
    out.r = g.radius
    out.low = g.normals[before]
    out.length = 0.0
    out.ease_low = out.ease_high = CORNER_TILT
    if g.radius > 0.0:
        # the circle that goes on beyond its arc lies inside as long as the edge beside it goes on
        out.ease_high = lesser(CORNER_TILT, length(sub(g.core[after], g.core[i])) / g.radius)
        out.ease_low = lesser(CORNER_TILT, length(sub(g.core[i], g.core[before])) / g.radius)


cdef void place_outline(const Geometry* g, int32_t k, Placed* out) noexcept nogil:
    """Feature k of an OUTLINE, in its own frame."""
    cdef const Feature* f = &g.features[k]
    cdef const Feature* before
    cdef const Feature* after
    cdef double turn
    out.c = f.c
    out.r = f.r
    out.low = f.low
    out.high = f.high
    out.length = f.length
    out.wide = f.sweep > M_PI
    out.full = f.sweep > 2.0 * M_PI - SECTOR_SLACK
    out.wall_low = out.wall_high = False
    out.ease_low = out.ease_high = 0.0
    if k % 2 == 0:
        out.ease_low = out.ease_high = CORNER_TILT
        return
    before = &g.features[k - 2 if k > 1 else g.n_features - 1]
    after = &g.features[k + 2 if k + 2 < g.n_features else 1]
    if f.r == INFINITY:
        turn = g.features[k - 1].sweep
        out.wall_low = turn < -INNER_TURN
        out.goes_on_low = turn < 0.0 and not out.wall_low
        turn = g.features[k + 1 if k + 1 < g.n_features else 0].sweep
        out.wall_high = turn < -INNER_TURN
        out.goes_on_high = turn < 0.0 and not out.wall_high
        out.wall_normal_low = normal_at_end(before)
        out.wall_normal_high = normal_at_start(after)
    elif f.r > 0.0:
        if before.r == INFINITY and dot(before.low, f.low) > SAME_NORMAL:
            out.ease_low = lesser(CORNER_TILT, before.length / f.r)
        if after.r == INFINITY and dot(after.low, f.high) > SAME_NORMAL:
            out.ease_high = lesser(CORNER_TILT, after.length / f.r)


cdef void place(const Geometry* g, int32_t k, const Pose* pose, Placed* out) noexcept nogil:
    """Feature k of a geometry, moved by `pose` unless that is NULL."""
    if g.kind == OUTLINE:
        place_outline(g, k, out)
    elif g.kind == HULL:
        place_hull(g, k, out)
    else:
        out.c = g.core[0]
        out.r = g.radius
        out.low = out.high = vec2(1.0, 0.0)
        out.wide = out.full = True
        out.length = out.ease_low = out.ease_high = 0.0
        out.wall_low = out.wall_high = False
    out.k = k
    if pose != NULL:
        out.c = to_world(pose, out.c)
        out.low = rotate(pose.q, out.low)
        out.high = rotate(pose.q, out.high)
        if out.wall_low:
            out.wall_normal_low = rotate(pose.q, out.wall_normal_low)
        if out.wall_high:
            out.wall_normal_high = rotate(pose.q, out.wall_normal_high)


cdef int place_some(const Geometry* g, const Bounds* region, double by, const Pose* pose,
                    bint corners, int32_t* next_k, Placed* out) noexcept nogil:
    """Place the features from next_k on that come within `by` of a region of g's frame, at most
    MOST_PLACED, without sharp corners if these do not matter; next_k goes on to where the search
    stopped. Returns how many."""
    cdef int32_t k = next_k[0], n = count_features(g)
    cdef bint skip = not corners and g.kind != ROUND and g.radius == 0.0
    cdef int count = 0
    while k < n and count < MOST_PLACED:
        if g.kind == OUTLINE:
            if k % BLOCK == 0:
                if (n > GREAT_BLOCK and k % GREAT_BLOCK == 0
                        and boxes_apart(&g.blocks[g.n_blocks + k // GREAT_BLOCK], region, by)):
                    k += GREAT_BLOCK
                    continue
                if boxes_apart(&g.blocks[k // BLOCK], region, by):
                    k += BLOCK
                    continue
            if skip and k % 2 == 0:
                k += 1
            if g.features[k].sweep < 0.0 or boxes_apart(&g.features[k].box, region, by):
                k += 1
                continue
        elif skip and k % 2 == 0:
            k += 1
        place(g, k, pose, &out[count])
        count += 1
        k += 1
    next_k[0] = k if k < n else n
    return count


# ------------------------------------------------------------------------------------- the pairs

cdef inline bint faces(const Placed* f, Vec2 n, double low, double high) noexcept nogil:
    """Whether n is one of its normals, to within sin `low` and `high` at the two ends."""
    cdef bint after = cross(f.low, n) >= -low, before = cross(n, f.high) >= -high
    if f.wide:
        return after or before or f.full
    return after and before and dot(f.low, n) + dot(f.high, n) >= -low - high


cdef inline double sector_slack(const Search* s, double r) noexcept nogil:
    """SECTOR_SLACK, less for great radii, whose boundary it would leave by too much."""
    return SECTOR_SLACK * s.small / greater(s.small, fabs(r))


cdef Vec2 inward(const Placed* f, Vec2 n) noexcept nogil:
    """A direction into the shape from the point of a circle with normal n, away from the ends of
    its sector: straight in may lead out again where a neighbour makes a sharp corner."""
    cdef Vec2 middle = add(f.low, f.high)
    cdef double size = length(middle)
    if f.full or size < (SHARPEST if f.r == 0.0 else 0.1):
        return scaled(-1.0, n)
    middle = scaled((-1.0 if f.wide else 1.0) / size, middle)
    if f.r == 0.0:
        return scaled(-1.0, middle) if dot(middle, n) > SHARPEST else scaled(-1.0, n)
    # straight in, and sideways to the middle of the arc
    return add(scaled(-1.0 - dot(middle, n), n), middle)


cdef bint pair_features(const Search* s, const Placed* x, const Placed* y,
                        Candidate* out) noexcept nogil:
    """The gap of A's feature x and B's feature y, if they face each other and matter."""
    if x.r == INFINITY:
        if not 0.0 <= y.r < INFINITY or not pair_circle_edge(s, y, x, out):
            return False
        # what was found for the circle is B's, and N points out of B
        out.n = scaled(-1.0, out.n)
        out.p1, out.p2 = out.p2, out.p1
        out.r1 = INFINITY
        out.r2 = y.r
    elif y.r == INFINITY:
        if not x.r >= 0.0 or not pair_circle_edge(s, x, y, out):
            return False
        out.r1 = x.r
        out.r2 = INFINITY
    elif not pair_circles(s, x, y, out):
        return False
    out.f1 = x.k
    out.f2 = y.k
    return True


cdef bint pair_circle_edge(const Search* s, const Placed* circle, const Placed* edge,
                           Candidate* out) noexcept nogil:
    """The gap of a corner or convex arc and an edge, as if the edge were B's."""
    cdef Vec2 n = edge.low, back = scaled(-1.0, n), apart = sub(circle.c, edge.c)
    cdef double height = dot(n, apart), d = height - circle.r, t, slack
    if d > s.limit:
        return False
    slack = sector_slack(s, circle.r)
    out.strict = faces(circle, back, slack, slack)
    if not out.strict and not faces(circle, back, circle.ease_low, circle.ease_high):
        return False
    out.n = n
    out.d = d
    out.p1 = sub(circle.c, scaled(circle.r, n))
    out.p2 = sub(out.p1, scaled(d, n))
    t = dot(edge_along(n), apart)
    slack = s.foot + SECTOR_SLACK * fabs(height)
    out.foot = -slack <= t <= edge.length + slack
    if not out.foot and s.ahead and d >= -s.touching:
        # what rolls on is on this edge soon, and all that is near stays above its line
        if t < 0.0:
            out.foot = (edge.wall_low and t >= -s.margin
                        and dot(edge.wall_normal_low, n) > BENDS_ON)
        else:
            out.foot = (edge.wall_high and t <= edge.length + s.margin
                        and dot(edge.wall_normal_high, n) > BENDS_ON)
    slack = BEHIND_WALL * s.small
    if not out.foot and d >= -slack and (s.ahead or d <= s.touching):
        # In an inner corner, not far behind both floor and wall, the floor goes on. What is above
        # the floor may be beside a wall that is short, round or a line: only a step looks ahead.
        if t < 0.0:
            out.foot = (edge.wall_low and t >= -slack
                        and dot(edge.wall_normal_low, apart) <= 0.0)
        else:
            apart = sub(apart, scaled(edge.length, edge_along(n)))
            out.foot = (edge.wall_high and t <= edge.length + slack
                        and dot(edge.wall_normal_high, apart) <= 0.0)
    return True


cdef bint pair_circles(const Search* s, const Placed* x, const Placed* y,
                       Candidate* out) noexcept nogil:
    """The gap of two corners or arcs, of which at most one is concave."""
    cdef double sum_r = x.r + y.r, sign = 1.0, size, slack
    cdef Vec2 apart = sub(x.c, y.c)
    out.r1 = x.r
    out.r2 = y.r
    if x.r < 0.0 or y.r < 0.0:
        # What is inside must be the smaller one; where they differ by rounding, they are equal.
        if sum_r > EQUAL_RADII * fabs(x.r):
            return False
        if sum_r > 0.0:
            sum_r = 0.0
            if x.r < 0.0:
                out.r2 = -x.r
            else:
                out.r1 = -y.r
        sign = -1.0
    size = length(apart)
    out.d = sign * size - sum_r
    if out.d > s.limit:
        return False
    if size <= s.noise:
        if not common_normal(x, y, &out.n):
            return False
    else:
        out.n = scaled(sign / size, apart)
        slack = s.noise / size
        if (not faces(x, scaled(-1.0, out.n), slack + sector_slack(s, x.r),
                      slack + sector_slack(s, x.r))
                or not faces(y, out.n, slack + sector_slack(s, y.r),
                             slack + sector_slack(s, y.r))):
            return False
    out.p1 = sub(x.c, scaled(out.r1, out.n))
    out.p2 = sub(out.p1, scaled(out.d, out.n))
    out.strict = out.foot = True
    return True


cdef double sweep_of(const Placed* f) noexcept nogil:
    """rad, from its first to its last normal."""
    cdef double angle
    if f.full:
        return 2.0 * M_PI
    angle = atan2(cross(f.low, f.high), dot(f.low, f.high))
    # an end of a line has half a turn, whichever way its normals are rounded
    if angle < 0.0:
        angle = angle + 2.0 * M_PI if f.wide else (M_PI if angle < -1.0 else 0.0)
    return angle


cdef bint common_normal(const Placed* x, const Placed* y, Vec2* n) noexcept nogil:
    """The middle of the directions that are normals of y and opposite to normals of x."""
    cdef double x_low = atan2(-x.low.y, -x.low.x), x_sweep = sweep_of(x)
    cdef double y_low = atan2(y.low.y, y.low.x), y_sweep = sweep_of(y)
    cdef double low, high, middle = 0.0, most = -SECTOR_SLACK
    cdef int turn
    if x.full or y.full:
        middle = x_low + 0.5 * x_sweep if y.full else y_low + 0.5 * y_sweep
        n[0] = vec2(cos(middle), sin(middle))
        return True
    for turn in range(-1, 2):
        low = greater(x_low, y_low + 2.0 * M_PI * turn)
        high = lesser(x_low + x_sweep, y_low + y_sweep + 2.0 * M_PI * turn)
        if high - low >= most:
            most = high - low
            middle = 0.5 * (low + high)
            n[0] = vec2(cos(middle), sin(middle))
    return most > -SECTOR_SLACK


# ------------------------------------------------------------------------------------- locality

cdef inline bint in_a(const Search* s, Vec2 point, Vec2 shift) noexcept nogil:
    """Whether a point lies in A, moved by shift."""
    return s.a.closed and contains(s.a, to_local(&s.pose, sub(point, shift)))


cdef inline bint in_b(const Search* s, Vec2 point) noexcept nogil:
    return s.b.closed and contains(s.b, point)


cdef bint is_crossed(const Search* s, const Placed* x, const Placed* y, const Candidate* c,
                     Vec2 shift) noexcept nogil:
    """Whether the boundaries have crossed here, with A moved by shift: the point of a circle is in
    the other shape, or the other's boundary is in the circle's shape right beside it."""
    cdef double most = THROUGH_WALL * s.small
    cdef Vec2 back = scaled(-1.0, c.n)
    if c.r1 != INFINITY:
        if in_b(s, c.p1):
            return True
        if (s.a.closed and (not s.b.closed or -c.d <= greater(most, c.r1))
                and meet_beside(s, y, c.p2, c.n, c.d, inward(x, back), shift)):
            return True
    if c.r2 != INFINITY:
        if in_a(s, c.p2, shift):
            return True
        if (s.b.closed and (not s.a.closed or -c.d <= greater(most, c.r2))
                and meet_beside(s, x, c.p1, back, c.d, inward(y, c.n), shift)):
            return True
    return False


cdef bint meet_beside(const Search* s, const Placed* on, Vec2 p, Vec2 n, double d, Vec2 inner,
                      Vec2 shift) noexcept nogil:
    """Whether the shapes have a point in common near p, on a feature that the other shape has
    gone through against n by -d. Straight behind p, that shape's own side may be in the way: so
    also where the direction `inner` into it leads, and a little that way."""
    cdef double into = dot(inner, n), size
    cdef Vec2 aside = vec2(0.0, 0.0), nudge = scaled(-s.foot, n)
    # Beside a corner there is nothing.
    if (into > 0.0 and on.r != 0.0
            and -d <= (THROUGH_WALL if on.r == INFINITY else SHALLOW) * s.small):
        aside = scaled(-d, sub(scaled(1.0 / into, inner), n))
        if on.r == INFINITY:
            aside = within_edge(on, p, aside)
    size = length(aside)
    if size > NUDGE * s.small and in_both(s, add(p, aside), nudge, shift):
        return True
    if size > 0.0:
        p = add(p, scaled(lesser(1.0, NUDGE * s.small / size), aside))
    return in_both(s, p, nudge, shift)


cdef Vec2 within_edge(const Placed* edge, Vec2 p, Vec2 aside) noexcept nogil:
    """A way along an edge from a point p on it, cut off where the boundary turns."""
    cdef Vec2 along = edge_along(edge.low)
    cdef double t = dot(along, sub(p, edge.c)), by = dot(along, aside)
    if t + by < 0.0 and by < 0.0 and not edge.goes_on_low:
        return scaled(lesser(-t, 0.0), along)
    if t + by > edge.length and by > 0.0 and not edge.goes_on_high:
        return scaled(greater(edge.length - t, 0.0), along)
    return aside


cdef inline bint in_both(const Search* s, Vec2 point, Vec2 nudge, Vec2 shift) noexcept nogil:
    """Whether a point of one shape's boundary, nudged into it, lies in both, as far as they have
    an inside."""
    return ((not s.a.closed or in_a(s, add(point, nudge), shift))
            and (not s.b.closed or in_b(s, add(point, nudge))))


cdef bint find_way_out(const Search* s, int kept, const Candidate* c, Vec2* shift) noexcept nogil:
    """How to move A so that the `kept` first contacts no longer overlap, and those that are open
    do not begin to; or of the first only the ones that push another way than c. False if there is
    no such way."""
    cdef double depth, most = 0.0
    cdef int k, _turn
    shift[0] = vec2(0.0, 0.0)
    for _turn in range(MOST_TURNS):
        most = 0.0
        for k in range(kept):
            if not s.found[k].strict or (c != NULL and (
                    s.found[k].d > s.touching or dot(s.found[k].n, c.n) >= SAME_WAY)):
                continue
            depth = -s.found[k].d - dot(shift[0], s.found[k].n) + 4.0 * s.foot
            if depth > 0.0:
                shift[0] = add(shift[0], scaled(depth, s.found[k].n))
                most = greater(most, depth)
        if most < s.foot:
            return True
    # in a narrow corner turns come to no end: its two sides together say where it opens
    return c == NULL and most < SHALLOW * s.small and leave_corner(s, kept, shift)


cdef bint leave_corner(const Search* s, int kept, Vec2* shift) noexcept nogil:
    """The shortest way along which two of the `kept` first contacts just part, and all others have
    parted, too. False if there is none."""
    cdef int i, j, k
    cdef double di, dj, det, best = INFINITY
    cdef Vec2 way
    cdef bint clear
    for i in range(kept):
        for j in range(i + 1, kept):
            det = cross(s.found[i].n, s.found[j].n)
            if not (s.found[i].strict and s.found[j].strict) or fabs(det) < NUDGE:
                continue
            di = 4.0 * s.foot - s.found[i].d
            dj = 4.0 * s.foot - s.found[j].d
            way = vec2((di * s.found[j].n.y - dj * s.found[i].n.y) / det,
                       (dj * s.found[i].n.x - di * s.found[j].n.x) / det)
            clear = length(way) < best
            for k in range(kept):
                clear = clear and (not s.found[k].strict or s.found[k].d + dot(way, s.found[k].n)
                                   >= 3.0 * s.foot - NUDGE * length(way))
            if clear:
                best = length(way)
                shift[0] = way
    return best < INFINITY


cdef bint is_resolved(const Search* s, const Candidate* c, int kept, bint by_all) noexcept nogil:
    """Whether two features no longer overlap once A has been moved out along the `kept` first
    contacts: those that push another way, or all. What all of them lift off is not resolved by
    that (it is one of several points of a face), but what they lead away from is."""
    cdef Vec2 shift
    cdef Placed x, y
    cdef Candidate moved
    if not find_way_out(s, kept, NULL if by_all else c, &shift):
        return False
    if shift.x == 0.0 and shift.y == 0.0:
        return False
    place(s.a, c.f1, &s.pose, &x)
    place(s.b, c.f2, NULL, &y)
    x.c = add(x.c, shift)
    if not pair_features(s, &x, &y, &moved) or not moved.foot:
        return True
    if moved.d >= -s.touching:
        return not by_all
    return not is_crossed(s, &x, &y, &moved, shift)


# ----------------------------------------------------------------------------------- the search

cdef void keep(Search* s, const Candidate* c) noexcept nogil:
    """Add a candidate; if there is no room, in place of the one farthest from touching."""
    cdef int k
    if s.count < MOST_CANDIDATES:
        s.found[s.count] = c[0]
        s.count += 1
    elif fabs(c.d) < fabs(s.found[s.worst].d):
        s.found[s.worst] = c[0]
    if s.count == MOST_CANDIDATES:
        s.worst = 0
        for k in range(s.count):
            if fabs(s.found[k].d) > fabs(s.found[s.worst].d):
                s.worst = k
        s.limit = lesser(s.margin, fabs(s.found[s.worst].d))


# What to do with the features of A and B that come near each other.
ctypedef bint (*Visit)(Search* s, const Placed* x, const Placed* y) noexcept nogil


cdef inline double depth_beyond(const Search* s, const Geometry* g) noexcept nogil:
    """How far behind a shape's boundary, and outside it, something can be that has crossed it."""
    if not s.a.closed and not s.b.closed:
        return 0.0
    return THROUGH_WALL * s.small if g.closed else INFINITY


cdef bint visit_pairs(Search* s, double by_a, double by_b, bint corners,
                      Visit visit) noexcept nogil:
    """Visit all pairs of features of A that come within by_a of B, and of B within by_b of A, until
    one says True; without sharp corners if these do not matter."""
    cdef Placed of_a[MOST_PLACED]
    cdef Placed of_b[MOST_PLACED]
    cdef int32_t next_a = 0, next_b
    cdef int n_a, n_b, i, j
    while next_a < count_features(s.a):
        n_a = place_some(s.a, &s.box_b, by_a, &s.pose, corners, &next_a, of_a)
        next_b = 0
        while n_a > 0 and next_b < count_features(s.b):
            n_b = place_some(s.b, &s.box_a, by_b, NULL, corners, &next_b, of_b)
            for i in range(n_a):
                for j in range(n_b):
                    if visit(s, &of_a[i], &of_b[j]):
                        return True
    return False


cdef bint collect(Search* s, const Placed* x, const Placed* y) noexcept nogil:
    """Keep a pair that is a contact, or may be one beside others."""
    cdef Candidate c
    if not pair_features(s, x, y, &c) or not c.foot:
        return False
    if c.d < -s.touching:
        # Two open paths have no inside and never overlap.
        if not s.a.closed and not s.b.closed:
            return False
        # Less than it is nudged by cannot be looked into, and is near enough to touching.
        if (c.strict and c.d < -4.0 * s.foot
                and not is_crossed(s, x, y, &c, vec2(0.0, 0.0))):
            return False
    keep(s, &c)
    return False


cdef bint collect_facing(Search* s, const Placed* x, const Placed* y) noexcept nogil:
    """Keep a pair that faces each other and overlaps, wherever."""
    cdef Candidate c
    if pair_features(s, x, y, &c) and c.strict and c.foot and c.d < -s.touching:
        keep(s, &c)
    return False


cdef bint supports(const Search* s, const Candidate* c) noexcept nogil:
    """Whether nothing of the other shape reaches farther across an edge than a candidate's circle:
    normals fit to a slack only, and on wide shapes that lifts one corner over another."""
    cdef Vec2 p
    cdef double r
    if c.r2 == INFINITY:
        farthest(s.a, &s.pose, scaled(-1.0, c.n), &p, &r)
        return dot(c.n, sub(p, c.p1)) >= -s.noise
    if c.r1 == INFINITY:
        farthest(s.b, NULL, c.n, &p, &r)
        return dot(c.n, sub(c.p2, p)) >= -s.noise
    return True


cdef bint collect_support(Search* s, const Placed* x, const Placed* y) noexcept nogil:
    """Of two convex shapes, keep the pair with the greatest gap; True if that parts them."""
    cdef Candidate c
    cdef Candidate* best = &s.found[0]
    if not pair_features(s, x, y, &c) or not c.strict or not supports(s, &c):
        return False
    # Where several are as good (edges side by side), one with a foot.
    if (s.count == 0 or c.d > best.d + s.touching
            or (c.d > best.d - s.touching and c.foot and not best.foot)):
        s.found[0] = c
        s.count = 1
    return c.d > s.margin


# -------------------------------------------------------------------------- whether solids overlap

cdef bint pieces_cross(Search* s, const Placed* x, const Placed* y) noexcept nogil:
    """Whether an edge or arc of A crosses one of B. Where one begins or ends on the other (to
    rounding) that is a crossing too: else a boundary that goes through a corner would cross
    neither of its pieces. Only touching alongside is none."""
    if x.r == 0.0 or y.r == 0.0:
        return False
    if x.r == INFINITY and y.r == INFINITY:
        return edges_cross(x, y, s.noise)
    if x.r == INFINITY:
        return edge_crosses_arc(x, y, s.noise)
    if y.r == INFINITY:
        return edge_crosses_arc(y, x, s.noise)
    return arcs_cross(x, y, s.noise)


cdef inline bint on_both_sides(double p, double q, double noise) noexcept nogil:
    """Whether heights are of different signs, or one of them is 0; two zeroes are not."""
    return ((p <= noise and q >= -noise or p >= -noise and q <= noise)
            and (fabs(p) > noise or fabs(q) > noise))


cdef bint edges_cross(const Placed* x, const Placed* y, double noise) noexcept nogil:
    cdef Vec2 d = sub(y.c, x.c), u = scaled(x.length, edge_along(x.low))
    cdef Vec2 v = scaled(y.length, edge_along(y.low))
    return (on_both_sides(dot(y.low, d), dot(y.low, sub(d, u)), noise)
            and on_both_sides(dot(x.low, d), dot(x.low, add(d, v)), noise))


cdef inline bint on_arc(const Placed* arc, Vec2 point, double noise) noexcept nogil:
    """Whether a point of its circle lies on an arc."""
    return faces(arc, scaled(1.0 / arc.r, sub(point, arc.c)), noise / fabs(arc.r),
                 noise / fabs(arc.r))


cdef bint edge_crosses_arc(const Placed* edge, const Placed* arc, double noise) noexcept nogil:
    cdef Vec2 d = sub(arc.c, edge.c), along = edge_along(edge.low)
    cdef double height = dot(edge.low, d), foot = dot(along, d)
    cdef double half = (fabs(arc.r) - height) * (fabs(arc.r) + height)
    if half <= 0.0:
        return False
    half = sqrt(half)
    return ((-noise <= foot - half <= edge.length + noise
             and on_arc(arc, add(edge.c, scaled(foot - half, along)), noise))
            or (-noise <= foot + half <= edge.length + noise
                and on_arc(arc, add(edge.c, scaled(foot + half, along)), noise)))


cdef bint arcs_cross(const Placed* x, const Placed* y, double noise) noexcept nogil:
    cdef Vec2 d, n, foot, spot
    cdef double size, along, half
    # seen from the centre of the smaller circle: a flat arc's is far away
    if fabs(x.r) > fabs(y.r):
        x, y = y, x
    d = sub(y.c, x.c)
    size = length(d)
    if size == 0.0:
        return False
    n = scaled(1.0 / size, d)
    along = 0.5 * ((size - fabs(y.r)) * (size + fabs(y.r)) + x.r * x.r) / size
    half = (fabs(x.r) - along) * (fabs(x.r) + along)
    if half <= 0.0:
        return False
    foot = add(x.c, scaled(along, n))
    n = scaled(sqrt(half), vec2(-n.y, n.x))
    spot = add(foot, n)
    if on_arc(x, spot, noise) and on_arc(y, spot, noise):
        return True
    spot = sub(foot, n)
    return on_arc(x, spot, noise) and on_arc(y, spot, noise)


cdef inline Vec2 some_point(const Geometry* g) noexcept nogil:
    """A point of the shape."""
    return g.features[0].c if g.kind == OUTLINE else g.core[0]


cdef void move_a(Search* s, Vec2 p) noexcept nogil:
    """Put A's origin there."""
    cdef Pose back
    s.pose.p = p
    back.q = vec2(s.pose.q.x, -s.pose.q.y)
    back.p = rotate(back.q, scaled(-1.0, p))
    s.box_a = box_seen(&s.a.box, &s.pose)
    s.box_b = box_seen(&s.b.box, &back)


cdef bint overlap(Search* s) noexcept nogil:
    """Whether the shapes overlap: their boundaries cross, or one lies in the other."""
    if boxes_apart(&s.box_a, &s.b.box, 0.0) or boxes_apart(&s.a.box, &s.box_b, 0.0):
        return False
    return (visit_pairs(s, s.noise, s.noise, False, pieces_cross)
            or in_b(s, to_world(&s.pose, some_point(s.a)))
            or in_a(s, some_point(s.b), vec2(0.0, 0.0)))


# ------------------------------------------------------------------------------ choosing contacts

cdef inline bint comes_before(const Candidate* a, const Candidate* b) noexcept nogil:
    return a.f1 < b.f1 or (a.f1 == b.f1 and a.f2 < b.f2)


cdef void sort_by_gap(Search* s) noexcept nogil:
    """Greatest gap, hence least depth, first; ties by feature."""
    cdef int i, k
    cdef Candidate c
    for i in range(1, s.count):
        c = s.found[i]
        k = i
        while k > 0 and (s.found[k - 1].d < c.d or (s.found[k - 1].d == c.d
                                                    and comes_before(&c, &s.found[k - 1]))):
            s.found[k] = s.found[k - 1]
            k -= 1
        s.found[k] = c


cdef bint is_needed(const Search* s, const Candidate* c, int kept) noexcept nogil:
    """Whether a candidate is a contact, given the `kept` first that are."""
    cdef bint known = False
    cdef int k
    # Nearly facing: see drop_unbacked.
    if c.d >= -s.touching or not c.strict:
        return True
    if is_resolved(s, c, kept, False):
        return False
    # A corner that has another, nearer way out in about this direction.
    for k in range(kept):
        known |= ((c.r1 != INFINITY and s.found[k].f1 == c.f1
                   or c.r2 != INFINITY and s.found[k].f2 == c.f2)
                  and s.found[k].d <= s.touching and dot(s.found[k].n, c.n) >= SAME_WAY)
    return not (known and is_resolved(s, c, kept, True))


cdef bint drop_resolved(Search* s) noexcept nogil:
    """Drop overlaps that go away when a less deep one of another direction does, and all that are
    deeper than it takes to part the shapes. Where these still overlap after that, the least deep
    one comes back. True if what is left is known to lead out."""
    cdef int k, kept = 0, last = s.count
    cdef bint parted = False, clear = True
    cdef Vec2 way = vec2(0.0, 0.0)
    cdef Candidate c
    sort_by_gap(s)
    for k in range(s.count):
        c = s.found[k]
        if c.strict and c.d < -s.touching and -c.d - dot(c.n, way) > s.foot:
            # Once the shapes are apart, whatever would still overlap never did.
            parted = parted or (clear and not overlap_after(s, way))
            if parted:
                continue
        if is_needed(s, &c, kept):
            # what has been dropped follows, still in order
            move_to(s, k, kept)
            kept += 1
            if not parted:
                clear = find_way_out(s, kept, NULL, &way)
    while not parted and kept < last and clear:
        parted = leads_out(s, way)
        k = kept
        while k < last and pushes_back(s, &s.found[k], kept):
            k += 1
        if parted or k == last:
            break
        move_to(s, k, kept)
        kept += 1
        clear = find_way_out(s, kept, NULL, &way)
    s.count = kept
    return parted


cdef inline void move_to(Search* s, int k, int place) noexcept nogil:
    """Move candidate k down to a place before it."""
    cdef Candidate c = s.found[k]
    while k > place:
        s.found[k] = s.found[k - 1]
        k -= 1
    s.found[place] = c


cdef bint pushes_back(const Search* s, const Candidate* c, int kept) noexcept nogil:
    """Whether a candidate pushes against one of the contacts."""
    cdef int k
    for k in range(kept):
        if s.found[k].d <= s.touching and dot(s.found[k].n, c.n) < -0.5:
            return True
    return False


cdef bint overlap_after(Search* s, Vec2 way) noexcept nogil:
    """Whether the shapes overlap after A has been moved."""
    cdef Pose pose = s.pose
    cdef bint out
    move_a(s, add(pose.p, way))
    out = overlap(s)
    move_a(s, pose.p)
    return out


cdef bint leads_out(Search* s, Vec2 way) noexcept nogil:
    """Whether the shapes are apart after A has been moved by `way`, or a little farther: round
    parts turn away from the way, and may touch elsewhere."""
    cdef double size = length(way)
    if not overlap_after(s, way):
        return True
    return size > 0.0 and not overlap_after(s, scaled(OVERSHOOT + NUDGE * s.small / size, way))


cdef inline bint is_other_side(const Candidate* c, const Candidate* other) noexcept nogil:
    """Whether the corner of one contact has another one from the opposite side."""
    return ((c.r1 != INFINITY and c.f1 == other.f1 or c.r2 != INFINITY and c.f2 == other.f2)
            and dot(c.n, other.n) < -SAME_WAY)


cdef void drop_unbacked(Search* s) noexcept nogil:
    """Drop overlaps of features that only nearly face each other, unless a deeper contact of that
    direction shows that this is how the shapes meet; and the sharp tips that nearly face a line
    from below as well as they stand on it."""
    cdef int k, i, kept = 0
    cdef bint backed
    cdef Candidate c
    for k in range(s.count):
        c = s.found[k]
        backed = c.strict or c.d >= -s.touching
        for i in range(s.count):
            backed |= (s.found[i].strict and s.found[i].d <= c.d + s.touching
                       and dot(s.found[i].n, c.n) > SAME_FACE)
        for i in range(s.count):
            backed = backed and (c.strict or not s.found[i].strict
                                 or not is_other_side(&c, &s.found[i]))
        if backed:
            s.found[kept] = c
            kept += 1
            # what is dropped was not strict and backs nothing, so overwriting it is harmless
    s.count = kept


cdef bint is_double(const Search* s, const Candidate* c, const Candidate* other) noexcept nogil:
    """Whether a contact is the other one again, less well told."""
    cdef bint edge = c.r1 == INFINITY or c.r2 == INFINITY
    cdef bint other_edge = other.r1 == INFINITY or other.r2 == INFINITY
    cdef double near = SAME_PLACE * s.small
    if length(sub(c.p1, other.p1)) > near or length(sub(c.p2, other.p2)) > near:
        return False
    # two corners at one place have no direction
    if c.r1 == 0.0 and c.r2 == 0.0 and other_edge and fabs(c.d) <= near:
        return True
    if dot(c.n, other.n) < SAME_NORMAL:
        return False
    if c.strict != other.strict:
        return other.strict
    if edge != other_edge:
        return other_edge
    return comes_before(other, c)


cdef void drop_doubles(Search* s) noexcept nogil:
    """Drop contacts that two neighbours at a seam report twice."""
    cdef bint double_of[MOST_CANDIDATES]
    cdef int k, i, kept = 0
    for k in range(s.count):
        double_of[k] = False
        for i in range(s.count):
            double_of[k] |= i != k and is_double(s, &s.found[k], &s.found[i])
    for k in range(s.count):
        if not double_of[k]:
            s.found[kept] = s.found[k]
            kept += 1
    s.count = kept


cdef bint is_between(const Search* s, int k) noexcept nogil:
    """Whether a contact lies on an edge between two others of it, and a deeper one is there."""
    cdef const Candidate* c = &s.found[k]
    cdef const Candidate* other
    cdef Vec2 along = vec2(-c.n.y, c.n.x)
    cdef double place = dot(along, c.p1), at
    cdef bint left = False, right = False, deeper = False
    cdef int i
    for i in range(s.count):
        other = &s.found[i]
        if i == k or not ((c.r1 == INFINITY and other.f1 == c.f1)
                          or (c.r2 == INFINITY and other.f2 == c.f2)):
            continue
        if dot(c.n, other.n) < SAME_FACE:
            continue
        at = dot(along, other.p1)
        left |= at < place
        right |= at > place
        deeper |= other.d < c.d or (other.d == c.d and i < k)
    return left and right and deeper


cdef void thin(Search* s) noexcept nogil:
    """Of many contacts along one edge keep the two ends and the deepest."""
    cdef int k = 0, i
    while k < s.count and s.count > 2:
        if is_between(s, k):
            s.count -= 1
            for i in range(k, s.count):
                s.found[i] = s.found[i + 1]
        else:
            k += 1


# --------------------------------------------------------------------------------------- results

cdef void write_touch(const Search* s, const Candidate* c, const Pose* pose_b,
                      Touch* out) noexcept nogil:
    """The contact of a candidate; see narrow_phase.pxd."""
    cdef Feature feature
    out.f1 = c.f1
    out.f2 = c.f2
    out.r1 = c.r1
    out.r2 = c.r2
    out.n = vec2(0.0, 0.0)
    feature_at(s.a, c.f1, &feature)
    out.c1 = feature.c
    if c.r1 == INFINITY:
        out.n = feature.low
    feature_at(s.b, c.f2, &feature)
    out.c2 = feature.c
    if c.r2 == INFINITY:
        out.n = feature.low
        if feature.r != INFINITY:
            # a line that parts them
            out.n = c.n
            out.c2 = c.p2
    # As refresh would, but for what rounding costs far from the world's origin.
    out.gap = c.d
    out.normal = rotate(pose_b.q, c.n)
    out.point = to_world(pose_b, scaled(0.5, add(c.p1, c.p2)))


cdef int write_all(Search* s, const Pose* pose_b, Touch* out, int room) noexcept nogil:
    """Write the deepest contacts that there is room for, sorted by feature."""
    cdef int i, k
    cdef Candidate c
    if s.count > room:
        sort_by_gap(s)
        for i in range(room):
            s.found[i] = s.found[s.count - room + i]
        s.count = room
    for i in range(1, s.count):
        c = s.found[i]
        k = i
        while k > 0 and comes_before(&c, &s.found[k - 1]):
            s.found[k] = s.found[k - 1]
            k -= 1
        s.found[k] = c
    for i in range(s.count):
        write_touch(s, &s.found[i], pose_b, &out[i])
    return s.count


# ----------------------------------------------------------------------------------- the two ways

cdef void meet_convex(Search* s) noexcept nogil:
    """Contacts of two convex shapes: the pair of support features with the greatest gap, which is
    the signed distance, and another point of the same face."""
    cdef Candidate best, other
    cdef double far = s.small * SAME_PLACE, away
    cdef int k
    s.limit = INFINITY
    if visit_pairs(s, INFINITY, INFINITY, True, collect_support) or s.count == 0:
        s.count = 0
        return
    best = s.found[0]
    if best.r1 != INFINITY and best.r2 != INFINITY:
        return
    s.count = 0
    s.limit = s.margin
    visit_pairs(s, INFINITY, INFINITY, True, collect_face)
    other = best
    for k in range(s.count):
        if dot(s.found[k].n, best.n) > SAME_FACE and s.found[k].d >= best.d - s.touching:
            away = fabs(cross(best.n, sub(s.found[k].p1, best.p1)))
            if away > far + s.touching:
                far = away
                other = s.found[k]
    s.found[0] = best
    s.found[1] = other
    s.count = 1 if other.f1 == best.f1 and other.f2 == best.f2 else 2


cdef bint collect_face(Search* s, const Placed* x, const Placed* y) noexcept nogil:
    """Keep a corner or arc that faces an edge, or nearly."""
    cdef Candidate c
    if (x.r == INFINITY or y.r == INFINITY) and pair_features(s, x, y, &c) and c.foot:
        keep(s, &c)
    return False


cdef void meet_outlines(Search* s) noexcept nogil:
    """Contacts of any two shapes."""
    cdef double by = greater(s.margin, 0.0) + s.touching, least, shallow, margin = s.margin
    cdef bint parted = not s.a.closed and not s.b.closed
    visit_pairs(s, by + depth_beyond(s, s.b), by + depth_beyond(s, s.a), True, collect)
    least = least_gap(s)
    shallow = least_depth(s)
    if shallow < SHALLOW * s.small and by < FARTHER * shallow:
        # what is nearly as near as that is deep may be in the way out
        s.margin = s.limit = FARTHER * shallow
        by = s.margin + s.touching
        s.count = s.worst = 0
        visit_pairs(s, by + depth_beyond(s, s.b), by + depth_beyond(s, s.a), True, collect)
    if least < -s.touching:
        parted |= drop_resolved(s)
        drop_unbacked(s)
    if not parted and is_stuck(s, least_gap(s)):
        leave(s)
    if s.margin > margin:
        s.margin = margin
        drop_beyond(s)
    drop_doubles(s)
    thin(s)


cdef double least_depth(const Search* s) noexcept nogil:
    """m, of the shallowest overlap; infinity if there is none."""
    cdef double out = INFINITY
    cdef int k
    for k in range(s.count):
        if s.found[k].d < -s.touching:
            out = lesser(out, -s.found[k].d)
    return out


cdef void drop_beyond(Search* s) noexcept nogil:
    """Drop what is farther apart than the margin."""
    cdef int k, kept = 0
    for k in range(s.count):
        if s.found[k].d <= greater(s.margin, 0.0) + s.touching:
            s.found[kept] = s.found[k]
            kept += 1
    s.count = kept


cdef double least_gap(const Search* s) noexcept nogil:
    cdef double out = INFINITY
    cdef int k
    for k in range(s.count):
        out = lesser(out, s.found[k].d)
    return out


cdef bint is_stuck(Search* s, double least) noexcept nogil:
    """Whether the shapes overlap and what was found does not lead out: nothing (least > 0), not far
    enough, or deep contacts that push against each other."""
    cdef Vec2 way
    if least > s.touching:
        return overlap(s)
    if least >= -s.touching:
        return False
    if not find_way_out(s, s.count, NULL, &way):
        return least < -SQUEEZED * s.small
    return not leads_out(s, way)


cdef void leave(Search* s) noexcept nogil:
    """Make the shortest way out along one pair of features that face each other the contact; if
    there is none, a line that leaves all of B on one side and can leave all of A on the other."""
    cdef Candidate c
    cdef int k
    s.count = s.worst = 0
    s.limit = s.margin
    visit_pairs(s, INFINITY, INFINITY, True, collect_facing)
    sort_by_gap(s)
    for k in range(s.count):
        c = s.found[k]
        if not overlap_after(s, scaled(4.0 * s.foot - c.d, c.n)):
            s.found[0] = c
            s.count = 1
            return
    s.found[0] = part_by_line(s)
    s.count = 1


cdef Candidate part_by_line(const Search* s) noexcept nogil:
    """A contact of A with a line that B lies behind: the least deep of those along normals of
    features that come near, and from middle to middle."""
    cdef Candidate best
    cdef Placed near[MOST_PLACED]
    cdef int32_t next_k = 0
    cdef Vec2 n = sub(to_world(&s.pose, s.a.middle), s.b.middle)
    cdef double size = length(n)
    cdef int k, count
    best.d = -INFINITY
    try_line(s, scaled(1.0 / size, n) if size > s.noise else vec2(0.0, 1.0), &best)
    count = place_some(s.a, &s.box_b, 0.0, &s.pose, True, &next_k, near)
    for k in range(count):
        try_line(s, scaled(-1.0, near[k].low), &best)
        try_line(s, scaled(-1.0, near[k].high), &best)
    next_k = 0
    count = place_some(s.b, &s.box_a, 0.0, NULL, True, &next_k, near)
    for k in range(count):
        try_line(s, near[k].low, &best)
        try_line(s, near[k].high, &best)
    return best


cdef void try_line(const Search* s, Vec2 n, Candidate* best) noexcept nogil:
    """Take the line across n that B lies behind if A is less deep in it."""
    cdef Candidate c
    c.n = n
    c.f2 = farthest(s.b, NULL, n, &c.p2, &c.r2)
    c.f1 = farthest(s.a, &s.pose, scaled(-1.0, n), &c.p1, &c.r1)
    c.d = dot(n, sub(c.p1, c.p2))
    if c.d > best.d + s.touching:
        # wherever on the line B's point is
        c.p2 = sub(c.p1, scaled(c.d, n))
        c.r2 = INFINITY
        c.strict = c.foot = True
        best[0] = c


cdef int32_t farthest(const Geometry* g, const Pose* pose, Vec2 n, Vec2* point,
                      double* r) noexcept nogil:
    """The corner or convex arc that reaches farthest along n, its point there and its radius."""
    cdef int32_t k, found = 0
    cdef double most = -INFINITY, reach
    cdef Placed f
    point[0] = some_point(g) if pose == NULL else to_world(pose, some_point(g))
    r[0] = 0.0
    for k in range(count_features(g)):
        if g.kind == OUTLINE and g.features[k].sweep < 0.0:
            continue
        place(g, k, pose, &f)
        if not 0.0 <= f.r < INFINITY:
            continue
        if f.r > 0.0 and not faces(&f, n, SECTOR_SLACK, SECTOR_SLACK):
            continue
        reach = dot(n, f.c) + f.r
        if reach > most:
            most = reach
            found = k
            point[0] = add(f.c, scaled(f.r, n))
            r[0] = f.r
    return found


cdef inline bint is_convex(const Geometry* g) noexcept nogil:
    return g.convex and (g.closed or g.kind != OUTLINE)


cdef bint is_second(const Geometry* a, const Geometry* b, const Pose* pose) noexcept nogil:
    """Whether to look at the pair the other way round, so that the answer is the same both ways:
    by what differs, at last by A's pose in B's frame."""
    cdef int32_t n_a = count_features(a), n_b = count_features(b)
    if n_a != n_b:
        return n_a > n_b
    if a.bounding_radius != b.bounding_radius:
        return a.bounding_radius > b.bounding_radius
    if a.middle.x != b.middle.x:
        return a.middle.x > b.middle.x
    if a.middle.y != b.middle.y:
        return a.middle.y > b.middle.y
    # the other way round, q.y is -q.y, and if that is 0, p is -p (unless half a turn apart)
    if pose.q.y != 0.0:
        return pose.q.y < 0.0
    return pose.p.y < 0.0 or (pose.p.y == 0.0 and pose.p.x < 0.0)


cdef void turn_round(Touch* contacts, int count) noexcept nogil:
    """Exchange A and B in contacts, and sort them again."""
    cdef Touch c
    cdef int i, k
    for i in range(count):
        c = contacts[i]
        c.f1, c.f2 = c.f2, c.f1
        c.r1, c.r2 = c.r2, c.r1
        c.c1, c.c2 = c.c2, c.c1
        c.normal = scaled(-1.0, c.normal)
        k = i
        while k > 0 and (contacts[k - 1].f1 > c.f1 or (contacts[k - 1].f1 == c.f1
                                                       and contacts[k - 1].f2 > c.f2)):
            contacts[k] = contacts[k - 1]
            k -= 1
        contacts[k] = c


cdef int collide_outlines(const Geometry* a, const Pose* pose_a, const Geometry* b,
                          const Pose* pose_b, double margin, AxisCache* cache, Touch* out,
                          int room) noexcept nogil:
    """Contact points of any two geometries; see narrow_phase.pxd."""
    cdef Search s
    cdef int count
    s.pose = seen_from(pose_b, pose_a)
    s.margin = s.limit = margin
    s.ahead = cache != NULL and cache.ahead
    if not is_second(a, b, &s.pose):
        s.a = a
        s.b = b
        return collide_in_order(&s, pose_b, out, room)
    s.a = b
    s.b = a
    s.pose = seen_from(pose_a, pose_b)
    count = collide_in_order(&s, pose_a, out, room)
    turn_round(out, count)
    return count


cdef int collide_in_order(Search* s, const Pose* pose_b, Touch* out, int room) noexcept nogil:
    """Contact points of the pair of a search, whose pose and margin are set."""
    cdef double great
    move_a(s, s.pose.p)
    if (boxes_apart(&s.box_a, &s.b.box, greater(s.margin, 0.0))
            or boxes_apart(&s.box_b, &s.a.box, greater(s.margin, 0.0))):
        return 0
    s.small = lesser(s.a.bounding_radius, s.b.bounding_radius)
    great = (s.a.bounding_radius + s.b.bounding_radius + length(s.pose.p) + length(s.a.middle)
             + length(s.b.middle) + s.a.flattest + s.b.flattest)
    s.noise = COORDINATE_ROUNDING * great
    s.foot = FOOT_SLACK * s.small + s.noise
    s.touching = TOUCHING * s.small + s.noise
    s.count = s.worst = 0
    if is_convex(s.a) and is_convex(s.b):
        meet_convex(s)
    else:
        meet_outlines(s)
    return write_all(s, pose_b, out, room)
