"""Fast bodies of large islands: none ends a step on the other side of what it met."""

from libc.stdint cimport uint8_t

from enginecore.boxes cimport Boxes
from engine2d.contact cimport ContactStore
from engine2d.step_context cimport StepContext
from engine2d.store cimport ShapeData

# After the solve: bring back fast bodies that passed something on their way to where they met it.
# is_large: of each island. Motions hold how far all have come in the step.
cdef void stop_fast(StepContext* ctx, ContactStore contacts, const ShapeData* shapes,
                    const Boxes* boxes, const uint8_t* is_large) noexcept nogil
