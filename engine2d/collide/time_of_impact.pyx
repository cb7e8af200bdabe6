"""When two moving shapes meet: conservative advancement (Mirtich) with bounds that sharpen.

Where the gap is d and no two points can close faster than c along the normal, nothing happens for
d/c. A bound on c that holds for all time is poor for bodies that turn; over a short window the
support point can be followed, and its rate at the window's end bounds all before (see `widen`).
So steps are never too long and yet end like Newton's, doubling their digits.

A shape that is not convex is taken piece by piece of its boundary: an edge is convex, and an arc
has two bounds of its own, from outside and from inside its circle.
"""

from typing import NamedTuple

from libc.math cimport INFINITY, M_PI, atan2, cos, fabs, isfinite, sin

from enginecore.arguments cimport read_number, read_numbers
from enginecore.scalar cimport greater, lesser
from engine2d.collide.geometry cimport BLOCK, HULL, OUTLINE, ROUND, Bounds, Feature
from engine2d.collide.arc_distance cimport ArcGap, measure_arc
from engine2d.collide.distance cimport measure_distance
from engine2d.collide.narrow_phase cimport MOST_POINTS, find_contacts, read_geometry, read_pose
from engine2d.pose cimport to_local, to_world, unrotate
from engine2d.collide.ray cimport support_of
from engine2d.vec2 cimport add, cross, dot, length, turn
from engine2d.vector cimport as_vector

# Distances measured for two pieces before the search is given up: two bodies that turn close by
# each other a hundred times need some thousands.
cdef int MOST_STEPS = 20000
# Windows tried for one step, from all the time that is left down to what Newton would take.
cdef int MOST_WINDOWS = 8
# Share of a motion after which two that touch are first looked at, to see if they have parted.
cdef double FIRST_LOOK = 1.0 / 1024.0
cdef double WINDOW_TURN = 0.5      # rad, the second window is no longer; lowest points change
cdef double WINDOW_SHRINKS = 0.25  # the next ones against those before
# Shapes that overlap or slide at the start are looked at this often while they do, at least;
# and at least once for each such share of their size that they move.
cdef int FEWEST_LOOKS = 64
cdef int MOST_INSIDE_LOOKS = 1024
cdef double LOOK_SHARE = 0.125
# Halvings of the time between two looks.
cdef int HALVINGS = 50
# Of the speeds that meet: a slower approach is sliding.
cdef double SLIDING = 1e-12
# Cosine of the angle within which two normals are the same.
cdef double SAME_NORMAL = 1.0 - 1e-9
cdef int32_t NO_FEATURE = -1
cdef double MOST_REACH = 1e100  # m


# A shape that moves, or a piece of one.
cdef struct Mover:
    const Geometry* geometry
    const Sweep* sweep
    double arm       # m, the farthest point of it from what it turns about
    bint convex
    const Feature* arc  # NULL, or the arc that it is, from p to q (shape's frame)
    Vec2 p
    Vec2 q

# A piece of an outline as a geometry of its own, with its arrays.
cdef struct Piece:
    Geometry geometry
    Vec2 core[2]
    Vec2 normals[2]
    Feature features[4]
    Bounds blocks[1]

# What is asked for, the same for all pieces.
cdef struct Search:
    const Mover* a      # the whole shapes
    const Mover* b
    double duration     # s; shrinks to the earliest impact found
    double tolerance    # m
    double parted       # s; they touch from the start, without approaching, until then; 0: never
    Strike* out
    bint found


cdef bint find_impact(const Geometry* a, const Sweep* sweep_a, const Geometry* b,
                      const Sweep* sweep_b, double duration, double tolerance,
                      Strike* out) noexcept nogil:
    """The first time at which A and B touch; see time_of_impact.pxd."""
    cdef Sweep sa = steady(a, sweep_a), sb = steady(b, sweep_b)
    cdef Mover ma = whole(a, &sa), mb = whole(b, &sb)
    cdef Search search
    search.a = &ma
    search.b = &mb
    search.duration = duration
    search.tolerance = tolerance
    search.parted = 0.0
    search.out = out
    search.found = False
    out.steps = 0
    if nearest_touch(0.0, &search) <= tolerance:
        search.parted = part(&search)
        if search.found and out.t == 0.0:
            return True
    if ma.convex and mb.convex:
        advance(&ma, &mb, search.parted, &search)
    else:
        advance_pieces(&ma, &mb, &search)
    return search.found


