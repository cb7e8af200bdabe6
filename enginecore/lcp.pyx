"""Linear complementarity problems: the driver that checks, scales, calls a method and judges it."""

from typing import NamedTuple

import numpy as np

from enginecore.status import Status

cimport cython
from libc.math cimport INFINITY, fabs, frexp, ldexp, sqrt

from enginecore.dense cimport add_product, largest_of
from enginecore.lcp_dantzig cimport solve_dantzig
from enginecore.lcp_input cimport (block_masses, bound_vector, finite_vector, friction_rows,
                                   is_symmetric, method_number, read_options, real_array,
                                   require_finite, require_order, row_vector, square_matrix)
from enginecore.lcp_lemke cimport lemke_size, solve_lemke
from enginecore.lcp_minmap cimport solve_minmap
from enginecore.lcp_pgs cimport (BlockRows, add_row_magnitudes, row_diagonal, row_magnitude,
                                 row_velocity, solve_pgs, sweep_rows, velocity_change)
from enginecore.status cimport check

cdef enum:
    BLOCK_SWEEPS = 10000        # of solve_rows, when the caller sets no limit
    LAST_STEPS = 20             # of minmap, where dantzig and lemke agree that there is no answer

cdef double STRONGEST = 1e4     # x counts in the residual's unit up to this many times b
cdef double EPSILON = 2.220446049250313e-16
cdef double TINY_DIAGONAL = 1e-12   # a diagonal below this part of its row does not set a scale


# Kernels -----------------------------------------------------------------------------------------

cdef void scale_rows(const double* A, Py_ssize_t n, double* scale) noexcept nogil:
    """scale[i] = 1/sqrt(|A_ii|); for rows without a diagonal, from the rows they act on.

    A row that acts on nothing takes the largest scale of the others, or 1 if there are none.
    """
    cdef Py_ssize_t i, j
    cdef double largest, coupling
    cdef bint bare = False
    for i in range(n):
        largest = largest_of(A + i * n, n)
        scale[i] = 0.0
        if fabs(A[i * n + i]) > TINY_DIAGONAL * largest:
            scale[i] = 1.0 / sqrt(fabs(A[i * n + i]))
        else:
            bare = True
    if not bare:
        return
    # d_i = 1 / max_j |A_ij| d_j brings the coupling of a bare row to one (beta rows of friction)
    for i in range(n):
        if scale[i] == 0.0:
            coupling = 0.0
            for j in range(n):
                if scale[j] > 0.0:
                    coupling = max(coupling, fabs(A[i * n + j]) * scale[j])
                    coupling = max(coupling, fabs(A[j * n + i]) * scale[j])
            scale[i] = -1.0 / coupling if coupling > 0.0 else 0.0
    # rows that only act on each other
    for i in range(n):
        if scale[i] == 0.0:
            coupling = 0.0
            for j in range(n):
                coupling = max(coupling, fabs(A[i * n + j]), fabs(A[j * n + i]))
            scale[i] = -1.0 / sqrt(coupling) if coupling > 0.0 else 0.0
    largest = largest_of(scale, n)
    for i in range(n):
        scale[i] = fabs(scale[i])
        if scale[i] == 0.0:
            scale[i] = largest if largest > 0.0 else 1.0


cdef bint is_idle(const LcpProblem* problem, const BlockRows* rows, Py_ssize_t i) noexcept nogil:
    """Whether row i of A and its column are zero: then no unit ties its x to its w."""
    cdef Py_ssize_t j, n = problem.n
    if rows != NULL:
        return not row_diagonal(rows, i) > 0.0
    if problem.A[i * n + i] != 0.0:
        return False
    for j in range(n):
        if problem.A[i * n + j] != 0.0 or problem.A[j * n + i] != 0.0:
            return False
    return True


cdef double unit_of(const LcpProblem* problem, const BlockRows* rows,
                    const double* scale) noexcept nogil:
    """The largest number, in scaled units, that the problem starts from: of b and of bounds."""
    cdef Py_ssize_t i
    cdef double unit = 0.0, forced
    for i in range(problem.n):
        unit = max(unit, fabs(problem.b[i]) * scale[i])
        if not is_friction(problem, i):
            forced = fabs(nearest_zero(problem, i)) / scale[i]
            if forced > unit and not is_idle(problem, rows, i):
                unit = forced
    return unit


