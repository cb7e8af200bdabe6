"""The boxes in which moving bodies are looked for: where their shapes are, and go in this step."""

from libc.math cimport fabs
from libc.stdint cimport int32_t

from enginecore.boxes cimport LOOSE, Box, Boxes, mark_moved
from enginecore.constants cimport SPEED_RESERVE
from enginecore.scalar cimport greater, lesser
from engine2d.body cimport AWAKE, DYNAMIC, STATIC, BodyData, Motion
from engine2d.store cimport bound_shape
from engine2d.vec2 cimport Vec2, length, scaled, vec2

cdef double MOST_PUSH = 1e3      # m in a step; what is pushed farther is a runaway, not looked for


cdef inline double push_of(const BodyData* body, const Motion* motion, double dt,
                           double fall) noexcept nogil:
    """m, that a body's own forces can add to its way in dt, beyond what gravity does to all."""
    if (body.gravity_scale == 1.0 and body.force.x == 0.0 and body.force.y == 0.0
            and body.torque == 0.0):
        return 0.0
    cdef double push = fabs(body.gravity_scale - 1.0) * fall + dt * dt * (
        length(body.force) * motion.inv_m + fabs(body.torque) * motion.inv_I * body.swept_radius)
    return push if push < MOST_PUSH else 0.0


cdef inline bint fits_side(double low, double tight_low, double high, double tight_high,
                           double loose) noexcept nogil:
    """still_fits along one axis."""
    return ((low <= tight_low) & (tight_high <= high) & (tight_low - low <= loose)
            & (high - tight_high <= loose))


cdef inline void move_flat_box(Boxes* boxes, int32_t id, double low_x, double low_y, double high_x,
                               double high_y) noexcept nogil:
    """move_box in the plane, from numbers: a box that was just written number by number and is then
    read as a whole has to wait for the memory."""
    cdef double margin = boxes.margin, loose = LOOSE * margin
    cdef Box* tight = &boxes.tight[id]
    cdef Box* fat = &boxes.fat[id]
    tight.low[0], tight.low[1], tight.low[2] = low_x, low_y, 0.0
    tight.high[0], tight.high[1], tight.high[2] = high_x, high_y, 0.0
    if (fits_side(fat.low[0], low_x, fat.high[0], high_x, loose)
            and fits_side(fat.low[1], low_y, fat.high[1], high_y, loose)):
        return
    fat.low[0], fat.low[1], fat.low[2] = low_x - margin, low_y - margin, 0.0
    fat.high[0], fat.high[1], fat.high[2] = high_x + margin, high_y + margin, 0.0
    mark_moved(boxes, id)


cdef void sweep_boxes(BodyStore store, const StepContext* ctx) noexcept nogil:
    cdef int32_t row, shape
    cdef Vec2 low, high, way
    cdef double turn, dt = ctx.cover, fall = ctx.fall
    cdef const Box* tight
    cdef BodyData* body
    for row in range(store.n_bodies):
        body = &store.bodies[row]
        if body.kind != DYNAMIC:
            body.push = 0.0
        if body.kind == STATIC or (body.kind == DYNAMIC and not body.flags & AWAKE):
            continue
        if ctx.round > 0:
            # a later round: what has time left is looked for where that can take it
            if not ctx.left[row] > 0.0:
                continue
            dt = ctx.left[row]
            fall = length(ctx.gravity) * dt * dt
        store.motions[row].d = vec2(0.0, 0.0)
        store.motions[row].turned = 0.0
        way = scaled(SPEED_RESERVE * dt, store.motions[row].v)
        if body.kind == DYNAMIC:
            body.push = push_of(body, &store.motions[row], dt, fall)
        turn = (SPEED_RESERVE * dt * fabs(store.motions[row].w) * body.swept_radius
                + 0.5 * ctx.margin + fall + body.push)
        shape = body.first_shape
        while shape >= 0:
            bound_shape(&store.shapes[shape], &store.places[row], &low, &high)
            low.x += lesser(way.x, 0.0) - turn
            low.y += lesser(way.y, 0.0) - turn
            high.x += greater(way.x, 0.0) + turn
            high.y += greater(way.y, 0.0) + turn
            if ctx.later:
                # within a step boxes only grow, and no pair ends: what it did in the step is kept
                tight = &store.phase.boxes.tight[shape]
                low.x, low.y = lesser(tight.low[0], low.x), lesser(tight.low[1], low.y)
                high.x, high.y = greater(tight.high[0], high.x), greater(tight.high[1], high.y)
            move_flat_box(&store.phase.boxes, shape, low.x, low.y, high.x, high.y)
            shape = store.shapes[shape].next_shape
