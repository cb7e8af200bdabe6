"""Contacts as users see them."""

from engine2d.contact cimport ContactStore
from engine2d.step_context cimport StepContext
from engine2d.store cimport BodyStore


cdef class ContactList:
    cdef list bodies             # handles by id, as they were
    cdef list shapes             # Shape by id, likewise
    cdef object rows             # structured array, a row for each contact

# The contacts of the last step that touch, with their forces; dt: s, that their impulses took.
cdef ContactList read_contacts(BodyStore store, ContactStore contacts, const StepContext* ctx)
