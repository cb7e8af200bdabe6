"""The table of overlapping pairs: a sorted list, and what began and ended since it was settled."""

from libc.stdint cimport int32_t, int64_t, uint8_t

from enginecore.boxes cimport Boxes

cdef struct Pairs:           # a pair i < j is the key i << 32 | j
    int64_t* keys            # ascending: the pairs as of the last settling
    int64_t n
    int64_t* spare           # as long as keys: where the next list is written
    int64_t capacity         # of keys and of spare
    int64_t* begun           # new pairs: as they are met, then ascending, each once
    int64_t n_begun
    int64_t* ended           # pairs that are no longer, likewise
    int64_t n_ended
    int64_t room             # of begun and of ended
    int64_t changes          # how many settlings have changed the table


cdef inline int64_t key_of(int32_t a, int32_t b) noexcept nogil:
    """The key of a pair, in either order."""
    return <int64_t>a << 32 | b if a < b else <int64_t>b << 32 | a


cdef inline int32_t low_of(int64_t key) noexcept nogil:
    """The lower id of a pair's key."""
    return <int32_t> (key >> 32)


cdef inline int32_t high_of(int64_t key) noexcept nogil:
    """The higher id of a pair's key."""
    return <int32_t> (key & 0x7FFFFFFF)


cdef inline void note_begun(Pairs* pairs, int32_t a, int32_t b) noexcept nogil:
    """Note a new pair if there is room; count it in any case."""
    if pairs.n_begun < pairs.room:
        pairs.begun[pairs.n_begun] = key_of(a, b)
    pairs.n_begun += 1


cdef inline void note_ended(Pairs* pairs, int32_t a, int32_t b) noexcept nogil:
    """Note the end of a pair if there is room; count it in any case."""
    if pairs.n_ended < pairs.room:
        pairs.ended[pairs.n_ended] = key_of(a, b)
    pairs.n_ended += 1


cdef void sort_keys(int64_t* keys, int64_t n, int64_t* scratch) noexcept nogil
cdef void end_pairs(Pairs* pairs, const Boxes* boxes) noexcept nogil
cdef void end_pairs_of_removed(Pairs* pairs, const Boxes* boxes) noexcept nogil


cdef class PairTable:
    """Owner of the memory of a Pairs."""

    cdef Pairs p
    cdef object buffers          # numpy arrays by name: they own the memory

    cdef int reserve_changes(self, int64_t room) except -1 nogil
    cdef int grow_changes(self, int64_t room) except -1 with gil
    cdef int settle(self) except -1 nogil
    cdef int grow(self, int64_t capacity) except -1 with gil
    cdef object as_array(self, const int64_t* keys, int64_t n)
