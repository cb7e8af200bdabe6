"""Contact points of discs and convex hulls with a radius.

Everything is measured between the cores, in the frame of one of the two bodies: the radii are taken
off at the end. Two cores that overlap are parted most cheaply along the normal of some edge; two
that do not have a nearest pair of features, which need not lie on that edge (docs/maths/shapes.md).
"""

from libc.math cimport INFINITY, fabs
from libc.stdint cimport int32_t

from enginecore.scalar cimport greater, lesser
from engine2d.collide.geometry cimport ROUND, Geometry, edge_along
from engine2d.collide.narrow_phase cimport Touch, AxisCache, refresh
from engine2d.pose cimport Pose, rotate, seen_from, to_world, unrotate
from engine2d.vec2 cimport Vec2, add, dot, length, scaled, sub, vec2

# Edges within 15 degrees of each other rest on each other, with a point at either end.
cdef double FLAT_COSINE = 0.9659258262890683
# Lengths are rounded by less than this share of the sizes and distances they are made of.
cdef double LENGTH_ROUNDING = 1e-14
# Of the lesser reach: how much deeper last step's edge may be and still be kept, and how far a
# corner may be beyond the end of the edge it rested on. Bodies at rest move less in a step.
cdef double KEEP = 1e-3
# Share of the smaller reach: what stands on an edge is as deep as what hangs beyond its end, to
# this. On a long floor the last digit of an angle lifts its far corner by more than rounding.
cdef double SAME_DEPTH = 1e-10
# Of the lesser reach: corners whose gaps differ by less are as good as each other.
cdef double TIE = 1e-9
# Of the lesser reach: points nearer than this are one.
cdef double ONE_POINT = 1e-6
# Where both have more corners than this, supports are followed from edge to edge.
cdef int32_t FEW = 12

# AxisCache.known: what parted the two, or the edge they rested on and whose corners stood on it.
cdef enum Known:
    NOTHING = 0
    PARTED_BY_A = 1   # an edge of A
    PARTED_BY_B = 2
    PARTED_BY_AXIS = 3
    RESTED = 4        # and these flags
    ON_B = 8          # the edge is B's
    OWN_LOW = 16      # at the edge's first end its own corner touches, not the other body's
    OWN_HIGH = 32
    TOO_DEEP = 64         # overlapped by more than an edge is kept for: all edges must be asked

# An edge of a core and how far it parts it from the other one.
cdef struct Parting:
    bint of_b      # whose edge
    int32_t edge
    double gap     # m, between the cores

# A pair, seen from the owner of the reference edge: X has the edge, Y is the other.
cdef struct View:
    const Geometry* x
    const Geometry* y
    Pose pose      # of Y in the frame of X
    bint x_is_b

# What two hulls are asked about.
cdef struct Pair:
    const Geometry* a
    const Geometry* b
    const Pose* pose_a
    const Pose* pose_b
    Pose a_in_b
    double margin  # m
    double most    # m, the margin between the cores
    double size    # m, the lesser reach
    double slack   # m, what rounding may cost

# A corner on an edge.
cdef struct Stand:
    bint valid
    bint own       # X's corner on Y's edge
    int32_t corner
    int32_t edge
    double gap     # m, between the cores

# The feature of a core nearest to a point.
cdef struct Near:
    int32_t feature
    double distance  # m, < 0 inside


# -------------------------------------------------------------------------------- small parts

cdef inline int32_t after(int32_t k, int32_t n) noexcept nogil:
    return k + 1 if k + 1 < n else 0


cdef inline int32_t before(int32_t k, int32_t n) noexcept nogil:
    return k - 1 if k > 0 else n - 1


cdef inline double least_along(const Vec2* core, int32_t n, Vec2 u) noexcept nogil:
    """How far a core reaches against u."""
    cdef double least
    cdef int32_t k
    if n == 4:  # most of them
        return lesser(lesser(dot(u, core[0]), dot(u, core[1])),
                      lesser(dot(u, core[2]), dot(u, core[3])))
    least = dot(u, core[0])
    for k in range(1, n):
        least = lesser(dot(u, core[k]), least)
    return least


