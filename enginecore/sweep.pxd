"""Sort and sweep with coherence: the ends of boxes in sorted lists that hardly change."""

from libc.stdint cimport int32_t, int64_t

from enginecore.boxes cimport Boxes
from enginecore.broad_phase cimport BroadPhase, Counts
from enginecore.pair_table cimport Pairs

cdef struct End:             # one end of a box's interval along one axis
    double value             # m
    int32_t tag              # id << 1, plus 1 for the high end

cdef struct Lists:
    End* ends[3]             # by axis: the ends of all listed boxes, sorted
    End* scratch             # as long as one of them
    Py_ssize_t n             # ends in each list
    int32_t* active          # the intervals that a sweep is inside of
    int32_t* place           # by id: where in `active`
    Py_ssize_t n_active


cdef class SortAndSweep(BroadPhase):
    cdef Lists lists
    cdef bint coherent       # the lists are sorted by boxes.before

    cdef int sort_by_insertion(self) except -1 nogil
    cdef int sort_and_sweep(self) except -1 nogil
    cdef int sweep(self, int axis) except -1 nogil
