"""Boxes for queries alone: a table with its tree, which no search for pairs knows.

What is asked of an index cannot change what a broad phase finds. Without the GIL: `put` and `drop`
what has changed, then `settle`; then what box_query offers, on `&index.tree.t` and `&index.boxes`.
"""

from libc.stdint cimport int32_t, int64_t

from enginecore.box_query cimport Hits
from enginecore.box_tree cimport BoxTree
from enginecore.boxes cimport Box, Boxes


cdef class BoxIndex:
    cdef Boxes boxes             # `before` and `moved` are not in use: there are no pairs
    cdef BoxTree tree
    cdef Hits found              # scratch for queries
    cdef Py_ssize_t capacity     # ids there is room for
    cdef object buffers          # numpy arrays by name: they own the memory

    # need the GIL
    cdef int reserve(self, Py_ssize_t capacity) except -1
    cdef int reserve_found(self, int64_t room) except -1

    cdef void put(self, int32_t id, const Box* tight) noexcept nogil
    cdef void drop(self, int32_t id) noexcept nogil
    cdef void settle(self) noexcept nogil
