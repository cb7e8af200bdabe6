"""The loop of World.advance."""

from engine2d.exact.run cimport Run

cdef enum RunStatus:
    RUN_DONE = 0
    RUN_NO_ROOM = 1        # grow the arrays and call again
    RUN_FAILED = 2         # run.bad_pair says where
    RUN_PAUSED = 3         # thousands of steps and events were made: call again

# Carry a run on until `duration` (s since it began), or until it cannot go on.
cdef RunStatus run_on(Run* run, double duration) noexcept nogil
