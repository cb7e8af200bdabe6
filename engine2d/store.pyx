"""The bodies and shapes of a world: who they are, and the arrays their numbers live in."""

from libc.math cimport INFINITY, M_PI, fabs
from libc.string cimport memcpy, memset

from enginecore.body_head cimport BodySettings
from enginecore.boxes cimport Box, move_box
from enginecore.filter cimport bits_of
from enginecore.memory cimport address, longer_lines
from enginecore.scalar cimport greater, lesser
from enginecore.sleep cimport put_to_sleep
from engine2d.arguments cimport FARTHEST, HEAVIEST, LIGHTEST
from engine2d.body cimport (
    AWAKE, DYNAMIC, FIXED_ROTATION, GIVEN_INERTIA, GIVEN_MASS, INITIAL_OVERLAP, STATIC, head_of,
)
from engine2d.collide.geometry cimport HULL, OUTLINE, ROUND
from engine2d.constants cimport FAT
from engine2d.pose cimport rotate
from engine2d.solve.integrate cimport put_frame
from engine2d.vec2 cimport add, dot, length, scaled, sub, turn, vec2

from enginecore.grid import HashedGrid

cdef enum:
    FIRST_ROOM = 64   # bodies and shapes that a new world has room for
# A disc whose centre is off the centre of mass by less than this share of its radius turns on the
# spot.
cdef double CENTRED = 1e-9
# What touches a shape to rounding touches its box: share of the numbers a place is made of.
cdef double BOX_ROUNDING = 1e-15


# ---- geometry of a body ---------------------------------------------------------------------

cdef void bound_shape(const ShapeData* shape, const Place* place, Vec2* low,
                      Vec2* high) noexcept nogil:
    """The box of a shape in the world; for an outline, that of its box."""
    cdef const Geometry* g = &shape.geometry
    cdef Vec2 p
    cdef Vec2[4] corners
    cdef const Vec2* points = g.core
    cdef int32_t n = g.n_core, k
    cdef double r = g.radius
    if g.kind == OUTLINE:
        corners[0] = g.box.low
        corners[1] = vec2(g.box.high.x, g.box.low.y)
        corners[2] = g.box.high
        corners[3] = vec2(g.box.low.x, g.box.high.y)
        points = corners
        n = 4
    p = rotate(place.pose.q, points[0])
    low[0] = high[0] = p
    for k in range(1, n):
        p = rotate(place.pose.q, points[k])
        low.x, low.y = lesser(p.x, low.x), lesser(p.y, low.y)
        high.x, high.y = greater(p.x, high.x), greater(p.y, high.y)
    r += BOX_ROUNDING * (fabs(place.pose.p.x) + fabs(place.pose.p.y) + fabs(low.x) + fabs(low.y)
                         + fabs(high.x) + fabs(high.y) + r)
    low[0] = vec2(place.pose.p.x + low.x - r, place.pose.p.y + low.y - r)
    high[0] = vec2(place.pose.p.x + high.x + r, place.pose.p.y + high.y + r)


cdef double thickness_of(const Geometry* g, double area) noexcept nogil:
    """2 area / perimeter: the thickness of a thin band, the radius of a disc (m)."""
    cdef double perimeter = 2.0 * M_PI * g.radius
    cdef int32_t k
    if not g.closed or g.kind == ROUND:
        return 2.0 * g.radius
    if g.kind == HULL:
        for k in range(g.n_core):
            perimeter += length(sub(g.core[(k + 1) % g.n_core], g.core[k]))
    else:
        for k in range(g.n_features):
            if g.features[k].r == INFINITY:
                perimeter += g.features[k].length
            else:
                perimeter += fabs(g.features[k].r) * greater(g.features[k].sweep, 0.0)
    return 2.0 * area / perimeter


cdef tuple check_shapes(tuple shapes):
    """That they are shapes, whole ones, and not out of all bounds; those of bodies as values."""
    cdef const Geometry* g
    cdef bint all_values = True
    for given in shapes:
        item = given
        if not isinstance(given, Shape):
            item = getattr(given, "shape", None)
            all_values = False
        if not isinstance(item, Shape):
            raise TypeError(f"shapes must be shapes such as Circle(0.5), got {given!r}")
        if (<Shape> item).filter is None:
            raise ValueError("shapes must be finished: the __init__ of one was not called")
        g = &(<Shape> item).geometry
        if not length(g.middle) + g.bounding_radius <= FARTHEST:
            raise ValueError(f"shapes must be within {FARTHEST:g} m, got {item!r}")
    return shapes if all_values else tuple([item if isinstance(item, Shape) else item.shape
                                            for item in shapes])


