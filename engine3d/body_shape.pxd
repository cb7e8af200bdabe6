"""Shapes of bodies as users hold them."""

from libc.stdint cimport int32_t, uint32_t

from enginecore.body_shape cimport BodyShape as Handle
from engine3d.shape cimport Shape
from engine3d.store cimport BodyStore


cdef class BodyShape(Handle):
    cdef BodyStore store

    cdef Shape value(self)

# The handle of a shape that is there; of one that was, as it was then.
cdef BodyShape shape_of(BodyStore store, int32_t id, object body)
cdef BodyShape shape_then(BodyStore store, int32_t id, uint32_t generation, object body,
                          Shape shape)

# A shape at the API boundary: a value, or what a shape of a body stands for.
cdef Shape as_shape(object value)
