"""Newton's method on the minimum map H(x) = x - mid(lo, x - w, hi), which is min(x, w) for the LCP.

Each row of the Jacobian is a e_i + t e_n + g A_i: a unit row where x is at a bound (t couples a
slipping friction row to its normal row), a row of A where it is not. Where that Newton step is
singular or its line search finds nothing better, one step is taken on the Fischer-Burmeister map
instead: Levenberg-Marquardt on a merit function that has a gradient everywhere. Deterministic.
"""

from libc.math cimport INFINITY, fabs, sqrt

from enginecore.dense cimport (add_product, axpy, cholesky_backward, cholesky_factor,
                               cholesky_forward, dot, lu_factor, lu_solve)
from enginecore.lcp cimport clamp, friction_bound, is_friction
from enginecore.lcp_pgs cimport solve_pgs

cdef enum:
    STEPS = 2000            # Newton steps when the caller sets no limit
    STARTS = 8              # the given one, six after sweeps, a continuation
    SWEEPS = 50             # of Gauss-Seidel, away from where Newton stalled
    STAGES = 14             # of the continuation, each with half the shift of the one before
    STAGE_STEPS = 20
    SLOW_STEPS = 60         # damped steps in a row before a start is given up
    HALVINGS = 5            # of the line search
    DAMPINGS = 40           # fourfold increases of the damping before a point is stationary

cdef double SMALLEST_PIVOT = 1e-10  # below: the Jacobian counts as singular
cdef double SHIFT = 1e-8            # added to its diagonal then
cdef double FIRST_SHIFT = 2.0       # of a continuation; the diagonal of A is about 1
cdef double LOOSE = 1e-3            # tolerance of its stages
cdef double DESCENT = 1e-4          # part of the promised decrease that a step must deliver
cdef double CORNER = 1e-14          # closer to (0, 0) the Fischer-Burmeister map has no gradient
cdef double POLISH = 1e-3           # part of the tolerance that Newton goes on to

cdef struct Newton:
    const LcpProblem* problem
    Py_ssize_t n
    double* x
    double* w               # A x + b
    double* h               # the map's value
    double* a               # Jacobian row i: a[i] e_i + t[i] e_normal + g[i] A_i
    double* t
    double* g
    double* step
    double* trial           # x of the line search
    double* trial_w
    double* slope           # gradient of the merit function, J' h
    double* row             # scratch: one row of J
    double* normal_matrix   # n*n: J' J, lower triangle
    double* factor          # n*n: its factor, or LU of the Newton system
    int* free               # rows with g = 1
    int* spot               # row -> place in `free`, -1
    int* order              # scratch of lu_factor
    double damping
    double shift            # continuation: A + shift I instead of A


cdef StatusCode solve_minmap(const LcpProblem* problem, LcpWorkspace* work,
                             const LcpOptions* options, double* x, int* iterations) noexcept nogil:
    """Newton from the start; where that ends without an answer, from another one."""
    cdef Newton s
    cdef Py_ssize_t i, n = problem.n
    cdef int start, limit = options.max_iterations if options.max_iterations > 0 else STEPS
    cdef double residual, least = INFINITY
    cdef double* best = lay_out(&s, problem, work)
    iterations[0] = 0
    for start in range(STARTS):
        if start == 0 and options.warm:
            for i in range(n):
                s.x[i] = x[i]
        elif start == 0 or start == STARTS - 1:
            start_at_zero(&s)
        if start == STARTS - 1:
            continue_from_definite(&s, limit, iterations)
        elif start > 0:
            sweep(&s, work)
        residual = descend(&s, options.tol, limit, iterations)
        if residual < least or start == 0:
            least = residual
            for i in range(n):
                best[i] = s.x[i]
        if least <= 0.25 * options.tol or iterations[0] >= limit:
            break
    for i in range(n):
        x[i] = best[i]
    return StatusCode.SOLVED if least <= 0.25 * options.tol else StatusCode.MAX_ITERATIONS


cdef void start_at_zero(Newton* s) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(s.n):
        s.x[i] = 0.0
        if not is_friction(s.problem, i):
            s.x[i] = clamp(0.0, s.problem.lo[i], s.problem.hi[i])


