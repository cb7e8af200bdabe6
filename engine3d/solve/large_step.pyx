# distutils: include_dirs = engine3d/solve enginecore
"""A step of one large island; large_step.pxd has the contract, docs/maths/solver3d.md why."""

from libc.math cimport fabs
from libc.stdint cimport uint64_t
from libc.string cimport memset

from enginecore.body_head cimport DYNAMIC
from enginecore.memory cimport hold
from enginecore.scalar cimport greater, lesser
from engine3d.body cimport Motion, Place
from engine3d.contact cimport Contact, Pair
from engine3d.quat cimport matrix_of, rotation_by
from engine3d.solve.ccd cimport stop_fast
from engine3d.solve.cone cimport STICK
from engine3d.solve.hit cimport mark_struck
from engine3d.solve.large_blocks cimport find_manifolds, lay_out_blocks, speed_at
from engine3d.solve.large_energy cimport energy_of, take_back_gain
from engine3d.solve.large_motion cimport (
    advance, drive_bodies, load_lines, resist_rolling, store_bodies)
from engine3d.solve.large_work cimport GROUPS, LANES, Bouncer, Drive, Found, Roller
from engine3d.solve.momentum cimport Totals, keep_totals, measure_totals
from engine3d.solve.solver_iterative cimport (
    Block, BlockPoint, Line, Softness, make_soft, run_pass)
from engine3d.vec3 cimport (
    Mat3, Vec3, add, add_scaled, apply, cross, dot, scaled, sub, vec3)

# s: sub-steps are about this long; at twice the length springs stiff enough for piles pump walls.
cdef double SUB_STEP = 1.0 / 960.0
# Springs per sub-step: 1/8 of its rate, twice that against what cannot move; overdamped.
cdef double SPRING = 0.125
cdef double STIFFER = 2.0
cdef double DAMPING = 10.0
# Share of the fastest approach to which the speeds of points that bounce are found.
cdef double BLOW_DONE = 1e-13
# Times touch: shallower overlaps are no springs yet.
cdef double SKIN = 1e-4
cdef double PUSH_SPEED = 3.0      # m/s, the fastest that an overlap is pushed out
cdef enum:
    BLOW_ROUNDS = 60     # of steps over the points of a manifold that bounces
    LEAST_SUB_STEPS = 2
    MOST_SUB_STEPS = 64


cdef void step_large(StepContext* ctx, const int32_t* rows, int32_t n_rows, const int32_t* pairs,
                     int32_t n_pairs, const Place* before, LargeWorkspace* work) noexcept nogil:
    cdef int n = <int> (ctx.dt / (SUB_STEP * ctx.tol.root) + 0.5), k
    cdef double h, start
    cdef Totals first = measure_totals(ctx, rows, n_rows, pairs, n_pairs)
    cdef Vec3 origin
    cdef Softness soft, stiff
    n = LEAST_SUB_STEPS if n < LEAST_SUB_STEPS else MOST_SUB_STEPS if n > MOST_SUB_STEPS else n
    h = ctx.dt / n
    origin = ctx.places[rows[0]].x
    start = energy_of(ctx, rows, n_rows, origin)
    load_lines(ctx, rows, n_rows, h, work)
    find_manifolds(ctx, pairs, n_pairs, work)
    lay_out_blocks(ctx, work, h)
    warm_start(work)
    soft = make_soft(SPRING / h, DAMPING, h, SKIN * ctx.tol.touch)
    stiff = make_soft(STIFFER * SPRING / h, DAMPING, h, SKIN * ctx.tol.touch)
    for k in range(n):
        note_speeds(work)
        resist_rolling(ctx, work, h)
        drive_bodies(h, work)
        pass_all(ctx, work, &soft, &stiff, h, k & 1, False)
        advance(h, work)
        pass_all(ctx, work, &soft, &stiff, h, False, True)
    ctx.counters.sweeps += 2 * n
    bounce(ctx, work)
    store_contacts(ctx, work, h)
    store_bodies(ctx, work)
    # what was set back has not had all of its time
    if stop_fast(ctx, rows, n_rows, pairs, n_pairs, before, work):
        first.alone = False
    keep_totals(ctx, rows, n_rows, &first)
    take_back_gain(ctx, rows, n_rows, pairs, n_pairs, origin, start + work.work)


