"""What contacts give to a small island, and what is taken back (docs/maths/energy.md)."""

from engine2d.solve.energy cimport Momentum
from engine2d.solve.sub_step cimport SubStep

# Momenta of the island, without the spins that no contact can change.
cdef Momentum momentum_of(const SubStep* s) noexcept nogil

# Before the sub-steps: the energy the island has.
cdef void open_account(SubStep* s) noexcept nogil

# After `accelerate`: remember the velocities without contacts.
cdef void keep_free(SubStep* s) noexcept nogil

# After the solve: where contacts gave more than they may, all impulses count less. failed: nothing
# solved the rows, and contacts may give nothing.
cdef void limit_gain(SubStep* s, bint failed) noexcept nogil

# Of an island with joints, after a solve that failed: whether rows that hold gave energy.
cdef bint has_given(const SubStep* s) noexcept nogil

# Then: all impulses count so much less that the motion has the least energy on the way from the
# velocities before the solve.
cdef void hold_back(SubStep* s) noexcept nogil

# After the sub-steps: an island that gained energy all the same loses it again. Returns whether it
# has not enough of it: joints brought its bodies where they hold more than all their motion.
cdef bint audit_step(SubStep* s) noexcept nogil

# J, that contacts carry from bodies that cannot be pushed, by the rows' impulses.
cdef double kinematic_work(const SubStep* s) noexcept nogil

# J, that external forces do on the displacements in s.motions.
cdef double outer_work_of_push(const SubStep* s) noexcept nogil

# J, of the bodies that can be moved, with the velocities that they have now.
cdef double kinetic_of(const SubStep* s) noexcept nogil
