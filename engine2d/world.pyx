"""The world: bodies, and the step that moves them.

World.step is a table of contents; each stage is a module of its own (ARCHITECTURE.md).
"""

import time
from typing import NamedTuple

import numpy as np

from libc.math cimport fabs, isfinite
from libc.stdint cimport int32_t, uint8_t
from libc.string cimport memset

from engine2d.arguments cimport (
    FARTHEST, FASTEST, read_angle, read_at_least_zero, read_inert, read_place, read_positive,
    read_rate, read_velocity,
)
from engine2d.body cimport (
    AWAKE, BULLET, DYNAMIC, FIXED_ROTATION, KINEMATIC, NO_SLEEP, PUT, STATIC, STEADY, BodyData,
    Motion, Place,
)
from engine2d.broad_phase cimport sweep_boxes
from engine2d.contact cimport (
    BURIED, MIX_AVERAGE, MIX_GEOMETRIC, MIX_MAXIMUM, MIX_MINIMUM, MIX_PRODUCT, Contact,
    ContactStore,
)
from engine2d.contact_list cimport read_contacts
from engine2d.fast cimport stop_fast
from engine2d.large_step cimport LargeBuffers, LargeWorkspace, add_island, is_buried, step_large
from engine2d.sleep cimport fall_asleep, wake_all, wake_neighbours
from engine2d.small_step cimport SUB_STEPS, SmallMemory, SmallWorkspace, step_island
from engine2d.step_context cimport Counters, Island
from engine2d.store cimport BodyInput
from engine2d.vec2 cimport add, dot, length, scaled, vec2

from enginecore.arguments import as_rows
from enginecore.status import build_mode as BUILD_MODE
from engine2d.body import Body
from engine2d.contact_system import contact_system

# Contacts this far apart are kept, whatever the speed: for bodies of about a metre.
cdef double MARGIN = 0.01        # m
cdef double TOUCH = 1e-5         # m, gaps up to this are contact
cdef double FLAT = 1e-3
cdef double GAMMA = 0.3
cdef double MOST_DT = 1e3        # s
# Longer steps are made in equal parts: what a body faces when a part begins is what it meets in it,
# and piles are calm. A fiftieth of a second is one; so many parts are enough for any.
cdef double LONGEST_PART = 0.0205  # s
cdef int MOST_PARTS = 64

# Islands with at least this many contacts are solved by sweeps unless the user says otherwise: an
# island in motion has to be solved from scratch, which grows with the third power. At rest most
# solves are spared, so calm ones may be larger. docs/decisions/0007-direct-or-sweeps.md.
cdef int32_t LARGE = 32
cdef int32_t LARGE_CALM = 64
cdef double CALM_SPEED = 0.2    # m/s
cdef int32_t MOST_CONTACTS = 0x7FFFFFFF

cdef enum:                       # as in SOLVERS
    SOLVER_AUTO = 0
    SOLVER_ITERATIVE = 2

cdef tuple STAGES = ("edits", "broad_phase", "narrow_phase", "island", "solve", "event")
cdef tuple SOLVERS = ("auto", "direct", "iterative")
cdef dict RULES = {"geometric": MIX_GEOMETRIC, "maximum": MIX_MAXIMUM, "minimum": MIX_MINIMUM,
                   "average": MIX_AVERAGE, "product": MIX_PRODUCT}


class Energy(NamedTuple):
    """J, of all dynamic bodies; potential energy is 0 at the origin."""

    kinetic: float
    potential: float
    total: float


# ---- kernels ----------------------------------------------------------------------------------

cdef bint is_calm(const StepContext* ctx, const int32_t* rows, int32_t n) noexcept nogil:
    """Whether no point of these bodies is faster than CALM_SPEED."""
    cdef int32_t k
    for k in range(n):
        if (length(ctx.motions[rows[k]].v)
                + fabs(ctx.motions[rows[k]].w) * ctx.places[rows[k]].reach > CALM_SPEED):
            return False
    return True


