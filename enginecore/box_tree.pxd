"""A balanced tree over the fat boxes, for the queries of box_query."""

from libc.stdint cimport int32_t, int64_t

from enginecore.boxes cimport Box, Boxes

cdef struct Node:            # in preorder: the first child of node k is node k + 1
    Box box                  # around everything below
    int32_t skip             # the first node that is not below this one
    int32_t id               # of a leaf: its box; else INNER
    int32_t parent           # NOT_IN_TREE for the root
    int32_t unused           # fills the cache line

cdef enum:
    INNER = -1
    NOT_IN_TREE = -1         # in `leaf`: the box is not known
    APART = -2               # in `leaf`: the box is in `apart`

cdef struct Item:            # a box while the tree is built
    double middle[3]         # m, twice its centre
    int32_t id

cdef struct Tree:
    Node* nodes
    int32_t n_nodes          # 2 n_leaves - 1, or 0
    int32_t n_leaves
    int32_t* leaf            # by id: its node, NOT_IN_TREE or APART
    int32_t* apart           # ids that came after the tree was built: looked at one by one
    int32_t n_apart
    bint built               # nodes and leaf hold what was in the tree when it was last settled
    int64_t wear             # how far boxes have strayed since it was built
    Item* items              # scratch for building

cdef class BoxTree:
    """Owner of the memory of a Tree; brought up to date only when somebody asks."""

    cdef Tree t
    cdef object buffers          # numpy arrays by name: they own the memory
    cdef Py_ssize_t capacity     # ids there is room for

    cdef int reserve(self, Py_ssize_t capacity) except -1
    cdef void settle(self, Boxes* boxes) noexcept nogil
