"""Bodies as users hold them: a handle on the rows of a world's store."""

from libc.math cimport INFINITY, cos, fabs, isfinite, sin
from libc.stdint cimport int32_t, uint32_t

from enginecore.body cimport Body as Handle
from enginecore.body_head cimport BodySettings
from engine2d.arguments cimport (
    FASTEST, HEAVIEST, LIGHTEST, read_angle, read_finite, read_inert, read_place, read_rate,
    read_vector, read_velocity,
)
from enginecore.body_shape cimport shape_of
from engine2d.body_shape cimport BodyShape, as_shape
from engine2d.pose cimport Pose, to_local, to_world
from engine2d.shape cimport Shape
from engine2d.solve.integrate cimport put_center, put_origin, turn_about_origin
from engine2d.store cimport BodyStore
from engine2d.vec2 cimport add, cross, dot, length, scaled, sub, turn, vec2
from engine2d.vector cimport as_vector

cdef BodyData _body
cdef BodyHead* _head = head_of(&_body)
cdef BodySettings* _settings = <BodySettings*> &_body.mass
if (<void*> &_head.kind != <void*> &_body.kind or <void*> &_head.flags != <void*> &_body.flags
        or <void*> &_head.island != <void*> &_body.island or <void*> &_head.id != <void*> &_body.id
        or <void*> &_head.first_shape != <void*> &_body.first_shape
        or <void*> &_head.still != <void*> &_body.still
        or <void*> &_head.given != <void*> &_body.given
        or <void*> &_settings.angular_damping != <void*> &_body.angular_damping):
    raise ImportError("BodyData does not begin as a BodyHead does, or its settings are apart")


cdef inline double turned_by(double inv_I, Vec2 arm, Vec2 p) noexcept nogil:
    """What an impulse adds to a rate of turning; nothing to what cannot turn, however large."""
    return inv_I * cross(arm, p) if inv_I != 0.0 else 0.0


# ---- the handle ---------------------------------------------------------------------------------

