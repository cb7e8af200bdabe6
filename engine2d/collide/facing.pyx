"""Features end; facing.pxd has the contract."""

from libc.math cimport INFINITY, fabs
from libc.stdint cimport int32_t, int64_t

from enginecore.pair_table cimport high_of, low_of
from enginecore.scalar cimport greater, lesser
from engine2d.body cimport DYNAMIC, STATIC, Motion, Place
from engine2d.constants cimport TOI_TOLERANCE
from engine2d.contact cimport FAST, FOLLOWED, VOID
from engine2d.collide.geometry cimport (
    HULL, OUTLINE, Feature, Geometry, edge_along, feature_at, has_normal,
)
from engine2d.collide.narrow_phase cimport MOST_POINTS, Touch, find_contacts, refresh
from engine2d.pose cimport rotate, unrotate
from engine2d.store cimport ShapeData
from engine2d.collide.time_of_impact cimport Strike, find_next_impact, pose_at
from engine2d.vec2 cimport add, dot, length, scaled, sub, turn, vec2

# rad: how far outside its normals one still counts as an arc's or a corner's own.
cdef double SECTOR = 1e-6
# m, times the unit: contacts that move less in a piece of a step stay what they are.
cdef double HARDLY = 1e-4
# Share of a gap that may be left, or missing, when a straight line says that it has closed.
cdef double STRAIGHT = 0.02
# Times the piece: the last relax pass looks a sub-step ahead.
cdef double PIECE_RESERVE = 1.13
# m, times the unit: what is no higher above a face stands on it, or will.
cdef double FLOOR = 1e-3
# m, times the unit: deeper overlaps with what is flush with a floor are not from gliding onto it.
cdef double HIDDEN = 2e-3
# Cosine: contacts whose normals differ less push as the floor does.
cdef double UPRIGHT = 0.99
# Share of the thinner shape's thickness: features that overlap more may be seen from behind, from
# outside of the shape whose they are.
cdef double DEEP = 0.1


cdef inline const Geometry* geometry_of(const StepContext* ctx, const Contact* c,
                                        bint of_b) noexcept nogil:
    cdef int64_t key = ctx.pairs[c.pair].key
    return &ctx.shapes[high_of(key) if of_b else low_of(key)].geometry


# ---- small islands and large ones ----------------------------------------------------------------

cdef inline bint is_on_edge(const Geometry* g, int32_t f, Vec2 normal, Vec2 from_start,
                            double slack) noexcept nogil:
    """Whether a foot is on an edge, given where it is from the edge's begin."""
    cdef double along = dot(edge_along(normal), from_start), size
    cdef int32_t k = f // 2
    if along < -slack:
        return False
    if g.kind == HULL:
        size = length(sub(g.core[k + 1 if k + 1 < g.n_core else 0], g.core[k]))
    else:
        size = g.features[f].length
    return along <= size + slack


cdef inline bint is_of_arc(const Geometry* g, int32_t f, double r, Vec2 normal) noexcept nogil:
    """Whether an outward normal is one of an arc's. Discs, and the circles around a hull's corners,
    lie within the shape all around; corners are points."""
    return g.kind != OUTLINE or r == 0.0 or has_normal(&g.features[f], normal, SECTOR)


cdef double depth_of(const StepContext* ctx, const Contact* c) noexcept nogil:
    """m, to which features of two shapes overlap without a doubt. What crosses a line is as deep in
    it as it is long."""
    cdef int64_t key = ctx.pairs[c.pair].key
    cdef const ShapeData* a = &ctx.shapes[low_of(key)]
    cdef const ShapeData* b = &ctx.shapes[high_of(key)]
    cdef double thin = lesser(a.thickness, b.thickness)
    if thin > 0.0:
        return DEEP * thin
    return 2.0 * (a if a.thickness > 0.0 else b).geometry.bounding_radius


cdef bint are_apart(const StepContext* ctx, const Contact* c, double deep, const Pose* pa,
                    const Pose* pb) noexcept nogil:
    return c.at.gap < -deep and nearest_gap(ctx, c, pa, pb) > ctx.tol.touch


cdef bint faces(const StepContext* ctx, const Contact* c, const Pose* pa,
                const Pose* pb) noexcept nogil:
    return face_each_other(ctx, c, pa, pb) and not (
        c.at.gap < 0.0 and are_apart(ctx, c, depth_of(ctx, c), pa, pb))


