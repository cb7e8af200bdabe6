"""The list of blows of a step; hit.pxd has the contract."""

from enginecore.memory cimport address, longer_lines


cdef class HitLog:

    def __cinit__(self):
        self.reserve(64)

    cdef int reserve(self, int32_t contacts) except -1 nogil:
        cdef int32_t wanted = self.list.n + contacts
        return self.grow(2 * wanted) if wanted > self.list.room else 0

    cdef int grow(self, int32_t room) except -1 with gil:
        self.array = longer_lines(self.array, room, sizeof(Hit))
        self.list.hits = <Hit*> address(self.array)
        self.list.room = room
        return 0