cdef inline void pass_all(StepContext* ctx, LargeWorkspace* work, const Softness* soft,
                          const Softness* stiff, double h, bint backwards,
                          bint relax) noexcept nogil:
    """One pass over all blocks: those of two moving bodies, then those with a fixed one."""
    cdef double fastest = PUSH_SPEED * ctx.tol.root
    cdef int32_t fixed = work.n_blocks - work.first_fixed
    if backwards:
        run_pass(work.lines, work.blocks + work.first_fixed, fixed, stiff, h, fastest, True, relax)
    run_pass(work.lines, work.blocks, work.first_fixed, soft, h, fastest, backwards, relax)
    if not backwards:
        run_pass(work.lines, work.blocks + work.first_fixed, fixed, stiff, h, fastest, False, relax)


# ---- contacts ----------------------------------------------------------------------------------

cdef void note_speeds(LargeWorkspace* work) noexcept nogil:
    """How fast contacts that shall bounce approach until they have met; asked before the start from
    the last impulses, which may point anywhere."""
    cdef Bouncer* one
    cdef const Block* m
    cdef int32_t k
    for k in range(work.n_bouncers):
        one = &work.bouncers[k]
        m = &work.blocks[one.block]
        if m.point[one.point].sum[one.lane] == 0.0:
            one.speed = lesser(one.most, greater(
                one.speed, -speed_at(work, m, one.lane, &m.point[one.point])))


cdef void bounce(StepContext* ctx, LargeWorkspace* work) noexcept nogil:
    """Give contacts that were closed in this step the speed they shall leave with, those of a
    manifold together: which comes first must not turn a body."""
    cdef int32_t first = 0, end
    while first < work.n_bouncers:
        end = first + 1
        while (end < work.n_bouncers and work.bouncers[end].block == work.bouncers[first].block
                and work.bouncers[end].lane == work.bouncers[first].lane):
            end += 1
        bounce_face(ctx, work, &work.bouncers[first], end - first)
        first = end


cdef void bounce_face(StepContext* ctx, LargeWorkspace* work, const Bouncer* some,
                      int n) noexcept nogil:
    cdef Block* m = &work.blocks[some.block]
    cdef BlockPoint* at
    cdef const Pair* pair
    cdef int lane = some.lane, i, k, count = 0
    cdef int[4] which
    cdef double[4] p
    cdef double[4] y
    cdef double[4] leave
    cdef double speed, share
    pair = &ctx.pairs[m.pair[lane]]
    for k in range(n):
        at = &m.point[some[k].point]
        if at.sum[lane] > 0.0:
            which[count] = k
            leave[count] = (pair.e + pair.boost) * some[k].speed
            y[count] = speed_at(work, m, lane, at) - leave[count]
            count += 1
    if not find_blows(m, lane, some, which, count, y, p):
        return
    for i in range(count):
        at = &m.point[some[which[i]].point]
        if not p[i] > 0.0:
            continue
        if pair.boost > 0.0:
            # p (leave + old)/2, with what it leaves with without the boost, if that is more
            speed = greater(y[i] + leave[i], pair.e * some[which[i]].speed)
            share = (leave[i] - speed) / -y[i] if y[i] < 0.0 else 0.0
            work.work += 0.5 * p[i] * share * (leave[i] + speed)
        push_point(work, m, lane, at, p[i])
        at.sum[lane] += p[i]
        ctx.counters.strikes += 1


cdef bint find_blows(const Block* m, int lane, const Bouncer* some, const int* which, int n,
                     const double* y, double* p) noexcept nogil:
    """Impulses p >= 0 (N s) after which the speeds y (m/s) are >= 0, 0 where p > 0. Projected
    steps by each point's own mass, as far as the energy falls; whether there are any."""
    cdef double[4] v
    cdef double[4] way
    cdef double[4] gain
    cdef double down, bent, share, worst = 0.0, left
    cdef const BlockPoint* at
    cdef int i, k, _round
    for i in range(n):
        p[i], v[i] = 0.0, y[i]
        worst = greater(worst, -y[i])
    if not worst > 0.0:
        return False
    for _round in range(BLOW_ROUNDS):
        down = bent = left = 0.0
        for i in range(n):
            at = &m.point[some[which[i]].point]
            way[i] = greater(p[i] - at.mass[lane] * v[i], 0.0) - p[i]
            down -= way[i] * v[i]
            left = greater(left, fabs(way[i]) / at.mass[lane])
        if left <= BLOW_DONE * worst:
            break
        for i in range(n):
            gain[i] = 0.0
            for k in range(n):
                gain[i] += way[k] * m.k[place_of(some[which[i]].point, some[which[k]].point)][lane]
            bent += gain[i] * way[i]
        share = lesser(down / bent, m.most[lane])
        for i in range(n):
            p[i] += share * way[i]
            v[i] += share * gain[i]
    return True


