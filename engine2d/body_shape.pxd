"""Shapes of bodies as users hold them."""

from libc.stdint cimport int32_t

from enginecore.body_shape cimport BodyShape as Handle
from engine2d.shape cimport Shape
from engine2d.store cimport BodyStore


cdef class BodyShape(Handle):
    cdef Shape value(self)

# A shape at the API boundary: a value, or what a shape of a body stands for.
cdef Shape as_shape(object value)

# The shape with an id as a value: its materials may have been changed since it was made.
cdef Shape value_of(BodyStore store, int32_t id)