cdef inline double nearest_zero(const LcpProblem* problem, Py_ssize_t i) noexcept nogil:
    return clamp(0.0, lower_bound(problem, i), upper_bound(problem, i))


cdef double judge(const LcpProblem* problem, const BlockRows* rows, const double* scale,
                  const double* x, const double* w, double* spare) noexcept nogil:
    """The residual of x and its w, as docs/maths/lcp.md defines it; infinite if a number is not.

    Where x is out of proportion to b, the rounding of A x counts too: it may hide what is wrong.
    A is in the problem, or given by `rows`; `spare` is then scratch for velocities of the bodies.
    """
    cdef Py_ssize_t i
    cdef double unit = unit_of(problem, rows, scale), worst = 0.0, force = 0.0
    cdef double lo, hi, value, gap
    for i in range(problem.n):
        lo = lower_bound(problem, i)
        hi = upper_bound(problem, i)
        if is_friction(problem, i):
            hi = friction_bound(problem, i, x)
            lo = -hi
        value = x[i] / scale[i]
        # x - mid(lo, x - w, hi), in the form that does not lose a small w beside a large x
        gap = fabs(clamp(w[i] * scale[i], value - hi / scale[i], value - lo / scale[i]))
        if not (fabs(value) < INFINITY and fabs(w[i]) < INFINITY and gap < INFINITY):
            return INFINITY
        worst = max(worst, gap)
        if fabs(value) > force and not is_idle(problem, rows, i):
            force = fabs(value)
    if force > STRONGEST * unit:
        if rows == NULL:
            worst = max(worst, rounding_of(problem, scale, x))
        else:
            worst = max(worst, rounding_of_rows(rows, scale, x, spare))
    unit = max(unit, min(force, STRONGEST * unit)) if unit > 0.0 else force
    if worst == 0.0:
        return 0.0
    return worst / unit if worst < INFINITY else INFINITY


cdef double rounding_of(const LcpProblem* problem, const double* scale,
                        const double* x) noexcept nogil:
    """What rounding can do to the largest w."""
    cdef Py_ssize_t i, j, n = problem.n
    cdef double sum, largest = 0.0
    for i in range(n):
        sum = 0.0
        for j in range(n):
            sum += fabs(problem.A[i * n + j] * x[j])
        largest = max(largest, sum * scale[i])
    return EPSILON * largest


cdef double rounding_of_rows(const BlockRows* rows, const double* scale, const double* x,
                             double* spare) noexcept nogil:
    """The same where A is not formed: velocities are sums too, taken here of magnitudes."""
    cdef Py_ssize_t i
    cdef double largest = 0.0
    for i in range(rows.n_bodies * rows.width):
        spare[i] = 0.0
    for i in range(rows.n):
        add_row_magnitudes(rows, i, x[i], spare)
    for i in range(rows.n):
        largest = max(largest, row_magnitude(rows, i, spare) * scale[i])
    return EPSILON * largest


cdef double residual_of(const LcpProblem* problem, const double* scale, const double* x,
                        double* w) noexcept nogil:
    cdef Py_ssize_t i, n = problem.n
    for i in range(n):
        w[i] = problem.b[i]
    add_product(problem.A, n, n, n, x, w)
    return judge(problem, NULL, scale, x, w, NULL)


cdef void put_inside(const LcpProblem* problem, double* x) noexcept nogil:
    """Clip x to its bounds; friction last, since its bounds follow the normal x."""
    cdef Py_ssize_t i
    cdef double bound
    for i in range(problem.n):
        if not is_friction(problem, i):
            x[i] = clamp(x[i], lower_bound(problem, i), upper_bound(problem, i))
    if problem.normal != NULL:
        for i in range(problem.n):
            if is_friction(problem, i):
                bound = friction_bound(problem, i, x)
                x[i] = clamp(x[i], -bound, bound)


