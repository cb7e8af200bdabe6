"""Shapes of bodies of the plane as users hold them; enginecore.body_shape has the rest."""

from engine2d.shape import Shape as AnyShape


cdef class BodyShape(Handle):
    """A shape of a body: it can be changed at any time, and contacts and mass follow.

    Whatever the shape itself has can be read from it: radius, points, area and so on. Once it is
    removed it can still be read, but not changed. `shape` is the value it stands for.
    """

    cdef Shape value(self):
        return self.known()

    cdef bint is_there(self) noexcept:
        return self.store is not None and self.store.has_shape(self.id, self.generation)

    cdef int become(self, object shape, bint is_alike) except -1:
        return self.store.replace_shape(self.id, shape, is_alike)

    cdef int leave(self) except -1:
        return self.store.drop_shape(self.id)

    cdef object read(self, object value):
        return as_shape(value)


cdef Shape value_of(BodyStore store, int32_t id):
    return store.shape_objects[id]


cdef BodyShape shape_of(BodyStore store, int32_t id, object body):
    cdef BodyShape out = store.shape_handles[id]
    if out is None or out.generation != store.shapes[id].generation or out.body is not body:
        out = make(store, id, store.shapes[id].generation, body, store.shape_objects[id])
        store.shape_handles[id] = out
    return out


cdef BodyShape shape_then(BodyStore store, int32_t id, uint32_t generation, object body,
                          Shape shape):
    if store.shapes[id].generation == generation:
        return shape_of(store, id, body)
    return make(store, id, generation, body, shape)


cdef BodyShape make(BodyStore store, int32_t id, uint32_t generation, object body, Shape shape):
    cdef BodyShape out = BodyShape.__new__(BodyShape)
    out.store = out.rows = store
    out.id, out.generation = id, generation
    out.body, out.last = body, shape
    return out


cdef Shape as_shape(object value):
    """A shape at the API boundary: a value, or what a shape of a body stands for."""
    if isinstance(value, BodyShape):
        return (<BodyShape> value).value()
    if not isinstance(value, AnyShape):
        raise TypeError(f"shape must be a shape such as Circle(0.5), got {value!r}")
    return value