cdef void step_islands(StepContext* ctx, IslandStore islands, int32_t least_large,
                       SmallMemory* memory, LargeWorkspace* work) noexcept nogil:
    """Carry small islands through the step one after another, then all large ones together, but
    those of bodies that were put into each other."""
    cdef int32_t k
    cdef Island* island
    for k in range(islands.n):
        island = &islands.islands[k]
        islands.is_large[k] = island.n_contacts >= least_large and not (
            least_large == LARGE and island.n_contacts < LARGE_CALM
            and is_calm(ctx, &islands.bodies[island.first_body], island.n_bodies))
        if islands.is_large[k]:
            if not is_buried(ctx, &islands.contacts[island.first_contact], island.n_contacts):
                add_island(&islands.bodies[island.first_body], island.n_bodies,
                           &islands.contacts[island.first_contact], island.n_contacts, work)
        else:
            step_island(ctx, &islands.bodies[island.first_body], island.n_bodies,
                        &islands.contacts[island.first_contact], island.n_contacts, SUB_STEPS,
                        memory)
    if work.n_rows > 0:
        step_large(ctx, work, False)
    # those that need more passes are on their own: nobody else's bits may depend on them
    for k in range(islands.n):
        island = &islands.islands[k]
        if islands.is_large[k] and is_buried(ctx, &islands.contacts[island.first_contact],
                                             island.n_contacts):
            add_island(&islands.bodies[island.first_body], island.n_bodies,
                       &islands.contacts[island.first_contact], island.n_contacts, work)
            step_large(ctx, work, True)


cdef void scale_impulses(ContactStore store, double factor) noexcept nogil:
    """Make last step's impulses a start for a step of another length: forces stay what they are."""
    cdef int32_t k
    for k in range(store.n):
        store.contacts[k].pn *= factor
        store.contacts[k].pt *= factor


cdef void move_kinematic(BodyStore store, double dt) noexcept nogil:
    """Carry kinematic bodies through a step."""
    cdef int32_t row
    cdef Place* place
    for row in range(store.n_bodies):
        if store.bodies[row].kind == KINEMATIC:
            place = &store.places[row]
            place.x = add(place.x, scaled(dt, store.motions[row].v))
            place.angle += dt * store.motions[row].w
            store.motions[row].d = scaled(dt, store.motions[row].v)
            store.motions[row].turned = dt * store.motions[row].w
            store.sync(row)


cdef void end_edits(BodyStore store) noexcept nogil:
    """Forget the user's forces, and the disturbance of what is not dynamic and does not move."""
    cdef int32_t row
    cdef BodyData* body
    cdef const Motion* motion
    store.disturbed = False
    for row in range(store.n_bodies):
        body = &store.bodies[row]
        body.force = vec2(0.0, 0.0)
        body.torque = 0.0
        if body.kind == DYNAMIC or not body.flags & AWAKE:
            continue
        motion = &store.motions[row]
        if motion.v.x != 0.0 or motion.v.y != 0.0 or motion.w != 0.0:
            store.disturbed = True
        else:
            body.flags &= ~<int>AWAKE


cdef void end_puts(const StepContext* ctx) noexcept nogil:
    """Forget which bodies their users put where they are, but those that are in others still: whom
    they are pushed into has not come there by its own motion either."""
    cdef int32_t row, k
    cdef BodyData* a
    cdef BodyData* b
    for row in range(ctx.n_bodies):
        ctx.bodies[row].flags &= ~<int>PUT
    if ctx.n_buried == 0:
        return
    for k in range(ctx.n_contacts):
        if ctx.contacts[k].flags & BURIED:
            a = &ctx.bodies[ctx.contacts[k].a]
            b = &ctx.bodies[ctx.contacts[k].b]
            if a.kind == DYNAMIC:
                a.flags |= PUT
            if b.kind == DYNAMIC:
                b.flags |= PUT


