"""Bodies as users hold them: a handle on the rows of a world's store."""

import numpy as np

from libc.math cimport INFINITY, fabs, isfinite
from libc.stdint cimport int32_t, uint32_t

from enginecore.body_head cimport (
    AWAKE, BULLET, DYNAMIC, FIXED_ROTATION, NO_SLEEP, STATIC,
)
from engine3d.arguments cimport (
    FASTEST, HEAVIEST, LIGHTEST, read_at_least_zero, read_inert, read_inertia, read_orientation,
    read_place, read_rate, read_vector, read_velocity,
)
from engine3d.body_shape cimport BodyShape, as_shape, shape_of
from engine3d.solve.integrate cimport place_frame, set_spin, spin_of
from engine3d.mass cimport principal
from engine3d.pose cimport to_local, to_world
from engine3d.shape cimport Shape
from engine3d.store cimport BodyStore
from engine3d.vec3 cimport add, add_scaled, cross, dot, sub, vec3
from engine3d.vector cimport as_vector

cdef tuple KINDS = ("static", "kinematic", "dynamic")


cdef class Body:
    """A body of a world: its state can be read and written at any time.

    position is the origin of the frame its shapes were given in, orientation a unit quaternion
    (w, x, y, z), center the centre of mass; velocity is the centre's, angular_velocity is in the
    world's axes. Worlds make bodies (World.add_body); once removed, all but `removed`, `id` and
    `data` raise a ValueError.
    """

    cdef BodyStore store
    cdef readonly int32_t id           # its number in the world, free again when it is removed
    cdef readonly uint32_t generation  # tells it from others that had the number
    cdef public object data            # anything of the user's

    def __cinit__(self, BodyStore store=None, int32_t id=-1, uint32_t generation=0):
        if store is None:
            raise TypeError("bodies are made by World.add_body, add_static and add_kinematic")
        self.store = store
        self.id = id
        self.generation = generation

    def __reduce__(self):
        raise TypeError("a body cannot be pickled or copied alone; pickle its world")

    def __repr__(self):
        if self.removed:
            return f"<Body {self.id}, removed>"
        x, y, z = self.position
        return f"<Body {self.id}, {self.kind}, at ({x:.6g}, {y:.6g}, {z:.6g})>"

    cdef int32_t at(self) except -1:
        return self.store.table.row(self.id, self.generation)

    cdef int32_t writable(self, str what) except -1:
        """Its row, for a change; arguments are read before, as that may run any code at all."""
        self.store.check_idle(what)
        return self.at()

    def _given(self):
        """Mass and inertia that its user gave, for scene files."""
        cdef int32_t row = self.at()
        cdef const BodyData* body = &self.store.bodies[row]
        cdef Mat3 m = body.inertia
        out = {}
        if body.given & GIVEN_MASS:
            out["mass"] = body.mass
        if body.given & GIVEN_INERTIA:
            out["inertia"] = rows_of(&m).tolist()
        return out

    def _is_of(self, BodyStore store):
        return self.store is store

    @property
    def removed(self):
        """Whether it is no longer in its world."""
        return not self.store.table.holds(self.id, self.generation)

    @property
    def row(self):
        """Its place in world.bodies and in the world's arrays."""
        self.writable("row")
        self.store.settle()
        return self.at()

    # -- place and motion

    @property
    def position(self):
        """Origin of the frame its shapes were given in (m)."""
        return as_vector(self.store.places[self.at()].pose.p)

    @position.setter
    def position(self, value):
        cdef Vec3 p = read_place(value, "position")
        cdef int32_t row = self.writable("position")
        place_frame(&self.store.bodies[row], p, self.store.places[row].q, &self.store.places[row])
        self.store.moved(row)

    @property
    def orientation(self):
        """Unit quaternion (w, x, y, z) that turns its frame into the world's axes."""
        cdef const Place* place = &self.store.places[self.at()]
        return place.q.w, place.q.x, place.q.y, place.q.z

    @orientation.setter
    def orientation(self, value):
        cdef Quat q = read_orientation(value, "orientation")
        cdef int32_t row = self.writable("orientation")
        cdef Place* place = &self.store.places[row]
        # it turns about its position, not about its centre of mass
        place_frame(&self.store.bodies[row], place.pose.p, q, place)
        set_spin(&self.store.bodies[row], place, self.store.motions[row].w,
                 &self.store.motions[row])
        self.store.moved(row)

    @property
    def rotation(self):
        """Rotation matrix of its frame into the world's axes (3 x 3)."""
        cdef Mat3 r = self.store.places[self.at()].pose.r
        return rows_of(&r)

    @property
    def center(self):
        """Centre of mass (m)."""
        return as_vector(self.store.places[self.at()].x)

    @property
    def local_center(self):
        """Centre of mass in the frame of its shapes (m)."""
        return as_vector(self.store.bodies[self.at()].local_center)

    @property
    def velocity(self):
        """Velocity of the centre of mass (m/s)."""
        return as_vector(self.store.motions[self.at()].v)

    @velocity.setter
    def velocity(self, value):
        cdef Vec3 v = read_velocity(value, "velocity")
        cdef int32_t row = self.writable("velocity")
        self.check_moves(row, "velocity")
        self.store.motions[row].v = v
        self.store.wake(row)

    @property
    def angular_velocity(self):
        """Rate of turning (rad/s), a vector of the world's axes."""
        return as_vector(self.store.motions[self.at()].w)

    @angular_velocity.setter
    def angular_velocity(self, value):
        cdef Vec3 w = read_velocity(value, "angular_velocity")
        cdef int32_t row = self.writable("angular_velocity")
        self.check_moves(row, "angular_velocity")
        set_spin(&self.store.bodies[row], &self.store.places[row], w, &self.store.motions[row])
        self.store.wake(row)

    @property
    def angular_momentum(self):
        """About the centre of mass (kg m^2/s), in the world's axes; 0 unless it is dynamic."""
        cdef int32_t row = self.at()
        if self.store.heads[row].kind != DYNAMIC:
            return as_vector(vec3(0.0, 0.0, 0.0))
        return as_vector(self.store.motions[row].L)

    cdef int check_moves(self, int32_t row, str what) except -1:
        if self.store.heads[row].kind == STATIC:
            raise ValueError(f"a static body has no {what} to set; make it kinematic")
        return 0

    # -- mass and kind

    @property
    def mass(self):
        """kg; infinite unless it is dynamic."""
        cdef int32_t row = self.at()
        return self.store.bodies[row].mass if self.store.heads[row].kind == DYNAMIC else INFINITY

    @mass.setter
    def mass(self, value):
        cdef double mass = read_inert(value, "mass")
        cdef int32_t row = self.dynamic("mass")
        self.store.bodies[row].mass = mass
        self.store.bodies[row].given |= GIVEN_MASS
        self.store.set_masses(row)
        self.store.wake(row)

    @property
    def inertia(self):
        """Inertia tensor about the centre of mass, in the frame of its shapes (3 x 3, kg m^2);
        infinite unless it can turn."""
        cdef int32_t row = self.at()
        cdef Mat3 m = self.store.bodies[row].inertia
        if self.store.heads[row].kind != DYNAMIC or self.store.heads[row].flags & FIXED_ROTATION:
            return np.diag([INFINITY] * 3)
        return rows_of(&m)

    @inertia.setter
    def inertia(self, value):
        cdef Mat3 inertia = read_inertia(value, "inertia")
        cdef int32_t row = self.dynamic("inertia")
        self.store.bodies[row].inertia = inertia
        self.store.bodies[row].given |= GIVEN_INERTIA
        self.store.set_masses(row)
        self.store.wake(row)

    @property
    def principal(self):
        """Principal moments (3, kg m^2) and their axes, the columns of a rotation (3 x 3)."""
        cdef Vec3 moments
        cdef Mat3 axes
        principal(&self.store.bodies[self.at()].inertia, &moments, &axes)
        return np.array([moments.x, moments.y, moments.z]), rows_of(&axes)

    cdef int32_t dynamic(self, str what) except -1:
        """Its row, for a change; ValueError unless it is dynamic."""
        cdef int32_t row = self.writable(what)
        if self.store.heads[row].kind != DYNAMIC:
            raise ValueError(f"only a dynamic body has a {what} to set, this one is "
                             f"{KINDS[self.store.heads[row].kind]}")
        return row

    @property
    def kind(self):
        """static, kinematic or dynamic."""
        return KINDS[self.store.heads[self.at()].kind]

    @kind.setter
    def kind(self, value):
        if not isinstance(value, str) or value not in KINDS:
            raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {value!r}")
        cdef int32_t row = self.writable("kind")
        cdef BodyData* body = &self.store.bodies[row]
        cdef Vec3 moments
        cdef Mat3 axes
        principal(&body.inertia, &moments, &axes)
        if value == "dynamic" and not (LIGHTEST <= body.mass <= HEAVIEST and (
                min(moments.x, moments.y, moments.z) >= LIGHTEST
                or self.store.heads[row].flags & FIXED_ROTATION)):
            raise ValueError("a body whose shapes have no mass cannot become dynamic")
        body.force = body.torque = vec3(0.0, 0.0, 0.0)
        # what rested on it must hear of it, whatever it was and becomes
        self.store.wake(row)
        self.store.heads[row].kind = KINDS.index(value)
        self.store.set_masses(row)
        self.store.edits += 1
        self.store.moved(row)

    @property
    def shapes(self):
        """Its shapes, in the order they were given."""
        return tuple([shape_of(self.store, id, self) for id in self.store.ids_of(self.at())])

    def add_shape(self, shape):
        """Give it one more shape, in its frame, and return that; its mass follows."""
        cdef Shape given = as_shape(shape)
        cdef int32_t row = self.writable("add_shape")
        return shape_of(self.store, self.store.attach_shape(given, row), self)

    def remove_shape(self, shape):
        """Take one of its shapes off; its mass follows."""
        if not isinstance(shape, BodyShape):
            raise TypeError(f"shape must be one of the body's shapes, got {shape!r}")
        self.writable("remove_shape")
        if shape not in self.shapes:
            raise ValueError(f"shape must be one of this body's shapes, got {shape!r}")
        shape.remove()

    @property
    def contacts(self):
        """Its contacts of the last step, with their forces (N): it is body A of each."""
        self.at()
        world = self.store.world()
        if world is None:
            raise ValueError("contacts: the world of this body is gone")
        return world._contacts_of(self.id)

    # -- settings

    @property
    def gravity_scale(self):
        """How much of the world's gravity it feels."""
        return self.store.bodies[self.at()].gravity_scale

    @gravity_scale.setter
    def gravity_scale(self, value):
        cdef double scale = read_rate(value, "gravity_scale")
        cdef int32_t row = self.writable("gravity_scale")
        self.store.bodies[row].gravity_scale = scale
        self.store.wake(row)

    @property
    def linear_damping(self):
        """Rate (1/s) at which its velocity decays."""
        return self.store.bodies[self.at()].linear_damping

    @linear_damping.setter
    def linear_damping(self, value):
        cdef double rate = read_at_least_zero(value, "linear_damping")
        cdef int32_t row = self.writable("linear_damping")
        self.store.bodies[row].linear_damping = rate
        self.store.wake(row)

    @property
    def angular_damping(self):
        """Rate (1/s) at which its angular momentum decays."""
        return self.store.bodies[self.at()].angular_damping

    @angular_damping.setter
    def angular_damping(self, value):
        cdef double rate = read_at_least_zero(value, "angular_damping")
        cdef int32_t row = self.writable("angular_damping")
        self.store.bodies[row].angular_damping = rate
        self.store.wake(row)

    @property
    def fixed_rotation(self):
        """Whether no impulse turns it."""
        return bool(self.store.heads[self.at()].flags & FIXED_ROTATION)

    @fixed_rotation.setter
    def fixed_rotation(self, value):
        cdef bint fixed = value
        cdef int32_t row = self.writable("fixed_rotation")
        cdef Vec3 moments
        cdef Mat3 axes
        principal(&self.store.bodies[row].inertia, &moments, &axes)
        if not fixed and self.store.heads[row].kind == DYNAMIC and not (
                min(moments.x, moments.y, moments.z) >= LIGHTEST):
            raise ValueError("a body of no inertia must keep fixed_rotation; give it inertia first")
        self.set_flag(FIXED_ROTATION, fixed)
        if fixed and self.store.heads[row].kind == DYNAMIC:
            self.store.motions[row].w = vec3(0.0, 0.0, 0.0)
        self.store.set_masses(row)

    @property
    def bullet(self):
        """Whether it is swept with all care in every step, however slow."""
        return bool(self.store.heads[self.at()].flags & BULLET)

    @bullet.setter
    def bullet(self, value):
        self.set_flag(BULLET, value)

    @property
    def can_sleep(self):
        """Whether it may be put to sleep when it rests."""
        return not self.store.heads[self.at()].flags & NO_SLEEP

    @can_sleep.setter
    def can_sleep(self, value):
        self.set_flag(NO_SLEEP, not value)

    cdef int set_flag(self, int flag, bint on) except -1:
        cdef int32_t row = self.writable("flags")
        if on:
            self.store.heads[row].flags |= flag
        else:
            self.store.heads[row].flags &= ~flag
        self.store.wake(row)
        return 0

    @property
    def awake(self):
        """Whether it is simulated; bodies at rest fall asleep together with what they touch."""
        cdef int32_t row = self.at()
        return self.store.heads[row].kind == DYNAMIC and bool(self.store.heads[row].flags & AWAKE)

    def wake(self):
        """Wake it, and with the next step all that it touches."""
        self.store.wake(self.writable("wake"))

    # -- forces

    @property
    def force(self):
        """Force of the user that acts in the next step (N)."""
        return as_vector(self.store.bodies[self.at()].force)

    @force.setter
    def force(self, value):
        cdef Vec3 force = read_vector(value, "force")
        cdef int32_t row = self.dynamic("force")
        self.store.bodies[row].force = force
        self.store.wake(row)

    @property
    def torque(self):
        """Torque of the user that acts in the next step (N m)."""
        return as_vector(self.store.bodies[self.at()].torque)

    @torque.setter
    def torque(self, value):
        cdef Vec3 torque = read_vector(value, "torque")
        cdef int32_t row = self.dynamic("torque")
        self.store.bodies[row].torque = torque
        self.store.wake(row)

    def apply_force(self, force, point=None):
        """Add a force (N) for the next step, at a point of the world (m) or at the centre."""
        cdef Vec3 f = read_vector(force, "force"), arm = vec3(0.0, 0.0, 0.0), moment
        cdef Vec3 at = arm if point is None else read_place(point, "point")
        cdef int32_t row = self.dynamic("force")
        cdef BodyData* body = &self.store.bodies[row]
        if point is not None:
            arm = sub(at, self.store.places[row].x)
        f = add(body.force, f)
        moment = add(body.torque, cross(arm, sub(f, body.force)))
        check_finite(f, "force")
        check_finite(moment, "force")
        body.force, body.torque = f, moment
        self.store.wake(row)

    def apply_torque(self, torque):
        """Add a torque (N m) for the next step."""
        cdef Vec3 t = read_vector(torque, "torque")
        cdef int32_t row = self.dynamic("torque")
        t = add(self.store.bodies[row].torque, t)
        check_finite(t, "torque")
        self.store.bodies[row].torque = t
        self.store.wake(row)

    def apply_impulse(self, impulse, point=None):
        """Change its motion at once by an impulse (N s) at a point of the world (m) or the centre.
        """
        cdef Vec3 p = read_vector(impulse, "impulse"), arm = vec3(0.0, 0.0, 0.0)
        cdef Vec3 at = arm if point is None else read_place(point, "point")
        cdef int32_t row = self.dynamic("impulse")
        if point is not None:
            arm = sub(at, self.store.places[row].x)
        self.change(row, p, cross(arm, p))

    def apply_angular_impulse(self, impulse):
        """Change its angular momentum at once (N m s)."""
        cdef Vec3 p = read_vector(impulse, "impulse")
        self.change(self.dynamic("impulse"), vec3(0.0, 0.0, 0.0), p)

    cdef int change(self, int32_t row, Vec3 p, Vec3 moment) except -1:
        """Add to momentum and angular momentum, within what can be followed."""
        cdef Motion* motion = &self.store.motions[row]
        cdef Vec3 v = add_scaled(motion.v, motion.inv_m, p), L = motion.L, w
        if not self.store.heads[row].flags & FIXED_ROTATION:
            L = add(L, moment)
        w = spin_of(&self.store.places[row].pose.r, &self.store.bodies[row].inv_I, L)
        if not (fabs(v.x) <= FASTEST and fabs(v.y) <= FASTEST and fabs(v.z) <= FASTEST
                and fabs(w.x) <= FASTEST and fabs(w.y) <= FASTEST and fabs(w.z) <= FASTEST):
            raise OverflowError(f"with this impulse it would be faster than {FASTEST:g}: "
                                f"{as_vector(v)} m/s, {as_vector(w)} rad/s")
        motion.v, motion.L, motion.w = v, L, w
        self.store.wake(row)
        return 0

    # -- points

    def to_world(self, point):
        """A point of its frame (m), in the world."""
        cdef Vec3 p = read_place(point, "point")
        return as_vector(to_world(&self.store.places[self.at()].pose, p))

    def to_local(self, point):
        """A point of the world (m), in its frame."""
        cdef Vec3 p = read_place(point, "point")
        return as_vector(to_local(&self.store.places[self.at()].pose, p))

    def velocity_at(self, point):
        """Velocity (m/s) of the body at a point of the world (m)."""
        cdef Vec3 at = read_place(point, "point")
        cdef int32_t row = self.at()
        cdef const Motion* motion = &self.store.motions[row]
        return as_vector(add(motion.v, cross(motion.w, sub(at, self.store.places[row].x))))

    @property
    def kinetic_energy(self):
        """J; 0 unless it is dynamic."""
        cdef int32_t row = self.at()
        cdef const Motion* motion = &self.store.motions[row]
        if self.store.heads[row].kind != DYNAMIC:
            return 0.0
        return 0.5 * (self.store.bodies[row].mass * dot(motion.v, motion.v)
                      + dot(motion.L, motion.w))


cdef object rows_of(const Mat3* m):
    return np.array([[m.x.x, m.x.y, m.x.z], [m.y.x, m.y.y, m.y.z], [m.z.x, m.z.y, m.z.z]])


cdef int check_finite(Vec3 a, str what) except -1:
    if not (isfinite(a.x) and isfinite(a.y) and isfinite(a.z)):
        raise OverflowError(f"with this {what} the sum is out of the range of doubles")
    return 0
