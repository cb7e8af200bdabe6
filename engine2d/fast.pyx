"""Fast bodies of large islands: none ends a step on the other side of what it met.

Sweeps hold bodies by the features that faced each other when the step began. A pair that was fast
then is checked once more along the way it went: if it met before the end, the faster of the two is
set back to what it met, with the energy that the sweeps gave it. One that was driven out of the
boxes in which others were looked for goes only as far as these.
"""

from libc.math cimport fabs, sqrt
from libc.stdint cimport int32_t, int64_t, uint8_t

from enginecore.boxes cimport Box
from enginecore.scalar cimport greater
from engine2d.body cimport DYNAMIC, BodyData, Motion
from engine2d.contact cimport FAST, IGNORED, SENSING, Pair
from engine2d.integrate cimport move_body, turn_by
from engine2d.store cimport bound_shape
from engine2d.time_of_impact cimport Strike, Sweep, find_next_impact
from engine2d.vec2 cimport Vec2, add, dot, length, scaled, sub

# How near two shapes are when they meet.
cdef double MEETING = 1e-7       # m
# A body that comes farther than this share of its thickness in a step is fast.
cdef double SWEPT = 0.25
# The least share of its way that a body is left with.
cdef double LEAST_WAY = 1e-3


cdef Sweep way_gone(const StepContext* ctx, int32_t row) noexcept nogil:
    """The straight way from where a body was when the step began to where it is."""
    cdef Sweep out
    cdef double per_second = 1.0 / ctx.dt
    out.center = sub(ctx.places[row].x, ctx.motions[row].d)
    out.local_center = ctx.bodies[row].local_center
    out.angle = ctx.places[row].angle - ctx.motions[row].turned
    out.v = scaled(per_second, ctx.motions[row].d)
    out.w = per_second * ctx.motions[row].turned
    return out


cdef inline double length_of_way(const StepContext* ctx, int32_t row) noexcept nogil:
    return (length(ctx.motions[row].d)
            + fabs(ctx.motions[row].turned) * ctx.bodies[row].swept_reach)


cdef void set_back(StepContext* ctx, int32_t row, const Sweep* way, double t) noexcept nogil:
    """Put a body where it was at time t of its way, with the energy it has."""
    cdef Vec2 x = add(way.center, scaled(t, way.v))
    return_work(&ctx.bodies[row], ctx.gravity, sub(ctx.places[row].x, x), &ctx.motions[row])
    move_body(&ctx.bodies[row], x, way.angle + t * way.w, &ctx.motions[row], &ctx.places[row])


cdef void set_back_to(StepContext* ctx, int32_t row, const Sweep* way, int32_t other_row,
                      const Sweep* other, double t) noexcept nogil:
    """Put a body back to where it met another one at time t of their ways. If that is not dynamic,
    it has gone on since, and takes it along."""
    cdef double left = ctx.dt - t, turned = left * other.w
    cdef Vec2 met = add(other.center, scaled(t, other.v)), arm
    set_back(ctx, row, way, t)
    if ctx.bodies[other_row].kind == DYNAMIC:
        return
    arm = turn_by(sub(ctx.places[row].x, met), turned)
    move_body(&ctx.bodies[row], add(add(met, scaled(left, other.v)), arm),
              ctx.places[row].angle + turned, &ctx.motions[row], &ctx.places[row])


cdef void return_work(const BodyData* body, Vec2 gravity, Vec2 way, Motion* motion) noexcept nogil:
    """Take back what gravity and the user did on a way (m) that a body does not go after all."""
    cdef Vec2 a = add(scaled(body.gravity_scale, gravity), scaled(motion.inv_m, body.force))
    cdef double speed2 = dot(motion.v, motion.v)
    if speed2 > 0.0:
        motion.v = scaled(sqrt(greater(speed2 - 2.0 * dot(a, way), 0.0) / speed2), motion.v)


cdef bint has_left(const StepContext* ctx, int32_t row, const ShapeData* shapes,
                   const Boxes* boxes) noexcept nogil:
    """Whether a body is outside the boxes in which it was looked for."""
    cdef int32_t shape = ctx.bodies[row].first_shape
    cdef Vec2 low, high
    cdef const Box* box
    while shape >= 0:
        bound_shape(&shapes[shape], &ctx.places[row], &low, &high)
        box = &boxes.tight[shape]
        if not (box.low[0] <= low.x and box.low[1] <= low.y
                and high.x <= box.high[0] and high.y <= box.high[1]):
            return True
        shape = shapes[shape].next_shape
    return False


cdef void keep_in_boxes(StepContext* ctx, const ShapeData* shapes, const Boxes* boxes,
                        const uint8_t* is_large) noexcept nogil:
    """Shorten the ways of fast bodies that left the boxes in which others were looked for."""
    cdef int32_t row
    cdef double t
    cdef Sweep way
    for row in range(ctx.n_bodies):
        if (ctx.bodies[row].kind != DYNAMIC or ctx.bodies[row].island < 0
                or not is_large[ctx.bodies[row].island]
                or length_of_way(ctx, row) <= SWEPT * ctx.bodies[row].thickness):
            continue
        way = way_gone(ctx, row)
        t = ctx.dt
        while t > LEAST_WAY * ctx.dt and has_left(ctx, row, shapes, boxes):
            t *= 0.5
            set_back(ctx, row, &way, t)


cdef void stop_fast(StepContext* ctx, ContactStore contacts, const ShapeData* shapes,
                    const Boxes* boxes, const uint8_t* is_large) noexcept nogil:
    cdef int64_t k
    cdef int32_t a, b, i
    cdef const Pair* pair
    cdef Sweep way_a, way_b
    cdef Strike strike
    keep_in_boxes(ctx, shapes, boxes, is_large)
    for k in range(contacts.n_pairs):
        pair = &contacts.pairs[k]
        if not pair.flags & FAST or pair.flags & (IGNORED | SENSING):
            continue
        a = shapes[pair.key >> 32].body
        b = shapes[pair.key & 0x7FFFFFFF].body
        i = a if ctx.bodies[a].kind == DYNAMIC else b
        if ctx.bodies[i].island < 0 or not is_large[ctx.bodies[i].island]:
            continue
        way_a, way_b = way_gone(ctx, a), way_gone(ctx, b)
        # those that touched before, and have not parted since, are held by their contacts
        if not find_next_impact(&shapes[pair.key >> 32].geometry, &way_a,
                                &shapes[pair.key & 0x7FFFFFFF].geometry, &way_b, ctx.dt, MEETING,
                                &strike):
            continue
        if ctx.bodies[b].kind != DYNAMIC or (ctx.bodies[a].kind == DYNAMIC
                                             and length_of_way(ctx, a) >= length_of_way(ctx, b)):
            set_back_to(ctx, a, &way_a, b, &way_b, strike.t)
        else:
            set_back_to(ctx, b, &way_b, a, &way_a, strike.t)
