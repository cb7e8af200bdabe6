"""The world: bodies, and the step that moves them.

World.step is a table of contents; each stage is a module of its own (ARCHITECTURE.md).
"""

import weakref
from typing import NamedTuple

import numpy as np

from cpython.time cimport perf_counter
from libc.math cimport sqrt
from libc.stdint cimport int32_t, uint8_t
from libc.string cimport memset

from enginecore.constants cimport (
    FLAT, LARGE, LARGE_CALM, LARGEST_UNIT, LONGEST_PART, MARGIN, MOST_DT, MOST_PARTS, SMALLEST_UNIT,
    TOUCH,
)
from engine2d.arguments cimport (
    FARTHEST, FASTEST, read_angle, read_at_least_zero, read_inert, read_place, read_positive,
    read_rate, read_velocity,
)
from enginecore.few cimport FEW_BODIES
from enginecore.memory cimport address
from enginecore.mix cimport MIX_AVERAGE, MIX_GEOMETRIC, MIX_MAXIMUM, MIX_MINIMUM, MIX_PRODUCT
from engine2d.body cimport (
    AWAKE, BULLET, DYNAMIC, FIXED_ROTATION, KINEMATIC, NO_SLEEP, STATIC, BodyData, Motion,
)
from engine2d.broad_phase cimport sweep_boxes
from engine2d.constants cimport (
    BAUMGARTE, FAT, MOST_DIRECT_ROWS, MOST_NARROW, MOST_ROUNDS, MOST_WORK, ROUNDS,
)
from engine2d.contact cimport ContactStore, end_overlaps, scale_impulses, scale_sums
from engine2d.contact_find cimport find_again, find_all
from engine2d.contact_list cimport read_candidates, read_contacts
from engine2d.solve.books cimport N_ACCOUNTS, Books, add_step
from engine2d.solve.crossing cimport WayLog
from engine2d.solve.energy cimport inverse, kinetic_energy
from engine2d.solve.ccd cimport stop_fast
from engine2d.island cimport IslandStore
from engine2d.solve.island_step cimport (
    SizeRule, find_large, is_time_left, move_kinematic, start_clocks, step_islands, stop_runaways,
)
from engine2d.joint.assembly_step cimport needs_plan
from engine2d.solve.large_step cimport LargeBuffers
from engine2d.sleep cimport fall_asleep, wake_all, wake_neighbours
from engine2d.solve.small_step cimport SmallWorkspace
from engine2d.solve.step_context cimport Counters, Island
from engine2d.store cimport BodyInput, end_edits
from engine2d.solve.integrate cimport put_frame
from engine2d.vec2 cimport Vec2, dot, length, sub
from engine2d.vector cimport as_vector

from enginecore.arguments import as_rows
from enginecore.status import build_mode as BUILD_MODE
from engine2d.body import Body
from engine2d.contact_system import contact_system
from engine2d.exact.ledger import Ledger
from engine2d.joint import Joint

# Of advance: durations, and tolerances that doubles can meet.
cdef double MOST_SPAN = 1e6      # s
cdef double LEAST_TOLERANCE = 1e-13  # m
cdef double MOST_TOLERANCE = 1e-2    # m
cdef int32_t MOST_CONTACTS = 0x7FFFFFFF

cdef enum:                       # as in SOLVERS
    SOLVER_AUTO = 0
    SOLVER_DIRECT = 1
    SOLVER_ITERATIVE = 2

cdef tuple STAGES = ("edits", "broad_phase", "narrow_phase", "island", "solve", "event")
cdef tuple SOLVERS = ("auto", "direct", "iterative")
cdef tuple EXTRAS = ("none", "velocity", "velocity_and_distance")
cdef dict RULES = {"geometric": MIX_GEOMETRIC, "maximum": MIX_MAXIMUM, "minimum": MIX_MINIMUM,
                   "average": MIX_AVERAGE, "product": MIX_PRODUCT}


class Energy(NamedTuple):
    """J, of all dynamic bodies; potential energy is 0 at the origin."""

    kinetic: float
    potential: float
    total: float


# ---- the face ---------------------------------------------------------------------------------