cdef bint find_next_impact(const Geometry* a, const Sweep* sweep_a, const Geometry* b,
                           const Sweep* sweep_b, double duration, double tolerance,
                           Strike* out) noexcept nogil:
    cdef Sweep later_a = sweep_a[0], later_b = sweep_b[0]
    cdef double t = duration * FIRST_LOOK
    cdef Pose pa, pb
    cdef Touch touch
    if not find_impact(a, sweep_a, b, sweep_b, duration, tolerance, out):
        return False
    if out.t > 0.0:
        return True
    while t < duration:
        pa = pose_at(sweep_a, t)
        pb = pose_at(sweep_b, t)
        if measure_distance(a, &pa, b, &pb, &touch) > 2.0 * tolerance:
            move_sweep(&later_a, t)
            move_sweep(&later_b, t)
            if not find_impact(a, &later_a, b, &later_b, duration - t, tolerance, out):
                return False
            out.t += t
            return True
        t *= 2.0
    return False


cdef inline void move_sweep(Sweep* sweep, double t) noexcept nogil:
    """The same motion from a later time on."""
    sweep.center = vec2(sweep.center.x + t * sweep.v.x, sweep.center.y + t * sweep.v.y)
    sweep.angle += t * sweep.w


cdef bint cast_shape(const Geometry* a, const Pose* pose_a, Vec2 way, const Geometry* b,
                     const Pose* pose_b, double tolerance, Strike* out) noexcept nogil:
    """The first touch of A carried along `way`; see time_of_impact.pxd."""
    cdef Sweep sa = at_rest(pose_a), sb = at_rest(pose_b)
    sa.v = way
    return find_impact(a, &sa, b, &sb, 1.0, tolerance, out)


cdef Sweep at_rest(const Pose* pose) noexcept nogil:
    cdef Sweep out
    out.center = pose.p
    out.local_center = out.v = vec2(0.0, 0.0)
    out.angle = atan2(pose.q.y, pose.q.x)
    out.w = 0.0
    return out


cdef Sweep steady(const Geometry* geometry, const Sweep* sweep) noexcept nogil:
    """The same motion; a disc that turns about its own centre does not move by that."""
    cdef Sweep out = sweep[0]
    if (geometry.kind == ROUND and geometry.core[0].x == sweep.local_center.x
            and geometry.core[0].y == sweep.local_center.y):
        out.w = 0.0
    return out


cdef Mover whole(const Geometry* geometry, const Sweep* sweep) noexcept nogil:
    cdef Mover out
    out.geometry = geometry
    out.sweep = sweep
    out.arm = length(sub(geometry.middle, sweep.local_center)) + geometry.bounding_radius
    out.convex = geometry.kind != OUTLINE or geometry.convex
    out.arc = NULL
    return out


# ---------------------------------------------------------------------------------- two pieces

cdef void advance(const Mover* a, const Mover* b, double start, Search* search) noexcept nogil:
    """Find the first touch of two movers from `start` on, before the earliest that is known."""
    cdef double t = start
    cdef Touch touch
    cdef int _k
    for _k in range(MOST_STEPS):
        if not t <= search.duration:
            return
        measure(a, b, t, search, &touch)
        if touch.gap <= search.tolerance:
            meet(a, b, t, &touch, search)
            return
        if t == search.duration:
            return
        start = t
        t = lesser(t + safe_step(a, b, &touch, t, search), search.duration)
        if t <= start:
            # Time has no finer steps: this is as near as numbers come.
            meet(a, b, t, &touch, search)
            return
    strike(t, &touch, False, search)


