"""Shapes of bodies as users hold them."""

from libc.stdint cimport int32_t, uint32_t

from engine3d.shape cimport Shape
from engine3d.store cimport BodyStore


cdef class BodyShape:
    cdef BodyStore store
    cdef readonly int32_t id           # its number in the world, free again when it is removed
    cdef readonly uint32_t generation  # tells it from others that had the number
    cdef readonly object body
    cdef Shape last                    # what it was when last looked at

    cdef bint is_there(self) noexcept
    cdef int check(self, str what) except -1
    cdef Shape value(self)
    cdef int put(self, dict changes) except -1

# The handle of a shape that is there; of one that was, as it was then.
cdef BodyShape shape_of(BodyStore store, int32_t id, object body)
cdef BodyShape shape_then(BodyStore store, int32_t id, uint32_t generation, object body,
                          Shape shape)

# A shape at the API boundary: a value, or what a shape of a body stands for.
cdef Shape as_shape(object value)