cdef void sweep(Newton* s, LcpWorkspace* work) noexcept nogil:
    """Leave the place where Newton stalled by some Gauss-Seidel sweeps, unless they diverge."""
    cdef LcpOptions options
    cdef Py_ssize_t i
    cdef int used
    cdef double residual
    for i in range(s.n):
        s.trial[i] = s.x[i]
    options.tol = 0.0
    options.max_iterations = SWEEPS
    options.warm = True
    options.relaxation = 1.0
    solve_pgs(s.problem, work, &options, s.x, &used)
    find_w(s, s.x, s.w)
    minimum_map(s, s.x, s.w, &residual)
    if residual == INFINITY:
        for i in range(s.n):
            s.x[i] = s.trial[i]


cdef void continue_from_definite(Newton* s, int limit, int* iterations) noexcept nogil:
    """Follow the answers for A + shift I, from the nearly diagonal one towards shift = 0.

    A stage that stalls is no matter: the next one starts where it stopped.
    """
    cdef int _stage
    s.shift = FIRST_SHIFT
    for _stage in range(STAGES):
        descend(s, LOOSE, min(limit, iterations[0] + STAGE_STEPS), iterations)
        s.shift *= 0.5
    s.shift = 0.0


cdef double* lay_out(Newton* s, const LcpProblem* problem, LcpWorkspace* work) noexcept nogil:
    """Divide the scratch memory; return n numbers of it for the best x so far."""
    cdef Py_ssize_t n = problem.n
    cdef double* reals = work.reals
    s.problem = problem
    s.n = n
    s.x = reals
    s.w = reals + n
    s.h = reals + 2 * n
    s.a = reals + 3 * n
    s.t = reals + 4 * n
    s.g = reals + 5 * n
    s.step = reals + 6 * n
    s.trial = reals + 7 * n
    s.trial_w = reals + 8 * n
    s.slope = reals + 9 * n
    s.row = reals + 10 * n
    s.normal_matrix = reals + 12 * n
    s.factor = s.normal_matrix + n * n
    s.free = work.ints
    s.spot = work.ints + n
    s.order = work.ints + 2 * n
    s.shift = 0.0
    return reals + 11 * n


cdef double descend(Newton* s, double tol, int limit, int* iterations) noexcept nogil:
    """Newton from s.x until the map meets the tolerance or stalls; return its largest entry."""
    cdef double merit, least, residual
    cdef int slow = 0
    s.damping = 1e-3
    find_w(s, s.x, s.w)
    merit = minimum_map(s, s.x, s.w, &residual)
    least = merit
    while POLISH * tol < residual < INFINITY and iterations[0] < limit:
        iterations[0] += 1
        if newton_step(s) and search_line(s, least):
            slow = 0
        elif residual <= 0.25 * tol or slow > SLOW_STEPS or not damped_step(s):
            break
        else:
            slow += 1
        merit = minimum_map(s, s.x, s.w, &residual)
        least = min(least, merit)
    return residual


cdef void find_w(Newton* s, const double* x, double* w) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(s.n):
        w[i] = s.problem.b[i] + s.shift * x[i]
    add_product(s.problem.A, s.n, s.n, s.n, x, w)


# The minimum map ---------------------------------------------------------------------------------

cdef double minimum_map(Newton* s, const double* x, const double* w,
                        double* largest) noexcept nogil:
    """Fill h and the Jacobian rows at x; return h.h / 2, and the largest |h|.

    Both are infinite where a number is NaN or the sum overflows.
    """
    cdef Py_ssize_t i
    cdef double lo, hi, tie, merit = 0.0
    largest[0] = 0.0
    for i in range(s.n):
        lo, hi, tie = s.problem.lo[i], s.problem.hi[i], 0.0
        if is_friction(s.problem, i):
            hi = friction_bound(s.problem, i, x)
            lo = -hi
            tie = s.problem.mu[i] if hi > 0.0 else 0.0
        s.a[i] = 1.0
        s.t[i] = 0.0
        s.g[i] = 0.0
        # whether x - w is outside the bounds, asked so that a small w is not lost beside x
        if w[i] >= x[i] - lo:
            s.h[i] = x[i] - lo
            s.t[i] = tie
        elif w[i] <= x[i] - hi:
            s.h[i] = x[i] - hi
            s.t[i] = -tie
        else:
            s.h[i] = w[i]
            s.a[i] = 0.0
            s.g[i] = 1.0
        merit += 0.5 * s.h[i] * s.h[i]
        largest[0] = max(largest[0], fabs(s.h[i]))
    if not merit < INFINITY:
        largest[0] = merit = INFINITY
    return merit


