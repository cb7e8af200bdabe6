"""The stage narrow_phase, pair by pair: which features of two shapes touch, will be met, or are let
through; contacts of pairs that hardly moved are brought up to date."""

from libc.math cimport INFINITY, fabs, sqrt
from libc.stdint cimport int64_t, uint8_t
from libc.string cimport memcpy

from enginecore.constants cimport CCD_SHARE, INITIAL_DEPTH, MET_DEPTH, SPEED_RESERVE
from enginecore.pair_table cimport high_of, low_of
from enginecore.prefetch cimport prefetch
from enginecore.scalar cimport greater, lesser
from engine2d.body cimport AWAKE, BULLET, DYNAMIC, INITIAL_OVERLAP, KINEMATIC, STATIC
from engine2d.collide.ahead cimport COMING_BELOW, NOT_COMING, Coming, comes_on
from engine2d.collide.geometry cimport OUTLINE, ROUND, Feature, Geometry, edge_along, feature_at
from engine2d.constants cimport (
    FRONT, MANIFOLD_COSINE, PARTED, SUNK_BEHIND, TOI_TOLERANCE,
)
from engine2d.contact cimport (
    ASLEEP, FAST, GONE, HIDING, IGNORED, OLD, ON_AHEAD, ONE_WAY, PAIRED, PASSING, SENSING, SENSOR,
    STRUCK, YIELDING, Contact, Pair, pair_thickness, set_mates,
)
from engine2d.solve.integrate cimport place_kinematic
from engine2d.collide.narrow_phase cimport MOST_POINTS, find_contacts, refresh
from engine2d.pose cimport Pose, rotate, unrotate
from engine2d.collide.time_of_impact cimport Strike, Sweep, find_next_impact, pose_at
from engine2d.vec2 cimport Vec2, add, cross, dot, length, scaled, sub, turn, vec2

cdef enum:
    PAIRS_AHEAD = 4       # pairs between asking for memory and using it
# Two bodies that moved less than this against each other keep the features that touch, which are
# brought up to date exactly; also as a share of their thicknesses.
cdef double RECYCLED = 1e-3      # m
cdef double RECYCLED_SHARE = 2e-3
# Times the margin: contacts are looked for so far, or a little more speed would have to look again.
cdef double LOOK_FARTHER = 1.1
# Shapes that overlap less than this beside the normal of a contact pass each other; also as a share
# of the smaller one's reach.
cdef double GRAZE = 1e-5         # m, as gaps that count as contact
cdef double GRAZE_SHARE = 1e-3
# Share of an edge's length by which a point may be beyond its end and still is on it.
cdef double ON_EDGE = 1e-9
# Share of the thinner one's thickness: what a kinematic body came into without room has room again
# once they overlap by less.
cdef double FREED = 0.02


# ---- pairs in motion --------------------------------------------------------------------------

cdef inline int32_t smaller_of(const StepContext* ctx, int32_t a, int32_t b) noexcept nogil:
    """Of two bodies, the one whose turning moves its outline less: they meet within its reach."""
    return b if ctx.bodies[b].swept_radius < ctx.bodies[a].swept_radius else a


cdef double way_of(const StepContext* ctx, int32_t small, int32_t large) noexcept nogil:
    """How far points of two bodies can move against each other in a step where they can meet.

    They meet within reach of the smaller one: what counts is how fast that moves through the larger
    one's frame, and turns in it; a large drum that turns with its load adds nothing.
    """
    cdef const Motion* u = &ctx.motions[small]
    cdef const Motion* v = &ctx.motions[large]
    cdef Vec2 arm = sub(ctx.places[small].x, ctx.places[large].x)
    cdef double spin = u.w - v.w if ctx.bodies[small].swept_radius > 0.0 else 0.0
    cdef double speed = length(sub(u.v, add(v.v, turn(v.w, arm))))
    # the larger one's circle bends away from its tangent
    cdef double bend = 0.5 * v.w * v.w * length(arm) if v.w != 0.0 else 0.0
    return (ctx.cover * (speed + fabs(spin) * ctx.bodies[small].swept_radius + bend * ctx.cover)
            + ctx.bodies[small].push + ctx.bodies[large].push)


cdef inline bint stands(const StepContext* ctx, int32_t row) noexcept nogil:
    """Whether a body has gone its way through the step already."""
    return (ctx.round > 0 and ctx.bodies[row].kind == DYNAMIC
            and not ctx.left[row] > 0.0)


