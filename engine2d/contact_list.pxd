"""Contacts as users see them."""

from libc.stdint cimport int32_t

from enginecore.contact_list cimport ContactList as AnyList
from engine2d.contact cimport ContactStore
from engine2d.solve.step_context cimport StepContext
from engine2d.store cimport BodyStore


cdef class ContactList(AnyList):
    cdef BodyStore store

# Contacts from `first` on as rows, before they are solved.
cdef object read_candidates(BodyStore store, ContactStore contacts, int32_t first)

# The contacts of the last step that touch, with their forces; body: an id, whose contacts only, as
# body A; < 0: all.
cdef ContactList read_contacts(BodyStore store, ContactStore contacts, const StepContext* ctx,
                               int32_t body)
