"""Fast bodies of large islands: none ends a piece of a step on the other side of what it met."""

from enginecore.boxes cimport Boxes
from engine2d.contact cimport ContactStore
from engine2d.island cimport IslandStore
from engine2d.solve.step_context cimport StepContext
from engine2d.store cimport ShapeData

# After the solve: bring back fast bodies that passed something on their way to where they met it;
# where ctx.may_cut, the time they lost is theirs to go on from there. Motions hold how far all have
# come in this round.
cdef void stop_fast(StepContext* ctx, ContactStore contacts, const ShapeData* shapes,
                    const Boxes* boxes, IslandStore islands) noexcept nogil