cdef Sweep sweep_of(const StepContext* ctx, int32_t row) noexcept nogil:
    """The motion of a body as it is now; what its user pushes goes to where that leads."""
    cdef Sweep out
    cdef const BodyData* body = &ctx.bodies[row]
    cdef double half = 0.5 * ctx.cover
    out.center = ctx.places[row].x
    out.local_center = ctx.bodies[row].local_center
    out.angle = ctx.places[row].angle
    out.v = ctx.motions[row].v
    out.w = ctx.motions[row].w
    if stands(ctx, row):
        out.v = vec2(0.0, 0.0)
        out.w = 0.0
    elif body.push > 0.0:
        out.v = add(out.v, scaled(half * body.gravity_scale, ctx.gravity))
        out.v = add(out.v, scaled(half * ctx.motions[row].inv_m, body.force))
        out.w += half * ctx.motions[row].inv_I * body.torque
    return out


cdef int32_t add_speculative(const StepContext* ctx, const ShapeData* a, const ShapeData* b,
                             Touch* touches, int32_t n, double* toi) noexcept nogil:
    """Add the features at which a fast pair will meet to its n touches; returns how many there are.

    toi: when they meet there.
    """
    cdef Sweep sweep_a = sweep_of(ctx, a.body), sweep_b = sweep_of(ctx, b.body)
    cdef Touch[MOST_POINTS] then
    cdef Strike strike
    cdef Pose pa, pb
    cdef int32_t k, i, count
    cdef double near = 2.0 * TOI_TOLERANCE * ctx.unit, nearest = 0.0
    # what touches already has its contacts
    if not find_next_impact(&a.geometry, &sweep_a, &b.geometry, &sweep_b, ctx.cover,
                            TOI_TOLERANCE * ctx.unit, &strike):
        return n
    pa = pose_at(&sweep_a, strike.t)
    pb = pose_at(&sweep_b, strike.t)
    count = find_contacts(&a.geometry, &pa, &b.geometry, &pb, ctx.margin, NULL, then,
                          MOST_POINTS)
    # the nearest of them in any case
    for k in range(count):
        if k == 0 or then[k].gap < nearest:
            nearest = then[k].gap
    near = greater(near, nearest)
    for k in range(count):
        i = 0
        while i < n and not (touches[i].f1 == then[k].f1 and touches[i].f2 == then[k].f2):
            i += 1
        if i == n and n < MOST_POINTS:
            touches[n] = then[k]
            refresh(&touches[n], &ctx.places[a.body].pose, &ctx.places[b.body].pose)
            n += 1
        if i < MOST_POINTS and then[k].gap <= near:
            toi[i] = strike.t
    return n


cdef void span(const Geometry* shape, const Pose* pose, Vec2 axis, Vec2 origin, double* low,
               double* high) noexcept nogil:
    """How far a disc or a hull reaches along an axis (m, from an origin)."""
    cdef double middle = dot(sub(pose.p, origin), axis), at
    cdef Vec2 local = unrotate(pose.q, axis)
    cdef int32_t k
    low[0] = INFINITY
    high[0] = -INFINITY
    for k in range(shape.n_core):
        at = dot(shape.core[k], local)
        low[0] = lesser(low[0], at)
        high[0] = greater(high[0], at)
    low[0] += middle - shape.radius
    high[0] += middle + shape.radius


cdef bint passes_by(const StepContext* ctx, const ShapeData* a, const ShapeData* b,
                    const Touch* touch) noexcept nogil:
    """Whether two shapes only seem to meet along the normal: beside it they do not overlap.

    A box that slides from one tile to the next has its corner at the end of the next one's side.
    Turning and sideways motion may make them overlap within the step; then they do meet.
    """
    cdef const Motion* u = &ctx.motions[a.body]
    cdef const Motion* v = &ctx.motions[b.body]
    cdef Vec2 axis = vec2(-touch.normal.y, touch.normal.x)
    cdef const Pose* pose_a = &ctx.places[a.body].pose
    cdef const Pose* pose_b = &ctx.places[b.body].pose
    cdef double low_a, high_a, low_b, high_b, over, sideways
    cdef double least = lesser(GRAZE * ctx.unit,
                               GRAZE_SHARE * lesser(a.geometry.bounding_radius,
                                                    b.geometry.bounding_radius))
    cdef double turning = fabs(u.w) * ctx.places[a.body].bounding_radius + (
        fabs(v.w) * ctx.places[b.body].bounding_radius)
    if (a.geometry.kind == OUTLINE or b.geometry.kind == OUTLINE
            or ctx.cover * turning > least + ctx.margin):
        return False
    span(&a.geometry, pose_a, axis, pose_b.p, &low_a, &high_a)
    span(&b.geometry, pose_b, axis, pose_b.p, &low_b, &high_b)
    sideways = dot(sub(u.v, v.v), axis)
    if high_a - low_b < high_b - low_a:
        over = high_a - low_b
    else:
        over = high_b - low_a
        sideways = -sideways
    return over + ctx.cover * (greater(sideways, 0.0) + turning) <= least


