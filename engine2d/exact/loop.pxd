"""The loop of World.advance."""

from engine2d.exact.run cimport Run

# Of the time in which a body falls by the tolerance: events nearer to each other are at one time.
cdef extern from *:
    """
    #define ENGINE_ONE_TIME 1e-3
    #define ENGINE_NO_REACH 1.0
    """
    double ONE_TIME "ENGINE_ONE_TIME"
    # m, reach that stands for that of bodies without shapes
    double NO_REACH "ENGINE_NO_REACH"

cdef enum RunStatus:
    RUN_DONE = 0
    RUN_NO_ROOM = 1        # grow the arrays and call again
    RUN_FAILED = 2         # run.bad_pair says where
    RUN_PAUSED = 3         # thousands of steps and events were made: call again
    RUN_ASKS = 4           # which of the links there are to be; then call again

# Carry a run on until `duration` (s since it began), or until it cannot go on.
cdef RunStatus run_on(Run* run, double duration) noexcept nogil

# Nothing goes on: sets run.bad_pair, for the message.
cdef RunStatus give_up(Run* run) noexcept nogil
