"""Contacts as users see them, in any dimension."""

from libc.stdint cimport int32_t

from enginecore.body_store cimport BodyStore


cdef class ContactList:
    cdef list bodies             # handles by id, as they were
    cdef list shapes             # Shape by id, likewise
    cdef object generations      # of the shapes, by id
    cdef object rows             # structured array, a row for each contact

    # Ids may go to others later: these contacts are those of now. generation_at: where a shape has
    # its generation (bytes).
    cdef int keep_handles(self, BodyStore store, Py_ssize_t generation_at) except -1
    cdef tuple ends(self, object row)
    # An engine's own: a row as a tuple with names; a shape that a row is of.
    cdef object info(self, object row)
    cdef object shape(self, int32_t id, object body)
