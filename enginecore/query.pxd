"""Queries about the shapes of a world: what they find, in any dimension."""

from libc.stdint cimport int32_t

from enginecore.body_store cimport BodyStore
from enginecore.box_tree cimport Tree
from enginecore.boxes cimport Box


cdef class Query:
    cdef BodyStore rows          # the engine's store, as any dimension knows it
    cdef object ids              # numpy array: scratch

    # Ids of shapes whose boxes overlap this one, ascending. tree, tight: of all boxes.
    cdef object ids_in(self, const Tree* tree, const Box* tight, const Box* box)
    cdef object body_of(self, int32_t id)
    cdef object found(self, int32_t id)
    cdef object hit(self, int32_t id, object point, object normal, double fraction,
                    double distance)
    # An engine's own: the handle of a shape of a body.
    cdef object shape_of_id(self, int32_t id, object body)

# Places of many points, a row each (or one point), of so many axes.
cdef object read_points(object value, str name, int axes)
