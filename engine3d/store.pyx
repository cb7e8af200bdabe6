"""The bodies and shapes of a world: who they are, and the arrays their numbers live in."""

from libc.math cimport fabs, sqrt
from libc.string cimport memset

from enginecore.body_head cimport (
    AWAKE, DYNAMIC, FIXED_ROTATION, GIVEN_INERTIA, GIVEN_MASS, INITIAL_OVERLAP, STATIC,
    BodySettings,
)
from enginecore.boxes cimport move_box
from enginecore.filter cimport bits_of
from enginecore.memory cimport address, longer_lines
from enginecore.scalar cimport greater, lesser
from enginecore.sleep cimport put_to_sleep
from engine3d.arguments cimport FARTHEST, HEAVIEST, LIGHTEST
from engine3d.collide.geometry cimport PLANE, ROUND, reach_along
from engine3d.constants cimport FAT
from engine3d.solve.integrate cimport place_frame, set_spin
from engine3d.mass cimport from_principal, point_inertia, principal
from engine3d.vec3 cimport (
    add, add_scaled, cross, diagonal, length, negated, scaled, sub, unit, vec3,
)

from enginecore.grid import HashedGrid

cdef enum:
    FIRST_ROOM = 64   # bodies and shapes that a new world has room for
# A sphere whose centre is off the centre of mass by less than this share of its radius turns on the
# spot.
cdef double CENTRED = 1e-9
# What touches a shape to rounding touches its box: share of the numbers a place is made of.
cdef double BOX_ROUNDING = 1e-15
# m: where infinite shapes end for the broad phase, beyond all places.
cdef double NOWHERE_LEFT = 4e12


# ---- geometry of a body ---------------------------------------------------------------------

cdef void bound_shape(const ShapeData* shape, const Place* place, Box* out) noexcept nogil:
    cdef const Geometry* g = shape.geometry
    cdef Vec3 d
    cdef double low, high, at, slack
    cdef int axis
    for axis in range(3):
        if g.kind >= PLANE:
            out.low[axis], out.high[axis] = -NOWHERE_LEFT, NOWHERE_LEFT
            continue
        # the axis as the shape sees it: a row of the rotation
        d = (&place.pose.r.x)[axis]
        at = (&place.pose.p.x)[axis]
        high = reach_along(g, d)
        low = -reach_along(g, negated(d))
        slack = BOX_ROUNDING * (fabs(at) + fabs(low) + fabs(high))
        out.low[axis], out.high[axis] = at + low - slack, at + high + slack


cdef tuple check_shapes(tuple shapes):
    """Shapes at the API boundary, whole and within bounds; of shapes of bodies what they are.
    """
    cdef const Geometry* g
    shapes = tuple([item if isinstance(item, Shape) else as_value(item) for item in shapes])
    for item in shapes:
        if (<Shape> item).filter is None:
            raise ValueError("shapes must be finished: the __init__ of one was not called")
        g = &(<Shape> item).geometry
        if g.kind < PLANE and not length(g.middle) + g.bounding_radius <= FARTHEST:
            raise ValueError(f"shapes must be within {FARTHEST:g} m, got {item!r}")
    return shapes


def as_value(item):
    """What a shape of a body stands for; TypeError for all else."""
    from engine3d.body_shape import BodyShape
    if not isinstance(item, BodyShape):
        raise TypeError(f"shapes must be shapes such as Sphere(0.5), got {item!r}")
    return item.shape


# ---- the store --------------------------------------------------------------------------------

