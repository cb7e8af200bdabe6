"""Small islands solved exactly; solver_direct.pxd has the contract, docs/maths/fixed_step.md why.

The order of attempts: the impulses of last time as they are; Newton on the modes; sweeps, then
Newton again; Lemke's method, then Newton again; more sweeps and Newton; the best of all that.
"""

import numpy as np

cimport cython

from libc.math cimport INFINITY, fabs, isfinite
from libc.stdint cimport uint64_t
from libc.string cimport memcpy, memset

from enginecore.lcp cimport (
    LcpMethod, LcpOptions, LcpOutcome, LcpProblem, Workspace, clamp, solve_lcp)
from enginecore.row_solver cimport (
    ENOUGH, GAIN, LEAST_SCALE, MOST_PASSES, PASSES, PROXIMAL, WANTED, WEAK_PROXIMAL, most_kept,
    wanted_of,
)
from enginecore.scalar cimport greater
from enginecore.status cimport StatusCode, check
from engine2d.solve.direct_newton cimport assemble, take_step
from engine2d.solve.direct_sweep cimport sweep_contacts
from engine2d.solve.direct_system cimport System, highest, is_unknown, lowest, presses
from engine2d.solve.row cimport AT_HIGH, AT_LOW, INSIDE

# Share of the largest of b: what closes no slower than this is about to bear.
cdef double LEVEL = 1e-9
# Share of the arms: friction of two points of a face acts along one line.
cdef double SAME_LINE = 1e-3
cdef enum:
    NEWTON_STEPS = 10
    NARROW = 6            # an island whose band is so many times narrower than it has rows is long
    POLISH_STEPS = 3
    MORE_ROUNDS = 3       # of sweeps and Newton, after the first and Lemke's method
    SWEEPS = 30
    LAST_SWEEPS = 300
    # of solves that may not take any effort
    FEW_STEPS = 4         # of Newton
    FEW_SWEEPS = 10       # between the two attempts of it
    MOST_PIVOTED = 64     # rows: Lemke's method takes too long on more
    MOST_PIVOTINGS = 4    # turns of it in a solve


cdef DirectOutcome solve_rows(Row* rows, int n, Motion* motions, int n_motions, double drift,
                              DirectMemory* memory, Counters* counters) noexcept nogil:
    cdef System s
    cdef DirectOutcome out
    cdef int i
    check(n <= memory.n_rows and n_motions <= memory.n_motions)
    s.rows, s.n, s.motions, s.n_motions, s.work = rows, n, motions, n_motions, memory
    s.drift = drift
    s.ordered = s.assembled = s.factored = False
    s.newton_steps = s.factors = s.pivoted = 0
    memory.swept = False
    s.band = n
    counters.direct_solves += 1
    measure(&s)
    # at rest the impulses of last time still hold
    s.pull = 0.0
    if memory.effort == SWEEPS_ONLY:
        # it moves: last impulses do not hold
        out.residual = INFINITY
    else:
        out.residual = evaluate(&s)
    if out.residual <= allowed(&s):
        counters.direct_kept += 1
        out.status = StatusCode.SOLVED
    elif rests_at_zero(&s):
        # nothing needs to be held
        release(&s)
        out.residual = evaluate(&s)
        out.status = StatusCode.SOLVED
    elif memory.effort == SWEEPS_ONLY:
        out.residual = sweep_only(&s)
        out.status = StatusCode.MAX_ITERATIONS
        counters.direct_swept += 1
    else:
        memcpy(memory.best, memory.p, n * sizeof(double))
        memcpy(memory.best_mode, memory.mode, n * sizeof(int))
        start_modes(&s)
        share_friction(&s)
        out.residual = solve_passes(&s, out.residual, counters)
        out.status = StatusCode.SOLVED
        if memory.swept:
            counters.direct_swept += 1
        if not out.residual <= greater(ENOUGH * s.scale, allowed(&s)):
            out.status = StatusCode.MAX_ITERATIONS
            if not memory.swept:
                counters.direct_failures += 1
    for i in range(n):
        rows[i].p = memory.p[i]
        rows[i].mode = memory.mode[i]
    out.newton_steps, out.factors = s.newton_steps, s.factors
    return out