cdef inline bint is_tied(const Newton* s, Py_ssize_t i) noexcept nogil:
    """Whether row i slips, so that its Jacobian row has an entry for its normal row."""
    return is_friction(s.problem, i) and s.t[i] != 0.0


cdef bint newton_step(Newton* s) noexcept nogil:
    """Solve J step = -h: bounds give their entries at once, the free rows need one LU.

    A singular system is shifted, K + SHIFT I: the step is then short of the right one by the
    same part, which the next steps make up for. False when even that cannot be factored.
    """
    cdef Py_ssize_t i, j, m = 0, n = s.n
    cdef int attempt
    for i in range(n):
        s.spot[i] = -1
        if s.g[i] != 0.0:
            s.spot[i] = <int>m
            s.free[m] = <int>i
            m += 1
    for attempt in range(2):
        fill_newton_system(s, m)
        if attempt == 1:
            for j in range(m):
                s.factor[j * m + j] += SHIFT
        if lu_factor(s.factor, m, m, SMALLEST_PIVOT if attempt == 0 else 0.0, s.order):
            break
    else:
        return False
    lu_solve(s.factor, m, m, s.order, s.row)
    # the others follow: known entries first, then those tied to a normal row
    for j in range(m):
        s.step[s.free[j]] = s.row[j]
    for i in range(n):
        if s.spot[i] < 0 and not is_tied(s, i):
            s.step[i] = -s.h[i]
    for i in range(n):
        if s.spot[i] < 0 and is_tied(s, i):
            s.step[i] = -s.h[i] - s.t[i] * s.step[s.problem.normal[i]]
    return True


cdef void fill_newton_system(Newton* s, Py_ssize_t m) noexcept nogil:
    """K (m*m, in `factor`) and its right side (in `row`) for the free rows."""
    cdef Py_ssize_t i, j, f, n = s.n, normal
    cdef double known
    cdef const double* A
    for i in range(m):
        A = s.problem.A + s.free[i] * n
        s.row[i] = -s.h[s.free[i]]
        for j in range(m):
            s.factor[i * m + j] = A[s.free[j]]
        s.factor[i * m + i] += s.shift
        for f in range(n):
            if s.spot[f] >= 0 or A[f] == 0.0:
                continue
            known = -s.h[f]
            if is_tied(s, f):
                normal = s.problem.normal[f]
                if s.spot[normal] >= 0:
                    s.factor[i * m + s.spot[normal]] -= A[f] * s.t[f]
                else:
                    known += s.t[f] * s.h[normal]
            s.row[i] -= A[f] * known


cdef bint search_line(Newton* s, double least) noexcept nogil:
    """Shorten the step until the minimum map falls below its least value so far; take it then."""
    cdef Py_ssize_t i
    cdef int _halving
    cdef double part = 1.0, residual
    for _halving in range(HALVINGS):
        for i in range(s.n):
            s.trial[i] = s.x[i] + part * s.step[i]
        find_w(s, s.trial, s.trial_w)
        if minimum_map(s, s.trial, s.trial_w, &residual) < (1.0 - DESCENT * part) * least:
            take_trial(s)
            return True
        part *= 0.5
    return False


cdef void take_trial(Newton* s) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(s.n):
        s.x[i] = s.trial[i]
        s.w[i] = s.trial_w[i]


# The Fischer-Burmeister map ----------------------------------------------------------------------

