"""Shapes of bodies of space as users hold them; enginecore.body_shape has the rest."""

from engine3d.shape import Shape as AnyShape


cdef class BodyShape(Handle):
    """A shape of a body: it can be changed at any time, and contacts and mass follow.

    Whatever the shape itself has can be read from it: radius, points, volume and so on. Once it is
    removed it can still be read, but not changed. `shape` is the value it stands for.
    """

    cdef Shape value(self):
        return self.known()

    cdef object read(self, object value):
        return as_shape(value)

    cdef bint weighs(self, dict changes) except -1:
        """Whether a change is one of the body's mass: sensors have none."""
        return "density" in changes or "sensor" in changes

    @property
    def spin_resistance(self):
        """Share of the radius at which the normal force resists spin about the normal."""
        return self.value().spin_resistance

    @spin_resistance.setter
    def spin_resistance(self, value):
        self.put({"spin_resistance": value})


cdef Shape as_shape(object value):
    """A shape at the API boundary: a value, or what a shape of a body stands for."""
    if isinstance(value, BodyShape):
        return (<BodyShape> value).value()
    if not isinstance(value, AnyShape):
        raise TypeError(f"shape must be a shape such as Sphere(0.5), got {value!r}")
    return value
