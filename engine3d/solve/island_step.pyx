# distutils: include_dirs = engine3d/solve enginecore
"""Islands through a step: by which solver, and again where one must look farther."""

from libc.math cimport fabs
from libc.stdint cimport int64_t

from enginecore.body_head cimport KINEMATIC
from enginecore.constants cimport CALM_SPEED, LARGE, LARGE_CALM, SOLVER_DIRECT, SOLVER_ITERATIVE
from enginecore.island cimport Island
from enginecore.pair_table cimport high_of, low_of
from engine3d.arguments cimport FARTHEST, FASTEST
from engine3d.body cimport BodyData, Motion
from engine3d.constants cimport LARGE_BODIES, LARGE_FAST
from engine3d.contact cimport FAST, IGNORED, Contact, Pair, find_anew
from engine3d.island cimport count_pairs
from engine3d.quat cimport Quat, turned_by
from engine3d.solve.integrate cimport fly, move_body, sync_spin, take_back
from engine3d.solve.large_step cimport step_large
from engine3d.solve.small_step cimport SUB_STEPS, step_island
from engine3d.vec3 cimport Vec3, add_scaled, length, scaled, vec3

# In ctx.need:
cdef double DONE = -1.0          # this body has been stepped;
cdef double PUT_BACK = -2.0      # it had been, and begins again


# ---- which solver -----------------------------------------------------------------------------

cdef bint is_calm(const StepContext* ctx, const int32_t* rows, int32_t n,
                  double most) noexcept nogil:
    """Whether no point of these bodies is faster than `most` (m/s)."""
    cdef int32_t k
    for k in range(n):
        if (length(ctx.motions[rows[k]].v)
                + length(ctx.motions[rows[k]].w) * ctx.places[rows[k]].bounding_radius > most):
            return False
    return True


cdef bint has_fast(const StepContext* ctx, const int32_t* items, int32_t n) noexcept nogil:
    """Whether some pair has to be swept: small islands do that at the time of impact."""
    cdef int32_t k
    for k in range(n):
        if ctx.pairs[items[k]].flags & FAST:
            return True
    return False


cdef void choose_solvers(StepContext* ctx, IslandStore islands, int solver) noexcept nogil:
    """Which islands are large. docs/decisions/0007-direct-or-sweeps.md, for the plane."""
    cdef int32_t k
    cdef Island* island
    ctx.may_hand_on = solver != SOLVER_DIRECT and ctx.friction_cone == 0
    for k in range(islands.n):
        island = &islands.islands[k]
        if island.n_edges == 0 or solver == SOLVER_DIRECT or (
                islands.items[island.first_edge + island.n_edges - 1] >= ctx.n_pairs):
            island.is_large = False
        elif island.size < LARGE_FAST and has_fast(ctx, &islands.items[island.first_edge],
                                                   island.n_edges):
            # sweeps would set back what is fast
            island.is_large = False
        elif solver == SOLVER_ITERATIVE:
            island.is_large = True
        else:
            island.is_large = (island.size >= LARGE or island.n_bodies > LARGE_BODIES) and not (
                island.size < LARGE_CALM and island.n_bodies <= LARGE_BODIES
                and is_calm(ctx, &islands.bodies[island.first_body], island.n_bodies,
                            CALM_SPEED * ctx.tol.root))


# ---- the step ---------------------------------------------------------------------------------

cdef void fly_alone(StepContext* ctx, int32_t row) noexcept nogil:
    """Carry a body that nothing pushes through the step."""
    cdef Motion* motion = &ctx.motions[row]
    cdef Place* place = &ctx.places[row]
    cdef const BodyData* body = &ctx.bodies[row]
    cdef Vec3 outer = add_scaled(scaled(body.gravity_scale, ctx.gravity), motion.inv_m, body.force)
    cdef Vec3 v = motion.v, L = motion.L, x = place.x
    cdef Quat q = place.q
    cdef double h = ctx.dt / SUB_STEPS
    cdef int _k
    # in the sub-steps of an island, so that a neighbour far away changes no bit
    for _k in range(SUB_STEPS):
        fly(body, outer, h, &x, &q, &v, &L)
    motion.v, motion.L = v, L
    move_body(body, x, q, motion, place)
    sync_spin(body, place, motion)


cdef bint takes_part(StepContext* ctx, const int32_t* rows, int32_t n) noexcept nogil:
    """Whether an island is still to be stepped: in the first round all are, later those that were
    given up; they are taken for done from now on."""
    cdef int32_t k
    cdef bint out = ctx.need[rows[0]] != DONE
    for k in range(n):
        ctx.need[rows[k]] = DONE
    return out