cdef inline double opening_rate(const StepContext* ctx, int32_t a, int32_t b,
                                const Touch* touch) noexcept nogil:
    """m/s, at which a gap opens."""
    cdef Vec2 u = add(ctx.motions[a].v,
                      turn(ctx.motions[a].w, sub(touch.point, ctx.places[a].x)))
    cdef Vec2 v = add(ctx.motions[b].v,
                      turn(ctx.motions[b].w, sub(touch.point, ctx.places[b].x)))
    return dot(touch.normal, sub(u, v))


cdef bint is_on_ahead(const StepContext* ctx, const ShapeData* a, const ShapeData* b,
                      const Touch* touch) noexcept nogil:
    """Whether a contact is with an edge of an outline that its point has not come to yet."""
    cdef Feature edge
    cdef const Pose* pose
    cdef double t
    if touch.r2 == INFINITY and b.geometry.kind == OUTLINE and touch.f2 >= 0:
        feature_at(&b.geometry, touch.f2, &edge)
        pose = &ctx.places[b.body].pose
    elif touch.r1 == INFINITY and a.geometry.kind == OUTLINE and touch.f1 >= 0:
        feature_at(&a.geometry, touch.f1, &edge)
        pose = &ctx.places[a.body].pose
    else:
        return False
    t = dot(edge_along(edge.low), sub(unrotate(pose.q, sub(touch.point, pose.p)), edge.c))
    return t < -ON_EDGE * edge.length or t > (1.0 + ON_EDGE) * edge.length


cdef inline bint are_apart(const Touch* touches, double unit) noexcept nogil:
    """Whether two contacts of one direction are so far apart that what is between them overlaps
    beside the normal."""
    return (dot(touches[0].normal, touches[1].normal) > MANIFOLD_COSINE
            and fabs(cross(touches[0].normal, sub(touches[1].point, touches[0].point)))
            > 4.0 * GRAZE * unit)


cdef inline bint is_same(const Contact* one, const Contact* other) noexcept nogil:
    """Whether two contacts of a pair are of the same features."""
    return one.at.f1 == other.at.f1 and one.at.f2 == other.at.f2


cdef void carry_over(Contact* new, const Contact* old, int32_t n_old, bint later) noexcept nogil:
    """Take the impulses of the same two features from the pair's contacts of last time; later: and
    what they did in this step so far."""
    cdef int32_t k
    for k in range(n_old):
        if not is_same(&old[k], new):
            continue
        if later:
            new.sum_n, new.sum_t, new.hit = old[k].sum_n, old[k].sum_t, old[k].hit
            new.flags |= old[k].flags & STRUCK
        if not old[k].flags & GONE:
            new.fn, new.ft = old[k].fn, old[k].ft
            new.mode_n, new.mode_t = old[k].mode_n, old[k].mode_t
            new.flags |= OLD
        return


cdef int32_t keep_gone(Pair* pair, const Contact* old, Contact* out, int32_t at,
                       int32_t n) noexcept nogil:
    """Of a pair's contacts of earlier in this step, those that did something and are not among the
    n new ones from out[at] on: they are told, and push nothing. Returns how many."""
    cdef int32_t k, i, count = 0
    cdef Contact* c
    for k in range(pair.n):
        if not (old[k].flags & STRUCK or old[k].sum_n > 0.0) or n + count >= MOST_POINTS:
            continue
        i = 0
        while i < n and not is_same(&out[at + i], &old[k]):
            i += 1
        if i < n:
            continue
        c = &out[at + n + count]
        c[0] = old[k]
        c.flags = GONE | (old[k].flags & STRUCK)
        c.fn = c.ft = 0.0
        c.mode_n = c.mode_t = 0
        c.toi = -1.0
        # they end with the step: the next one must not take them over
        pair.recycling_margin = -1.0
        count += 1
    return count


cdef inline bint is_fast(const StepContext* ctx, const ShapeData* a, const ShapeData* b,
                         double way) noexcept nogil:
    """Whether what two shapes meet on a way (m) is not what faces them now."""
    return (way > CCD_SHARE * pair_thickness(a, b)
            or (ctx.bodies[a.body].flags | ctx.bodies[b.body].flags) & BULLET != 0)


