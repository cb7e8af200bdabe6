# distutils: include_dirs = engine3d/solve enginecore
"""The world: bodies, and the step that moves them.

World.step is a table of contents; each stage is a module of its own (ARCHITECTURE.md).
"""

import functools
import weakref
from typing import NamedTuple

import numpy as np

from cpython.time cimport perf_counter
from libc.math cimport sqrt
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memcpy, memset

from enginecore.body_head cimport (
    AWAKE, BULLET, DYNAMIC, FIXED_ROTATION, KINEMATIC, NO_SLEEP, STATIC,
)
from enginecore.constants cimport (
    FLAT, INITIAL_DEPTH, LARGEST_UNIT, LONGEST_PART, MARGIN, MOST_DT, MOST_PARTS, SMALLEST_UNIT,
    TOUCH,
)
from enginecore.few cimport FEW_BODIES
from enginecore.island cimport Edge, Island, IslandStore
from enginecore.memory cimport address, longer_lines
from enginecore.mix cimport MIX_AVERAGE, MIX_GEOMETRIC, MIX_MAXIMUM, MIX_MINIMUM, MIX_PRODUCT
from engine3d.arguments cimport (
    FARTHEST, FASTEST, read_at_least_zero, read_inert, read_inertia, read_orientation, read_place,
    read_positive, read_rate, read_velocity,
)
from engine3d.body cimport BodyData, Motion, Place
from engine3d.broad_phase cimport sweep_boxes, sweep_needy
from engine3d.constants cimport CLOSED, FAT, MOST_LOOKS, NEAR, PUSH
from engine3d.contact cimport ContactStore, Counters, end_overlaps, find_all
from engine3d.contact_list cimport read_candidates, read_contacts
from engine3d.event cimport collect
from engine3d.island cimport count_pairs, list_edges
from engine3d.joint.joint cimport JointStore
from engine3d.joint.link_step cimport cones_of
from engine3d.quat cimport Quat
from engine3d.sleep cimport fall_asleep, wake_all, wake_joined, wake_neighbours
from engine3d.solve.integrate cimport place_frame, set_spin
from engine3d.solve.island_step cimport (
    SOLVER_DIRECT, choose_solvers, count_slots, find_needy, move_kinematic, put_back, step_islands,
    stop_runaways,
)
from engine3d.solve.large_step cimport LargeBuffers
from engine3d.solve.small_step cimport SmallWorkspace, is_sparse
from engine3d.store cimport end_edits
from engine3d.vec3 cimport dot, length
from engine3d.vector cimport as_vector

from enginecore.arguments import as_rows
from enginecore.event import EventStore as _EventStore
from enginecore.event import JointEnd
from enginecore.status import build_mode as BUILD_MODE
from engine3d.body import Body
from engine3d.contact_system import contact_system
from engine3d.joint import Joint
from engine3d.body_shape import _shape_of
from engine3d.vector import Vec3 as _Vec3

cdef tuple STAGES = ("edits", "broad_phase", "narrow_phase", "island", "solve", "event")
cdef tuple SOLVERS = ("auto", "direct", "iterative")
cdef dict RULES = {"geometric": MIX_GEOMETRIC, "maximum": MIX_MAXIMUM, "minimum": MIX_MINIMUM,
                   "average": MIX_AVERAGE, "product": MIX_PRODUCT}


class Energy(NamedTuple):
    """J, of all dynamic bodies; potential energy is 0 at the origin."""

    kinetic: float
    potential: float
    total: float


# ---- the face ---------------------------------------------------------------------------------

