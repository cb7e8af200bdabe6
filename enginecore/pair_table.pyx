"""The table of overlapping pairs: a sorted list, and what began and ended since it was settled.

Searches append to `begun` and `ended` in any order, perhaps the same pair twice. Settling sorts
these two short lists and merges them into the long one, so that a step in which little changes
costs one pass over the pairs, and one in which nothing changes costs nothing.
"""

import numpy as np

from libc.stdint cimport uint64_t
from libc.string cimport memcpy

from enginecore.boxes cimport LIVE, MOVED, overlap
from enginecore.memory cimport address, grown
from enginecore.status cimport check

cdef enum:
    SHORT = 48           # lists up to this length are sorted by insertion
    DIGIT = 8            # bits of a key that one pass of the radix sort looks at
    DIGITS = 64 // DIGIT


cdef inline void sort_short(int64_t* keys, int64_t n) noexcept nogil:
    cdef int64_t i, j, key
    for i in range(1, n):
        key = keys[i]
        j = i
        while j > 0 and keys[j - 1] > key:
            keys[j] = keys[j - 1]
            j -= 1
        keys[j] = key


cdef void sort_keys(int64_t* keys, int64_t n, int64_t* scratch) noexcept nogil:
    """Sort n keys >= 0 in place; scratch holds n. Linear: radix sort over digits that differ."""
    cdef int64_t count[1 << DIGIT]
    cdef int64_t* source = keys
    cdef int64_t* target = scratch
    cdef int64_t* swap
    cdef int64_t i, at, total
    cdef uint64_t differ = 0
    cdef int digit, shift, d
    if n <= SHORT:
        sort_short(keys, n)
        return
    for i in range(1, n):
        differ |= <uint64_t>(keys[i] ^ keys[0])
    for digit in range(DIGITS):
        shift = digit * DIGIT
        if (differ >> shift) & ((1 << DIGIT) - 1) == 0:
            continue
        for d in range(1 << DIGIT):
            count[d] = 0
        for i in range(n):
            count[(source[i] >> shift) & ((1 << DIGIT) - 1)] += 1
        at = 0
        for d in range(1 << DIGIT):
            total = count[d]
            count[d] = at
            at += total
        for i in range(n):
            d = (source[i] >> shift) & ((1 << DIGIT) - 1)
            target[count[d]] = source[i]
            count[d] += 1
        swap = source
        source = target
        target = swap
    if source != keys:
        memcpy(keys, source, n * sizeof(int64_t))


cdef int64_t drop_repeats(int64_t* keys, int64_t n) noexcept nogil:
    """Keep one of each in a sorted list; return how many are left."""
    cdef int64_t i, kept = 0
    for i in range(n):
        if kept == 0 or keys[i] != keys[kept - 1]:
            keys[kept] = keys[i]
            kept += 1
    return kept


cdef void end_pairs(Pairs* pairs, const Boxes* boxes) noexcept nogil:
    """Note the end of every pair of the table whose fat boxes no longer overlap."""
    cdef int64_t k
    cdef int32_t a, b
    for k in range(pairs.n):
        a = low_of(pairs.keys[k])
        b = <int32_t>pairs.keys[k]
        if ((boxes.state[a] | boxes.state[b]) & MOVED) and not overlap(&boxes.fat[a],
                                                                       &boxes.fat[b]):
            note_ended(pairs, a, b)


cdef void end_pairs_of_removed(Pairs* pairs, const Boxes* boxes) noexcept nogil:
    """Note the end of every pair of the table with a removed box in it."""
    cdef int64_t k
    cdef int32_t a, b
    for k in range(pairs.n):
        a = low_of(pairs.keys[k])
        b = <int32_t>pairs.keys[k]
        if not boxes.state[a] & boxes.state[b] & LIVE:
            note_ended(pairs, a, b)


cdef void settle_pairs(Pairs* pairs) noexcept nogil:
    """Sort begun and ended, each pair once, and take them into the sorted table."""
    cdef int64_t* out = pairs.spare
    cdef int64_t b = 0, e = 0, k, key
    sort_keys(pairs.begun, pairs.n_begun, pairs.spare)
    pairs.n_begun = drop_repeats(pairs.begun, pairs.n_begun)
    sort_keys(pairs.ended, pairs.n_ended, pairs.spare)
    pairs.n_ended = drop_repeats(pairs.ended, pairs.n_ended)
    if pairs.n_begun == 0 and pairs.n_ended == 0:
        return
    pairs.changes += 1
    for k in range(pairs.n):
        key = pairs.keys[k]
        while b < pairs.n_begun and pairs.begun[b] < key:
            out[0] = pairs.begun[b]
            out += 1
            b += 1
        if e < pairs.n_ended and pairs.ended[e] == key:
            e += 1
        else:
            out[0] = key
            out += 1
    while b < pairs.n_begun:
        out[0] = pairs.begun[b]
        out += 1
        b += 1
    check(e == pairs.n_ended)        # only what was in the table can end
    check(out - pairs.spare == pairs.n + pairs.n_begun - pairs.n_ended)
    pairs.n = out - pairs.spare
    out = pairs.keys
    pairs.keys = pairs.spare
    pairs.spare = out


# ---- memory -------------------------------------------------------------------------------------

cdef class PairTable:

    def __cinit__(self):
        self.buffers = {name: np.zeros(0, np.int64) for name in ("begun", "ended")}
        self.reserve_changes(SHORT)
        self.settle()

    cdef int reserve_changes(self, int64_t room) except -1 nogil:
        """Make room for that many noted changes of each kind, keeping those that are noted."""
        return self.grow_changes(room + room // 2) if room > self.p.room else 0

    cdef int grow_changes(self, int64_t room) except -1 with gil:
        begun = grown(self.buffers["begun"], room)
        ended = grown(self.buffers["ended"], room)
        self.buffers["begun"], self.buffers["ended"] = begun, ended
        self.p.begun = <int64_t*>address(begun)
        self.p.ended = <int64_t*>address(ended)
        self.p.room = room
        return 0

    cdef int grow(self, int64_t capacity) except -1 with gil:
        """Make room for that many pairs, keeping those there are."""
        keys, spare = np.zeros(capacity, np.int64), np.zeros(capacity, np.int64)
        if self.p.n:
            memcpy(address(keys), self.p.keys, self.p.n * sizeof(int64_t))
        self.buffers["keys"], self.buffers["spare"] = keys, spare
        self.p.keys = <int64_t*>address(keys)
        self.p.spare = <int64_t*>address(spare)
        self.p.capacity = capacity
        return 0

    cdef int settle(self) except -1 nogil:
        """Bring the table up to date with the changes noted, and sort those."""
        cdef int64_t needed = max(self.p.n + self.p.n_begun, self.p.n_ended)
        check(self.p.n_begun <= self.p.room and self.p.n_ended <= self.p.room)
        if needed > self.p.capacity or self.p.keys == NULL:
            self.grow(needed + needed // 2 + SHORT)
        settle_pairs(&self.p)
        return 0

    cdef object as_array(self, const int64_t* keys, int64_t n):
        """Keys as a fresh array (n, 2) of i < j."""
        cdef int64_t k
        array = np.empty((n, 2), np.int32)
        cdef int32_t[:, ::1] out = array
        for k in range(n):
            out[k, 0] = low_of(keys[k])
            out[k, 1] = <int32_t>keys[k]
        return array