cdef bint is_sunk(const Touch* touches, int32_t n, const ShapeData* a,
                  const ShapeData* b) noexcept nogil:
    """Whether two shapes overlap so much that they have met long ago."""
    cdef int32_t k
    for k in range(n):
        if touches[k].gap < -MET_DEPTH * (a.thickness + b.thickness):
            return True
    return False


cdef void note_overlap(const StepContext* ctx, const ShapeData* a, const ShapeData* b,
                       const Touch* touches, int32_t n, Pair* pair) noexcept nogil:
    """Mark a pair that overlaps deeply from when one of the two is put there until it no longer
    does."""
    cdef int32_t k
    if not (pair.flags & INITIAL_OVERLAP
            or (ctx.bodies[a.body].flags | ctx.bodies[b.body].flags) & INITIAL_OVERLAP):
        return
    pair.flags &= ~<int32_t>INITIAL_OVERLAP
    for k in range(n):
        if touches[k].gap < -INITIAL_DEPTH * ctx.unit:
            pair.flags |= INITIAL_OVERLAP


cdef void note_parting(const ShapeData* a, const ShapeData* b, const Touch* touches, int32_t n,
                       Pair* pair) noexcept nogil:
    """A kinematic body that came on without room pushes again once it is out of the other."""
    cdef double deepest = 0.0
    cdef int32_t k
    for k in range(n):
        deepest = greater(deepest, -touches[k].gap)
    if deepest < FREED * lesser(a.thickness, b.thickness):
        pair.flags &= ~<int32_t>YIELDING


cdef inline Pose sight_of(const StepContext* ctx, int32_t small, int32_t large) noexcept nogil:
    """The smaller body in the frame of the larger one: its centre of mass, and how it is turned."""
    cdef const Place* place = &ctx.places[small]
    cdef const Pose* base = &ctx.places[large].pose
    cdef Pose out
    out.p = unrotate(base.q, sub(place.x, base.p))
    out.q = unrotate(base.q, place.pose.q)
    return out


cdef inline bint is_unmoved(const StepContext* ctx, const Pair* pair, const Pose* now,
                            int32_t small, double far, double margin) noexcept nogil:
    """Whether two bodies have moved so little against each other since they were looked at that
    they have the contacts they had: none by what there was between them beyond the margin, else by
    at most `far` (m)."""
    if pair.n == 0:
        far = pair.recycling_margin - margin
    elif pair.recycling_margin < margin + far:
        return False
    if far < 0.0:
        return False
    # the chord of the angle turned: what turning moves at a distance of 1 m
    return (length(sub(now.p, pair.cached_pose.p))
            + length(sub(now.q, pair.cached_pose.q)) * ctx.bodies[small].swept_radius <= far)


cdef inline double sum_of_sides(Vec2 a) noexcept nogil:
    """m, no less than a vector's length, and without its root."""
    return fabs(a.x) + fabs(a.y)


cdef inline bint is_surely_unmoved(const StepContext* ctx, const Pair* pair, const Pose* now,
                                   int32_t small, int32_t large, double far) noexcept nogil:
    """`is_unmoved` by bounds that take no roots: true for most pairs at rest."""
    cdef const Motion* u = &ctx.motions[small]
    cdef const Motion* v = &ctx.motions[large]
    cdef Vec2 arm = sub(ctx.places[small].x, ctx.places[large].x)
    cdef double reach = ctx.bodies[small].swept_radius
    cdef double speed = sum_of_sides(sub(u.v, add(v.v, turn(v.w, arm)))) + fabs(u.w - v.w) * reach
    cdef double margin = ctx.margin + ctx.fall + SPEED_RESERVE * (
        ctx.cover * (speed + 0.5 * v.w * v.w * sum_of_sides(arm) * ctx.cover)
        + ctx.bodies[small].push + ctx.bodies[large].push)
    if pair.n == 0:
        far = pair.recycling_margin - margin
    elif pair.recycling_margin < margin + far:
        return False
    return (sum_of_sides(sub(now.p, pair.cached_pose.p))
            + sum_of_sides(sub(now.q, pair.cached_pose.q)) * reach <= far)


