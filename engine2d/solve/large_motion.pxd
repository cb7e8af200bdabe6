# distutils: include_dirs = engine2d/solve enginecore
"""Bodies of large islands through a sub-step, besides what contacts do (large_step.pyx).

docs/maths/iterative_solver.md.
"""

from engine2d.solve.large_work cimport LargeWorkspace
from engine2d.solve.step_context cimport StepContext

# External forces, and what contacts gave in the last sub-step as a start for this one: normals and
# points stay what they are through a step, so the sum over contacts is not done again.
cdef void drive_bodies(StepContext* ctx, double h, LargeWorkspace* work) noexcept nogil

# Exchange the velocities of all bodies with those before contacts. Blows go by the latter: what
# last sub-step's impulses stop is no approach.
cdef void exchange_free(LargeWorkspace* work) noexcept nogil

# Move all bodies but those that have no time left: those that nothing pushed in a parabola, the
# others as they move at the end.
cdef void move_bodies(double h, LargeWorkspace* work) noexcept nogil