cdef inline int32_t support(const Vec2* core, int32_t n, Vec2 u) noexcept nogil:
    """The first of the corners that reach farthest against u."""
    cdef double least = dot(u, core[0]), here
    cdef int32_t k, out = 0
    for k in range(1, n):
        here = dot(u, core[k])
        if here < least:
            least = here
            out = k
    return out


cdef int32_t follow(const Vec2* core, int32_t n, Vec2 u, int32_t start) noexcept nogil:
    """As support, by going downhill from a corner: for directions that turn anticlockwise."""
    cdef double least = dot(u, core[start]), here
    cdef int32_t k = start, _step
    for _step in range(n):
        here = dot(u, core[after(k, n)])
        if here > least:
            break
        least = here
        k = after(k, n)
    for _step in range(n):
        here = dot(u, core[before(k, n)])
        if not here < least:
            break
        least = here
        k = before(k, n)
    return k


cdef inline double edge_gap(const View* v, int32_t k) noexcept nogil:
    """How far X's edge k parts the cores; negative where they reach beyond it."""
    cdef Vec2 n = v.x.normals[k]
    return (least_along(v.y.core, v.y.n_core, unrotate(v.pose.q, n))
            + dot(n, sub(v.pose.p, v.x.core[k])))


cdef inline Pose inverse(const Pose* pose) noexcept nogil:
    cdef Pose out
    out.q = vec2(pose.q.x, -pose.q.y)
    out.p = scaled(-1.0, unrotate(pose.q, pose.p))
    return out


cdef inline View look(const Pair* pair, bint from_b) noexcept nogil:
    cdef View v
    v.x_is_b = from_b
    if from_b:
        v.x, v.y, v.pose = pair.b, pair.a, pair.a_in_b
    else:
        v.x, v.y, v.pose = pair.a, pair.b, inverse(&pair.a_in_b)
    return v


cdef inline Near nearest(const Geometry* g, Vec2 point) noexcept nogil:
    """The feature of a hull's core nearest to a point.

    If it is an edge, then that edge's line is the farthest from the point of all (or the least deep
    inside); if it is a corner, then one of the corner's edges is, and the foot lies beyond its end.
    """
    cdef Near out
    cdef double most = -INFINITY, here
    cdef int32_t k, edge = 0, n = g.n_core
    cdef Vec2 away
    for k in range(n):
        here = dot(g.normals[k], sub(point, g.core[k]))
        if here > most:
            most = here
            edge = k
    away = sub(point, g.core[edge])
    if dot(edge_along(g.normals[edge]), away) < 0.0:
        out.feature = 2 * edge
        out.distance = length(away)
        return out
    k = after(edge, n)
    away = sub(point, g.core[k])
    if dot(edge_along(g.normals[edge]), away) > 0.0:
        out.feature = 2 * k
        out.distance = length(away)
        return out
    out.feature = 2 * edge + 1
    out.distance = most
    return out


# --------------------------------------------------------------------------- writing contacts

cdef inline void write_circles(const Geometry* a, int32_t i, const Geometry* b, int32_t j,
                               Touch* out) noexcept nogil:
    """The features of a corner (or disc) against another; straight up if they coincide."""
    put_circle(a, i, &out.c1, &out.r1, &out.f1)
    put_circle(b, j, &out.c2, &out.r2, &out.f2)
    out.n = vec2(0.0, 0.0)
    out.normal = vec2(0.0, 1.0)


# -------------------------------------------------------------------------------------- discs

cdef int collide_discs(const Geometry* a, const Pose* pose_a, const Geometry* b,
                       const Pose* pose_b, double margin, AxisCache* cache,
                       Touch* out) noexcept nogil:
    cdef Vec2 apart = add(sub(pose_a.p, pose_b.p),
                          sub(rotate(pose_a.q, a.core[0]), rotate(pose_b.q, b.core[0])))
    cdef double most = a.radius + b.radius + margin
    if dot(apart, apart) > most * most:
        if cache != NULL:
            cache.clear = length(apart) - a.radius - b.radius
        return 0
    write_circles(a, 0, b, 0, out)
    refresh(out, pose_a, pose_b)
    return 1 if out.gap <= margin else 0