cdef int32_t recycle(const StepContext* ctx, const Pair* pair, const Contact* old, Contact* out,
                     int32_t at) noexcept nogil:
    """The contacts of a pair that has hardly moved: the same features; returns how many."""
    cdef int32_t n = keep(ctx.shapes, pair, old, out, at), k
    cdef Contact* c
    for k in range(at, at + n):
        c = &out[k]
        refresh(&c.at, &ctx.places[c.a].pose, &ctx.places[c.b].pose)
        c.mu, c.e, c.toi, c.is_void = pair.mu, pair.e, -1.0, False
        c.flags = OLD | (c.flags & (PAIRED | INITIAL_OVERLAP | ON_AHEAD
                                    | (STRUCK if ctx.later else 0)))
        if not ctx.later:
            c.sum_n = c.sum_t = 0.0
            c.hit = 0
    return n


cdef inline bint is_from_behind(const StepContext* ctx, const ShapeData* one_way, Vec2 push,
                                double gap, bint borne) noexcept nogil:
    """Whether a shape that pushes what it meets along `push` is not met from its one side. borne:
    it has met it before."""
    cdef Vec2 front
    if one_way.through.x == 0.0 and one_way.through.y == 0.0:
        return False
    front = rotate(ctx.places[one_way.body].pose.q, one_way.through)
    return dot(front, push) < FRONT or (not borne and gap < -SUNK_BEHIND * ctx.unit)


cdef int32_t let_through(const StepContext* ctx, const ShapeData* a, const ShapeData* b, Pair* pair,
                         Touch* touches, double* toi, int32_t n) noexcept nogil:
    """Leave out the touches of a pair that passes, and those of a one-way shape from behind;
    returns how many are left."""
    cdef double nearest = INFINITY
    cdef int32_t k, kept = 0
    cdef bint borne = pair.n > 0
    cdef Vec2 normal
    for k in range(n):
        nearest = lesser(nearest, touches[k].gap)
    if nearest > PARTED * ctx.unit:
        pair.flags &= ~<int32_t>PASSING
    for k in range(n):
        normal = touches[k].normal
        if pair.flags & PASSING or is_from_behind(
                ctx, a, scaled(-1.0, normal), touches[k].gap, borne) or is_from_behind(
                ctx, b, normal, touches[k].gap, borne):
            continue
        touches[kept] = touches[k]
        toi[kept] = toi[k]
        kept += 1
    if n > 0 and kept == 0:
        # what is behind stays there until it is out again, whichever way it then goes
        pair.flags = (pair.flags | PASSING) & ~<int32_t>FAST
        pair.recycling_margin = -1.0
    return kept


cdef enum:
    NOT_PLAIN = -1    # of look_at_discs: more has to be looked at


cdef inline bint is_centred_disc(const StepContext* ctx, const ShapeData* shape) noexcept nogil:
    return shape.geometry.kind == ROUND and ctx.bodies[shape.body].swept_radius == 0.0


cdef int32_t look_at_discs(const StepContext* ctx, Pair* pair, const ShapeData* a,
                           const ShapeData* b, const Contact* old, Contact* out,
                           int32_t at) noexcept nogil:
    """`look_at` for two discs around the centres of their bodies, which their turning does not
    move; NOT_PLAIN, and nothing is written, if they are fast or not there by their own motion."""
    cdef const BodyData* body_a = &ctx.bodies[a.body]
    cdef const BodyData* body_b = &ctx.bodies[b.body]
    cdef Vec2 apart = sub(ctx.places[a.body].x, ctx.places[b.body].x)
    cdef Vec2 speed = sub(ctx.motions[a.body].v, ctx.motions[b.body].v)
    cdef double push = body_a.push + body_b.push, away2 = dot(apart, apart)
    cdef double way2 = ctx.cover * ctx.cover * dot(speed, speed)
    # as far as others are looked at, if they do not come nearer
    cdef double most = (a.geometry.radius + b.geometry.radius + RECYCLED * ctx.unit
                        + LOOK_FARTHER * (ctx.margin + SPEED_RESERVE * push + ctx.fall))
    cdef double slow = CCD_SHARE * pair_thickness(a, b) - push
    cdef bint fast, far = away2 > most * most
    if (pair.flags & (SENSING | INITIAL_OVERLAP | ONE_WAY | PASSING)
            or (body_a.flags | body_b.flags) & INITIAL_OVERLAP):
        return NOT_PLAIN
    # is_fast, without a root
    fast = slow < 0.0 or way2 > slow * slow or (body_a.flags | body_b.flags) & BULLET != 0
    if far:
        most += LOOK_FARTHER * SPEED_RESERVE * sqrt(way2)
        far = away2 > most * most
    if fast and not far:
        return NOT_PLAIN
    # what is as it was is not written: most pairs stay as they are
    if pair.recycling_margin != -1.0:
        pair.recycling_margin = -1.0
    if pair.flags & (FAST | HIDING):
        pair.flags &= ~<int32_t>(FAST | HIDING)
    if far:
        if fast:
            pair.flags |= FAST
        return 0
    place_discs(ctx, a, b, apart, sqrt(away2), &out[at].at)
    begin_contact(pair, a, b, -1.0, 0, &out[at])
    carry_over(&out[at], &old[pair.first], pair.n, False)
    return 1