cdef class World:
    """A world of bodies under gravity (m/s^2).

    solver: "direct" solves every island exactly, "iterative" every island by sweeps, "auto" small
    ones exactly and large ones by sweeps. sleeping: bodies at rest fall asleep. friction_rule and
    restitution_rule say how a pair's numbers come from its shapes': geometric (square root of the
    product), maximum, minimum, average or product. unit: the size of an ordinary body (m); what
    counts as near, deep or slow goes by it. extra, resting_gap (m) and resting_speed (m/s) are for
    `advance`: see there.
    """

    def __init__(self, gravity=(0.0, -9.81), *, unit=1.0, solver="auto", sleeping=True,
                 friction_rule="geometric", restitution_rule="maximum", extra="velocity",
                 resting_gap=None, resting_speed=None):
        cdef double length_unit = read_positive(unit, "unit")
        if not SMALLEST_UNIT <= length_unit <= LARGEST_UNIT:
            raise ValueError(f"unit must be from {SMALLEST_UNIT:g} to {LARGEST_UNIT:g} m, "
                             f"got {unit!r}")
        self.gravity = gravity
        self.ctx.unit = self.scene.unit = length_unit
        self.ctx.root = sqrt(length_unit)
        self.store.phase.boxes.margin = FAT * length_unit
        self.extra, self.resting_gap = extra, resting_gap
        self.resting_speed = resting_speed
        if solver not in SOLVERS:
            raise ValueError(f"solver must be one of {', '.join(SOLVERS)}, got {solver!r}")
        self.solver = SOLVERS.index(solver)
        self.sleeping = sleeping
        self.scene.mix_friction = read_rule(friction_rule, "friction_rule")
        self.scene.mix_restitution = read_rule(restitution_rule, "restitution_rule")

    def __cinit__(self, *args, **options):
        self.ctx.unit = self.ctx.root = self.scene.unit = 1.0
        self.store = BodyStore()
        self.store.world = weakref.ref(self)
        self.contact_store = ContactStore()
        self.joint_store = JointStore(self.store)
        self.assemblies = AssemblyStore()
        self.linked = LinkWorkspace()
        self.pace = 1.0
        self.passes = []
        self.island_store = IslandStore()
        self.event_store = EventStore(self.store)
        self.query = Query(self.store)
        self.small = SmallWorkspace()
        self.large = LargeBuffers()
        self.log = WayLog()
        self._ledger = Ledger()
        self.booked = <double*> address(self._ledger._sums)
        self._extra = "velocity"

    cdef int enter(self, str what) except -1:
        """Begin a call that nothing else may interrupt; the caller ends it by store.busy = False.
        """
        return self.store.enter(what)

    @property
    def gravity(self):
        """m/s^2."""
        return as_vector(self.pull)

    @gravity.setter
    def gravity(self, value):
        cdef int32_t row
        cdef Vec2 pull = read_velocity(value, "gravity")
        self.store.check_idle("gravity")
        self.pull = pull
        for row in range(self.store.n_bodies):
            if self.store.bodies[row].kind == DYNAMIC:
                self.store.wake(row)

    @property
    def unit(self):
        """m, the size of an ordinary body: lengths that count as near or deep go by it."""
        return self.ctx.unit

    def __repr__(self):
        cdef int32_t row
        cdef dict kinds = {DYNAMIC: 0, STATIC: 0, KINEMATIC: 0}
        if self.store.busy:
            return f"<{type(self).__name__}, in a step>"
        for row in range(self.store.n_bodies):
            if self.store.bodies[row].id >= 0:
                kinds[self.store.bodies[row].kind] += 1
        return (f"<{type(self).__name__} at {self.time:.6g} s: {kinds[DYNAMIC]} dynamic, "
                f"{kinds[STATIC]} static, {kinds[KINEMATIC]} kinematic bodies, "
                f"{self.contact_store.n} contacts>")

    def _settings(self):
        """The arguments that make a world of these settings, and time_scale; for scene files."""
        names = {rule: name for name, rule in RULES.items()}
        return {"gravity": (self.pull.x, self.pull.y), "solver": SOLVERS[self.solver],
                "sleeping": bool(self.sleeping), "unit": self.ctx.unit,
                "friction_rule": names[self.scene.mix_friction],
                "restitution_rule": names[self.scene.mix_restitution], "time_scale": self.pace,
                "extra": self._extra, "resting_gap": self._resting_gap,
                "resting_speed": self._resting_speed}

    @property
    def time_scale(self):
        """Simulated seconds to a second that step is told: below 1, slow motion."""
        return self.pace

    @time_scale.setter
    def time_scale(self, value):
        cdef double pace = read_positive(value, "time_scale")
        self.store.check_idle("time_scale")
        self.pace = pace

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
        given.flags = ((FIXED_ROTATION if fixed_rotation else 0)
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
        if given.kind == STATIC and (given.velocity.x != 0.0 or given.velocity.y != 0.0
                                     or given.angular_velocity != 0.0):
            raise ValueError("a static body has no velocity; make it kinematic")
        # growing the arrays lets other threads run: none may use them meanwhile
        self.enter("add_body")
        try:
            id = self.store.insert(shapes, given)
            body = Body(self.store, id, self.store.table.entries[id].generation)
            self.store.table.handles[id] = body
        finally:
            self.store.busy = False
        return body

    def add_joint(self, joint):
        """Add a joint made for bodies of this world, as Pin(a, b, anchor), and return it."""
        if not isinstance(joint, Joint):
            raise TypeError(f"joint must be a joint such as Pin(a, b, anchor), got {joint!r}")
        self.enter("add_joint")
        try:
            return self.joint_store.add(joint)
        finally:
            self.store.busy = False

    @property
    def joints(self):
        """All joints, in the order they were added."""
        self.store.check_idle("joints")
        return self.joint_store.in_order()

    def remove(self, body):
        """Remove a body with its joints, or a joint; its handle is of no more use, and what rested
        on it wakes."""
        if isinstance(body, Joint):
            self.enter("remove")
            try:
                self.joint_store.remove(body)
            finally:
                self.store.busy = False
            return
        if not isinstance(body, Body):
            raise TypeError(f"body must be a body or a joint of this world, got {body!r}")
        if not body._is_of(self.store):
            raise ValueError(f"body must be of this world, got {body!r} of another")
        # ending its pairs may let other threads run: none may move rows meanwhile
        self.enter("remove")
        try:
            self.store.table.row(body.id, body.generation)
            self.joint_store.drop_of_body(body.id)
            self.store.drop(self.store.table.row(body.id, body.generation))
            # its number may be another body's before the next step
            self.passes[:] = [pair for pair in self.passes if body.id not in pair]
        finally:
            self.store.busy = False

    def ignore_until_parted(self, body_a, body_b):
        """Let two bodies that touch or overlap pass through each other until they have parted."""
        for body in (body_a, body_b):
            if not isinstance(body, Body):
                raise TypeError(f"bodies must be bodies of this world, got {body!r}")
            if not body._is_of(self.store):
                raise ValueError(f"bodies must be of this world, got {body!r} of another")
        if body_a is body_b:
            raise ValueError(f"bodies must be two, got {body_a!r} twice")
        self.store.check_idle("ignore_until_parted")
        for body in (body_a, body_b):
            self.store.wake(self.store.table.row(body.id, body.generation))
        self.contact_store.let_pass(body_a.id, body_b.id)
        # those whose boxes have not met yet
        self.passes.append((body_a.id, body_b.id))

    def _passing(self):
        """Pairs of bodies that are to pass until they have parted; for scene files."""
        pairs = {tuple(sorted(ids)) for ids in self.contact_store.passing() + self.passes}
        handles = self.store.table.handles
        return [(handles[a], handles[b]) for a, b in sorted(pairs)]

    @property
    def contact_filter(self):
        """A function f(rows) -> mask that is asked in each step which contacts there are to be.

        rows: an array as world.contacts.arrays, of all that may touch; forces are 0. mask: a bool
        for each. It is called between the stages of a step, under `advance` at each event, and must
        not touch the world. Snapshots and copies do not have it.
        """
        return self.filter

    @contact_filter.setter
    def contact_filter(self, value):
        if value is not None and not callable(value):
            raise TypeError(f"contact_filter must be callable or None, got {value!r}")
        self.store.check_idle("contact_filter")
        self.filter = value
        wake_all(self.store)

    def body(self, id):
        """The body with an id, as the events have it."""
        self.store.check_idle("body")
        if not isinstance(id, (int, np.integer)) or not 0 <= id < self.store.table.n \
                or self.store.table.entries[<int32_t> id].row < 0:
            raise ValueError(f"id must be that of a body of this world, got {id!r}")
        return self.store.table.handles[int(id)]

    @property
    def bodies(self):
        """All bodies, in the order they were added."""
        cdef int32_t row, n = -1
        out = []
        while n != len(out):       # making a list may run other threads, and any code at all
            out = [None] * max(n, 0)
            self.store.check_idle("bodies")
            self.store.settle()
            n = self.store.n_bodies
        for row in range(n):
            out[row] = self.store.table.handles[self.store.bodies[row].id]
        return out

    @property
    def _shape_edits(self):
        """Grows when shapes of bodies are added, removed or changed; for what is kept of them."""
        return self.store.shape_edits

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
        cdef uint8_t* into
        self.enter("awake")
        try:
            self.store.settle()
            out = np.zeros(self.store.n_bodies, np.bool_)
            into = <uint8_t*> address(out)
            for row in range(self.store.n_bodies):
                into[row] = (self.store.bodies[row].kind == DYNAMIC
                             and self.store.bodies[row].flags & AWAKE != 0)
        finally:
            self.store.busy = False
        return out

    @property
    def islands(self):
        """Which island of the last step each body was in (n, int32; -1: none): a copy."""
        cdef int32_t row
        cdef int32_t* into
        self.enter("islands")
        try:
            self.store.settle()
            out = np.full(self.store.n_bodies, -1, np.int32)
            into = <int32_t*> address(out)
            if self.steps > 0:
                for row in range(self.store.n_bodies):
                    into[row] = self.store.bodies[row].island
        finally:
            self.store.busy = False
        return out

    @property
    def energy(self):
        """Kinetic, potential and total energy (J) of the dynamic bodies and of springs."""
        cdef double kinetic = 0.0, potential = 0.0
        cdef int32_t row
        cdef const BodyData* body
        cdef const Motion* motion
        self.enter("energy")
        try:
            self.store.settle()
            potential += self.joint_store.energy()
        finally:
            self.store.busy = False
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
        self.enter("contacts")
        try:
            return read_contacts(self.store, self.contact_store, &self.ctx, -1)
        finally:
            self.store.busy = False

    def _contacts_of(self, int32_t id):
        """The contacts of the body with an id, as body A of each."""
        self.enter("contacts")
        try:
            return read_contacts(self.store, self.contact_store, &self.ctx, id)
        finally:
            self.store.busy = False

    @property
    def stats(self):
        """Of the last step: seconds by stage, and counts."""
        cdef Py_ssize_t k
        self.store.check_idle("stats")
        counters = self.ctx.counters
        return {"seconds": {STAGES[k]: self.seconds[k] for k in range(N_STAGES)},
                "bodies": self.store.n_bodies - self.store.n_removed,
                "pairs": self.contact_store.n_pairs, "contacts": self.contact_store.n,
                "islands": self.island_store.n, **counters,
                **({} if self.exact_counts is None else {"exact": self.exact_counts})}

    def contact_system(self, extra="velocity", dt=1.0 / 60.0, friction=False):
        """The equation a = A f + b of resting contact for the present state, and its solution.

        One row for each contact that touches: gap acceleration a (m/s^2), force f (N); extra and dt
        (s) as in contact_force.assemble. friction=True adds a row for each contact's friction along
        z x normal, with |f| at most mu times the normal force. Returns a ContactSystem.
        """
        return contact_system(self, extra, dt, friction)

    def set_state(self, *, positions=None, angles=None, velocities=None, angular_velocities=None):
        """Write the state of all bodies at once: arrays with a row for each of `bodies`."""
        wanted = {"positions": (positions, (2,), FARTHEST), "angles": (angles, (), FARTHEST),
                  "velocities": (velocities, (2,), FASTEST),
                  "angular_velocities": (angular_velocities, (), FASTEST)}
        given = {name: as_rows(name, value, tail).copy()
                 for name, (value, tail, _) in wanted.items() if value is not None}
        # reading may run any code: only now is it known which bodies there are
        self.enter("set_state")
        try:
            self._write(wanted, given)
        finally:
            self.store.busy = False

    def _write(self, wanted, given):
        """Check arrays against the bodies, then write them."""
        cdef int32_t row, n
        cdef double angle
        cdef Vec2 p
        self.store.settle()
        n = self.store.n_bodies
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
        moves = self.store.arrays["motions"].view(np.float64).reshape(-1, 8)[:n]
        positions, angles = given.get("positions"), given.get("angles")
        if "velocities" in given:
            moves[:, 0:2] = given["velocities"]
        if "angular_velocities" in given:
            moves[:, 2] = given["angular_velocities"]
        for row in range(n):
            if positions is not None or angles is not None:
                p, angle = self.store.places[row].pose.p, self.store.places[row].angle
                if positions is not None:
                    p.x, p.y = positions[row]
                if angles is not None:
                    angle = angles[row]
                put_frame(&self.store.bodies[row], p, angle, &self.store.places[row])
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
        return _snapshots().copy_world(self)

    def __reduce__(self):
        return _snapshots().reduce_world(self)

    def __setstate__(self, state):
        self.enter("__setstate__")
        try:
            own = _snapshots().set_world(self, state)
        finally:
            self.store.busy = False
        if own:
            self.__dict__.update(own)

    def _handle(self, id):
        """The body with an id, also while the state it is of is still being read; -1: a removed
        one."""
        return _snapshots().find_handle(self, id)

    @property
    def build_mode(self):
        """Which build of the engine is loaded."""
        return BUILD_MODE

    # -- queries; filter: only shapes that one with this Filter would collide with

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
        """The first shape on the way from start to end (m): a QueryHit, or None.

        A ray hits a solid where it enters it: what it starts in, it leaves unnoticed.
        """
        return self.query.ray(start, end, filter, sensors)

    def ray_query_all(self, start, end, *, filter=None, sensors=False):
        """All shapes on the way from start to end (m), each where it is first entered, in order."""
        return self.query.ray_all(start, end, filter, sensors)

    def ray_query_many(self, starts, ends, *, filter=None, sensors=False):
        """The first shapes on many ways at once (n x 2 each, m): arrays in, arrays out (Rays)."""
        return self.query.rays(starts, ends, filter, sensors)

    def cast_query(self, shape, pose, way, *, filter=None, sensors=False):
        """The first shape met by one that moves from a pose along way (m): a QueryHit, or None.

        What it overlaps at the start it meets at once, unless it is leaving it.
        """
        return self.query.cast(shape, pose, way, filter, sensors)

    def nearest_query(self, point, distance=None, *, filter=None, sensors=False):
        """The shape nearest to a point (m), within a distance (m) if given: a QueryHit, or None."""
        return self.query.nearest(point, distance, filter, sensors)

    # -- the exact clock

    @property
    def extra(self):
        """Acceleration asked for of contacts that rest in a wide band (see resting_gap): none,
        velocity or velocity_and_distance."""
        return self._extra

    @extra.setter
    def extra(self, value):
        if not isinstance(value, str) or value not in EXTRAS:
            raise ValueError(f"extra must be one of {', '.join(EXTRAS)}, got {value!r}")
        self._extra = value

    @property
    def ledger(self):
        """Where the energy went that step and advance moved: a Ledger (J, by account)."""
        return self._ledger

    @property
    def resting_gap(self):
        """m: under advance, contacts up to this far apart rest; None: as tight as its tolerance."""
        return self._resting_gap

    @resting_gap.setter
    def resting_gap(self, value):
        self._resting_gap = None if value is None else read_at_least_zero(value, "resting_gap")

    @property
    def resting_speed(self):
        """m/s: under advance, contacts up to this fast rest; None: only what does not move."""
        return self._resting_speed

    @resting_speed.setter
    def resting_speed(self, value):
        self._resting_speed = None if value is None else read_at_least_zero(value, "resting_speed")

    def advance(self, duration, tolerance=1e-9):
        """Simulate a duration (s) exactly: smooth between events, impacts at their true time.

        tolerance (m): of places and of overlaps. For few bodies, teaching and precise work; `step`
        is for games. Both can be used in turn. A SolverError leaves the world as it was.
        """
        cdef double span = read_at_least_zero(duration, "duration")
        cdef double near = read_positive(tolerance, "tolerance")
        if span > MOST_SPAN:
            raise ValueError(f"duration must be at most {MOST_SPAN:g} s, got {duration!r}")
        if not LEAST_TOLERANCE <= near <= MOST_TOLERANCE:
            raise ValueError(f"tolerance must be from {LEAST_TOLERANCE:g} to {MOST_TOLERANCE:g} m, "
                             f"got {tolerance!r}")
        if self.calling:
            raise RuntimeError("advance: the handlers of the last call are not done; they cannot "
                               "call it")
        self.enter("advance")
        try:
            self.store.settle()
            self.exact_counts = _exact().advance(self, span, near)
            end_edits(self.store)
            calls = self.event_store.read_calls()
        finally:
            self.store.busy = False
        self.time += span
        self.calling = True
        try:
            self.event_store.call_handlers(calls)
        finally:
            self.calling = False

    # -- the step

    def step(self, dt):
        """Simulate dt seconds, times time_scale; a long step is made in several parts."""
        cdef double h = read_positive(dt, "dt") * self.pace
        if h > MOST_DT:
            raise ValueError(f"dt must be at most {MOST_DT / self.pace:g} s, got {dt!r}")
        if self.calling:
            raise RuntimeError("step: the last step's handlers are not done; they cannot call it")
        self.enter("step")
        cdef int parts = count_parts(h / self.ctx.root), _part
        memset(self.seconds, 0, sizeof(self.seconds))
        self.runaways = 0
        memset(&self.ctx.counters, 0, sizeof(Counters))
        self.event_store.clear()
        self.exact_counts = None
        try:
            self.begin_step(h)
            for _part in range(parts):
                self.step_part(h / parts)
            self.finish_step()
            calls = self.event_store.read_calls()
        finally:
            self.store.busy = False
        self.time += h
        self.steps += 1
        self.calling = True
        try:
            self.event_store.call_handlers(calls)
        finally:
            self.calling = False
        if self.runaways:
            raise OverflowError(f"{self.runaways} bodies left the range of places (+-{FARTHEST:g} "
                                f"m) or speeds (+-{FASTEST:g} m/s) in this step; they are at rest "
                                "where they were before it")

    cdef int begin_step(self, double whole) except -1:
        """Stage edits: rows without gaps, and the context of this step."""
        cdef StepContext* ctx = &self.ctx
        cdef BodyStore store = self.store
        store.settle()
        self.joint_store.settle()
        self.joint_store.point_at_bodies()
        if not self.sleeping:
            wake_all(store)
        self.joint_store.begin_step(whole)
        self.query.fresh = False
        store.keep_places()
        self.reserve_clocks(store.n_bodies)
        self.log.n = 0
        if ctx.whole > 0.0 and ctx.whole != whole:
            scale_sums(self.contact_store, whole / ctx.whole)
        ctx.whole = whole
        ctx.begun = 0.0
        ctx.gravity = self.pull
        ctx.strike_speed = 0.0
        ctx.thorough = self.solver == SOLVER_DIRECT
        ctx.tol.touch = ctx.tol.slop = TOUCH * ctx.unit
        ctx.tol.flat, ctx.tol.baumgarte = FLAT, BAUMGARTE
        self.scene.later = False
        self.scene.margin = MARGIN * ctx.unit
        self.scene.unit = ctx.unit
        self.scene.gravity = self.pull
        self.point_at_stores()
        self.open_books()
        return 0

    cdef int step_part(self, double dt) except -1:
        """The stages, one after another, with their times."""
        cdef double[N_STAGES + 1] marks
        cdef int k
        marks[0] = perf_counter()
        self.begin_part(dt)
        marks[1] = perf_counter()
        self.find_pairs()
        marks[2] = perf_counter()
        self.find_contacts()
        marks[3] = perf_counter()
        self.build_islands()
        marks[4] = perf_counter()
        self.solve()
        self.go_on()
        marks[5] = perf_counter()
        self.finish_part()
        marks[6] = perf_counter()
        for k in range(N_STAGES):
            self.seconds[k] += marks[k + 1] - marks[k]
        return 0

    cdef int begin_part(self, double dt) except -1:
        """The clocks of all bodies, and what looking for contacts has to cover."""
        cdef StepContext* ctx = &self.ctx
        self.last_dt = dt
        if ctx.dt > 0.0 and ctx.dt != dt:
            scale_impulses(self.contact_store, dt / ctx.dt)
            self.joint_store.scale(dt / ctx.dt)
        ctx.dt = dt
        ctx.may_cut = ctx.may_part = True
        ctx.round = 0
        self.scene.dt = dt
        self.scene.fall = length(self.pull) * dt * dt
        if self.joint_store.stale:
            self.joint_store.list_apart()
            self.point_at_stores()
        self.scene.left = NULL
        return 0

    cdef int reserve_clocks(self, int32_t n) except -1:
        """Room for the clocks of so many bodies."""
        if n >= self.clock_room:
            self.clocks = np.zeros(2 * n + 1), np.zeros(2 * n + 1, np.int32)
            self.clock_room = 2 * n + 1
            self.clock_left = <double*> address(self.clocks[0])
            self.clock_moved = <int32_t*> address(self.clocks[1])
        self.ctx.left, self.ctx.moved = self.clock_left, self.clock_moved
        return 0

    cdef void point_at_stores(self) noexcept:
        """Bring the pointers of context and scene up to date."""
        cdef StepContext* ctx = &self.ctx
        ctx.motions, ctx.places = self.store.motions, self.store.places
        ctx.before = self.store.before
        ctx.bodies, ctx.n_bodies = self.store.bodies, self.store.n_bodies
        ctx.contacts, ctx.n_contacts = self.contact_store.contacts, self.contact_store.n
        ctx.pairs, ctx.shapes = self.contact_store.pairs, self.store.shapes
        ctx.has_rules = self.store.has_rules
        ctx.n_overlaps = self.contact_store.n_overlaps
        self.scene.shapes, self.scene.motions = self.store.shapes, self.store.motions
        self.scene.places, self.scene.bodies = self.store.places, self.store.bodies
        self.scene.apart, self.scene.n_apart = self.joint_store.apart, self.joint_store.n_apart

    cdef int find_pairs(self) except -1:
        """Stage broad_phase: which boxes overlap."""
        if self.ctx.n_bodies < FEW_BODIES:
            sweep_boxes(self.store, &self.scene)
        else:
            with nogil:
                sweep_boxes(self.store, &self.scene)
        self.store.phase.refresh()
        return 0

    cdef int find_contacts(self) except -1:
        """Stage narrow_phase: contact points, with last step's impulses where they were there."""
        cdef BodyStore store = self.store
        self.match_pairs()
        if store.disturbed and self.sleeping:
            with nogil:
                wake_neighbours(store, self.contact_store)
        for body_a, body_b in self.passes:
            self.contact_store.let_pass(body_a, body_b)
        self.passes.clear()
        find_all(self.contact_store, &self.scene)
        self.filter_contacts(0)
        self.point_at_stores()
        return 0

    cdef int filter_contacts(self, int32_t first) except -1:
        """Leave out the contacts from `first` on that the user's filter does not want."""
        cdef int32_t n = self.contact_store.n - first
        if self.filter is None or n == 0:
            return 0
        rows = read_candidates(self.store, self.contact_store, first)
        mask = np.ascontiguousarray(self.filter(rows))
        if mask.shape != (n,) or mask.dtype != np.bool_:
            raise ValueError(f"contact_filter must return {n} bools, one a row, got {mask!r}")
        if not mask.all():
            self.contact_store.drop_contacts(<const uint8_t*> address(mask), first)
        return 0

    cdef int match_pairs(self) except -1:
        """Pairs as the broad phase has them; who lost a support wakes."""
        cdef BodyStore store = self.store
        cdef int32_t row
        if (store.phase.table.p.n_begun or store.phase.table.p.n_ended
                or store.edits != self.seen_edits):
            self.contact_store.match(&store.phase.table.p, &self.scene,
                                     store.edits != self.seen_edits)
            self.seen_edits = store.edits
            store.end_renewal()
            for _, _, body_a, body_b in self.contact_store.ended:
                for id in (body_a, body_b):
                    row = store.table.entries[<int32_t> id].row
                    # what cannot move has not lost a support, and others rest on it
                    if row >= 0 and store.bodies[row].kind == DYNAMIC:
                        store.wake(row)
        return 0

    cdef int build_islands(self) except -1:
        """Stage island: who pushes whom."""
        self.island_store.reserve(self.ctx.n_bodies, self.ctx.n_contacts, self.joint_store.n)
        if self.ctx.n_bodies < FEW_BODIES:
            self.fill_islands()
        else:
            with nogil:
                self.fill_islands()
        return 0

    cdef void fill_islands(self) noexcept nogil:
        self.island_store.build(&self.ctx, self.joint_store.joints, self.joint_store.n)
        if self.ctx.round == 0:
            # who was woken just now has the whole of this part before him too
            start_clocks(&self.ctx)

    cdef int reserve_linked(self) except -1:
        """Room and plans for the islands whose joints are solved by factors."""
        cdef int32_t n_bodies = 0, n_joints = 0, n_rows = 0, n_direct = 0, n_contacts = 0, k, j
        cdef const Island* island
        cdef IslandStore islands = self.island_store
        if self.joint_store.n == 0:
            return 0
        self.assemblies.refresh(self.joint_store)
        for k in range(islands.n):
            island = &islands.islands[k]
            if island.n_joints == 0 or not (islands.is_large[k] or island.n_contacts == 0):
                continue
            n_bodies = max(n_bodies, island.n_bodies)
            n_joints = max(n_joints, island.n_joints)
            n_rows = max(n_rows, island.n_joint_rows)
            n_contacts = max(n_contacts, island.n_contacts)
            if not needs_plan(island):
                n_direct = max(n_direct, island.n_joint_rows)
                continue
            for j in range(island.first_joint, island.first_joint + island.n_joints):
                self.assemblies.plan(self.assemblies.of_joint[islands.joints[j]],
                                     self.joint_store)
        self.linked.reserve(n_bodies, n_joints, n_rows, n_direct, self.ctx.n_bodies,
                            self.joint_store.n, n_contacts)
        self.linked.memory.joints = self.joint_store.joints
        self.linked.memory.assemblies = self.assemblies.assemblies
        self.linked.memory.of_joint = self.assemblies.of_joint
        self.linked.memory.members = self.assemblies.members
        return 0

    cdef SizeRule size_rule(self) noexcept:
        """Which islands are solved by sweeps."""
        cdef SizeRule rule
        rule.least, rule.least_calm, rule.most_rows = LARGE, LARGE_CALM, MOST_DIRECT_ROWS
        rule.most_narrow, rule.most_work = MOST_NARROW, MOST_WORK
        rule.least_fast = LARGE
        if self.solver != SOLVER_AUTO:
            rule.least = 1 if self.solver == SOLVER_ITERATIVE else MOST_CONTACTS
            rule.least_calm = rule.least
            rule.most_narrow = 0
            rule.most_rows = 0 if self.solver == SOLVER_ITERATIVE else MOST_CONTACTS
        return rule

    cdef int solve(self) except -1:
        """Stages impact, contact_force, solver and integrate: carry every island as far as it goes
        at once."""
        cdef int32_t n_bodies = 0, n_contacts = 0, n_joints = 0, n_rows = 0, k
        cdef IslandStore islands = self.island_store
        cdef SizeRule rule = self.size_rule()
        find_large(&self.ctx, islands, &rule)
        for k in range(islands.n):
            if not islands.is_large[k]:
                n_bodies = max(n_bodies, islands.islands[k].n_bodies)
                n_contacts = max(n_contacts, islands.islands[k].n_contacts)
                n_joints = max(n_joints, islands.islands[k].n_joints)
                n_rows = max(n_rows, islands.islands[k].n_joint_rows)
        self.small.reserve(n_bodies, n_contacts, self.ctx.n_bodies, n_joints, n_rows)
        self.small.memory.joints = self.joint_store.joints
        self.large.reserve(self.ctx.n_bodies, self.ctx.n_contacts)
        self.reserve_linked()
        if self.ctx.n_bodies < FEW_BODIES:
            self.carry_islands(&rule)
        else:
            with nogil:
                self.carry_islands(&rule)
        return 0

    cdef void carry_islands(self, const SizeRule* rule) noexcept nogil:
        step_islands(&self.ctx, self.island_store, rule, &self.small.memory, &self.large.work,
                     &self.linked.memory)
        stop_fast(&self.ctx, self.contact_store, self.store.shapes, &self.store.phase.boxes,
                  self.island_store)

    cdef int go_on(self) except -1:
        """Rounds for those who have time left: they were struck, or are thin and go in parts. They
        are looked at again where they are."""
        cdef StepContext* ctx = &self.ctx
        cdef int32_t first
        cdef SizeRule rule
        while is_time_left(ctx) and ctx.round < MOST_ROUNDS:
            self.log.reserve(ctx.n_bodies)
            self.log.note(ctx, False)
            ctx.round += 1
            ctx.may_cut = ctx.round < ROUNDS
            ctx.may_part = ctx.round < MOST_ROUNDS - 1
            self.runaways += stop_runaways(ctx, self.store.before)
            self.scene.later = True
            self.scene.left = ctx.left
            self.find_pairs()
            self.match_pairs()
            first = find_again(self.contact_store, &self.scene, ctx.places, ctx.before,
                               ctx.begun + ctx.dt)
            self.filter_contacts(first)
            self.point_at_stores()
            self.island_store.reserve(ctx.n_bodies, ctx.n_contacts, self.joint_store.n)
            with nogil:
                self.island_store.build_again(ctx, first, self.joint_store.joints,
                                              self.joint_store.n)
            self.solve()
        if ctx.round > 0:
            # contacts and islands of the whole step: what is told, and who sleeps, goes by them
            self.scene.dt = ctx.dt
            self.contact_store.compact()
            self.point_at_stores()
            self.build_islands()
            rule = self.size_rule()
            find_large(ctx, self.island_store, &rule)
        ctx.counters.rounds += ctx.round
        return 0

    cdef int finish_part(self) except -1:
        """Kinematic bodies to the end of the part; what follows is not the first of the step."""
        cdef StepContext* ctx = &self.ctx
        move_kinematic(ctx)
        self.runaways += stop_runaways(ctx, self.store.before)
        end_overlaps(self.store, self.contact_store)
        ctx.begun += ctx.dt
        self.scene.later = True
        if ctx.begun < 0.99 * ctx.whole:
            self.log.reserve(ctx.n_bodies)
            ctx.begun -= ctx.dt
            self.log.note(ctx, True)
            ctx.begun += ctx.dt
        return 0

    cdef int finish_step(self) except -1:
        """Stages event and sleep."""
        self.joint_store.finish_step()
        self.close_books()
        self.joint_store.break_joints()
        self.event_store.collect(&self.ctx, self.contact_store, self.log)
        self.event_store.collect_joints(self.joint_store)
        if self.sleeping and self.ctx.n_bodies < FEW_BODIES:
            fall_asleep(&self.ctx, self.island_store, self.joint_store.joints)
        elif self.sleeping:
            with nogil:
                fall_asleep(&self.ctx, self.island_store, self.joint_store.joints)
        end_edits(self.store)
        self.write_ledger()
        return 0

    # -- the ledger

    cdef void open_books(self) noexcept nogil:
        """What there is when a step begins."""
        cdef int32_t row
        cdef const BodyData* body
        cdef const Motion* motion
        cdef double sum = 0.0
        memset(&self.ctx.books, 0, sizeof(Books))
        for row in range(self.store.n_bodies):
            body = &self.store.bodies[row]
            if body.kind == DYNAMIC and body.flags & AWAKE:
                motion = &self.store.motions[row]
                sum += kinetic_energy(body.mass, inverse(motion.inv_I), motion.v, motion.w)
        self.kinetic = sum
        self.held = self.joint_store.energy() if self.joint_store.n > 0 else 0.0

    cdef void close_books(self) noexcept nogil:
        """What users' forces did in a step, and what no account explains."""
        cdef Books* books = &self.ctx.books
        cdef const double* sums = <const double*> books
        cdef int32_t row, k
        cdef const BodyData* body
        cdef const Motion* motion
        cdef Vec2 way
        cdef double change = -self.kinetic - self.held
        for row in range(self.store.n_bodies):
            body = &self.store.bodies[row]
            if body.kind != DYNAMIC or not body.flags & AWAKE:
                continue
            motion = &self.store.motions[row]
            way = sub(self.store.places[row].x, self.store.before[row].x)
            change += kinetic_energy(body.mass, inverse(motion.inv_I), motion.v, motion.w)
            change -= body.mass * body.gravity_scale * dot(self.pull, way)
            books.applied += dot(body.force, way)
            if motion.inv_I > 0.0:
                books.applied += body.torque * (self.store.places[row].angle
                                                - self.store.before[row].angle)
        self.held = self.joint_store.energy() if self.joint_store.n > 0 else 0.0
        change += self.held
        for k in range(N_ACCOUNTS):
            change -= sums[k]
        books.integrator = change

    cdef void write_ledger(self) noexcept nogil:
        """Add a step to the ledger; what springs that broke held is lost."""
        if self.joint_store.n > 0:
            self.ctx.books.springs += self.joint_store.energy() - self.held
        add_step(&self.ctx.books, self.booked)


cdef int count_parts(double dt) noexcept:
    """In how many parts a step is made: a power of two, so that their lengths are exact."""
    cdef int parts = 1
    while parts < MOST_PARTS and dt > LONGEST_PART * parts:
        parts *= 2
    return parts


def _exact():
    """The module of the exact clock; it needs this one first."""
    from engine2d.exact import advance
    return advance


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
