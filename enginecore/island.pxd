"""Islands: bodies that push each other, and the edges (contacts, joints) through which they do."""

from libc.stdint cimport int32_t, uint8_t

from enginecore.body_head cimport BodyHead

# What connects two bodies.
ctypedef struct Edge:
    int32_t a        # rows of the bodies
    int32_t b
    int32_t item     # the caller's number of it
    int32_t size     # how much it counts for the size of its island

# Bodies and edges that push each other. Static and kinematic bodies belong to none.
ctypedef struct Island:
    int32_t first_body    # into the list of body rows
    int32_t n_bodies
    int32_t first_edge    # into the list of items, ascending
    int32_t n_edges
    int32_t size          # sum of the edges' sizes
    int32_t is_large      # the caller's: solved by sweeps


cdef inline int32_t root_of(int32_t* parent, int32_t row) noexcept nogil:
    """The first row of a group, halving the way to it for the next one who asks."""
    while parent[row] != row:
        parent[row] = parent[parent[row]]
        row = parent[row]
    return row


cdef inline void join(int32_t* parent, int32_t a, int32_t b) noexcept nogil:
    """One group of two; its root is the lower row, whatever the order of joining."""
    a = root_of(parent, a)
    b = root_of(parent, b)
    if a < b:
        parent[b] = a
    else:
        parent[a] = b


cdef class IslandStore:
    """The islands of a step, as slices of two lists."""

    cdef Island* islands
    cdef int32_t n
    cdef int32_t* bodies         # rows, by island
    cdef int32_t* items          # of edges, by island, in the order of the edges
    cdef int32_t* parent         # by row: union and find
    cdef int32_t* number         # by root row: its island
    cdef int32_t room_bodies
    cdef int32_t room_edges
    cdef object arrays           # numpy arrays by name: they own the memory

    cdef int reserve(self, int32_t n_bodies, int32_t n_edges) except -1 nogil
    cdef int grow(self, int32_t n_bodies, int32_t n_edges) except -1 with gil
    cdef void build(self, BodyHead* heads, int32_t n_bodies, const Edge* edges,
                    int32_t n_edges) noexcept nogil
