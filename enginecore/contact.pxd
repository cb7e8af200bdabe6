"""The pairs of a world and the room for their contacts, from step to step, in any dimension.

An engine's ContactStore derives from this one: it knows what a pair and a contact are, how pairs
begin and what becomes of their contacts.
"""

from libc.stdint cimport int32_t, int64_t

from enginecore.body_head cimport DYNAMIC, STATIC, BodyHead
from enginecore.pair_table cimport Pairs
from enginecore.run cimport Run

# Of pairs. 16 is INITIAL_OVERLAP (enginecore.body_head); 64, 128, 512 and 1024 are PASSING, DRIVEN,
# BOOSTED and ONE_WAY (enginecore.rule); the rest are the engines' own.
cdef enum PairFlag:
    IGNORED = 1       # filters or kinds forbid it: never looked at; set when pairs are matched
    SENSING = 2       # one of the two is a sensor: overlaps are told, nothing is pushed; likewise
    TOUCHING = 4      # after the last step; written by the events
    # moves far in this step, for how thin its shapes are: is swept; set when it is looked at
    FAST = 8

# What an engine keeps of two shapes whose fat boxes overlap begins with the same fields in their
# places: a cache line.
ctypedef struct PairHead:
    int64_t key       # of the broad phase: shape ids i < j; A is i, B is j
    int32_t first     # its place among the contacts
    int32_t n         # how many it has
    int32_t flags     # PairFlag
    int32_t body_a    # ids of the bodies
    int32_t body_b
    int32_t room      # how many contacts there is room for, where pairs have places of their own
    double mu         # friction
    double e          # restitution
    double boost      # share of the approach that a blow gives besides
    double recycling_margin  # m, how far apart contacts were looked for; < 0: not yet

# A pair with contacts that is no more, or that pushes otherwise than it did.
ctypedef struct Ended:
    int64_t key
    int32_t touched   # whether its shapes touched after the last step
    int32_t body_a    # ids
    int32_t body_b
    int32_t unused

ctypedef struct EndedList:
    Ended* pairs
    int32_t n
    int32_t room


cdef class ContactStore:
    cdef char* pair_heads        # of pair 0; those of others follow, pair_size bytes apart
    cdef char* spare_heads       # where other pairs are written
    cdef Py_ssize_t pair_size
    cdef Py_ssize_t contact_size
    cdef int64_t n_pairs
    cdef int64_t pair_room       # of pairs and of those that are being written
    cdef int64_t room            # likewise, of contacts
    cdef int64_t seen_changes    # Pairs.changes when they were matched; -1: pairs came otherwise
    cdef Run* runs
    cdef int64_t run_room
    cdef object arrays           # numpy arrays by name: they own the memory
    cdef EndedList ended         # of the step so far
    cdef bint swapped            # contacts are in what `arrays` calls spare, and the other way
    cdef bint swapped_pairs      # likewise

    cdef int prepare(self, Py_ssize_t pair_size, Py_ssize_t contact_size) except -1
    cdef int reserve(self, int64_t room) except -1 with gil
    cdef int reserve_pairs(self, int64_t room) except -1 with gil
    cdef int match_pairs(self, const Pairs* table, const void* scene, bint edited) except -1 nogil
    cdef int reserve_runs(self, int64_t room) except -1 nogil
    cdef int grow_runs(self, int64_t room) except -1 with gil
    cdef int grow_ended(self) except -1 with gil
    # Let `arrays` call them what they are.
    cdef int name_arrays(self) except -1
    # match_pairs within the list of pairs, if it is known what has changed; returns whether it is.
    cdef bint move_pairs(self, const Pairs* table, const void* scene) except -1 nogil
    cdef int64_t place_of(self, int64_t key, int64_t low) noexcept nogil
    cdef int note_end(self, const PairHead* pair) except -1 nogil
    cdef int add_ended(self, const PairHead* pair, bint touched) except -1 nogil
    # Let the pairs of two bodies (ids) pass until they have parted.
    cdef void let_pass(self, int32_t body_a, int32_t body_b) noexcept nogil
    cdef list passing(self)
    # An engine's own: the arrays are others; a pair that was not there before, which is written;
    # one that was, from its place among the old ones to its place among the new ones.
    cdef int point_at_arrays(self) except -1
    cdef void begin_pair(self, const void* scene, int64_t key, PairHead* pair) noexcept nogil
    cdef int keep_pair(self, const void* scene, int64_t at, int64_t to,
                       bint edited) except -1 nogil


cdef inline PairHead* pair_at(ContactStore store, int64_t at) noexcept nogil:
    """The head of a pair by its place."""
    return <PairHead*> (store.pair_heads + at * store.pair_size)


cdef inline int32_t push_flags(const BodyHead* a, const BodyHead* b, bint is_sensor,
                               bint is_forbidden) noexcept nogil:
    """IGNORED and SENSING of a pair of bodies. is_forbidden: by filters or joints."""
    cdef bint moves = a.kind == DYNAMIC or b.kind == DYNAMIC
    if is_sensor:
        # sensors see what no force moves, but not what is always there
        moves = a.kind != STATIC or b.kind != STATIC
    return ((SENSING if is_sensor else 0)
            | (IGNORED if a == b or is_forbidden or not moves else 0))
