# distutils: include_dirs = engine2d/solve enginecore
"""What contacts give to large islands; large_energy.pxd has the contract."""

from libc.math cimport sqrt
from libc.stdint cimport int32_t

from enginecore.scalar cimport lesser
from engine2d.body cimport Motion
from engine2d.solve.energy cimport (
    Frame, Momentum, Turning, add_momentum, change_by, find_turning, kinetic_energy, no_momentum,
    rigid_frame, shift_by, spin_by, standing_frame, velocity_in,
)
from engine2d.solve.large_work cimport NO_SUPPORT, ON_SEVERAL, Account
from engine2d.solve.solver_iterative cimport Block, Drive, scale_lines, sum_gain
from engine2d.vec2 cimport Vec2, add, dot, length, scaled, sub, vec2

# Times the energy that external forces give from rest in a sub-step: what passes that have not
# settled may add. With less, piles do not come to rest; with 16 heaps gain 1e-3 of their energy.
cdef double UNREST = 4.0
# Of an island's kinetic energy: differences below are rounding.
cdef double ENERGY_ROUNDING = 1e-12
# Of an island's kinetic energy: what a step may gain by the error of its integrator.
cdef double STEP_GAIN = 1e-5
# Times what a body goes by its own speed and falls, and the unit: farther away it has been thrown.
cdef double ASTRAY = 2.0


# ---- accounts ------------------------------------------------------------------------------------


cdef inline Vec2 center_of(const StepContext* ctx, const LargeWorkspace* work,
                           int32_t line) noexcept nogil:
    """m, where the centre of mass of a body is now."""
    return add(ctx.places[work.tags[line].row].x, work.lines[line].d)


cdef inline double turns_as(const StepContext* ctx, const LargeWorkspace* work,
                            int32_t line) noexcept nogil:
    """kg m^2, of a body that contacts can turn; else 0: its spin stays what it is."""
    return 0.0 if ctx.glides[work.tags[line].row] else work.masses[line].inertia


cdef Momentum momentum_of(const StepContext* ctx, const LargeWorkspace* work,
                          const Account* account) noexcept nogil:
    cdef Momentum sum = no_momentum(ctx.places[work.tags[account.first].row].x)
    cdef int32_t k
    for k in range(account.first, account.end):
        add_momentum(work.masses[k].m, turns_as(ctx, work, k), center_of(ctx, work, k),
                     work.lines[k].v, work.lines[k].w, &sum)
    return sum


cdef double kinetic_of(const LargeWorkspace* work, const Account* account) noexcept nogil:
    cdef double sum = 0.0
    cdef int32_t k
    for k in range(account.first, account.end):
        sum += kinetic_energy(work.masses[k].m, work.masses[k].inertia, work.lines[k].v,
                              work.lines[k].w)
    return sum


cdef void find_supports(LargeWorkspace* work) noexcept nogil:
    """What each island leans on: a line, NO_SUPPORT, or ON_SEVERAL that move differently."""
    cdef int32_t k, lane, line, fixed
    cdef const Block* m
    cdef Account* account
    for k in range(work.first_fixed, work.n_blocks):
        m = &work.blocks[k]
        for lane in range(4):
            if m.points[lane] == 0:
                continue
            line, fixed = m.a[lane], m.b[lane]
            if not work.tags[line].moves:
                line, fixed = fixed, line
            account = &work.accounts[work.island_of[line]]
            if account.support == NO_SUPPORT:
                account.support = fixed
            elif account.support != fixed:
                account.support = ON_SEVERAL


cdef inline bint is_alike(const Drive* a, const Drive* b) noexcept nogil:
    """Whether external forces change two bodies' motions alike, and turn neither."""
    return a.a.x == b.a.x and a.a.y == b.a.y and a.alpha == 0.0 and b.alpha == 0.0


cdef inline bint goes_alike(const StepContext* ctx, const LargeWorkspace* work,
                            const Account* account, int32_t line) noexcept nogil:
    """Whether a body is at the same time of the step as the first one of its island."""
    cdef double left = ctx.left[work.tags[line].row]
    return left > 0.0 and left == ctx.left[work.tags[account.first].row]


