"""The world: bodies, and the step that moves them.

A step is a table of contents, which enginecore.world has; each stage is a module of its own
(ARCHITECTURE.md).
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memset

from enginecore.arguments cimport read_flag
from enginecore.constants cimport (
    FLAT, LARGE, LARGE_CALM, MARGIN, SOLVER_AUTO, SOLVER_DIRECT, SOLVER_ITERATIVE, TOUCH,
)
from engine2d.arguments cimport (
    FARTHEST, FASTEST, read_angle, read_at_least_zero, read_inert, read_place, read_positive,
    read_rate, read_velocity,
)
from enginecore.hit cimport HitLog
from enginecore.memory cimport address
from enginecore.world cimport World as Face
from enginecore.world cimport read_kind, read_rule
from engine2d.body cimport (
    AWAKE, BULLET, DYNAMIC, FIXED_ROTATION, NO_SLEEP, STATIC, BodyData, Motion,
)
from engine2d.broad_phase cimport sweep_boxes
from engine2d.constants cimport (
    BAUMGARTE, FAT, MOST_DIRECT_ROWS, MOST_NARROW, MOST_ROUNDS, MOST_WORK, ROUNDS,
)
from engine2d.contact cimport ContactStore, end_overlaps, forget_forces, scale_sums
from engine2d.contact_find cimport find_again, find_all
from engine2d.contact_list cimport read_candidates, read_contacts
from engine2d.solve.books cimport N_ACCOUNTS, Books, add_step
from engine2d.solve.crossing cimport WayLog
from engine2d.solve.energy cimport inverse, kinetic_energy
from engine2d.solve.ccd cimport stop_fast
from engine2d.island cimport IslandStore
from engine2d.solve.free_group cimport keep_ways
from engine2d.solve.island_step cimport (
    SizeRule, find_large, is_time_left, move_kinematic, start_clocks, step_islands,
    stop_runaways,
)
from engine2d.joint.assembly_step cimport needs_plan
from engine2d.solve.large_step cimport LargeBuffers
from engine2d.sleep cimport fall_asleep, wake_neighbours
from engine2d.solve.small_step cimport SmallWorkspace
from engine2d.solve.step_context cimport Counters, Island
from engine2d.store cimport BodyInput, end_edits
from engine2d.solve.integrate cimport put_frame
from engine2d.vec2 cimport Vec2, dot, length, sub
from engine2d.vector cimport as_vector

from enginecore.world import BUILD_MODE, Energy  # no-cython-lint
from engine2d.body import Body
from engine2d.body_shape import BodyShape
from engine2d.contact_system import contact_system
from engine2d.exact.ledger import Ledger
from engine2d.joint import Joint

# Of advance: durations, and tolerances that doubles can meet.
cdef double MOST_SPAN = 1e6      # s
cdef double LEAST_TOLERANCE = 1e-13  # m
cdef double MOST_TOLERANCE = 1e-2    # m
cdef int32_t MOST_CONTACTS = 0x7FFFFFFF
# A step so many times longer than the last starts from no forces: steps of 1e-300 s are allowed,
# and an overlap that one of them closes bears what no other could.
cdef double MOST_STRETCH = 1e9

cdef tuple EXTRAS = ("none", "velocity", "velocity_and_distance")


# ---- the face ---------------------------------------------------------------------------------

cdef class World(Face):
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
        self.read_settings(unit, solver, sleeping)
        self.gravity = gravity
        self.ctx.unit = self.size
        self.ctx.root = self.root
        self.store.phase.boxes.margin = FAT * self.size
        self.extra, self.resting_gap = extra, resting_gap
        self.resting_speed = resting_speed
        self.ctx.mix_friction = read_rule(friction_rule, "friction_rule")
        self.ctx.mix_restitution = read_rule(restitution_rule, "restitution_rule")

    def __cinit__(self, *args, **options):
        self.ctx.unit = self.ctx.root = 1.0
        self.store = BodyStore()
        self.contact_store = ContactStore()
        self.joint_store = JointStore(self.store)
        self.linked = LinkWorkspace()
        self.island_store = IslandStore()
        self.event_store = EventStore(self.store)
        self.query = Query(self.store)
        self.small = SmallWorkspace()
        self.large = LargeBuffers()
        self.log = WayLog()
        self.hits = HitLog()
        self._ledger = Ledger()
        self.booked = <double*> address(self._ledger._sums)
        self._extra = "velocity"
        self.adopt_stores(self.store, self.contact_store, self.joint_store, self.event_store,
                          self.query)
        self.body_type, self.joint_type = Body, Joint
        self.store.shape_type = BodyShape
        self.joint_example = "Pin(a, b, anchor)"

    @property
    def gravity(self):
        """m/s^2."""
        return as_vector(self.pull)

    @gravity.setter
    def gravity(self, value):
        cdef Vec2 pull = read_velocity(value, "gravity")
        self.store.check_idle("gravity")
        self.pull = pull
        self.wake_dynamic()

    def _settings(self):
        """The arguments that make a world of these settings, and time_scale; for scene files."""
        return {**self.settings_of(self.ctx.mix_friction, self.ctx.mix_restitution),
                "extra": self._extra, "resting_gap": self._resting_gap,
                "resting_speed": self._resting_speed}

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
        given.flags = ((FIXED_ROTATION if read_flag(fixed_rotation, "fixed_rotation") else 0)
                       | (BULLET if read_flag(bullet, "bullet") else 0)
                       | (0 if read_flag(can_sleep, "can_sleep") else NO_SLEEP))
        return self._add(shapes, &given)

    def add_static(self, *shapes, position=(0.0, 0.0), angle=0.0):
        """Add a body that never moves and return it."""
        return self.add_body(*shapes, position=position, angle=angle, kind="static")

    def add_kinematic(self, *shapes, position=(0.0, 0.0), angle=0.0, velocity=(0.0, 0.0),
                      angular_velocity=0.0):
        """Add a body that moves as its velocity says, whatever it meets, and return it."""
        return self.add_body(*shapes, position=position, angle=angle, velocity=velocity,
                             angular_velocity=angular_velocity, kind="kinematic")

    cdef int32_t insert_body(self, tuple shapes, const void* given) except -1:
        cdef const BodyInput* body = <const BodyInput*> given
        if body.kind == STATIC and (body.velocity.x != 0.0 or body.velocity.y != 0.0
                                    or body.angular_velocity != 0.0):
            raise ValueError("a static body has no velocity; make it kinematic")
        return self.store.insert(shapes, body)

    # -- views

    @property
    def positions(self):
        """Origins of the bodies' frames (n x 2, m): a view, rows as in `bodies`."""
        return self.view("places", 8, 0, 2)

    @property
    def centers(self):
        """Centres of mass (n x 2, m): a view."""
        return self.view("places", 8, 4, 2)

    @property
    def angles(self):
        """Angles of the bodies' frames (n, rad): a view."""
        return self.view("places", 8, 6, 1)

    @property
    def velocities(self):
        """Velocities of the centres of mass (n x 2, m/s): a view."""
        return self.view("motions", 8, 0, 2)

    @property
    def angular_velocities(self):
        """Rates of turning (n, rad/s): a view."""
        return self.view("motions", 8, 2, 1)

    cdef void sum_energy(self, double* kinetic, double* potential) noexcept:
        cdef int32_t row
        cdef const BodyData* body
        cdef const Motion* motion
        potential[0] = self.joint_store.energy()
        for row in range(self.store.n_bodies):
            body = &self.store.bodies[row]
            if body.kind != DYNAMIC:
                continue
            motion = &self.store.motions[row]
            kinetic[0] += 0.5 * body.mass * dot(motion.v, motion.v)
            if motion.inv_I > 0.0:
                kinetic[0] += 0.5 * body.inertia * motion.w * motion.w
            potential[0] -= (body.mass * body.gravity_scale
                             * dot(self.pull, self.store.places[row].x))

    cdef object list_contacts(self, int32_t body):
        return read_contacts(self.store, self.contact_store, &self.ctx, body)

    cdef int64_t count_contacts(self) noexcept:
        return self.contact_store.n

    cdef int32_t count_islands(self) noexcept:
        return self.island_store.n

    cdef dict counts(self):
        counters = self.ctx.counters
        return counters if self.exact_counts is None else {**counters, "exact": self.exact_counts}

    def contact_system(self, extra="velocity", dt=1.0 / 60.0, friction=False):
        """The equation a = A f + b of resting contact for the present state, and its solution.

        One row for each contact that touches: gap acceleration a (m/s^2), force f (N); extra and dt
        (s) as in contact_force.assemble. friction=True adds a row for each contact's friction along
        z x normal, with |f| at most mu times the normal force. Returns a ContactSystem.
        """
        return contact_system(self, extra, dt, read_flag(friction, "friction"))

    def set_state(self, *, positions=None, angles=None, velocities=None, angular_velocities=None):
        """Write the state of all bodies at once: arrays with a row for each of `bodies`."""
        wanted = {"positions": (positions, (2,), FARTHEST), "angles": (angles, (), FARTHEST),
                  "velocities": (velocities, (2,), FASTEST),
                  "angular_velocities": (angular_velocities, (), FASTEST)}
        self.write_all(wanted)

    cdef int write_rows(self, dict given) except -1:
        cdef int32_t row, n = self.store.n_bodies
        cdef double angle
        cdef Vec2 p
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
        return 0

    # -- states

    def _snapshots(self):
        """What takes snapshots; it needs this module first."""
        from engine2d.snapshot import KEEPER
        return KEEPER

    # -- queries

    def overlap_query(self, shape, pose=(0.0, 0.0), *, filter=None, sensors=False):
        """Shapes that a shape at a pose (x, y, angle) touches or overlaps: (body, shape)."""
        return self.query.overlap(shape, pose, filter, sensors)

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
            calls = self.read_calls()
        finally:
            self.store.busy = False
        self.time += span
        self.call_handlers(calls)

    # -- the step

    cdef int begin_call(self) except -1:
        self.exact_counts = None
        return Face.begin_call(self)

    cdef int begin_step(self, double whole) except -1 nogil:
        """Stage edits: rows without gaps, and the context of this step."""
        cdef StepContext* ctx = &self.ctx
        memset(&ctx.counters, 0, sizeof(Counters))
        self.store.settle()
        self.joint_store.settle()
        self.joint_store.point_at_bodies()
        if not self.sleeping:
            self.store.wake_all()
        self.joint_store.begin_step(whole)
        self.joint_store.list_assemblies()
        self.query.fresh = False
        self.store.keep_places()
        if self.store.n_bodies >= self.clock_room:
            self.grow_clocks(2 * self.store.n_bodies + 1)
        ctx.left, ctx.moved = self.clock_left, self.clock_moved
        ctx.glides = self.clock_glides
        self.log.n = self.hits.list.n = 0
        if ctx.whole > 0.0 and ctx.whole != whole:
            scale_sums(self.contact_store, whole / ctx.whole)
        ctx.whole = whole
        ctx.begun = 0.0
        ctx.gravity = self.pull
        ctx.strike_speed = 0.0
        ctx.thorough = self.solver == SOLVER_DIRECT
        ctx.tol.touch = ctx.tol.slop = TOUCH * ctx.unit
        ctx.tol.flat, ctx.tol.baumgarte = FLAT, BAUMGARTE
        ctx.later = False
        ctx.margin = MARGIN * ctx.unit
        self.point_at_stores()
        self.open_books()
        return 0

    cdef int begin_part(self, double dt) except -1 nogil:
        """The clocks of all bodies, and what looking for contacts has to cover."""
        cdef StepContext* ctx = &self.ctx
        self.last_dt = dt
        if dt > MOST_STRETCH * ctx.dt:
            forget_forces(self.contact_store)
        ctx.dt = dt
        ctx.may_cut = ctx.may_part = True
        ctx.round = 0
        ctx.cover = dt
        ctx.fall = length(self.pull) * dt * dt
        if self.joint_store.stale:
            self.joint_store.list_apart()
            self.point_at_stores()
        return 0

    cdef int grow_clocks(self, int32_t n) except -1 with gil:
        """Room for the clocks of so many bodies."""
        self.clocks = np.zeros(n), np.zeros(n, np.int32), np.zeros(n, np.uint8)
        self.clock_left = <double*> address(self.clocks[0])
        self.clock_moved = <int32_t*> address(self.clocks[1])
        self.clock_glides = <uint8_t*> address(self.clocks[2])
        self.clock_room = n
        return 0

    cdef void point_at_stores(self) noexcept nogil:
        """Bring the pointers of the context up to date."""
        cdef StepContext* ctx = &self.ctx
        ctx.motions, ctx.places = self.store.motions, self.store.places
        ctx.before = self.store.before
        ctx.bodies, ctx.n_bodies = self.store.bodies, self.store.n_bodies
        ctx.contacts, ctx.n_contacts = self.contact_store.contacts, self.contact_store.n
        ctx.pairs, ctx.shapes = self.contact_store.pairs, self.store.shapes
        ctx.hits = &self.hits.list
        ctx.has_rules = self.store.has_rules
        ctx.has_outlines = self.store.has_outlines
        ctx.n_overlaps = self.contact_store.n_overlaps
        ctx.apart, ctx.n_apart = self.joint_store.apart, self.joint_store.n_apart

    cdef int find_pairs(self) except -1 nogil:
        """Stage broad_phase: which boxes overlap."""
        sweep_boxes(self.store, &self.ctx)
        return self.store.phase.refresh()

    cdef int find_contacts(self) except -1 nogil:
        """Stage narrow_phase: contact points, with last step's impulses where they were there."""
        self.match_pairs()
        if self.store.disturbed and self.sleeping:
            wake_neighbours(self.store, self.contact_store)
        if self.has_passes:
            self.let_pass()
        find_all(self.contact_store, &self.ctx)
        self.filter_contacts(0)
        self.point_at_stores()
        return 0

    cdef int filter_contacts(self, int32_t first) except -1 nogil:
        """Leave out the contacts from `first` on that the user's filter does not want."""
        return self.ask_about(first) if self.has_filter and self.contact_store.n > first else 0

    cdef int ask_about(self, int32_t first) except -1 with gil:
        cdef int32_t n = self.contact_store.n - first
        rows = read_candidates(self.store, self.contact_store, first)
        mask = self.ask_filter(rows, n)
        if mask is not None:
            self.contact_store.drop_contacts(<const uint8_t*> address(mask), first)
        return 0

    cdef int match(self, bint edited) except -1 nogil:
        self.contact_store.match(&self.store.phase.table.p, &self.ctx, edited)
        self.store.end_renewal()
        return 0

    cdef int build_islands(self) except -1 nogil:
        """Stage island: who pushes whom."""
        self.island_store.reserve(self.ctx.n_bodies, self.ctx.n_contacts, self.joint_store.n)
        self.island_store.build(&self.ctx, self.joint_store.joints, self.joint_store.n)
        if self.ctx.round == 0:
            # who was woken just now has the whole of this part before him too
            start_clocks(&self.ctx)
        return 0

    cdef int reserve_linked(self) except -1 nogil:
        """Room and plans for the islands whose joints are solved by factors."""
        cdef int32_t n_bodies = 0, n_joints = 0, n_rows = 0, n_direct = 0, n_contacts = 0, k, j
        cdef const Island* island
        if self.joint_store.n == 0:
            return 0
        for k in range(self.island_store.n):
            island = &self.island_store.islands[k]
            if island.n_joints == 0 or not (self.island_store.is_large[k]
                                            or island.n_contacts == 0):
                continue
            n_bodies = max(n_bodies, island.n_bodies)
            n_joints = max(n_joints, island.n_joints)
            n_rows = max(n_rows, island.n_joint_rows)
            n_contacts = max(n_contacts, island.n_contacts)
            if not needs_plan(island):
                n_direct = max(n_direct, island.n_joint_rows)
                continue
            for j in range(island.first_joint, island.first_joint + island.n_joints):
                self.joint_store.assemblies.plan(
                    self.joint_store.assemblies.of_joint[self.island_store.joints[j]])
        self.linked.reserve(n_bodies, n_joints, n_rows, n_direct, self.ctx.n_bodies,
                            self.joint_store.n, n_contacts)
        self.linked.memory.joints = self.joint_store.joints
        self.linked.memory.assemblies = self.joint_store.assemblies.assemblies
        self.linked.memory.of_joint = self.joint_store.assemblies.of_joint
        self.linked.memory.members = self.joint_store.assemblies.members
        return 0

    cdef SizeRule size_rule(self) noexcept nogil:
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

    cdef int solve(self) except -1 nogil:
        """Stages impact, contact_force, solver and integrate: carry every island through the part,
        in rounds."""
        self.go_once()
        return self.go_on()

    cdef int go_once(self) except -1 nogil:
        """Carry every island as far as it goes at once."""
        cdef int32_t n_bodies = 0, n_contacts = 0, n_joints = 0, n_rows = 0, k
        cdef const Island* island
        cdef SizeRule rule = self.size_rule()
        find_large(&self.ctx, self.island_store, &rule)
        for k in range(self.island_store.n):
            if not self.island_store.is_large[k]:
                island = &self.island_store.islands[k]
                n_bodies = max(n_bodies, island.n_bodies)
                n_contacts = max(n_contacts, island.n_contacts)
                n_joints = max(n_joints, island.n_joints)
                n_rows = max(n_rows, island.n_joint_rows)
        self.small.reserve(n_bodies, n_contacts, self.ctx.n_bodies, n_joints, n_rows)
        self.small.memory.joints = self.joint_store.joints
        self.large.reserve(self.ctx.n_bodies, self.ctx.n_contacts)
        self.reserve_linked()
        self.hits.reserve(self.ctx.n_contacts)
        step_islands(&self.ctx, self.island_store, &rule, &self.small.memory, &self.large.work,
                     &self.linked.memory)
        stop_fast(&self.ctx, self.contact_store, self.store.shapes, &self.store.phase.boxes,
                  self.island_store, self.joint_store.joints)
        keep_ways(&self.ctx, self.island_store)
        return 0

    cdef int go_on(self) except -1 nogil:
        """Rounds for those who have time left: they were struck, or are thin and go in parts. They
        are looked at again where they are."""
        cdef StepContext* ctx = &self.ctx
        cdef int32_t first, again = self.contact_store.n
        cdef SizeRule rule
        while is_time_left(ctx) and ctx.round < MOST_ROUNDS:
            self.log.reserve(ctx.n_bodies)
            self.log.note(ctx, False)
            ctx.round += 1
            ctx.may_cut = ctx.round < ROUNDS
            ctx.may_part = ctx.round < MOST_ROUNDS - 1
            self.runaways += stop_runaways(ctx, self.store.before)
            ctx.later = True
            self.find_pairs()
            self.match_pairs()
            first = find_again(self.contact_store, ctx)
            self.filter_contacts(first)
            self.point_at_stores()
            self.island_store.reserve(ctx.n_bodies, ctx.n_contacts, self.joint_store.n)
            self.island_store.build_again(ctx, first, self.joint_store.joints,
                                          self.joint_store.n)
            self.go_once()
        if ctx.round > 0:
            # contacts and islands of the whole step: what is told, and who sleeps, goes by them
            ctx.cover = ctx.dt
            self.contact_store.compact(again)
            self.point_at_stores()
            self.build_islands()
            rule = self.size_rule()
            find_large(ctx, self.island_store, &rule)
        ctx.counters.rounds += ctx.round
        return 0

    cdef int finish_part(self) except -1 nogil:
        """Kinematic bodies to the end of the part; what follows is not the first of the step."""
        cdef StepContext* ctx = &self.ctx
        move_kinematic(ctx)
        self.runaways += stop_runaways(ctx, self.store.before)
        end_overlaps(self.store, self.contact_store)
        ctx.begun += ctx.dt
        ctx.later = True
        if ctx.begun < 0.99 * ctx.whole:
            self.log.reserve(ctx.n_bodies)
            ctx.begun -= ctx.dt
            self.log.note(ctx, True)
            ctx.begun += ctx.dt
        return 0

    cdef int finish_step(self) except -1 nogil:
        """Stages event and sleep."""
        self.joint_store.finish_step()
        self.close_books()
        self.joint_store.break_joints()
        self.event_store.collect(&self.ctx, self.contact_store, self.log)
        if self.joint_store.n_ended > 0:
            self.note_joint_ends()
        if self.sleeping:
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


def _exact():
    """The module of the exact clock; it needs this one first."""
    from engine2d.exact import advance
    return advance
