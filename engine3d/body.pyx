"""Bodies as users hold them: a handle on the rows of a world's store."""

import numpy as np

from libc.math cimport INFINITY, fabs, isfinite
from libc.stdint cimport int32_t, uint32_t

from enginecore.body cimport Body as Handle
from enginecore.body_head cimport (
    DYNAMIC, FIXED_ROTATION, GIVEN_INERTIA, GIVEN_MASS, BodySettings,
)
from engine3d.arguments cimport (
    FASTEST, LIGHTEST, read_inertia, read_orientation, read_place, read_vector, read_velocity,
)
from enginecore.body_shape cimport shape_of
from engine3d.body_shape cimport BodyShape, as_shape
from engine3d.solve.integrate cimport place_frame, set_spin, spin_of
from engine3d.mass cimport principal
from engine3d.pose cimport to_local, to_world
from engine3d.shape cimport Shape
from engine3d.store cimport BodyStore
from engine3d.vec3 cimport add, add_scaled, cross, dot, sub, vec3
from engine3d.vector cimport as_vector

cdef BodyData _body
cdef BodySettings* _settings = <BodySettings*> &_body.mass
if <void*> &_settings.angular_damping != <void*> &_body.angular_damping:
    raise ImportError("the settings of BodyData are apart")


cdef class Body(Handle):
    """A body of a world: its state can be read and written at any time.

    position is the origin of the frame its shapes were given in, orientation a unit quaternion
    (w, x, y, z), center the centre of mass; velocity is the centre's, angular_velocity is in the
    world's axes. Worlds make bodies (World.add_body); once removed, all but `removed`, `id` and
    `data` raise a ValueError.
    """

    cdef BodyStore store

    def __cinit__(self, BodyStore store=None, int32_t id=-1, uint32_t generation=0):
        self.store = store

    def _place(self):
        x, y, z = self.position
        return f"at ({x:.6g}, {y:.6g}, {z:.6g})"

    def _given(self):
        """Mass and inertia that its user gave, for scene files."""
        cdef int32_t row = self.at()
        cdef const BodyData* body = &self.store.bodies[row]
        cdef Mat3 m = body.inertia
        out = {}
        if self.store.heads[row].given & GIVEN_MASS:
            out["mass"] = body.mass
        if self.store.heads[row].given & GIVEN_INERTIA:
            out["inertia"] = rows_of(&m).tolist()
        return out

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

    # -- mass and kind

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
        self.store.heads[row].given |= GIVEN_INERTIA
        self.store.set_masses(row)
        self.store.wake(row)

    @property
    def principal(self):
        """Principal moments (3, kg m^2) and their axes, the columns of a rotation (3 x 3)."""
        cdef Vec3 moments
        cdef Mat3 axes
        principal(&self.store.bodies[self.at()].inertia, &moments, &axes)
        return np.array([moments.x, moments.y, moments.z]), rows_of(&axes)

    cdef bint has_inertia(self, int32_t row) noexcept:
        cdef Vec3 moments
        cdef Mat3 axes
        principal(&self.store.bodies[row].inertia, &moments, &axes)
        return min(moments.x, moments.y, moments.z) >= LIGHTEST

    cdef void stop_turning(self, int32_t row) noexcept:
        self.store.motions[row].w = vec3(0.0, 0.0, 0.0)

    cdef void forget_forces(self, int32_t row) noexcept:
        self.store.bodies[row].force = self.store.bodies[row].torque = vec3(0.0, 0.0, 0.0)

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