cdef void open_accounts(const StepContext* ctx, double h, LargeWorkspace* work) noexcept nogil:
    cdef int32_t g, k
    cdef Account* account
    cdef double sum
    work.is_slowed = False
    for g in range(work.n_islands):
        account = &work.accounts[g]
        account.support = NO_SUPPORT
        account.is_free = True
        sum = 0.0
        for k in range(account.first, account.end):
            work.island_of[k] = g
            sum += work.masses[k].m * dot(work.drives[k].a, work.drives[k].a)
            account.is_free = (account.is_free and work.keeps[k].v == 1.0
                               and work.keeps[k].w == 1.0 and goes_alike(ctx, work, account, k)
                               and is_alike(&work.drives[account.first], &work.drives[k]))
        account.per_time2 = 0.5 * sum
        account.limit = UNREST * h * h * account.per_time2
        account.kinetic = kinetic_of(work, account)
        account.work = account.work_now = account.contacts = account.share = 0.0
    find_supports(work)
    for g in range(work.n_islands):
        account = &work.accounts[g]
        # of those that do not fall `keep_ways` does it
        account.is_free = account.is_free and (
            account.support == NO_SUPPORT and account.per_time2 > 0.0)
        if account.is_free:
            account.before = momentum_of(ctx, work, account)


# ---- a sub-step ----------------------------------------------------------------------------------


cdef inline double power_of(const Block* m, int lane, const Motion* line, const double* r_n0,
                            const double* r_n1, const double* r_t) noexcept nogil:
    """J, of a lane's impulses on the velocity of one body's surface."""
    cdef double un = m.nx[lane] * line.v.x + m.ny[lane] * line.v.y
    cdef double ut = m.nx[lane] * line.v.y - m.ny[lane] * line.v.x + r_t[lane] * line.w
    cdef double sum = ut * m.p[lane] + (un + r_n0[lane] * line.w) * m.point[0].p[lane]
    if m.points[lane] == 2:
        sum += (un + r_n1[lane] * line.w) * m.point[1].p[lane]
    return sum


cdef void find_drive_work(LargeWorkspace* work) noexcept nogil:
    """What surfaces that run gave to each island in this sub-step (J)."""
    cdef int32_t k, lane, line
    cdef const Block* m
    for k in range(work.n_blocks):
        m = &work.blocks[k]
        for lane in range(4):
            if m.points[lane] and m.drive[lane] != 0.0:
                line = m.a[lane] if work.tags[m.a[lane]].moves else m.b[lane]
                work.accounts[work.island_of[line]].work_now -= m.p[lane] * m.drive[lane]


cdef void find_work(LargeWorkspace* work, bint has_rules) noexcept nogil:
    """What kinematic bodies gave to each island in this sub-step (J)."""
    cdef int32_t k, lane, a, b
    cdef const Block* m
    for k in range(work.n_islands):
        work.accounts[k].work_now = 0.0
    if has_rules:
        find_drive_work(work)
    for k in range(work.first_fixed, work.n_blocks):
        m = &work.blocks[k]
        for lane in range(4):
            if m.points[lane] == 0:
                continue
            a, b = m.a[lane], m.b[lane]
            if b > work.n_rows:
                work.accounts[work.island_of[a]].work_now += power_of(
                    m, lane, &work.lines[b], m.point[0].rb, m.point[1].rb, m.rb)
            elif a > work.n_rows:
                work.accounts[work.island_of[b]].work_now -= power_of(
                    m, lane, &work.lines[a], m.point[0].ra, m.point[1].ra, m.ra)


cdef inline double gain_of(const LargeWorkspace* work, const Account* account, double* forced,
                           double* kinetic, double* along) noexcept nogil:
    """J, that contacts gave in this sub-step beyond the work of kinematic bodies. forced: W, of
    external forces on the velocities that contacts gave; kinetic: J, of the bodies; along: as in
    sum_gain."""
    return sum_gain(&work.lines[account.first], &work.drives[account.first],
                    &work.masses[account.first], account.end - account.first, forced, kinetic,
                    along) - account.work_now


