"""What a sub-step of a small island did to the energy, into ctx.books (docs/maths/energy.md)."""

from engine2d.solve.sub_step cimport SubStep

# After `move`, while rows and old velocities are there. sinks: bodies moved by their new velocity,
# since something closed.
cdef void book_sub_step(SubStep* s, bint sinks) noexcept nogil
