"""The linear complementarity problem: data shared by the methods, and the driver for the engines.

Problem: w = A x + b with, row by row, lo <= x <= hi, and

    w >= 0 where x = lo,    w <= 0 where x = hi,    w = 0 in between.

lo = 0, hi = inf is the classic LCP; lo = -inf, hi = inf an equality row; a friction row has the
bounds -+ mu times another unknown, its normal row.

An engine keeps a `Workspace`, grows it with the GIL held, and calls `solve_lcp` without the GIL.
"""

cimport cython
from libc.math cimport INFINITY

from enginecore.status cimport StatusCode

# One problem. Row-major, contiguous, finite (only bounds may be infinite), owned by the caller.
cdef struct LcpProblem:
    Py_ssize_t n
    const double* A         # n*n
    const double* b         # n
    const double* lo        # n, or NULL: 0 in every row
    const double* hi        # n, or NULL: inf in every row
    const int* normal       # n, or NULL; the row that friction row i rests on, -1: not friction
    const double* mu        # n, or NULL; friction coefficient of friction rows, not read elsewhere

cdef inline bint is_friction(const LcpProblem* problem, Py_ssize_t i) noexcept nogil:
    return problem.normal != NULL and problem.normal[i] >= 0

# Bounds of row i, as given; those of a friction row are not here, they move with x.
cdef inline double lower_bound(const LcpProblem* problem, Py_ssize_t i) noexcept nogil:
    return problem.lo[i] if problem.lo != NULL else 0.0

cdef inline double upper_bound(const LcpProblem* problem, Py_ssize_t i) noexcept nogil:
    return problem.hi[i] if problem.hi != NULL else INFINITY

# Half the width of the bounds of friction row i at x.
cdef inline double friction_bound(const LcpProblem* problem, Py_ssize_t i,
                                  const double* x) noexcept nogil:
    cdef double bound = problem.mu[i] * x[problem.normal[i]]
    return bound if bound > 0.0 else 0.0

# The point of [lo, hi] nearest to value.
cdef inline double clamp(double value, double lo, double hi) noexcept nogil:
    return lo if value < lo else (hi if value > hi else value)

# How hard to try. The methods see the scaled problem, so `tol` needs no unit.
cdef struct LcpOptions:
    double tol              # residual to reach, relative: see `residual_of`
    int max_iterations      # pivots, Newton steps or sweeps, of all attempts; 0: own limits
    bint warm               # x holds a start
    double relaxation       # pgs only: 1 is Gauss-Seidel, > 1 over-, < 1 under-relaxed

# Scratch, never allocated inside: `Workspace.reserve` knows how much each method needs.
cdef struct LcpWorkspace:
    double* reals
    Py_ssize_t n_reals      # capacity of `reals`
    int* ints
    Py_ssize_t n_ints       # capacity of `ints`

cdef enum LcpMethod:
    LCP_AUTO = 0
    LCP_LEMKE = 1
    LCP_DANTZIG = 2
    LCP_MINMAP = 3
    LCP_PGS = 4

# The answer, and how good the driver found it.
cdef struct LcpOutcome:
    StatusCode status
    double residual         # relative; SOLVED only when it is <= tol
    int iterations          # pivots, Newton steps or sweeps, of all the methods that were tried


@cython.final
cdef class Workspace:
    """Memory for the largest problem it was asked to reserve room for; it never shrinks."""
    cdef LcpWorkspace memory
    cdef object _reals, _ints
    cdef int reserve(self, LcpMethod method, const LcpProblem* problem) except -1

# Solve `problem`; x (n) is the start when options.warm, and the answer; w (n) is A x + b.
# `symmetric`: whether A is known to be symmetric (LCP_AUTO then takes dantzig first).
cdef LcpOutcome solve_lcp(const LcpProblem* problem, LcpMethod method, bint symmetric,
                          LcpWorkspace* work, const LcpOptions* options,
                          double* x, double* w) noexcept nogil

# The residual of x: writes w = A x + b; `scale` (n) as `scale_rows` gives it.
cdef double residual_of(const LcpProblem* problem, const double* scale, const double* x,
                        double* w) noexcept nogil

# scale[i] so that A[i,j] scale[i] scale[j] is of order one.
cdef void scale_rows(const double* A, Py_ssize_t n, double* scale) noexcept nogil