cdef inline void place_discs(const StepContext* ctx, const ShapeData* a, const ShapeData* b,
                             Vec2 apart, double size, Touch* out) noexcept nogil:
    """The contact of two discs around the centres of their bodies, `apart` (m, from B to A) and so
    long; as refresh makes it."""
    cdef const Vec2* x = &ctx.places[a.body].x
    cdef double s
    out.r1, out.r2 = a.geometry.radius, b.geometry.radius
    out.c1, out.c2 = ctx.bodies[a.body].local_center, ctx.bodies[b.body].local_center
    out.n = vec2(0.0, 0.0)
    out.f1 = out.f2 = 0
    out.normal = scaled(1.0 / size, apart) if size > 0.0 else vec2(0.0, 1.0)
    out.gap = size - (out.r1 + out.r2)
    s = out.r1 + 0.5 * out.gap
    out.point = vec2(x.x - s * out.normal.x, x.y - s * out.normal.y)


cdef inline void begin_contact(const Pair* pair, const ShapeData* a, const ShapeData* b, double toi,
                               uint8_t flags, Contact* c) noexcept nogil:
    """All of a contact but its features: nothing has happened there yet."""
    c.mu, c.e, c.toi = pair.mu, pair.e, toi
    c.fn = c.ft = c.sum_n = c.sum_t = 0.0
    c.hit = c.unused = 0
    c.a, c.b = a.body, b.body
    c.mode_n = c.mode_t = 0
    c.is_void = False
    c.flags = flags


cdef int32_t look_at(const StepContext* ctx, Pair* pair, const Contact* old, Contact* out,
                     int32_t at) noexcept nogil:
    """Write the contacts of one pair from out[at] on; returns how many."""
    cdef Touch[MOST_POINTS] touches
    cdef double[MOST_POINTS] toi
    cdef const ShapeData* a = &ctx.shapes[low_of(pair.key)]
    cdef const ShapeData* b = &ctx.shapes[high_of(pair.key)]
    cdef const Contact* before = &old[pair.first]
    cdef Contact* c
    cdef int32_t small = smaller_of(ctx, a.body, b.body), large = a.body + b.body - small
    cdef int32_t n, k, kept = 0
    cdef double way, margin = 0.0, far
    cdef bint beside, ahead, fast
    cdef Coming comes
    cdef Pose now
    pair.flags &= ~<int32_t>(FAST | HIDING)
    if not pair.flags & SENSING:
        now = sight_of(ctx, small, large)
        far = lesser(RECYCLED * ctx.unit, RECYCLED_SHARE * pair_thickness(a, b))
        if is_surely_unmoved(ctx, pair, &now, small, large, far):
            return recycle(ctx, pair, old, out, at)
    way = way_of(ctx, small, large)
    if not pair.flags & SENSING:
        margin = ctx.margin + SPEED_RESERVE * way + ctx.fall
        if is_unmoved(ctx, pair, &now, small, far, margin):
            return recycle(ctx, pair, old, out, at)
        margin = LOOK_FARTHER * margin + RECYCLED * ctx.unit
        pair.recycling_margin = margin
        pair.cached_pose = now
    n = find_contacts(&a.geometry, &ctx.places[a.body].pose, &b.geometry,
                      &ctx.places[b.body].pose, margin, &pair.cache, touches, MOST_POINTS)
    note_overlap(ctx, a, b, touches, n, pair)
    if pair.flags & YIELDING:
        note_parting(a, b, touches, n, pair)
    if n == 0 and not pair.flags & SENSING:
        # What is farther away than the margin is not met on the present ways, however fast; one
        # that is fast is looked at again along the way that it went.
        pair.recycling_margin = pair.cache.clear
        pair.flags &= ~<int32_t>PASSING
        if is_fast(ctx, a, b, way):
            pair.flags |= FAST
        return keep_gone(pair, before, out, at, 0) if ctx.later else 0
    fast = (not pair.flags & SENSING and not is_sunk(touches, n, a, b)
            and is_fast(ctx, a, b, way))
    comes = NOT_COMING
    if n <= 2 and not pair.flags & (SENSING | ONE_WAY | PASSING):
        comes = comes_on(ctx, pair, before, True, touches, n)
        if comes == NOT_COMING:
            comes = comes_on(ctx, pair, before, False, touches, n)
    if comes != NOT_COMING:
        n = 1
    if fast:
        pair.flags |= FAST
        pair.recycling_margin = -1.0
        for k in range(MOST_POINTS):
            toi[k] = -1.0
        n = add_speculative(ctx, a, b, touches, n, toi)
        if comes == COMING_BELOW:
            # it is turned along other edges before
            n = 1
    if pair.flags & (ONE_WAY | PASSING) and not pair.flags & SENSING:
        n = let_through(ctx, a, b, pair, touches, toi, n)
    beside = n == 2 and are_apart(touches, ctx.unit)
    for k in range(n):
        if not (pair.flags & SENSING or beside) and passes_by(ctx, a, b, &touches[k]):
            # for now: what slides on will rest on it
            pair.recycling_margin = -1.0
            continue
        ahead = is_on_ahead(ctx, a, b, &touches[k])
        if ahead and not pair.flags & FAST and touches[k].gap > (
                ctx.fall - SPEED_RESERVE * ctx.cover * lesser(
                    opening_rate(ctx, a.body, b.body, &touches[k]), 0.0)):
            # an edge that it does not come to in this step
            pair.recycling_margin = -1.0
            continue
        c = &out[at + kept]
        kept += 1
        c.at = touches[k]
        begin_contact(pair, a, b, toi[k] if pair.flags & FAST else -1.0,
                      SENSOR if pair.flags & SENSING else pair.flags & INITIAL_OVERLAP, c)
        carry_over(c, before, pair.n, ctx.later)
        if ahead or (comes != NOT_COMING and k == 0):
            c.flags |= ON_AHEAD
    set_mates(out, at, kept)
    if ctx.later:
        kept += keep_gone(pair, before, out, at, kept)
    return kept