# ------------------------------------------------------------------------ the problem and its test

cdef inline double wanted(const System* s) noexcept nogil:
    """The residual to aim at, m/s."""
    return wanted_of(s.scale, s.size)


cdef inline double allowed(const System* s) noexcept nogil:
    """The residual up to which impulses are kept, m/s."""
    return most_kept(s.scale, s.size, s.drift)


cdef inline double rate(const Row* row, const Motion* a, const Motion* b) noexcept nogil:
    return (row.ja[0] * a.v.x + row.ja[1] * a.v.y + row.ja[2] * a.w
            + row.jb[0] * b.v.x + row.jb[1] * b.v.y + row.jb[2] * b.w)


cdef inline void push(const Row* row, double p, Motion* a, Motion* b) noexcept nogil:
    """Apply the impulse p of a row."""
    cdef double la = a.inv_m * p, lb = b.inv_m * p
    a.v.x += la * row.ja[0]
    a.v.y += la * row.ja[1]
    a.w += a.inv_I * p * row.ja[2]
    b.v.x += lb * row.jb[0]
    b.v.y += lb * row.jb[1]
    b.w += b.inv_I * p * row.jb[2]


cdef void measure(System* s) noexcept nogil:
    """Diagonal, y without impulses and their sizes; p and modes as last time, inside the bounds."""
    cdef DirectMemory* m = s.work
    cdef Row* row
    cdef Motion* a
    cdef Motion* b
    cdef int i
    cdef double d
    s.scale = s.work.least_scale
    s.size = 0.0
    for i in range(s.n_motions):
        m.free_v[3 * i] = s.motions[i].v.x
        m.free_v[3 * i + 1] = s.motions[i].v.y
        m.free_v[3 * i + 2] = s.motions[i].w
    for i in range(s.n):
        row = &s.rows[i]
        a = &s.motions[row.a]
        b = &s.motions[row.b]
        d = (a.inv_m * (row.ja[0] * row.ja[0] + row.ja[1] * row.ja[1])
             + a.inv_I * row.ja[2] * row.ja[2]
             + b.inv_m * (row.jb[0] * row.jb[0] + row.jb[1] * row.jb[1])
             + b.inv_I * row.jb[2] * row.jb[2] + row.soft)
        m.d[i] = d
        m.b[i] = rate(row, a, b) + row.bias
        s.scale = greater(s.scale, fabs(m.b[i]))
        s.size = greater(s.size, fabs(row.bias) + fabs(row.ja[0] * a.v.x) + fabs(row.ja[1] * a.v.y)
                         + fabs(row.ja[2] * a.w) + fabs(row.jb[0] * b.v.x)
                         + fabs(row.jb[1] * b.v.y) + fabs(row.jb[2] * b.w))
        m.p[i] = row.p if d > 0.0 and isfinite(row.p) else 0.0
        m.mode[i] = row.mode
        # normal rows come before the friction that rests on them
        m.p[i] = clamp(m.p[i], lowest(s, i), highest(s, i))
        s.size = greater(s.size, fabs(m.p[i]) * d)