cdef class World:
    """A world of bodies under gravity (m/s^2), without a window.

    unit: the length of a typical body (m): tolerances follow it. solver: "direct" solves every
    island exactly, "iterative" islands by sweeps, unless something fast is part of a small one,
    "auto" small ones exactly and large ones by sweeps. sleeping: bodies at rest fall asleep.
    friction_rule and restitution_rule say how a pair's numbers come from its shapes': geometric
    (square root of the product), maximum, minimum, average or product. friction_cone: k
    directions of a polyhedral cone in the place of isotropic friction, solved as one linear
    complementarity problem for each island: for small worlds.
    """

    def __init__(self, gravity=(0.0, 0.0, -9.81), *, unit=1.0, solver="auto", sleeping=True,
                 friction_rule="geometric", restitution_rule="maximum", friction_cone=0):
        self.gravity = gravity
        self.unit = read_positive(unit, "unit")
        if not SMALLEST_UNIT <= self.unit <= LARGEST_UNIT:
            raise ValueError(f"unit must be from {SMALLEST_UNIT:g} to {LARGEST_UNIT:g} m, "
                             f"got {unit!r}")
        self.root = sqrt(self.unit)
        self.store.phase.boxes.margin = FAT * self.unit
        if solver not in SOLVERS:
            raise ValueError(f"solver must be one of {', '.join(SOLVERS)}, got {solver!r}")
        self.solver = SOLVERS.index(solver)
        self.sleeping = sleeping
        self.ctx.mix_friction = read_rule(friction_rule, "friction_rule")
        self.ctx.mix_restitution = read_rule(restitution_rule, "restitution_rule")
        if isinstance(friction_cone, bool) or friction_cone not in (0, *range(3, 65)):
            raise ValueError("friction_cone must be 0, isotropic, or from 3 to 64 directions, got "
                             f"{friction_cone!r}")
        self.ctx.friction_cone = friction_cone
        if friction_cone:
            self.solver = SOLVER_DIRECT

    def __cinit__(self, *args, **options):
        self.store = BodyStore()
        self.contact_store = ContactStore()
        self.island_store = IslandStore()
        self.store.world = weakref.ref(self)
        self.event_store = _EventStore(self.store.table.handles,
                                       functools.partial(_shape_of, self.store), _Vec3)
        self.pace = 1.0
        self.passes = []
        self.small = SmallWorkspace()
        self.joint_store = JointStore(self.store)
        self.large = LargeBuffers()
        self.query = Query(self.store)
        self.unit = self.root = 1.0

    cdef int enter(self, str what) except -1:
        """Begin a call that nothing else may interrupt; the caller ends it by busy = False."""
        return self.store.enter(what)

    @property
    def gravity(self):
        """m/s^2."""
        return as_vector(self.pull)

    @gravity.setter
    def gravity(self, value):
        cdef int32_t row
        cdef Vec3 pull = read_velocity(value, "gravity")
        self.store.check_idle("gravity")
        self.pull = pull
        for row in range(self.store.n_bodies):
            if self.store.heads[row].kind == DYNAMIC:
                self.store.wake(row)

    def __repr__(self):
        cdef int32_t row
        cdef int64_t k, contacts = 0
        cdef dict kinds = {DYNAMIC: 0, STATIC: 0, KINEMATIC: 0}
        if self.store.busy:
            return f"<{type(self).__name__}, in a step>"
        for row in range(self.store.n_bodies):
            if self.store.heads[row].id >= 0:
                kinds[self.store.heads[row].kind] += 1
        for k in range(self.contact_store.n_pairs):
            contacts += self.contact_store.pairs[k].n
        return (f"<{type(self).__name__} at {self.time:.6g} s: {kinds[DYNAMIC]} dynamic, "
                f"{kinds[STATIC]} static, {kinds[KINEMATIC]} kinematic bodies, "
                f"{contacts} contacts>")

    def _settings(self):
        """The arguments that make a world of these settings, and time_scale; for scene files."""
        names = {rule: name for name, rule in RULES.items()}
        return {"gravity": (self.pull.x, self.pull.y, self.pull.z), "solver": SOLVERS[self.solver],
                "sleeping": bool(self.sleeping), "unit": self.unit,
                "friction_rule": names[self.ctx.mix_friction],
                "restitution_rule": names[self.ctx.mix_restitution], "time_scale": self.pace,
                "friction_cone": self.ctx.friction_cone}

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

    def add_body(self, *shapes, position=(0.0, 0.0, 0.0), orientation=(1.0, 0.0, 0.0, 0.0),
                 velocity=(0.0, 0.0, 0.0), angular_velocity=(0.0, 0.0, 0.0), mass=None,
                 inertia=None, kind="dynamic", gravity_scale=1.0, linear_damping=0.0,
                 angular_damping=0.0, fixed_rotation=False, bullet=False, can_sleep=True):
        """Add a body made of shapes and return it.

        position (m) and orientation (w, x, y, z) of the frame the shapes are given in; velocity
        (m/s) of the centre of mass; angular_velocity (rad/s) in the world's axes; mass (kg) and
        inertia (kg m^2, 3 moments or 3 x 3, about the centre of mass in the frame of the shapes)
        override what follows from the shapes' densities. kind: dynamic, static or kinematic.
        """
        cdef BodyInput given
        memset(&given, 0, sizeof(BodyInput))
        given.position = read_place(position, "position")
        given.orientation = read_orientation(orientation, "orientation")
        given.velocity = read_velocity(velocity, "velocity")
        given.angular_velocity = read_velocity(angular_velocity, "angular_velocity")
        given.mass = -1.0 if mass is None else read_inert(mass, "mass")
        given.has_inertia = inertia is not None
        if inertia is not None:
            given.inertia = read_inertia(inertia, "inertia")
        given.gravity_scale = read_rate(gravity_scale, "gravity_scale")
        given.linear_damping = read_at_least_zero(linear_damping, "linear_damping")
        given.angular_damping = read_at_least_zero(angular_damping, "angular_damping")
        given.kind = read_kind(kind)
        given.flags = ((FIXED_ROTATION if fixed_rotation else 0)
                       | (BULLET if bullet else 0) | (0 if can_sleep else NO_SLEEP))
        return self._add(shapes, &given)

    def add_static(self, *shapes, position=(0.0, 0.0, 0.0), orientation=(1.0, 0.0, 0.0, 0.0)):
        """Add a body that never moves and return it."""
        return self.add_body(*shapes, position=position, orientation=orientation, kind="static")

    def add_kinematic(self, *shapes, position=(0.0, 0.0, 0.0), orientation=(1.0, 0.0, 0.0, 0.0),
                      velocity=(0.0, 0.0, 0.0), angular_velocity=(0.0, 0.0, 0.0)):
        """Add a body that moves as its velocity says, whatever it meets, and return it."""
        return self.add_body(*shapes, position=position, orientation=orientation,
                             velocity=velocity, angular_velocity=angular_velocity,
                             kind="kinematic")

    cdef object _add(self, tuple shapes, const BodyInput* given):
        cdef int32_t id
        if given.kind == STATIC and (length(given.velocity) != 0.0
                                     or length(given.angular_velocity) != 0.0):
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
        """Add a joint made for bodies of this world, as Ball(a, b, anchor), and return it."""
        if not isinstance(joint, Joint):
            raise TypeError(f"joint must be a joint such as Ball(a, b, anchor), got {joint!r}")
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
        for each. It is called between the stages of a step, and must not touch the world. Snapshots
        and copies do not have it.
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
        cdef int32_t row
        self.store.check_idle("bodies")
        self.store.settle()
        return [self.store.table.handles[self.store.heads[row].id]
                for row in range(self.store.n_bodies)]

    # -- views

    cdef object view(self, str name, int32_t width, int32_t first, int32_t count):
        """Columns of the bodies' rows, read-only, without a copy."""
        self.store.check_idle("views")
        self.store.settle()
        rows = self.store.arrays[name].view(np.float64).reshape(-1, width)[:self.store.n_bodies]
        rows = rows[:, first:first + count]
        rows.flags.writeable = False
        return rows

    @property
    def positions(self):
        """Origins of the bodies' frames (n x 3, m): a view, rows as in `bodies`."""
        return self.view("places", 24, 0, 3)

    @property
    def centers(self):
        """Centres of mass (n x 3, m): a view."""
        return self.view("places", 24, 12, 3)

    @property
    def orientations(self):
        """Unit quaternions (n x 4; w, x, y, z) of the bodies' frames: a view."""
        return self.view("places", 24, 15, 4)

    @property
    def velocities(self):
        """Velocities of the centres of mass (n x 3, m/s): a view."""
        return self.view("motions", 16, 0, 3)

    @property
    def angular_velocities(self):
        """Rates of turning (n x 3, rad/s), in the world's axes: a view."""
        return self.view("motions", 16, 4, 3)

    @property
    def angular_momenta(self):
        """Of the dynamic bodies, each about its centre of mass (n x 3, kg m^2/s): a view."""
        return self.view("motions", 16, 8, 3)

    @property
    def awake(self):
        """Which bodies are simulated (n, bool): a copy, rows as in `bodies`."""
        cdef int32_t row
        self.enter("awake")
        try:
            self.store.settle()
            return np.array([self.store.heads[row].kind == DYNAMIC
                             and self.store.heads[row].flags & AWAKE != 0
                             for row in range(self.store.n_bodies)], np.bool_)
        finally:
            self.store.busy = False

    @property
    def islands(self):
        """Which island of the last step each body was in (n, int32; -1: none): a copy."""
        cdef int32_t row
        self.enter("islands")
        try:
            self.store.settle()
            return np.array([self.store.heads[row].island for row in range(self.store.n_bodies)],
                            np.int32)
        finally:
            self.store.busy = False

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
            if self.store.heads[row].kind != DYNAMIC:
                continue
            body = &self.store.bodies[row]
            motion = &self.store.motions[row]
            kinetic += 0.5 * (body.mass * dot(motion.v, motion.v) + dot(motion.L, motion.w))
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
    def _shape_edits(self):
        """Grows when shapes of bodies are added, removed or changed; for what is kept of them."""
        return self.store.shape_edits

    @property
    def stats(self):
        """Of the last step: seconds by stage, and counts."""
        cdef Py_ssize_t k
        cdef int64_t contacts = 0
        self.store.check_idle("stats")
        counters = self.ctx.counters
        direct = counters.pop("direct")
        for k in range(self.contact_store.n_pairs):
            contacts += self.contact_store.pairs[k].n
        return {"seconds": {STAGES[k]: self.seconds[k] for k in range(N_STAGES)},
                "bodies": self.store.n_bodies - self.store.n_removed,
                "pairs": self.contact_store.n_pairs, "contacts": contacts,
                "islands": self.island_store.n, **counters, **direct}

    def contact_system(self, extra="velocity", dt=1.0 / 60.0, friction=0, method="auto"):
        """The equation a = A f + b of resting contact for the present state, and its solution.

        One row for each contact that touches: gap acceleration a (m/s^2), force f (N); extra and dt
        (s) as in the plane: none, velocity, velocity_and_distance. friction=k adds k rows for each
        contact, directions evenly round its normal: a polyhedral cone. method: of enginecore.lcp.
        Returns a ContactSystem.
        """
        return contact_system(self, extra, dt, friction, method)

    def set_state(self, *, positions=None, orientations=None, velocities=None,
                  angular_velocities=None):
        """Write the state of all bodies at once: arrays with a row for each of `bodies`."""
        wanted = {"positions": (positions, (3,), FARTHEST),
                  "orientations": (orientations, (4,), 1e300),
                  "velocities": (velocities, (3,), FASTEST),
                  "angular_velocities": (angular_velocities, (3,), FASTEST)}
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
        cdef int32_t row
        cdef Vec3 p
        cdef Quat q
        self.store.settle()
        cdef int32_t n = self.store.n_bodies
        for name, array in given.items():
            _, tail, most = wanted[name]
            if array.shape != (n, *tail):
                raise ValueError(f"{name} must have shape {(n, *tail)}, got {array.shape}")
            if not (np.abs(array) <= most).all():
                raise ValueError(f"{name} must be finite and within +-{most:g}")
        still = [row for row in range(n) if self.store.heads[row].kind == STATIC]
        for name in ("velocities", "angular_velocities"):
            if name in given and given[name][still].any():
                raise ValueError(f"{name} of static bodies must be 0")
        turns = [read_orientation(line, "orientations") for line in given.get("orientations", ())]
        # nothing is written before all is known to be good
        for row in range(n):
            p, q = self.store.places[row].pose.p, self.store.places[row].q
            if "positions" in given:
                p = read_place(given["positions"][row], "positions")
            if "orientations" in given:
                q = turns[row]
            if "positions" in given or "orientations" in given:
                place_frame(&self.store.bodies[row], p, q, &self.store.places[row])
                self.store.moved(row)
            if self.store.heads[row].kind == STATIC:
                continue
            if "velocities" in given:
                self.store.motions[row].v = read_velocity(given["velocities"][row], "velocities")
            p = self.store.motions[row].w
            if "angular_velocities" in given:
                p = read_velocity(given["angular_velocities"][row], "angular_velocities")
            set_spin(&self.store.bodies[row], &self.store.places[row], p,
                     &self.store.motions[row])
            self.store.wake(row)

    @property
    def build_mode(self):
        """Which build of the engine is loaded."""
        return BUILD_MODE

    # -- states

    def snapshot(self):
        """The whole state, contacts and their forces included; cheap to take and to give back.

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

    # -- queries; filter: only shapes that one with this Filter would collide with

    def point_query(self, point, *, filter=None, sensors=False):
        """Shapes that hold a point (m): a list of (body, shape), by age."""
        return self.query.point(point, filter, sensors)

    def box_query(self, low, high, *, filter=None, sensors=False):
        """Shapes whose boxes overlap the box from low to high (m): a list of (body, shape)."""
        return self.query.box(low, high, filter, sensors)

    def overlap_query(self, shape, pose=(0.0, 0.0, 0.0), *, filter=None, sensors=False):
        """Shapes that a shape at a pose touches or overlaps: a list of (body, shape).

        A pose is a position or (position, orientation).
        """
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
        """The first shapes on many ways at once (n x 3 each, m): arrays in, arrays out (Rays)."""
        return self.query.rays(starts, ends, filter, sensors)

    def cast_query(self, shape, pose, way, *, filter=None, sensors=False):
        """The first shape met by one that moves from a pose along way (m): a QueryHit, or None.

        What it overlaps at the start it meets at once, unless it is leaving it.
        """
        return self.query.cast(shape, pose, way, filter, sensors)

    def nearest_query(self, point, distance=None, *, filter=None, sensors=False):
        """The shape nearest to a point (m), within a distance (m) if given: a QueryHit, or None."""
        return self.query.nearest(point, distance, filter, sensors)

    # -- the step

    def step(self, dt):
        """Simulate dt seconds, times time_scale; a long step is made in several parts."""
        cdef double h = read_positive(dt, "dt") * self.pace
        if not 0.0 < h <= MOST_DT:
            raise ValueError(f"dt must be above 0 and at most {MOST_DT / self.pace:g} s, "
                             f"got {dt!r}")
        if self.calling:
            raise RuntimeError("step: the last step's handlers are not done; they cannot call it")
        self.enter("step")
        cdef int parts = count_parts(h / self.root), _part
        memset(self.seconds, 0, sizeof(self.seconds))
        self.runaways = 0
        memset(&self.ctx.counters, 0, sizeof(Counters))
        self.event_store.clear()
        try:
            self.begin_joints(h)
            for _part in range(parts):
                self.step_part(h / parts)
            self.joint_store.break_joints()
            for joint, reason in self.joint_store.ended:
                self.event_store.joint_end.append(JointEnd(joint, reason))
            self.joint_store.ended.clear()
            end_edits(self.store)
            calls = self.event_store.read_calls()
            self.store.table.forget()
            self.joint_store.table.forget()
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

    cdef int begin_joints(self, double whole) except -1:
        """Rows of joints without gaps, and sums of their forces that begin at zero."""
        self.store.settle()
        self.joint_store.settle()
        self.joint_store.point_at_bodies()
        self.joint_store.begin_step(whole)
        if self.joint_store.stale:
            self.joint_store.list_apart()
        self.joint_store.list_assemblies()
        self.small.memory.links.joints = self.joint_store.joints
        self.small.memory.links.assemblies = self.joint_store.assemblies.assemblies
        self.small.memory.links.of_joint = self.joint_store.assemblies.of_joint
        self.small.memory.links.members = self.joint_store.assemblies.members
        return 0

    cdef int step_part(self, double dt) except -1:
        """The stages, one after another, with their times."""
        cdef double[N_STAGES + 1] marks
        cdef int k
        marks[0] = perf_counter()
        self.begin_step(dt)
        marks[1] = perf_counter()
        self.find_pairs()
        marks[2] = perf_counter()
        self.find_contacts()
        marks[3] = perf_counter()
        self.build_islands()
        marks[4] = perf_counter()
        self.solve()
        marks[5] = perf_counter()
        self.finish_step()
        marks[6] = perf_counter()
        for k in range(N_STAGES):
            self.seconds[k] += marks[k + 1] - marks[k]
        return 0

    cdef int begin_step(self, double dt) except -1:
        """Stage edits: rows without gaps, and the context of this step."""
        cdef StepContext* ctx = &self.ctx
        self.store.settle()
        if not self.sleeping:
            wake_all(self.store)
        memcpy(self.store.before, self.store.places, self.store.n_bodies * sizeof(Place))
        memset(self.store.need, 0, self.store.n_bodies * sizeof(double))
        ctx.undone = 0
        ctx.dt = dt
        ctx.gravity = self.pull
        ctx.fall = length(self.pull) * dt * dt
        ctx.tol.unit, ctx.tol.root = self.unit, self.root
        ctx.tol.touch = ctx.tol.slop = TOUCH * self.unit
        ctx.tol.closed = CLOSED * self.unit
        ctx.tol.margin, ctx.tol.deep = MARGIN * self.unit, INITIAL_DEPTH * self.unit
        ctx.tol.near, ctx.tol.push = NEAR * self.unit, PUSH * self.unit
        ctx.tol.flat = FLAT
        self.point_at_stores()
        return 0

    cdef void point_at_stores(self) noexcept:
        """Bring the pointers of the context up to date."""
        cdef StepContext* ctx = &self.ctx
        ctx.heads, ctx.motions, ctx.places = self.store.heads, self.store.motions, self.store.places
        ctx.bodies, ctx.n_bodies = self.store.bodies, self.store.n_bodies
        ctx.shapes = self.store.shapes
        ctx.need = self.store.need
        ctx.pairs, ctx.n_pairs = self.contact_store.pairs, self.contact_store.n_pairs
        ctx.contacts = self.contact_store.contacts
        ctx.apart, ctx.n_apart = self.joint_store.apart, self.joint_store.n_apart

    cdef int find_pairs(self) except -1:
        """Stage broad_phase: which boxes overlap."""
        if self.ctx.n_bodies < FEW_BODIES:
            self.bound_ways()
        else:
            with nogil:
                self.bound_ways()
        self.store.phase.refresh()
        return 0

    cdef void bound_ways(self) noexcept nogil:
        sweep_boxes(self.store, &self.ctx)
        # with what their users' forces can add to their ways
        memcpy(self.store.motions_before, self.store.motions, self.store.n_bodies * sizeof(Motion))

    cdef int find_contacts(self) except -1:
        """Stage narrow_phase: contact points, with last step's forces where they were there."""
        cdef BodyStore store = self.store
        cdef int32_t row
        if (store.phase.table.p.n_begun or store.phase.table.p.n_ended
                or store.edits != self.seen_edits):
            self.contact_store.match(&store.phase.table.p, &self.ctx,
                                     store.edits != self.seen_edits)
            self.seen_edits = store.edits
            store.end_renewal()
            self.point_at_stores()
            for _, _, body_a, body_b in self.contact_store.ended:
                for id in (body_a, body_b):
                    row = store.table.entries[<int32_t> id].row
                    # what cannot move has not lost a support, and others rest on it
                    if row >= 0 and store.heads[row].kind == DYNAMIC:
                        store.wake(row)
        for body_a, body_b in self.passes:
            self.contact_store.let_pass(body_a, body_b)
        self.passes.clear()
        if self.ctx.n_bodies < FEW_BODIES:
            self.look_at_pairs()
        else:
            with nogil:
                self.look_at_pairs()
        return self.filter_contacts()

    cdef int filter_contacts(self) except -1:
        """Leave out the contacts that the user's filter does not want."""
        cdef int64_t n
        if self.filter is None:
            return 0
        n = self.contact_store.count_candidates()
        if n == 0:
            return 0
        mask = np.ascontiguousarray(self.filter(read_candidates(self.store, self.contact_store)))
        if mask.shape != (n,) or mask.dtype != np.bool_:
            raise ValueError(f"contact_filter must return {n} bools, one a row, got {mask!r}")
        if not mask.all():
            self.contact_store.drop_contacts(<const uint8_t*> address(mask))
        return 0

    cdef void look_at_pairs(self) noexcept nogil:
        if self.store.disturbed and self.sleeping:
            wake_neighbours(self.store, &self.ctx)
            wake_joined(self.store, self.joint_store.joints, self.joint_store.n)
        find_all(&self.ctx)

    cdef int build_islands(self) except -1:
        """Stage island: who pushes whom."""
        cdef int64_t most = self.ctx.n_pairs + self.joint_store.n
        if self.edge_array is None or most > self.edge_room:
            self.edge_room = 2 * most + 64
            self.edge_array = longer_lines(None, self.edge_room, sizeof(Edge))
            self.edges = <Edge*> address(self.edge_array)
        self.island_store.reserve(self.ctx.n_bodies, <int32_t> most)
        if self.ctx.n_bodies < FEW_BODIES:
            self.fill_islands()
        else:
            with nogil:
                self.fill_islands()
        return 0

    cdef void fill_islands(self) noexcept nogil:
        cdef int32_t n = list_edges(&self.ctx, self.joint_store.joints, self.joint_store.n,
                                    self.edges)
        self.island_store.build(self.ctx.heads, self.ctx.n_bodies, self.edges, n)

    cdef int solve(self) except -1:
        """Stages impact, contact_force, solver and integrate: carry every island through dt."""
        cdef int round
        for round in range(MOST_LOOKS + 1):
            self.ctx.may_look = round < MOST_LOOKS
            self.run_islands()
            if not self.ctx.undone:
                break
            self.look_farther()
        move_kinematic(&self.ctx)
        return 0

    cdef int look_farther(self) except -1:
        """Boxes, pairs and islands again for bodies that were struck off to where nobody had
        looked; with all whom they may meet they are where they began."""
        cdef StepContext at_start
        self.ctx.undone = 0
        with nogil:
            sweep_needy(self.store, &self.ctx)
        self.store.phase.refresh()
        if self.store.phase.table.p.n_begun or self.store.phase.table.p.n_ended:
            self.contact_store.match(&self.store.phase.table.p, &self.ctx, False)
            self.point_at_stores()
        at_start = self.ctx
        at_start.places, at_start.motions = self.store.before, self.store.motions_before
        with nogil:
            find_needy(&at_start)
        self.build_islands()
        with nogil:
            put_back(&self.ctx, &at_start, self.island_store)
        # contacts that were found anew may be such as the filter had left out
        if self.filter is not None:
            self.filter_contacts()
            self.build_islands()
        return 0

    cdef int run_islands(self) except -1:
        """Carry the islands that are not done yet through dt."""
        cdef int32_t n_bodies = 0, n_pairs = 0, n_slots = 0, n_joints = 0, n_cones = 0, cones, k, i
        cdef int32_t pairs, slots, n_direct = 0, n_direct_cones = 0
        cdef Island* island
        cdef const int32_t* items
        cdef JointStore joints = self.joint_store
        choose_solvers(&self.ctx, self.island_store, self.solver)
        for k in range(self.island_store.n):
            island = &self.island_store.islands[k]
            if island.is_large:
                continue
            n_bodies = max(n_bodies, island.n_bodies)
            items = &self.island_store.items[island.first_edge]
            pairs = count_pairs(&self.ctx, items, island.n_edges)
            n_pairs = max(n_pairs, pairs)
            slots = count_slots(&self.ctx, items, pairs)
            n_slots = max(n_slots, slots)
            n_joints = max(n_joints, island.n_edges - pairs)
            cones = 0
            for i in range(pairs, island.n_edges):
                cones += cones_of(joints.joints[items[i] - self.ctx.n_pairs].n_rows)
            n_cones = max(n_cones, cones)
            if pairs < island.n_edges and is_sparse(
                    &self.ctx, island.n_bodies, items, pairs, joints.joints, items + pairs,
                    <int32_t> self.ctx.n_pairs, island.n_edges - pairs):
                for i in range(pairs, island.n_edges):
                    joints.assemblies.plan(joints.assemblies.of_joint[items[i]
                                                                      - self.ctx.n_pairs])
            else:
                n_direct = max(n_direct, island.n_bodies)
                n_direct_cones = max(n_direct_cones, slots + cones)
        self.small.reserve(n_bodies, n_pairs, n_slots, self.ctx.n_bodies, n_joints, n_cones,
                           n_direct, n_direct_cones, joints.n)
        self.large.reserve(self.ctx.n_bodies, self.ctx.n_pairs)
        if self.ctx.n_bodies < FEW_BODIES:
            self.carry_islands()
        else:
            with nogil:
                self.carry_islands()
        return 0

    cdef void carry_islands(self) noexcept nogil:
        step_islands(&self.ctx, self.island_store, self.store.before, &self.small.memory,
                     &self.large.work)

    cdef int finish_step(self) except -1:
        """Stages event and sleep."""
        self.runaways += stop_runaways(&self.ctx, self.store.before)
        end_overlaps(&self.ctx)
        collect(&self.ctx, self.contact_store, self.event_store)
        if self.sleeping and self.ctx.n_bodies < FEW_BODIES:
            fall_asleep(&self.ctx, self.island_store, self.joint_store.joints, self.store.speeds)
        elif self.sleeping:
            with nogil:
                fall_asleep(&self.ctx, self.island_store, self.joint_store.joints,
                            self.store.speeds)
        return 0


cdef int count_parts(double dt) noexcept:
    """In how many parts a step is made: a power of two, so that their lengths are exact."""
    cdef int parts = 1
    while parts < MOST_PARTS and dt > LONGEST_PART * parts:
        parts *= 2
    return parts


def _snapshots():
    """The module that takes snapshots; it needs this one first."""
    from engine3d import snapshot
    return snapshot


cdef int read_rule(object value, str name) except -1:
    if not isinstance(value, str) or value not in RULES:
        raise ValueError(f"{name} must be one of {', '.join(RULES)}, got {value!r}")
    return RULES[value]


cdef uint8_t read_kind(object value) except 255:
    kinds = {"dynamic": DYNAMIC, "static": STATIC, "kinematic": KINEMATIC}
    if not isinstance(value, str) or value not in kinds:
        raise ValueError(f"kind must be dynamic, static or kinematic, got {value!r}")
    return kinds[value]
