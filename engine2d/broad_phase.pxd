"""The boxes in which moving bodies are looked for."""

from engine2d.solve.step_context cimport StepContext
from engine2d.store cimport BodyStore

# Give the broad phase the boxes that the shapes of moving bodies will sweep in ctx.cover; writes
# how far their users' forces push them.
cdef void sweep_boxes(BodyStore store, const StepContext* ctx) noexcept nogil