cdef double evaluate(System* s) noexcept nogil:
    """Give the bodies the velocities of the present p; write y; return the largest residual.

    The residual of a row is |p - mid(lo, p - y/d, hi)| d, a velocity. NaN counts as infinite.
    """
    cdef DirectMemory* m = s.work
    cdef Row* row
    cdef int i
    cdef double worst = 0.0, gap
    for i in range(s.n_motions):
        s.motions[i].v.x = m.free_v[3 * i]
        s.motions[i].v.y = m.free_v[3 * i + 1]
        s.motions[i].w = m.free_v[3 * i + 2]
    for i in range(s.n):
        row = &s.rows[i]
        if m.p[i] != 0.0:
            push(row, m.p[i], &s.motions[row.a], &s.motions[row.b])
    for i in range(s.n):
        row = &s.rows[i]
        m.y[i] = (rate(row, &s.motions[row.a], &s.motions[row.b]) + row.bias + row.soft * m.p[i]
                  + s.pull * m.d[i] * (m.p[i] - m.center[i]))
        if m.d[i] > 0.0:
            gap = fabs(clamp(m.y[i], (m.p[i] - highest(s, i)) * m.d[i],
                             (m.p[i] - lowest(s, i)) * m.d[i]))
            worst = gap if not gap <= worst else worst
    return worst if worst <= INFINITY else INFINITY


cdef bint rests_at_zero(const System* s) noexcept nogil:
    """Whether no impulse at all is an answer, seen from b alone."""
    cdef int i
    for i in range(s.n):
        if s.rows[i].normal < 0 and s.work.d[i] > 0.0:
            if s.rows[i].lo != 0.0 or s.work.b[i] < 0.0:
                return False
    return True


cdef void release(System* s) noexcept nogil:
    cdef int i
    for i in range(s.n):
        s.work.p[i] = 0.0
        s.work.mode[i] = AT_LOW if s.rows[i].normal < 0 else INSIDE


# ------------------------------------------------------------------------------------------- modes

cdef inline int mode_at(const System* s, int i) noexcept nogil:
    """The mode that row i asks for at the present p and y."""
    cdef const Row* row = &s.rows[i]
    cdef double hi = highest(s, i), lo = lowest(s, i), q
    if s.work.d[i] <= 0.0:
        return AT_LOW
    if row.normal >= 0 and hi <= 0.0:
        # nothing presses yet: where the normal row begins to, friction sticks until shown otherwise
        return INSIDE
    q = s.work.p[i] - s.work.y[i] / s.work.d[i]
    if q <= lo:
        return AT_LOW
    return AT_HIGH if q >= hi else INSIDE


cdef void start_modes(System* s) noexcept nogil:
    """The modes of last time, but rows that the kept impulses leave violated take part, and those
    that are about to be: of a column that begins to fall, all but the lowest."""
    cdef int i
    for i in range(s.n):
        if s.rows[i].normal < 0 and s.work.mode[i] != INSIDE:
            s.work.mode[i] = mode_at(s, i)
            if s.work.mode[i] == AT_LOW and s.work.y[i] <= LEVEL * s.scale and s.work.d[i] > 0.0:
                s.work.mode[i] = INSIDE
        if s.rows[i].lo == -INFINITY and s.rows[i].hi == INFINITY and s.rows[i].normal < 0:
            s.work.mode[i] = INSIDE


cdef bint is_same_line(const Row* one, const Row* two) noexcept nogil:
    """Whether two friction rows act on the same bodies along one line: only their sum matters."""
    cdef double arm = SAME_LINE * (fabs(one.ja[2]) + fabs(one.jb[2]))
    return (one.a == two.a and one.b == two.b
            and fabs(one.ja[0] - two.ja[0]) + fabs(one.ja[1] - two.ja[1]) <= SAME_LINE
            and fabs(one.ja[2] - two.ja[2]) <= arm and fabs(one.jb[2] - two.jb[2]) <= arm)


cdef void share_friction(System* s) noexcept nogil:
    """Share the friction of two points of a face as they press: else one may be left with all it
    can bear against the other, and where both give way nothing tells which of them slides."""
    cdef DirectMemory* m = s.work
    cdef int i = 0, j, one, two
    cdef double press, drag
    while i + 3 < s.n:
        one, two, j = i + 1, i + 3, i + 2
        if not (s.rows[one].normal == i and s.rows[two].normal == j
                and is_same_line(&s.rows[one], &s.rows[two])):
            i += 1
            continue
        press = m.p[i] + m.p[j]
        if press > 0.0:
            drag = m.p[one] + m.p[two]
            m.p[one] = drag * m.p[i] / press
            m.p[two] = drag - m.p[one]
        i += 4