cdef bint face_each_other(const StepContext* ctx, const Contact* c, const Pose* pa,
                          const Pose* pb) noexcept nogil:
    """Whether neither feature has ended where the other one is."""
    cdef const Touch* at = &c.at
    cdef const Geometry* a = geometry_of(ctx, c, False)
    cdef const Geometry* b = geometry_of(ctx, c, True)
    cdef Vec2 apart, na = unrotate(pa.q, scaled(-1.0, at.normal)), nb = unrotate(pb.q, at.normal)
    if at.f1 < 0 or at.f2 < 0:
        return True
    # from the second feature's point to the first one's
    apart = add(sub(pa.p, pb.p), sub(rotate(pa.q, at.c1), rotate(pb.q, at.c2)))
    if at.r2 == INFINITY:
        return (is_on_edge(b, at.f2, at.n, unrotate(pb.q, apart), ctx.tol.touch)
                and is_of_arc(a, at.f1, at.r1, na))
    if at.r1 == INFINITY:
        return (is_on_edge(a, at.f1, at.n, scaled(-1.0, unrotate(pa.q, apart)), ctx.tol.touch)
                and is_of_arc(b, at.f2, at.r2, nb))
    return is_of_arc(a, at.f1, at.r1, na) and is_of_arc(b, at.f2, at.r2, nb)


cdef inline bint corner_has(const Geometry* g, int32_t f, Vec2 normal) noexcept nogil:
    cdef Feature feature
    feature_at(g, f, &feature)
    return has_normal(&feature, normal, SECTOR)


cdef bint corners_face(const StepContext* ctx, const Contact* c, const Pose* pa,
                       const Pose* pb) noexcept nogil:
    return (corner_has(geometry_of(ctx, c, False), c.at.f1,
                       unrotate(pa.q, scaled(-1.0, c.at.normal)))
            and corner_has(geometry_of(ctx, c, True), c.at.f2, unrotate(pb.q, c.at.normal)))


cdef bint find_nearest(const StepContext* ctx, const Contact* c, const Pose* pa, const Pose* pb,
                       Touch* out) noexcept nogil:
    cdef Touch[MOST_POINTS] found
    cdef int k, best = 0, n = find_contacts(
        geometry_of(ctx, c, False), pa, geometry_of(ctx, c, True), pb, INFINITY, NULL, found,
        MOST_POINTS)
    if n == 0:
        return False
    for k in range(1, n):
        if found[k].gap < found[best].gap:
            best = k
    out[0] = found[best]
    return True


cdef double nearest_gap(const StepContext* ctx, const Contact* c, const Pose* pa,
                        const Pose* pb) noexcept nogil:
    cdef Touch nearest
    return nearest.gap if find_nearest(ctx, c, pa, pb, &nearest) else INFINITY


cdef double time_to_meet(const StepContext* ctx, const Contact* c, const Sweep* wa,
                         const Sweep* wb, double duration) noexcept nogil:
    cdef Strike strike
    cdef Touch nearest
    cdef Pose pa = pose_at(wa, 0.0), pb = pose_at(wb, 0.0)
    if not find_nearest(ctx, c, &pa, &pb, &nearest):
        return -1.0
    if nearest.gap <= ctx.tol.touch:
        return 0.0
    if duration > 0.0 and find_next_impact(
            geometry_of(ctx, c, False), wa, geometry_of(ctx, c, True), wb, duration,
            TOI_TOLERANCE * ctx.unit, &strike):
        return strike.t
    return -1.0


# ---- large islands -------------------------------------------------------------------------------

cdef inline Sweep way_of(const StepContext* ctx, int32_t row) noexcept nogil:
    """The motion of a body as it is now; who has no time left stands."""
    cdef Sweep out
    out.center = ctx.places[row].x
    out.local_center = ctx.bodies[row].local_center
    out.angle = ctx.places[row].angle
    out.v, out.w = ctx.motions[row].v, ctx.motions[row].w
    if ctx.bodies[row].kind == DYNAMIC and not ctx.left[row] > 0.0:
        out.v = vec2(0.0, 0.0)
        out.w = 0.0
    return out


