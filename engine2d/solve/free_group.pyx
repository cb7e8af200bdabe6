# distutils: include_dirs = engine2d/solve enginecore
"""Groups in free flight; free_group.pxd has the contract.

An island floats if nothing holds it and no forces act. What its bodies do in a round can then
change neither where its common centre will be when all of them have come to the end of the step,
nor the angular momentum about that. Bodies have different times left, so both are summed over where
they will be: x + v t_left.
"""

from libc.math cimport fabs
from libc.stdint cimport int32_t
from libc.string cimport memset

from engine2d.body cimport DYNAMIC, BodyData, Motion
from engine2d.contact cimport ROLLING, Contact
from engine2d.solve.energy cimport (
    Frame, Momentum, Turning, add_momentum, change_by, find_turning, inverse, kinetic_energy,
    no_momentum, rigid_frame, shift_by, spin_by, velocity_in,
)
from engine2d.solve.integrate cimport move_body
from engine2d.solve.step_context cimport Island
from engine2d.vec2 cimport Vec2, add, scaled, sub

# m, times the unit: the common centre of a free island that is nearer to its way is on it.
cdef double ASTRAY = 1e-14


cdef bint is_held(const StepContext* ctx, IslandStore islands, const Island* island) noexcept nogil:
    """Whether joints or what cannot be pushed hold an island."""
    cdef int32_t k
    cdef const Contact* c
    if island.n_joints > 0:
        return True
    for k in range(island.first_contact, island.first_contact + island.n_contacts):
        c = &ctx.contacts[islands.contacts[k]]
        if ctx.bodies[c.a].kind != DYNAMIC or ctx.bodies[c.b].kind != DYNAMIC:
            return True
    return False


cdef bint is_driven(const StepContext* ctx, IslandStore islands,
                    const Island* island) noexcept nogil:
    """Whether anything but contacts changes motions in an island."""
    cdef int32_t k
    cdef const BodyData* body
    if ctx.gravity.x != 0.0 or ctx.gravity.y != 0.0:
        return True
    for k in range(island.first_body, island.first_body + island.n_bodies):
        body = &ctx.bodies[islands.bodies[k]]
        if (body.linear_damping != 0.0 or body.angular_damping != 0.0 or body.force.x != 0.0
                or body.force.y != 0.0 or body.torque != 0.0):
            return True
    return False


cdef void mark_gliders(StepContext* ctx, IslandStore islands, const Island* island) noexcept nogil:
    """Mark the discs of an island that nothing rough touches."""
    cdef int32_t k, row
    cdef const Contact* c
    for k in range(island.first_body, island.first_body + island.n_bodies):
        row = islands.bodies[k]
        ctx.glides[row] = ctx.bodies[row].swept_radius == 0.0
    for k in range(island.first_contact, island.first_contact + island.n_contacts):
        c = &ctx.contacts[islands.contacts[k]]
        if c.mu > 0.0 or ctx.pairs[c.pair].flags & ROLLING:
            ctx.glides[c.a] = ctx.glides[c.b] = False


cdef inline double turns_as(const StepContext* ctx, int32_t row) noexcept nogil:
    """kg m^2, of a body that contacts can turn; else 0: its spin is no part of what is kept."""
    return 0.0 if ctx.glides[row] else inverse(ctx.motions[row].inv_I)


cdef inline Vec2 place_ahead(const StepContext* ctx, int32_t row) noexcept nogil:
    """m: where a body will be if it goes straight on for the time it has left."""
    return add(ctx.places[row].x, scaled(ctx.left[row], ctx.motions[row].v))


cdef Momentum momentum_ahead(const StepContext* ctx, IslandStore islands,
                             const Island* island) noexcept nogil:
    cdef Momentum sum = no_momentum(ctx.before[islands.bodies[island.first_body]].x)
    cdef const Motion* motion
    cdef int32_t k, row
    for k in range(island.first_body, island.first_body + island.n_bodies):
        row = islands.bodies[k]
        motion = &ctx.motions[row]
        add_momentum(ctx.bodies[row].mass, turns_as(ctx, row), place_ahead(ctx, row), motion.v,
                     motion.w, &sum)
    return sum


cdef void note_ways(StepContext* ctx, IslandStore islands) noexcept nogil:
    cdef int32_t k
    cdef const Island* island
    memset(ctx.glides, 0, ctx.n_bodies)
    for k in range(islands.n):
        island = &islands.islands[k]
        islands.ahead[k].mass = 0.0
        if island.n_contacts == 0 or island.n_bodies == 1 or is_held(ctx, islands, island):
            continue
        mark_gliders(ctx, islands, island)
        if not is_driven(ctx, islands, island):
            islands.ahead[k] = momentum_ahead(ctx, islands, island)


cdef double loose_energy(const StepContext* ctx, IslandStore islands, const Island* island,
                         const Frame* frame) noexcept nogil:
    """J, of the bodies of an island against a rigid motion of where they will be."""
    cdef double sum = 0.0
    cdef const Motion* motion
    cdef int32_t k, row
    for k in range(island.first_body, island.first_body + island.n_bodies):
        row = islands.bodies[k]
        motion = &ctx.motions[row]
        sum += kinetic_energy(ctx.bodies[row].mass, turns_as(ctx, row),
                              sub(motion.v, velocity_in(frame, place_ahead(ctx, row))),
                              motion.w - frame.w)
    return sum


cdef void keep_angular_momentum(StepContext* ctx, IslandStore islands, const Island* island,
                                const Momentum* before) noexcept nogil:
    """Give an island the angular momentum that it had; its energy, and where its bodies will be,
    stay."""
    cdef Momentum now = momentum_ahead(ctx, islands, island)
    cdef Frame frame = rigid_frame(&now)
    cdef Turning turning
    cdef Motion* motion
    cdef Vec2 dv, ahead
    cdef int32_t k, row
    if not find_turning(before, &now, loose_energy(ctx, islands, island, &frame), &turning):
        return
    for k in range(island.first_body, island.first_body + island.n_bodies):
        row = islands.bodies[k]
        motion = &ctx.motions[row]
        ahead = place_ahead(ctx, row)
        dv = change_by(&turning, ahead, motion.v)
        motion.v = add(motion.v, dv)
        if turns_as(ctx, row) > 0.0:
            motion.w += spin_by(&turning, motion.w)
        if ctx.left[row] > 0.0 or turning.apart != 0.0:
            ahead = sub(shift_by(&turning, ahead), scaled(ctx.left[row], dv))
            move_body(&ctx.bodies[row], add(ctx.places[row].x, ahead), ctx.places[row].angle,
                      motion, &ctx.places[row])


cdef void keep_ways(StepContext* ctx, IslandStore islands) noexcept nogil:
    cdef int32_t i, k, row
    cdef const Island* island
    cdef Momentum now
    cdef Vec2 off
    for i in range(islands.n):
        if not islands.ahead[i].mass > 0.0:
            continue
        island = &islands.islands[i]
        keep_angular_momentum(ctx, islands, island, &islands.ahead[i])
        now = momentum_ahead(ctx, islands, island)
        off = scaled(1.0 / now.mass, sub(islands.ahead[i].moment, now.moment))
        if not fabs(off.x) + fabs(off.y) > ASTRAY * ctx.unit:
            # rounding; or not a number
            continue
        for k in range(island.first_body, island.first_body + island.n_bodies):
            row = islands.bodies[k]
            move_body(&ctx.bodies[row], add(ctx.places[row].x, off), ctx.places[row].angle,
                      &ctx.motions[row], &ctx.places[row])