cdef void meet(const Mover* a, const Mover* b, double t, const Touch* touch,
               Search* search) noexcept nogil:
    """Two pieces have come together. While other parts of the shapes touch they may do so without
    being struck (a body slides on from one piece to the next): then the whole shapes must say
    that they approach, and if not, the search goes on where these have parted."""
    if t >= search.parted:
        strike(t, touch, True, search)
        if a.geometry != search.a.geometry or b.geometry != search.b.geometry:
            name_features(search.a, search.b, search)
    elif not approach_at(t, search) and search.parted <= search.duration:
        advance(a, b, search.parted, search)


cdef void strike(double t, const Touch* touch, bint finished, Search* search) noexcept nogil:
    search.found = True
    search.duration = t
    search.out.t = t
    search.out.at = touch[0]
    search.out.finished = finished


cdef double measure(const Mover* a, const Mover* b, double t, Search* search,
                    Touch* out) noexcept nogil:
    """The signed distance at time t; where an arc takes part, only r1, r2 of a circle are known."""
    cdef Pose pa = pose_at(a.sweep, t), pb = pose_at(b.sweep, t)
    cdef ArcGap arc
    search.out.steps += 1
    if a.arc == NULL and b.arc == NULL:
        return measure_distance(a.geometry, &pa, b.geometry, &pb, out)
    if a.arc != NULL:
        measure_arc(a.arc, a.p, a.q, &pa, b.geometry, &pb, &arc)
        out.normal = arc.normal
    else:
        measure_arc(b.arc, b.p, b.q, &pb, a.geometry, &pa, &arc)
        out.normal = scaled(-1.0, arc.normal)
    out.gap = arc.gap
    out.point = arc.point
    out.r1 = out.r2 = 0.0
    return arc.gap


cdef double safe_step(const Mover* a, const Mover* b, const Touch* touch, double t,
                      const Search* search) noexcept nogil:
    """How long (s) the gap surely stays above half the tolerance."""
    cdef double left = search.duration - t, room = touch.gap - 0.5 * search.tolerance
    cdef double speed = closing_bound(a, b), step, apart = touch.gap
    cdef Pose pa, pb
    step = left if speed * left <= room else room / speed
    pa = pose_at(a.sweep, t)
    pb = pose_at(b.sweep, t)
    if not (a.convex and b.convex):
        apart = parted_by(a, &pa, b, &pb, touch.normal)
        if a.arc != NULL:
            step = greater(step, step_inside(b, &pb, a, &pa, left, 0.5 * search.tolerance))
        if b.arc != NULL:
            step = greater(step, step_inside(a, &pa, b, &pb, left, 0.5 * search.tolerance))
    room = apart - 0.5 * search.tolerance
    if room > 0.0 and step < left:
        # In the frame of an edge its normal stands still.
        if touch.r1 == INFINITY:
            step = greater(step, widen(b, &pb, a, &pa, scaled(-1.0, touch.normal), room, left))
        else:
            step = greater(step, widen(a, &pa, b, &pb, touch.normal, room, left))
    return step


cdef inline double closing_bound(const Mover* a, const Mover* b) noexcept nogil:
    """No two points of A and B close faster than this (m/s)."""
    return (length(sub(a.sweep.v, b.sweep.v)) + fabs(a.sweep.w) * a.arm
            + fabs(b.sweep.w) * b.arm)


cdef double parted_by(const Mover* a, const Pose* pa, const Mover* b, const Pose* pb,
                      Vec2 normal) noexcept nogil:
    """How far apart the hulls of A and B are along a normal from B to A; < 0 if they are not."""
    cdef Vec2 x = support_of(a.geometry, unrotate(pa.q, scaled(-1.0, normal)))
    cdef Vec2 y = support_of(b.geometry, unrotate(pb.q, normal))
    return dot(normal, add(sub(pa.p, pb.p), sub(rotate(pa.q, x), rotate(pb.q, y))))