cdef bint update_modes(System* s) noexcept nogil:
    """Let every row take the mode it asks for; whether any did change."""
    cdef int i, mode
    cdef bint changed = False
    for i in range(s.n):
        mode = mode_at(s, i)
        if mode != s.work.mode[i]:
            s.work.mode[i] = mode
            changed = True
    if changed:
        s.factored = False
    return changed


cdef void impose(System* s) noexcept nogil:
    """Set the rows that are not unknowns to what their modes say."""
    cdef int i
    for i in range(s.n):
        if s.work.d[i] > 0.0 and not is_unknown(s, i):
            if s.work.mode[i] == AT_LOW:
                s.work.p[i] = lowest(s, i)
            elif s.work.mode[i] == AT_HIGH:
                s.work.p[i] = highest(s, i)
            else:
                s.work.p[i] = 0.0


cdef void impose_slip(System* s) noexcept nogil:
    """Friction that slides follows its normal impulse, also where a guess made that negative."""
    cdef int i
    for i in range(s.n):
        if s.rows[i].normal >= 0 and s.work.mode[i] != INSIDE and presses(s, i):
            s.work.p[i] = s.work.mode[i] * s.rows[i].mu * s.work.p[s.rows[i].normal]


# ---------------------------------------------------------------------------------------- attempts

cdef inline int more_steps(const System* s) noexcept nogil:
    """How many more steps Newton's method has in a long island: a load that comes on one end of it
    goes from body to body."""
    return s.n_motions if NARROW * s.band <= s.n else 0


cdef bint settle(System* s, int steps) noexcept nogil:
    """Newton on the modes, from the present ones; True if p then solves the regularised problem."""
    cdef int step
    cdef double residual
    cdef uint64_t seen = sign_modes(s)
    step = 0
    while step < steps or (steps >= NEWTON_STEPS and step < steps + more_steps(s)):
        step += 1
        s.newton_steps += 1
        impose(s)
        evaluate(s)
        if not take_step(s):
            return False
        impose_slip(s)
        residual = evaluate(s)
        if residual <= wanted(s):
            return True
        if not update_modes(s):
            return residual <= ENOUGH * s.scale
        # modes that come again would come for ever
        if sign_modes(s) == seen:
            return False
        if step & (step - 1) == 0:
            seen = sign_modes(s)
    return False


cdef uint64_t sign_modes(const System* s) noexcept nogil:
    """A number that tells the present modes from others."""
    cdef uint64_t sign = 14695981039346656037u
    cdef int i
    for i in range(s.n):
        sign = (sign ^ <uint64_t>(s.work.mode[i] + 2)) * 1099511628211u
    return sign


cdef void sweep(System* s, int sweeps) noexcept nogil:
    """Projected Gauss-Seidel on the regularised problem, then the modes it arrives at."""
    cdef DirectMemory* m = s.work
    cdef Row* row
    cdef int i, _sweep
    cdef double y, p
    put_inside(s)
    evaluate(s)
    for _sweep in range(sweeps):
        for i in range(s.n):
            if m.d[i] <= 0.0:
                continue
            row = &s.rows[i]
            y = (rate(row, &s.motions[row.a], &s.motions[row.b]) + row.bias + row.soft * m.p[i]
                 + s.pull * m.d[i] * (m.p[i] - m.center[i]))
            p = clamp(m.p[i] - y / (m.d[i] * (1.0 + s.pull)), lowest(s, i), highest(s, i))
            push(row, p - m.p[i], &s.motions[row.a], &s.motions[row.b])
            m.p[i] = p
    # friction whose bound shrank after its turn
    put_inside(s)
    evaluate(s)
    update_modes(s)


