"""Position projection of small islands: overlaps, and errors of joints, are corrected."""

from engine2d.solve.sub_step cimport SubStep

# Correct positions where bodies overlap by more than the slop; velocities stay as they are. Joints
# are held to rounding. Contacts are up to date then.
cdef void push_apart(SubStep* s) noexcept nogil

# Bodies back where they were when the piece began, as far as they do not move freely as one, with
# the velocities they have: time has passed, and nothing was solved.
cdef void stand_back(SubStep* s) noexcept nogil
