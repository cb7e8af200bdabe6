"""Islands in motion are not solved but swept a few times: each contact's two rows at once."""

from engine2d.solve.direct_system cimport System

# From motions without impulses: give them those of the present p, and sweep until a sweep changes
# little. Rows are those of contacts alone: a normal row and the friction that rests on it, in turn.
# Writes p, within its bounds, modes and motions.
cdef void sweep_contacts(System* s) noexcept nogil
