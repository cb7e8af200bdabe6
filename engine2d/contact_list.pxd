"""Contacts as users see them."""

from libc.stdint cimport int32_t

from engine2d.contact cimport ContactStore
from engine2d.solve.step_context cimport StepContext
from engine2d.store cimport BodyStore


cdef class ContactList:
    cdef list bodies             # handles by id, as they were
    cdef BodyStore store
    cdef list shapes             # Shape by id, likewise
    cdef object generations      # of the shapes, by id
    cdef object rows             # structured array, a row for each contact

# Contacts from `first` on as rows, before they are solved.
cdef object read_candidates(BodyStore store, ContactStore contacts, int32_t first)

# The contacts of the last step that touch, with their forces; body: an id, whose contacts only, as
# body A; < 0: all.
cdef ContactList read_contacts(BodyStore store, ContactStore contacts, const StepContext* ctx,
                               int32_t body)
