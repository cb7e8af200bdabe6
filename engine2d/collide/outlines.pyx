"""Contact points where arcs of several radii, inner corners or open paths take part.

Every pair of features that can touch has one gap function (docs/maths/shapes.md). Between two
convex shapes the greatest gap over all pairs of support features is their signed distance. In
general a pair counts where it is a local least distance, or where it says how two boundaries that
have crossed come apart again. All of it in B's frame.
"""

from libc.math cimport INFINITY, fabs
from libc.stdint cimport int32_t
from libc.string cimport memcpy

from enginecore.scalar cimport greater, lesser
from engine2d.collide.geometry cimport OUTLINE, Feature, Geometry, count_features, feature_at
from engine2d.collide.outline_overlap cimport leads_out, overlap, overlap_after
from engine2d.collide.outline_pairs cimport (
    MOST_CANDIDATES, MOST_PLACED, NUDGE, SAME_NORMAL, SHALLOW, THROUGH_WALL, Candidate, Placed,
    Search, boxes_apart, collect, collect_face, collect_facing, collect_support, farthest,
    is_crossed, move_a, pair_features, place, place_some, visit_pairs,
)
from engine2d.pose cimport Pose, rotate, seen_from, to_world
from engine2d.vec2 cimport Vec2, add, cross, dot, length, scaled, sub, vec2

cdef enum:
    MOST_TURNS = 8        # until a way out of several contacts is given up

# Shares of the smaller shape's reach: how far beyond an edge's end a foot may lie; what counts as
# touching, neither apart nor overlapping; where two contacts are the same place.
cdef double FOOT_SLACK = 1e-9
cdef double TOUCHING = 1e-10
cdef double SAME_PLACE = 1e-8
# Contacts that push against each other hold a body between them if no deeper than this share;
# deeper ones are not how it got there.
cdef double SQUEEZED = 0.02
# Times a shallow depth: so far apart what is beside it is looked for.
cdef double FARTHER = 4.0
# Rounding of coordinates, in shares of the greatest of them.
cdef double COORDINATE_ROUNDING = 1e-15
# Normals closer than this (cosine) push the same way; contacts whose normals differ less than the
# second (cosine) are one facing pair; less than SAME_NORMAL, one contact if at one place.
cdef double SAME_WAY = 0.9
cdef double SAME_FACE = 0.98


# ------------------------------------------------------------------------------------- ways out

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


cdef inline void move_to(Search* s, int k, int first) noexcept nogil:
    """Move candidate k down to where one before it is."""
    cdef Candidate c = s.found[k]
    while k > first:
        s.found[k] = s.found[k - 1]
        k -= 1
    s.found[first] = c


cdef bint pushes_back(const Search* s, const Candidate* c, int kept) noexcept nogil:
    """Whether a candidate pushes against one of the contacts."""
    cdef int k
    for k in range(kept):
        if s.found[k].d <= s.touching and dot(s.found[k].n, c.n) < -0.5:
            return True
    return False


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
    cdef double here = dot(along, c.p1), at
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
        left |= at < here
        right |= at > here
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


cdef inline double depth_beyond(const Search* s, const Geometry* g) noexcept nogil:
    """How far behind a shape's boundary, and outside it, something can be that has crossed it."""
    if not s.a.closed and not s.b.closed:
        return 0.0
    return THROUGH_WALL * s.small if g.closed else INFINITY


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
        if s.found[k].d <= s.margin:
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
    there is none, a line that leaves all of B on one side and can leave all of A on the other. What
    is wedged between two walls of an open path keeps the shallow ones of what was found where any
    such way is far longer: it would be pushed through a wall, or to the other end."""
    cdef Candidate had[MOST_CANDIDATES]
    cdef double most = FARTHER * greater(least_depth(s), SQUEEZED * s.small)
    cdef int k, n = 0
    for k in range(s.count):
        if s.found[k].d >= -most:
            had[n] = s.found[k]
            n += 1
    find_exit(s)
    if most < INFINITY and -s.found[0].d > most and not (s.a.closed and s.b.closed):
        memcpy(s.found, had, n * sizeof(Candidate))
        s.count = n


cdef void find_exit(Search* s) noexcept nogil:
    """The one contact of `leave`."""
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