cdef bint rests_at_zero(const LcpProblem* problem) noexcept nogil:
    """Whether x = 0 is an answer, seen from b alone."""
    cdef Py_ssize_t i
    cdef double lo, hi
    for i in range(problem.n):
        if is_friction(problem, i):
            continue
        lo = lower_bound(problem, i)
        hi = upper_bound(problem, i)
        if lo > 0.0 or hi < 0.0:
            return False
        if (problem.b[i] < 0.0 and hi > 0.0) or (problem.b[i] > 0.0 and lo < 0.0):
            return False
    return True


cdef double power_of_two(double value) noexcept nogil:
    """The power of two nearest to value > 0: scaling by it rounds nothing."""
    cdef int exponent
    cdef double part = frexp(value, &exponent)
    return ldexp(1.0, exponent if part > 0.7071067811865476 else exponent - 1)


# Where the scaled problem lies in the workspace; what follows it is the method's.
cdef struct Scaled:
    LcpProblem problem
    LcpWorkspace rest
    double* scale           # n: exact, for the residual
    double* power           # n: rounded to powers of two, for the method
    double* x               # n: the method's answer
    double* best            # n: the best answer so far
    double unit             # x of the problem = x of the method * power * unit


cdef Scaled scale_problem(const LcpProblem* problem, LcpWorkspace* work) noexcept nogil:
    """Copy the problem with diagonal and largest b of order one; bounds become arrays."""
    cdef Scaled s
    cdef Py_ssize_t i, j, n = problem.n
    cdef double* reals = work.reals
    cdef double* lo = reals + 4 * n
    cdef double* hi = reals + 5 * n
    cdef double* mu = reals + 6 * n
    cdef double* b = reals + 7 * n
    cdef double* A = reals + 8 * n
    cdef double* power = reals + n
    cdef const double* given = problem.A
    cdef double row, unit
    s.scale = reals
    s.power = power
    s.x = reals + 2 * n
    s.best = reals + 3 * n
    scale_rows(problem.A, n, s.scale)
    unit = unit_of(problem, NULL, s.scale)
    s.unit = power_of_two(unit) if unit > 0.0 else 1.0
    for i in range(n):
        s.power[i] = power_of_two(s.scale[i])
    for i in range(n):
        row = s.power[i]
        b[i] = problem.b[i] * row / s.unit
        lo[i] = lower_bound(problem, i) / row / s.unit
        hi[i] = upper_bound(problem, i) / row / s.unit
        if is_friction(problem, i):
            mu[i] = problem.mu[i] * s.power[problem.normal[i]] / row
        for j in range(n):
            A[i * n + j] = given[i * n + j] * row * power[j]
    s.problem.n = n
    s.problem.A = A
    s.problem.b = b
    s.problem.lo = lo
    s.problem.hi = hi
    s.problem.normal = problem.normal
    s.problem.mu = mu
    s.rest.reals = A + n * n
    s.rest.n_reals = work.n_reals - 8 * n - n * n
    s.rest.ints = work.ints
    s.rest.n_ints = work.n_ints
    return s


cdef StatusCode run_method(LcpMethod method, Scaled* s, const LcpOptions* options,
                           int* iterations) noexcept nogil:
    if method == LcpMethod.LCP_DANTZIG:
        return solve_dantzig(&s.problem, &s.rest, options, s.x, iterations)
    if method == LcpMethod.LCP_LEMKE:
        return solve_lemke(&s.problem, &s.rest, options, s.x, iterations)
    if method == LcpMethod.LCP_MINMAP:
        return solve_minmap(&s.problem, &s.rest, options, s.x, iterations)
    return solve_pgs(&s.problem, &s.rest, options, s.x, iterations)


# One call of solve_lcp: what its attempts share.
cdef struct Search:
    const LcpProblem* problem
    const LcpOptions* options
    Scaled scaled
    double* x               # the start, then the best answer so far
    double* w
    LcpOutcome outcome      # `residual` is that of x, or negative: not known yet
    int limit               # of one attempt; 0: none but those of the options and the method
    bint out_of_iterations  # an attempt was not made
    bint only_answers       # take nothing but an answer: far out on a ray, residuals are small


