"""The pairs and joints through which bodies may push each other, as edges of islands."""

from libc.stdint cimport int32_t

from enginecore.island cimport Edge
from engine3d.contact cimport StepContext
from engine3d.joint.joint cimport JointData

# The edges of this step: pairs by their numbers, then joints by n_pairs plus their rows; how many.
cdef int32_t list_edges(StepContext* ctx, const JointData* joints, int32_t n_joints,
                        Edge* edges) noexcept nogil

# How many of an island's edges are pairs: its joints come last.
cdef int32_t count_pairs(const StepContext* ctx, const int32_t* items, int32_t n) noexcept nogil
