"""The pairs of a world and the room for their contacts, from step to step, in any dimension."""

from enginecore.memory cimport address, hold, longer_lines
from enginecore.rule cimport ONE_WAY, PASSING
from enginecore.run cimport add_run, move_runs
from enginecore.status cimport check

cdef enum:
    FIRST_ROOM = 128      # contacts and pairs that a new world has room for


cdef int64_t place_in(const Pairs* table, int64_t key, int64_t low) noexcept nogil:
    """The place of a pair of the table, from `low` on."""
    cdef int64_t high = table.n, middle
    while low < high:
        middle = (low + high) // 2
        if table.keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low


cdef class ContactStore:

    cdef int prepare(self, Py_ssize_t pair_size, Py_ssize_t contact_size) except -1:
        """Begin with pairs and contacts of so many bytes."""
        self.pair_size, self.contact_size = pair_size, contact_size
        self.arrays = {}
        for name, size in (("contacts", contact_size), ("spare", contact_size),
                           ("pairs", pair_size), ("spare_pairs", pair_size)):
            self.arrays[name] = longer_lines(None, FIRST_ROOM, size)
        self.room = self.pair_room = FIRST_ROOM
        self.seen_changes = -1
        return self.point_at_arrays()

    cdef int point_at_arrays(self) except -1:
        self.pair_heads = <char*> address(self.arrays["pairs"])
        self.spare_heads = <char*> address(self.arrays["spare_pairs"])
        return 0

    cdef void begin_pair(self, const void* scene, int64_t key, PairHead* pair) noexcept nogil:
        """A pair that was not there before."""

    cdef int keep_pair(self, const void* scene, int64_t at, int64_t to,
                       bint edited) except -1 nogil:
        return 0

    cdef int name_arrays(self) except -1:
        """Let `arrays` call them what they are."""
        arrays = self.arrays
        if self.swapped:
            arrays["contacts"], arrays["spare"] = arrays["spare"], arrays["contacts"]
        if self.swapped_pairs:
            arrays["pairs"], arrays["spare_pairs"] = arrays["spare_pairs"], arrays["pairs"]
        self.swapped = self.swapped_pairs = False
        return 0

    cdef int reserve(self, int64_t room) except -1 with gil:
        """Make room for that many contacts, keeping those there are in both lists."""
        self.name_arrays()
        for name in ("contacts", "spare"):
            self.arrays[name] = longer_lines(self.arrays[name], room, self.contact_size)
        self.room = room
        return self.point_at_arrays()

    cdef int reserve_pairs(self, int64_t room) except -1 with gil:
        """Make room for that many pairs, keeping those there are."""
        self.name_arrays()
        for name in ("pairs", "spare_pairs"):
            self.arrays[name] = longer_lines(self.arrays[name], room, self.pair_size)
        self.pair_room = room
        return self.point_at_arrays()

    cdef int reserve_runs(self, int64_t room) except -1 nogil:
        """Room for so many runs; what is in them is forgotten."""
        return self.grow_runs(2 * room) if room > self.run_room else 0

    cdef int grow_runs(self, int64_t room) except -1 with gil:
        self.runs = <Run*> hold(self.arrays, "runs", room, sizeof(Run))
        self.run_room = room
        return 0

    cdef int grow_ended(self) except -1 with gil:
        self.ended.room = 2 * self.ended.n + 64
        self.arrays["ended"] = longer_lines(self.arrays.get("ended"), self.ended.room,
                                            sizeof(Ended))
        self.ended.pairs = <Ended*> address(self.arrays["ended"])
        return 0

    cdef int match_pairs(self, const Pairs* table, const void* scene, bint edited) except -1 nogil:
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
                self.begin_pair(scene, table.keys[k], <PairHead*> (self.spare_heads
                                                                   + k * self.pair_size))
        while old < self.n_pairs:
            self.note_end(pair_at(self, old))
            old += 1
        self.n_pairs = table.n
        self.seen_changes = table.changes
        self.swapped_pairs = not self.swapped_pairs
        return 0

    cdef int64_t place_of(self, int64_t key, int64_t low) noexcept nogil:
        """The place of the first pair from `low` on whose key is not below this one."""
        cdef int64_t high = self.n_pairs, middle
        while low < high:
            middle = (low + high) // 2
            if pair_at(self, middle).key < key:
                low = middle + 1
            else:
                high = middle
        return low

    cdef bint move_pairs(self, const Pairs* table, const void* scene) except -1 nogil:
        """match_pairs, where the table has changed once since, and no pair was edited: pairs stay
        in their array, and move over by as many as began or ended before them."""
        cdef int64_t b = 0, e = 0, from_ = 0, to = 0, n_runs = 0, at
        if (self.seen_changes < 0 or table.changes != self.seen_changes + 1
                or self.n_pairs + table.n_begun - table.n_ended != table.n):
            return False
        self.reserve_runs(table.n_begun + table.n_ended + 1)
        while b < table.n_begun or e < table.n_ended:
            if e == table.n_ended or (b < table.n_begun and table.begun[b] < table.ended[e]):
                at = self.place_of(table.begun[b], from_)
                add_run(self.runs, &n_runs, from_, at, to)
                to += at - from_ + 1
                from_ = at
                b += 1
            else:
                at = self.place_of(table.ended[e], from_)
                check(at < self.n_pairs and pair_at(self, at).key == table.ended[e])
                add_run(self.runs, &n_runs, from_, at, to)
                to += at - from_
                from_ = at + 1
                e += 1
                self.note_end(pair_at(self, at))
        add_run(self.runs, &n_runs, from_, self.n_pairs, to)
        move_runs(self.pair_heads, self.pair_size, self.runs, n_runs)
        self.n_pairs = table.n
        at = 0
        for b in range(table.n_begun):
            at = place_in(table, table.begun[b], at)
            self.begin_pair(scene, table.begun[b], pair_at(self, at))
        self.seen_changes = table.changes
        return True

    cdef int note_end(self, const PairHead* pair) except -1 nogil:
        if pair.flags & TOUCHING or pair.n > 0:
            self.add_ended(pair, (pair.flags & TOUCHING) != 0)
        return 0

    cdef int add_ended(self, const PairHead* pair, bint touched) except -1 nogil:
        if self.ended.n == self.ended.room:
            self.grow_ended()
        self.ended.pairs[self.ended.n] = Ended(pair.key, touched, pair.body_a, pair.body_b, 0)
        self.ended.n += 1
        return 0

    cdef void let_pass(self, int32_t body_a, int32_t body_b) noexcept nogil:
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
