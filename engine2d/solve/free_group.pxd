# distutils: include_dirs = engine2d/solve enginecore
"""Groups in free flight: their common centre and angular momentum (docs/maths/energy.md)."""

from engine2d.island cimport IslandStore
from engine2d.solve.step_context cimport StepContext

# Before the islands of a round are carried: which of their bodies no contact can turn (ctx.glides),
# and of those that float the way of the common centre and the angular momentum about it.
cdef void note_ways(StepContext* ctx, IslandStore islands) noexcept nogil

# After that, and after fast bodies were set back: shift islands that float so that their common
# centres go straight on, and turn them so that their angular momentum is what it was. Blows between
# bodies that have different times left, and bodies that have to wait, take them off their way.
cdef void keep_ways(StepContext* ctx, IslandStore islands) noexcept nogil
