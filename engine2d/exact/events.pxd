"""Events within a step: what its end shows, when it happened, and landing there."""

from engine2d.exact.run cimport Run

# Flag all that has happened in the step from run.y to run.y1 (h seconds), whose slopes at the end
# are in dy1 and whose end is loaded.
cdef void flag_events(Run* run) noexcept nogil

# Find the earliest flagged event of a step; returns its flag, or -1 if nothing has happened after
# all, and its time (s, from the step's start).
cdef int first_event(Run* run, double h, double* when) noexcept nogil

# Integrate to an event, at about `when` in a step of h: writes y3 and dy3 and returns the time.
cdef double land(Run* run, int flag, double h, double when) noexcept nogil
