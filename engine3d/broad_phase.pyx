"""The boxes that moving bodies sweep in a step."""

from libc.math cimport fabs
from libc.stdint cimport int32_t

from enginecore.body_head cimport AWAKE, DYNAMIC, STATIC
from enginecore.boxes cimport Box, move_box
from enginecore.constants cimport CCD_SHARE, SPEED_RESERVE
from enginecore.scalar cimport greater, lesser
from engine3d.body cimport BodyData, Motion
from engine3d.store cimport bound_shape
from engine3d.vec3 cimport Vec3, length, scaled, vec3

# m: pushes beyond this are left to the bound on speeds.
cdef double MOST_PUSH = 1e9


cdef inline double push_of(const BodyData* body, const Motion* motion, double dt,
                           double fall) noexcept nogil:
    """m, that a body's own forces can add to its way in dt, beyond what gravity does to all."""
    cdef double push = fabs(body.gravity_scale - 1.0) * fall + dt * dt * (
        length(body.force) * motion.inv_m)
    if body.torque.x != 0.0 or body.torque.y != 0.0 or body.torque.z != 0.0:
        push += dt * dt * length(body.torque) * body.swept_radius * (
            body.inv_I.x.x + body.inv_I.y.y + body.inv_I.z.z)
    return push if push < MOST_PUSH else 0.0


cdef void sweep_boxes(BodyStore store, StepContext* ctx) noexcept nogil:
    cdef int32_t row, shape
    cdef int axis
    cdef Vec3 way
    cdef double grow, dt = ctx.dt, ahead
    cdef Box box
    cdef Motion* motion
    for row in range(store.n_bodies):
        motion = &store.motions[row]
        motion.push = 0.0
        motion.d = vec3(0.0, 0.0, 0.0)
        if store.heads[row].kind == STATIC or (
                store.heads[row].kind == DYNAMIC and not store.heads[row].flags & AWAKE):
            continue
        if store.heads[row].kind == DYNAMIC:
            motion.push = push_of(&store.bodies[row], motion, dt, ctx.fall)
        way = scaled(SPEED_RESERVE * dt, motion.v)
        grow = (SPEED_RESERVE * dt * length(motion.w) * store.bodies[row].swept_radius
                + ctx.tol.margin
                + ctx.fall + motion.push)
        if length(way) + grow > CCD_SHARE * store.bodies[row].thickness:
            grow += length(way)
            way = vec3(0.0, 0.0, 0.0)
        shape = store.heads[row].first_shape
        while shape >= 0:
            bound_shape(&store.shapes[shape], &store.places[row], &box)
            for axis in range(3):
                ahead = (&way.x)[axis]
                box.low[axis] += lesser(ahead, 0.0) - grow
                box.high[axis] += greater(ahead, 0.0) + grow
            move_box(&store.phase.boxes, shape, &box)
            shape = store.shapes[shape].next_shape


cdef void sweep_needy(BodyStore store, StepContext* ctx) noexcept nogil:
    cdef int32_t row, shape
    cdef int axis
    cdef double grow
    cdef Box box
    for row in range(store.n_bodies):
        if not store.need[row] > 0.0:
            continue
        store.motions_before[row].push = greater(store.motions_before[row].push, store.need[row])
        grow = ctx.tol.margin + ctx.fall + store.motions_before[row].push + (
            SPEED_RESERVE * ctx.dt) * (
            length(store.motions_before[row].v)
            + length(store.motions_before[row].w) * store.bodies[row].swept_radius)
        shape = store.heads[row].first_shape
        while shape >= 0:
            bound_shape(&store.shapes[shape], &store.before[row], &box)
            for axis in range(3):
                box.low[axis] -= grow
                box.high[axis] += grow
            move_box(&store.phase.boxes, shape, &box)
            shape = store.shapes[shape].next_shape