cdef Frame support_of(const StepContext* ctx, const LargeWorkspace* work,
                      const Account* account) noexcept nogil:
    """The motion of what an island leans on; of one that is free, its own."""
    cdef Frame out
    cdef Momentum sum
    if account.support == NO_SUPPORT:
        sum = momentum_of(ctx, work, account)
        return rigid_frame(&sum)
    if account.support <= 0:
        return standing_frame()
    out.x = center_of(ctx, work, account.support)
    out.v = work.lines[account.support].v
    out.w = work.lines[account.support].w
    return out


cdef inline double share_left(double energy, double excess) noexcept nogil:
    """By what share (< 0) velocities change that lose an excess (J) of their energy, or all."""
    return sqrt(1.0 - excess / energy) - 1.0 if energy > excess else -1.0


cdef double slow_down(const StepContext* ctx, LargeWorkspace* work, Account* account,
                      double excess) noexcept nogil:
    """Take an energy (J; < 0: give it) from an island's motion against its support, as far as it
    has any there; impulses stay what they are. Returns what was taken. What moves by itself does
    work on what is slowed against it: that goes to `work_now`."""
    cdef Frame frame = support_of(ctx, work, account)
    cdef double energy = 0.0, carried = 0.0, share
    cdef int32_t k
    cdef Motion* line
    cdef Drive* drive
    cdef Vec2 v, base
    for k in range(account.first, account.end):
        line = &work.lines[k]
        v = sub(line.v, velocity_in(&frame, center_of(ctx, work, k)))
        energy += kinetic_energy(work.masses[k].m, turns_as(ctx, work, k), v, line.w - frame.w)
    if energy <= 0.0 or excess < -energy:
        # what hardly moves there, by rounding, has no direction in which to go faster
        return 0.0
    share = share_left(energy, excess)
    for k in range(account.first, account.end):
        line = &work.lines[k]
        drive = &work.drives[k]
        base = velocity_in(&frame, center_of(ctx, work, k))
        v = scaled(share, sub(line.v, base))
        carried += work.masses[k].m * dot(v, base)
        line.v = add(line.v, v)
        drive.v0 = add(drive.v0, v)
        if turns_as(ctx, work, k) > 0.0:
            carried += work.masses[k].inertia * share * (line.w - frame.w) * frame.w
            drive.w0 += share * (line.w - frame.w)
            line.w += share * (line.w - frame.w)
    if account.support > 0:
        account.work_now += carried
    return lesser(excess, energy)


cdef void slow_whole(const StepContext* ctx, LargeWorkspace* work, const Account* account,
                     double excess) noexcept nogil:
    """Take an energy (J) from the turning of an island that nothing holds: its centre of mass goes
    on as it does, its angular momentum is not kept."""
    cdef Frame frame = support_of(ctx, work, account)
    cdef double energy = 0.0, share
    cdef int32_t k
    cdef Motion* line
    for k in range(account.first, account.end):
        line = &work.lines[k]
        energy += kinetic_energy(work.masses[k].m, turns_as(ctx, work, k), sub(line.v, frame.v),
                                 line.w)
    if energy <= 0.0:
        return
    share = sqrt(1.0 - excess / energy) if energy > excess else 0.0
    for k in range(account.first, account.end):
        line = &work.lines[k]
        line.v = add(frame.v, scaled(share, sub(line.v, frame.v)))
        if turns_as(ctx, work, k) > 0.0:
            line.w *= share


cdef double take_back(const StepContext* ctx, LargeWorkspace* work, Account* account, double gain,
                      double kinetic, double along, bint at_once) noexcept nogil:
    """`slow_down` of an island that was given a gain (J), with its kinetic energy and what was
    given along its motion (J) at hand; returns what contacts gave then (J)."""
    cdef int32_t first = account.first
    cdef double excess = gain - account.limit, share, forced
    if account.support == NO_SUPPORT or account.support > 0:
        slow_down(ctx, work, account, excess)
        return gain_of(work, account, &forced, &kinetic, &along)
    share = share_left(kinetic, excess)
    if at_once:
        scale_lines(&work.lines[first], &work.drives[first], &work.masses[first],
                    account.end - first, share)
    else:
        account.share = share
        work.is_slowed = True
    return gain + share * along