cdef bint attempt(Search* s, LcpMethod method, bint warm) noexcept nogil:
    """Run one method from s.x or from zero, judge it, and keep it in s.x if it is the best so far.

    True if it solved. The attempts share one limit on their iterations.
    """
    cdef Py_ssize_t i, n = s.problem.n
    cdef int iterations = 0
    cdef double residual, start
    cdef StatusCode status
    cdef LcpOptions options = s.options[0]
    cdef Scaled* scaled = &s.scaled
    if options.max_iterations > 0:
        options.max_iterations -= s.outcome.iterations
        if options.max_iterations <= 0:
            s.out_of_iterations = True
            return False
    if s.limit > 0 and (options.max_iterations == 0 or options.max_iterations > s.limit):
        options.max_iterations = s.limit
    options.warm = warm
    for i in range(n):
        start = s.x[i] if warm else 0.0 if is_friction(s.problem, i) else nearest_zero(s.problem, i)
        scaled.x[i] = start / scaled.power[i] / scaled.unit
    status = run_method(method, scaled, &options, &iterations)
    for i in range(n):
        scaled.best[i] = scaled.x[i] * scaled.power[i] * scaled.unit
    put_inside(s.problem, scaled.best)
    residual = residual_of(s.problem, scaled.scale, scaled.best, s.w)
    s.outcome.iterations += iterations
    # a method does not mark its own work
    if residual <= options.tol:
        status = StatusCode.SOLVED
    elif status == StatusCode.SOLVED:
        status = StatusCode.SINGULAR
    s.outcome.status = status
    # a start may be better than what a method made of it
    if status != StatusCode.SOLVED and s.outcome.residual < 0.0:
        s.outcome.residual = residual_of(s.problem, scaled.scale, s.x, s.w)
    if status == StatusCode.SOLVED or residual < s.outcome.residual and not s.only_answers:
        s.outcome.residual = residual
        for i in range(n):
            s.x[i] = scaled.best[i]
    return status == StatusCode.SOLVED


cdef bint try_method(Search* s, LcpMethod method) noexcept nogil:
    """From the start, and once from zero if that leads nowhere; lemke knows no start."""
    cdef bint singular
    if not s.options.warm or method == LcpMethod.LCP_LEMKE:
        return attempt(s, method, False)
    if attempt(s, method, True):
        return True
    singular = s.outcome.status == StatusCode.SINGULAR
    if attempt(s, method, False):
        return True
    # what one run could not go on with, the other did not prove
    if singular and s.outcome.status == StatusCode.NO_SOLUTION:
        s.outcome.status = StatusCode.SINGULAR
    return False


cdef bint try_in_turn(Search* s, bint symmetric) noexcept nogil:
    """What auto does: a NO_SOLUTION is lemke's word, and only after no method found an answer."""
    cdef StatusCode verdict
    cdef bint agreed
    if symmetric and try_method(s, LcpMethod.LCP_DANTZIG):
        return True
    agreed = symmetric and s.outcome.status == StatusCode.NO_SOLUTION
    s.outcome.status = StatusCode.MAX_ITERATIONS    # if there are no iterations left for lemke
    if try_method(s, LcpMethod.LCP_LEMKE):
        return True
    verdict = s.outcome.status
    s.only_answers = verdict == StatusCode.NO_SOLUTION
    # a problem without an answer should not cost seconds
    if agreed and s.only_answers:
        s.limit = LAST_STEPS
    if try_method(s, LcpMethod.LCP_MINMAP):
        return True
    if verdict == StatusCode.NO_SOLUTION:
        s.outcome.status = verdict
    return False


