"""Contacts as users see them: a list, and the same as arrays."""

from libc.stdint cimport int32_t

from enginecore.contact_list cimport ContactList as AnyList
from engine3d.contact cimport ContactStore, StepContext
from engine3d.store cimport BodyStore


cdef class ContactList(AnyList):
    cdef BodyStore store
    cdef readonly object _features  # structured array, rows alike: what touches, in the world

# The contacts of the last step that touch, with their forces; body: an id, whose contacts only, as
# body A; < 0: all.
cdef ContactList read_contacts(BodyStore store, ContactStore contacts, const StepContext* ctx,
                               int32_t body)

# What World.contact_filter is asked about: all contacts, and one where the two are nearest for each
# pair that is swept and has none; without forces.
cdef object read_candidates(BodyStore store, ContactStore contacts)
