"""Islands: bodies that push each other, and the contacts through which they do."""

from libc.stdint cimport int32_t, uint8_t

from engine2d.step_context cimport Island, StepContext


cdef class IslandStore:
    """The islands of a step, as slices of two lists."""

    cdef Island* islands
    cdef int32_t n
    cdef int32_t* bodies         # rows, by island
    cdef int32_t* contacts       # indices, by island, ascending
    cdef uint8_t* is_large       # by island: solved by sweeps
    cdef int32_t* parent         # by row: union and find
    cdef int32_t* number         # by root row: its island
    cdef int32_t room_bodies
    cdef int32_t room_contacts
    cdef object arrays           # numpy arrays by name: they own the memory

    cdef int reserve(self, int32_t n_bodies, int32_t n_contacts) except -1
    cdef void build(self, StepContext* ctx) noexcept nogil
