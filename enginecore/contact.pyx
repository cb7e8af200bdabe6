"""The pairs of a world and the room for their contacts, from step to step, in any dimension."""

from enginecore.memory cimport address, longer_lines
from enginecore.rule cimport ONE_WAY, PASSING

cdef enum:
    FIRST_ROOM = 128      # contacts and pairs that a new world has room for


cdef class ContactStore:

    cdef int prepare(self, Py_ssize_t pair_size, Py_ssize_t contact_size) except -1:
        """Begin with pairs and contacts of so many bytes."""
        self.pair_size, self.contact_size = pair_size, contact_size
        self.arrays, self.ended = {}, []
        for name, size in (("contacts", contact_size), ("spare", contact_size),
                           ("pairs", pair_size), ("spare_pairs", pair_size)):
            self.arrays[name] = longer_lines(None, FIRST_ROOM, size)
        self.room = self.pair_room = FIRST_ROOM
        return self.point_at_arrays()

    cdef int point_at_arrays(self) except -1:
        self.pair_heads = <char*> address(self.arrays["pairs"])
        return 0

    cdef void begin_pair(self, const void* scene, int64_t key, int64_t to) noexcept:
        """A pair that was not there before."""

    cdef int keep_pair(self, const void* scene, int64_t at, int64_t to, bint edited) except -1:
        return 0

    cdef int reserve(self, int64_t room) except -1:
        """Make room for that many contacts, keeping those there are in both lists."""
        for name in ("contacts", "spare"):
            self.arrays[name] = longer_lines(self.arrays[name], room, self.contact_size)
        self.room = room
        return self.point_at_arrays()

    cdef int reserve_pairs(self, int64_t room) except -1:
        """Make room for that many pairs, keeping those there are."""
        for name in ("pairs", "spare_pairs"):
            self.arrays[name] = longer_lines(self.arrays[name], room, self.pair_size)
        self.pair_room = room
        return self.point_at_arrays()

    cdef int exchange_arrays(self, str name, str spare) except -1:
        """What was written to spare is what there is; pointers are the caller's."""
        arrays = self.arrays
        arrays[name], arrays[spare] = arrays[spare], arrays[name]
        return 0

    cdef int match_pairs(self, const Pairs* table, const void* scene, bint edited) except -1:
        """Bring the pairs in line with the broad phase: begin new ones, note ended ones. edited:
        what pairs have from their shapes may have changed. There is room. Pointers are the
        caller's to exchange."""
        cdef int64_t old = 0, k
        for k in range(table.n):
            while old < self.n_pairs and pair_at(self, old).key < table.keys[k]:
                self.note_end(pair_at(self, old))
                old += 1
            if old < self.n_pairs and pair_at(self, old).key == table.keys[k]:
                self.keep_pair(scene, old, k, edited)
                old += 1
            else:
                self.begin_pair(scene, table.keys[k], k)
        while old < self.n_pairs:
            self.note_end(pair_at(self, old))
            old += 1
        self.n_pairs = table.n
        return self.exchange_arrays("pairs", "spare_pairs")

    cdef int note_end(self, const PairHead* pair) except -1:
        if pair.flags & TOUCHING or pair.n > 0:
            self.ended.append((pair.key, pair.flags & TOUCHING, pair.body_a, pair.body_b))
        return 0

    cdef void let_pass(self, int32_t body_a, int32_t body_b) noexcept:
        cdef int64_t at
        cdef PairHead* pair
        for at in range(self.n_pairs):
            pair = pair_at(self, at)
            if ((pair.body_a == body_a and pair.body_b == body_b)
                    or (pair.body_a == body_b and pair.body_b == body_a)):
                pair.flags |= PASSING
                pair.recycling_margin = -1.0

    cdef list passing(self):
        """Pairs of ids of bodies that are to pass until they have parted, not of one-way shapes."""
        cdef int64_t at
        cdef PairHead* pair
        out = []
        for at in range(self.n_pairs):
            pair = pair_at(self, at)
            if pair.flags & PASSING and not pair.flags & ONE_WAY:
                out.append((pair.body_a, pair.body_b))
        return out