cdef int32_t keep(const ShapeData* shapes, const Pair* pair, const Contact* old, Contact* out,
                  int32_t at) noexcept nogil:
    """Copy the contacts of a pair that sleeps; returns how many."""
    cdef int32_t k
    memcpy(&out[at], &old[pair.first], pair.n * sizeof(Contact))
    for k in range(at, at + pair.n):
        out[k].a = shapes[low_of(pair.key)].body
        out[k].b = shapes[high_of(pair.key)].body
        out[k].flags |= ASLEEP
    return pair.n


cdef inline bint sleeps(const BodyData* body) noexcept nogil:
    """Whether nothing has happened to it: what is not dynamic is awake when it was disturbed."""
    return not body.flags & AWAKE


cdef inline void ask_ahead(ContactStore store, const StepContext* ctx,
                           int64_t at) noexcept nogil:
    """Ask for the memory of pairs to come: pairs are in the order of A, their Bs are anywhere."""
    cdef const ShapeData* shape
    cdef int32_t row
    if at + 2 * PAIRS_AHEAD < store.n_pairs:
        prefetch(&ctx.shapes[high_of(store.pairs[at + 2 * PAIRS_AHEAD].key)])
    if at + PAIRS_AHEAD < store.n_pairs:
        shape = &ctx.shapes[high_of(store.pairs[at + PAIRS_AHEAD].key)]
        row = shape.body
        prefetch(shape.geometry.core)
        prefetch(&ctx.bodies[row])
        prefetch(&ctx.motions[row])
        prefetch(&ctx.places[row])


cdef inline int32_t look_at_any(const StepContext* ctx, Pair* pair, const Contact* old,
                                Contact* out, int32_t at) noexcept nogil:
    """`look_at`, the short way where there is one."""
    cdef const ShapeData* a = &ctx.shapes[low_of(pair.key)]
    cdef const ShapeData* b = &ctx.shapes[high_of(pair.key)]
    cdef int32_t n = NOT_PLAIN
    if not ctx.later and is_centred_disc(ctx, a) and is_centred_disc(ctx, b):
        n = look_at_discs(ctx, pair, a, b, old, out, at)
    return n if n != NOT_PLAIN else look_at(ctx, pair, old, out, at)


cdef inline bint touches_static(const StepContext* ctx, const Pair* pair) noexcept nogil:
    return (ctx.bodies[ctx.shapes[low_of(pair.key)].body].kind == STATIC
            or ctx.bodies[ctx.shapes[high_of(pair.key)].body].kind == STATIC)


