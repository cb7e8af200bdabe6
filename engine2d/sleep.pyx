"""Who sleeps and who wakes: islands at rest are left out of the step until they are disturbed."""

from libc.math cimport fabs
from libc.stdint cimport int32_t, int64_t

from enginecore.constants cimport SLEEP_AFTER, SLEEP_SPEED, STILL_EXACT, STILL_SWEPT
from enginecore.pair_table cimport high_of, low_of
from enginecore.scalar cimport lesser
from enginecore.sleep cimport put_to_sleep
from engine2d.body cimport (
    AWAKE, DYNAMIC, INITIAL_OVERLAP, KINEMATIC, NO_SLEEP, BodyData, Motion, Place, head_of,
)
from engine2d.contact cimport IGNORED, SENSING, Contact, Pair
from engine2d.joint.joint cimport JointData
from engine2d.solve.energy cimport inverse, kinetic_energy
from engine2d.solve.step_context cimport Island
from engine2d.vec2 cimport length, sub, vec2

# A body that is not still but goes back and forth in one place may sleep too: a disc that rolls in
# a dip without friction to stop it, a box that rocks on what sweeps leave. For ROCK_AFTER its
# farthest points stay within ROCK_WANDER of where they were and go ROCK_SHARE times as far as
# that, no faster on average than ROCK_SPEED. What slides, creeps or topples goes one way: as far
# as it is away. Lengths are times the world's unit, times and speeds times its root.
cdef double ROCK_AFTER = 4.0     # s
cdef double ROCK_WANDER = 5e-3   # m
cdef double ROCK_SHARE = 6.0     # three times there and back
cdef double ROCK_SPEED = 0.05    # m/s; blows above 0.16 m/s are struck, and may bounce for ever
# Where at least FEW times as many of an island are still, the others may do more: rock farther and
# faster, if they bear load and are just turning (slower than TURNING of what they are on average),
# so that they go on as they would have when they are woken; or roll on, slowly and no faster than
# before. What topples or runs down a slope becomes faster. What has rocked for LONG_AFTER on those
# may have done that as far and fast as a body does on a round one, where nothing ends it.
cdef int32_t FEW = 3
cdef double FAR_WANDER = 5e-2    # m
cdef double FAR_SPEED = 0.5      # m/s
cdef double LONG_AFTER = 16.0    # s
cdef double LONG_WANDER = 0.2    # m
cdef double LONG_SPEED = 1.5     # m/s
cdef double TURNING = 0.3
cdef double DRIFT_SPEED = 1e-3   # m/s
cdef double ROLL_SPEED = 1e-2    # m/s, the same where only few roll: of the centre and the rim
cdef double STEADILY = 1.001
cdef double BURST = 3.0          # times its speed on average: what begins to topple is faster

cdef enum Rest:                  # what a body does
    MOVES
    TURNS_BACK                   # what only few may do
    LIES                         # is still, or rocks a little


cdef void fall_asleep(StepContext* ctx, IslandStore islands,
                      const JointData* joints) noexcept nogil:
    """Put islands to sleep whose bodies have all been still for long enough."""
    cdef int32_t k, i, row
    cdef BodyData* body
    cdef Motion* motion
    cdef bint rests
    cdef int32_t lying, turning
    cdef Rest does
    cdef double least, pull = length(ctx.gravity)
    for k in range(islands.n):
        rests = True
        lying = turning = 0
        least = ctx.root * lesser(
            (STILL_SWEPT if islands.is_large[k] else STILL_EXACT) * pull, SLEEP_SPEED)
        for i in range(islands.islands[k].first_body,
                       islands.islands[k].first_body + islands.islands[k].n_bodies):
            row = islands.bodies[i]
            body = &ctx.bodies[row]
            motion = &ctx.motions[row]
            if (length(motion.v) + fabs(motion.w) * ctx.places[row].bounding_radius <= least
                    and not body.flags & NO_SLEEP and not is_pushed_out(ctx, row, least)):
                body.still += ctx.whole
            else:
                body.still = 0.0
            does = look_at_rocking(ctx, body, motion, &ctx.places[row], least)
            if is_still(ctx, body):
                does = LIES
            if does == MOVES or (pull == 0.0 and not is_still(ctx, body)):
                rests = False
            elif does == LIES:
                lying += 1
            else:
                turning += 1
        if not rests or lying < FEW * turning or (turning > 0 and not bear(ctx, islands, k)):
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
                ctx.books.integrator -= kinetic_energy(
                    ctx.bodies[row].mass, inverse(ctx.motions[row].inv_I), ctx.motions[row].v,
                    ctx.motions[row].w)
                ctx.motions[row].v = vec2(0.0, 0.0)
                ctx.motions[row].w = 0.0


cdef inline bint is_still(const StepContext* ctx, const BodyData* body) noexcept nogil:
    return body.still >= SLEEP_AFTER * ctx.root


cdef inline bint is_pushed_out(const StepContext* ctx, int32_t row, double least) noexcept nogil:
    """Whether a body that was put into another came farther in this step than at the speed `least`
    (m/s): what pushes it out gives it no velocity."""
    cdef const Place* now = &ctx.places[row]
    cdef const Place* then = &ctx.before[row]
    return ctx.bodies[row].flags & INITIAL_OVERLAP and (
        length(sub(now.x, then.x)) + fabs(now.angle - then.angle) * now.bounding_radius
        > least * ctx.whole)


