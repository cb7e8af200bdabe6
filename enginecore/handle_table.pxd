"""Handles: an id finds the row of a body, a generation tells it from others that had the id."""

from libc.stdint cimport int32_t, uint32_t

ctypedef struct Entry:
    int32_t row            # -1: no such body
    uint32_t generation    # of the body that has the id now, or had it last


cdef class HandleTable:
    cdef Entry* entries
    cdef int32_t n             # ids ever given out
    cdef int32_t room
    cdef uint32_t generations  # bodies ever added, restored ones among them: no two are alike
    cdef object array          # numpy array of bytes: it owns the entries
    cdef list handles          # by id; None where there is none
    cdef list free             # ids to give out again, the last one first
    cdef list gone             # ids of bodies removed since the last step: not yet free

    cdef int reserve(self, int32_t room) except -1
    cdef int32_t insert(self, int32_t row) except -1
    cdef int drop(self, int32_t id) except -1
    cdef int forget(self) except -1
    cdef bint holds(self, int32_t id, uint32_t generation) noexcept
    cdef int32_t row(self, int32_t id, uint32_t generation) except -1
    cdef object save(self)
    cdef int load(self, object saved) except -1