cdef inline int place_of(int i, int k) noexcept nogil:
    """Where the matrix of a manifold has its entry i, k."""
    cdef int low = i if i < k else k
    return 3 * low - low * (low - 1) // 2 + (i + k - low)


cdef inline void push_point(LargeWorkspace* work, const Block* m, int lane, const BlockPoint* at,
                            double p) noexcept nogil:
    """An impulse p (N s) along the normal at a point."""
    cdef Line* a = &work.lines[m.a[lane]]
    cdef Line* b = &work.lines[m.b[lane]]
    cdef int r
    for r in range(3):
        a.v[r] += a.inv_m * p * m.n[r][lane]
        b.v[r] -= b.inv_m * p * m.n[r][lane]
        a.w[r] += p * at.ja[r][lane]
        b.w[r] += p * at.jb[r][lane]


cdef void warm_start(LargeWorkspace* work) noexcept nogil:
    """Begin as if contacts had just given the impulses they kept from the last step."""
    cdef Block* m
    cdef BlockPoint* at
    cdef int32_t k
    cdef int lane, i, r
    cdef double[3] p
    cdef double[3] la
    cdef double[3] lb
    for k in range(work.n_blocks):
        m = &work.blocks[k]
        for lane in range(LANES):
            if m.pair[lane] < 0:
                continue
            for r in range(3):
                p[r] = m.t[r][lane] * m.pt[lane] + m.u[r][lane] * m.pu[lane]
                la[r] = (m.jat[r][lane] * m.pt[lane] + m.jau[r][lane] * m.pu[lane]
                         + m.ka[r][lane] * m.pk[lane])
                lb[r] = (m.jbt[r][lane] * m.pt[lane] + m.jbu[r][lane] * m.pu[lane]
                         + m.kb[r][lane] * m.pk[lane])
            for i in range(m.points[lane]):
                at = &m.point[i]
                for r in range(3):
                    p[r] += m.n[r][lane] * at.p[lane]
                    la[r] += at.ja[r][lane] * at.p[lane]
                    lb[r] += at.jb[r][lane] * at.p[lane]
            start_from(work, m.a[lane], p, la, 1.0)
            start_from(work, m.b[lane], p, lb, -1.0)


cdef inline void start_from(LargeWorkspace* work, int32_t line, const double* p, const double* turn,
                            double sign) noexcept nogil:
    """An impulse (N s) and its whitened moment as part of what contacts gave."""
    cdef Drive* drive = &work.drives[line]
    cdef double share = sign * work.lines[line].inv_m
    if drive.row < 0:
        return
    drive.v0.x -= share * p[0]
    drive.v0.y -= share * p[1]
    drive.v0.z -= share * p[2]
    drive.w0.x -= turn[0]
    drive.w0.y -= turn[1]
    drive.w0.z -= turn[2]


cdef void store_contacts(StepContext* ctx, LargeWorkspace* work, double h) noexcept nogil:
    """Impulses back into contacts, as forces; friction is shared by load."""
    cdef Block* m
    cdef Pair* pair
    cdef Contact* c
    cdef Vec3 t, u, n, force, sums
    cdef double total, share
    cdef int32_t k
    cdef int lane, i
    for k in range(work.n_blocks):
        m = &work.blocks[k]
        for lane in range(LANES):
            if m.pair[lane] < 0:
                continue
            pair = &ctx.pairs[m.pair[lane]]
            n = vec3(m.n[0][lane], m.n[1][lane], m.n[2][lane])
            t = vec3(m.t[0][lane], m.t[1][lane], m.t[2][lane])
            u = vec3(m.u[0][lane], m.u[1][lane], m.u[2][lane])
            force = scaled(1.0 / h, add(scaled(m.pt[lane], t), scaled(m.pu[lane], u)))
            sums = add(scaled(m.sum_t[lane], t), scaled(m.sum_u[lane], u))
            work.work -= (m.sum_t[lane] * m.drive_t[lane] + m.sum_u[lane] * m.drive_u[lane])
            total = 0.0
            for i in range(pair.n):
                total += m.point[i].p[lane]
            for i in range(pair.n):
                c = &ctx.contacts[pair.first + i]
                share = m.point[i].p[lane] / total if total > 0.0 else 1.0 / pair.n
                c.fn, c.ft = m.point[i].p[lane] / h, scaled(share, force)
                c.mode = STICK if c.fn > 0.0 else 0
                c.sum_n += m.point[i].sum[lane]
                c.sum_t = add_scaled(c.sum_t, share, sums)
            add_twist(ctx, pair, n, m.pk[lane] / h)
    for k in range(work.n_bouncers):
        m = &work.blocks[work.bouncers[k].block]
        lane = work.bouncers[k].lane
        if m.point[work.bouncers[k].point].sum[lane] > 0.0:
            pair = &ctx.pairs[m.pair[lane]]
            c = &ctx.contacts[pair.first + work.bouncers[k].point]
            mark_struck(ctx.hits, c, work.bouncers[k].speed,
                        point_of_blow(ctx, pair, c, work.bouncers[k].speed), c.at.normal)