cdef void put_inside(System* s) noexcept nogil:
    cdef int i
    for i in range(s.n):
        s.work.p[i] = clamp(s.work.p[i], lowest(s, i), highest(s, i))


cdef bint pivot(System* s) noexcept nogil:
    """Lemke's method on the regularised problem in scaled units; modes follow. False: it failed."""
    cdef DirectMemory* m = s.work
    cdef LcpProblem problem
    cdef LcpOptions options
    cdef LcpOutcome found
    cdef int i, n = s.n
    if not s.assembled:
        assemble(s)
    for i in range(n):
        m.A[i * n + i] = 1.0 + s.proximal if m.d[i] > 0.0 else 1.0
        m.x[i] = (m.b[i] - s.proximal * m.d[i] * m.center[i]) * m.scale[i]
        m.normal[i] = s.rows[i].normal
        m.lo[i] = m.hi[i] = m.mu[i] = 0.0
        if m.d[i] > 0.0 and s.rows[i].normal >= 0 and m.d[s.rows[i].normal] > 0.0:
            m.mu[i] = s.rows[i].mu * m.scale[s.rows[i].normal] / m.scale[i]
        elif m.d[i] > 0.0:
            m.lo[i] = s.rows[i].lo / m.scale[i]
            m.hi[i] = s.rows[i].hi / m.scale[i]
    problem.n, problem.A, problem.b = n, m.A, m.x
    problem.lo, problem.hi, problem.normal, problem.mu = m.lo, m.hi, m.normal, m.mu
    options.tol, options.max_iterations, options.warm = WANTED, 10 * n + 100, False
    options.relaxation = 1.0
    found = solve_lcp(&problem, LcpMethod.LCP_LEMKE, True, &m.lcp, &options, m.p, m.y)
    for i in range(n):
        m.A[i * n + i] = 1.0
        m.p[i] *= m.scale[i]
    evaluate(s)
    update_modes(s)
    return found.status == StatusCode.SOLVED


cdef double sweep_only(System* s) noexcept nogil:
    """A few sweeps from the impulses of last time, until they change little; not a solution."""
    s.proximal = s.pull = 0.0
    s.work.swept = True
    share_friction(s)
    sweep_contacts(s)
    return INFINITY


cdef bint rescue(System* s, Counters* counters) noexcept nogil:
    """What is tried where Newton did not settle from the modes of last time."""
    cdef DirectMemory* m = s.work
    cdef int _round
    counters.direct_fallbacks += 1
    memcpy(m.p, m.center, s.n * sizeof(double))
    if m.effort != ANY_EFFORT:
        sweep(s, FEW_SWEEPS)
        return settle_from_here(s, FEW_STEPS)
    sweep(s, SWEEPS)
    if settle_from_here(s, NEWTON_STEPS):
        return True
    if s.pivoted < MOST_PIVOTINGS and s.n <= MOST_PIVOTED:
        s.pivoted += 1
        if pivot(s) and settle_from_here(s, POLISH_STEPS):
            return True
    for _round in range(MORE_ROUNDS):
        sweep(s, SWEEPS)
        if settle_from_here(s, NEWTON_STEPS):
            return True
    return False


cdef bint settle_from_here(System* s, int steps) noexcept nogil:
    """`settle`; if it fails, p is as before."""
    memcpy(s.work.kept, s.work.p, s.n * sizeof(double))
    if settle(s, steps):
        return True
    memcpy(s.work.p, s.work.kept, s.n * sizeof(double))
    return False


cdef double keep_better(System* s, double least) noexcept nogil:
    """Compare the present p, put inside its bounds, with the best so far; the lesser residual."""
    cdef DirectMemory* m = s.work
    cdef double residual
    put_inside(s)
    s.pull = 0.0
    residual = evaluate(s)
    s.pull = s.proximal
    if residual < least:
        memcpy(m.best, m.p, s.n * sizeof(double))
        memcpy(m.best_mode, m.mode, s.n * sizeof(int))
        return residual
    return least


