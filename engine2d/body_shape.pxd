"""Shapes of bodies as users hold them."""

from libc.stdint cimport int32_t, uint32_t

from engine2d.shape cimport Shape
from engine2d.store cimport BodyStore


cdef class BodyShape:
    cdef BodyStore store
    cdef readonly int32_t id       # its number in the world, free again when it is removed
    cdef uint32_t generation       # tells it from others that had the number
    cdef readonly object body      # the Body it is a shape of
    cdef Shape last                # what it was when it was last looked at

    cdef bint is_there(self) noexcept
    cdef int check(self, str what) except -1
    cdef int put(self, dict changes) except -1
    cdef Shape value(self)

# The handle of a shape by id; body: of the body it is or was of.
cdef BodyShape shape_of(BodyStore store, int32_t id, object body)

# The same of one that may have gone since then: its generation and what it was.
cdef BodyShape shape_then(BodyStore store, int32_t id, uint32_t generation, object body,
                          Shape shape)

# A shape at the API boundary: a value, or what a shape of a body stands for.
cdef Shape as_shape(object value)

# The shape with an id as a value: its materials may have been changed since it was made.
cdef Shape value_of(BodyStore store, int32_t id)