cdef double widen(const Mover* m, const Pose* pose, const Mover* base, const Pose* base_pose,
                  Vec2 n, double room, double left) noexcept nogil:
    """How long the hull of m surely stays above the base's along n, which turns with the base.

    n points from the base to m, `room` (m) is between them. Seen from the base, m turns by
    w = wm - wb and its centre is at X, with X' = V - wb z x X. Of the lowest point of m, at r from
    the centre, the height's derivative by the angle is k = n.(z x r), and where the angle grows k
    can fall as it likes (the lowest corner changes) but grows by no more than arm per radian. So k
    at the end of a window bounds k in all of it, from below.
    """
    cdef Vec2 V = sub(m.sweep.v, base.sweep.v)
    cdef Vec2 X = sub(to_world(pose, m.sweep.local_center),
                      to_world(base_pose, base.sweep.local_center))
    cdef double wb = base.sweep.w, w = m.sweep.w - wb
    cdef double lead = dot(n, sub(V, turn(wb, X))), speed = length(V), far = length(X)
    cdef double window = left, best = 0.0, safe, closing, bend, newton
    cdef int k
    closing = -(lead + w * lever(m, pose, n, 0.0))
    newton = 1.001 * room / closing if closing * left > room else left
    for k in range(MOST_WINDOWS):
        bend = wb * wb * (far + speed * window) + 2.0 * fabs(wb) * speed
        closing = (0.5 * bend * window - lead
                   - greater(w * lever(m, pose, n, w * window) - w * w * window * m.arm,
                             -fabs(w) * m.arm))
        safe = window if closing * window <= room else room / closing
        best = greater(best, safe)
        if k == 0:
            window = lesser(newton, lesser(window, WINDOW_TURN / greater(fabs(w), fabs(wb))))
        else:
            window *= WINDOW_SHRINKS
        if window <= best:
            break
    return best


cdef double lever(const Mover* m, const Pose* pose, Vec2 n, double angle) noexcept nogil:
    """n.(z x r) of the point of m that is lowest along n when m has turned by an angle."""
    cdef Vec2 u = unrotate(vec2(cos(angle), sin(angle)), n)
    cdef Vec2 x = support_of(m.geometry, unrotate(pose.q, scaled(-1.0, u)))
    return cross(rotate(pose.q, sub(x, m.sweep.local_center)), u)


# ---------------------------------------------------------------------- inside of an arc's circle

cdef double step_inside(const Mover* m, const Pose* pose, const Mover* arc, const Pose* arc_pose,
                        double left, double spare) noexcept nogil:
    """How long m surely stays inside the circle of an arc; 0 if it is not.

    A point of m at D from the circle's centre is, t later, within |D + D' t| + K t^2/2 of it, with
    K the sum of both centripetal accelerations.
    """
    cdef Vec2 c = to_world(arc_pose, arc.arc.c), x, D, rate
    cdef Vec2 arm = sub(arc.arc.c, arc.sweep.local_center)
    cdef Vec2 vc = add(arc.sweep.v, turn(arc.sweep.w, rotate(arc_pose.q, arm)))
    cdef double bend = arc.sweep.w * arc.sweep.w * length(arm), step = left, r, limit
    cdef const Geometry* g = m.geometry
    cdef int32_t k, count = g.n_features if g.kind == OUTLINE else g.n_core
    for k in range(count):
        x = g.features[k].c if g.kind == OUTLINE else g.core[k]
        r = g.features[k].r if g.kind == OUTLINE else g.radius
        if r == INFINITY or r < 0.0:
            continue   # the ends of an edge or of a concave arc are corners
        limit = fabs(arc.arc.r) - r - spare
        D = sub(to_world(pose, x), c)
        if not length(D) < limit:
            return 0.0
        arm = sub(x, m.sweep.local_center)
        rate = sub(add(m.sweep.v, turn(m.sweep.w, rotate(pose.q, arm))), vc)
        step = lesser(step, time_within(D, rate, m.sweep.w * m.sweep.w * length(arm) + bend,
                                        limit, step))
    return step


cdef double time_within(Vec2 D, Vec2 rate, double bend, double limit, double left) noexcept nogil:
    """How long |D + rate t| + bend t^2/2, a convex function, stays below the limit; never more."""
    cdef double low = 0.0, high = left, f_low = length(D), f_high, t, f
    cdef int k
    f_high = length(add(D, scaled(high, rate))) + 0.5 * bend * high * high
    if f_high <= limit:
        return left
    for k in range(24):
        # a chord of a convex function lies above it: its root is early; halving for the other end
        t = low + (limit - f_low) / (f_high - f_low) * (high - low)
        if k % 2 == 1:
            t = 0.5 * (low + high)
        f = length(add(D, scaled(t, rate))) + 0.5 * bend * t * t
        if f <= limit:
            low = t
            f_low = f
        else:
            high = t
            f_high = f
    return low