cdef class Body(Handle):
    """A body of a world: its state can be read and written at any time.

    position is the origin of the frame its shapes were given in, center the centre of mass;
    velocity is the centre's. Worlds make bodies (World.add_body); once removed, all but `removed`,
    `id` and `data` raise a ValueError.
    """

    cdef BodyStore store

    def __cinit__(self, BodyStore store=None, int32_t id=-1, uint32_t generation=0):
        self.store = store

    def _place(self):
        x, y = self.position
        return f"at ({x:.6g}, {y:.6g}), angle {self.angle:.6g}"

    def _given(self):
        """What scene files say of it besides what can be read: what its user gave, and its centre
        where that does not follow from the frame to the last bit."""
        cdef int32_t row = self.at()
        cdef const BodyData* body = &self.store.bodies[row]
        cdef const Place* place = &self.store.places[row]
        cdef Pose frame
        out = {}
        if body.given & GIVEN_MASS:
            out["mass"] = body.mass
        if body.given & GIVEN_INERTIA:
            out["inertia"] = body.inertia
        frame.p, frame.q = place.pose.p, vec2(cos(place.angle), sin(place.angle))
        if as_vector(to_world(&frame, body.local_center)) != as_vector(place.x):
            out["center"] = (place.x.x, place.x.y)
        return out

    def _put_center(self, center):
        """Let the centre of mass be where it was to the last bit; for scene files."""
        cdef Vec2 x = read_place(center, "center")
        cdef int32_t row = self.writable("center")
        cdef Vec2 off = sub(x, self.store.places[row].x)
        if not length(off) <= 1e-9 * (1.0 + length(x) + self.store.places[row].bounding_radius):
            raise ValueError(f"center must be the centre of mass, {self.center}, got {center!r}")
        put_center(x, &self.store.places[row])

    # -- place and motion

    @property
    def position(self):
        """Origin of the frame its shapes were given in (m)."""
        cdef const Place* place = &self.store.places[self.at()]
        return as_vector(place.pose.p)

    @position.setter
    def position(self, value):
        cdef Vec2 p = read_place(value, "position")
        cdef int32_t row = self.writable("position")
        put_origin(&self.store.bodies[row], p, &self.store.places[row])
        self.store.moved(row)

    @property
    def angle(self):
        """Angle of its frame (rad), not wrapped."""
        return self.store.places[self.at()].angle

    @angle.setter
    def angle(self, value):
        cdef double angle = read_angle(value, "angle")
        cdef int32_t row = self.writable("angle")
        turn_about_origin(&self.store.bodies[row], angle, &self.store.places[row])
        self.store.moved(row)

    @property
    def center(self):
        """Centre of mass (m)."""
        cdef const Place* place = &self.store.places[self.at()]
        return as_vector(place.x)

    @property
    def local_center(self):
        """Centre of mass in the frame of its shapes (m)."""
        cdef const BodyData* body = &self.store.bodies[self.at()]
        return as_vector(body.local_center)

    @property
    def velocity(self):
        """Velocity of the centre of mass (m/s)."""
        cdef const Motion* motion = &self.store.motions[self.at()]
        return as_vector(motion.v)

    @velocity.setter
    def velocity(self, value):
        cdef Vec2 v = read_velocity(value, "velocity")
        cdef int32_t row = self.writable("velocity")
        self.check_moves(row, "velocity")
        self.store.motions[row].v = v
        self.store.wake(row)

    @property
    def angular_velocity(self):
        """Rate of turning (rad/s), anticlockwise."""
        return self.store.motions[self.at()].w

    @angular_velocity.setter
    def angular_velocity(self, value):
        cdef double w = read_rate(value, "angular_velocity")
        cdef int32_t row = self.writable("angular_velocity")
        self.check_moves(row, "angular_velocity")
        self.store.motions[row].w = w
        self.store.wake(row)

    # -- mass and kind

    @property
    def inertia(self):
        """Moment of inertia about the centre of mass (kg m^2); infinite unless it can turn."""
        cdef const BodyData* body = &self.store.bodies[self.at()]
        return body.inertia if (body.kind == DYNAMIC
                                and not body.flags & FIXED_ROTATION) else INFINITY

    @inertia.setter
    def inertia(self, value):
        cdef double inertia = read_inert(value, "inertia")
        cdef int32_t row = self.dynamic("inertia")
        self.store.bodies[row].inertia = inertia
        self.store.bodies[row].given |= GIVEN_INERTIA
        self.store.set_masses(row)
        self.store.wake(row)

    cdef bint has_inertia(self, int32_t row) noexcept:
        return LIGHTEST <= self.store.bodies[row].inertia <= HEAVIEST

    cdef void stop_turning(self, int32_t row) noexcept:
        self.store.motions[row].w = 0.0

    cdef void forget_forces(self, int32_t row) noexcept:
        self.store.bodies[row].force = vec2(0.0, 0.0)
        self.store.bodies[row].torque = 0.0

    # -- shapes

    cdef bint is_shape(self, object value):
        return isinstance(value, BodyShape)

    cdef object shape_of_id(self, int32_t id):
        return shape_of(self.store, id, self)

    cdef int32_t attach(self, object shape) except -1:
        cdef Shape given = as_shape(shape)
        return self.store.attach_shape(given, self.writable("add_shape"))

    # -- forces

    @property
    def force(self):
        """Force of the user that acts in the next step (N)."""
        cdef const BodyData* body = &self.store.bodies[self.at()]
        return as_vector(body.force)

    @force.setter
    def force(self, value):
        cdef Vec2 force = read_vector(value, "force")
        cdef int32_t row = self.dynamic("force")
        self.store.bodies[row].force = force
        self.store.wake(row)

    @property
    def torque(self):
        """Torque of the user that acts in the next step (N m)."""
        return self.store.bodies[self.at()].torque

    @torque.setter
    def torque(self, value):
        cdef double torque = read_finite(value, "torque")
        cdef int32_t row = self.dynamic("torque")
        self.store.bodies[row].torque = torque
        self.store.wake(row)

    def apply_force(self, force, point=None):
        """Add a force (N) for the next step, at a point of the world (m) or at the centre."""
        cdef Vec2 f = read_vector(force, "force"), arm = vec2(0.0, 0.0)
        cdef Vec2 at = vec2(0.0, 0.0) if point is None else read_place(point, "point")
        cdef int32_t row = self.dynamic("force")
        cdef BodyData* body = &self.store.bodies[row]
        if point is not None:
            arm = sub(at, self.store.places[row].x)
        self.check_sum(add(body.force, f), body.torque + cross(arm, f), "force")
        body.force = add(body.force, f)
        body.torque += cross(arm, f)
        self.store.wake(row)

    def apply_torque(self, torque):
        """Add a torque (N m) for the next step."""
        cdef double t = read_finite(torque, "torque")
        cdef int32_t row = self.dynamic("torque")
        self.check_sum(self.store.bodies[row].force, self.store.bodies[row].torque + t, "torque")
        self.store.bodies[row].torque += t
        self.store.wake(row)

    def apply_impulse(self, impulse, point=None):
        """Change its motion at once by an impulse (N s) at a point of the world (m) or the centre.
        """
        cdef Vec2 p = read_vector(impulse, "impulse"), arm = vec2(0.0, 0.0), v
        cdef Vec2 at = vec2(0.0, 0.0) if point is None else read_place(point, "point")
        cdef int32_t row = self.dynamic("impulse")
        cdef Motion* motion = &self.store.motions[row]
        cdef double w
        if point is not None:
            arm = sub(at, self.store.places[row].x)
        v = add(motion.v, scaled(motion.inv_m, p))
        w = motion.w + turned_by(motion.inv_I, arm, p)
        self.check_speed(v, w)
        motion.v = v
        motion.w = w
        self.store.wake(row)

    def apply_angular_impulse(self, impulse):
        """Change its rate of turning at once by an angular impulse (N m s)."""
        cdef double p = read_finite(impulse, "impulse")
        cdef int32_t row = self.dynamic("impulse")
        cdef Motion* motion = &self.store.motions[row]
        self.check_speed(motion.v, motion.w + motion.inv_I * p)
        motion.w += motion.inv_I * p
        self.store.wake(row)

    cdef int check_speed(self, Vec2 v, double w) except -1:
        if not (fabs(v.x) <= FASTEST and fabs(v.y) <= FASTEST and fabs(w) <= FASTEST):
            raise OverflowError(f"with this impulse it would be faster than {FASTEST:g}: "
                                f"{(v.x, v.y)} m/s, {w} rad/s")
        return 0

    cdef int check_sum(self, Vec2 v, double w, str what) except -1:
        if not (isfinite(v.x) and isfinite(v.y) and isfinite(w)):
            raise OverflowError(f"with this {what} the sum is out of the range of doubles")
        return 0

    # -- points

    def to_world(self, point):
        """A point of its frame (m), in the world."""
        cdef Vec2 p = read_place(point, "point")
        p = to_world(&self.store.places[self.at()].pose, p)
        return as_vector(p)

    def to_local(self, point):
        """A point of the world (m), in its frame."""
        cdef Vec2 p = read_place(point, "point")
        p = to_local(&self.store.places[self.at()].pose, p)
        return as_vector(p)

    def velocity_at(self, point):
        """Velocity (m/s) of the body at a point of the world (m)."""
        cdef Vec2 at = read_place(point, "point")
        cdef int32_t row = self.at()
        cdef const Motion* motion = &self.store.motions[row]
        cdef Vec2 arm = sub(at, self.store.places[row].x)
        cdef Vec2 v = add(motion.v, turn(motion.w, arm))
        return as_vector(v)

    @property
    def kinetic_energy(self):
        """J; 0 unless it is dynamic."""
        cdef int32_t row = self.at()
        cdef const Motion* motion = &self.store.motions[row]
        cdef const BodyData* body = &self.store.bodies[row]
        if body.kind != DYNAMIC:
            return 0.0
        return 0.5 * (body.mass * dot(motion.v, motion.v)
                      + (0.0 if motion.inv_I == 0.0 else body.inertia * motion.w * motion.w))
