"""Forces of links; docs/maths/exact.md."""

from libc.math cimport INFINITY, fabs, isfinite, sqrt

from enginecore.dense cimport lu_factor, lu_solve
from enginecore.lcp cimport LCP_AUTO, LcpOptions, LcpOutcome, LcpProblem, solve_lcp
from enginecore.scalar cimport greater
from engine2d.exact.joints cimport (
    add_held_rows, add_joint_forces, add_joint_powers, add_locked_rows, add_open_rows,
    choose_hold_modes, measure_joints, spring_energy, strongest_motor,
    take_joint_forces)
from engine2d.exact.link cimport (
    load_state, measure_link, velocity_at, write_normal_row, write_roll_row, write_slip_row)
from engine2d.exact.run cimport (
    EXTRA_VELOCITY, EXTRA_VELOCITY_AND_DISTANCE, LOOSE, N_ACCOUNTS, PER_BODY, SLIDES, STICKS,
    WORK_APPLIED, WORK_DAMPING, WORK_DRIVEN, WORK_FRICTION, WORK_NORMAL, RunBody, RunLink)
from engine2d.vec2 cimport Vec2, dot, length, sub, vec2

# Redundant links share their load evenly: each row has this share of its own inverse mass added,
# and what that leaves undone is done in further passes (proximal point).
cdef double SOFT = 1e-8
cdef int PASSES = 3
# Passes of linear solves, and what they leave of the right side: more where masses are far apart,
# and with a smaller share where that does not do.
cdef int LEAST_PASSES = 2
cdef int MOST_PASSES = 6
cdef double SOLVED = 1e-13
cdef double SOFTER = 1e-12
cdef int MOST_SWEEPS = 1000
# Turns in which overlaps are pushed out: each takes them to the square of what they were.
cdef int MOST_PUSHES = 6
# What an LCP must reach, and what is still taken.
cdef double LCP_TOLERANCE = 1e-11
cdef double LCP_POOR = 1e-7
# Of the scale of accelerations: less is 0.
cdef double NO_ACCELERATION = 1e-9
# Of v^2/L: the scale of accelerations is not below it.
cdef double NO_TURNING = 1e-6
# Of the largest right side of an LCP: less is rounding.
cdef double NO_SIDE = 1e-13
# Of the fastest point in the world: slower is not moving.
cdef double NO_SPEED = 1e-10
# s, in which extra acceleration takes back a residual speed or gap.
cdef double EXTRA_TIME = 1.0 / 60.0
# A bounce lower than this many tolerances is none.
cdef double LOW_BOUNCE = 5.0
# Accelerations this many times those that forces have to balance are no accelerations.
cdef double JAMMED = 1e5
# m, of a gap, times the tolerance: nearer is held.
cdef double HELD = 1e-6


# ------------------------------------------------------------------------------------ small parts

cdef double find_energy(Run* run) noexcept nogil:
    """J; see modes.pxd."""
    cdef double out = spring_energy(run)
    cdef int32_t i
    cdef const RunBody* body
    for i in range(run.n_moving):
        body = &run.bodies[run.moving[i]]
        if body.dynamic:
            out += 0.5 * body.mass * dot(body.v, body.v) + 0.5 * body.inertia * body.w * body.w
            out -= body.mass * dot(body.weight, body.x)
    return out


cdef void find_slow(Run* run) noexcept nogil:
    """What counts as no speed; see modes.pxd."""
    cdef double most = 0.0
    cdef int32_t i
    cdef const RunBody* body
    for i in range(run.n_moving):
        body = &run.bodies[run.moving[i]]
        most = greater(most, length(body.v) + fabs(body.w) * body.bounding_radius)
    run.slow = NO_SPEED * (most + sqrt(run.pull * run.tol))


cdef double row_rate(const Run* run, const RunRow* row) noexcept nogil:
    """Rate of a row; see modes.pxd."""
    cdef const RunBody* a = &run.bodies[row.a]
    cdef const RunBody* b = &run.bodies[row.b]
    return (row.ja[0] * a.v.x + row.ja[1] * a.v.y + row.ja[2] * a.w
            + row.jb[0] * b.v.x + row.jb[1] * b.v.y + row.jb[2] * b.w + row.drive)


