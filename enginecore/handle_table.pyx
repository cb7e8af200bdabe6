"""Handles: an id finds the row of a body, a generation tells it from others that had the id."""

from enginecore.memory cimport address, longer_lines


cdef class HandleTable:

    def __cinit__(self):
        self.handles, self.free, self.gone = [], [], []
        self.reserve(64)

    cdef int reserve(self, int32_t room) except -1:
        """Make room for that many ids."""
        self.array = longer_lines(self.array, room, sizeof(Entry))
        self.entries = <Entry*> address(self.array)
        self.room = room
        return 0

    cdef int32_t insert(self, int32_t row) except -1:
        """A new id for a row; the caller puts its handle into `handles`."""
        cdef int32_t id
        if not self.free and self.n == self.room:
            self.reserve(2 * self.room)
        if self.free:
            id = self.free.pop()
        else:
            id = self.n
            self.n += 1
            self.handles.append(None)
        self.generations += 1
        self.entries[id].row = row
        self.entries[id].generation = self.generations
        return id

    cdef int drop(self, int32_t id) except -1:
        """The body is gone; its handle can still be shown until `forget`."""
        self.entries[id].row = -1
        self.gone.append(id)
        return 0

    cdef int forget(self) except -1:
        """Free the ids of removed bodies."""
        for id in self.gone:
            self.handles[id] = None
            self.free.append(id)
        self.gone.clear()
        return 0

    cdef bint holds(self, int32_t id, uint32_t generation) noexcept:
        """Whether the body that had this id with this generation is there."""
        return (0 <= id < self.n and self.entries[id].generation == generation
                and self.entries[id].row >= 0)

    cdef int32_t row(self, int32_t id, uint32_t generation) except -1:
        """The row of the body a handle stands for; ValueError if that body was removed."""
        if not self.holds(id, generation):
            raise ValueError(f"this body (id {id}) was removed from its world")
        return self.entries[id].row

    cdef object save(self):
        return (self.n, self.array[:self.n * sizeof(Entry)].copy(), list(self.handles),
                list(self.free), list(self.gone))

    cdef int load(self, object saved) except -1:
        n, entries, handles, free, gone = saved
        if n > self.room:
            self.reserve(2 * n)
        self.array[:n * sizeof(Entry)] = entries
        # ids given out since are no more
        for id in range(n, self.n):
            self.entries[<int32_t> id].row = -1
            self.entries[<int32_t> id].generation = 0
        self.n = n
        # in place: others hold these lists
        self.handles[:], self.free[:], self.gone[:] = handles, free, gone
        return 0
