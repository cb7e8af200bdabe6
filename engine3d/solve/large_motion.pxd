# distutils: include_dirs = engine3d/solve enginecore
"""Bodies of large islands through a sub-step, besides what contacts do."""

from libc.stdint cimport int32_t

from engine3d.contact cimport StepContext
from engine3d.solve.large_work cimport LargeWorkspace

# Lines and drives of the island's bodies; angular velocity by the momentum, as seen from the
# orientation expected halfway through the step. h: s, of a sub-step.
cdef void load_lines(StepContext* ctx, const int32_t* rows, int32_t n_rows, double h,
                     LargeWorkspace* work) noexcept nogil

# Take from the lines what resistance to rolling and spin takes in a sub-step.
cdef void resist_rolling(StepContext* ctx, LargeWorkspace* work, double h) noexcept nogil

# External forces, and what contacts gave in the last sub-step as a start for this one.
cdef void drive_bodies(double h, LargeWorkspace* work) noexcept nogil

# Move all lines for a sub-step.
cdef void advance(double h, LargeWorkspace* work) noexcept nogil

# Lines back into bodies; those that nothing pushed fly as they do alone.
cdef void store_bodies(StepContext* ctx, LargeWorkspace* work) noexcept nogil
