# distutils: include_dirs = engine3d/solve enginecore
"""The manifolds of large islands, four to a block: no two of a block share a moving body."""

from libc.stdint cimport int32_t

from engine3d.contact cimport StepContext
from engine3d.solve.large_work cimport LargeWorkspace
from engine3d.solve.solver_iterative cimport Block, BlockPoint

# The manifolds of the island with their colours: no two of one colour share a moving body.
cdef void find_manifolds(StepContext* ctx, const int32_t* pairs, int32_t n_pairs,
                         LargeWorkspace* work) noexcept nogil

# Give every manifold a lane and fill it; list what shall bounce, and what resists rolling. h: s, of
# a sub-step.
cdef void lay_out_blocks(StepContext* ctx, LargeWorkspace* work, double h) noexcept nogil

# m/s: how fast the gap of a point opens.
cdef double speed_at(const LargeWorkspace* work, const Block* m, int lane,
                     const BlockPoint* at) noexcept nogil
