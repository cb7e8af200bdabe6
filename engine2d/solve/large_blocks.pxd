# distutils: include_dirs = engine2d/solve enginecore
"""Bodies of large islands as lines, their manifolds in blocks of four.

docs/maths/iterative_solver.md.
"""

from libc.stdint cimport int32_t

from engine2d.body cimport Motion
from engine2d.solve.large_work cimport LargeWorkspace
from engine2d.solve.solver_iterative cimport Drive
from engine2d.solve.step_context cimport StepContext

# The bodies of the islands to lines 1, 2, ...; line 0 stays where it is. h: s, of a sub-step.
cdef void gather_lines(StepContext* ctx, double h, LargeWorkspace* work) noexcept nogil

# An impulse (N s) and its moment as part of what contacts gave.
cdef inline void start_from(const Motion* line, Drive* drive, double px, double py,
                            double moment) noexcept nogil:
    drive.v0.x -= line.inv_m * px
    drive.v0.y -= line.inv_m * py
    drive.w0 -= line.inv_I * moment

# See which contacts are what bodies meet: not what closes beyond its features, nor what is hidden
# behind a floor.
cdef void confirm_contacts(StepContext* ctx, LargeWorkspace* work) noexcept nogil

# Contacts to manifolds with their colours: no two of one colour share a moving body. `counts`
# (GROUPS, all 0 before): how many there are of each group. Kinematic bodies get lines.
cdef void find_manifolds(StepContext* ctx, double h, LargeWorkspace* work,
                         int32_t* counts) noexcept nogil

# Where the manifolds of each group go; `places` (GROUPS) counts lanes.
cdef void lay_out_blocks(const int32_t* counts, LargeWorkspace* work,
                         int32_t* places) noexcept nogil

# All manifolds to their lanes, and bodies begin as if contacts had just given the impulses that
# they kept from the last step; manifolds that bounce are listed as well.
cdef void fill_blocks(StepContext* ctx, LargeWorkspace* work, int32_t* places) noexcept nogil
