# distutils: include_dirs = engine2d/solve enginecore
"""Strikes within a sub-step of large islands (docs/maths/iterative_solver.md).

A sub-step strikes what bounces, moves, has a relax pass without what is about to strike, and
releases that.
"""

from engine2d.solve.large_work cimport LargeWorkspace
from engine2d.solve.step_context cimport StepContext

# Strike, one after the other, what closes within the sub-step h (s) faster than `slowest` (m/s),
# until nothing does or the bound is met: what is left is pushed apart without a bounce.
cdef void strike_bouncers(StepContext* ctx, double h, double slowest,
                          LargeWorkspace* work) noexcept nogil

# Bring all gaps up to date, after blows that changed the ways of bodies.
cdef void measure_gaps(LargeWorkspace* work) noexcept nogil

# Take what is about to strike out of the relax pass, which would slow it down before that; and
# undo that.
cdef void hold_bouncers(double slowest, LargeWorkspace* work) noexcept nogil
cdef void release_bouncers(LargeWorkspace* work) noexcept nogil