cdef Vec3 point_of_blow(const StepContext* ctx, const Pair* pair, const Contact* c,
                        double speed) noexcept nogil:
    """m: where a contact is when it has closed at that speed; motions, places and contacts are
    those before the step."""
    cdef bint of_a = ctx.heads[pair.a].kind == DYNAMIC
    cdef int32_t row = pair.a if of_a else pair.b
    cdef const Motion* moves = &ctx.motions[row]
    cdef double t = lesser(greater(c.at.gap, 0.0) / speed, ctx.dt)
    cdef Vec3 arm = sub(c.at.point, ctx.places[row].x)
    cdef Mat3 turn = matrix_of(rotation_by(scaled(t, moves.w)))
    # on the surface, which is half the gap away
    arm = add_scaled(arm, (0.5 if of_a else -0.5) * c.at.gap, c.at.normal)
    return add(add_scaled(ctx.places[row].x, t, moves.v), apply(&turn, arm))


cdef void add_twist(StepContext* ctx, Pair* pair, Vec3 n, double twist) noexcept nogil:
    """Friction forces around the middle whose moment about the normal is the twist (N m)."""
    cdef Vec3 middle = vec3(0.0, 0.0, 0.0), arm
    cdef double size = 0.0
    cdef Contact* c = &ctx.contacts[pair.first]
    cdef int k
    if pair.n < 2 or twist == 0.0:
        return
    for k in range(pair.n):
        middle = add_scaled(middle, 1.0 / pair.n, c[k].at.point)
        # of the moment, what shared friction has already
    for k in range(pair.n):
        arm = sub(c[k].at.point, middle)
        twist -= dot(n, cross(arm, c[k].ft))
        arm = cross(n, arm)
        size += dot(arm, arm)
    if not size > 0.0:
        return
    for k in range(pair.n):
        arm = cross(n, sub(c[k].at.point, middle))
        c[k].ft = add_scaled(c[k].ft, twist / size, arm)


# ---- memory ------------------------------------------------------------------------------------

cdef class LargeBuffers:

    def __cinit__(self):
        self.arrays = {}

    cdef int reserve(self, Py_ssize_t bodies, Py_ssize_t pairs) except -1 nogil:
        if bodies <= self.most_bodies and pairs <= self.most_pairs:
            return 0
        return self.grow(bodies, pairs)

    cdef int grow(self, Py_ssize_t bodies, Py_ssize_t pairs) except -1 with gil:
        cdef LargeWorkspace* work = &self.work
        cdef Py_ssize_t lines
        self.most_bodies = max(2 * bodies, self.most_bodies, 64)
        self.most_pairs = max(2 * pairs, self.most_pairs, 64)
        lines = self.most_bodies + 2 * self.most_pairs + 1
        work.lines = <Line*> hold(self.arrays, "lines", lines, sizeof(Line))
        work.drives = <Drive*> hold(self.arrays, "drives", lines, sizeof(Drive))
        work.used = <uint64_t*> hold(self.arrays, "used", lines, sizeof(uint64_t))
        work.line_of = <int32_t*> hold(self.arrays, "line_of", self.most_bodies,
                                       sizeof(int32_t))
        work.stops = <double*> hold(self.arrays, "stops", self.most_bodies, sizeof(double))
        work.allowed = <double*> hold(self.arrays, "allowed", self.most_bodies, sizeof(double))
        work.floors = <int32_t*> hold(self.arrays, "floors", lines, sizeof(int32_t))
        work.next_floor = <int32_t*> hold(self.arrays, "next_floor", self.most_pairs,
                                          sizeof(int32_t))
        work.found = <Found*> hold(self.arrays, "found", self.most_pairs, sizeof(Found))
        work.bouncers = <Bouncer*> hold(self.arrays, "bouncers", 4 * self.most_pairs,
                                        sizeof(Bouncer))
        work.rollers = <Roller*> hold(self.arrays, "rollers", self.most_pairs, sizeof(Roller))
        work.blocks = <Block*> hold(self.arrays, "blocks", self.most_pairs + GROUPS,
                                    sizeof(Block))
        memset(work.line_of, -1, self.most_bodies * sizeof(int32_t))
        return 0