cdef class BodyStore(Bodies):

    def __cinit__(self):
        self.data_size = sizeof(BodyData)
        self.phase = HashedGrid(axes=3, margin=<double> FAT)
        self.reserve(FIRST_ROOM)
        self.reserve_shapes(FIRST_ROOM)

    cdef int reserve(self, int32_t capacity) except -1:
        """Make room for that many bodies."""
        old = self.arrays
        new = {name: longer_lines(old.get(name), capacity, size)
               for name, size in (("heads", sizeof(BodyHead)), ("motions", sizeof(Motion)),
                                  ("places", sizeof(Place)), ("before", sizeof(Place)),
                                  ("bodies", sizeof(BodyData)), ("speeds", sizeof(double)),
                                  ("moved", sizeof(Motion)), ("need", sizeof(double)))}
        old.update(new)
        self.heads = <BodyHead*> address(new["heads"])
        self.motions = <Motion*> address(new["motions"])
        self.places = <Place*> address(new["places"])
        self.before = <Place*> address(new["before"])
        self.bodies = <BodyData*> address(new["bodies"])
        self.speeds = <double*> address(new["speeds"])
        self.motions_before = <Motion*> address(new["moved"])
        self.need = <double*> address(new["need"])
        self.capacity = capacity
        return self.point_at_heads(self.heads, sizeof(BodyHead), self.shapes, sizeof(ShapeData))

    cdef int point_at_shapes(self, void* shapes) except -1:
        """The array is new."""
        self.shapes = <ShapeData*> shapes
        return self.point_at_heads(self.heads, sizeof(BodyHead), shapes, sizeof(ShapeData))

    cdef tuple whole_shapes(self, tuple shapes):
        return check_shapes(shapes)

    cdef uint32_t generation_of(self, int32_t shape) noexcept:
        return self.shapes[shape].generation

    # -- adding

    cdef int32_t insert(self, tuple shapes, const BodyInput* given) except -1:
        """Add a body with its shapes and return its id; the handle is the caller's to make."""
        cdef int32_t row = self.n_bodies, id
        cdef BodyData data
        shapes = check_shapes(shapes)
        self.measure(shapes, given, &data)
        # room before the first change, so that a lack of memory changes nothing
        while self.phase.boxes.n + len(shapes) > self.shape_capacity:
            self.reserve_shapes(2 * self.shape_capacity)
        if row == self.capacity:
            self.reserve(2 * self.capacity)
        id = self.table.insert(row)
        memset(&self.heads[row], 0, sizeof(BodyHead))
        memset(&self.motions[row], 0, sizeof(Motion))
        memset(&self.places[row], 0, sizeof(Place))
        self.heads[row].kind, self.heads[row].flags = given.kind, given.flags | INITIAL_OVERLAP
        self.heads[row].id, self.heads[row].first_shape = id, -1
        self.heads[row].island = -1
        self.heads[row].given = ((GIVEN_MASS if given.mass >= 0.0 else 0)
                                 | (GIVEN_INERTIA if given.has_inertia else 0))
        self.bodies[row] = data
        self.n_bodies += 1
        place_frame(&data, given.position, given.orientation, &self.places[row])
        self.set_masses(row)
        self.motions[row].v = given.velocity
        set_spin(&self.bodies[row], &self.places[row], given.angular_velocity, &self.motions[row])
        self.wake(row)
        for shape in shapes:
            self.add_shape(shape, row)
        self.edits += 1
        return id

    cdef int measure(self, tuple shapes, const BodyInput* given, BodyData* out) except -1:
        """Mass, centre and inertia of the shapes together, or as given."""
        cdef Shape shape
        cdef double mass = 0.0, m, share
        cdef Vec3 moment = vec3(0.0, 0.0, 0.0), middle = moment
        cdef Mat3 inertia = diagonal(0.0, 0.0, 0.0), more
        cdef Py_ssize_t n = 0
        for item in shapes:
            shape = item
            m = 0.0 if shape.sensor else shape.density * shape.moments.volume
            mass += m
            moment = add_scaled(moment, m, shape.moments.centroid)
            if shape.geometry.kind < PLANE:
                middle = add(middle, shape.moments.centroid)
                n += 1
        memset(out, 0, sizeof(BodyData))
        out.local_center = scaled(1.0 / mass, moment) if mass > 0.0 else (
            scaled(1.0 / n, middle) if n > 0 else middle)
        for item in shapes:
            shape = item
            m = 0.0 if shape.sensor else shape.density
            more = point_inertia(m * shape.moments.volume,
                                 sub(shape.moments.centroid, out.local_center))
            inertia.x = add(add_scaled(inertia.x, m, shape.moments.second.x), more.x)
            inertia.y = add(add_scaled(inertia.y, m, shape.moments.second.y), more.y)
            inertia.z = add(add_scaled(inertia.z, m, shape.moments.second.z), more.z)
        if given.mass >= 0.0 and mass > 0.0:
            # the same body, heavier or lighter
            share = given.mass / mass
            inertia.x, inertia.y = scaled(share, inertia.x), scaled(share, inertia.y)
            inertia.z = scaled(share, inertia.z)
        out.mass = given.mass if given.mass >= 0.0 else mass
        out.inertia = given.inertia if given.has_inertia else inertia
        out.gravity_scale = given.gravity_scale
        out.linear_damping, out.angular_damping = given.linear_damping, given.angular_damping
        if given.kind == DYNAMIC:
            check_mass(out, given.flags & FIXED_ROTATION)
        return 0

    cdef int32_t add_shape(self, object shape, int32_t row) except -1:
        """Give the body in a row one more shape and return its id; its mass is the caller's."""
        cdef ShapeData data
        cdef Box box
        cdef int32_t id
        memset(&data, 0, sizeof(ShapeData))
        self.fill_shape(shape, &data)
        data.body, data.next_shape = row, self.heads[row].first_shape
        self.generations += 1
        data.generation = self.generations
        bound_shape(&data, &self.places[row], &box)
        id = self.phase.insert(&box)
        self.shapes[id] = data
        self.shape_objects[id] = shape
        self.heads[row].first_shape = id
        self.grow_reach(row, id)
        return id

    cdef int fill_shape(self, Shape shape, ShapeData* out) except -1:
        """What the stages ask of a shape."""
        out.geometry = &shape.geometry
        out.friction, out.restitution = shape.friction, shape.restitution
        out.rolling, out.spinning = shape.rolling_resistance, shape.spin_resistance
        out.surface, out.boost = shape.surface, shape.boost
        out.through = vec3(0.0, 0.0, 0.0) if shape.one_way is None else unit(shape.through)
        out.filter, out.sensor = bits_of(shape.filter), shape.sensor
        return 0

    cdef void grow_reach(self, int32_t row, int32_t id) noexcept:
        """Let the body's reach and thickness be those of one more of its shapes."""
        cdef const ShapeData* data = &self.shapes[id]
        cdef const Geometry* g = data.geometry
        cdef double arm
        if data.next_shape < 0 or g.thickness < self.bodies[row].thickness:
            self.bodies[row].thickness = g.thickness
        if g.kind >= PLANE:
            return
        arm = length(sub(g.middle, self.bodies[row].local_center))
        self.places[row].bounding_radius = greater(self.places[row].bounding_radius,
                                                   arm + g.bounding_radius)
        if g.kind != ROUND or arm > CENTRED * g.radius:
            self.bodies[row].swept_radius = greater(self.bodies[row].swept_radius,
                                                    arm + g.bounding_radius)

    # -- changing

    cdef int measure_again(self, int32_t row, tuple shapes, void* out) except -1:
        """Mass, centre and inertia of a body with these shapes; nothing is written yet."""
        cdef BodyInput given
        cdef const BodyData* body = &self.bodies[row]
        memset(&given, 0, sizeof(BodyInput))
        given.mass = body.mass if self.heads[row].given & GIVEN_MASS else -1.0
        given.has_inertia = (self.heads[row].given & GIVEN_INERTIA) != 0
        given.inertia = body.inertia
        given.kind, given.flags = self.heads[row].kind, self.heads[row].flags
        return self.measure(shapes, &given, <BodyData*> out)

    cdef void set_mass_of(self, int32_t row, const void* measured) noexcept:
        """Give a body the mass that was measured; its frame stays, and moves on as it did."""
        cdef const BodyData* data = <const BodyData*> measured
        cdef BodyData* body = &self.bodies[row]
        cdef Motion* motion = &self.motions[row]
        cdef Place* place = &self.places[row]
        cdef int32_t id = self.heads[row].first_shape
        cdef Vec3 before = place.x, w = motion.w
        body.mass, body.inertia = data.mass, data.inertia
        body.local_center = data.local_center
        place_frame(body, place.pose.p, place.q, place)
        if self.heads[row].kind != STATIC:
            motion.v = add(motion.v, cross(w, sub(place.x, before)))
        self.set_masses(row)
        place.bounding_radius = body.swept_radius = body.thickness = 0.0
        while id >= 0:
            self.grow_reach(row, id)
            id = self.shapes[id].next_shape
        # of its thinnest shape, whichever came first
        id = self.heads[row].first_shape
        while id >= 0:
            body.thickness = lesser(body.thickness, self.shapes[id].geometry.thickness)
            id = self.shapes[id].next_shape
        self.edits += 1
        self.shape_edits += 1
        self.moved(row)

    cdef int renew_shape(self, int32_t id, object shape, bint is_alike) except -1:
        """What the stages ask of it is new: pairs keep pointers to what their axis caches are of.
        """
        self.shapes[id].renewed = self.has_renewed = True
        return self.fill_shape(shape, &self.shapes[id])

    cdef void end_renewal(self) noexcept nogil:
        """Pairs have heard of what replace_shape did."""
        cdef int32_t id
        if self.has_renewed:
            for id in range(<int32_t> self.phase.boxes.n):
                self.shapes[id].renewed = False
            self.has_renewed = False

    # -- removing

    cdef void carry_row(self, int32_t row, int32_t to) noexcept nogil:
        """Copy all that is kept of a body to another row."""
        self.heads[to], self.bodies[to] = self.heads[row], self.bodies[row]
        self.motions[to], self.places[to] = self.motions[row], self.places[row]

    # -- values that follow from others

    cdef BodySettings* settings_of(self, int32_t row) noexcept nogil:
        return <BodySettings*> &self.bodies[row].mass

    cdef void set_masses(self, int32_t row) noexcept nogil:
        """Inverse mass and inertia from mass, inertia, kind and flags."""
        cdef BodyData* body = &self.bodies[row]
        cdef Motion* motion = &self.motions[row]
        cdef bint moves = self.heads[row].kind == DYNAMIC
        cdef Vec3 moments
        cdef Mat3 axes
        motion.inv_m = 1.0 / body.mass if moves else 0.0
        body.inv_I = body.root = body.inv_root = diagonal(0.0, 0.0, 0.0)
        if moves and not self.heads[row].flags & FIXED_ROTATION:
            principal(&body.inertia, &moments, &axes)
            body.inv_I = from_principal(&axes, vec3(1.0 / moments.x, 1.0 / moments.y,
                                                    1.0 / moments.z))
            moments = vec3(sqrt(moments.x), sqrt(moments.y), sqrt(moments.z))
            body.inv_root = from_principal(&axes, moments)
            body.root = from_principal(&axes, vec3(1.0 / moments.x, 1.0 / moments.y,
                                                   1.0 / moments.z))
        if self.heads[row].kind == STATIC:
            motion.v = motion.w = motion.L = vec3(0.0, 0.0, 0.0)
        else:
            set_spin(body, &self.places[row], motion.w, motion)

    cdef void moved(self, int32_t row) noexcept nogil:
        """A body was put elsewhere by its user: it wakes, and its boxes go with it."""
        cdef int32_t shape = self.heads[row].first_shape
        cdef Box box
        self.wake(row)
        self.heads[row].flags |= INITIAL_OVERLAP
        self.disturbed = True
        while shape >= 0:
            bound_shape(&self.shapes[shape], &self.places[row], &box)
            move_box(&self.phase.boxes, shape, &box)
            shape = self.shapes[shape].next_shape

