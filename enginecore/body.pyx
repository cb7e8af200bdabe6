"""Bodies as users hold them, in any dimension: a handle on the rows of a world's store."""

from libc.math cimport INFINITY

from enginecore.arguments cimport (
    HEAVIEST, LIGHTEST, read_at_least_zero, read_flag, read_inert, read_rate,
)
from enginecore.body_head cimport (
    AWAKE, BULLET, DYNAMIC, FIXED_ROTATION, GIVEN_MASS, NO_SLEEP, STATIC,
)
from enginecore.body_store cimport head_at

cdef tuple KINDS = ("static", "kinematic", "dynamic")


cdef class Body:
    """What handles of bodies of both engines have in common."""

    def __cinit__(self, BodyStore store=None, int32_t id=-1, uint32_t generation=0):
        if store is None:
            raise TypeError("bodies are made by World.add_body, add_static and add_kinematic")
        self.rows = store
        self.id = id
        self.generation = generation

    def __reduce__(self):
        world = None if self.rows.world is None else self.rows.world()
        if world is None:
            raise TypeError("a body whose world is gone cannot be pickled or copied")
        # with its world, in which it is found again
        return _body_of, (world, -1 if self.removed else self.id)

    def __repr__(self):
        if self.removed:
            return f"<Body {self.id}, removed>"
        if self.rows.busy:
            return f"<Body {self.id}, of a world in a step>"
        return f"<Body {self.id}, {self.kind}, {self._place()}>"

    def _is_of(self, BodyStore store):
        return self.rows is store

    def _bind(self, uint32_t generation):
        """Stand for the body that has its id with this generation: handles made before that."""
        self.generation = generation

    cdef int32_t at(self) except -1:
        """Its row; ValueError if it was removed."""
        if self.rows.busy:
            self.rows.check_idle("body")
        return self.rows.table.row(self.id, self.generation)

    cdef int32_t writable(self, str what) except -1:
        """Its row, for a change; arguments are read before, as that may run any code at all."""
        self.rows.check_idle(what)
        return self.at()

    cdef int32_t dynamic(self, str what) except -1:
        """Its row, for a change; ValueError unless it is dynamic."""
        cdef int32_t row = self.writable(what)
        if head_at(self.rows, row).kind != DYNAMIC:
            raise ValueError(f"only a dynamic body has a {what} to set, this one is "
                             f"{KINDS[head_at(self.rows, row).kind]}")
        return row

    cdef int check_moves(self, int32_t row, str what) except -1:
        if head_at(self.rows, row).kind == STATIC:
            raise ValueError(f"a static body has no {what} to set; make it kinematic")
        return 0

    @property
    def removed(self):
        """Whether it is no longer in its world."""
        return not self.rows.table.holds(self.id, self.generation)

    @property
    def row(self):
        """Its place in world.bodies and in the world's arrays."""
        self.writable("row")
        self.rows.settle()
        return self.at()

    # -- mass and kind

    cdef bint has_inertia(self, int32_t row) noexcept:
        return False

    cdef void stop_turning(self, int32_t row) noexcept:
        """Its rate of turning is 0."""

    cdef void forget_forces(self, int32_t row) noexcept:
        """Forces of the user's are 0."""

    @property
    def mass(self):
        """kg; infinite unless it is dynamic."""
        cdef int32_t row = self.at()
        return (self.rows.settings_of(row).mass if head_at(self.rows, row).kind == DYNAMIC
                else INFINITY)

    @mass.setter
    def mass(self, value):
        cdef double mass = read_inert(value, "mass")
        cdef int32_t row = self.dynamic("mass")
        self.rows.settings_of(row).mass = mass
        head_at(self.rows, row).given |= GIVEN_MASS
        self.rows.set_masses(row)
        self.rows.wake(row)

    @property
    def kind(self):
        """static, kinematic or dynamic."""
        return KINDS[head_at(self.rows, self.at()).kind]

    @kind.setter
    def kind(self, value):
        if not isinstance(value, str) or value not in KINDS:
            raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {value!r}")
        cdef int32_t row = self.writable("kind")
        if value == "dynamic" and not (
                LIGHTEST <= self.rows.settings_of(row).mass <= HEAVIEST and (
                    self.has_inertia(row) or head_at(self.rows, row).flags & FIXED_ROTATION)):
            raise ValueError("a body whose shapes have no mass cannot become dynamic")
        if head_at(self.rows, row).kind != DYNAMIC:
            self.forget_forces(row)
        # what rested on it must hear of it, whatever it was and becomes
        self.rows.wake(row)
        head_at(self.rows, row).kind = KINDS.index(value)
        self.rows.set_masses(row)
        self.rows.edits += 1
        self.rows.moved(row)

    # -- shapes

    cdef object shape_of_id(self, int32_t id):
        return None

    cdef int32_t attach(self, object shape) except -1:
        return 0

    cdef bint is_shape(self, object value):
        return False

    @property
    def shapes(self):
        """Its shapes, in the order they were given: each can be changed."""
        return tuple([self.shape_of_id(id) for id in self.rows.ids_of(self.at())])

    def add_shape(self, shape):
        """Give it one more shape, in its frame, and return that; its mass follows."""
        return self.shape_of_id(self.attach(shape))

    def remove_shape(self, shape):
        """Take one of its shapes off; its mass follows."""
        if not self.is_shape(shape):
            raise TypeError(f"shape must be one of the body's shapes, got {shape!r}")
        self.writable("remove_shape")
        if shape not in self.shapes:
            raise ValueError(f"shape must be one of this body's shapes, got {shape!r}")
        shape.remove()

    @property
    def contacts(self):
        """Its contacts of the last step, with their forces (N): it is body A of each."""
        self.at()
        world = self.rows.world()
        if world is None:
            raise ValueError("contacts: the world of this body is gone")
        return world._contacts_of(self.id)

    # -- settings

    @property
    def gravity_scale(self):
        """How much of the world's gravity it feels."""
        return self.rows.settings_of(self.at()).gravity_scale

    @gravity_scale.setter
    def gravity_scale(self, value):
        cdef double scale = read_rate(value, "gravity_scale")
        cdef int32_t row = self.writable("gravity_scale")
        self.rows.settings_of(row).gravity_scale = scale
        self.rows.wake(row)

    @property
    def linear_damping(self):
        """Rate (1/s) at which its velocity decays."""
        return self.rows.settings_of(self.at()).linear_damping

    @linear_damping.setter
    def linear_damping(self, value):
        cdef double rate = read_at_least_zero(value, "linear_damping")
        cdef int32_t row = self.writable("linear_damping")
        self.rows.settings_of(row).linear_damping = rate
        self.rows.wake(row)

    @property
    def angular_damping(self):
        """Rate (1/s) at which its turning decays."""
        return self.rows.settings_of(self.at()).angular_damping

    @angular_damping.setter
    def angular_damping(self, value):
        cdef double rate = read_at_least_zero(value, "angular_damping")
        cdef int32_t row = self.writable("angular_damping")
        self.rows.settings_of(row).angular_damping = rate
        self.rows.wake(row)

    @property
    def fixed_rotation(self):
        """Whether no impulse turns it."""
        return bool(head_at(self.rows, self.at()).flags & FIXED_ROTATION)

    @fixed_rotation.setter
    def fixed_rotation(self, value):
        cdef bint fixed = read_flag(value, "fixed_rotation")
        cdef int32_t row = self.writable("fixed_rotation")
        cdef bint is_dynamic = head_at(self.rows, row).kind == DYNAMIC
        if not fixed and is_dynamic and not self.has_inertia(row):
            raise ValueError("a body of no inertia must keep fixed_rotation; give it inertia first")
        self.set_flag(FIXED_ROTATION, fixed)
        if fixed and is_dynamic:
            self.stop_turning(row)
        self.rows.set_masses(row)

    @property
    def bullet(self):
        """Whether it is swept with all care in every step, however slow."""
        return bool(head_at(self.rows, self.at()).flags & BULLET)

    @bullet.setter
    def bullet(self, value):
        self.set_flag(BULLET, read_flag(value, "bullet"))

    @property
    def can_sleep(self):
        """Whether it may be put to sleep when it rests."""
        return not head_at(self.rows, self.at()).flags & NO_SLEEP

    @can_sleep.setter
    def can_sleep(self, value):
        self.set_flag(NO_SLEEP, not read_flag(value, "can_sleep"))

    cdef int set_flag(self, int flag, bint on) except -1:
        cdef int32_t row = self.writable("flags")
        if on:
            head_at(self.rows, row).flags |= flag
        else:
            head_at(self.rows, row).flags &= ~flag
        self.rows.wake(row)
        return 0

    @property
    def awake(self):
        """Whether it is simulated; bodies at rest fall asleep together with what they touch."""
        cdef int32_t row = self.at()
        return (head_at(self.rows, row).kind == DYNAMIC
                and bool(head_at(self.rows, row).flags & AWAKE))

    def wake(self):
        """Wake it, and with the next step all that it touches."""
        self.rows.wake(self.writable("wake"))


def _body_of(world, id):
    """The body of a world with an id, for pickle and copy; -1: one that was removed."""
    return world._handle(id)
