"""The bodies of a world as rows, handles and lists of shapes, in any dimension."""

from cpython.bytearray cimport PyByteArray_AS_STRING

from enginecore.body_head cimport DYNAMIC
from enginecore.body_head cimport wake as wake_head
from enginecore.memory cimport address, longer_lines


cdef class BodyStore:

    def __cinit__(self):
        self.arrays = {}
        self.table = HandleTable()
        self.shape_objects, self.shape_handles = [], []

    cdef int point_at_heads(self, void* bodies, Py_ssize_t body_size, void* shapes,
                            Py_ssize_t shape_size) except -1:
        """The arrays are new: where the heads are, and how far apart (bytes)."""
        self.body_heads, self.body_size = <char*> bodies, body_size
        self.shape_heads, self.shape_size = <char*> shapes, shape_size
        return 0

    cdef int point_at_shapes(self, void* shapes) except -1:
        raise NotImplementedError

    cdef tuple whole_shapes(self, tuple shapes):
        raise NotImplementedError

    cdef int measure_again(self, int32_t row, tuple shapes, void* out) except -1:
        raise NotImplementedError

    cdef void set_mass_of(self, int32_t row, const void* data) noexcept:
        pass

    cdef int32_t add_shape(self, object shape, int32_t row) except -1:
        raise NotImplementedError

    cdef int renew_shape(self, int32_t id, object shape, bint is_alike) except -1:
        raise NotImplementedError

    cdef uint32_t generation_of(self, int32_t shape) noexcept:
        return 0

    cdef int reserve_shapes(self, int32_t capacity) except -1:
        """Make room for shape ids below `capacity`."""
        new = longer_lines(self.arrays.get("shapes"), capacity, self.shape_size)
        self.arrays["shapes"] = new
        self.shape_objects.extend([None] * (capacity - len(self.shape_objects)))
        self.shape_handles.extend([None] * (capacity - len(self.shape_handles)))
        self.shape_capacity = capacity
        return self.point_at_shapes(address(new))

    cdef int32_t attach_shape(self, object shape, int32_t row) except -1:
        """Give a body that is there one more shape; returns its id."""
        cdef int32_t id
        room = bytearray(self.data_size)
        cdef void* data = PyByteArray_AS_STRING(room)
        self.whole_shapes((shape,))
        self.measure_again(row, (*[self.shape_objects[k] for k in self.ids_of(row)], shape), data)
        while self.phase.boxes.n + 1 > self.shape_capacity:
            self.reserve_shapes(2 * self.shape_capacity)
        id = self.add_shape(shape, row)
        self.set_mass_of(row, data)
        return id

    cdef int replace_shape(self, int32_t id, object shape, bint is_alike) except -1:
        """Let a shape be another one: its pairs stay, and look at each other anew. is_alike: it has
        the old one's form and mass."""
        cdef int32_t row = shape_at(self, id).body
        room = bytearray(self.data_size)
        cdef void* data = PyByteArray_AS_STRING(room)
        self.whole_shapes((shape,))
        if not is_alike:
            self.measure_again(row, tuple([shape if k == id else self.shape_objects[k]
                                           for k in self.ids_of(row)]), data)
        self.renew_shape(id, shape, is_alike)
        self.shape_objects[id] = shape
        if is_alike:
            self.edits += 1
            self.shape_edits += 1
            self.wake(row)
        else:
            self.set_mass_of(row, data)
        return 0

    cdef int drop_shape(self, int32_t id) except -1:
        """Take a shape off its body."""
        cdef int32_t row = shape_at(self, id).body
        room = bytearray(self.data_size)
        cdef void* data = PyByteArray_AS_STRING(room)
        self.measure_again(row, tuple([self.shape_objects[k] for k in self.ids_of(row)
                                       if k != id]), data)
        self.unlink_shape(id)
        self.set_mass_of(row, data)
        return 0

    cdef bint has_shape(self, int32_t id, uint32_t generation) noexcept:
        """Whether the shape that had this id with this generation is there."""
        return (0 <= id < self.phase.boxes.n and self.generation_of(id) == generation
                and shape_at(self, id).body >= 0)

    cdef void carry_row(self, int32_t row, int32_t to) noexcept nogil:
        """Copy all that is kept of a body to another row: an engine's own to do."""

    cdef void settle(self) noexcept nogil:
        """Close the gaps that removed bodies left among the rows; the order stays."""
        cdef int32_t row, to = 0, shape
        if self.n_removed == 0:
            return
        for row in range(self.n_bodies):
            if head_at(self, row).id < 0:
                continue
            if to != row:
                self.carry_row(row, to)
                self.table.entries[head_at(self, to).id].row = to
                shape = head_at(self, to).first_shape
                while shape >= 0:
                    shape_at(self, shape).body = to
                    shape = shape_at(self, shape).next_shape
            to += 1
        self.n_bodies = to
        self.n_removed = 0

    cdef int drop(self, int32_t row) except -1:
        """Remove the body in a row; the row itself stays until rows are settled."""
        cdef int32_t shape = head_at(self, row).first_shape
        while shape >= 0:
            self.phase.discard(shape)
            self.touch(shape)
            shape_at(self, shape).body = -1
            shape = shape_at(self, shape).next_shape
        self.table.drop(head_at(self, row).id)
        head_at(self, row).id = -1
        self.n_removed += 1
        self.edits += 1
        return 0

    cdef void touch(self, int32_t shape) noexcept nogil:
        """A shape came, went or was put elsewhere."""

    cdef void unlink_shape(self, int32_t id) noexcept:
        """Take a shape off the list of its body, and out of the broad phase."""
        cdef BodyHead* head = head_at(self, shape_at(self, id).body)
        cdef int32_t at = head.first_shape
        if at == id:
            head.first_shape = shape_at(self, id).next_shape
        else:
            while shape_at(self, at).next_shape != id:
                at = shape_at(self, at).next_shape
            shape_at(self, at).next_shape = shape_at(self, id).next_shape
        self.phase.discard(id)
        shape_at(self, id).body = -1

    cdef object ids_of(self, int32_t row):
        """Ids of a body's shapes, in the order they were given."""
        cdef int32_t shape = head_at(self, row).first_shape
        ids = []
        while shape >= 0:
            ids.append(shape)
            shape = shape_at(self, shape).next_shape
        return ids[::-1]

    cdef void wake(self, int32_t row) noexcept nogil:
        """Wake a body; one that is not dynamic wakes in the next step what it meets."""
        wake_head(head_at(self, row))
        if head_at(self, row).kind != DYNAMIC:
            self.disturbed = True

    cdef void wake_all(self) noexcept nogil:
        """Wake every body."""
        cdef int32_t row
        for row in range(self.n_bodies):
            self.wake(row)

    cdef void wake_dynamic(self, int32_t id) noexcept nogil:
        """Wake a body that lost a support (an id); what cannot move has not, and others rest on it.
        """
        cdef int32_t row = self.table.entries[id].row
        if row >= 0 and head_at(self, row).kind == DYNAMIC:
            self.wake(row)

    cdef BodySettings* settings_of(self, int32_t row) noexcept nogil:
        return NULL

    cdef void set_masses(self, int32_t row) noexcept nogil:
        """Inverse masses from masses, kind and flags."""

    cdef void moved(self, int32_t row) noexcept nogil:
        """A body was put elsewhere by its user."""

    cdef int check_idle(self, str what) except -1:
        """RuntimeError while another thread is in a step or a query of this world."""
        if self.busy:
            raise RuntimeError(f"{what}: another call on this world is under way; "
                               "one thread at a time may use a world")
        return 0

    cdef int enter(self, str what) except -1:
        """Begin a call that no other may interrupt, on any thread; the caller ends it by
        busy = False. Arguments are read before: reading them may run any code at all."""
        self.check_idle(what)
        self.busy = True
        return 0