# ----------------------------------------------------------------- touching from the start on

cdef double nearest_touch(double t, Search* search) noexcept nogil:
    """The least gap of two whole shapes at time t if it is within the tolerance, else infinity."""
    cdef Touch found[MOST_POINTS]
    cdef int k, count = touches_at(t, search, found)
    cdef double least = INFINITY
    for k in range(count):
        least = lesser(found[k].gap, least)
    return least


cdef int touches_at(double t, Search* search, Touch* found) noexcept nogil:
    """Where the whole shapes touch at time t."""
    cdef Pose pa = pose_at(search.a.sweep, t), pb = pose_at(search.b.sweep, t)
    search.out.steps += 1
    return find_contacts(search.a.geometry, &pa, search.b.geometry, &pb, search.tolerance, NULL,
                         found, MOST_POINTS)


cdef bint approach_at(double t, Search* search) noexcept nogil:
    """Whether the shapes touch at time t and approach there; if so that is the impact."""
    cdef Touch found[MOST_POINTS]
    cdef const Mover* a = search.a
    cdef const Mover* b = search.b
    cdef int k, best = -1, count = touches_at(t, search, found)
    cdef double slow = SLIDING * (length(a.sweep.v) + length(b.sweep.v)
                                  + fabs(a.sweep.w) * a.arm + fabs(b.sweep.w) * b.arm)
    for k in range(count):
        if (opening_rate(a, b, t, &found[k]) < -slow
                and (best < 0 or found[k].gap < found[best].gap)):
            best = k
    if best < 0:
        return False
    strike(t, &found[best], True, search)
    return True


cdef double opening_rate(const Mover* a, const Mover* b, double t,
                         const Touch* touch) noexcept nogil:
    """The gap's derivative (m/s)."""
    cdef Vec2 ra = sub(touch.point, add(a.sweep.center, scaled(t, a.sweep.v)))
    cdef Vec2 rb = sub(touch.point, add(b.sweep.center, scaled(t, b.sweep.v)))
    return dot(touch.normal, sub(add(a.sweep.v, turn(a.sweep.w, ra)),
                                 add(b.sweep.v, turn(b.sweep.w, rb))))


cdef double part(Search* search) noexcept nogil:
    """When shapes that touch at the start have parted (s), or the impact if they approach first.

    Beyond the duration if neither happens. Found by looking again and again, since what overlaps
    has no first contact; but the first approach is then sought between two looks.
    """
    cdef const Mover* a = search.a
    cdef const Mover* b = search.b
    cdef double size = LOOK_SHARE * lesser(a.geometry.bounding_radius, b.geometry.bounding_radius)
    cdef double duration = search.duration, way = closing_bound(a, b) * duration, t
    cdef int k, looks = FEWEST_LOOKS
    if approach_at(0.0, search):
        return INFINITY
    # Without turning, the signed distance of convex shapes is a convex function of time: what
    # does not approach now never will.
    if a.convex and b.convex and a.sweep.w == 0.0 and b.sweep.w == 0.0:
        return INFINITY
    if way > looks * size:
        looks = <int> lesser(way / size, MOST_INSIDE_LOOKS)
    for k in range(1, looks + 1):
        t = duration * k / looks
        if nearest_touch(t, search) > search.tolerance:
            return t
        if approach_at(t, search):
            first_approach(duration * (k - 1) / looks, t, search)
            return INFINITY
    return INFINITY


cdef void first_approach(double early, double late, Search* search) noexcept nogil:
    """Find the time from which on two touching shapes approach, by halving; `late` is after it."""
    cdef double middle
    cdef int _k
    for _k in range(HALVINGS):
        middle = 0.5 * (early + late)
        if not early < middle < late:
            break
        if approach_at(middle, search):
            late = middle
        else:
            early = middle