cdef void step_islands(StepContext* ctx, IslandStore islands, const Place* before,
                       SmallMemory* memory, LargeWorkspace* work) noexcept nogil:
    """Carry all islands through the step."""
    cdef int32_t k, i, n_pairs
    cdef int32_t* items
    cdef Island* island
    for k in range(islands.n):
        island = &islands.islands[k]
        if not takes_part(ctx, &islands.bodies[island.first_body], island.n_bodies):
            continue
        if island.n_edges == 0:
            fly_alone(ctx, islands.bodies[island.first_body])
        elif island.is_large:
            step_large(ctx, &islands.bodies[island.first_body], island.n_bodies,
                       &islands.items[island.first_edge], island.n_edges, before, work)
        else:
            items = &islands.items[island.first_edge]
            n_pairs = count_pairs(ctx, items, island.n_edges)
            for i in range(n_pairs, island.n_edges):
                items[i] -= <int32_t> ctx.n_pairs
            if not step_island(ctx, &islands.bodies[island.first_body], island.n_bodies, items,
                               n_pairs, items + n_pairs, island.n_edges - n_pairs, memory):
                island.is_large = True
                step_large(ctx, &islands.bodies[island.first_body], island.n_bodies, items,
                           n_pairs, before, work)
            for i in range(n_pairs, island.n_edges):
                items[i] += <int32_t> ctx.n_pairs


cdef void move_kinematic(StepContext* ctx) noexcept nogil:
    """Carry kinematic bodies through a step."""
    cdef int32_t row
    cdef Place* place
    for row in range(ctx.n_bodies):
        if ctx.heads[row].kind == KINEMATIC:
            place = &ctx.places[row]
            move_body(&ctx.bodies[row], add_scaled(place.x, ctx.dt, ctx.motions[row].v),
                      turned_by(place.q, scaled(ctx.dt, ctx.motions[row].w)), &ctx.motions[row],
                      place)


# ---- again, or not at all ---------------------------------------------------------------------

cdef void find_needy(StepContext* ctx) noexcept nogil:
    """Contacts anew of pairs with a body that looks farther; all is as when the step began."""
    cdef int64_t k
    cdef Pair* pair
    for k in range(ctx.n_pairs):
        pair = &ctx.pairs[k]
        pair.a = ctx.shapes[low_of(pair.key)].body
        pair.b = ctx.shapes[high_of(pair.key)].body
        if not pair.flags & IGNORED and (ctx.need[pair.a] > 0.0 or ctx.need[pair.b] > 0.0):
            find_anew(ctx, pair)


cdef void put_back(StepContext* ctx, StepContext* at_start, IslandStore islands) noexcept nogil:
    """Whoever is in one island with a body that looks farther begins the step again with it."""
    cdef int32_t k, i, row
    cdef int64_t p
    cdef Island* island
    cdef Pair* pair
    cdef bint needy
    for k in range(islands.n):
        island = &islands.islands[k]
        needy = False
        for i in range(island.first_body, island.first_body + island.n_bodies):
            needy = needy or ctx.need[islands.bodies[i]] > 0.0
        if not needy:
            continue
        for i in range(island.first_body, island.first_body + island.n_bodies):
            row = islands.bodies[i]
            take_back(&at_start.places[row], &ctx.places[row])
            ctx.motions[row] = at_start.motions[row]
            if not ctx.need[row] > 0.0:
                ctx.need[row] = PUT_BACK
    # what those bore that had been done
    for p in range(ctx.n_pairs):
        pair = &ctx.pairs[p]
        if not pair.flags & IGNORED and (
                ctx.need[pair.a] == PUT_BACK or ctx.need[pair.b] == PUT_BACK):
            find_anew(at_start, pair)


cdef inline bint is_within(Vec3 a, double most) noexcept nogil:
    """Whether no component exceeds a bound; false for NaN."""
    return fabs(a.x) <= most and fabs(a.y) <= most and fabs(a.z) <= most


cdef int32_t stop_runaways(StepContext* ctx, const Place* before) noexcept nogil:
    """Put bodies that left the range of numbers back where they were, at rest; returns how many."""
    cdef int32_t row, n = 0
    cdef int64_t k
    cdef int i
    cdef Contact* c
    for row in range(ctx.n_bodies):
        if (is_within(ctx.motions[row].v, FASTEST) and is_within(ctx.motions[row].w, FASTEST)
                and is_within(ctx.places[row].x, FARTHEST)):
            continue
        n += 1
        take_back(&before[row], &ctx.places[row])
        ctx.motions[row].v = ctx.motions[row].w = ctx.motions[row].L = vec3(0.0, 0.0, 0.0)
        ctx.motions[row].d = vec3(0.0, 0.0, 0.0)
    if n == 0:
        return 0
    for k in range(ctx.n_pairs):
        for i in range(ctx.pairs[k].first, ctx.pairs[k].first + ctx.pairs[k].n):
            c = &ctx.contacts[i]
            c.fn = c.sum_n = c.hit_speed = 0.0
            c.ft = c.sum_t = vec3(0.0, 0.0, 0.0)
            c.mode = 0
            c.hit = 0
    return n
