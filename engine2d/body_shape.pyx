"""Shapes of bodies of the plane as users hold them; enginecore.body_shape has the rest."""

from engine2d.shape import Shape as AnyShape


cdef class BodyShape(Handle):
    """A shape of a body: it can be changed at any time, and contacts and mass follow.

    Whatever the shape itself has can be read from it: radius, points, area and so on. Once it is
    removed it can still be read, but not changed. `shape` is the value it stands for.
    """

    cdef Shape value(self):
        return self.known()

    cdef object read(self, object value):
        return as_shape(value)


cdef Shape value_of(BodyStore store, int32_t id):
    return store.shape_objects[id]


cdef Shape as_shape(object value):
    """A shape at the API boundary: a value, or what a shape of a body stands for."""
    if isinstance(value, BodyShape):
        return (<BodyShape> value).value()
    if not isinstance(value, AnyShape):
        raise TypeError(f"shape must be a shape such as Circle(0.5), got {value!r}")
    return value