cdef LcpOutcome solve_lcp(const LcpProblem* problem, LcpMethod method, bint symmetric,
                          LcpWorkspace* work, const LcpOptions* options,
                          double* x, double* w) noexcept nogil:
    cdef Search s
    cdef Py_ssize_t i, n = problem.n
    cdef bint solved
    check(work.n_reals >= reals_needed(method, problem))
    check(work.n_ints >= ints_needed(method, problem))
    s.problem, s.options, s.x, s.w = problem, options, x, w
    s.limit = 0
    s.out_of_iterations = s.only_answers = False
    s.outcome.status = StatusCode.SOLVED
    s.outcome.residual = -1.0
    s.outcome.iterations = 0
    # nothing to do: the start given is the answer, or x = 0
    if options.warm:
        s.scaled = scale_problem(problem, work)
        put_inside(problem, x)
        s.outcome.residual = residual_of(problem, s.scaled.scale, x, w)
        if s.outcome.residual <= options.tol:
            return s.outcome
    if rests_at_zero(problem):
        for i in range(n):
            x[i] = 0.0
            w[i] = problem.b[i]
        s.outcome.residual = 0.0
        return s.outcome
    if not options.warm:
        s.scaled = scale_problem(problem, work)
        for i in range(n):
            x[i] = 0.0
        put_inside(problem, x)
    if method == LcpMethod.LCP_AUTO:
        solved = try_in_turn(&s, symmetric)
    else:
        solved = try_method(&s, method) or (
            needs_fallback(problem, method) and try_method(&s, LcpMethod.LCP_LEMKE))
    if not solved:
        residual_of(problem, s.scaled.scale, x, w)
        if s.out_of_iterations and s.outcome.status != StatusCode.NO_SOLUTION:
            s.outcome.status = StatusCode.MAX_ITERATIONS
    return s.outcome


cdef bint needs_fallback(const LcpProblem* problem, LcpMethod method) noexcept nogil:
    """Dantzig's update of friction bounds may not settle: lemke then decides."""
    return method == LcpMethod.LCP_DANTZIG and problem.normal != NULL


# Memory ------------------------------------------------------------------------------------------

cdef Py_ssize_t reals_needed(LcpMethod method, const LcpProblem* problem) noexcept nogil:
    cdef Py_ssize_t n = problem.n
    cdef Py_ssize_t N = lemke_size(problem)
    cdef Py_ssize_t reals = 0
    if method == LcpMethod.LCP_AUTO or method == LcpMethod.LCP_DANTZIG:
        reals = 11 * n + n * n * (3 if problem.normal != NULL else 2)
    if method == LcpMethod.LCP_AUTO or method == LcpMethod.LCP_MINMAP:
        reals = max(reals, 12 * n + 2 * n * n)
    if asks_lemke(problem, method):
        reals = max(reals, 2 * N + N * N + N + 5 * N + 1 + N * (N + 1))
    return reals + 8 * n + n * n + 1


cdef Py_ssize_t ints_needed(LcpMethod method, const LcpProblem* problem) noexcept nogil:
    cdef Py_ssize_t ints = 6 * problem.n + 1
    return max(ints, 5 * lemke_size(problem) + 1) if asks_lemke(problem, method) else ints


cdef bint asks_lemke(const LcpProblem* problem, LcpMethod method) noexcept nogil:
    return method == LcpMethod.LCP_AUTO or method == LcpMethod.LCP_LEMKE or needs_fallback(
        problem, method)


@cython.final
cdef class Workspace:
    """Scratch memory for `solve_lcp`, owned by numpy, grown on demand, kept between calls."""

    def __cinit__(self):
        self.memory.reals = NULL
        self.memory.n_reals = 0
        self.memory.ints = NULL
        self.memory.n_ints = 0

    cdef int reserve(self, LcpMethod method, const LcpProblem* problem) except -1:
        """Make room for the problem under the method; call with the GIL, before `solve_lcp`."""
        cdef Py_ssize_t reals = reals_needed(method, problem), ints = ints_needed(method, problem)
        cdef double[::1] real_view
        cdef int[::1] int_view
        if reals > self.memory.n_reals:
            self._reals = np.empty(reals, np.float64)
            real_view = self._reals
            self.memory.reals = &real_view[0]
            self.memory.n_reals = reals
        if ints > self.memory.n_ints:
            self._ints = np.empty(ints, np.intc)
            int_view = self._ints
            self.memory.ints = &int_view[0]
            self.memory.n_ints = ints
        return 0