cdef double row_acceleration(const Run* run, const RunRow* row) noexcept nogil:
    """test . acceleration + bias."""
    cdef const RunBody* a = &run.bodies[row.a]
    cdef const RunBody* b = &run.bodies[row.b]
    return (row.ja[0] * a.a.x + row.ja[1] * a.a.y + row.ja[2] * a.alpha
            + row.jb[0] * b.a.x + row.jb[1] * b.a.y + row.jb[2] * b.alpha + row.bias)


cdef void find_outer(Run* run) noexcept nogil:
    """Accelerations without links: gravity, users' forces, damping, springs and the motors that
    push. Joints must have been measured."""
    cdef int32_t i
    cdef RunBody* body
    for i in range(run.n_moving):
        body = &run.bodies[run.moving[i]]
        if not body.dynamic:
            continue
        body.a.x = body.weight.x + body.inv_m * body.force.x - body.damping * body.v.x
        body.a.y = body.weight.y + body.inv_m * body.force.y - body.damping * body.v.y
        body.alpha = body.inv_I * body.torque - (body.spin_damping * body.w
                                                 if body.inv_I > 0.0 else 0.0)
    add_joint_forces(run)


cdef inline void push(Run* run, const RunRow* row, double f) noexcept nogil:
    """Add the accelerations of a row's force."""
    cdef RunBody* a = &run.bodies[row.a]
    cdef RunBody* b = &run.bodies[row.b]
    a.a.x += a.inv_m * row.pa[0] * f
    a.a.y += a.inv_m * row.pa[1] * f
    a.alpha += a.inv_I * row.pa[2] * f
    b.a.x += b.inv_m * row.pb[0] * f
    b.a.y += b.inv_m * row.pb[1] * f
    b.alpha += b.inv_I * row.pb[2] * f


cdef inline double couple(const RunBody* body, const double* test,
                          const double* force) noexcept nogil:
    return body.inv_m * (test[0] * force[0] + test[1] * force[1]) + body.inv_I * test[2] * force[2]


cdef void assemble(Run* run) noexcept nogil:
    """The matrix of the rows; see modes.pxd."""
    cdef int32_t i, j, n = run.n_rows
    cdef const RunRow* x
    cdef const RunRow* y
    cdef double value
    for i in range(n):
        x = &run.rows[i]
        for j in range(n):
            y = &run.rows[j]
            value = 0.0
            if x.a == y.a:
                value += couple(&run.bodies[x.a], x.ja, y.pa)
            elif x.a == y.b:
                value += couple(&run.bodies[x.a], x.ja, y.pb)
            if x.b == y.b:
                value += couple(&run.bodies[x.b], x.jb, y.pb)
            elif x.b == y.a:
                value += couple(&run.bodies[x.b], x.jb, y.pa)
            run.A[i * n + j] = value


cdef inline void add_friction(RunRow* row, const RunRow* slip, double factor) noexcept nogil:
    """Let a normal row push along the slip too, factor times as much."""
    cdef int i
    for i in range(3):
        row.pa[i] += factor * slip.ja[i]
        row.pb[i] += factor * slip.jb[i]


cdef inline double extra_of(const Run* run, const RunLink* link) noexcept nogil:
    """What is added to the side of a normal row for its residual speed and gap."""
    if not run.wide:
        return 0.0
    if run.extra == EXTRA_VELOCITY:
        return link.vn / EXTRA_TIME
    if run.extra == EXTRA_VELOCITY_AND_DISTANCE:
        return (2.0 * link.vn * EXTRA_TIME + link.at.gap) / (EXTRA_TIME * EXTRA_TIME)
    return 0.0


# -------------------------------------------------------------------------------- locked modes

cdef void build_locked(Run* run) noexcept nogil:
    """Rows of all that bears, with the forces it bore last as a start."""
    cdef int32_t k, m = 0
    cdef RunLink* link
    cdef RunRow slip
    for k in range(run.n_links):
        link = &run.links[k]
        link.row = -1
        if link.mode == LOOSE:
            continue
        measure_link(run, link)
        link.row = m
        write_normal_row(run, link, &run.rows[m])
        run.rows[m].bias += extra_of(run, link)
        run.f[m] = link.base_n
        m += 1
        if link.mode == STICKS:
            write_slip_row(run, link, &run.rows[m])
            run.f[m] = link.base_t
            m += 1
        elif link.slip != 0:
            write_slip_row(run, link, &slip)
            add_friction(&run.rows[link.row], &slip, -link.mu * link.slip)
        m = add_rolling(run, link, m)
    run.n_rows = add_locked_rows(run, m)