cdef Rest look_at_rocking(const StepContext* ctx, BodyData* body, const Motion* motion,
                          const Place* place, double least) noexcept nogil:
    """Add a step to what a body does in its place: whether it has gone back and forth for long,
    rolled on slowly, or was shaken but came no farther than at the speed `least` (m/s)."""
    cdef double away, speed = length(motion.v) + fabs(motion.w) * place.bounding_radius
    cdef bint far = body.rock_wander > FAR_WANDER * ctx.unit
    cdef double after = (LONG_AFTER if far else ROCK_AFTER) * ctx.root
    if body.rock_time == 0.0:
        body.rock_path = body.rock_wander = 0.0
        body.rock_at, body.rock_angle = place.x, place.angle
    elif body.rock_time >= 2.0 * after:
        # from here on anew; what was seen counts as much as what is to come
        body.rock_path *= <float> (after / body.rock_time)
        body.rock_wander *= <float> (after / body.rock_time)
        body.rock_time = <float> after
        body.rock_at, body.rock_angle = place.x, place.angle
    away = length(sub(place.x, body.rock_at)) + (
        fabs(place.angle - body.rock_angle) * place.bounding_radius)
    body.rock_time += <float> ctx.whole
    body.rock_path += <float> (ctx.whole * speed)
    if away > body.rock_wander:
        body.rock_wander = <float> away
    if body.rock_wander > LONG_WANDER * ctx.unit:
        body.rock_time = 0.0
        return MOVES
    if body.rock_time < ROCK_AFTER * ctx.root or body.flags & NO_SLEEP:
        return MOVES
    if body.rock_wander > FAR_WANDER * ctx.unit:
        return look_at_swinging(ctx, body, speed)
    if (body.rock_wander <= least * body.rock_time
            and speed * body.rock_time <= BURST * body.rock_path
            and body.rock_path <= DRIFT_SPEED * ctx.root * body.rock_time):
        return LIES
    if body.rock_path >= ROCK_SHARE * body.rock_wander:
        if (body.rock_wander <= ROCK_WANDER * ctx.unit
                and body.rock_path <= ROCK_SPEED * ctx.root * body.rock_time):
            return LIES
        if (speed * body.rock_time <= TURNING * body.rock_path
                and body.rock_path <= FAR_SPEED * ctx.root * body.rock_time):
            return TURNS_BACK
    if (body.rock_path <= ROLL_SPEED * ctx.root * body.rock_time
            and speed * body.rock_time <= STEADILY * body.rock_path):
        return TURNS_BACK
    return MOVES


cdef Rest look_at_swinging(const StepContext* ctx, BodyData* body, double speed) noexcept nogil:
    """As look_at_rocking, of a body that goes far: it must have done that for long."""
    if body.rock_path < ROCK_SHARE * body.rock_wander:
        # it has gone elsewhere
        body.rock_time = 0.0
        return MOVES
    if (body.rock_time >= LONG_AFTER * ctx.root
            and speed * body.rock_time <= TURNING * body.rock_path
            and body.rock_path <= LONG_SPEED * ctx.root * body.rock_time):
        return TURNS_BACK
    return MOVES


cdef bint bear(const StepContext* ctx, IslandStore islands, int32_t number) noexcept nogil:
    """Whether all bodies of an island that are not still bear load: what bounces does not, where it
    turns back."""
    cdef const Island* island = &islands.islands[number]
    cdef const Contact* c
    cdef int32_t k, i, row
    cdef bint found
    for i in range(island.first_body, island.first_body + island.n_bodies):
        row = islands.bodies[i]
        if is_still(ctx, &ctx.bodies[row]):
            continue
        found = False
        for k in range(island.first_contact, island.first_contact + island.n_contacts):
            c = &ctx.contacts[islands.contacts[k]]
            found = found or ((c.a == row or c.b == row) and c.fn > 0.0)
        if not found:
            return False
    return True


cdef inline bint is_carried(const StepContext* ctx, const Contact* c) noexcept nogil:
    """Whether one of the two is kinematic and moves."""
    return moves_by_itself(ctx, c.a) or moves_by_itself(ctx, c.b)


cdef inline bint is_led(const StepContext* ctx, const JointData* joint) noexcept nogil:
    """Whether one of its two bodies is kinematic and moves."""
    return ((joint.head.a >= 0 and moves_by_itself(ctx, joint.head.a))
            or (joint.head.b >= 0 and moves_by_itself(ctx, joint.head.b)))


cdef inline bint moves_by_itself(const StepContext* ctx, int32_t row) noexcept nogil:
    cdef const Motion* motion = &ctx.motions[row]
    return ctx.bodies[row].kind == KINEMATIC and (motion.v.x != 0.0 or motion.v.y != 0.0
                                                  or motion.w != 0.0)


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
        a = store.shapes[low_of(pair.key)].body
        b = store.shapes[high_of(pair.key)].body
        if is_disturbed(&store.bodies[a]):
            store.wake(b)
        if is_disturbed(&store.bodies[b]):
            store.wake(a)


cdef inline bint is_disturbed(const BodyData* body) noexcept nogil:
    return body.flags & AWAKE and (body.flags & INITIAL_OVERLAP or body.kind != DYNAMIC)
