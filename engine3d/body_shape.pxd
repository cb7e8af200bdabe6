"""Shapes of bodies as users hold them."""

from enginecore.body_shape cimport BodyShape as Handle
from engine3d.shape cimport Shape


cdef class BodyShape(Handle):
    cdef Shape value(self)

# A shape at the API boundary: a value, or what a shape of a body stands for.
cdef Shape as_shape(object value)