cdef int32_t add_rolling(Run* run, RunLink* link, int32_t m) noexcept nogil:
    """What resists rolling at a link whose normal row is written: a share of that row while it
    rolls, a row of its own at m where it is held; returns where the next row goes."""
    cdef RunRow roll
    link.roll_row = -1
    if link.rolling == 0.0:
        return m
    if link.roll != 0:
        write_roll_row(run, link, &roll)
        add_friction(&run.rows[link.row], &roll, -link.rolling * link.roll)
        return m
    write_roll_row(run, link, &run.rows[m])
    run.f[m] = link.base_r
    link.roll_row = m
    return m + 1


cdef void keep_forces(Run* run) noexcept nogil:
    """The state is accepted; see modes.pxd."""
    cdef int32_t k
    for k in range(run.n_links):
        run.links[k].base_n, run.links[k].base_t = run.links[k].fn, run.links[k].ft
        run.links[k].base_r = run.links[k].fr
    for k in range(run.n_holds):
        run.holds[k].base = run.holds[k].f


cdef bint solve_soft(Run* run) noexcept nogil:
    """Solve A f = -b from the start f; see modes.pxd."""
    cdef int32_t n = run.n_rows, i
    cdef double most = 0.0
    for i in range(n):
        most = greater(most, fabs(run.b[i]))
    # light bodies with long arms that bear heavy ones: little is too much
    return solve_softened(run, SOFT, SOLVED * most) or solve_softened(run, SOFTER, INFINITY)


cdef bint solve_softened(Run* run, double soft, double enough) noexcept nogil:
    """Passes of the proximal point until no row is left with more than `enough`; False if one is,
    or a force is no number."""
    cdef int32_t n = run.n_rows, i, j
    cdef int turn
    cdef double sum, left = INFINITY
    for i in range(n * n):
        run.LU[i] = run.A[i]
    for i in range(n):
        run.LU[i * n + i] += soft * run.rows[i].metric
    if not lu_factor(run.LU, n, n, 0.0, run.order):
        return False
    for turn in range(MOST_PASSES):
        left = 0.0
        for i in range(n):
            sum = run.b[i]
            for j in range(n):
                sum += run.A[i * n + j] * run.f[j]
            run.g[i] = -sum
            left = greater(left, fabs(sum))
        if turn >= LEAST_PASSES and left <= enough:
            return True
        lu_solve(run.LU, n, n, run.order, run.g)
        for i in range(n):
            run.f[i] += run.g[i]
            if not isfinite(run.f[i]):
                return False
    return left <= enough


cdef void solve_locked(Run* run) noexcept nogil:
    """Forces and accelerations with the modes as they are; the state must be loaded."""
    cdef int32_t i, k
    cdef RunLink* link
    run.count.evaluations += 1
    measure_joints(run)
    find_outer(run)
    build_locked(run)
    if run.n_rows == 0:
        take_joint_forces(run)
        return
    for i in range(run.n_rows):
        run.b[i] = row_acceleration(run, &run.rows[i])
    assemble(run)
    if not solve_soft(run):
        run.failed = True
        return
    for i in range(run.n_rows):
        push(run, &run.rows[i], run.f[i])
    for k in range(run.n_links):
        link = &run.links[k]
        if link.row < 0:
            continue
        link.fn = run.f[link.row]
        link.ft = (run.f[link.row + 1] if link.mode == STICKS
                   else -link.mu * link.slip * link.fn)
        link.fr = (run.f[link.roll_row] if link.roll_row >= 0
                   else -link.rolling * link.roll * link.fn)
    take_joint_forces(run)


