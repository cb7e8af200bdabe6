"""Who sleeps and who wakes: islands at rest are left out of the step until they are disturbed."""

from libc.math cimport fabs
from libc.stdint cimport int32_t, int64_t

from enginecore.scalar cimport lesser
from engine2d.body cimport AWAKE, DYNAMIC, KINEMATIC, NO_SLEEP, PUT, BodyData, Motion
from engine2d.contact cimport IGNORED, SENSING, Contact, Pair
from engine2d.vec2 cimport length, vec2

# A body slower than what gravity gives in this time, for SLEEP_AFTER, may sleep: what slides or
# falls at a 1e-4th of gravity is faster soon, whatever gravity is. Solved exactly, bodies at rest
# have speeds of rounding, so that slow ones move; sweeps leave a rest. Without gravity only what
# has no speed at all sleeps.
cdef double STILL_EXACT = 1e-8   # s
cdef double STILL_SWEPT = 1e-5   # s
cdef double SLEEP_SPEED = 1e-4   # m/s, the most that is still, however strong gravity is
cdef double SLEEP_AFTER = 0.5    # s


cdef void fall_asleep(StepContext* ctx, IslandStore islands) noexcept nogil:
    """Put islands to sleep whose bodies have all been still for long enough."""
    cdef int32_t k, i, row
    cdef BodyData* body
    cdef Motion* motion
    cdef bint rests
    cdef double least, pull = length(ctx.gravity)
    for k in range(islands.n):
        rests = True
        least = lesser((STILL_SWEPT if islands.is_large[k] else STILL_EXACT) * pull, SLEEP_SPEED)
        for i in range(islands.islands[k].first_body,
                       islands.islands[k].first_body + islands.islands[k].n_bodies):
            row = islands.bodies[i]
            body = &ctx.bodies[row]
            motion = &ctx.motions[row]
            if (length(motion.v) + fabs(motion.w) * ctx.places[row].reach <= least
                    and not body.flags & NO_SLEEP):
                body.still += ctx.dt
            else:
                body.still = 0.0
            rests = rests and body.still >= SLEEP_AFTER
        if not rests:
            continue
        # what rests on something that moves must stay awake
        for i in range(islands.islands[k].first_contact,
                       islands.islands[k].first_contact + islands.islands[k].n_contacts):
            if is_carried(ctx, &ctx.contacts[islands.contacts[i]]):
                rests = False
        if rests:
            for i in range(islands.islands[k].first_body,
                           islands.islands[k].first_body + islands.islands[k].n_bodies):
                row = islands.bodies[i]
                ctx.bodies[row].flags &= ~<int>AWAKE
                ctx.motions[row].v = vec2(0.0, 0.0)
                ctx.motions[row].w = 0.0


cdef inline bint is_carried(const StepContext* ctx, const Contact* c) noexcept nogil:
    """Whether one of the two is kinematic and moves."""
    return moves_by_itself(ctx, c.a) or moves_by_itself(ctx, c.b)


cdef inline bint moves_by_itself(const StepContext* ctx, int32_t row) noexcept nogil:
    cdef const Motion* motion = &ctx.motions[row]
    return ctx.bodies[row].kind == KINEMATIC and (motion.v.x != 0.0 or motion.v.y != 0.0
                                                  or motion.w != 0.0)


cdef void wake_all(BodyStore store) noexcept nogil:
    """Wake every body."""
    cdef int32_t row
    for row in range(store.n_bodies):
        store.wake(row)


cdef void wake_neighbours(BodyStore store, ContactStore contacts) noexcept nogil:
    """Wake what had contact with something that was put elsewhere since, or that is not dynamic and
    was changed."""
    cdef int64_t k
    cdef int32_t a, b
    cdef const Pair* pair
    for k in range(contacts.n_pairs):
        pair = &contacts.pairs[k]
        if pair.n == 0 or pair.flags & (IGNORED | SENSING):
            continue
        a = store.shapes[pair.key >> 32].body
        b = store.shapes[pair.key & 0x7FFFFFFF].body
        if is_disturbed(&store.bodies[a]):
            store.wake(b)
        if is_disturbed(&store.bodies[b]):
            store.wake(a)


cdef inline bint is_disturbed(const BodyData* body) noexcept nogil:
    return body.flags & PUT or (body.kind != DYNAMIC and body.flags & AWAKE)
