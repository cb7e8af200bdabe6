"""The energy of an island that joints hold together: what a piece gained is taken back."""

from engine2d.joint.assembly_step cimport Linked

# J, of the bodies that can be pushed.
cdef double kinetic_of(const Linked* s) noexcept nogil

# When a piece of `duration` (s) is done: whatever the sweeps did not settle, it gains no energy.
cdef void audit(Linked* s, double duration) noexcept nogil
