"""Features of two shapes that come near each other, and the gap of each pair of them.

Every pair of features that can touch has one gap function (docs/maths/shapes.md).
"""

from libc.math cimport INFINITY, M_PI, atan2, cos, fabs, sin
from libc.stdint cimport int32_t

from enginecore.scalar cimport greater, lesser
from engine2d.collide.geometry cimport (
    BLOCK, GREAT_BLOCK, HULL, OUTLINE, ROUND, Feature, Geometry, count_features, edge_along,
)
from engine2d.collide.outline cimport Bounds
from engine2d.pose cimport Pose, rotate, to_world
from engine2d.vec2 cimport Vec2, add, cross, dot, length, scaled, sub, vec2

# rad. Normals this far outside a sector still belong to it: seams between pieces that go on
# smoothly (geometry.pyx) have no feature of their own.
cdef double SECTOR_SLACK = 2e-9
# rad. A corner tilted by so much over an edge still faces it: where a body lies nearly flat, both
# its corners are contacts.
cdef double CORNER_TILT = 0.15
# How far behind a wall a corner may be and still stand on the floor before it.
cdef double BEHIND_WALL = 0.05
# rad. The tip of a sharper corner has no inside to speak of.
cdef double SHARPEST = 1e-6
# Radii this near (relative) are equal.
cdef double EQUAL_RADII = 1e-12
# Cosine of the turn at an inner corner up to which a chain of edges is one bent floor.
cdef double BENDS_ON = 0.9
# rad. Where a boundary turns inwards by more, it has a wall there.
cdef double INNER_TURN = 1e-6


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


cdef void move_a(Search* s, Vec2 p) noexcept nogil:
    """Put A's origin there."""
    cdef Pose back
    s.pose.p = p
    back.q = vec2(s.pose.q.x, -s.pose.q.y)
    back.p = rotate(back.q, scaled(-1.0, p))
    s.box_a = box_seen(&s.a.box, &s.pose)
    s.box_b = box_seen(&s.b.box, &back)


cdef inline Vec2 normal_at_start(const Feature* piece) noexcept nogil:
    """Outward normal where a piece begins."""
    return piece.high if piece.r < 0.0 else piece.low


cdef inline Vec2 normal_at_end(const Feature* piece) noexcept nogil:
    return piece.low if piece.r < 0.0 else piece.high


cdef inline void place_hull(const Geometry* g, int32_t k, Placed* out) noexcept nogil:
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


cdef inline void place_outline(const Geometry* g, int32_t k, Placed* out) noexcept nogil:
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


cdef inline bint pair_circle_edge(const Search* s, const Placed* circle, const Placed* edge,
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


# ---------------------------------------------------------------------------- whether they crossed

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


# ----------------------------------------------------------------------------------- the search

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


cdef bint supports(const Search* s, const Candidate* c) noexcept nogil:
    """Whether nothing of the other shape reaches farther across an edge than a candidate's circle:
    normals fit to a slack only, and on wide shapes that lifts one corner over another. So it is
    with two corners that nearly meet: rounding turns their normal."""
    cdef Vec2 p
    cdef double r, noise = s.noise
    cdef bint nearly = c.r1 != INFINITY and c.r2 != INFINITY
    if nearly:
        if SECTOR_SLACK * fabs(c.d + c.r1 + c.r2) > s.noise:
            return True
        noise = s.touching
    if c.r2 == INFINITY or nearly:
        farthest(s.a, &s.pose, scaled(-1.0, c.n), &p, &r)
        if dot(c.n, sub(p, c.p1)) < -noise:
            return False
    if c.r1 == INFINITY or nearly:
        farthest(s.b, NULL, c.n, &p, &r)
        if dot(c.n, sub(c.p2, p)) < -noise:
            return False
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


cdef bint collect_face(Search* s, const Placed* x, const Placed* y) noexcept nogil:
    """Keep a corner or arc that faces an edge, or nearly."""
    cdef Candidate c
    if (x.r == INFINITY or y.r == INFINITY) and pair_features(s, x, y, &c) and c.foot:
        keep(s, &c)
    return False
