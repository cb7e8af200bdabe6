"""The piece of a floor that a body comes on to; ahead.pxd has the contract."""

from enginecore.constants cimport SPEED_RESERVE
from enginecore.pair_table cimport high_of, low_of
from enginecore.scalar cimport greater, lesser
from engine2d.body cimport DYNAMIC
from engine2d.collide.geometry cimport HULL, OUTLINE, Geometry, edge_along
from engine2d.collide.hull cimport write_stand
from engine2d.collide.narrow_phase cimport refresh
from engine2d.pose cimport Pose, seen_from, to_world, unrotate
from engine2d.store cimport ShapeData
from engine2d.vec2 cimport Vec2, add, dot, length, scaled, sub, turn

# Cosine of the angle at which edges go on from each other at most, as those of outlines; its
# tangent, and that of half of it.
cdef double BENDS_ON = 0.9
cdef double STEEP = 0.48
cdef double TURNS_ON = 0.23
# Cosine: an edge that is at a smaller angle to the floor's stands on its end.
cdef double LEVEL = 0.9986
# m, times the unit: what has sunk so far into the edge that it came on is still on it.
cdef double SUNK_ON = 2e-3
# m/s, times the root of the unit: what is slower against a floor stands there.
cdef double STILL_SPEED = 1e-6

# Two shapes, the one that may come on, and the floor.
cdef struct Arrival:
    const StepContext* ctx
    const Geometry* own    # what comes
    const Geometry* floor
    int32_t body           # rows
    int32_t base
    bint on_b              # the floor is B's
    Pose local             # of what comes, in the floor's frame

# What comes, as seen from an edge.
cdef struct Approach:
    int32_t corner   # of what comes; a disc's is 0
    double height    # m, above the edge's line
    double lowest    # m, of all of what comes
    double beyond    # m, beyond its end; < 0: above the edge, so far from its nearer end
    double comes     # m/s, towards the edge, along it
    double opens     # m/s, away from the line


cdef inline int32_t corner_after(const Geometry* g, int32_t k) noexcept nogil:
    return k + 1 if k + 1 < g.n_core else 0


cdef inline int32_t corner_before(const Geometry* g, int32_t k) noexcept nogil:
    return k - 1 if k > 0 else g.n_core - 1


cdef inline Vec2 velocity_at(const StepContext* ctx, int32_t row, Vec2 point) noexcept nogil:
    """m/s, of a body's point that is there."""
    return add(ctx.motions[row].v, turn(ctx.motions[row].w, sub(point, ctx.places[row].x)))


cdef inline double height_above(const Arrival* s, int32_t k, Vec2 point) noexcept nogil:
    """m, of a point of what comes above the line of the edge from corner k on."""
    return dot(s.floor.normals[k], sub(to_world(&s.local, point), s.floor.core[k])) - s.floor.radius


cdef double lowest_above(const Arrival* s, int32_t k) noexcept nogil:
    """m, of what comes: all of it is above the line that it comes on to."""
    cdef double least = height_above(s, k, s.own.core[0])
    cdef int32_t i
    for i in range(1, s.own.n_core):
        least = lesser(least, height_above(s, k, s.own.core[i]))
    return least - s.own.radius


cdef inline double upright(const Arrival* s, int32_t k, const Touch* touch) noexcept nogil:
    """Cosine of the angle between a contact's normal and an edge's."""
    cdef Vec2 n = touch.normal if s.on_b else scaled(-1.0, touch.normal)
    return dot(s.floor.normals[k], unrotate(s.ctx.places[s.base].pose.q, n))


cdef int32_t lower_end(const Arrival* s, int32_t k, int32_t mine) noexcept nogil:
    """The corner of a feature of what comes, of an edge the one nearer to the floor's line."""
    cdef int32_t corner = mine // 2, other
    if mine % 2 == 0:
        return corner
    other = corner_after(s.own, corner)
    return other if (height_above(s, k, s.own.core[other])
                     < height_above(s, k, s.own.core[corner])) else corner


cdef Approach approach_to(const Arrival* s, int32_t k, int32_t mine) noexcept nogil:
    cdef Approach out
    cdef Vec2 point, u, along = edge_along(s.floor.normals[k])
    cdef double t, size
    out.corner = lower_end(s, k, mine)
    out.height = height_above(s, k, s.own.core[out.corner]) - s.own.radius
    out.lowest = lowest_above(s, k)
    t = dot(along, sub(to_world(&s.local, s.own.core[out.corner]), s.floor.core[k]))
    size = length(sub(s.floor.core[corner_after(s.floor, k)], s.floor.core[k]))
    out.beyond = greater(-t, t - size)
    # of its centre: it may roll
    point = to_world(&s.ctx.places[s.body].pose, s.own.core[out.corner])
    u = unrotate(s.ctx.places[s.base].pose.q, sub(velocity_at(s.ctx, s.body, point),
                                                  velocity_at(s.ctx, s.base, point)))
    out.opens = dot(s.floor.normals[k], u)
    out.comes = dot(along, u) if 2.0 * t < size else -dot(along, u)
    return out