cdef void describe_shape(Shape shape, ShapeData* out):
    memset(out, 0, sizeof(ShapeData))
    out.geometry = shape.geometry
    out.friction, out.restitution = shape.friction, shape.restitution
    out.filter, out.sensor = bits_of(shape.filter), shape.sensor
    out.thickness = thickness_of(&shape.geometry, shape.moments.area)


# ---- the store --------------------------------------------------------------------------------

cdef class BodyStore(Bodies):

    def __cinit__(self):
        self.data_size = sizeof(BodyData)
        self.phase = HashedGrid(axes=2, margin=<double> FAT)
        self.reserve(FIRST_ROOM)
        self.reserve_shapes(FIRST_ROOM)

    cdef int reserve(self, int32_t capacity) except -1:
        """Make room for that many bodies."""
        old = self.arrays
        new = {name: longer_lines(old.get(name), capacity, size)
               for name, size in (("motions", sizeof(Motion)), ("places", sizeof(Place)),
                                  ("before", sizeof(Place)), ("bodies", sizeof(BodyData)))}
        old.update(new)
        self.motions = <Motion*> address(new["motions"])
        self.places = <Place*> address(new["places"])
        self.before = <Place*> address(new["before"])
        self.bodies = <BodyData*> address(new["bodies"])
        self.capacity = capacity
        return self.point_at_heads(self.bodies, sizeof(BodyData), self.shapes, sizeof(ShapeData))

    cdef int point_at_shapes(self, void* shapes) except -1:
        """The array is new."""
        self.shapes = <ShapeData*> shapes
        return self.point_at_heads(self.bodies, sizeof(BodyData), shapes, sizeof(ShapeData))

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
        data.id = id = self.table.insert(row)
        self.bodies[row] = data
        memset(&self.motions[row], 0, sizeof(Motion))
        memset(&self.places[row], 0, sizeof(Place))
        self.motions[row].v = given.velocity
        self.motions[row].w = given.angular_velocity
        self.n_bodies += 1
        self.set_masses(row)
        put_frame(&self.bodies[row], given.position, given.angle, &self.places[row])
        self.wake(row)
        for shape in shapes:
            self.add_shape(shape, row)
        self.edits += 1
        self.noted_edits += 1
        return id

    cdef int measure(self, tuple shapes, const BodyInput* given, BodyData* out) except -1:
        """Mass, centre and inertia of the shapes together, or as given."""
        cdef Shape shape
        cdef double mass = 0.0, inertia = 0.0, m
        cdef Vec2 moment = vec2(0.0, 0.0), center, arm
        cdef bint has_mass
        memset(out, 0, sizeof(BodyData))
        for item in shapes:
            shape = item
            m = shape.density * shape.moments.area
            mass += m
            moment = add(moment, scaled(m, shape.moments.centroid))
        # what has no mass to speak of has no centre of it either
        has_mass = LIGHTEST <= mass <= HEAVIEST
        center = scaled(1.0 / mass, moment) if has_mass else vec2(0.0, 0.0)
        for item in shapes:
            shape = item
            arm = sub(shape.moments.centroid, center)
            inertia += shape.density * (shape.moments.second + shape.moments.area * dot(arm, arm))
        out.local_center = center
        if given.mass >= 0.0:
            inertia = inertia / mass * given.mass if has_mass else 0.0
            mass = given.mass
        if given.inertia >= 0.0:
            inertia = given.inertia
        out.mass, out.inertia = mass, inertia
        out.kind, out.flags = given.kind, given.flags | INITIAL_OVERLAP
        out.given = ((GIVEN_MASS if given.mass >= 0.0 else 0)
                     | (GIVEN_INERTIA if given.inertia >= 0.0 else 0))
        if out.kind == DYNAMIC and not LIGHTEST <= mass <= HEAVIEST:
            raise ValueError(f"a dynamic body must have a mass that is finite and > 0, got {mass} "
                             "(give it mass=, or shapes with an area and a density)")
        if (out.kind == DYNAMIC and not out.flags & FIXED_ROTATION
                and not LIGHTEST <= inertia <= HEAVIEST):
            raise ValueError("a dynamic body must have an inertia that is finite and > 0, got "
                             f"{inertia!r} (give it inertia=, or fixed_rotation=True)")
        out.gravity_scale = given.gravity_scale
        out.linear_damping, out.angular_damping = given.linear_damping, given.angular_damping
        out.first_shape = out.island = -1
        return 0

    cdef int32_t add_shape(self, object shape, int32_t row) except -1:
        """Give the body in a row one more shape and return its id; its mass is the caller's."""
        cdef ShapeData data
        cdef Box box
        cdef Vec2 low, high
        cdef int32_t id
        memset(&data, 0, sizeof(ShapeData))
        self.fill_shape(shape, &data)
        data.body = row
        data.next_shape = self.bodies[row].first_shape
        self.table.generations += 1
        data.generation = self.table.generations
        bound_shape(&data, &self.places[row], &low, &high)
        box.low[0], box.low[1], box.low[2] = low.x, low.y, 0.0
        box.high[0], box.high[1], box.high[2] = high.x, high.y, 0.0
        id = self.phase.insert(&box)
        self.touch(id)
        self.shapes[id] = data
        self.shape_objects[id] = shape
        self.bodies[row].first_shape = id
        self.grow_reach(row, id)
        return id

    cdef int fill_shape(self, Shape shape, ShapeData* out) except -1:
        """What the stages ask of a shape."""
        out.geometry = shape.geometry
        out.friction, out.restitution = shape.friction, shape.restitution
        out.filter, out.sensor = bits_of(shape.filter), shape.sensor
        out.thickness = thickness_of(&shape.geometry, shape.moments.area)
        out.rolling, out.boost = shape.rolling_resistance, shape.boost
        out.surface, out.through = shape.surface, shape.through
        if length(out.through) > 0.0:
            out.through = scaled(1.0 / length(out.through), out.through)
        self.note_rules(out)
        return 0

    cdef void note_rules(self, const ShapeData* shape) noexcept:
        """Remember whether any shape has rules that solvers must know of, or is an outline."""
        if shape.geometry.kind == OUTLINE:
            self.has_outlines = True
        if (shape.rolling > 0.0 or shape.boost > 0.0 or shape.surface.x != 0.0
                or shape.surface.y != 0.0):
            self.has_rules = True

    cdef void grow_reach(self, int32_t row, int32_t id) noexcept:
        """Let the body's reach and thickness be those of one more of its shapes."""
        cdef const ShapeData* data = &self.shapes[id]
        cdef const Geometry* g = &data.geometry
        cdef double arm = length(sub(g.middle, self.bodies[row].local_center))
        self.places[row].bounding_radius = greater(self.places[row].bounding_radius,
                                                   arm + g.bounding_radius)
        if g.kind != ROUND or arm > CENTRED * g.radius:
            self.bodies[row].swept_radius = greater(self.bodies[row].swept_radius,
                                                    arm + g.bounding_radius)
        if data.next_shape < 0 or data.thickness < self.bodies[row].thickness:
            self.bodies[row].thickness = data.thickness

    # -- changing

    cdef int measure_again(self, int32_t row, tuple shapes, void* out) except -1:
        """Mass, centre and inertia of a body with these shapes; nothing is written yet."""
        cdef BodyInput given
        cdef const BodyData* body = &self.bodies[row]
        memset(&given, 0, sizeof(BodyInput))
        given.mass = body.mass if body.given & GIVEN_MASS else -1.0
        given.inertia = body.inertia if body.given & GIVEN_INERTIA else -1.0
        given.kind, given.flags = body.kind, body.flags
        return self.measure(shapes, &given, <BodyData*> out)

    cdef void set_mass_of(self, int32_t row, const void* measured) noexcept:
        """Give a body the mass that was measured; its frame stays, and moves on as it did."""
        cdef const BodyData* data = <const BodyData*> measured
        cdef BodyData* body = &self.bodies[row]
        cdef Motion* motion = &self.motions[row]
        cdef int32_t id = body.first_shape
        cdef Vec2 before = self.places[row].x, shift = sub(data.local_center, body.local_center)
        body.mass, body.inertia = data.mass, data.inertia
        if shift.x != 0.0 or shift.y != 0.0:
            body.local_center = data.local_center
            put_frame(body, self.places[row].pose.p, self.places[row].angle, &self.places[row])
            motion.v = add(motion.v, turn(motion.w, sub(self.places[row].x, before)))
        self.set_masses(row)
        self.places[row].bounding_radius = body.swept_radius = body.thickness = 0.0
        while id >= 0:
            self.grow_reach(row, id)
            id = self.shapes[id].next_shape
        # of its thinnest shape, whichever came first
        id = body.first_shape
        while id >= 0:
            body.thickness = lesser(body.thickness, self.shapes[id].thickness)
            id = self.shapes[id].next_shape
        self.edits += 1
        self.shape_edits += 1
        self.moved(row)

    cdef int renew_shape(self, int32_t id, object shape, bint is_alike) except -1:
        """What the stages ask of it is new; pairs hear of another form."""
        if not is_alike:
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

    cdef int drop(self, int32_t row) except -1:
        """Remove the body in a row; the row itself stays until rows are settled."""
        self.noted_edits += 1
        return Bodies.drop(self, row)

    cdef void carry_row(self, int32_t row, int32_t to) noexcept nogil:
        """Copy all that is kept of a body to another row."""
        self.bodies[to] = self.bodies[row]
        self.motions[to] = self.motions[row]
        self.places[to] = self.places[row]

    # -- values that follow from others

    cdef void keep_places(self) noexcept nogil:
        """Note where all bodies are, should a step lose one."""
        memcpy(self.before, self.places, self.n_bodies * sizeof(Place))

    cdef BodySettings* settings_of(self, int32_t row) noexcept nogil:
        return <BodySettings*> &self.bodies[row].mass

    cdef void set_masses(self, int32_t row) noexcept nogil:
        """Inverse mass and inertia from mass, inertia, kind and flags."""
        cdef const BodyData* body = &self.bodies[row]
        cdef Motion* motion = &self.motions[row]
        cdef bint moves = body.kind == DYNAMIC
        motion.inv_m = 1.0 / body.mass if moves else 0.0
        motion.inv_I = 1.0 / body.inertia if moves and not body.flags & FIXED_ROTATION else 0.0
        if body.kind == STATIC:
            motion.v = vec2(0.0, 0.0)
            motion.w = 0.0

    cdef void moved(self, int32_t row) noexcept nogil:
        """A body was put elsewhere by its user: it wakes, and its boxes go with it."""
        cdef int32_t shape = self.bodies[row].first_shape
        cdef Box box
        cdef Vec2 low, high
        self.wake(row)
        self.bodies[row].flags |= INITIAL_OVERLAP
        self.disturbed = True
        while shape >= 0:
            bound_shape(&self.shapes[shape], &self.places[row], &low, &high)
            box.low[0], box.low[1], box.low[2] = low.x, low.y, 0.0
            box.high[0], box.high[1], box.high[2] = high.x, high.y, 0.0
            move_box(&self.phase.boxes, shape, &box)
            self.touch(shape)
            shape = self.shapes[shape].next_shape

    cdef void touch(self, int32_t shape) noexcept nogil:
        """Note that a shape came, went or was put elsewhere, for the next query."""
        if self.n_touched < MOST_TOUCHED:
            self.touched[self.n_touched] = shape
        if self.n_touched <= MOST_TOUCHED:
            self.n_touched += 1

    cdef void wake(self, int32_t row) noexcept nogil:
        """Wake a body; one that is not dynamic wakes in the next step what it meets."""
        Bodies.wake(self, row)
        self.bodies[row].rock_time = 0.0

cdef void end_edits(BodyStore store) noexcept nogil:
    """Forget the user's forces, and the disturbance of what is not dynamic and does not move."""
    cdef int32_t row
    cdef BodyData* body
    cdef const Motion* motion
    store.disturbed = False
    for row in range(store.n_bodies):
        body = &store.bodies[row]
        if body.force.x != 0.0 or body.force.y != 0.0 or body.torque != 0.0:
            body.force = vec2(0.0, 0.0)
            body.torque = 0.0
        if body.kind == DYNAMIC or not body.flags & AWAKE:
            continue
        motion = &store.motions[row]
        if motion.v.x != 0.0 or motion.v.y != 0.0 or motion.w != 0.0:
            store.disturbed = True
        else:
            put_to_sleep(head_of(body))