cdef void find_free_accelerations(Run* run) noexcept nogil:
    """Without contacts; see modes.pxd."""
    cdef int32_t i
    measure_joints(run)
    find_outer(run)
    run.n_rows = add_locked_rows(run, 0)
    if run.n_rows == 0:
        return
    for i in range(run.n_rows):
        run.b[i] = row_acceleration(run, &run.rows[i])
        run.f[i] = 0.0
    assemble(run)
    if solve_soft(run):
        for i in range(run.n_rows):
            push(run, &run.rows[i], run.f[i])


cdef void find_slopes(double t, const double* y, double* dy, void* context) noexcept nogil:
    """dy/dt; see modes.pxd."""
    cdef Run* run = <Run*> context
    cdef int32_t i
    cdef const RunBody* body
    cdef double* out
    load_state(run, y)
    solve_locked(run)
    for i in range(run.n_moving):
        body = &run.bodies[run.moving[i]]
        out = dy + body.at
        out[0], out[1], out[2] = body.v.x, body.v.y, body.w
        out[3], out[4], out[5] = body.a.x, body.a.y, body.alpha
    find_powers(run, dy + PER_BODY * run.n_moving)
    add_joint_powers(run, dy + PER_BODY * run.n_moving, dy + PER_BODY * run.n_moving + N_ACCOUNTS)


cdef void find_powers(const Run* run, double* powers) noexcept nogil:
    """W, of each account."""
    cdef int32_t i
    cdef const RunBody* body
    cdef const RunLink* link
    cdef const RunBody* driven
    cdef Vec2 n, force
    cdef double sign
    for i in range(N_ACCOUNTS):
        powers[i] = 0.0
    for i in range(run.n_moving):
        body = &run.bodies[run.moving[i]]
        if body.dynamic:
            powers[WORK_APPLIED] += dot(body.force, body.v) + (
                body.torque * body.w if body.inv_I > 0.0 else 0.0)
            powers[WORK_DAMPING] -= (body.damping * body.mass * dot(body.v, body.v)
                                     + body.spin_damping * body.inertia * body.w * body.w)
    for i in range(run.n_links):
        link = &run.links[i]
        if link.mode == LOOSE:
            continue
        powers[WORK_FRICTION] += link.ft * link.vt + link.fr * link.vr
        powers[WORK_NORMAL] += link.fn * link.vn
        powers[WORK_DRIVEN] -= link.ft * link.drive
        if run.bodies[link.a].dynamic and run.bodies[link.b].dynamic:
            continue
        # the force on the dynamic one, at the speed of the other's point
        driven = &run.bodies[link.a if not run.bodies[link.a].dynamic else link.b]
        if driven.at < 0:
            continue
        sign = -1.0 if driven == &run.bodies[link.a] else 1.0
        n = link.at.normal
        force = vec2(link.fn * n.x - link.ft * n.y, link.fn * n.y + link.ft * n.x)
        powers[WORK_DRIVEN] += sign * dot(force, velocity_at(driven, sub(link.at.point, driven.x)))
        powers[WORK_DRIVEN] += sign * link.fr * link.round * driven.w


cdef void find_gap_accelerations(Run* run) noexcept nogil:
    """Of all links; see modes.pxd."""
    cdef int32_t k
    cdef RunRow row
    for k in range(run.n_links):
        measure_link(run, &run.links[k])
        write_normal_row(run, &run.links[k], &row)
        run.links[k].metric = row.metric
        run.links[k].an = row_acceleration(run, &row)


# ----------------------------------------------------------------------------------------- LCPs

cdef bint solve_bounded(Run* run) noexcept nogil:
    """The LCP of the rows; see modes.pxd."""
    cdef int32_t n = run.n_rows, i, j
    cdef int _p
    cdef LcpProblem problem
    cdef LcpOptions options
    cdef LcpOutcome outcome
    cdef bint symmetric = True
    cdef double most = 0.0
    run.count.lcps += 1
    for i in range(n):
        most = greater(most, fabs(run.b[i]))
    for i in range(n):
        if fabs(run.b[i]) < NO_SIDE * most:
            run.b[i] = 0.0
        run.lo[i], run.hi[i] = run.rows[i].low, run.rows[i].high
        run.normal[i], run.mu[i] = run.rows[i].normal, run.rows[i].mu
        for j in range(i):
            symmetric = symmetric and (fabs(run.A[i * n + j] - run.A[j * n + i])
                                       <= 1e-13 * (run.rows[i].metric + run.rows[j].metric))
        for j in range(n):
            run.LU[i * n + j] = run.A[i * n + j]
        run.LU[i * n + i] += SOFT * run.rows[i].metric
    problem.n, problem.A, problem.b = n, run.LU, run.g
    problem.lo, problem.hi = run.lo, run.hi
    problem.normal, problem.mu = run.normal, run.mu
    options.tol, options.max_iterations, options.relaxation = LCP_TOLERANCE, 0, 1.0
    for _p in range(PASSES):
        for i in range(n):
            run.g[i] = run.b[i] - SOFT * run.rows[i].metric * run.f[i]
        options.warm = True
        outcome = solve_lcp(&problem, LCP_AUTO, symmetric, run.lcp, &options, run.f, run.errors)
        if not outcome.residual <= LCP_POOR:
            return False
    return True


