"""Who sleeps and who wakes: islands at rest are left out of the step until they are disturbed."""

from libc.math cimport fabs
from libc.stdint cimport int32_t, int64_t

from enginecore.scalar cimport lesser
from enginecore.sleep cimport put_to_sleep
from engine2d.body cimport (
    AWAKE, DYNAMIC, INITIAL_OVERLAP, KINEMATIC, NO_SLEEP, BodyData, Motion, Place, head_of,
)
from engine2d.contact cimport IGNORED, SENSING, Contact, Pair
from engine2d.joint.joint cimport JointData
from engine2d.vec2 cimport length, sub, vec2

# A body slower than what gravity gives in this time, for SLEEP_AFTER, may sleep: what slides or
# falls at a 1e-4th of gravity is faster soon, whatever gravity is. Solved exactly, bodies at rest
# have speeds of rounding, so that slow ones move; sweeps leave a rest. Without gravity only what
# has no speed at all sleeps.
cdef double STILL_EXACT = 1e-8   # s
cdef double STILL_SWEPT = 1e-5   # s
cdef double SLEEP_SPEED = 1e-4   # m/s, the most that is still, however strong gravity is
cdef double SLEEP_AFTER = 0.5    # s
# A body that is not still but goes back and forth in one place may sleep too: a disc that rolls in
# a dip without friction to stop it, a box that rocks on what sweeps leave. For ROCK_AFTER its
# farthest points stay within ROCK_WANDER of where they were and go ROCK_SHARE times as far as
# that, no faster on average than ROCK_SPEED. What slides, creeps or topples goes one way: as far
# as it is away. Lengths are times the world's unit, times and speeds times its root.
cdef double ROCK_AFTER = 4.0     # s
cdef double ROCK_WANDER = 5e-3   # m
cdef double ROCK_SHARE = 6.0     # three times there and back
cdef double ROCK_SPEED = 0.05    # m/s; blows above 0.16 m/s are struck, and may bounce for ever


cdef void fall_asleep(StepContext* ctx, IslandStore islands,
                      const JointData* joints) noexcept nogil:
    """Put islands to sleep whose bodies have all been still for long enough."""
    cdef int32_t k, i, row
    cdef BodyData* body
    cdef Motion* motion
    cdef bint rests
    cdef double least, pull = length(ctx.gravity)
    for k in range(islands.n):
        rests = True
        least = ctx.root * lesser(
            (STILL_SWEPT if islands.is_large[k] else STILL_EXACT) * pull, SLEEP_SPEED)
        for i in range(islands.islands[k].first_body,
                       islands.islands[k].first_body + islands.islands[k].n_bodies):
            row = islands.bodies[i]
            body = &ctx.bodies[row]
            motion = &ctx.motions[row]
            if (length(motion.v) + fabs(motion.w) * ctx.places[row].reach <= least
                    and not body.flags & NO_SLEEP):
                body.still += ctx.whole
            else:
                body.still = 0.0
            if body.still >= SLEEP_AFTER * ctx.root:
                body.rock_time = 0.0
            elif not rocks_in_place(ctx, body, motion, &ctx.places[row]) or pull == 0.0:
                rests = False
        if not rests:
            continue
        # what rests on something that moves must stay awake
        for i in range(islands.islands[k].first_contact,
                       islands.islands[k].first_contact + islands.islands[k].n_contacts):
            if is_carried(ctx, &ctx.contacts[islands.contacts[i]]):
                rests = False
        for i in range(islands.islands[k].first_joint,
                       islands.islands[k].first_joint + islands.islands[k].n_joints):
            if is_led(ctx, &joints[islands.joints[i]]):
                rests = False
        if rests:
            for i in range(islands.islands[k].first_body,
                           islands.islands[k].first_body + islands.islands[k].n_bodies):
                row = islands.bodies[i]
                put_to_sleep(head_of(&ctx.bodies[row]))
                ctx.motions[row].v = vec2(0.0, 0.0)
                ctx.motions[row].w = 0.0


cdef bint rocks_in_place(const StepContext* ctx, BodyData* body, const Motion* motion,
                         const Place* place) noexcept nogil:
    """Add a step to what a body does in its place; whether it has gone back and forth for long."""
    cdef double away
    if body.rock_time == 0.0:
        body.rock_at, body.rock_angle = place.x, place.angle
        body.rock_path = body.rock_wander = 0.0
    away = length(sub(place.x, body.rock_at)) + fabs(place.angle - body.rock_angle) * place.reach
    body.rock_time += <float> ctx.whole
    body.rock_path += <float> (
        ctx.whole * (length(motion.v) + fabs(motion.w) * place.reach))
    if away > body.rock_wander:
        body.rock_wander = <float> away
    if body.rock_wander > ROCK_WANDER * ctx.unit:
        body.rock_time = 0.0
        return False
    return (body.rock_time >= ROCK_AFTER * ctx.root and not body.flags & NO_SLEEP
            and body.rock_path >= ROCK_SHARE * body.rock_wander
            and body.rock_path <= ROCK_SPEED * ctx.root * body.rock_time)


cdef inline bint is_carried(const StepContext* ctx, const Contact* c) noexcept nogil:
    """Whether one of the two is kinematic and moves."""
    return moves_by_itself(ctx, c.a) or moves_by_itself(ctx, c.b)


cdef inline bint is_led(const StepContext* ctx, const JointData* joint) noexcept nogil:
    """Whether one of its two bodies is kinematic and moves."""
    return ((joint.a >= 0 and moves_by_itself(ctx, joint.a))
            or (joint.b >= 0 and moves_by_itself(ctx, joint.b)))


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
    return body.flags & INITIAL_OVERLAP or (body.kind != DYNAMIC and body.flags & AWAKE)