cdef inline double burmeister(double u, double v, double* du, double* dv) noexcept nogil:
    """u + v - |(u, v)|: zero exactly where u, v >= 0 and u v = 0; and its slopes."""
    cdef double length = sqrt(u * u + v * v)
    if length > CORNER:
        du[0] = 1.0 - u / length
        dv[0] = 1.0 - v / length
    else:
        du[0] = dv[0] = 1.0 - sqrt(0.5)
    # u + v - length cancels when both are positive and one is small
    return 2.0 * u * v / (u + v + length) if u + v > 0.0 else u + v - length


cdef double burmeister_map(Newton* s, const double* x, const double* w) noexcept nogil:
    """Fill h and the Jacobian rows at x; return h.h / 2."""
    cdef Py_ssize_t i
    cdef double lo, hi, tie, inner, pu, pv, qu, qv, merit = 0.0
    for i in range(s.n):
        lo, hi, tie = s.problem.lo[i], s.problem.hi[i], 0.0
        if is_friction(s.problem, i):
            hi = friction_bound(s.problem, i, x)
            lo = -hi
            tie = s.problem.mu[i] if hi > 0.0 else 0.0
        s.t[i] = 0.0
        if lo == -INFINITY and hi == INFINITY:
            s.h[i], s.a[i], s.g[i] = w[i], 0.0, 1.0
        elif lo == hi:
            s.h[i], s.a[i], s.g[i] = x[i] - lo, 1.0, 0.0
        elif hi == INFINITY:
            s.h[i] = burmeister(x[i] - lo, w[i], &s.a[i], &s.g[i])
        elif lo == -INFINITY:
            s.h[i] = -burmeister(hi - x[i], -w[i], &s.a[i], &s.g[i])
        else:
            # w is -inner clipped at hi, and that is clipped at lo (Billups)
            inner = burmeister(hi - x[i], -w[i], &pu, &pv)
            s.h[i] = burmeister(x[i] - lo, -inner, &qu, &qv)
            s.a[i] = qu + qv * pu
            if tie != 0.0:
                s.t[i] = tie * (qu - qv * pu)
            s.g[i] = qv * pv
        merit += 0.5 * s.h[i] * s.h[i]
    return merit


cdef bint damped_step(Newton* s) noexcept nogil:
    """One Levenberg-Marquardt step, (J'J + damping I) step = -J'h; False at a stationary point."""
    cdef Py_ssize_t i, n = s.n
    cdef int _attempt
    cdef double merit = burmeister_map(s, s.x, s.w)
    cdef double shift, promised
    fill_normal_matrix(s)
    for _attempt in range(DAMPINGS):
        shift = s.damping * sqrt(merit)
        for i in range(n * n):
            s.factor[i] = s.normal_matrix[i]
        for i in range(n):
            s.factor[i * n + i] += shift
            s.step[i] = -s.slope[i]
        if cholesky_factor(s.factor, n, n):
            cholesky_forward(s.factor, n, n, s.step, 0.0, s.step)
            cholesky_backward(s.factor, n, n, s.step)
            for i in range(n):
                s.trial[i] = s.x[i] + s.step[i]
            find_w(s, s.trial, s.trial_w)
            promised = dot(s.slope, s.step, n)
            if burmeister_map(s, s.trial, s.trial_w) <= merit + DESCENT * promised and (
                    promised < -1e-16 * merit):
                take_trial(s)
                s.damping = max(0.2 * s.damping, 1e-10)
                return True
        s.damping *= 4.0
    return False


cdef void fill_normal_matrix(Newton* s) noexcept nogil:
    """J'J (lower triangle) and J'h of the rows last filled."""
    cdef Py_ssize_t i, j, n = s.n
    for i in range(n * n):
        s.normal_matrix[i] = 0.0
    for j in range(n):
        s.slope[j] = 0.0
    for i in range(n):
        for j in range(n):
            s.row[j] = s.g[i] * s.problem.A[i * n + j]
        s.row[i] += s.a[i] + s.g[i] * s.shift
        if is_tied(s, i):
            s.row[s.problem.normal[i]] += s.t[i]
        axpy(s.h[i], s.row, s.slope, n)
        for j in range(n):
            if s.row[j] != 0.0:
                axpy(s.row[j], s.row, s.normal_matrix + j * n, j + 1)