cdef bint sweep(Run* run) noexcept nogil:
    """Projected Gauss-Seidel; see modes.pxd."""
    cdef int32_t n = run.n_rows, i, j
    cdef int _turn
    cdef double sum, low, high
    for i in range(n):
        run.f[i] = 0.0
    for _turn in range(MOST_SWEEPS):
        for i in range(n):
            if not run.A[i * n + i] > 0.0:
                continue
            sum = run.b[i]
            for j in range(n):
                sum += run.A[i * n + j] * run.f[j]
            low, high = run.rows[i].low, run.rows[i].high
            if run.rows[i].normal >= 0:
                high = run.rows[i].mu * run.f[run.rows[i].normal]
                low = -high
            sum = run.f[i] - sum / run.A[i * n + i]
            run.f[i] = low if sum < low else high if sum > high else sum
    for i in range(n):
        if not isfinite(run.f[i]):
            return False
    return True


cdef void push_out(Run* run, double* y) noexcept nogil:
    """Overlaps of links taken back; see modes.pxd."""
    cdef int32_t k, m
    cdef int _turn
    cdef double before = find_energy(run), deepest
    for _turn in range(MOST_PUSHES):
        m = 0
        deepest = 0.0
        for k in range(run.n_links):
            measure_link(run, &run.links[k])
            write_normal_row(run, &run.links[k], &run.rows[m])
            run.b[m] = run.links[k].at.gap - run.links[k].rest
            deepest = greater(deepest, -run.b[m])
            run.f[m] = 0.0
            m += 1
        measure_joints(run)
        run.n_rows = add_held_rows(run, m, False)
        for k in range(m, run.n_rows):
            run.b[k] = run.errors[k]
            run.f[k] = 0.0
            deepest = greater(deepest, fabs(run.b[k]))
        if deepest <= 0.1 * run.tol:
            break
        assemble(run)
        if not solve_bounded(run) and not sweep(run):
            break
        move_by(run, y, 0)
    run.projection += find_energy(run) - before


cdef void build_open(Run* run) noexcept nogil:
    """Rows of all links that may bear: those that do not part."""
    cdef int32_t k, m = 0
    cdef RunLink* link
    cdef RunRow slip
    cdef double still = greater(run.slow, run.band_speed)
    for k in range(run.n_links):
        link = &run.links[k]
        link.row = -1
        measure_link(run, link)
        if link.vn > still:
            continue
        link.row = m
        write_normal_row(run, link, &run.rows[m])
        run.rows[m].bias += extra_of(run, link)
        run.f[m] = link.base_n
        link.slip = 0
        if link.mu > 0.0:
            write_slip_row(run, link, &slip)
            if fabs(link.vt) > run.slow and not link.held:
                link.slip = 1 if link.vt > 0.0 else -1
                add_friction(&run.rows[m], &slip, -link.mu * link.slip)
            else:
                run.rows[m + 1] = slip
                run.rows[m + 1].normal = m
                run.rows[m + 1].mu = link.mu
                run.f[m + 1] = link.base_t
                m += 1
        m += 1
        link.roll = 0
        if link.rolling > 0.0 and fabs(link.vr) > run.slow and not link.roll_held:
            link.roll = 1 if link.vr > 0.0 else -1
        m = add_rolling(run, link, m)
        if link.roll_row >= 0:
            run.rows[link.roll_row].normal = link.row
            run.rows[link.roll_row].mu = link.rolling
    run.n_rows = add_open_rows(run, m)