cdef double solve_passes(System* s, double least, Counters* counters) noexcept nogil:
    """The proximal iteration; leaves the best p, its modes and velocities; returns its residual.

    Each pass is pulled to the result of the last. While modes stay, a pass is one more solve with
    the same factor, so passes go on as long as they gain; where they do not, the pull is too
    strong for the lightest bodies.
    """
    cdef DirectMemory* m = s.work
    cdef double before
    cdef int k
    cdef bint settled
    s.pull = s.proximal = PROXIMAL
    for k in range(MOST_PASSES):
        memcpy(m.center, m.p, s.n * sizeof(double))
        settled = settle(s, NEWTON_STEPS if m.effort == ANY_EFFORT else FEW_STEPS) or (
            rescue(s, counters))
        if not settled and m.effort != ANY_EFFORT:
            sweep(s, FEW_SWEEPS)
            m.swept = True
        elif not settled:
            sweep(s, LAST_SWEEPS)
        before = least
        least = keep_better(s, least)
        if least <= wanted(s) or not settled:
            break
        if k >= PASSES - 1 and least > GAIN * before:
            if least <= allowed(s) or s.proximal == WEAK_PROXIMAL:
                break
            s.pull = s.proximal = WEAK_PROXIMAL
            s.factored = False
    memcpy(m.p, m.best, s.n * sizeof(double))
    memcpy(m.mode, m.best_mode, s.n * sizeof(int))
    s.pull = 0.0
    return evaluate(s)


# ------------------------------------------------------------------------------------------ memory

cdef enum:
    REALS = 12   # arrays of n numbers
    INTS = 7


cdef inline Py_ssize_t most_pivoted(Py_ssize_t n) noexcept nogil:
    """Of n rows, how many Lemke's method may be asked for."""
    return min(n, <Py_ssize_t>MOST_PIVOTED)


@cython.final
cdef class DirectWorkspace:

    def __cinit__(self):
        memset(&self.memory, 0, sizeof(DirectMemory))
        self.memory.least_scale = LEAST_SCALE
        self._lcp = Workspace()

    cdef int reserve(self, int n_rows, int n_motions) except -1:
        """Make room for an island; call with the GIL, before `solve_rows`."""
        cdef double[::1] reals
        cdef int[::1] ints
        cdef DirectMemory* m = &self.memory
        cdef Py_ssize_t n, bodies
        if n_rows <= m.n_rows and n_motions <= m.n_motions:
            return 0
        n = max(n_rows, m.n_rows, 1)
        bodies = max(n_motions, m.n_motions, 1)
        self._reals = np.zeros(n * n + most_pivoted(n) ** 2 + REALS * n + 3 * bodies)
        self._ints = np.zeros((INTS + 2) * n + 3 * (bodies + 1), np.intc)
        reals = self._reals
        ints = self._ints
        share_reals(m, &reals[0], n)
        share_ints(m, &ints[0], n, bodies)
        m.n_rows, m.n_motions = <int>n, <int>bodies
        self.reserve_lcp(most_pivoted(n))
        return 0

    cdef int reserve_lcp(self, Py_ssize_t n) except -1:
        """Room for Lemke's method where every row is friction: the most it can ask for."""
        cdef LcpProblem problem
        cdef DirectMemory* m = &self.memory
        problem.n, problem.A, problem.b = n, m.A, m.b
        problem.lo, problem.hi, problem.normal, problem.mu = m.lo, m.hi, m.normal, m.mu
        self._lcp.reserve(LcpMethod.LCP_LEMKE, &problem)
        m.lcp = self._lcp.memory
        return 0