cdef list spare_workspaces = []     # of finished calls, so that small problems allocate nothing
cdef enum:
    SPARE_WORKSPACES = 4
    SPARE_REALS = 1 << 21           # larger ones (16 MB) go back to the system


# The public face ---------------------------------------------------------------------------------

class Solution(NamedTuple):
    """What `solve` found; `status` is SOLVED only if `residual` meets the tolerance."""

    x: np.ndarray
    w: np.ndarray
    residual: float
    iterations: int
    status: Status


cdef tuple STATUSES = tuple(Status)


def solve(A, b, lo=None, hi=None, method="auto", tol=None, max_iterations=None, x0=None, *,
          friction=None, relaxation=1.0):
    """Find x with w = A x + b and lo <= x <= hi: w >= 0 at lo, w <= 0 at hi, w = 0 between."""
    cdef LcpProblem problem
    cdef LcpOptions options
    cdef LcpMethod chosen = method_number(method)
    cdef const double[:, ::1] A_view = square_matrix("A", A)
    cdef const double[::1] b_view, lo_view, hi_view, mu_view
    cdef const int[::1] normal_view
    cdef double[::1] x_view, w_view
    cdef Py_ssize_t n = A_view.shape[0]
    cdef bint symmetric = False
    b_view = finite_vector("b", b, n)
    problem.n = n
    problem.A = &A_view[0, 0] if n else NULL
    problem.b = &b_view[0] if n else NULL
    problem.lo = problem.hi = problem.mu = NULL
    problem.normal = NULL
    if lo is not None or hi is not None:
        lo_view = bound_vector("lo", lo, 0.0, n)
        hi_view = bound_vector("hi", hi, INFINITY, n)
        require_order(lo_view, hi_view)
        if n:
            problem.lo = &lo_view[0]
            problem.hi = &hi_view[0]
    if friction is not None:
        normal_view, mu_view = friction_rows(friction, n, lo)
        if n:
            problem.normal = &normal_view[0]
            problem.mu = &mu_view[0]
    read_options(&options, tol, max_iterations, relaxation, x0 is not None)
    if chosen == LcpMethod.LCP_AUTO or chosen == LcpMethod.LCP_DANTZIG:
        symmetric = is_symmetric(problem.A, n, chosen == LcpMethod.LCP_DANTZIG)
    if x0 is None:
        x = np.zeros(n)
    else:
        x = np.array(finite_vector("x0", x0, n))
    w = np.empty(n)
    x_view = x
    w_view = w
    return finish(&problem, chosen, symmetric, &options, x, w, x_view, w_view)


cdef object finish(const LcpProblem* problem, LcpMethod method, bint symmetric,
                   const LcpOptions* options, x, w, double[::1] x_view, double[::1] w_view):
    """Solve in a spare workspace, without the GIL."""
    cdef Workspace space
    cdef LcpOutcome outcome
    if problem.n == 0:
        return Solution(x, w, 0.0, 0, STATUSES[0])
    space = spare_workspaces.pop() if spare_workspaces else Workspace()
    space.reserve(method, problem)
    with nogil:
        outcome = solve_lcp(problem, method, symmetric, &space.memory, options,
                            &x_view[0], &w_view[0])
    if len(spare_workspaces) < SPARE_WORKSPACES and space.memory.n_reals <= SPARE_REALS:
        spare_workspaces.append(space)
    return Solution(x, w, outcome.residual, outcome.iterations, STATUSES[<int>outcome.status])


