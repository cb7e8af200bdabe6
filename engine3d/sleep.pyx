"""Who sleeps and who wakes: islands at rest are left out of the step until they are disturbed."""

from libc.stdint cimport int64_t

from enginecore.body_head cimport AWAKE, DYNAMIC, INITIAL_OVERLAP, KINEMATIC, BodyHead
from enginecore.constants cimport SLEEP_AFTER, SLEEP_SPEED, STILL_EXACT, STILL_SWEPT
from enginecore.pair_table cimport high_of, low_of
from enginecore.scalar cimport lesser
from enginecore.sleep cimport note_still, put_to_sleep
from engine3d.contact cimport IGNORED, SENSING, Pair
from engine3d.vec3 cimport length, vec3


cdef inline bint is_moved(const StepContext* ctx, const double* speeds, int32_t row) noexcept nogil:
    return row >= 0 and ctx.heads[row].kind == KINEMATIC and speeds[row] != 0.0


cdef void fall_asleep(StepContext* ctx, IslandStore islands, const JointData* joints,
                      double* speeds) noexcept nogil:
    """Put islands to sleep whose bodies have all been still for long enough."""
    cdef int32_t k, i, row
    cdef bint rests
    cdef double pull = length(ctx.gravity)
    cdef const Pair* pair
    cdef const JointData* joint
    for row in range(ctx.n_bodies):
        speeds[row] = (length(ctx.motions[row].v)
                       + length(ctx.motions[row].w) * ctx.places[row].bounding_radius)
    for k in range(islands.n):
        rests = note_still(ctx.heads, speeds, islands, k, lesser(
            (STILL_SWEPT if islands.islands[k].is_large else STILL_EXACT) * ctx.tol.root * pull,
            SLEEP_SPEED * ctx.tol.root), ctx.dt, SLEEP_AFTER * ctx.tol.root)
        # what rests on something that moves must stay awake
        for i in range(islands.islands[k].first_edge,
                       islands.islands[k].first_edge + islands.islands[k].n_edges):
            if islands.items[i] >= ctx.n_pairs:
                joint = &joints[islands.items[i] - ctx.n_pairs]
                if is_moved(ctx, speeds, joint.head.a) or is_moved(ctx, speeds, joint.head.b) or (
                        joint.head.most > 0.0 and joint.head.rate != 0.0):
                    rests = False
                continue
            pair = &ctx.pairs[islands.items[i]]
            if is_moved(ctx, speeds, pair.a) or is_moved(ctx, speeds, pair.b):
                rests = False
        if not rests:
            continue
        for i in range(islands.islands[k].first_body,
                       islands.islands[k].first_body + islands.islands[k].n_bodies):
            row = islands.bodies[i]
            put_to_sleep(&ctx.heads[row])
            ctx.motions[row].v = ctx.motions[row].w = ctx.motions[row].L = vec3(0.0, 0.0, 0.0)


cdef void wake_neighbours(BodyStore store, const StepContext* ctx) noexcept nogil:
    """Wake what had contact with something that was put elsewhere since, or that is not dynamic and
    was changed."""
    cdef int64_t k
    cdef int32_t a, b
    cdef const Pair* pair
    for k in range(ctx.n_pairs):
        pair = &ctx.pairs[k]
        if pair.n == 0 or pair.flags & (IGNORED | SENSING):
            continue
        a = store.shapes[low_of(pair.key)].body
        b = store.shapes[high_of(pair.key)].body
        if is_disturbed(&store.heads[a]):
            store.wake(b)
        if is_disturbed(&store.heads[b]):
            store.wake(a)


cdef void wake_joined(BodyStore store, const JointData* joints, int32_t n) noexcept nogil:
    """Likewise what joints connect with such a body."""
    cdef int32_t k
    for k in range(n):
        if joints[k].head.a < 0 or joints[k].head.b < 0:
            continue
        if is_disturbed(&store.heads[joints[k].head.a]):
            store.wake(joints[k].head.b)
        if is_disturbed(&store.heads[joints[k].head.b]):
            store.wake(joints[k].head.a)


cdef inline bint is_disturbed(const BodyHead* head) noexcept nogil:
    return head.flags & AWAKE and (head.flags & INITIAL_OVERLAP or head.kind != DYNAMIC)