cdef inline Vec2 velocity_of(const StepContext* ctx, int32_t row, Vec2 point) noexcept nogil:
    """m/s, of a body's point as `way_of` moves it."""
    cdef const Motion* motion = &ctx.motions[row]
    if ctx.bodies[row].kind == DYNAMIC and not ctx.left[row] > 0.0:
        return vec2(0.0, 0.0)
    return add(motion.v, turn(motion.w, sub(point, ctx.places[row].x)))


cdef double swept_toi(const StepContext* ctx, const Pair* pair, double dt) noexcept nogil:
    """When the sweep of a fast pair found that it meets; < 0: it does not."""
    cdef int32_t k
    for k in range(pair.first, pair.first + pair.n):
        if 0.0 <= ctx.contacts[k].toi <= dt:
            return ctx.contacts[k].toi
    return -1.0


cdef void confirm_open(StepContext* ctx, Contact* c, double dt) noexcept nogil:
    cdef Vec2 u
    cdef double rate = 0.0
    c.is_void = 0
    if c.toi <= 0.0:
        if c.at.gap <= ctx.tol.touch:
            return
        u = sub(velocity_of(ctx, c.a, c.at.point), velocity_of(ctx, c.b, c.at.point))
        rate = dot(c.at.normal, u)
        if c.at.gap + PIECE_RESERVE * dt * rate > 0.0 or length(u) * dt <= HARDLY * ctx.unit:
            return
    confirm_closing(ctx, c, dt, rate)


cdef void confirm_closing(StepContext* ctx, Contact* c, double dt, double rate) noexcept nogil:
    """`confirm_open` for a contact that closes within dt (s), at this rate of its gap (m/s) unless
    it was predicted."""
    cdef Pair* pair = &ctx.pairs[c.pair]
    cdef Touch was = c.at
    cdef Sweep wa = way_of(ctx, c.a), wb = way_of(ctx, c.b)
    cdef Pose pa, pb
    cdef Strike strike
    cdef double t, meets
    t = c.toi if c.toi > 0.0 else -was.gap / rate
    pa, pb = pose_at(&wa, t), pose_at(&wb, t)
    refresh(&c.at, &pa, &pb)
    c.is_void = FOLLOWED
    if c.toi > 0.0:
        return
    meets = swept_toi(ctx, pair, dt) if pair.flags & FAST else 0.0
    if (meets >= 0.0 and faces(ctx, c, &pa, &pb)
            and fabs(c.at.gap) <= ctx.tol.touch + STRAIGHT * was.gap):
        c.at = was
        c.is_void = 0
        return
    # the line is wrong: it is made anew where they meet, or else where they are in the end. The
    # last pass looks beyond that: there a body must not be through a line
    t = PIECE_RESERVE * dt
    if pair.flags & FAST and meets > 0.0:
        t = meets
    else:
        if ((has_outline(ctx, c) or not pair.flags & FAST) and find_next_impact(
                geometry_of(ctx, c, False), &wa, geometry_of(ctx, c, True), &wb,
                t if has_outline(ctx, c) else dt, TOI_TOLERANCE * ctx.unit, &strike)
                and strike.t > 0.0):
            t = strike.t
        if t > dt and not pair.flags & FAST:
            pair.flags |= FAST
            ctx.has_new_fast = True
    pa, pb = pose_at(&wa, t), pose_at(&wb, t)
    refresh(&c.at, &pa, &pb)
    if not faces(ctx, c, &pa, &pb):
        find_nearest(ctx, c, &pa, &pb, &c.at)
    c.toi = t


cdef void follow_up(const StepContext* ctx, Contact* c) noexcept nogil:
    cdef const Pose* pa = &ctx.places[c.a].pose
    cdef const Pose* pb = &ctx.places[c.b].pose
    refresh(&c.at, pa, pb)
    if c.is_void == VOID or not faces(ctx, c, pa, pb):
        find_nearest(ctx, c, pa, pb, &c.at)


cdef bint has_outline(const StepContext* ctx, const Contact* c) noexcept nogil:
    return (geometry_of(ctx, c, False).kind == OUTLINE
            or geometry_of(ctx, c, True).kind == OUTLINE)


cdef bint is_on_hull(const StepContext* ctx, const Contact* c) noexcept nogil:
    return geometry_of(ctx, c, ctx.bodies[c.a].kind == DYNAMIC).kind == HULL


