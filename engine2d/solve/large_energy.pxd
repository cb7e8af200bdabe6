# distutils: include_dirs = engine2d/solve enginecore
"""What contacts give to large islands in a sub-step, and what is taken back.

docs/maths/energy.md.
"""

from engine2d.solve.large_work cimport LargeWorkspace
from engine2d.solve.step_context cimport StepContext

# Once a step, when blocks are filled: what each island may be given in a sub-step of h (s), and
# what it leans on.
cdef void open_accounts(const StepContext* ctx, double h, LargeWorkspace* work) noexcept nogil

# After the passes of a sub-step: where contacts gave an island more than it may be given, take
# it from the motion, or when the next sub-step begins, unless this is the last one. Their impulses
# stay: with less of them a heap would sink into itself.
cdef void limit_gain(StepContext* ctx, double h, bint is_last, LargeWorkspace* work) noexcept nogil

# Once a step, when it is done: islands that gained energy all the same lose it again; free ones
# get the angular momentum that they had.
cdef void audit_step(StepContext* ctx, LargeWorkspace* work) noexcept nogil
