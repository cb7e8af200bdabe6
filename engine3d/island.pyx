"""The pairs and joints through which bodies may push each other, as edges of islands."""

from libc.stdint cimport int64_t

from enginecore.body_head cimport DYNAMIC
from engine3d.contact cimport FAST, IGNORED, SENSING, Pair


cdef int32_t list_edges(StepContext* ctx, const JointData* joints, int32_t n_joints,
                        Edge* edges) noexcept nogil:
    """The pairs through which bodies may push each other in this step."""
    cdef const Pair* pair
    cdef const JointData* joint
    cdef int64_t k
    cdef int32_t n = 0
    for k in range(ctx.n_pairs):
        pair = &ctx.pairs[k]
        if pair.flags & (IGNORED | SENSING) or (pair.n == 0 and not pair.flags & FAST):
            continue
        edges[n].a, edges[n].b, edges[n].item = pair.a, pair.b, <int32_t> k
        # what is only swept is nothing to be solved
        edges[n].size = pair.n
        n += 1
    # joints come after all pairs
    for k in range(n_joints):
        joint = &joints[k]
        edges[n].a = joint.head.a if joint.head.a >= 0 else joint.head.b
        edges[n].b = joint.head.b if joint.head.b >= 0 else joint.head.a
        if ctx.heads[edges[n].a].kind != DYNAMIC and ctx.heads[edges[n].b].kind != DYNAMIC:
            continue
        edges[n].item, edges[n].size = <int32_t> (ctx.n_pairs + k), 1
        n += 1
    return n


cdef int32_t count_pairs(const StepContext* ctx, const int32_t* items, int32_t n) noexcept nogil:
    """How many of an island's edges are pairs: its joints come last."""
    while n > 0 and items[n - 1] >= ctx.n_pairs:
        n -= 1
    return n