# ------------------------------------------------------------------------------ piece by piece

cdef void advance_pieces(const Mover* a, const Mover* b, Search* search) noexcept nogil:
    """Find the first touch of any piece of A with any piece of B."""
    cdef Piece piece
    cdef Mover part_of_a
    cdef int32_t k
    if a.convex:
        advance_along(a, b, search)
        return
    for k in range(count_pieces(a.geometry)):
        if not out_of_reach(b, a, &a.geometry.features[2 * k + 1].box, search):
            part_of_a = take_piece(a, k, &piece)
            advance_along(&part_of_a, b, search)


cdef void advance_along(const Mover* a, const Mover* b, Search* search) noexcept nogil:
    """Find the first touch of A, which is one piece, with any piece of B."""
    cdef Piece piece
    cdef Mover part_of_b
    cdef int32_t k = 0, count
    if b.convex:
        advance(a, b, 0.0, search)
        return
    count = count_pieces(b.geometry)
    while k < count:
        # Pieces are every other feature: BLOCK / 2 of them in a block.
        if k % (BLOCK // 2) == 0 and out_of_reach(a, b, &b.geometry.blocks[2 * k // BLOCK],
                                                  search):
            k += BLOCK // 2
            continue
        if not out_of_reach(a, b, &b.geometry.features[2 * k + 1].box, search):
            part_of_b = take_piece(b, k, &piece)
            advance(a, &part_of_b, 0.0, search)
        k += 1


cdef inline int32_t count_pieces(const Geometry* geometry) noexcept nogil:
    """An open path has each piece twice, forth and back: once is enough."""
    return geometry.n_features // 2 if geometry.closed else geometry.n_features // 4


cdef bint out_of_reach(const Mover* m, const Mover* base, const Bounds* box,
                       const Search* search) noexcept nogil:
    """Whether m surely never comes near a box in the frame of the base."""
    cdef Pose at = pose_at(base.sweep, 0.0)
    cdef const Sweep* s = m.sweep
    cdef Vec2 x = s.center, V = sub(s.v, base.sweep.v), y, corner
    cdef double far = m.arm + search.tolerance, near, rest, t
    if s.w == 0.0:
        # what does not turn is a disc around its own middle
        x = add(x, rotate(pose_at(s, 0.0).q, sub(m.geometry.middle, s.local_center)))
        far = m.geometry.bounding_radius + search.tolerance
    if base.sweep.w == 0.0:
        y = to_local(&at, add(x, scaled(search.duration, V)))
        x = to_local(&at, x)
        return (lesser(x.x, y.x) - far > box.high.x or greater(x.x, y.x) + far < box.low.x
                or lesser(x.y, y.y) - far > box.high.y or greater(x.y, y.y) + far < box.low.y)
    # In a frame that turns only distances from its centre are kept.
    x = sub(x, base.sweep.center)
    rest = dot(V, V)
    t = lesser(greater(-dot(x, V) / rest, 0.0), search.duration) if rest > 0.0 else 0.0
    near = length(add(x, scaled(t, V)))
    corner = vec2(greater(fabs(box.low.x - base.sweep.local_center.x),
                          fabs(box.high.x - base.sweep.local_center.x)),
                  greater(fabs(box.low.y - base.sweep.local_center.y),
                          fabs(box.high.y - base.sweep.local_center.y)))
    return near - far > length(corner)