cdef void limit_gain(StepContext* ctx, double h, bint is_last, LargeWorkspace* work) noexcept nogil:
    cdef int32_t g
    cdef double gain, kinetic, forced, along
    cdef bint at_once = is_last or work.is_damped or work.n_bouncers > 0
    cdef Account* account
    if work.n_lines > work.n_rows + 1 or ctx.has_rules:
        find_work(work, ctx.has_rules)
    for g in range(work.n_islands):
        account = &work.accounts[g]
        gain = gain_of(work, account, &forced, &kinetic, &along)
        if gain > account.limit + ENERGY_ROUNDING * kinetic:
            ctx.counters.energy_limits += 1
            gain = take_back(ctx, work, account, gain, kinetic, along, at_once)
        account.work += account.work_now
        account.contacts += gain - 0.5 * h * forced


# ---- a step --------------------------------------------------------------------------------------


cdef double outer_work(const LargeWorkspace* work, const Account* account) noexcept nogil:
    """J, that external forces did in this step."""
    cdef double sum = 0.0
    cdef int32_t k
    for k in range(account.first, account.end):
        sum += (work.masses[k].m * dot(work.drives[k].a, work.lines[k].d)
                + work.masses[k].inertia * work.drives[k].alpha * work.lines[k].turned)
    return sum


cdef void keep_angular_momentum(const StepContext* ctx, LargeWorkspace* work,
                                const Account* account) noexcept nogil:
    """Give a free island back the angular momentum about its centre of mass that it had: arms of
    impulses are those of the step's begin, so that passes do not keep it. Energy stays."""
    cdef Momentum now = momentum_of(ctx, work, account)
    cdef Frame frame = rigid_frame(&now)
    cdef Turning turning
    cdef double loose = 0.0
    cdef int32_t k
    cdef Motion* line
    cdef Vec2 x
    for k in range(account.first, account.end):
        line = &work.lines[k]
        x = sub(line.v, velocity_in(&frame, center_of(ctx, work, k)))
        loose += kinetic_energy(work.masses[k].m, turns_as(ctx, work, k), x, line.w - frame.w)
    if not find_turning(&account.before, &now, loose, &turning):
        return
    for k in range(account.first, account.end):
        line = &work.lines[k]
        line.v = add(line.v, change_by(&turning, center_of(ctx, work, k), line.v))
        if turns_as(ctx, work, k) > 0.0:
            line.w += spin_by(&turning, line.w)
        line.d = add(line.d, shift_by(&turning, center_of(ctx, work, k)))


cdef bint is_astray(const StepContext* ctx, const LargeWorkspace* work,
                    const Account* account) noexcept nogil:
    """Whether a body of an island is farther away than a throw could take it."""
    cdef int32_t k
    cdef double speed
    for k in range(account.first, account.end):
        speed = length(ctx.motions[work.tags[k].row].v) + ctx.dt * length(ctx.gravity)
        if length(work.lines[k].d) > ASTRAY * (ctx.unit + work.dt * speed):
            return True
    return False


cdef void stay(LargeWorkspace* work, const Account* account) noexcept nogil:
    """Leave an island where it was: it is at rest, and still has energy that nobody gave."""
    cdef int32_t k
    for k in range(account.first, account.end):
        work.lines[k].d = vec2(0.0, 0.0)
        work.lines[k].turned = 0.0


cdef void audit_step(StepContext* ctx, LargeWorkspace* work) noexcept nogil:
    cdef int32_t g
    cdef Account* account
    cdef double gain
    for g in range(work.n_islands):
        account = &work.accounts[g]
        if account.is_free:
            keep_angular_momentum(ctx, work, account)
        gain = (kinetic_of(work, account) - account.kinetic - outer_work(work, account)
                - account.work)
        # by the time that passes: a step of many pieces may gain no more than one of a single one
        if gain > work.dt * ctx.dt * account.per_time2 + STEP_GAIN * account.kinetic:
            ctx.counters.energy_audits += 1
            account.work_now = 0.0
            gain -= slow_down(ctx, work, account, gain)
            ctx.books.driven += account.work_now
            if gain > 0.0 and account.support == NO_SUPPORT:
                # bodies that came nearer to each other cannot have both momenta with less
                slow_whole(ctx, work, account, gain)
            elif gain > 0.0 and is_astray(ctx, work, account):
                stay(work, account)