cdef inline bint is_sound(const Motion* motion, const Place* place) noexcept nogil:
    """Whether a body is where it can be, no faster than it can be; false for NaN."""
    return (fabs(motion.v.x) <= FASTEST and fabs(motion.v.y) <= FASTEST
            and fabs(motion.w) <= FASTEST and fabs(place.x.x) <= FARTHEST
            and fabs(place.x.y) <= FARTHEST and fabs(place.angle) <= FARTHEST)


cdef int32_t stop_runaways(StepContext* ctx, const Place* before) noexcept nogil:
    """Put bodies that left the range of numbers back where they were, at rest; returns how many."""
    cdef int32_t row, k, n = 0
    cdef BodyData* body
    cdef Contact* c
    for row in range(ctx.n_bodies):
        if is_sound(&ctx.motions[row], &ctx.places[row]):
            continue
        n += 1
        body = &ctx.bodies[row]
        ctx.places[row] = before[row]
        ctx.motions[row].v = ctx.motions[row].d = body.a = vec2(0.0, 0.0)
        ctx.motions[row].w = ctx.motions[row].turned = body.alpha = 0.0
        body.flags &= ~<int>STEADY
    if n == 0:
        return 0
    for k in range(ctx.n_contacts):
        c = &ctx.contacts[k]
        if not isfinite(c.pn + c.pt + c.sum_n + c.sum_t + c.hit_speed):
            c.pn = c.pt = c.sum_n = c.sum_t = c.hit_speed = 0.0
            c.mode_n = c.mode_t = 0
    return n


# ---- the face ---------------------------------------------------------------------------------