cdef bint was_on(const Arrival* s, const Contact* old, int32_t n_old, int32_t corner,
                 int32_t edge) noexcept nogil:
    """Whether the corner was to come on the edge last time, or was there."""
    cdef int32_t k
    for k in range(n_old):
        if ((old[k].at.f1 if s.on_b else old[k].at.f2) == 2 * corner
                and (old[k].at.f2 if s.on_b else old[k].at.f1) == 2 * edge + 1):
            return True
    return False


cdef Coming reaches(const Arrival* s, const Approach* way, Pair* pair, bint was) noexcept nogil:
    """Whether what comes is on the edge within the step, if it goes on so. was: it was already."""
    cdef double touch = s.ctx.tol.touch, over = 0.0
    if way.height < (-SUNK_ON * s.ctx.unit if was else -touch) or (
            way.beyond < 0.0 and not was):
        return NOT_COMING
    if way.height <= touch and way.beyond > touch + s.ctx.cover * way.comes:
        return NOT_COMING
    if way.beyond > touch:
        # the height at which it is over the end
        over = way.lowest + way.opens * way.beyond / way.comes
    if over < -SUNK_ON * s.ctx.unit:
        return NOT_COMING
    if way.height > s.ctx.fall - SPEED_RESERVE * s.ctx.cover * lesser(way.opens, 0.0):
        # not in this step
        pair.recycling_margin = -1.0
        return NOT_COMING
    return COMING if over > touch else COMING_BELOW


cdef Coming comes_on_edge(const Arrival* s, int32_t k, Pair* pair, const Contact* old,
                          Touch* touches, int32_t n) noexcept nogil:
    """`comes_on`, of the edge from corner k on."""
    cdef int32_t f = touches[0].f2 if s.on_b else touches[0].f1
    cdef int32_t mine = touches[0].f1 if s.on_b else touches[0].f2
    cdef double still = STILL_SPEED * s.ctx.root
    cdef Approach way
    cdef Coming out
    # what stands on an end of the floor stands there
    if n == 2 and greater(upright(s, k, &touches[0]), upright(s, k, &touches[1])) > BENDS_ON:
        return NOT_COMING
    if n == 1 and mine % 2 == 1 and upright(s, k, &touches[0]) > LEVEL:
        return NOT_COMING
    way = approach_to(s, k, mine)
    if way.lowest < -SUNK_ON * s.ctx.unit:
        return NOT_COMING
    if way.comes < -still or way.opens < -STEEP * greater(way.comes, 0.0) - still:
        return NOT_COMING
    if f == 2 * k + 1 and n == 1:
        # where two edges meet at an angle, one comes to the second a little past its end
        return COMING if (mine % 2 == 0 and way.opens < 0.0
                          and way.beyond > -TURNS_ON * s.own.radius) else NOT_COMING
    out = reaches(s, &way, pair, was_on(s, old, pair.n, way.corner, k))
    if out == NOT_COMING:
        return out
    write_stand(s.own, way.corner, s.floor, k, s.on_b, &touches[0])
    if s.on_b:
        refresh(&touches[0], &s.ctx.places[s.body].pose, &s.ctx.places[s.base].pose)
    else:
        refresh(&touches[0], &s.ctx.places[s.base].pose, &s.ctx.places[s.body].pose)
    return out


cdef Coming comes_on(const StepContext* ctx, Pair* pair, const Contact* old, bint on_b,
                     Touch* touches, int32_t n) noexcept nogil:
    cdef const ShapeData* mover = &ctx.shapes[low_of(pair.key) if on_b else high_of(pair.key)]
    cdef const ShapeData* floor = &ctx.shapes[high_of(pair.key) if on_b else low_of(pair.key)]
    cdef Arrival s
    cdef int32_t f = touches[0].f2 if on_b else touches[0].f1
    cdef Coming out
    if (mover.geometry.kind == OUTLINE or floor.geometry.kind != HULL
            or ctx.bodies[floor.body].kind == DYNAMIC or ctx.bodies[mover.body].kind != DYNAMIC):
        return NOT_COMING
    s.ctx, s.own, s.floor, s.on_b = ctx, &mover.geometry, &floor.geometry, on_b
    s.body, s.base = mover.body, floor.body
    s.local = seen_from(&ctx.places[floor.body].pose, &ctx.places[mover.body].pose)
    out = comes_on_edge(&s, f // 2, pair, old, touches, n)
    if out == NOT_COMING:
        out = comes_on_edge(&s, corner_before(s.floor, f // 2), pair, old, touches, n)
    if out == NOT_COMING and f % 2 == 1:
        out = comes_on_edge(&s, corner_after(s.floor, f // 2), pair, old, touches, n)
    return out
