"""Shapes of bodies as users hold them: a form on a body, whose properties can be changed.

A Shape is a value that many bodies may share; a BodyShape is one of a body's own.
"""


from engine2d.shape import Shape as AnyShape


cdef class BodyShape:
    """A shape of a body: it can be changed at any time, and contacts and mass follow.

    Whatever the shape itself has can be read from it: radius, points, area and so on. Once it is
    removed it can still be read, but not changed. `shape` is the value it stands for.
    """

    def __init__(self):
        raise TypeError("shapes of bodies are made by World.add_body and Body.add_shape")

    def __reduce__(self):
        raise TypeError("a shape of a body cannot be pickled or copied alone; take its .shape")

    def __repr__(self):
        state = "" if self.is_there() else "removed, "
        return f"<BodyShape {self.id}, {state}{self.value()!r}>"

    def __eq__(self, other):
        return (isinstance(other, BodyShape) and (<BodyShape> other).store is self.store
                and (<BodyShape> other).id == self.id
                and (<BodyShape> other).generation == self.generation)

    def __hash__(self):
        return hash((self.id, self.generation))

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.value(), name)

    cdef bint is_there(self) noexcept:
        return self.store is not None and self.store.has_shape(self.id, self.generation)

    cdef int check(self, str what) except -1:
        """For a change; arguments are read before, as that may run any code at all."""
        if self.store is None:
            raise ValueError("this shape is of no body")
        self.store.check_idle(what)
        if not self.is_there():
            raise ValueError(f"this shape (id {self.id}) was removed from its body")
        return 0

    cdef Shape value(self):
        if self.is_there():
            self.last = value_of(self.store, self.id)
        if self.last is None:
            raise ValueError("this shape is of no body")
        return self.last

    cdef int put(self, dict changes) except -1:
        """Be the same shape with other properties."""
        cdef Shape shape
        self.check(next(iter(changes)))
        shape = self.value().replace(**changes)
        self.check(next(iter(changes)))
        self.store.replace_shape(self.id, shape, "density" not in changes)
        self.last = shape
        return 0

    @property
    def removed(self):
        """Whether it is no longer on its body."""
        return not self.is_there()

    @property
    def shape(self):
        """What it is, as a value; give it another, and contacts and mass follow."""
        return self.value()

    @shape.setter
    def shape(self, value):
        cdef Shape given = as_shape(value)
        self.check("shape")
        self.store.replace_shape(self.id, given, False)
        self.last = given

    @property
    def friction(self):
        """Coulomb's."""
        return self.value().friction

    @friction.setter
    def friction(self, value):
        self.put({"friction": value})

    @property
    def restitution(self):
        """0 to 1."""
        return self.value().restitution

    @restitution.setter
    def restitution(self, value):
        self.put({"restitution": value})

    @property
    def rolling_resistance(self):
        """Share of the radius at which the normal force resists rolling."""
        return self.value().rolling_resistance

    @rolling_resistance.setter
    def rolling_resistance(self, value):
        self.put({"rolling_resistance": value})

    @property
    def surface_velocity(self):
        """How fast its surface runs over it (m/s, body's frame): of a conveyor."""
        return self.value().surface_velocity

    @surface_velocity.setter
    def surface_velocity(self, value):
        self.put({"surface_velocity": value})

    @property
    def one_way(self):
        """The side (a direction, body's frame) from which it is met; None: from all."""
        return self.value().one_way

    @one_way.setter
    def one_way(self, value):
        self.put({"one_way": value})

    @property
    def boost(self):
        """Share of the speed of approach that a blow gives besides."""
        return self.value().boost

    @boost.setter
    def boost(self, value):
        self.put({"boost": value})

    @property
    def density(self):
        """kg/m^2; the body's mass follows, unless it was given."""
        return self.value().density

    @density.setter
    def density(self, value):
        self.put({"density": value})

    @property
    def filter(self):
        """Who it collides with: a Filter."""
        return self.value().filter

    @filter.setter
    def filter(self, value):
        self.put({"filter": value})

    @property
    def sensor(self):
        """Whether it reports overlaps and pushes nothing."""
        return self.value().sensor

    @sensor.setter
    def sensor(self, value):
        self.put({"sensor": value})

    @property
    def tag(self):
        """Its user's name for it."""
        return self.value().tag

    @tag.setter
    def tag(self, value):
        self.put({"tag": value})

    def remove(self):
        """Take it off its body, whose mass follows."""
        self.check("remove")
        self.last = value_of(self.store, self.id)
        self.store.drop_shape(self.id)


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
    out.store, out.id, out.generation = store, id, generation
    out.body, out.last = body, shape
    return out


cdef Shape as_shape(object value):
    """A shape at the API boundary: a value, or what a shape of a body stands for."""
    if isinstance(value, BodyShape):
        return (<BodyShape> value).value()
    if not isinstance(value, AnyShape):
        raise TypeError(f"shape must be a shape such as Circle(0.5), got {value!r}")
    return value
