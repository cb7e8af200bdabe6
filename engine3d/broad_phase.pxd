"""The boxes that moving bodies sweep in a step."""

from engine3d.contact cimport StepContext
from engine3d.store cimport BodyStore

# The stage's first half: boxes of all awake bodies, as large as what they may reach in the step.
cdef void sweep_boxes(BodyStore store, StepContext* ctx) noexcept nogil

# Boxes of bodies that need to look farther (store.need) around where they began: any way they go.
cdef void sweep_needy(BodyStore store, StepContext* ctx) noexcept nogil
