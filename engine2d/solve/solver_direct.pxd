"""Small islands solved exactly: every row at once, friction bounded by the present normal impulse.

An engine keeps a `DirectWorkspace`, grows it with the GIL held, and calls `solve_rows` without it.
docs/maths/fixed_step.md.
"""

cimport cython

from enginecore.lcp cimport Workspace
from enginecore.status cimport StatusCode
from engine2d.body cimport Motion
from engine2d.solve.direct_system cimport DirectMemory
from engine2d.solve.row cimport Row
from engine2d.solve.step_context cimport Counters

# How much work a solve may be. What is in motion, or under forces that change, is another problem
# in every sub-step: what is left of this one is corrected in the next.
cdef enum Effort:
    ANY_EFFORT = 0      # until it is solved
    FEW_TURNS = 1       # a few turns of Newton; else it is swept
    SWEEPS_ONLY = 2     # it is swept, a few times

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