cdef bint is_jammed(const Run* run) noexcept nogil:
    """Whether forces are out of all proportion to what they are to balance; see modes.pxd."""
    cdef int32_t i
    cdef const RunBody* body
    for i in range(run.n_moving):
        body = &run.bodies[run.moving[i]]
        if not (length(body.a) + fabs(body.alpha) * body.bounding_radius
                <= JAMMED / NO_ACCELERATION * run.least):
            return True
    return False


cdef bint solve_open(Run* run, bint cold) noexcept nogil:
    """Forces of the open rows and their accelerations, from the forces borne last or (cold) from
    none: last ones can be far off after a jam. False if there are none within reason."""
    cdef int32_t i
    if cold:
        find_outer(run)
        for i in range(run.n_rows):
            run.f[i] = 0.0
    if not solve_bounded(run):
        return False
    for i in range(run.n_rows):
        push(run, &run.rows[i], run.f[i])
    return not is_jammed(run)


cdef bint find_modes(Run* run) noexcept nogil:
    """Modes of all links; see modes.pxd."""
    cdef int32_t i, k
    cdef double most = 0.0, least, speed
    cdef RunLink* link
    cdef const RunBody* body
    measure_joints(run)
    build_open(run)
    # after the rows: these tell which motors push
    find_outer(run)
    for i in range(run.n_moving):
        body = &run.bodies[run.moving[i]]
        speed = length(body.v) + fabs(body.w) * body.bounding_radius
        most = greater(most, length(body.a) + fabs(body.alpha) * body.bounding_radius)
        if body.bounding_radius > 0.0:
            most = greater(most, NO_TURNING * speed * speed / body.bounding_radius)
    most = greater(most, strongest_motor(run))
    for i in range(run.n_rows):
        run.b[i] = row_acceleration(run, &run.rows[i])
        most = greater(most, fabs(run.b[i]))
    least = run.least = NO_ACCELERATION * (run.pull + most)
    if run.n_rows > 0:
        assemble(run)
        if not solve_open(run, False) and not solve_open(run, True):
            return False
    elif is_jammed(run):
        return False
    for k in range(run.n_links):
        link = &run.links[k]
        if link.row < 0:
            link.mode = LOOSE
            link.fn = link.ft = link.fr = 0.0
        else:
            choose_mode(run, link, least)
    choose_hold_modes(run, least)
    return True


cdef void choose_mode(Run* run, RunLink* link, double least) noexcept nogil:
    """What a link does, from the solution of the LCP; `least` (m/s^2): less is none."""
    cdef const RunRow* row = &run.rows[link.row]
    cdef double slipping
    link.fn = run.f[link.row]
    link.ft = link.fr = 0.0
    if not link.fn * row.metric > least:
        link.mode = LOOSE
        link.fn = 0.0
        return
    choose_rolling(run, link, least)
    if link.mu == 0.0 or link.slip != 0:
        link.mode = SLIDES
        link.ft = -link.mu * link.slip * link.fn
        return
    link.ft = run.f[link.row + 1]
    slipping = row_acceleration(run, &run.rows[link.row + 1])
    if (fabs(link.ft) >= link.mu * link.fn * (1.0 - NO_ACCELERATION)
            and (run.pressed or (fabs(slipping) > least and slipping * link.ft < 0.0))):
        link.mode = SLIDES
        link.slip = 1 if link.ft < 0.0 else -1
    else:
        link.mode = STICKS


cdef void choose_rolling(Run* run, RunLink* link, double least) noexcept nogil:
    """Whether a link that bears rolls, where it resists that."""
    cdef double rolling
    if link.roll_row < 0:
        link.fr = -link.rolling * link.roll * link.fn
        return
    link.fr = run.f[link.roll_row]
    rolling = row_acceleration(run, &run.rows[link.roll_row])
    if (fabs(link.fr) >= link.rolling * link.fn * (1.0 - NO_ACCELERATION)
            and (run.pressed or (fabs(rolling) > least and rolling * link.fr < 0.0))):
        link.roll = 1 if link.fr < 0.0 else -1


# ----------------------------------------------------------------------------------- projection

