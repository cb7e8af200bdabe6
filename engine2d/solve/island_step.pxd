# distutils: include_dirs = engine2d/solve enginecore
"""Islands through their time: by which solver, and how far at once (docs/maths/fixed_step.md)."""

from libc.stdint cimport int32_t

from engine2d.body cimport Place
from engine2d.island cimport IslandStore
from engine2d.joint.assembly_step cimport LinkMemory
from engine2d.solve.large_work cimport LargeWorkspace
from engine2d.solve.small_step cimport SmallMemory
from engine2d.solve.step_context cimport StepContext

# Which islands are large: solved by sweeps.
ctypedef struct SizeRule:
    int32_t least         # contacts from which an island is large
    int32_t least_calm    # and one in which nothing is fast
    int32_t most_narrow   # contacts up to which a calm island that is a narrow band is not
    double most_work      # contacts times the square of the band: what narrow is
    int32_t least_fast    # and one in which fast bodies meet: it is cut at their blows
    int32_t most_rows     # an island with joints is large if it has more rows than this

# Carry all islands of this round as far as they go at once; what their bodies have left is written
# to ctx.left.
cdef void step_islands(StepContext* ctx, IslandStore islands, const SizeRule* rule,
                       SmallMemory* memory, LargeWorkspace* work,
                       LinkMemory* linked) noexcept nogil

# Write islands.is_large.
cdef void find_large(const StepContext* ctx, IslandStore islands,
                     const SizeRule* rule) noexcept nogil

# All of this part of the step is before all that is awake.
cdef void start_clocks(StepContext* ctx) noexcept nogil

# Whether some body has not come to the end of this part of the step.
cdef bint is_time_left(const StepContext* ctx) noexcept nogil

# Carry kinematic bodies through this part of the step.
cdef void move_kinematic(StepContext* ctx) noexcept nogil

# Put bodies that left the range of numbers back where they were, at rest; returns how many.
cdef int32_t stop_runaways(StepContext* ctx, const Place* before) noexcept nogil
