# distutils: include_dirs = engine2d/solve enginecore
"""What a step of large islands did to the energy, into ctx.books (docs/maths/energy.md)."""

from engine2d.solve.large_work cimport LargeWorkspace
from engine2d.solve.step_context cimport StepContext

# After the sub-steps, before bodies are stored: what contacts did together is known exactly; which
# part of it is friction's, from the slip at the two ends.
cdef void book_step(StepContext* ctx, LargeWorkspace* work) noexcept nogil
