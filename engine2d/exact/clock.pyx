"""World.advance: smooth motion between events, everything else at its moment.

docs/maths/exact.md has the method, loop.pyx the loop. The Clock makes a Run of a world, and gives
the world back what came of it.
"""

import numpy as np

from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY, fabs, sqrt
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memset

from enginecore.joint cimport is_apart
from enginecore.memory cimport address
from enginecore.mix cimport allowed, mix
from enginecore.lcp cimport LCP_AUTO, LcpProblem, Workspace
from enginecore.ode cimport STAGES
from enginecore.scalar cimport greater, lesser
from engine2d.contact cimport PASSING, ContactStore
from engine2d.collide.geometry cimport OUTLINE, Feature, Geometry, count_features, feature_at
from engine2d.body cimport DYNAMIC, KINEMATIC, STATIC, BodyData, Motion, Place
from engine2d.exact.joints cimport sum_joint_forces
from engine2d.exact.link cimport load_state
from engine2d.exact.loop cimport (
    NO_REACH, ONE_TIME, RUN_ASKS, RUN_DONE, RUN_FAILED, RUN_PAUSED, RunStatus, give_up, run_on)
from engine2d.exact.modes cimport find_energy
from engine2d.exact.run cimport (
    N_ACCOUNTS, PASSES, PER_BODY, UNWANTED, ChangeRecord, Flag, HitRecord, Run, RunBody, RunHold,
    RunJoint, RunLink, RunPair, RunRow)
from engine2d.exact.rules cimport leave_out
from engine2d.exact.touching cimport allow_overlaps, is_sunk, part_pairs
from engine2d.joint.joint cimport (
    DRIVE, MOST_ROWS, Frame, JointRow, JointStore, class_of, frame_of)
from engine2d.store cimport BodyStore, ShapeData
from engine2d.solve.integrate cimport bring_to
from engine2d.vec2 cimport add, length, scaled, vec2
from engine2d.world cimport World

from enginecore.status import SolverError, Status
from engine2d.contact_list import _ROW

# Of the tolerance: gaps up to this count as contact.
cdef double TOUCH_TOLERANCES = 20.0
# rad. Corners whose normals sweep more are sharper than right angles, a little slanted too; and up
# to which share of its reach a shape's corner counts as one when rounded.
cdef double SHARP = 1.5
cdef double SMALL_ROUND = 0.05
# Of the smaller reach: thickness of a pair in which such a corner meets a bowl without area.
cdef double SEEN_SHARP = 0.04
# How often in a row time may hardly have gone on, and after how many pauses that is looked at.
cdef int MOST_STUCK = 4
cdef int PAUSES = 25
# Of the time in which a body falls by its reach: a first guess for a step.
cdef double FIRST_STEP = 0.05

cdef tuple EXTRAS = ("none", "velocity", "velocity_and_distance")
# As in ChangeKind.
CHANGES = ("begins", "leaves", "slips", "sticks", "feature", "limit", "taut", "frees", "tooth",
           "breaks", "rolls", "halts")

_HIT = np.dtype([("time", np.float64), ("pair", np.int32), ("flipped", np.int32),
                 ("point", np.float64, 2), ("normal", np.float64, 2), ("impulse", np.float64, 2),
                 ("speed", np.float64), ("loss", np.float64), ("settles", np.float64),
                 ("path", np.int32), ("fill", np.int32)])
_CHANGE = np.dtype([("time", np.float64), ("kind", np.int32), ("pair", np.int32),
                    ("joint", np.int32), ("fill", np.int32), ("point", np.float64, 2)])
if _HIT.itemsize != sizeof(HitRecord) or _CHANGE.itemsize != sizeof(ChangeRecord):
    raise ImportError("the layout of HitRecord or ChangeRecord is not what numpy was told")


cdef inline bint may_touch(const ShapeData* a, const ShapeData* b) noexcept nogil:
    """Whether two shapes push each other: filters, and no sensors."""
    return not (a.sensor or b.sensor) and allowed(&a.filter, &b.filter)


cdef bint has_sharp_corner(const Geometry* g) noexcept nogil:
    """Whether a shape has an area and a corner sharper than a right angle, round or not."""
    cdef Feature f
    cdef int32_t k
    if g.kind == OUTLINE and not g.closed:
        return False
    for k in range(count_features(g)):
        feature_at(g, k, &f)
        if 0.0 <= f.r <= SMALL_ROUND * g.bounding_radius and f.sweep > SHARP:
            return True
    return False