cdef int64_t find_from(ContactStore store, const StepContext* ctx, int64_t at) noexcept nogil:
    """Look at pairs from `at` on while there is room; returns the first not looked at."""
    cdef Pair* pair
    cdef int32_t n, a, b, k
    while at < store.n_pairs and store.n + MOST_POINTS <= store.room:
        pair = &store.pairs[at]
        ask_ahead(store, ctx, at)
        n = 0
        if pair.flags & IGNORED:
            pair.recycling_margin = -1.0
        else:
            a = ctx.shapes[low_of(pair.key)].body
            b = ctx.shapes[high_of(pair.key)].body
            if sleeps(&ctx.bodies[a]) and sleeps(&ctx.bodies[b]) and not pair.flags & SENSING:
                n = keep(ctx.shapes, pair, store.contacts, store.spare, store.n)
            else:
                n = look_at_any(ctx, pair, store.contacts, store.spare, store.n)
        if pair.first != store.n or pair.n != n:
            pair.first = store.n
            pair.n = n
        for k in range(store.n, store.n + n):
            store.spare[k].pair = <int32_t>at
        if pair.flags & INITIAL_OVERLAP:
            store.n_overlaps += n
        if pair.flags & FAST:
            store.fast[store.n_fast] = <int32_t>at
            store.n_fast += 1
        if n > 0 and touches_static(ctx, pair):
            store.held[store.n_held] = <int32_t>at
            store.n_held += 1
        store.n += n
        at += 1
    return at


cdef int64_t find_again_from(ContactStore store, StepContext* ctx, int64_t at) noexcept nogil:
    """Look at pairs that have a body with time left, from place `at` of store.unfinished on, while
    there is room; returns the first not looked at."""
    cdef Pair* pair
    cdef int32_t a, b, i, n, k
    # of the step, when this part of it ends
    cdef double end = ctx.begun + ctx.dt, left
    while at < store.n_unfinished and store.n + MOST_POINTS <= store.room:
        pair = &store.pairs[store.unfinished[at]]
        a = ctx.shapes[low_of(pair.key)].body
        b = ctx.shapes[high_of(pair.key)].body
        left = greater(ctx.left[a], ctx.left[b])
        if not left > 0.0:
            at += 1
            continue
        # by their own clocks: what others have left must not matter
        ctx.cover = left
        ctx.fall = length(ctx.gravity) * left * left
        for i in range(2):
            k = b if i else a
            if ctx.bodies[k].kind == KINEMATIC:
                place_kinematic(&ctx.bodies[k], &ctx.motions[k], &ctx.before[k], end - left,
                                &ctx.places[k])
        n = look_at(ctx, pair, store.contacts, store.contacts, store.n)
        pair.first = store.n
        pair.n = n
        for k in range(store.n, store.n + n):
            store.contacts[k].pair = store.unfinished[at]
        store.n += n
        at += 1
    return at


cdef int64_t write_unfinished(ContactStore store, const StepContext* ctx) noexcept nogil:
    """List the pairs with a body that has time left; returns how many."""
    cdef const Pair* pair
    cdef int64_t at, n = 0
    for at in range(store.n_pairs):
        pair = &store.pairs[at]
        if (ctx.left[ctx.shapes[low_of(pair.key)].body] > 0.0
                or ctx.left[ctx.shapes[high_of(pair.key)].body] > 0.0):
            if not pair.flags & (IGNORED | SENSING):
                store.unfinished[n] = <int32_t>at
                n += 1
    return n


# ---- the stage --------------------------------------------------------------------------------

cdef int find_all(ContactStore store, const StepContext* ctx) except -1 nogil:
    cdef int64_t at = 0
    store.n = store.n_overlaps = 0
    store.n_fast = store.n_held = 0
    store.is_listed = False
    if store.n_pairs > store.listed_room:
        store.grow_lists()
    store.found_changes = store.seen_changes
    while True:
        at = find_from(store, ctx, at)
        if at == store.n_pairs:
            break
        store.reserve(2 * store.room)
    store.exchange()
    return 0


cdef int32_t find_again(ContactStore store, StepContext* ctx) except -1 nogil:
    cdef int64_t at = 0
    cdef int32_t first = store.n
    if not store.is_listed:
        list_unfinished(store, ctx)
    while True:
        at = find_again_from(store, ctx, at)
        if at == store.n_unfinished:
            return first
        store.reserve(2 * store.room)


cdef int list_unfinished(ContactStore store, const StepContext* ctx) except -1 nogil:
    """List the pairs that later rounds look at."""
    if store.n_pairs > store.unfinished_room:
        store.grow_unfinished()
    store.n_unfinished = write_unfinished(store, ctx)
    store.is_listed = True
    return 0
