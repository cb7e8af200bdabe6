"""Contacts as users see them: a list, and the same as arrays."""

from engine3d.contact cimport ContactStore, StepContext
from engine3d.store cimport BodyStore


cdef class ContactList:
    cdef object rows       # structured array
    cdef list bodies       # by id, when the list was made
    cdef list shapes

cdef ContactList read_contacts(BodyStore store, ContactStore contacts, const StepContext* ctx)
