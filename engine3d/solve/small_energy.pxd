"""What a sub-step gave to a small island, and what is taken back (docs/maths/solver3d.md)."""

from engine3d.solve.sub_step cimport SubStep

# J: kinetic energy of the island, and potential energy of its bodies' accelerations.
cdef double energy_of(const SubStep* s) noexcept nogil

# Where a sub-step added energy to what there was before (J) beyond a share of the kinetic one, take
# it out of the motion about the common velocity; what bodies that move by themselves, torques or
# surfaces that run add is theirs.
cdef void take_back_gain(SubStep* s, double before) noexcept nogil