cdef class World:
    """A world of bodies under gravity (m/s^2).

    solver: "direct" solves every island exactly, "iterative" every island by sweeps, "auto" small
    ones exactly and large ones by sweeps. sleeping: bodies at rest fall asleep. friction_rule and
    restitution_rule say how a pair's numbers come from its shapes': geometric (square root of the
    product), maximum, minimum, average or product.
    """

    def __init__(self, gravity=(0.0, -9.81), *, solver="auto", sleeping=True,
                 friction_rule="geometric", restitution_rule="maximum"):
        self.gravity = gravity
        if solver not in SOLVERS:
            raise ValueError(f"solver must be one of {', '.join(SOLVERS)}, got {solver!r}")
        self.solver = SOLVERS.index(solver)
        self.sleeping = sleeping
        self.scene.mix_friction = read_rule(friction_rule, "friction_rule")
        self.scene.mix_restitution = read_rule(restitution_rule, "restitution_rule")

    def __cinit__(self, *args, **options):
        self.store = BodyStore()
        self.contact_store = ContactStore()
        self.island_store = IslandStore()
        self.event_store = EventStore(self.store)
        self.query = Query(self.store)
        self.small = SmallWorkspace()
        self.large = LargeBuffers()

    cdef int enter(self, str what) except -1:
        """Begin a call that nothing else may interrupt; the caller ends it by busy = False."""
        if self.store.busy:
            raise RuntimeError(f"{what}: a step of this world is under way")
        self.store.busy = True
        return 0

    @property
    def gravity(self):
        """m/s^2."""
        return self.pull.x, self.pull.y

    @gravity.setter
    def gravity(self, value):
        cdef int32_t row
        cdef Vec2 pull = read_velocity(value, "gravity")
        self.store.check_idle("gravity")
        self.pull = pull
        for row in range(self.store.n_bodies):
            if self.store.bodies[row].kind == DYNAMIC:
                self.store.wake(row)

    # -- bodies

    def add_body(self, *shapes, position=(0.0, 0.0), angle=0.0, velocity=(0.0, 0.0),
                 angular_velocity=0.0, mass=None, inertia=None, kind="dynamic",
                 gravity_scale=1.0, linear_damping=0.0, angular_damping=0.0,
                 fixed_rotation=False, bullet=False, can_sleep=True):
        """Add a body made of shapes and return it.

        position (m) and angle (rad) of the frame the shapes are given in; velocity (m/s) of the
        centre of mass; mass (kg) and inertia (kg m^2, about the centre of mass) override what
        follows from the shapes' densities. kind: dynamic, static or kinematic.
        """
        cdef BodyInput given
        given.position = read_place(position, "position")
        given.angle = read_angle(angle, "angle")
        given.velocity = read_velocity(velocity, "velocity")
        given.angular_velocity = read_rate(angular_velocity, "angular_velocity")
        given.mass = -1.0 if mass is None else read_inert(mass, "mass")
        given.inertia = -1.0 if inertia is None else read_inert(inertia, "inertia")
        given.gravity_scale = read_rate(gravity_scale, "gravity_scale")
        given.linear_damping = read_at_least_zero(linear_damping, "linear_damping")
        given.angular_damping = read_at_least_zero(angular_damping, "angular_damping")
        given.kind = read_kind(kind)
        given.flags = (AWAKE | (FIXED_ROTATION if fixed_rotation else 0)
                       | (BULLET if bullet else 0) | (0 if can_sleep else NO_SLEEP))
        return self._add(shapes, &given)

    def add_static(self, *shapes, position=(0.0, 0.0), angle=0.0):
        """Add a body that never moves and return it."""
        return self.add_body(*shapes, position=position, angle=angle, kind="static")

    def add_kinematic(self, *shapes, position=(0.0, 0.0), angle=0.0, velocity=(0.0, 0.0),
                      angular_velocity=0.0):
        """Add a body that moves as its velocity says, whatever it meets, and return it."""
        return self.add_body(*shapes, position=position, angle=angle, velocity=velocity,
                             angular_velocity=angular_velocity, kind="kinematic")

    cdef object _add(self, tuple shapes, const BodyInput* given):
        cdef int32_t id
        self.store.check_idle("add_body")
        if given.kind == STATIC and (given.velocity.x != 0.0 or given.velocity.y != 0.0
                                     or given.angular_velocity != 0.0):
            raise ValueError("a static body has no velocity; make it kinematic")
        id = self.store.insert(shapes, given)
        body = Body(self.store, id, self.store.entries[id].generation)
        self.store.handles[id] = body
        return body

    def remove(self, body):
        """Remove a body; its handle is of no more use, and what rested on it wakes."""
        if not isinstance(body, Body):
            raise TypeError(f"body must be a body of this world, got {body!r}")
        if not body._is_of(self.store):
            raise ValueError(f"body must be of this world, got {body!r} of another")
        self.store.check_idle("remove")
        self.store.drop(self.store.row(body.id, body.generation))

    def body(self, id):
        """The body with an id, as the events have it."""
        if not isinstance(id, (int, np.integer)) or not 0 <= id < self.store.n_ids \
                or self.store.entries[<int32_t> id].row < 0:
            raise ValueError(f"id must be that of a body of this world, got {id!r}")
        return self.store.handles[int(id)]

    @property
    def bodies(self):
        """All bodies, in the order they were added."""
        cdef int32_t row
        self.store.check_idle("bodies")
        self.store.settle()
        return [self.store.handles[self.store.bodies[row].id]
                for row in range(self.store.n_bodies)]

    # -- views

    cdef object view(self, str name, int32_t first, int32_t count):
        """Columns of the bodies' rows, read-only, without a copy."""
        self.store.check_idle("views")
        self.store.settle()
        rows = self.store.arrays[name].view(np.float64).reshape(-1, 8)[:self.store.n_bodies]
        rows = rows[:, first] if count == 1 else rows[:, first:first + count]
        rows.flags.writeable = False
        return rows

    @property
    def positions(self):
        """Origins of the bodies' frames (n x 2, m): a view, rows as in `bodies`."""
        return self.view("places", 0, 2)

    @property
    def centers(self):
        """Centres of mass (n x 2, m): a view."""
        return self.view("places", 4, 2)

    @property
    def angles(self):
        """Angles of the bodies' frames (n, rad): a view."""
        return self.view("places", 6, 1)

    @property
    def velocities(self):
        """Velocities of the centres of mass (n x 2, m/s): a view."""
        return self.view("motions", 0, 2)

    @property
    def angular_velocities(self):
        """Rates of turning (n, rad/s): a view."""
        return self.view("motions", 2, 1)

    @property
    def awake(self):
        """Which bodies are simulated (n, bool): a copy, rows as in `bodies`."""
        cdef int32_t row
        self.store.check_idle("awake")
        self.store.settle()
        out = np.zeros(self.store.n_bodies, np.bool_)
        cdef uint8_t[::1] into = out.view(np.uint8)
        for row in range(self.store.n_bodies):
            into[row] = (self.store.bodies[row].kind == DYNAMIC
                         and self.store.bodies[row].flags & AWAKE != 0)
        return out

    @property
    def islands(self):
        """Which island of the last step each body was in (n, int32; -1: none): a copy."""
        cdef int32_t row
        self.store.check_idle("islands")
        self.store.settle()
        out = np.full(self.store.n_bodies, -1, np.int32)
        cdef int32_t[::1] into = out
        if self.steps > 0:
            for row in range(self.store.n_bodies):
                into[row] = self.store.bodies[row].island
        return out

    @property
    def energy(self):
        """Kinetic, potential and total energy of the dynamic bodies (J)."""
        cdef double kinetic = 0.0, potential = 0.0
        cdef int32_t row
        cdef const BodyData* body
        cdef const Motion* motion
        self.store.check_idle("energy")
        self.store.settle()
        for row in range(self.store.n_bodies):
            body = &self.store.bodies[row]
            if body.kind != DYNAMIC:
                continue
            motion = &self.store.motions[row]
            kinetic += 0.5 * body.mass * dot(motion.v, motion.v)
            if motion.inv_I > 0.0:
                kinetic += 0.5 * body.inertia * motion.w * motion.w
            potential -= (body.mass * body.gravity_scale
                          * dot(self.pull, self.store.places[row].x))
        return Energy(kinetic, potential, kinetic + potential)

    @property
    def events(self):
        """What happened in the last step; handlers can be added to it."""
        return self.event_store

    @property
    def contacts(self):
        """Contacts that touched in the last step, with their forces (N): a ContactList."""
        self.store.check_idle("contacts")
        return read_contacts(self.store, self.contact_store, &self.ctx)

    @property
    def stats(self):
        """Of the last step: seconds by stage, and counts."""
        cdef Py_ssize_t k
        counters = self.ctx.counters
        return {"seconds": {STAGES[k]: self.seconds[k] for k in range(N_STAGES)},
                "bodies": self.store.n_bodies - self.store.n_removed,
                "pairs": self.contact_store.n_pairs, "contacts": self.contact_store.n,
                "islands": self.island_store.n, **counters}

    def contact_system(self, extra="velocity", dt=1.0 / 60.0, friction=False):
        """The equation a = A f + b of resting contact for the present state, and its solution.

        One row for each contact that touches: gap acceleration a (m/s^2), force f (N); extra and dt
        (s) as in contact_force.assemble. friction=True adds a row for each contact's friction along
        z x normal, with |f| at most mu times the normal force. Returns a ContactSystem.
        """
        return contact_system(self, extra, dt, friction)

    def set_state(self, *, positions=None, angles=None, velocities=None, angular_velocities=None):
        """Write the state of all bodies at once: arrays with a row for each of `bodies`."""
        cdef int32_t row
        wanted = {"positions": (positions, (2,), FARTHEST), "angles": (angles, (), FARTHEST),
                  "velocities": (velocities, (2,), FASTEST),
                  "angular_velocities": (angular_velocities, (), FASTEST)}
        given = {name: as_rows(name, value, tail).copy()
                 for name, (value, tail, _) in wanted.items() if value is not None}
        # reading may run any code: only now is it known which bodies there are
        self.store.check_idle("set_state")
        self.store.settle()
        cdef int32_t n = self.store.n_bodies
        for name, array in given.items():
            _, tail, most = wanted[name]
            if array.shape != (n, *tail):
                raise ValueError(f"{name} must have shape {(n, *tail)}, got {array.shape}")
            if not (np.abs(array) <= most).all():
                raise ValueError(f"{name} must be finite and within +-{most:g}")
        still = [row for row in range(n) if self.store.bodies[row].kind == STATIC]
        for name in ("velocities", "angular_velocities"):
            if name in given and given[name][still].any():
                raise ValueError(f"{name} of static bodies must be 0")
        # nothing is written before all is known to be good
        frames = self.store.arrays["places"].view(np.float64).reshape(-1, 8)[:n]
        moves = self.store.arrays["motions"].view(np.float64).reshape(-1, 8)[:n]
        if "positions" in given:
            frames[:, 0:2] = given["positions"]
        if "angles" in given:
            frames[:, 6] = given["angles"]
        if "velocities" in given:
            moves[:, 0:2] = given["velocities"]
        if "angular_velocities" in given:
            moves[:, 2] = given["angular_velocities"]
        for row in range(n):
            if "positions" in given or "angles" in given:
                self.store.place_frame(row)
                self.store.moved(row)
            elif self.store.bodies[row].kind != STATIC:
                self.store.wake(row)

    # -- states

    def snapshot(self):
        """The whole state, contacts and their impulses included; cheap to take and to give back.

        Handlers of events are not part of it.
        """
        self.enter("snapshot")
        try:
            return _snapshots().take(self)
        finally:
            self.store.busy = False

    def restore(self, snapshot):
        """Go back to a snapshot, bit for bit; of another world too, whose bodies are then copied.

        Handles of bodies that were removed since are good again, those of later ones are not.
        """
        self.enter("restore")
        try:
            _snapshots().give_back(self, snapshot)
        finally:
            self.store.busy = False

    def copy(self):
        """A world of its own in the same state."""
        return self.__copy__()

    def __copy__(self):
        rebuild, given, *state = self.__reduce__()
        out = rebuild(*given)
        if state:
            out.__dict__.update(state[0])
        return out

    def __reduce__(self):
        given = self.snapshot(), type(self)
        # what subclasses add of their own
        own = getattr(self, "__dict__", None)
        return (_snapshots()._rebuild_world, given, own) if own else (
            _snapshots()._rebuild_world, given)

    @property
    def build_mode(self):
        """Which build of the engine is loaded."""
        return BUILD_MODE

    # -- questions; filter: only shapes that one with this Filter would collide with

    def point_query(self, point, *, filter=None, sensors=False):
        """Shapes that hold a point (m): a list of (body, shape), by age."""
        return self.query.point(point, filter, sensors)

    def box_query(self, low, high, *, filter=None, sensors=False):
        """Shapes whose boxes overlap the box from low to high (m): a list of (body, shape)."""
        return self.query.box(low, high, filter, sensors)

    def overlap_query(self, shape, pose=(0.0, 0.0), *, filter=None, sensors=False):
        """Shapes that a shape at a pose (x, y, angle) touches or overlaps: (body, shape)."""
        return self.query.overlap(shape, pose, filter, sensors)

    def ray_query(self, start, end, *, filter=None, sensors=False):
        """The first shape on the way from start to end (m): a Hit, or None.

        A ray hits a solid where it enters it: what it starts in, it leaves unnoticed.
        """
        return self.query.ray(start, end, filter, sensors)

    def ray_query_all(self, start, end, *, filter=None, sensors=False):
        """All shapes on the way from start to end (m), each where it is first entered, in order."""
        return self.query.ray_all(start, end, filter, sensors)

    def ray_queries(self, starts, ends, *, filter=None, sensors=False):
        """The first shapes on many ways at once (n x 2 each, m): arrays in, arrays out (Rays)."""
        return self.query.rays(starts, ends, filter, sensors)

    def cast_query(self, shape, pose, way, *, filter=None, sensors=False):
        """The first shape that a shape meets which moves from a pose along way (m): a Hit, or None.

        What it overlaps at the start it meets at once, unless it is leaving it.
        """
        return self.query.cast(shape, pose, way, filter, sensors)

    def nearest_query(self, point, distance=None, *, filter=None, sensors=False):
        """The shape nearest to a point (m), within a distance (m) if given: a Hit, or None."""
        return self.query.nearest(point, distance, filter, sensors)

    # -- the step

    def step(self, dt):
        """Simulate dt seconds; a long step is made in several parts."""
        cdef double h = read_positive(dt, "dt")
        if h > MOST_DT:
            raise ValueError(f"dt must be at most {MOST_DT:g} s, got {dt!r}")
        if self.calling:
            raise RuntimeError("step: the last step's handlers are not done; they cannot call it")
        self.enter("step")
        cdef int parts = count_parts(h), _part
        memset(self.seconds, 0, sizeof(self.seconds))
        self.runaways = 0
        memset(&self.ctx.counters, 0, sizeof(Counters))
        self.event_store.clear()
        try:
            for _part in range(parts):
                self.step_part(h / parts)
            end_edits(self.store)
        finally:
            self.store.busy = False
        self.time += h
        self.steps += 1
        self.calling = True
        try:
            self.event_store.call_handlers()
        finally:
            self.calling = False
        if self.runaways:
            raise OverflowError(f"{self.runaways} bodies left the range of places (+-{FARTHEST:g} "
                                f"m) or speeds (+-{FASTEST:g} m/s) in this step; they are at rest "
                                "where they were before it")

    cdef int step_part(self, double dt) except -1:
        """The stages, one after another, with their times."""
        clock = time.perf_counter
        marks = [clock()]
        self.begin_step(dt)
        marks.append(clock())
        self.find_pairs()
        marks.append(clock())
        self.find_contacts()
        marks.append(clock())
        self.build_islands()
        marks.append(clock())
        self.solve()
        marks.append(clock())
        self.finish_step()
        marks.append(clock())
        for k, (start, end) in enumerate(zip(marks, marks[1:])):
            self.seconds[<int> k] += end - start
        return 0

    cdef int begin_step(self, double dt) except -1:
        """Stage edits: rows without gaps, and the context of this step."""
        cdef StepContext* ctx = &self.ctx
        cdef BodyStore store = self.store
        store.settle()
        if not self.sleeping:
            wake_all(store)
        self.query.fresh = False
        store.keep_places()
        self.last_dt = dt
        if ctx.dt > 0.0 and ctx.dt != dt:
            scale_impulses(self.contact_store, dt / ctx.dt)
        ctx.dt = dt
        ctx.gravity = self.pull
        ctx.strike_speed = 0.0
        ctx.tol.touch = ctx.tol.slop = TOUCH
        ctx.tol.flat, ctx.tol.gamma = FLAT, GAMMA
        self.scene.dt = dt
        self.scene.margin = MARGIN
        self.scene.fall = length(self.pull) * dt * dt
        self.scene.gravity = self.pull
        self.point_at_stores()
        return 0

    cdef void point_at_stores(self) noexcept:
        """Bring the pointers of context and scene up to date."""
        cdef StepContext* ctx = &self.ctx
        ctx.motions, ctx.places = self.store.motions, self.store.places
        ctx.bodies, ctx.n_bodies = self.store.bodies, self.store.n_bodies
        ctx.contacts, ctx.n_contacts = self.contact_store.contacts, self.contact_store.n
        ctx.n_buried = self.contact_store.n_buried
        self.scene.shapes, self.scene.motions = self.store.shapes, self.store.motions
        self.scene.places, self.scene.bodies = self.store.places, self.store.bodies

    cdef int find_pairs(self) except -1:
        """Stage broad_phase: which boxes overlap."""
        with nogil:
            sweep_boxes(self.store, &self.scene)
        self.store.phase.refresh()
        return 0

    cdef int find_contacts(self) except -1:
        """Stage narrow_phase: contact points, with last step's impulses where they were there."""
        cdef BodyStore store = self.store
        cdef int32_t row
        if (store.phase.table.p.n_begun or store.phase.table.p.n_ended
                or store.edits != self.seen_edits):
            self.contact_store.match(&store.phase.table.p, &self.scene,
                                     store.edits != self.seen_edits)
            self.seen_edits = store.edits
            for _, _, body_a, body_b in self.contact_store.ended:
                for id in (body_a, body_b):
                    row = store.entries[<int32_t> id].row
                    # what cannot move has not lost a support, and others rest on it
                    if row >= 0 and store.bodies[row].kind == DYNAMIC:
                        store.wake(row)
        if store.disturbed and self.sleeping:
            with nogil:
                wake_neighbours(store, self.contact_store)
        self.contact_store.find(&self.scene)
        self.point_at_stores()
        return 0

    cdef int build_islands(self) except -1:
        """Stage island: who pushes whom."""
        self.island_store.reserve(self.ctx.n_bodies, self.ctx.n_contacts)
        with nogil:
            self.island_store.build(&self.ctx)
        return 0

    cdef int solve(self) except -1:
        """Stages impact, contact_force, solver and integrate: carry every island through dt."""
        cdef int32_t n_bodies = 0, n_contacts = 0, k, least_large = LARGE
        if self.solver != SOLVER_AUTO:
            least_large = 1 if self.solver == SOLVER_ITERATIVE else MOST_CONTACTS
        for k in range(self.island_store.n):
            if self.island_store.islands[k].n_contacts < max(
                    least_large, LARGE_CALM if least_large == LARGE else 0):
                n_bodies = max(n_bodies, self.island_store.islands[k].n_bodies)
                n_contacts = max(n_contacts, self.island_store.islands[k].n_contacts)
        self.small.reserve(n_bodies, n_contacts, self.ctx.n_bodies)
        self.large.reserve(self.ctx.n_bodies, self.ctx.n_contacts)
        with nogil:
            step_islands(&self.ctx, self.island_store, least_large, &self.small.memory,
                         &self.large.work)
            move_kinematic(self.store, self.ctx.dt)
            stop_fast(&self.ctx, self.contact_store, self.store.shapes, &self.store.phase.boxes,
                      self.island_store.is_large)
        return 0

    cdef int finish_step(self) except -1:
        """Stages event and sleep."""
        self.runaways += stop_runaways(&self.ctx, self.store.before)
        end_puts(&self.ctx)
        self.event_store.collect(&self.ctx, self.contact_store)
        if self.sleeping:
            with nogil:
                fall_asleep(&self.ctx, self.island_store)
        return 0


cdef int count_parts(double dt) noexcept:
    """In how many parts a step is made: a power of two, so that their lengths are exact."""
    cdef int parts = 1
    while parts < MOST_PARTS and dt > LONGEST_PART * parts:
        parts *= 2
    return parts


def _snapshots():
    """The module that takes snapshots; it needs this one first."""
    from engine2d import snapshot
    return snapshot


cdef int read_rule(object value, str name) except -1:
    if not isinstance(value, str) or value not in RULES:
        raise ValueError(f"{name} must be one of {', '.join(RULES)}, got {value!r}")
    return RULES[value]


cdef uint8_t read_kind(object value) except 255:
    if not isinstance(value, str):
        raise ValueError(f"kind must be dynamic, static or kinematic, got {value!r}")
    if value == "dynamic":
        return DYNAMIC
    if value == "static":
        return STATIC
    if value == "kinematic":
        return KINEMATIC
    raise ValueError(f"kind must be dynamic, static or kinematic, got {value!r}")