def residual(A, b, x, lo=None, hi=None, *, friction=None):
    """The residual that `solve` would give this x: 0 for an exact answer, 1e-10 for a good one."""
    cdef LcpProblem problem
    cdef const double[:, ::1] A_view = square_matrix("A", A)
    cdef Py_ssize_t n = A_view.shape[0]
    cdef const double[::1] b_view = finite_vector("b", b, n), x_view = row_vector("x", x, n)
    cdef const double[::1] lo_view, hi_view, mu_view
    cdef const int[::1] normal_view
    cdef double[::1] scale = np.empty(n), w = np.empty(n)
    if n == 0:
        return 0.0
    problem.n, problem.A, problem.b = n, &A_view[0, 0], &b_view[0]
    problem.normal, problem.mu = NULL, NULL
    lo_view, hi_view = bound_vector("lo", lo, 0.0, n), bound_vector("hi", hi, INFINITY, n)
    require_order(lo_view, hi_view)
    problem.lo, problem.hi = &lo_view[0], &hi_view[0]
    if friction is not None:
        normal_view, mu_view = friction_rows(friction, n, lo)
        problem.normal, problem.mu = &normal_view[0], &mu_view[0]
    scale_rows(problem.A, n, &scale[0])
    return residual_of(&problem, &scale[0], &x_view[0], &w[0])