cdef Mover take_piece(const Mover* m, int32_t k, Piece* piece) noexcept nogil:
    """Piece k of an outline as a mover of its own; `piece` holds its geometry."""
    cdef const Feature* f = &m.geometry.features[2 * k + 1]
    cdef Vec2 p = m.geometry.features[2 * k].c
    cdef Vec2 q = m.geometry.features[2 * k + 2 if 2 * k + 2 < m.geometry.n_features else 0].c
    cdef Geometry* g = &piece.geometry
    cdef Mover out
    g.closed = False
    g.radius = 0.0
    g.box = f.box
    g.middle = scaled(0.5, add(f.box.low, f.box.high))
    g.bounding_radius = 0.5 * length(sub(f.box.high, f.box.low))
    g.n_core = g.n_features = g.n_blocks = 0
    g.flattest = 0.0 if f.r == INFINITY else fabs(f.r)
    g.core = piece.core
    g.normals = piece.normals
    g.features = piece.features
    g.blocks = piece.blocks
    if f.r == INFINITY:
        g.kind = HULL
        g.convex = True
        g.n_core = 2
        piece.core[0] = p
        piece.core[1] = q
        piece.normals[0] = f.low
        piece.normals[1] = scaled(-1.0, f.low)
    else:
        g.kind = OUTLINE
        g.convex = False
        g.n_features = 4
        g.n_blocks = 1
        piece.blocks[0] = f.box
        # end, forth, end, back, with what supports and gaps of arcs look at
        piece.features[0] = path_end(p)
        piece.features[1] = f[0]
        piece.features[2] = path_end(q)
        piece.features[3] = f[0]
        piece.features[3].r = -f.r
        piece.features[3].low = scaled(-1.0, f.low)
        piece.features[3].high = scaled(-1.0, f.high)
    out = whole(g, m.sweep)
    out.p = p
    out.q = q
    if f.r != INFINITY:
        out.arc = f
    return out


cdef Feature path_end(Vec2 c) noexcept nogil:
    cdef Feature out
    out.c = out.box.low = out.box.high = c
    out.r = out.length = 0.0
    out.low = out.high = vec2(1.0, 0.0)
    out.sweep = M_PI
    return out


cdef void name_features(const Mover* a, const Mover* b, Search* search) noexcept nogil:
    """Put the touch of two pieces into the words of the whole shapes, if it is one of theirs."""
    cdef Touch found[MOST_POINTS]
    cdef Touch* at = &search.out.at
    cdef Pose pa = pose_at(a.sweep, search.out.t), pb = pose_at(b.sweep, search.out.t)
    cdef int k, best = -1, count
    cdef double nearest = INFINITY, far
    # What is within the tolerance is named by what is; the rest of the face may not be. Only a
    # search that ended above it (time had no finer steps) takes more.
    cdef double most = search.tolerance if at.gap <= search.tolerance else 2.0 * search.tolerance
    count = find_contacts(a.geometry, &pa, b.geometry, &pb, most, NULL, found, MOST_POINTS)
    for k in range(count):
        far = length(sub(found[k].point, at.point))
        if dot(found[k].normal, at.normal) > SAME_NORMAL and far < nearest:
            nearest = far
            best = k
    if best >= 0:
        at[0] = found[best]
    else:
        at.f1 = at.f2 = NO_FEATURE


# ----------------------------------------------------------------------------- the Python face

class TimeOfImpact(NamedTuple):
    """When and where two moving shapes meet."""

    time: float
    point: tuple[float, float]
    normal: tuple[float, float]
    gap: float


def time_of_impact(shape_a, pose_a, velocity_a, shape_b, pose_b, velocity_b, duration=1.0, *,
                   tolerance=1e-9):
    """The first TimeOfImpact of two moving shapes within a duration (s), or None if they miss.

    At time t a shape's pose is (x + vx t, y + vy t, angle + w t), so it turns about the origin of
    its own frame; a velocity is (vx, vy) or (vx, vy, w). They meet when the gap is at most
    `tolerance` (m). Shapes that touch or overlap at the start meet at time 0 if they approach
    there; if not, they meet when they approach while still touching, or again after parting.
    The normal points from B into A.

    No contact is stepped over. A search that takes too long (two shapes that spin past each other
    for hundreds of turns within a hair's breadth) ends at a time before which there is no contact,
    with a gap above the tolerance.
    """
    return search_impact(shape_a, pose_a, velocity_a, shape_b, pose_b, velocity_b, duration,
                         tolerance)[0]


