"""What every broad phase shares: boxes with ids, their pairs, and queries about them.

An engine holds a BroadPhase and, without the GIL, calls `move_box(&phase.boxes, id, &box)` for what
has moved; then `phase.refresh()`; then reads `phase.table.p`. For queries it calls, with the GIL,
`phase.prepare_questions()` once and then, without the GIL, what box_query offers, on
`&phase.tree.t`.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t

from enginecore.boxes cimport Box, Boxes
from enginecore.box_query cimport Hits
from enginecore.box_tree cimport BoxTree
from enginecore.pair_table cimport PairTable

cdef struct Counts:          # of the last refresh
    int64_t moved            # boxes whose fat box changed, new and removed ones too
    int64_t swaps            # neighbours that changed places in a sorted list
    int64_t tested           # pairs of boxes that were compared
    int64_t rebuilds         # 1 if coherence was given up and all was sorted anew


cdef class BroadPhase:
    cdef Boxes boxes
    cdef Counts counts
    cdef PairTable table
    cdef BoxTree tree
    cdef Py_ssize_t capacity     # ids there is room for
    cdef Py_ssize_t n_live
    cdef object buffers          # numpy arrays by name: they own the memory
    cdef list free               # ids to give out again, the last one first
    cdef list removed            # ids removed since the last refresh: not yet to be given out
    cdef bint has_removed        # whether there are any
    cdef Hits found              # scratch for queries
    cdef bint busy               # a call of the face is under way

    cdef int refresh(self) except -1 nogil

    # for engines; all need the GIL
    cdef int32_t insert(self, const Box* tight) except -1
    cdef int discard(self, int32_t id) except -1
    cdef int prepare_questions(self) except -1
    cdef object save(self)
    cdef int load(self, object saved) except -1
    cdef void place(self, const Box* tight, const Box* fat, const uint8_t* live,
                    Py_ssize_t n) noexcept nogil

    # for subclasses
    cdef int search(self) except -1 nogil
    cdef int reserve(self, Py_ssize_t capacity) except -1
    cdef int search_tree(self, const int32_t* ids, Py_ssize_t n) except -1 with gil
    cdef int free_removed(self) except -1 with gil

    cdef int reserve_found(self, int64_t room) except -1
    cdef int check_id(self, int64_t id) except -1
    cdef int move_all(self, const int64_t* ids, Py_ssize_t wanted, const double* lows,
                      const double* highs, Py_ssize_t n) except -1
    cdef object list_pairs(self, str what, const int64_t* keys, const int64_t* n)
    cdef int enter(self, str what) except -1
    cdef object split_hits(self, int64_t n)
    cdef object corners(self, str name, int64_t id)
