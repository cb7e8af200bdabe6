"""Projected Gauss-Seidel: one row at a time, each set to what its own equation asks for.

Cheap, never fails to return something, and only linearly convergent: docs/maths/lcp.md says when.
"""

from libc.math cimport INFINITY, fabs

from enginecore.dense cimport axpy, dot
from enginecore.lcp cimport clamp, friction_bound, is_friction

cdef enum:
    DENSE_SWEEPS = 100000   # limit when the caller sets none

cdef double STOP = 1e-3         # part of the tolerance that the sweeps go on to
# Noise of w, per unit of the sum of |x| (the diagonal is about 1).
cdef double RESIDUAL_ROUNDING = 2e-15


cdef StatusCode solve_pgs(const LcpProblem* problem, LcpWorkspace* work, const LcpOptions* options,
                          double* x, int* iterations) noexcept nogil:
    """Sweep until what the rows still ask for is far below the tolerance, or rounding.

    A row without a positive diagonal goes to the bound its w asks for, or stays if there is none.
    """
    cdef Py_ssize_t i, n = problem.n
    cdef int sweep
    cdef int limit = options.max_iterations if options.max_iterations > 0 else DENSE_SWEEPS
    cdef double change, asked, target, lo, hi, diagonal, sum, enough
    cdef bint usable = True
    for i in range(n):
        if not problem.A[i * n + i] > 0.0:
            usable = False
    for sweep in range(limit):
        change = 0.0
        sum = 1.0
        for i in range(n):
            diagonal = problem.A[i * n + i]
            asked = dot(problem.A + i * n, x, n) + problem.b[i]
            asked = asked / diagonal if diagonal > 0.0 else asked * INFINITY
            lo = problem.lo[i]
            hi = problem.hi[i]
            if is_friction(problem, i):
                hi = friction_bound(problem, i, x)
                lo = -hi
            target = clamp(x[i] - asked, lo, hi)
            if not fabs(target) < INFINITY:
                continue
            if fabs(target - x[i]) > change:
                change = fabs(target - x[i])
            x[i] = clamp(x[i] + options.relaxation * (target - x[i]), lo, hi)
            sum += fabs(x[i])
        iterations[0] = sweep + 1
        if not sum < INFINITY:
            break
        enough = max(STOP * options.tol, RESIDUAL_ROUNDING * sum)
        if change <= enough and has_converged(problem, 2.0 * enough, x):
            return StatusCode.SOLVED
    return StatusCode.MAX_ITERATIONS if usable else StatusCode.SINGULAR


cdef bint has_converged(const LcpProblem* problem, double enough, const double* x) noexcept nogil:
    """Whether every row, seen at the same x, asks for less than `enough`."""
    cdef Py_ssize_t i, n = problem.n
    cdef double w, lo, hi
    for i in range(n):
        w = dot(problem.A + i * n, x, n) + problem.b[i]
        lo = problem.lo[i]
        hi = problem.hi[i]
        if is_friction(problem, i):
            hi = friction_bound(problem, i, x)
            lo = -hi
        if not fabs(clamp(w, x[i] - hi, x[i] - lo)) <= enough:
            return False
    return True


# Sparse block rows ------------------------------------------------------------------------------

cdef double row_velocity(const BlockRows* rows, Py_ssize_t i, const double* v) noexcept nogil:
    cdef Py_ssize_t width = rows.width
    cdef const double* J = rows.J + 2 * width * i
    cdef double w = rows.b[i]
    if rows.bodies[2 * i] >= 0:
        w += dot(J, v + width * rows.bodies[2 * i], width)
    if rows.bodies[2 * i + 1] >= 0:
        w += dot(J + width, v + width * rows.bodies[2 * i + 1], width)
    return w


cdef double row_diagonal(const BlockRows* rows, Py_ssize_t i) noexcept nogil:
    cdef Py_ssize_t first = 2 * rows.width * i
    cdef double sum = 0.0
    if rows.bodies[2 * i] >= 0:
        sum += dot(rows.J + first, rows.MJ + first, rows.width)
    if rows.bodies[2 * i + 1] >= 0:
        sum += dot(rows.J + first + rows.width, rows.MJ + first + rows.width, rows.width)
    return sum


cdef void add_row_magnitudes(const BlockRows* rows, Py_ssize_t i, double impulse,
                             double* v) noexcept nogil:
    cdef Py_ssize_t side, j, width = rows.width
    cdef const double* MJ
    cdef double* body
    for side in range(2):
        if rows.bodies[2 * i + side] >= 0:
            MJ = rows.MJ + width * (2 * i + side)
            body = v + width * rows.bodies[2 * i + side]
            for j in range(width):
                body[j] += fabs(MJ[j] * impulse)


cdef double row_magnitude(const BlockRows* rows, Py_ssize_t i, const double* v) noexcept nogil:
    cdef Py_ssize_t side, j, width = rows.width
    cdef const double* J
    cdef const double* body
    cdef double sum = 0.0
    for side in range(2):
        if rows.bodies[2 * i + side] >= 0:
            J = rows.J + width * (2 * i + side)
            body = v + width * rows.bodies[2 * i + side]
            for j in range(width):
                sum += fabs(J[j] * body[j])
    return sum


cdef inline void push(const BlockRows* rows, Py_ssize_t i, double impulse,
                      double* v) noexcept nogil:
    """v += M^-1 J' of row i times the impulse."""
    cdef Py_ssize_t width = rows.width
    cdef const double* MJ = rows.MJ + 2 * width * i
    if rows.bodies[2 * i] >= 0:
        axpy(impulse, MJ, v + width * rows.bodies[2 * i], width)
    if rows.bodies[2 * i + 1] >= 0:
        axpy(impulse, MJ + width, v + width * rows.bodies[2 * i + 1], width)


cdef void velocity_change(const BlockRows* rows, const double* x, double* v) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(rows.n_bodies * rows.width):
        v[i] = 0.0
    for i in range(rows.n):
        push(rows, i, x[i], v)


cdef void sweep_rows(const BlockRows* rows, const LcpOptions* options, double* inverse,
                     double* v, double* x, int* iterations) noexcept nogil:
    """A row without a diagonal goes to the bound its w asks for, or stays if there is none."""
    cdef Py_ssize_t i
    cdef int sweep
    cdef double change, largest, wanted, asked, lo, hi
    for i in range(rows.n):
        inverse[i] = row_diagonal(rows, i)
        inverse[i] = 1.0 / inverse[i] if inverse[i] > 0.0 else 0.0
    iterations[0] = 0
    velocity_change(rows, x, v)
    for sweep in range(options.max_iterations):
        change = 0.0
        largest = 0.0
        for i in range(rows.n):
            lo = rows.lo[i] if rows.lo != NULL else 0.0
            hi = rows.hi[i] if rows.hi != NULL else INFINITY
            if rows.normal != NULL and rows.normal[i] >= 0:
                hi = rows.mu[i] * x[rows.normal[i]]
                hi = hi if hi > 0.0 else 0.0
                lo = -hi
            asked = row_velocity(rows, i, v)
            if inverse[i] > 0.0:
                wanted = clamp(x[i] - options.relaxation * inverse[i] * asked, lo, hi)
            else:
                wanted = lo if asked > 0.0 else hi if asked < 0.0 else clamp(x[i], lo, hi)
                if not fabs(wanted) < INFINITY:
                    wanted = x[i]
            push(rows, i, wanted - x[i], v)
            change = max(change, fabs(wanted - x[i]))
            largest = max(largest, fabs(wanted))
            x[i] = wanted
        iterations[0] = sweep + 1
        if change <= options.tol * largest:
            return
