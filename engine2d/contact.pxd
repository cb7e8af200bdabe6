"""Contacts that live from step to step: touching features, and the impulses they passed on."""

from libc.stdint cimport int32_t, int64_t, uint8_t

from enginecore.contact cimport FAST, IGNORED, SENSING, TOUCHING
from enginecore.contact cimport ContactStore as Pairings
from enginecore.pair_table cimport Pairs
from enginecore.run cimport Run
from enginecore.rule cimport BOOSTED, DRIVEN, ONE_WAY, PASSING
from engine2d.contact_data cimport (
    ASLEEP, FOLLOWED, GONE, HIDING, OLD, ON_AHEAD, PAIRED, ROLLING, SENSOR, STRUCK, VOID, YIELDING,
    Contact, Pair, keep_forces, kept_force, pair_thickness,
)
from engine2d.solve.step_context cimport StepContext
from engine2d.store cimport BodyStore


cdef class ContactStore(Pairings):
    """The pairs and contacts of a world."""

    cdef Contact* contacts       # ascending by pair
    cdef Contact* spare          # where the next step's are written
    cdef int32_t n
    cdef int32_t n_overlaps      # of them, contacts of shapes that were put into each other
    cdef Pair* pairs             # ascending by key
    cdef Pair* spare_pairs
    # Places of the pairs with a body that had time left when it was last asked for all of them:
    # bodies only lose time within a part of a step. Holds while `is_listed`
    cdef int32_t* unfinished
    cdef int64_t n_unfinished
    cdef int64_t unfinished_room
    cdef bint is_listed
    # Places of pairs when contacts were last looked for in all of them, ascending: FAST ones, and
    # those with contacts with something static
    cdef int32_t* fast
    cdef int64_t n_fast
    cdef int32_t* held
    cdef int64_t n_held
    cdef int64_t listed_room
    cdef int64_t found_changes   # seen_changes when contacts were last looked for in all pairs

    cdef int match(self, const Pairs* table, const StepContext* ctx, bint edited) except -1 nogil
    cdef int compact(self, int32_t again) except -1 nogil
    cdef int32_t put_in_order(self, int32_t again, Run* stay, Run* come) noexcept nogil
    cdef void exchange(self) noexcept nogil
    cdef int grow_lists(self) except -1 with gil
    cdef int grow_unfinished(self) except -1 with gil
    # Leave out contacts from `first` on that a mask (uint8, one for each) has 0 for.
    cdef int drop_contacts(self, const uint8_t* mask, int32_t first) except -1

# Join neighbours that share a normal, of n contacts of a pair, to manifolds of two.
cdef void set_mates(Contact* contacts, int32_t first, int32_t n) noexcept nogil

# Begin without the forces of the last step.
cdef void forget_forces(ContactStore store) noexcept nogil

# Sums of those who sleep are of a step of another length: forces stay what they are.
cdef void scale_sums(ContactStore store, double factor) noexcept nogil

# Forget which bodies their users put where they are, but those that overlap others still.
cdef void end_overlaps(BodyStore store, ContactStore contacts) noexcept nogil