# ---- seams ---------------------------------------------------------------------------------------

cdef bint find_face(const StepContext* ctx, const Contact* c, Vec2* up,
                    double* height) noexcept nogil:
    """The face of something static that a contact is on: its edge, or the edge beside its corner
    that faces the body. Its normal, and its height along that (m); False if there is none."""
    cdef bint of_b = ctx.bodies[c.b].kind == STATIC
    cdef const Geometry* g = geometry_of(ctx, c, of_b)
    cdef const Pose* pose = &ctx.places[c.b if of_b else c.a].pose
    cdef Vec2 n = unrotate(pose.q, c.at.normal if of_b else scaled(-1.0, c.at.normal))
    cdef int32_t f = c.at.f2 if of_b else c.at.f1, k = f // 2, other
    if g.kind != HULL or f < 0:
        return False
    if f % 2 == 0:
        if (c.at.r1 if of_b else c.at.r2) != INFINITY:
            return False
        other = k - 1 if k > 0 else g.n_core - 1
        if dot(g.normals[other], n) > dot(g.normals[k], n):
            k = other
        if dot(g.normals[k], n) < UPRIGHT:
            return False
    up[0] = rotate(pose.q, g.normals[k])
    height[0] = dot(g.normals[k], g.core[k]) + g.radius + dot(up[0], pose.p)
    return True


cdef bint is_floor(const StepContext* ctx, const Contact* c, Vec2* up) noexcept nogil:
    cdef double height
    return (c.at.gap <= FLOOR * ctx.unit and find_face(ctx, c, up, &height)
            and faces(ctx, c, &ctx.places[c.a].pose, &ctx.places[c.b].pose))


cdef inline double top_of(const Geometry* g, const Pose* pose, Vec2 up) noexcept nogil:
    """m: how far a hull or a disc reaches along a direction."""
    cdef Vec2 local = unrotate(pose.q, up)
    cdef double most = dot(local, g.core[0])
    cdef int32_t k
    for k in range(1, g.n_core):
        most = greater(most, dot(local, g.core[k]))
    return most + g.radius + dot(up, pose.p)


cdef bint is_hidden(const StepContext* ctx, const Contact* c, const Contact* floor) noexcept nogil:
    cdef bint of_b = ctx.bodies[c.b].kind == STATIC
    cdef const Geometry* g = geometry_of(ctx, c, of_b)
    cdef Vec2 up, n = c.at.normal if of_b else scaled(-1.0, c.at.normal)
    cdef double height
    if (c.pair == floor.pair or g.kind == OUTLINE or c.at.gap < -HIDDEN * ctx.unit
            or not find_face(ctx, floor, &up, &height)):
        return False
    if dot(n, up) > UPRIGHT and (c.at.r1 == INFINITY or c.at.r2 == INFINITY):
        return False
    return top_of(g, &ctx.places[c.b if of_b else c.a].pose, up) <= height + ctx.tol.touch


cdef bint has_stayed_above(const StepContext* ctx, const Pair* pair,
                           const Contact* floor) noexcept nogil:
    cdef bint of_b = ctx.bodies[ctx.shapes[high_of(pair.key)].body].kind == STATIC
    cdef const ShapeData* fixed = &ctx.shapes[high_of(pair.key) if of_b else low_of(pair.key)]
    cdef const ShapeData* moved = &ctx.shapes[low_of(pair.key) if of_b else high_of(pair.key)]
    cdef const Place* place = &ctx.places[moved.body]
    cdef Vec2 up
    cdef double height
    if (ctx.bodies[fixed.body].kind != STATIC or ctx.bodies[moved.body].kind == STATIC
            or fixed.geometry.kind == OUTLINE or moved.geometry.kind == OUTLINE
            or not (ctx.bodies[floor.a].kind == STATIC or ctx.bodies[floor.b].kind == STATIC)
            or floor.at.gap > FLOOR * ctx.unit or not find_face(ctx, floor, &up, &height)):
        return False
    return (top_of(&fixed.geometry, &ctx.places[fixed.body].pose, up) <= height + ctx.tol.touch
            and -top_of(&moved.geometry, &place.pose, scaled(-1.0, up))
            >= height - FLOOR * ctx.unit)
