# distutils: include_dirs = engine3d/solve enginecore
"""The world: bodies, and the step that moves them.

A step is a table of contents, which enginecore.world has; each stage is a module of its own
(ARCHITECTURE.md).
"""

import functools

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memcpy, memset

from enginecore.arguments cimport read_flag
from enginecore.body_head cimport BULLET, DYNAMIC, FIXED_ROTATION, NO_SLEEP, STATIC
from enginecore.constants cimport FLAT, INITIAL_DEPTH, MARGIN, SOLVER_DIRECT, TOUCH
from enginecore.hit cimport HitLog
from enginecore.island cimport Edge, Island, IslandStore
from enginecore.memory cimport address, longer_lines
from enginecore.world cimport World as Face
from enginecore.world cimport read_kind, read_rule
from engine3d.arguments cimport (
    FARTHEST, FASTEST, read_at_least_zero, read_inert, read_inertia, read_orientation, read_place,
    read_rate, read_velocity,
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
from engine3d.sleep cimport fall_asleep, wake_joined, wake_neighbours
from engine3d.solve.integrate cimport place_frame, set_spin
from engine3d.solve.island_step cimport (
    choose_solvers, find_needy, move_kinematic, put_back, step_islands, stop_runaways,
)
from engine3d.solve.large_step cimport LargeBuffers
from engine3d.solve.small_step cimport SmallWorkspace, count_slots, is_sparse
from engine3d.store cimport BodyInput, end_edits
from engine3d.vec3 cimport dot, length
from engine3d.vector cimport as_vector

from enginecore.body_shape import _shape_of
from enginecore.event import EventStore as _EventStore
from enginecore.world import BUILD_MODE, Energy  # no-cython-lint
from engine3d.body import Body
from engine3d.body_shape import BodyShape
from engine3d.contact_system import contact_system, read_directions
from engine3d.joint import Joint
from engine3d.vector import Vec3 as _Vec3

# ---- the face ---------------------------------------------------------------------------------

cdef class World(Face):
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
        self.read_settings(unit, solver, sleeping)
        self.store.phase.boxes.margin = FAT * self.size
        self.ctx.mix_friction = read_rule(friction_rule, "friction_rule")
        self.ctx.mix_restitution = read_rule(restitution_rule, "restitution_rule")
        self.ctx.friction_cone = read_directions(friction_cone, "friction_cone")
        if self.ctx.friction_cone > 0:
            self.solver = SOLVER_DIRECT

    def __cinit__(self, *args, **options):
        self.store = BodyStore()
        self.contact_store = ContactStore()
        self.island_store = IslandStore()
        self.event_store = _EventStore(self.store.table.handles,
                                       functools.partial(_shape_of, self.store), _Vec3)
        self.small = SmallWorkspace()
        self.joint_store = JointStore(self.store)
        self.large = LargeBuffers()
        self.hits = HitLog()
        self.query = Query(self.store)
        self.adopt_stores(self.store, self.contact_store, self.joint_store, self.event_store,
                          self.query)
        self.body_type, self.joint_type = Body, Joint
        self.store.shape_type = BodyShape
        self.joint_example = "Ball(a, b, anchor)"

    @property
    def gravity(self):
        """m/s^2."""
        return as_vector(self.pull)

    @gravity.setter
    def gravity(self, value):
        cdef Vec3 pull = read_velocity(value, "gravity")
        self.store.check_idle("gravity")
        self.pull = pull
        self.wake_dynamic()

    def _settings(self):
        """The arguments that make a world of these settings, and time_scale; for scene files."""
        return {**self.settings_of(self.ctx.mix_friction, self.ctx.mix_restitution),
                "friction_cone": self.ctx.friction_cone}

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
        given.flags = ((FIXED_ROTATION if read_flag(fixed_rotation, "fixed_rotation") else 0)
                       | (BULLET if read_flag(bullet, "bullet") else 0)
                       | (0 if read_flag(can_sleep, "can_sleep") else NO_SLEEP))
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

    cdef int32_t insert_body(self, tuple shapes, const void* given) except -1:
        cdef const BodyInput* body = <const BodyInput*> given
        if body.kind == STATIC and (length(body.velocity) != 0.0
                                    or length(body.angular_velocity) != 0.0):
            raise ValueError("a static body has no velocity; make it kinematic")
        return self.store.insert(shapes, body)

    # -- views

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

    cdef void sum_energy(self, double* kinetic, double* potential) noexcept:
        cdef int32_t row
        cdef const BodyData* body
        cdef const Motion* motion
        potential[0] = self.joint_store.energy()
        for row in range(self.store.n_bodies):
            if self.store.heads[row].kind != DYNAMIC:
                continue
            body = &self.store.bodies[row]
            motion = &self.store.motions[row]
            kinetic[0] += 0.5 * (body.mass * dot(motion.v, motion.v) + dot(motion.L, motion.w))
            potential[0] -= (body.mass * body.gravity_scale
                             * dot(self.pull, self.store.places[row].x))

    cdef object list_contacts(self, int32_t body):
        return read_contacts(self.store, self.contact_store, &self.ctx, body)

    cdef int64_t count_contacts(self) noexcept:
        cdef int64_t k, n = 0
        for k in range(self.contact_store.n_pairs):
            n += self.contact_store.pairs[k].n
        return n

    cdef int32_t count_islands(self) noexcept:
        return self.island_store.n

    cdef dict counts(self):
        # a struct would be made a dictionary anew at each use
        cdef dict counters = self.ctx.counters
        cdef dict direct = counters.pop("direct")
        return {**counters, **direct}

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
        self.write_all(wanted)

    cdef int write_rows(self, dict given) except -1:
        cdef int32_t row, n = self.store.n_bodies
        cdef Vec3 p
        cdef Quat q
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
        return 0

    # -- states

    def _snapshots(self):
        """What takes snapshots; it needs this module first."""
        from engine3d.snapshot import KEEPER
        return KEEPER

    # -- queries

    def overlap_query(self, shape, pose=(0.0, 0.0, 0.0), *, filter=None, sensors=False):
        """Shapes that a shape at a pose touches or overlaps: a list of (body, shape).

        A pose is a position or (position, orientation).
        """
        return self.query.overlap(shape, pose, filter, sensors)

    # -- the step

    cdef int begin_step(self, double whole) except -1 nogil:
        """Rows of joints without gaps, and sums of their forces that begin at zero."""
        memset(&self.ctx.counters, 0, sizeof(Counters))
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

    cdef int begin_part(self, double dt) except -1 nogil:
        """Stage edits: rows without gaps, and the context of this part."""
        cdef StepContext* ctx = &self.ctx
        self.store.settle()
        if not self.sleeping:
            self.store.wake_all()
        memcpy(self.store.before, self.store.places, self.store.n_bodies * sizeof(Place))
        memset(self.store.need, 0, self.store.n_bodies * sizeof(double))
        ctx.undone = self.hits.list.n = 0
        ctx.dt = dt
        ctx.gravity = self.pull
        ctx.fall = length(self.pull) * dt * dt
        ctx.tol.unit, ctx.tol.root = self.size, self.root
        ctx.tol.touch = ctx.tol.slop = TOUCH * self.size
        ctx.tol.closed = CLOSED * self.size
        ctx.tol.margin, ctx.tol.deep = MARGIN * self.size, INITIAL_DEPTH * self.size
        ctx.tol.near, ctx.tol.push = NEAR * self.size, PUSH * self.size
        ctx.tol.flat = FLAT
        self.point_at_stores()
        return 0

    cdef void point_at_stores(self) noexcept nogil:
        """Bring the pointers of the context up to date."""
        cdef StepContext* ctx = &self.ctx
        ctx.heads, ctx.motions, ctx.places = self.store.heads, self.store.motions, self.store.places
        ctx.bodies, ctx.n_bodies = self.store.bodies, self.store.n_bodies
        ctx.shapes = self.store.shapes
        ctx.need = self.store.need
        ctx.hits = &self.hits.list
        ctx.pairs, ctx.n_pairs = self.contact_store.pairs, self.contact_store.n_pairs
        ctx.contacts = self.contact_store.contacts
        ctx.apart, ctx.n_apart = self.joint_store.apart, self.joint_store.n_apart

    cdef int find_pairs(self) except -1 nogil:
        """Stage broad_phase: which boxes overlap."""
        sweep_boxes(self.store, &self.ctx)
        # with what their users' forces can add to their ways
        memcpy(self.store.motions_before, self.store.motions, self.store.n_bodies * sizeof(Motion))
        return self.store.phase.refresh()

    cdef int find_contacts(self) except -1 nogil:
        """Stage narrow_phase: contact points, with last step's forces where they were there."""
        self.match_pairs()
        if self.has_passes:
            self.let_pass()
        if self.store.disturbed and self.sleeping:
            wake_neighbours(self.store, &self.ctx)
            wake_joined(self.store, self.joint_store.joints, self.joint_store.n)
        find_all(&self.ctx)
        return self.filter_contacts()

    cdef int match(self, bint edited) except -1 nogil:
        self.contact_store.match(&self.store.phase.table.p, &self.ctx, edited)
        self.store.end_renewal()
        self.point_at_stores()
        return 0

    cdef int filter_contacts(self) except -1 nogil:
        """Leave out the contacts that the user's filter does not want."""
        return self.ask_about_contacts() if self.has_filter else 0

    cdef int ask_about_contacts(self) except -1 with gil:
        cdef int64_t n = self.contact_store.count_candidates()
        if n == 0:
            return 0
        mask = self.ask_filter(read_candidates(self.store, self.contact_store), n)
        if mask is not None:
            self.contact_store.drop_contacts(<const uint8_t*> address(mask))
        return 0

    cdef int build_islands(self) except -1 nogil:
        """Stage island: who pushes whom."""
        cdef int64_t most = self.ctx.n_pairs + self.joint_store.n
        cdef int32_t n
        if self.edges == NULL or most > self.edge_room:
            self.grow_edges(2 * most + 64)
        self.island_store.reserve(self.ctx.n_bodies, <int32_t> most)
        n = list_edges(&self.ctx, self.joint_store.joints, self.joint_store.n, self.edges)
        self.island_store.build(self.ctx.heads, self.ctx.n_bodies, self.edges, n)
        return 0

    cdef int grow_edges(self, int64_t room) except -1 with gil:
        self.edge_array = longer_lines(None, room, sizeof(Edge))
        self.edges = <Edge*> address(self.edge_array)
        self.edge_room = room
        return 0

    cdef int solve(self) except -1 nogil:
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

    cdef int look_farther(self) except -1 nogil:
        """Boxes, pairs and islands again for bodies that were struck off to where nobody had
        looked; with all whom they may meet they are where they began."""
        cdef StepContext at_start
        self.ctx.undone = 0
        sweep_needy(self.store, &self.ctx)
        self.store.phase.refresh()
        if self.store.phase.table.p.n_begun or self.store.phase.table.p.n_ended:
            self.contact_store.match(&self.store.phase.table.p, &self.ctx, False)
            self.point_at_stores()
        at_start = self.ctx
        at_start.places, at_start.motions = self.store.before, self.store.motions_before
        find_needy(&at_start)
        self.build_islands()
        put_back(&self.ctx, &at_start, self.island_store)
        # contacts that were found anew may be such as the filter had left out
        if self.has_filter:
            self.filter_contacts()
            self.build_islands()
        return 0

    cdef int run_islands(self) except -1 nogil:
        """Carry the islands that are not done yet through dt."""
        cdef int32_t n_bodies = 0, n_pairs = 0, n_slots = 0, n_joints = 0, n_cones = 0, cones, k, i
        cdef int32_t pairs, slots, n_direct = 0, n_direct_cones = 0
        cdef Island* island
        cdef const int32_t* items
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
                cones += cones_of(self.joint_store.joints[items[i] - self.ctx.n_pairs].head.n_rows)
            n_cones = max(n_cones, cones)
            if pairs < island.n_edges and is_sparse(
                    &self.ctx, island.n_bodies, items, pairs, self.joint_store.joints,
                    items + pairs, <int32_t> self.ctx.n_pairs, island.n_edges - pairs):
                for i in range(pairs, island.n_edges):
                    self.joint_store.assemblies.plan(
                        self.joint_store.assemblies.of_joint[items[i] - self.ctx.n_pairs])
            else:
                n_direct = max(n_direct, island.n_bodies)
                n_direct_cones = max(n_direct_cones, slots + cones)
        self.small.reserve(n_bodies, n_pairs, n_slots, self.ctx.n_bodies, n_joints, n_cones,
                           n_direct, n_direct_cones, self.joint_store.n)
        self.large.reserve(self.ctx.n_bodies, self.ctx.n_pairs)
        self.hits.reserve(<int32_t> self.contact_store.n_slots)
        step_islands(&self.ctx, self.island_store, self.store.before, &self.small.memory,
                     &self.large.work)
        return 0

    cdef int finish_part(self) except -1 nogil:
        """Stages event and sleep."""
        self.runaways += stop_runaways(&self.ctx, self.store.before)
        end_overlaps(&self.ctx)
        collect(&self.ctx, self.contact_store, self.event_store)
        if self.sleeping:
            fall_asleep(&self.ctx, self.island_store, self.joint_store.joints, self.store.speeds)
        return 0

    cdef int finish_step(self) except -1 nogil:
        """Joints that broke or were removed, and the user's forces forgotten."""
        self.joint_store.break_joints()
        if self.joint_store.n_ended > 0:
            self.note_joint_ends()
        end_edits(self.store)
        return 0
