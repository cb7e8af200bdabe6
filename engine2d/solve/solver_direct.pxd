"""Small islands solved exactly: every row at once, friction bounded by the present normal impulse.

An engine keeps a `DirectWorkspace`, grows it with the GIL held, and calls `solve_rows` without it.
docs/maths/fixed_step.md.
"""

cimport cython

from enginecore.lcp cimport LcpWorkspace, Workspace
from enginecore.status cimport StatusCode
from engine2d.body cimport Motion
from engine2d.solve.row cimport Row
from engine2d.solve.step_context cimport Counters

cdef extern from *:
    """
    #define ENGINE_LEAST_SCALE 1e-6
    """
    # m/s, times the root of the unit: below this, b is as good as zero and does not set a scale.
    double LEAST_SCALE "ENGINE_LEAST_SCALE"

# How much work a solve may be. What is in motion, or under forces that change, is another problem
# in every sub-step: what is left of this one is corrected in the next.
cdef enum Effort:
    ANY_EFFORT = 0      # until it is solved
    FEW_TURNS = 1       # a few turns of Newton; else it is swept
    SWEEPS_ONLY = 2     # it is swept, a few times

# Scratch for one solve, never allocated inside.
ctypedef struct DirectMemory:
    int effort          # Effort of the solves to come
    double least_scale  # m/s: LEAST_SCALE in the unit of the world
    bint swept          # whether the last solve ended with sweeps, for lack of effort
    int n_rows          # room for so many rows
    int n_motions       # and so many bodies
    double* A           # scaled to a unit diagonal, for Lemke's method
    double* M           # n*n, room for the matrix of the present modes, then its factor
    double* d           # n, 1/kg: diagonal of A before scaling
    double* scale       # n, sqrt(kg): 1/sqrt(d)
    double* b           # n, m/s: y without any impulse
    double* y           # n, m/s
    double* p           # n, N s: the present guess
    double* center      # n, N s: where the proximal term pulls to
    double* best        # n, N s: the best guess so far
    double* kept        # n, N s: the guess before an attempt
    double* x           # n, unknowns of the present modes
    double* lo          # n, bounds and friction of the scaled problem, for Lemke's method
    double* hi
    double* mu
    double* free_v      # 3 n_motions: velocities without any impulse
    int* mode           # n
    int* best_mode      # n
    int* place          # n: the row's unknown, -1: none
    int* first          # n: where a row of the factor begins
    int* order          # n: exchanges of rows
    int* normal         # n
    int* sorted         # n: the rows along the island
    int* rank           # n_motions + 1: of each body along the island; -1: not movable
    int* queue          # n_motions + 1
    int* begin          # n_motions + 1: the rows of each body, one after another
    int* member         # 2 n: these rows; the side a of row i is 2 i, its side b 2 i + 1
    LcpWorkspace lcp

ctypedef struct DirectOutcome:
    StatusCode status   # SOLVED, or MAX_ITERATIONS: the rows hold the best that was found
    double residual     # m/s, of the natural map; see docs/maths/fixed_step.md
    int newton_steps
    int factors         # matrices factored


@cython.final
cdef class DirectWorkspace:
    """Memory for the largest island it was asked to reserve room for; it never shrinks."""
    cdef DirectMemory memory
    cdef object _reals, _ints
    cdef Workspace _lcp
    cdef int reserve(self, int n_rows, int n_motions) except -1
    cdef int reserve_lcp(self, Py_ssize_t n) except -1

# Find the impulses of all rows and apply them. `rows` hold the impulses and modes of last time, and
# then the answer; rows a, b index `motions`, whose v and w are those after external accelerations,
# and then those after the impulses. Bodies with inv_m = inv_I = 0 keep theirs. `drift`: the largest
# rate (m/s) at which rows that should hold still moved before this solve, 0 if it is not known:
# impulses of last time are kept while their error grows no faster than by what it was.
cdef DirectOutcome solve_rows(Row* rows, int n, Motion* motions, int n_motions, double drift,
                              DirectMemory* memory, Counters* counters) noexcept nogil

# The residual (m/s) up to which impulses of last time are kept, where b is at most `scale` (m/s),
# the largest term that is summed `size`, and `drift` as above.
cdef double most_kept(double scale, double size, double drift) noexcept nogil
