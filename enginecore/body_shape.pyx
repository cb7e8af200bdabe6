"""Shapes of bodies as users hold them: a form on a body, whose properties can be changed.

A Shape is a value that many bodies may share; a BodyShape is one of a body's own.
"""


cdef class BodyShape:
    """What shapes of bodies have in both engines: life on a body, and materials."""

    def __init__(self):
        raise TypeError("shapes of bodies are made by World.add_body and Body.add_shape")

    def __reduce__(self):
        raise TypeError("a shape of a body cannot be pickled or copied alone; take its .shape")

    def __repr__(self):
        state = "" if self.is_there() else "removed, "
        return f"<BodyShape {self.id}, {state}{self.known()!r}>"

    def __eq__(self, other):
        return (isinstance(other, BodyShape) and (<BodyShape> other).rows is self.rows
                and (<BodyShape> other).id == self.id
                and (<BodyShape> other).generation == self.generation)

    def __hash__(self):
        return hash((self.id, self.generation))

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.known(), name)

    cdef bint is_there(self) noexcept:
        """Whether it is on its body still."""
        return self.rows is not None and self.rows.has_shape(self.id, self.generation)

    cdef object read(self, object value):
        return value

    cdef bint weighs(self, dict changes) except -1:
        """Whether a change is one of the body's mass."""
        return "density" in changes

    cdef int check(self, str what) except -1:
        """For a change; arguments are read before, as that may run any code at all."""
        if self.rows is None:
            raise ValueError("this shape is of no body")
        self.rows.check_idle(what)
        if not self.is_there():
            raise ValueError(f"this shape (id {self.id}) was removed from its body")
        return 0

    cdef object known(self):
        """What it is, or was last."""
        if self.is_there():
            self.last = self.rows.shape_objects[self.id]
        if self.last is None:
            raise ValueError("this shape is of no body")
        return self.last

    cdef int put(self, dict changes) except -1:
        """Be the same shape with other properties."""
        self.check(next(iter(changes)))
        shape = self.known().replace(**changes)
        self.check(next(iter(changes)))
        self.rows.replace_shape(self.id, shape, not self.weighs(changes))
        self.last = shape
        return 0

    @property
    def removed(self):
        """Whether it is no longer on its body."""
        return not self.is_there()

    @property
    def shape(self):
        """What it is, as a value; give it another, and contacts and mass follow."""
        return self.known()

    @shape.setter
    def shape(self, value):
        given = self.read(value)
        self.check("shape")
        self.rows.replace_shape(self.id, given, False)
        self.last = given

    @property
    def friction(self):
        """Coulomb's."""
        return self.known().friction

    @friction.setter
    def friction(self, value):
        self.put({"friction": value})

    @property
    def restitution(self):
        """0 to 1."""
        return self.known().restitution

    @restitution.setter
    def restitution(self, value):
        self.put({"restitution": value})

    @property
    def rolling_resistance(self):
        """Share of the radius at which the normal force resists rolling."""
        return self.known().rolling_resistance

    @rolling_resistance.setter
    def rolling_resistance(self, value):
        self.put({"rolling_resistance": value})

    @property
    def surface_velocity(self):
        """How fast its surface runs over it (m/s, body's frame): of a conveyor."""
        return self.known().surface_velocity

    @surface_velocity.setter
    def surface_velocity(self, value):
        self.put({"surface_velocity": value})

    @property
    def one_way(self):
        """The side (a direction, body's frame) from which it is met; None: from all."""
        return self.known().one_way

    @one_way.setter
    def one_way(self, value):
        self.put({"one_way": value})

    @property
    def boost(self):
        """Share of the speed of approach that a blow gives besides."""
        return self.known().boost

    @boost.setter
    def boost(self, value):
        self.put({"boost": value})

    @property
    def density(self):
        """kg/m^2, in space kg/m^3; the body's mass follows, unless it was given."""
        return self.known().density

    @density.setter
    def density(self, value):
        self.put({"density": value})

    @property
    def filter(self):
        """Who it collides with: a Filter."""
        return self.known().filter

    @filter.setter
    def filter(self, value):
        self.put({"filter": value})

    @property
    def sensor(self):
        """Whether it reports overlaps and pushes nothing."""
        return self.known().sensor

    @sensor.setter
    def sensor(self, value):
        self.put({"sensor": value})

    @property
    def tag(self):
        """Its user's name for it."""
        return self.known().tag

    @tag.setter
    def tag(self, value):
        self.put({"tag": value})

    def remove(self):
        """Take it off its body, whose mass follows."""
        self.check("remove")
        self.last = self.rows.shape_objects[self.id]
        self.rows.drop_shape(self.id)


cdef BodyShape shape_of(BodyStore store, int32_t id, object body):
    cdef BodyShape out = store.shape_handles[id]
    cdef uint32_t generation = store.generation_of(id)
    if out is None or out.generation != generation or out.body is not body:
        out = make(store, id, generation, body, store.shape_objects[id])
        store.shape_handles[id] = out
    return out


cdef BodyShape shape_then(BodyStore store, int32_t id, uint32_t generation, object body,
                          object shape):
    if store.generation_of(id) == generation:
        return shape_of(store, id, body)
    return make(store, id, generation, body, shape)


cdef BodyShape make(BodyStore store, int32_t id, uint32_t generation, object body, object shape):
    cdef BodyShape out = store.shape_type.__new__(store.shape_type)
    out.rows = store
    out.id, out.generation = id, generation
    out.body, out.last = body, shape
    return out


def _shape_of(BodyStore store not None, int32_t id, body):
    """The handle of a shape, for events."""
    return shape_of(store, id, body)
