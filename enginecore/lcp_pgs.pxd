"""Projected Gauss-Seidel: dense, and on sparse block rows where J M^-1 J' is never formed."""

from enginecore.lcp cimport LcpOptions, LcpProblem, LcpWorkspace
from enginecore.status cimport StatusCode

cdef StatusCode solve_pgs(const LcpProblem* problem, LcpWorkspace* work, const LcpOptions* options,
                          double* x, int* iterations) noexcept nogil

# Rows of J as blocks: each row acts on at most two bodies, with `width` numbers for each
# (3 in the plane: x, y, angle; 6 in space). Body -1 is the immovable world.
cdef struct BlockRows:
    Py_ssize_t n            # rows
    Py_ssize_t n_bodies
    Py_ssize_t width        # velocities per body, 3 or 6
    const int* bodies       # n*2
    const double* J         # n*2*width, velocity -> w
    const double* MJ        # n*2*width, M^-1 J': impulse -> change of velocity
    const double* b         # n, w at x = 0
    const double* lo        # n, or NULL: 0
    const double* hi        # n, or NULL: inf
    const int* normal       # n, or NULL; as in LcpProblem
    const double* mu        # n, or NULL

# At most options.max_iterations sweeps from the start in x; v (n_bodies*width) receives M^-1 J' x,
# `inverse` (n) is scratch. The driver judges: this only stops early when a sweep changes nothing
# beyond `options.tol`.
cdef void sweep_rows(const BlockRows* rows, const LcpOptions* options, double* inverse,
                     double* v, double* x, int* iterations) noexcept nogil

# v = M^-1 J' x from nothing.
cdef void velocity_change(const BlockRows* rows, const double* x, double* v) noexcept nogil
# w of row i: J v + b.
cdef double row_velocity(const BlockRows* rows, Py_ssize_t i, const double* v) noexcept nogil
# J M^-1 J' of row i with itself.
cdef double row_diagonal(const BlockRows* rows, Py_ssize_t i) noexcept nogil

# For what rounding can do: v += |M^-1 J' x| of row i, and |J| v of row i.
cdef void add_row_magnitudes(const BlockRows* rows, Py_ssize_t i, double impulse,
                             double* v) noexcept nogil
cdef double row_magnitude(const BlockRows* rows, Py_ssize_t i, const double* v) noexcept nogil
