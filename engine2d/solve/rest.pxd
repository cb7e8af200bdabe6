"""Islands that need no solve: one body in flight, and bodies that last time's impulses hold still.
"""

from libc.stdint cimport int32_t

from engine2d.solve.small_step cimport Piece, SmallMemory
from engine2d.solve.step_context cimport StepContext

cdef extern from *:
    """
    #define ENGINE_STILL 1e-9
    #define ENGINE_DEAD_BAND 1e-4
    """
    # m/s: two bodies slower than this in sum do not turn their contact within a sub-step.
    double STILL "ENGINE_STILL"
    # Times touch: gaps below this are zero. Else the last digits of places would ask for motion at
    # rest, and the impulses of last time would never quite hold.
    double DEAD_BAND "ENGINE_DEAD_BAND"

# Carry a body that touches nothing through a piece of time on its parabola. False, and nothing is
# changed, where that is not its way: damping bends it, or it has no time left.
cdef bint fly(StepContext* ctx, int32_t row, const Piece* piece) noexcept nogil

# Carry an island whose bodies stand still through a piece of time by the impulses of last time.
# False, and nothing is changed but motion that is rounding, where they do not hold: by the test of
# solver_direct, on the contacts as they are. Bodies, contacts and sub-steps as for step_island.
cdef bint rests(StepContext* ctx, const int32_t* body_rows, int n_bodies,
                const int32_t* contact_indices, int n_contacts, int n_sub, const Piece* piece,
                SmallMemory* memory) noexcept nogil