def cast_shape_at(shape_a, pose_a, way, shape_b, pose_b, *, tolerance=1e-9):
    """The first TimeOfImpact of A carried along a way (x, y) (m) while B stays, or None.

    A does not turn; time goes from 0 at the start to 1 at the end of the way. Otherwise as
    time_of_impact.
    """
    cdef const Geometry* a = read_geometry(shape_a, "shape_a")
    cdef const Geometry* b = read_geometry(shape_b, "shape_b")
    cdef Sweep along = read_sweep(pose_a, "pose_a", way, "way")
    cdef Pose place_a = read_pose(pose_a, "pose_a"), place_b = read_pose(pose_b, "pose_b")
    cdef double near = read_tolerance(tolerance)
    cdef Strike strike
    cdef bint found
    if along.w != 0.0:
        raise ValueError(f"way must be two numbers, got {way!r}")
    check_range(length(sub(place_a.p, place_b.p)) + length(along.v))
    with nogil:
        found = cast_shape(a, &place_a, along.v, b, &place_b, near, &strike)
    return as_result(&strike) if found else None


def search_impact(shape_a, pose_a, velocity_a, shape_b, pose_b, velocity_b, duration, tolerance,
                  center_a=(0.0, 0.0), center_b=(0.0, 0.0)):
    """What time_of_impact returns, how many distances it measured, whether it ended.

    Here a shape turns about a centre (m, in its own frame), whose velocity is given.
    """
    cdef const Geometry* ga = read_geometry(shape_a, "shape_a")
    cdef const Geometry* gb = read_geometry(shape_b, "shape_b")
    cdef Sweep a = read_sweep(pose_a, "pose_a", velocity_a, "velocity_a")
    cdef Sweep b = read_sweep(pose_b, "pose_b", velocity_b, "velocity_b")
    move_center(&a, center_a, "center_a")
    move_center(&b, center_b, "center_b")
    cdef double time = read_number(duration, "duration"), near = read_tolerance(tolerance)
    cdef Strike strike
    cdef bint found
    if not 0.0 <= time < INFINITY:
        raise ValueError(f"duration must be finite and >= 0, got {duration!r}")
    check_range(length(sub(a.center, b.center)) + time * (length(a.v) + length(b.v))
                + (1.0 + time) * (fabs(a.w) + fabs(b.w)) * (
                    1.0 + ga.bounding_radius + gb.bounding_radius))
    with nogil:
        found = find_impact(ga, &a, gb, &b, time, near, &strike)
    if not found:
        return None, strike.steps, True
    return as_result(&strike), strike.steps, bool(strike.finished)


cdef object as_result(const Strike* strike):
    return TimeOfImpact(strike.t, as_vector(strike.at.point), as_vector(strike.at.normal),
                        strike.at.gap)


cdef double read_tolerance(object value) except? -1.0:
    cdef double near = read_number(value, "tolerance")
    if not 0.0 < near < INFINITY:
        raise ValueError(f"tolerance must be finite and > 0, got {value!r}")
    return near


cdef int check_range(double reach) except -1:
    """OverflowError unless the cube of what the motion spans (m) is a double."""
    if not reach < MOST_REACH:
        raise OverflowError("the shapes move beyond the range of doubles")
    return 0


cdef int move_center(Sweep* sweep, object center, str name) except -1:
    """Let a motion turn about another point of the frame."""
    cdef double[2] place
    cdef Pose at = pose_at(sweep, 0.0)
    read_numbers(center, name, 2, place)
    if not (fabs(place[0]) < MOST_REACH and fabs(place[1]) < MOST_REACH):
        raise ValueError(f"{name} must be two finite numbers, got {center!r}")
    sweep.local_center = vec2(place[0], place[1])
    sweep.center = to_world(&at, sweep.local_center)
    return 0


cdef Sweep read_sweep(object pose, str pose_name, object velocity, str name) except *:
    cdef Pose at = read_pose(pose, pose_name)
    cdef Sweep out = at_rest(&at)
    cdef double[3] numbers
    numbers[2] = 0.0
    try:
        size = len(velocity)
    except TypeError:
        size = 3
    read_numbers(velocity, name, 2 if size == 2 else 3, numbers)
    out.v = vec2(numbers[0], numbers[1])
    out.w = numbers[2]
    if not (isfinite(out.v.x) and isfinite(out.v.y) and isfinite(out.w)):
        raise ValueError(f"{name} must be finite, got {velocity!r}")
    return out
