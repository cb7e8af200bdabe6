"""Fast bodies of large islands and of those with joints: none ends a piece of a step on the other
side of what it met."""

from enginecore.boxes cimport Boxes
from engine2d.contact cimport ContactStore
from engine2d.island cimport IslandStore
from engine2d.joint.joint cimport JointData
from engine2d.solve.step_context cimport Island, StepContext
from engine2d.store cimport ShapeData

# After the solve: bring back fast bodies that passed something on their way to where they met it;
# where ctx.may_cut, the time they lost is theirs to go on from there. Motions hold how far all have
# come in this round.
cdef void stop_fast(StepContext* ctx, ContactStore contacts, const ShapeData* shapes,
                    const Boxes* boxes, IslandStore islands,
                    const JointData* joints) noexcept nogil

# J, that an island with springs has, in motion and in these, when a piece begins, less what motors
# and friction of its joints have done so far; infinite where it has no springs, or what moves by
# itself may add to it.
cdef double held_energy(const StepContext* ctx, IslandStore islands, const Island* island,
                        const JointData* joints) noexcept nogil
