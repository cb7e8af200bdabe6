"""Position projection of small islands: overlaps, and errors of joints, are corrected."""

from engine3d.solve.sub_step cimport SubStep

# Correct positions where bodies overlap by more than the slop, or joints are torn; velocities stay
# as they are.
cdef void project(SubStep* s) noexcept nogil