cdef void share_reals(DirectMemory* m, double* reals, Py_ssize_t n) noexcept nogil:
    m.A = reals
    m.M = m.A + most_pivoted(n) * most_pivoted(n)
    m.d = m.M + n * n
    m.scale = m.d + n
    m.b = m.scale + n
    m.y = m.b + n
    m.p = m.y + n
    m.center = m.p + n
    m.best = m.center + n
    m.kept = m.best + n
    m.x = m.kept + n
    m.lo = m.x + n
    m.hi = m.lo + n
    m.mu = m.hi + n
    m.free_v = m.mu + n


cdef void share_ints(DirectMemory* m, int* ints, Py_ssize_t n, Py_ssize_t bodies) noexcept nogil:
    m.mode = ints
    m.best_mode = m.mode + n
    m.place = m.best_mode + n
    m.first = m.place + n
    m.order = m.first + n
    m.normal = m.order + n
    m.sorted = m.normal + n
    m.member = m.sorted + n
    m.begin = m.member + 2 * n
    m.rank = m.begin + bodies + 1
    m.queue = m.rank + bodies + 1


# --------------------------------------------------------------------------------------- for tests

def _solve(J, bodies, inverse_mass, velocities, bias, lo, hi, normal, mu, p=None, mode=None,
           soft=None):
    """Solve an island given as arrays: a dict of p, mode, velocities, residual, status, counts.

    J (n, 2, 3), bodies (n, 2) into inverse_mass (k, 2: 1/m, 1/I) and velocities (k, 3).
    """
    cdef int n = len(J), k = len(inverse_mass), i, j
    cdef double[:, :, ::1] j_view = np.ascontiguousarray(J, np.float64)
    cdef double[:, ::1] mass_view = np.ascontiguousarray(inverse_mass, np.float64)
    cdef double[:, ::1] v_view = np.array(velocities, np.float64, order="C")
    cdef int[:, ::1] body_view = np.ascontiguousarray(bodies, np.intc)
    rows_bytes = np.zeros(max(n, 1) * sizeof(Row), np.uint8)
    motion_bytes = np.zeros(max(k, 1) * sizeof(Motion), np.uint8)
    cdef unsigned char[::1] row_view = rows_bytes, motion_view = motion_bytes
    cdef Row* rows = <Row*>&row_view[0]
    cdef Motion* motions = <Motion*>&motion_view[0]
    cdef DirectWorkspace work = DirectWorkspace()
    cdef Counters counters
    cdef DirectOutcome out
    for i in range(n):
        for j in range(3):
            rows[i].ja[j] = j_view[i, 0, j]
            rows[i].jb[j] = j_view[i, 1, j]
        rows[i].a, rows[i].b = body_view[i, 0], body_view[i, 1]
        rows[i].bias, rows[i].lo, rows[i].hi = bias[i], lo[i], hi[i]
        rows[i].normal, rows[i].mu = normal[i], mu[i]
        rows[i].p = 0.0 if p is None else p[i]
        rows[i].mode = (INSIDE if normal[i] >= 0 else AT_LOW) if mode is None else mode[i]
        rows[i].soft = 0.0 if soft is None else soft[i]
    for i in range(k):
        motions[i].inv_m, motions[i].inv_I = mass_view[i, 0], mass_view[i, 1]
        motions[i].v.x, motions[i].v.y, motions[i].w = v_view[i, 0], v_view[i, 1], v_view[i, 2]
    memset(&counters, 0, sizeof(Counters))
    work.reserve(n, k)
    with nogil:
        out = solve_rows(rows, n, motions, k, 0.0, &work.memory, &counters)
    return {
        "p": np.array([rows[i].p for i in range(n)]),
        "mode": np.array([rows[i].mode for i in range(n)], int),
        "velocities": np.array([[motions[i].v.x, motions[i].v.y, motions[i].w] for i in range(k)]),
        "residual": out.residual,
        "solved": out.status == StatusCode.SOLVED,
        "newton_steps": out.newton_steps,
        "factors": out.factors,
        "kept": counters.direct_kept,
        "fallbacks": counters.direct_fallbacks,
        "failures": counters.direct_failures,
    }
