"""The list of blows of a step; hit.pxd has the contract."""

from enginecore.memory cimport address, longer_lines


cdef class HitLog:

    def __cinit__(self):
        self.reserve(64)

    cdef int reserve(self, int32_t contacts) except -1:
        if self.list.n + contacts > self.list.room:
            self.list.room = 2 * (self.list.n + contacts)
            self.array = longer_lines(self.array, self.list.room, sizeof(Hit))
            self.list.hits = <Hit*> address(self.array)
        return 0