def friction_lcp(Bnn, Bnt, Btt, mu):
    """The matrix [Bnn Bnt 0; Bnt' Btt E; mu -E' 0] of m contacts with k directions each."""
    Bnn, Btt = np.asarray(square_matrix("Bnn", Bnn)), np.asarray(square_matrix("Btt", Btt))
    m, km = len(Bnn), len(Btt)
    Bnt = real_array("Bnt", Bnt)
    if Bnt.shape != (m, km):
        raise ValueError(f"Bnt must have the shape {(m, km)} of Bnn and Btt, got {Bnt.shape}")
    if m == 0 or km % m or km == 0:
        raise ValueError(f"Btt must have k rows for each of the {m} contacts, got {km} rows")
    if not np.all(np.isfinite(Bnt)):
        raise ValueError(f"Bnt must be finite, got {Bnt!r}")
    mu = real_array("mu", mu)
    if mu.shape not in ((), (m,)) or not np.all(np.isfinite(mu) & (mu >= 0)):
        raise ValueError(f"mu must be one number >= 0 or {m} of them, got {mu!r}")
    E = np.tile(np.eye(m), (km // m, 1))
    none = np.zeros((m, m))
    mu = np.diag(np.broadcast_to(mu, m))
    return np.block([[Bnn, Bnt, none], [Bnt.T, Btt, E], [mu, -E.T, none]])


def solve_rows(J, bodies, inverse_mass, b, lo=None, hi=None, tol=None, max_iterations=None,
               x0=None, *, friction=None, relaxation=1.0):
    """Projected Gauss-Seidel on rows of J that act on two bodies; J M^-1 J' is never formed."""
    cdef BlockRows rows
    cdef LcpProblem problem
    cdef LcpOptions options
    cdef LcpOutcome outcome
    cdef const double[:, :, ::1] J_view, MJ_view
    cdef const int[:, ::1] body_view
    cdef const double[::1] b_view, lo_view, hi_view, mu_view
    cdef const int[::1] normal_view
    cdef double[::1] x_view, w_view, v_view, spare
    cdef Py_ssize_t n
    J = real_array("J", J)
    if J.ndim != 3 or J.shape[1] != 2 or J.shape[2] < 1:
        raise ValueError(f"J must have the shape (rows, 2, velocities of a body), got {J.shape}")
    J_view, n = J, len(J)
    if n:
        require_finite("J", &J_view[0, 0, 0], J.size, 0)
    body_view, MJ = block_masses(J, bodies, inverse_mass)
    MJ_view = MJ
    b_view = finite_vector("b", b, n)
    lo_view, hi_view = bound_vector("lo", lo, 0.0, n), bound_vector("hi", hi, INFINITY, n)
    require_order(lo_view, hi_view)
    read_options(&options, tol, max_iterations, relaxation, x0 is not None)
    x = np.zeros(n) if x0 is None else np.array(finite_vector("x0", x0, n))
    w = np.empty(n)
    if n == 0:
        return Solution(x, w, 0.0, 0, STATUSES[0])
    x_view, w_view, spare = x, w, np.empty(3 * n)
    v_view = np.empty(len(inverse_mass) * J.shape[2] + 1)
    rows.n, rows.n_bodies, rows.width = n, len(inverse_mass), J.shape[2]
    rows.bodies, rows.J, rows.MJ = &body_view[0, 0], &J_view[0, 0, 0], &MJ_view[0, 0, 0]
    rows.b, rows.lo, rows.hi = &b_view[0], &lo_view[0], &hi_view[0]
    rows.normal, rows.mu = NULL, NULL
    if friction is not None:
        normal_view, mu_view = friction_rows(friction, n, lo)
        rows.normal, rows.mu = &normal_view[0], &mu_view[0]
    problem.n, problem.A, problem.b, problem.lo, problem.hi = n, NULL, rows.b, rows.lo, rows.hi
    problem.normal, problem.mu = rows.normal, rows.mu
    with nogil:
        outcome = relax_rows(&rows, &problem, &options, &spare[0], &v_view[0], &x_view[0],
                             &w_view[0])
    return Solution(x, w, outcome.residual, outcome.iterations, STATUSES[<int>outcome.status])


cdef LcpOutcome relax_rows(const BlockRows* rows, const LcpProblem* problem,
                           const LcpOptions* options, double* spare, double* v,
                           double* x, double* w) noexcept nogil:
    """Sweep, judge, and sweep on with a tighter stop until the residual or the limit is met.

    `spare` is scratch for 3 n numbers, v for the velocities.
    """
    cdef double* scale = spare
    cdef double* inverse = spare + rows.n
    cdef double* best = inverse + rows.n
    cdef LcpOutcome outcome
    cdef LcpOptions sweeps = options[0]
    cdef Py_ssize_t i
    cdef int used = 0
    cdef double residual
    cdef bint usable = scale_block_rows(rows, scale)
    outcome.status = StatusCode.SOLVED
    outcome.iterations = 0
    if sweeps.max_iterations == 0:
        sweeps.max_iterations = BLOCK_SWEEPS
    # nothing to do: the start is the answer, or x = 0
    put_inside(problem, x)
    outcome.residual = residual_of_rows(rows, problem, scale, v, x, w)
    if outcome.residual <= options.tol:
        return outcome
    if rests_at_zero(problem):
        outcome.residual = 0.0
        for i in range(rows.n):
            x[i] = 0.0
            w[i] = rows.b[i]
        return outcome
    for i in range(rows.n):
        best[i] = x[i]
    while sweeps.max_iterations > 0 and sweeps.tol >= 1e-17:
        sweep_rows(rows, &sweeps, inverse, v, x, &used)
        outcome.iterations += used
        sweeps.max_iterations -= used
        sweeps.tol *= 0.1
        residual = residual_of_rows(rows, problem, scale, v, x, w)
        if residual < outcome.residual:
            outcome.residual = residual
            for i in range(rows.n):
                best[i] = x[i]
        if residual <= options.tol:
            return outcome
        if residual == INFINITY:
            break
    outcome.status = StatusCode.MAX_ITERATIONS if usable else StatusCode.SINGULAR
    for i in range(rows.n):
        x[i] = best[i]
    residual_of_rows(rows, problem, scale, v, x, w)
    return outcome


cdef double residual_of_rows(const BlockRows* rows, const LcpProblem* problem, const double* scale,
                             double* v, const double* x, double* w) noexcept nogil:
    """Judged on velocities summed anew, not on those the sweeps carried along."""
    cdef Py_ssize_t i
    velocity_change(rows, x, v)
    for i in range(rows.n):
        w[i] = row_velocity(rows, i, v)
    return judge(problem, rows, scale, x, w, v)


cdef bint scale_block_rows(const BlockRows* rows, double* scale) noexcept nogil:
    """As scale_rows, where a row without a diagonal acts on nothing; False if there is one."""
    cdef Py_ssize_t i
    cdef double diagonal, largest
    cdef bint usable = True
    for i in range(rows.n):
        diagonal = row_diagonal(rows, i)
        scale[i] = 1.0 / sqrt(diagonal) if diagonal > 0.0 else 0.0
        usable = usable and diagonal > 0.0
    largest = largest_of(scale, rows.n)
    for i in range(rows.n):
        if scale[i] == 0.0:
            scale[i] = largest if largest > 0.0 else 1.0
    return usable
