"""What a sub-step gave to a small island, and what is taken back (docs/maths/solver3d.md)."""

from engine3d.solve.sub_step cimport SubStep

# J: kinetic energy of the island, and potential energy of its bodies' accelerations.
cdef double energy_of(const SubStep* s) noexcept nogil

# After a solve that nothing settled: no body becomes much faster than any was. A light one takes no
# energy worth an audit to go through a wall. Of an island that something fixed touches.
cdef void slow_thrown(SubStep* s) noexcept nogil

# J: kinetic energy of the island alone.
cdef double kinetic_of(const SubStep* s) noexcept nogil

# Take a gain (J) out of the motion about the common velocity, all of that at most.
cdef void slow_down(SubStep* s, double gain) noexcept nogil

# As take_back_gain for the whole step of an island with joints, springs included: `before` is what
# it had when that began.
cdef void take_back_step(SubStep* s, double before) noexcept nogil

# Where a sub-step added energy to what there was before (J) beyond a share of the kinetic one, take
# it out of the motion about the common velocity; what bodies that move by themselves, torques or
# surfaces that run add is theirs.
cdef void take_back_gain(SubStep* s, double before) noexcept nogil