cdef bint is_thin_bowl(const Geometry* g) noexcept nogil:
    """Whether a shape is a line without area that curves inwards."""
    cdef Feature f
    cdef int32_t k
    if g.kind != OUTLINE or g.closed:
        return False
    for k in range(count_features(g)):
        feature_at(g, k, &f)
        if f.r < 0.0:
            return True
    return False


cdef class Clock:
    """A run of World.advance: its arrays, made for one call."""

    cdef Run run
    cdef World world
    cdef dict arrays
    cdef Workspace lcp
    cdef double start_energy

    def __cinit__(self, World world not None, double tolerance):
        self.world = world
        self.arrays = {}
        self.lcp = Workspace()
        memset(&self.run, 0, sizeof(Run))
        self.run.tol = tolerance
        self.run.touch = TOUCH_TOLERANCES * tolerance
        self.run.band = tolerance
        self.run.bad_pair = -1

    cdef void* room(self, str name, Py_ssize_t size) except NULL:
        """Memory that numpy owns, all zeros; what an array of the name held is kept."""
        old = self.arrays.get(name)
        new = np.zeros(max(size, 8), np.uint8)
        if old is not None:
            new[:min(old.nbytes, size)] = old[:min(old.nbytes, size)]
        self.arrays[name] = new
        return <void*> address(new)

    cdef int set_band(self) except -1:
        """The settings for contacts that rest."""
        cdef Run* run = &self.run
        world = self.world
        run.extra = EXTRAS.index(world.extra)
        if world.resting_gap is not None or world.resting_speed is not None:
            run.wide = True
            if world.resting_gap is not None:
                run.band = greater(run.band, world.resting_gap)
            if world.resting_speed is not None:
                run.band_speed = world.resting_speed
        return 0

    cdef int load_bodies(self) except -1:
        """All bodies, and the state of those that move."""
        cdef Run* run = &self.run
        cdef BodyStore store = self.world.store
        cdef int32_t row
        cdef const BodyData* body
        cdef const Motion* motion
        cdef const Place* place
        cdef RunBody* out
        run.n_bodies = store.n_bodies
        # one more is the world, for joints
        run.bodies = <RunBody*> self.room("bodies", (run.n_bodies + 1) * sizeof(RunBody))
        run.bodies[run.n_bodies].at = -1
        run.bodies[run.n_bodies].pose.q = vec2(1.0, 0.0)
        run.felt = <double*> self.room("felt", 3 * (run.n_bodies + 1) * sizeof(double))
        run.moving = <int32_t*> self.room("moving", run.n_bodies * sizeof(int32_t))
        for row in range(run.n_bodies):
            body, motion, place = &store.bodies[row], &store.motions[row], &store.places[row]
            out = &run.bodies[row]
            out.dynamic = body.kind == DYNAMIC
            out.inv_m, out.inv_I = motion.inv_m, motion.inv_I
            out.local_center, out.bounding_radius = body.local_center, place.bounding_radius
            out.swept_radius = body.swept_radius
            out.x, out.angle, out.pose = place.x, place.angle, place.pose
            out.v, out.w = motion.v, motion.w
            out.at = -1
            if body.kind == STATIC or (body.kind == KINEMATIC and motion.v.x == 0.0
                                       and motion.v.y == 0.0 and motion.w == 0.0):
                continue
            out.at = PER_BODY * run.n_moving
            run.moving[run.n_moving] = row
            run.n_moving += 1
            if out.dynamic:
                out.mass = body.mass
                out.inertia = body.inertia if motion.inv_I > 0.0 else 0.0
                out.weight = scaled(body.gravity_scale, self.world.pull)
                out.force, out.torque = body.force, body.torque
                out.damping, out.spin_damping = body.linear_damping, body.angular_damping
                run.pull = greater(run.pull, length(add(out.weight,
                                                        scaled(out.inv_m, out.force))))
        return 0

    cdef int load_joints(self) except -1:
        """All joints, and a hold for each of their rows."""
        cdef Run* run = &self.run
        cdef JointStore store = self.world.joint_store
        cdef JointRow[MOST_ROWS] rows
        cdef Frame a, b
        cdef RunJoint* joint
        cdef RunHold* hold
        cdef int32_t k
        cdef int i, n, drives
        store.settle()
        store.point_at_bodies()
        if store.stale:
            store.list_apart()
        run.n_joints = store.n
        run.joints = <RunJoint*> self.room("joints", run.n_joints * sizeof(RunJoint))
        run.holds = <RunHold*> self.room("holds", MOST_ROWS * run.n_joints * sizeof(RunHold))
        for k in range(run.n_joints):
            joint = &run.joints[k]
            joint.data, joint.at = store.joints[k], k
            joint.a = joint.data.head.a if joint.data.head.a >= 0 else run.n_bodies
            joint.b = joint.data.head.b if joint.data.head.b >= 0 else run.n_bodies
            joint.scale = greater(
                run.bodies[joint.a].bounding_radius if run.bodies[joint.a].dynamic else 0.0,
                run.bodies[joint.b].bounding_radius if run.bodies[joint.b].dynamic else 0.0)
            if not joint.scale > 0.0:
                joint.scale = NO_REACH
            a = frame_of(self.world.store.places, self.world.store.bodies, joint.data.head.a)
            b = frame_of(self.world.store.places, self.world.store.bodies, joint.data.head.b)
            n = class_of(joint.data.head.kind).rows(&joint.data, &a, &b, rows)
            joint.first, joint.n = run.n_holds, n
            drives = 0
            for i in range(n):
                hold = &run.holds[run.n_holds + i]
                hold.joint, hold.a, hold.b, hold.row = k, joint.a, joint.b, -1
                drives += rows[i].kind == DRIVE
                # the motor is the first of two
                hold.rubs = (rows[i].kind == DRIVE and joint.data.head.friction > 0.0
                             and drives == (2 if joint.data.head.most > 0.0 else 1))
            run.n_holds += n
        return 0

    cdef int begin_state(self) except -1:
        """The arrays of the state, and the state itself."""
        cdef Run* run = &self.run
        cdef int32_t i
        cdef const RunBody* body
        cdef Py_ssize_t size
        run.n = PER_BODY * run.n_moving + N_ACCOUNTS + run.n_joints
        size = run.n * sizeof(double)
        run.y = <double*> self.room("y", size)
        run.y1 = <double*> self.room("y1", size)
        run.y2 = <double*> self.room("y2", size)
        run.y3 = <double*> self.room("y3", size)
        run.dy1 = <double*> self.room("dy1", size)
        run.dy2 = <double*> self.room("dy2", size)
        run.dy3 = <double*> self.room("dy3", size)
        run.weights = <double*> self.room("weights", size)
        run.k = <double*> self.room("k", STAGES * size)
        for i in range(run.n_moving):
            body = &run.bodies[run.moving[i]]
            run.y[body.at], run.y[body.at + 1], run.y[body.at + 2] = body.x.x, body.x.y, body.angle
            run.y[body.at + 3], run.y[body.at + 4] = body.v.x, body.v.y
            run.y[body.at + 5] = body.w
        return 0

    cdef int load_pairs(self) except -1:
        """All pairs of shapes that can push each other and of which one can be moved."""
        cdef Run* run = &self.run
        cdef BodyStore store = self.world.store
        cdef JointStore joints = self.world.joint_store
        cdef int32_t i, j, n_shapes = store.phase.boxes.n
        cdef const ShapeData* a
        cdef const ShapeData* b
        cdef RunPair* pair
        cdef Py_ssize_t count = 0
        cdef int turn
        # counted first, then written
        for turn in range(2):
            if turn == 1:
                run.pairs = <RunPair*> self.room("pairs", count * sizeof(RunPair))
            for i in range(n_shapes):
                a = &store.shapes[i]
                if a.body < 0:
                    continue
                for j in range(i + 1, n_shapes):
                    b = &store.shapes[j]
                    if (b.body < 0 or a.body == b.body or not may_touch(a, b)
                            or is_apart(joints.apart, joints.n_apart, store.bodies[a.body].id,
                                        store.bodies[b.body].id)
                            or not (run.bodies[a.body].dynamic or run.bodies[b.body].dynamic)):
                        continue
                    if turn == 0:
                        count += 1
                        continue
                    pair = &run.pairs[run.n_pairs]
                    run.n_pairs += 1
                    self.set_pair(pair, i, j)
        return 0

    cdef int set_pair(self, RunPair* pair, int32_t i, int32_t j) except -1:
        cdef const ShapeData* a = &self.world.store.shapes[i]
        cdef const ShapeData* b = &self.world.store.shapes[j]
        pair.shape_a, pair.shape_b = i, j
        pair.a, pair.b = a.body, b.body
        pair.ga, pair.gb = &a.geometry, &b.geometry
        pair.mu = mix(self.world.ctx.mix_friction, a.friction, b.friction)
        pair.e = mix(self.world.ctx.mix_restitution, a.restitution, b.restitution)
        pair.boost = greater(a.boost, b.boost)
        pair.surface_a, pair.surface_b = a.surface, b.surface
        pair.runs = (a.surface.x != 0.0 or a.surface.y != 0.0 or b.surface.x != 0.0
                     or b.surface.y != 0.0)
        pair.rolling = greater(a.rolling, b.rolling)
        pair.through_a, pair.through_b = a.through, b.through
        pair.one_way = (a.through.x != 0.0 or a.through.y != 0.0 or b.through.x != 0.0
                        or b.through.y != 0.0)
        pair.thickness = greater(greater(a.thickness, b.thickness),
                                 1e-2 * lesser(a.geometry.bounding_radius,
                                               b.geometry.bounding_radius))
        if ((is_thin_bowl(&a.geometry) and has_sharp_corner(&b.geometry))
                or (is_thin_bowl(&b.geometry) and has_sharp_corner(&a.geometry))):
            # deeper than that a sharp corner beyond a line that bends is not seen
            pair.thickness = lesser(pair.thickness,
                                    SEEN_SHARP * lesser(a.geometry.bounding_radius,
                                                        b.geometry.bounding_radius))
        return 0

    cdef int load_rules(self) except -1:
        """Which pairs pass until they have parted: as steps left them, by the user's word since,
        and what begins inside a one-way shape."""
        cdef Run* run = &self.run
        cdef ContactStore contacts = self.world.contact_store
        cdef BodyStore store = self.world.store
        cdef int32_t k
        cdef int64_t at
        cdef RunPair* pair
        known = {contacts.pairs[at].key: (contacts.pairs[at].flags & PASSING, contacts.pairs[at].n)
                 for at in range(contacts.n_pairs)}
        asked = {frozenset(ids) for ids in self.world.passes}
        for k in range(run.n_pairs):
            pair = &run.pairs[k]
            passing, n = known.get((<int64_t> pair.shape_a << 32) | pair.shape_b, (0, 0))
            ids = frozenset((store.bodies[pair.a].id, store.bodies[pair.b].id))
            if passing or ids in asked or (n == 0 and is_sunk(run, pair)):
                pair.passing = PASSES
        part_pairs(run)
        return 0

    cdef int ask(self) except -1:
        """Leave out the links that the user's filter does not want."""
        cdef Run* run = &self.run
        cdef RunLink* link
        cdef int32_t k, kept = 0
        rows = np.zeros(run.n_links, _ROW)
        for k in range(run.n_links):
            link = &run.links[k]
            shape_a, shape_b, body_a, body_b = self.pair_at(link.pair)
            at = link.at
            rows[k] = (body_a, body_b, shape_a, shape_b, (at.point.x, at.point.y),
                       (at.normal.x, at.normal.y), at.gap, 0.0, 0.0, at.r1, at.r2, link.mu, link.e)
        mask = np.ascontiguousarray(self.world.filter(rows))
        if mask.shape != (run.n_links,) or mask.dtype != np.bool_:
            raise ValueError(f"contact_filter must return {run.n_links} bools, one a row, "
                             f"got {mask!r}")
        pairs = set()
        for k in range(run.n_links):
            link = &run.links[k]
            if mask[k]:
                run.links[kept] = link[0]
                kept += 1
            else:
                leave_out(&run.pairs[link.pair], link.at.f1, link.at.f2)
                pairs.add(link.pair)
        run.n_links = kept
        for k in range(kept):
            pairs.discard(run.links[k].pair)
        for index in pairs:
            run.pairs[<int32_t> index].passing = UNWANTED
        return 0

    cdef int grow(self) except -1:
        """Twice the room for links and all that goes with them, and for what is recorded."""
        cdef Run* run = &self.run
        cdef LcpProblem problem
        cdef int32_t n, links = 2 * run.link_room if run.link_room else 16
        cdef bint swapped = run.links != NULL and <void*> run.links != <void*> address(
            self.arrays["links"])
        if swapped:
            self.arrays["links"], self.arrays["fresh"] = self.arrays["fresh"], self.arrays["links"]
        run.links = <RunLink*> self.room("links", links * sizeof(RunLink))
        run.fresh = <RunLink*> self.room("fresh", links * sizeof(RunLink))
        run.link_room = links
        run.flag_room = 12 * links + 4 * run.n_holds
        run.flags = <Flag*> self.room("flags", run.flag_room * sizeof(Flag))
        run.hit_room = 2 * (run.n_hits + 64 + 16 * links)
        run.hits = <HitRecord*> self.room("hits", run.hit_room * sizeof(HitRecord))
        run.change_room = 2 * (run.n_changes + 4 * links + run.n_holds + 8)
        run.changes = <ChangeRecord*> self.room("changes", run.change_room * sizeof(ChangeRecord))
        n = run.room_rows = 3 * links + run.n_holds
        run.rows = <RunRow*> self.room("rows", n * sizeof(RunRow))
        run.A = <double*> self.room("A", n * n * sizeof(double))
        run.LU = <double*> self.room("LU", n * n * sizeof(double))
        run.b = <double*> self.room("b", n * sizeof(double))
        run.f = <double*> self.room("f", n * sizeof(double))
        run.g = <double*> self.room("g", n * sizeof(double))
        run.lo = <double*> self.room("lo", n * sizeof(double))
        run.hi = <double*> self.room("hi", n * sizeof(double))
        run.mu = <double*> self.room("mu", n * sizeof(double))
        run.errors = <double*> self.room("errors", n * sizeof(double))
        run.normal = <int*> self.room("normal", n * sizeof(int))
        run.order = <int*> self.room("order", n * sizeof(int))
        for i in range(n):
            run.normal[<int32_t> i] = 0
        problem.n, problem.A, problem.b = n, run.A, run.b
        problem.lo, problem.hi, problem.normal, problem.mu = run.lo, run.hi, run.normal, run.mu
        self.lcp.reserve(LCP_AUTO, &problem)
        run.lcp = &self.lcp.memory
        return 0

    def go(self, double duration):
        """Carry the world through a duration (s); it is left as it was if that fails."""
        cdef Run* run = &self.run
        cdef RunStatus status
        cdef double last = -1.0
        cdef int stuck = 0, pauses = 0
        run.asks = self.world.filter is not None
        run.unit = self.world.ctx.unit
        self.set_band()
        self.load_bodies()
        self.load_joints()
        self.begin_state()
        self.load_pairs()
        self.grow()
        run.restart = True
        run.last_event = -INFINITY
        run.h = self.first_step(duration)
        self.start_energy = find_energy(run)
        self.load_rules()
        with nogil:
            allow_overlaps(run)
        while True:
            with nogil:
                status = run_on(run, duration)
            if status == RUN_DONE:
                break
            if status == RUN_PAUSED:
                PyErr_CheckSignals()
                pauses += 1
                if pauses % PAUSES:
                    continue
                stuck = 0 if run.t - last > self.no_time() else stuck + 1
                last = run.t
                if stuck == MOST_STUCK:
                    give_up(run)
                    self.complain()
                continue
            if status == RUN_FAILED:
                self.complain()
            if status == RUN_ASKS:
                self.ask()
            else:
                self.grow()
        with nogil:
            load_state(run, run.y)
        self.check_range()
        self.give_back()

    cdef double no_time(self):
        """s: a run that goes on by less in thousands of events does not go on."""
        return ONE_TIME * sqrt(self.run.tol / greater(self.run.pull, 1e-3))

    cdef double first_step(self, double duration):
        cdef double reach = NO_REACH
        cdef int32_t i
        for i in range(self.run.n_moving):
            if self.run.bodies[self.run.moving[i]].bounding_radius > 0.0:
                reach = lesser(reach, self.run.bodies[self.run.moving[i]].bounding_radius)
        if self.run.pull > 0.0:
            return lesser(duration, FIRST_STEP * sqrt(reach / self.run.pull))
        return lesser(duration, FIRST_STEP)

    cdef int complain(self) except -1:
        """Say what could not be resolved, and when."""
        cdef Run* run = &self.run
        cdef double when = self.world.time + run.t
        if run.bad_pair < 0:
            raise SolverError(f"advance: no step goes on at time {when!r} s; the world is as it "
                              "was before the call", Status.NO_SOLUTION)
        a = self._name(run.pairs[run.bad_pair].a)
        b = self._name(run.pairs[run.bad_pair].b)
        raise SolverError(f"advance: what happens between {a} and {b} at time {when!r} s could "
                          "not be resolved; the world is as it was before the call",
                          Status.NO_SOLUTION)

    def _name(self, row):
        """A body as errors name it: the world is busy, and handles do not tell."""
        cdef const BodyData* body = &self.world.store.bodies[<int32_t> row]
        cdef const RunBody* now = &self.run.bodies[<int32_t> row]
        kind = ("dynamic" if body.kind == DYNAMIC else "static" if body.kind == STATIC
                else "kinematic")
        return f"body {body.id} ({kind}, at ({now.x.x:.6g}, {now.x.y:.6g}))"

    cdef int check_range(self) except -1:
        cdef Py_ssize_t i
        for i in range(self.run.n):
            if not fabs(self.run.y[i]) <= 1e12:
                raise OverflowError("advance: a body left the range of places or speeds; the world "
                                    "is as it was before the call")
        return 0

    cdef int give_back(self) except -1:
        """Write the state into the world."""
        cdef Run* run = &self.run
        cdef BodyStore store = self.world.store
        cdef int32_t i, row
        cdef const RunBody* body
        for i in range(run.n_moving):
            row = run.moving[i]
            body = &run.bodies[row]
            bring_to(&store.bodies[row], body.x, body.angle, &store.places[row])
            if body.dynamic:
                store.motions[row].v, store.motions[row].w = body.v, body.w
                store.bodies[row].a = vec2(0.0, 0.0)
                store.bodies[row].alpha = 0.0
        self.give_back_joints()
        return 0

    cdef int give_back_joints(self) except -1:
        """What joints took note of, and the work of their motors and friction."""
        cdef Run* run = &self.run
        cdef JointStore store = self.world.joint_store
        cdef int32_t k
        cdef const double* work = run.y + PER_BODY * run.n_moving + N_ACCOUNTS
        sum_joint_forces(run)
        for k in range(run.n_joints):
            store.joints[k].head.held = run.joints[k].data.head.held
            store.joints[k].head.work += work[k]
        return 0

    # -- what happened

    @property
    def hits(self):
        """Blows, as a structured array."""
        return self.arrays["hits"][:self.run.n_hits * sizeof(HitRecord)].view(_HIT).copy()

    @property
    def changes(self):
        """Changes of links, as a structured array."""
        return self.arrays["changes"][:self.run.n_changes * sizeof(ChangeRecord)].view(
            _CHANGE).copy()

    @property
    def counts(self):
        """How much was done."""
        cdef object counters = self.run.count
        return dict(counters)

    @property
    def work(self):
        """J, by account; `integrator` is what the others leave unexplained."""
        cdef Run* run = &self.run
        cdef const double* done = run.y + PER_BODY * run.n_moving
        out = {"impacts": run.impact_loss, "friction": done[0], "normal": done[1],
               "applied": done[2], "damping": done[3], "driven": done[4] + run.impact_driven,
               "springs": done[5], "motors": done[6] + run.impact_motors,
               "projection": run.projection}
        out["integrator"] = find_energy(run) - self.start_energy - sum(out.values())
        return out

    @property
    def passing(self):
        """Of each pair: key in the store of contacts, and whether it is let through until it has
        parted. What a filter does not want is not among them: it will be asked again."""
        cdef const RunPair* pair
        cdef int32_t k
        out = {}
        for k in range(self.run.n_pairs):
            pair = &self.run.pairs[k]
            out[(<int64_t> pair.shape_a << 32) | pair.shape_b] = pair.passing == PASSES
        return out

    def pair_at(self, index):
        """Shape ids and body ids of a pair."""
        cdef const RunPair* pair = &self.run.pairs[<int32_t> index]
        store = self.world.store
        return (pair.shape_a, pair.shape_b, store.bodies[pair.a].id, store.bodies[pair.b].id)

    @property
    def joints(self):
        """Of each joint at the end: row in the store, force (N) and torque (N m) on b, broken."""
        cdef const RunJoint* joint
        cdef int32_t k
        out = []
        for k in range(self.run.n_joints):
            joint = &self.run.joints[k]
            out.append((joint.at, joint.force.x, joint.force.y, joint.torque, bool(joint.broken)))
        return out

    def joint_bodies(self, index):
        """Ids of the bodies of a joint; -1: the world."""
        cdef const RunJoint* joint = &self.run.joints[<int32_t> index]
        return joint.data.head.body_a, joint.data.head.body_b

    @property
    def links(self):
        """Links at the end: dicts, for tests and for contacts."""
        cdef Run* run = &self.run
        cdef int32_t k
        cdef const RunLink* link
        out = []
        for k in range(run.n_links):
            link = &run.links[k]
            out.append({"pair": link.pair, "f1": link.at.f1, "f2": link.at.f2, "mode": link.mode,
                        "slip": link.slip, "normal_force": link.fn, "friction_force": link.ft,
                        "gap": link.at.gap})
        return out