cdef int check_mass(const BodyData* body, bint fixed_rotation) except -1:
    """That a dynamic body has a mass and an inertia that can be inverted."""
    cdef Vec3 moments
    cdef Mat3 axes
    if not LIGHTEST <= body.mass <= HEAVIEST:
        raise ValueError(f"a dynamic body must have a mass within {LIGHTEST:g} to {HEAVIEST:g} kg, "
                         f"got {body.mass!r}: give it shapes with density, or mass")
    principal(&body.inertia, &moments, &axes)
    if not fixed_rotation and not (
            LIGHTEST <= lesser(moments.x, lesser(moments.y, moments.z))
            and greater(moments.x, greater(moments.y, moments.z)) <= HEAVIEST):
        raise ValueError("a dynamic body must have principal moments of inertia > 0, got "
                         f"{(moments.x, moments.y, moments.z)}: give it shapes with density, "
                         "inertia, or fixed_rotation")
    return 0


cdef void end_edits(BodyStore store) noexcept nogil:
    """Forget the user's forces, and the disturbance of what is not dynamic and does not move."""
    cdef int32_t row
    cdef const Motion* motion
    store.disturbed = False
    for row in range(store.n_bodies):
        store.bodies[row].force = store.bodies[row].torque = vec3(0.0, 0.0, 0.0)
        if store.heads[row].kind == DYNAMIC or not store.heads[row].flags & AWAKE:
            continue
        motion = &store.motions[row]
        if length(motion.v) != 0.0 or length(motion.w) != 0.0:
            store.disturbed = True
        else:
            put_to_sleep(&store.heads[row])