cdef void build_held(Run* run, bint slips) noexcept nogil:
    """Rows of all that bears, normals and (if asked for) what sticks, without friction. In a wide
    band contacts are not held, joints are."""
    cdef int32_t k, m = 0
    cdef RunLink* link
    measure_joints(run)
    for k in range(run.n_links):
        link = &run.links[k]
        if link.mode == LOOSE or run.wide:
            continue
        measure_link(run, link)
        write_normal_row(run, link, &run.rows[m])
        run.errors[m] = link.at.gap - link.rest
        m += 1
        if slips and link.mode == STICKS:
            write_slip_row(run, link, &run.rows[m])
            run.errors[m] = 0.0
            m += 1
        if slips and link.rolling > 0.0 and link.roll == 0:
            write_roll_row(run, link, &run.rows[m])
            run.errors[m] = 0.0
            m += 1
    for k in range(m):
        run.b[k] = row_rate(run, &run.rows[k])
    run.n_rows = add_held_rows(run, m, slips)


cdef bint correct(Run* run) noexcept nogil:
    """Multipliers f that take b to zero, from no start."""
    cdef int32_t i
    for i in range(run.n_rows):
        run.f[i] = 0.0
    assemble(run)
    return solve_soft(run)


cdef void move_by(Run* run, double* y, int first) noexcept nogil:
    """Add M^-1 J' f to the places (first = 0) or velocities (3) in the state, and load it."""
    cdef int32_t i
    cdef const RunRow* row
    cdef const RunBody* body
    cdef double* out
    for i in range(run.n_rows):
        row = &run.rows[i]
        body = &run.bodies[row.a]
        if body.dynamic:
            out = y + body.at + first
            out[0] += body.inv_m * row.pa[0] * run.f[i]
            out[1] += body.inv_m * row.pa[1] * run.f[i]
            out[2] += body.inv_I * row.pa[2] * run.f[i]
        body = &run.bodies[row.b]
        if body.dynamic:
            out = y + body.at + first
            out[0] += body.inv_m * row.pb[0] * run.f[i]
            out[1] += body.inv_m * row.pb[1] * run.f[i]
            out[2] += body.inv_I * row.pb[2] * run.f[i]
    load_state(run, y)


cdef void project(Run* run, double* y) noexcept nogil:
    """Hold gaps and rates; see modes.pxd."""
    cdef int32_t i
    cdef double before, most
    cdef int _turn
    load_state(run, y)
    if run.wide and run.n_joints == 0:
        return
    before = find_energy(run)
    for _turn in range(2):
        build_held(run, False)
        most = 0.0
        for i in range(run.n_rows):
            run.b[i] = run.errors[i]
            most = greater(most, fabs(run.b[i]))
        if run.n_rows == 0:
            break
        if most <= HELD * run.tol or not correct(run):
            break
        move_by(run, y, 0)
    build_held(run, True)
    if correct(run):
        move_by(run, y, 3)
    run.projection += find_energy(run) - before


cdef bint capture(Run* run, double* y) noexcept nogil:
    """End endless rocking and bouncing; see modes.pxd."""
    cdef int32_t k, m = 0, i
    cdef RunLink* link
    cdef bint found = False
    cdef double before
    if run.wide:
        return False
    find_gap_accelerations(run)
    for k in range(run.n_links):
        link = &run.links[k]
        if (link.mode == LOOSE and link.vn > run.slow and link.an < 0.0
                and link.at.gap <= run.touch
                and link.vn * link.vn < -2.0 * LOW_BOUNCE * run.tol * link.an):
            found = True
        elif link.mode == LOOSE:
            continue
        write_normal_row(run, link, &run.rows[m])
        m += 1
        if link.mode == STICKS:
            write_slip_row(run, link, &run.rows[m])
            m += 1
        if link.mode != LOOSE and link.rolling > 0.0 and link.roll == 0:
            write_roll_row(run, link, &run.rows[m])
            m += 1
    if not found:
        return False
    before = find_energy(run)
    for i in range(m):
        run.b[i] = row_rate(run, &run.rows[i])
    run.n_rows = add_held_rows(run, m, True)
    if correct(run):
        move_by(run, y, 3)
        run.impact_loss += find_energy(run) - before
    return True