cdef int collide_disc(const Geometry* disc, const Pose* disc_pose, const Geometry* hull,
                      const Pose* hull_pose, bint hull_is_b, double margin, AxisCache* cache,
                      Touch* out) noexcept nogil:
    cdef Pose pose = seen_from(hull_pose, disc_pose)
    cdef Vec2 c = to_world(&pose, disc.core[0])
    cdef double most = disc.radius + hull.radius + margin
    cdef Near near
    cdef int32_t k
    # last step's edge first
    if cache != NULL and cache.known == PARTED_BY_B:
        k = cache.feature
        if k < hull.n_core and dot(hull.normals[k], sub(c, hull.core[k])) > most:
            cache.clear = (dot(hull.normals[k], sub(c, hull.core[k]))
                           - disc.radius - hull.radius)
            return 0
    near = nearest(hull, c)
    k = near.feature // 2
    if cache != NULL:
        cache.known = NOTHING
    if near.distance > most:
        if cache != NULL:
            cache.clear = near.distance - disc.radius - hull.radius
            if near.feature % 2 == 1:
                cache.known = PARTED_BY_B
                cache.feature = k
        return 0
    if near.feature % 2 == 1:
        write_stand(disc, 0, hull, k, hull_is_b, out)
    elif hull_is_b:
        write_circles(disc, 0, hull, k, out)
    else:
        write_circles(hull, k, disc, 0, out)
    if hull_is_b:
        refresh(out, disc_pose, hull_pose)
    else:
        refresh(out, hull_pose, disc_pose)
    return 1


# -------------------------------------------------------------------------------------- hulls

cdef inline double still_parted(const Pair* pair, const AxisCache* cache) noexcept nogil:
    """How far (m, between the cores) what parted them last time still does."""
    cdef View v
    cdef Vec2 u
    if cache.known == PARTED_BY_AXIS:
        u = cache.axis
        return (least_along(pair.a.core, pair.a.n_core, unrotate(pair.a_in_b.q, u))
                + dot(u, pair.a_in_b.p)
                + least_along(pair.b.core, pair.b.n_core, scaled(-1.0, u)))
    v = look(pair, cache.known == PARTED_BY_B)
    return edge_gap(&v, cache.feature) if cache.feature < v.x.n_core else -INFINITY


cdef Parting part_from_four(const View* v, double most) noexcept nogil:
    """As part_by_edges, where Y has four corners, as most have."""
    cdef Parting out
    cdef Vec2 y0 = to_world(&v.pose, v.y.core[0]), y1 = to_world(&v.pose, v.y.core[1])
    cdef Vec2 y2 = to_world(&v.pose, v.y.core[2]), y3 = to_world(&v.pose, v.y.core[3]), n
    cdef double here
    cdef int32_t k
    out.of_b = v.x_is_b
    out.gap = -INFINITY
    out.edge = 0
    for k in range(v.x.n_core):
        n = v.x.normals[k]
        here = (lesser(lesser(dot(n, y0), dot(n, y1)), lesser(dot(n, y2), dot(n, y3)))
                - dot(n, v.x.core[k]))
        if here > out.gap:
            out.gap = here
            out.edge = k
            if here > most:
                break
    return out


cdef Parting part_by_edges(const View* v, double most) noexcept nogil:
    """The edge of X that parts the cores most; the first by more than `most` is enough."""
    cdef Parting out
    cdef double here
    cdef int32_t k, corner = -1, n = v.x.n_core, m = v.y.n_core
    cdef bint many = n > FEW and m > FEW
    cdef Vec2 u
    if m == 4:
        return part_from_four(v, most)
    out.of_b = v.x_is_b
    out.gap = -INFINITY
    out.edge = 0
    for k in range(n):
        if many:
            u = unrotate(v.pose.q, v.x.normals[k])
            corner = support(v.y.core, m, u) if corner < 0 else follow(v.y.core, m, u, corner)
            here = dot(u, v.y.core[corner]) + dot(v.x.normals[k], sub(v.pose.p, v.x.core[k]))
        else:
            here = edge_gap(v, k)
        if here > out.gap:
            out.gap = here
            out.edge = k
            if here > most:
                break
    return out


