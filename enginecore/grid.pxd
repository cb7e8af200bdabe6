"""A grid over fat boxes: hashed cells of several sizes, no bound on space."""

from libc.stdint cimport int32_t, int64_t, uint64_t

from enginecore.boxes cimport Box
from enginecore.broad_phase cimport BroadPhase

cdef enum:
    LEAST_POWER = -128       # cells of the smallest level are 2**LEAST_POWER m wide
    LEVELS = 512             # the largest 2**(LEAST_POWER + LEVELS - 1) m
    NOBODY = -1

cdef struct Seat:            # where a box sits: one cache line, all that a search reads
    Box box                  # the fat box as seated
    int32_t next             # in the same bucket, or NOBODY
    int32_t previous
    int32_t bucket
    int32_t level            # its cells are up to twice as wide as the box; NOBODY: no seat

cdef struct Link:            # of the chain of all boxes of a level
    int32_t next
    int32_t previous

cdef struct Entry:           # a box in bucket order, for a search by all
    Box box
    int32_t id
    int32_t level

cdef struct Level:
    double per_metre         # cells per metre, a power of two
    int32_t n                # boxes in it
    int32_t head             # the first of them, or NOBODY

cdef struct Cells:
    Seat* seats              # by id
    Link* links              # by id
    int32_t* heads           # by bucket: its first box, or NOBODY
    uint64_t mask            # buckets - 1; their number is a power of two
    Entry* entries           # all seated boxes, bucket by bucket, while a search by all lasts
    int32_t* first           # buckets + 1: where each bucket begins in entries
    Py_ssize_t n_entries
    Level* levels            # LEVELS of them
    int32_t* used            # the levels with boxes in them, ascending
    int n_used
    int32_t* wide            # moved boxes that would have to look into too many cells
    Py_ssize_t n_wide
    int64_t needed           # room for begun pairs that the box at which a search stopped needs


cdef class HashedGrid(BroadPhase):
    cdef Cells cells

    cdef int search_all_boxes(self) except -1 nogil
    cdef int search_moved_boxes(self) except -1 nogil