cdef inline Stand choose_stand(Stand theirs, double their_at, double their_length, Stand own,
                               double own_at, double own_length, double size, double slack,
                               double least, bint keep, bint keep_own) noexcept nogil:
    """Which corner touches at one end of two edges that face each other: Y's on X's edge or X's
    own on Y's. Those count whose foot is on the edge and whose gap is not below `least`; of two,
    the one that is less far; of two as far, last step's, even when its foot has gone a little
    beyond the end."""
    cdef bint may_theirs = -slack <= their_at <= their_length + slack and theirs.gap >= least
    cdef bint may_own = -slack <= own_at <= own_length + slack and own.gap >= least
    cdef double beyond = KEEP * size
    if keep and (may_own or may_theirs) and fabs(own.gap - theirs.gap) <= TIE * size:
        if keep_own and -beyond <= own_at <= own_length + beyond:
            own.valid = True
            return own
        if not keep_own and -beyond <= their_at <= their_length + beyond:
            theirs.valid = True
            return theirs
    theirs.valid = may_theirs
    own.valid = may_own
    if may_own and (not may_theirs or own.gap < theirs.gap - TIE * size):
        return own
    return theirs


cdef struct Manifold:
    Stand low       # at the first end of X's edge
    Stand high
    Stand deepest   # Y's support on the edge, wherever its foot is


cdef inline bint stands_between(const View* v, int32_t corner, int32_t edge,
                                double slack) noexcept nogil:
    """Whether the foot of Y's corner lies on X's edge."""
    cdef Vec2 along = edge_along(v.x.normals[edge])
    cdef Vec2 p = to_world(&v.pose, v.y.core[corner])
    return (dot(along, sub(p, v.x.core[edge])) >= -slack
            and dot(along, sub(p, v.x.core[after(edge, v.x.n_core)])) <= slack)


cdef inline int32_t facing_edge(const View* v, int32_t corner, Vec2 u) noexcept nogil:
    """Which of the two edges at Y's corner faces an edge with normal u (in Y's frame); -1 if
    neither does."""
    cdef int32_t other = before(corner, v.y.n_core)
    cdef double here = -dot(v.y.normals[corner], u), there = -dot(v.y.normals[other], u)
    if greater(here, there) < FLAT_COSINE:
        return -1
    return corner if here >= there else other


cdef Manifold find_stands(const View* v, int32_t edge, double size, double slack,
                          int32_t kept) noexcept nogil:
    """What stands on X's edge. kept: the cache's flags if it is the edge of last step, else 0."""
    cdef Manifold out
    cdef Stand theirs, own
    cdef Vec2 n = v.x.normals[edge], along = edge_along(n), u = unrotate(v.pose.q, n)
    cdef int32_t next_x = after(edge, v.x.n_core), facing, next_y
    cdef Vec2 p = v.x.core[edge], q = v.x.core[next_x], y0, y1, m, back
    cdef double x_length, y_length, least
    # the deepest corner of Y, and the edge at it that faces X's
    out.deepest.own = False
    out.deepest.corner = support(v.y.core, v.y.n_core, u)
    out.deepest.edge = edge
    out.deepest.gap = (dot(u, v.y.core[out.deepest.corner]) + dot(n, sub(v.pose.p, p)))
    facing = facing_edge(v, out.deepest.corner, u)
    out.low.valid = out.high.valid = out.low.own = out.high.own = False
    out.deepest.valid = True
    if facing < 0:
        out.deepest.valid = stands_between(v, out.deepest.corner, edge, slack)
        return out
    # Where they overlap, what lies deeper than the way out along X's normal is no contact.
    least = out.deepest.gap - slack if out.deepest.gap < 0.0 else -INFINITY
    # two edges, in opposite directions: Y's ends where X's begins
    next_y = after(facing, v.y.n_core)
    y0 = to_world(&v.pose, v.y.core[facing])
    y1 = to_world(&v.pose, v.y.core[next_y])
    m = rotate(v.pose.q, v.y.normals[facing])
    back = edge_along(m)
    x_length = dot(along, sub(q, p))
    y_length = dot(back, sub(y1, y0))
    theirs.own = False
    theirs.edge = edge
    own.own = True
    own.edge = facing
    theirs.corner = next_y
    theirs.gap = dot(n, sub(y1, p))
    own.corner = edge
    own.gap = dot(m, sub(p, y0))
    out.low = choose_stand(theirs, dot(along, sub(y1, p)), x_length, own, dot(back, sub(p, y0)),
                           y_length, size, slack, least, kept != 0, (kept & OWN_LOW) != 0)
    theirs.corner = facing
    theirs.gap = dot(n, sub(y0, p))
    own.corner = next_x
    own.gap = dot(m, sub(q, y0))
    out.high = choose_stand(theirs, dot(along, sub(y0, p)), x_length, own, dot(back, sub(q, y0)),
                            y_length, size, slack, least, kept != 0, (kept & OWN_HIGH) != 0)
    out.deepest.valid = False
    return out


cdef inline double least_gap(const Manifold* m) noexcept nogil:
    """The least gap (m, between the cores) of what stands on the edge; infinite if nothing does."""
    cdef double out = INFINITY
    if m.low.valid:
        out = m.low.gap
    if m.high.valid:
        out = lesser(m.high.gap, out)
    if m.deepest.valid:
        out = lesser(m.deepest.gap, out)
    return out


cdef inline void write_found(const Pair* pair, const View* v, const Stand* stand,
                             Touch* out) noexcept nogil:
    if stand.own:
        write_stand(v.x, stand.corner, v.y, stand.edge, not v.x_is_b, out)
    else:
        write_stand(v.y, stand.corner, v.x, stand.edge, v.x_is_b, out)
    refresh(out, pair.pose_a, pair.pose_b)


cdef double find_nearest(const Pair* pair, const View* v, const Manifold* m, int32_t edge,
                         Touch* out) noexcept nogil:
    """The nearest features of two cores that do not overlap; returns their distance (m)."""
    cdef Vec2 n = v.x.normals[edge], p = v.x.core[edge], here
    cdef Pose back = inverse(&v.pose)
    cdef double best = INFINITY, least = m.deepest.gap
    cdef Near near
    cdef int32_t k, corner = 0, feature = 0
    cdef bint of_x = False
    # Corners farther behind the edge's line than the best so far are not looked at twice.
    for k in range(v.y.n_core):
        here = to_world(&v.pose, v.y.core[k])
        if dot(n, sub(here, p)) < best:
            near = nearest(v.x, here)
            if near.distance < best:
                best, corner, feature = near.distance, k, near.feature
    for k in range(v.x.n_core):
        if least + dot(n, sub(p, v.x.core[k])) < best:
            near = nearest(v.y, to_world(&back, v.x.core[k]))
            if near.distance < best:
                best, corner, feature, of_x = near.distance, k, near.feature, True
    if feature % 2 == 1:
        if of_x:
            write_stand(v.x, corner, v.y, feature // 2, not v.x_is_b, out)
        else:
            write_stand(v.y, corner, v.x, feature // 2, v.x_is_b, out)
    elif of_x != v.x_is_b:
        # the corner is A's
        write_circles(v.x if of_x else v.y, corner, v.y if of_x else v.x, feature // 2, out)
    else:
        write_circles(v.y if of_x else v.x, feature // 2, v.x if of_x else v.y, corner, out)
    refresh(out, pair.pose_a, pair.pose_b)
    return best


cdef inline int settle(Touch* out, int count, double margin, double near, int room) noexcept nogil:
    """Drop what is beyond the margin, and one of two points in one place; the deepest stays."""
    cdef Vec2 apart
    if count == 2:
        apart = sub(out[0].point, out[1].point)
        if room < 2 or dot(apart, apart) < near * near:
            if out[1].gap < out[0].gap:
                out[0] = out[1]
            count = 1
    if count == 2 and not out[1].gap <= margin:
        count = 1
    if count > 0 and not out[0].gap <= margin:
        if count == 2:
            out[0] = out[1]
        count -= 1
    return count


cdef inline void remember(AxisCache* cache, const Pair* pair, const View* v, const Manifold* m,
                          int32_t edge) noexcept nogil:
    """Keep the edge they rest on, and whose corners touch at its ends."""
    if cache != NULL:
        cache.known = (RESTED | (ON_B if v.x_is_b else 0) | (OWN_LOW if m.low.own else 0)
                       | (OWN_HIGH if m.high.own else 0)
                       | (TOO_DEEP if m.deepest.gap < -KEEP * pair.size else 0))
        cache.feature = edge


cdef inline int report(const Pair* pair, const View* v, const Manifold* m, int32_t edge,
                       AxisCache* cache, Touch* found, int room) noexcept nogil:
    """Write down what stands on X's edge."""
    cdef int count = 0
    if m.deepest.valid:
        write_found(pair, v, &m.deepest, &found[0])
        count = 1
    else:
        if m.low.valid:
            write_found(pair, v, &m.low, &found[0])
            count = 1
        if m.high.valid:
            write_found(pair, v, &m.high, &found[count])
            count += 1
    remember(cache, pair, v, m, edge)
    return settle(found, count, pair.margin, ONE_POINT * pair.size, room)


cdef int report_second(const Pair* pair, const View* v, const Manifold* m, int32_t edge,
                       AxisCache* cache, Touch* found, int room) noexcept nogil:
    """After a first point, write down what stands on X's edge farthest from it."""
    cdef int count = 1
    cdef Touch other
    cdef double distance = 0.0
    if m.low.valid:
        write_found(pair, v, &m.low, &found[1])
        distance = length(sub(found[0].point, found[1].point))
        count = 2
    if m.high.valid:
        write_found(pair, v, &m.high, &other)
        if count == 1 or length(sub(found[0].point, other.point)) > distance:
            found[1] = other
            count = 2
    remember(cache, pair, v, m, edge)
    return settle(found, count, pair.margin, ONE_POINT * pair.size, room)


cdef inline bint is_within(const Geometry* g, Vec2 point, double slack) noexcept nogil:
    """Whether a point lies in a hull's core."""
    cdef double most = -INFINITY
    cdef int32_t k
    for k in range(g.n_core):
        most = greater(dot(g.normals[k], sub(point, g.core[k])), most)
    return most <= slack


cdef inline bint stands_within(const View* v, const Stand* stand, double slack) noexcept nogil:
    """Whether there is such a corner and it lies in the core it stands on."""
    cdef Pose back
    if not stand.valid:
        return False
    if not stand.own:
        return is_within(v.x, to_world(&v.pose, v.y.core[stand.corner]), slack)
    back = inverse(&v.pose)
    return is_within(v.y, to_world(&back, v.x.core[stand.corner]), slack)


cdef inline int rest_again(const Pair* pair, AxisCache* cache, Touch* found,
                           int room) noexcept nogil:
    """The contacts if last step's edge still is the answer; -1 if all edges must be asked.

    The edge's gap is at most the distance of the cores, and that at most the gap of any corner that
    stands on an edge: where the two agree, nothing can be nearer. Overlaps no deeper than what an
    edge is preferred for need no better edge.
    """
    cdef View v = look(pair, (cache.known & ON_B) != 0)
    cdef Manifold m
    cdef double gap, near
    if cache.feature >= v.x.n_core:
        return -1
    m = find_stands(&v, cache.feature, pair.size, pair.slack, cache.known)
    gap = m.deepest.gap
    if not least_gap(&m) <= gap + pair.slack or gap < -KEEP * pair.size:
        return -1
    near = ONE_POINT * pair.size
    if gap < 0.0 and not (stands_within(&v, &m.low, near) or stands_within(&v, &m.high, near)
                          or stands_within(&v, &m.deepest, near)):
        return -1
    return report(pair, &v, &m, cache.feature, cache, found, room)


cdef inline int32_t prefer_kept(const Pair* pair, const AxisCache* cache, Parting* best,
                                View* v) noexcept nogil:
    """Go on with last step's edge if it is the best one or, where they overlap, nearly so; returns
    the cache's flags then, else 0."""
    cdef View other
    cdef double gap
    if cache == NULL or not cache.known & RESTED:
        return 0
    if best.edge == cache.feature and best.of_b == ((cache.known & ON_B) != 0):
        return cache.known
    if best.gap >= 0.0:
        return 0
    other = look(pair, (cache.known & ON_B) != 0)
    if cache.feature >= other.x.n_core:
        return 0
    gap = edge_gap(&other, cache.feature)
    if gap < best.gap - KEEP * pair.size:
        return 0
    best.of_b, best.edge, best.gap = other.x_is_b, cache.feature, gap
    v[0] = other
    return cache.known


cdef int search(const Pair* pair, AxisCache* cache, Touch* found, int room) noexcept nogil:
    """The contacts, by asking all edges."""
    cdef View v = look(pair, True), from_a
    cdef int32_t flags
    cdef Parting best = part_by_edges(&v, pair.most), other, least_deep
    cdef View from_least
    cdef Manifold m
    cdef double distance = -1.0
    # the edge that parts them most; of equals B's
    if best.gap <= pair.most:
        from_a = look(pair, False)
        other = part_by_edges(&from_a, pair.most)
        if other.gap > best.gap + pair.slack:
            best = other
            v = from_a
    if best.gap > pair.most:
        if cache != NULL:
            cache.known = PARTED_BY_B if best.of_b else PARTED_BY_A
            cache.feature = best.edge
            cache.clear = best.gap - (pair.most - pair.margin)
        return 0
    least_deep, from_least = best, v
    flags = prefer_kept(pair, cache, &best, &v)
    m = find_stands(&v, best.edge, pair.size, pair.slack, flags)
    if least_gap(&m) > best.gap + pair.slack and best.gap < least_deep.gap:
        # The deepest corner stands beyond the end of the edge that was kept: the other edge knows
        # better where they touch.
        best, v = least_deep, from_least
        m = find_stands(&v, best.edge, pair.size, pair.slack, 0)
    if least_gap(&m) <= best.gap + pair.slack + SAME_DEPTH * pair.size:
        return report(pair, &v, &m, best.edge, cache, found, room)
    # Nothing stands as near as the edge says: the nearest features are elsewhere, or the cores
    # overlap with their way out beyond the edge's end.
    if best.gap > -pair.slack:
        distance = find_nearest(pair, &v, &m, best.edge, found)
    if distance > pair.most:
        if cache != NULL:
            cache.known = PARTED_BY_AXIS
            cache.axis = unrotate(pair.pose_b.q, found[0].normal)
            cache.clear = distance - (pair.most - pair.margin)
        return 0
    if distance <= pair.slack:
        write_found(pair, &v, &m.deepest, &found[0])
    return report_second(pair, &v, &m, best.edge, cache, found, room)


cdef int collide_cores(const Geometry* a, const Pose* pose_a, const Geometry* b,
                       const Pose* pose_b, double margin, AxisCache* cache, Touch* out,
                       int room) noexcept nogil:
    """Two hulls; as collide_hulls."""
    cdef Pair pair
    cdef Touch[2] found
    cdef double gap
    cdef int count = -1
    pair.a, pair.b, pair.pose_a, pair.pose_b = a, b, pose_a, pose_b
    pair.a_in_b = seen_from(pose_b, pose_a)
    pair.margin = margin
    pair.most = margin + a.radius + b.radius
    if cache != NULL and cache.known != NOTHING and not cache.known & RESTED:
        gap = still_parted(&pair, cache)
        if gap > pair.most:
            cache.clear = gap - (pair.most - margin)
            return 0
    pair.size = lesser(a.bounding_radius, b.bounding_radius)
    pair.slack = LENGTH_ROUNDING * (a.bounding_radius + b.bounding_radius + fabs(pair.a_in_b.p.x)
                                    + fabs(pair.a_in_b.p.y))
    if room >= 2:
        if cache != NULL and cache.known & RESTED and not cache.known & TOO_DEEP:
            count = rest_again(&pair, cache, out, room)
        return count if count >= 0 else search(&pair, cache, out, room)
    count = search(&pair, cache, found, room)
    if count > 0:
        out[0] = found[0]
    return count


# ------------------------------------------------------------------------------- the kernel

cdef int collide_hulls(const Geometry* a, const Pose* pose_a, const Geometry* b,
                       const Pose* pose_b, double margin, AxisCache* cache, Touch* out,
                       int room) noexcept nogil:
    """Contact points of two discs or hulls; see collide_hull.pxd."""
    if room < 1:
        return 0
    if a.kind == ROUND:
        if b.kind == ROUND:
            return collide_discs(a, pose_a, b, pose_b, margin, cache, out)
        return collide_disc(a, pose_a, b, pose_b, True, margin, cache, out)
    if b.kind == ROUND:
        return collide_disc(b, pose_b, a, pose_a, False, margin, cache, out)
    return collide_cores(a, pose_a, b, pose_b, margin, cache, out, room)
