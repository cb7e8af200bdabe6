"""A world as its users see it, and the step as a list of stages, in any dimension."""

import weakref
from typing import NamedTuple

import numpy as np

from cpython.exc cimport PyErr_CheckSignals
from cpython.time cimport perf_counter
from libc.math cimport sqrt
from libc.stdint cimport uint8_t
from libc.string cimport memset

from enginecore.arguments cimport FARTHEST, FASTEST, read_count, read_flag, read_positive
from enginecore.body_head cimport AWAKE, DYNAMIC, KINEMATIC, STATIC
from enginecore.body_store cimport head_at
from enginecore.constants cimport (
    LARGEST_UNIT, LONGEST_PART, MOST_DT, MOST_PARTS, SMALLEST_UNIT,
)
from enginecore.contact cimport EndedList
from enginecore.few cimport FEW_BODIES
from enginecore.memory cimport address
from enginecore.mix cimport MIX_AVERAGE, MIX_GEOMETRIC, MIX_MAXIMUM, MIX_MINIMUM, MIX_PRODUCT
from enginecore.pair_table cimport Pairs

from enginecore.arguments import as_rows
from enginecore.event import JointEnd
from enginecore.status import build_mode as BUILD_MODE

cdef tuple STAGES = ("edits", "broad_phase", "narrow_phase", "island", "solve", "event")
cdef tuple SOLVERS = ("auto", "direct", "iterative")
cdef dict RULES = {"geometric": MIX_GEOMETRIC, "maximum": MIX_MAXIMUM, "minimum": MIX_MINIMUM,
                   "average": MIX_AVERAGE, "product": MIX_PRODUCT}
# s: steps of one call run on so long before signals, as of Ctrl-C, are looked at.
cdef double LONGEST_STRETCH = 0.1
cdef dict KINDS = {"dynamic": DYNAMIC, "static": STATIC, "kinematic": KINEMATIC}


class Energy(NamedTuple):
    """J, of all dynamic bodies; potential energy is 0 at the origin."""

    kinetic: float
    potential: float
    total: float


# ---- reading ----------------------------------------------------------------------------------

cdef int read_rule(object value, str name) except -1:
    if not isinstance(value, str) or value not in RULES:
        raise ValueError(f"{name} must be one of {', '.join(RULES)}, got {value!r}")
    return RULES[value]


cdef int read_kind(object value) except -1:
    if not isinstance(value, str) or value not in KINDS:
        raise ValueError(f"kind must be dynamic, static or kinematic, got {value!r}")
    return KINDS[value]


cdef int count_parts(double dt) noexcept:
    """In how many parts a step is made: a power of two, so that their lengths are exact."""
    cdef int parts = 1
    while parts < MOST_PARTS and dt > LONGEST_PART * parts:
        parts *= 2
    return parts


# ---- the face ---------------------------------------------------------------------------------

cdef class World:
    """What worlds of both engines have in common."""

    def __cinit__(self, *args, **options):
        if type(self) is World:
            raise TypeError("worlds are of an engine: engine2d.World, engine3d.World")

    cdef int adopt_stores(self, BodyStore bodies, ContactStore contacts, JointStore joints,
                          EventStore events, object query) except -1:
        """The stores that an engine's world has made."""
        self.any_bodies, self.any_contacts, self.any_joints = bodies, contacts, joints
        self.any_events, self.any_query = events, query
        bodies.world = weakref.ref(self)
        self.pace = self.size = self.root = 1.0
        self.passes = []
        return 0

    cdef int read_settings(self, object unit, object solver, object sleeping) except -1:
        """Settings that worlds of any dimension have."""
        cdef double size = read_positive(unit, "unit")
        cdef bint sleeps = read_flag(sleeping, "sleeping")
        if not SMALLEST_UNIT <= size <= LARGEST_UNIT:
            raise ValueError(f"unit must be from {SMALLEST_UNIT:g} to {LARGEST_UNIT:g} m, "
                             f"got {unit!r}")
        if solver not in SOLVERS:
            raise ValueError(f"solver must be one of {', '.join(SOLVERS)}, got {solver!r}")
        self.size, self.root = size, sqrt(size)
        self.solver = SOLVERS.index(solver)
        self.sleeping = sleeps
        return 0

    cdef dict settings_of(self, int mix_friction, int mix_restitution):
        """The arguments that make a world of these settings, and time_scale."""
        names = {rule: name for name, rule in RULES.items()}
        return {"gravity": tuple(self.gravity), "solver": SOLVERS[self.solver],
                "sleeping": bool(self.sleeping), "unit": self.size,
                "friction_rule": names[mix_friction],
                "restitution_rule": names[mix_restitution], "time_scale": self.pace}

    cdef int enter(self, str what) except -1:
        """Begin a call that nothing else may interrupt; the caller ends it by busy = False."""
        return self.any_bodies.enter(what)

    cdef void wake_dynamic(self) noexcept:
        """Wake all dynamic bodies."""
        cdef int32_t row
        for row in range(self.any_bodies.n_bodies):
            if head_at(self.any_bodies, row).kind == DYNAMIC:
                self.any_bodies.wake(row)

    @property
    def unit(self):
        """m, the size of an ordinary body: lengths that count as near or deep go by it."""
        return self.size

    def __repr__(self):
        cdef int32_t row
        cdef BodyStore store = self.any_bodies
        cdef dict kinds = {DYNAMIC: 0, STATIC: 0, KINEMATIC: 0}
        if store.busy:
            return f"<{type(self).__name__}, in a step>"
        for row in range(store.n_bodies):
            if head_at(store, row).id >= 0:
                kinds[head_at(store, row).kind] += 1
        return (f"<{type(self).__name__} at {self.time:.6g} s: {kinds[DYNAMIC]} dynamic, "
                f"{kinds[STATIC]} static, {kinds[KINEMATIC]} kinematic bodies, "
                f"{self.count_contacts()} contacts>")

    @property
    def time_scale(self):
        """Simulated seconds to a second that step is told: below 1, slow motion."""
        return self.pace

    @time_scale.setter
    def time_scale(self, value):
        cdef double pace = read_positive(value, "time_scale")
        self.any_bodies.check_idle("time_scale")
        self.pace = pace

    # -- bodies

    cdef int32_t insert_body(self, tuple shapes, const void* given) except -1:
        raise NotImplementedError

    cdef object _add(self, tuple shapes, const void* given):
        """Add a body that was read and checked, and return its handle."""
        # growing the arrays lets other threads run: none may use them meanwhile
        self.enter("add_body")
        try:
            return self.add_handle(self.insert_body(shapes, given))
        finally:
            self.any_bodies.busy = False

    cdef object add_handle(self, int32_t id):
        """The handle of a body that is new."""
        cdef BodyStore store = self.any_bodies
        body = self.body_type(store, id, store.table.entries[id].generation)
        store.table.handles[id] = body
        return body

    def add_joint(self, joint):
        """Add a joint made for bodies of this world, as a kind of joint (a, b, anchor), and return
        it."""
        if not isinstance(joint, self.joint_type):
            raise TypeError(f"joint must be a joint such as {self.joint_example}, got {joint!r}")
        self.enter("add_joint")
        try:
            return self.any_joints.add(joint)
        finally:
            self.any_bodies.busy = False

    @property
    def joints(self):
        """All joints, in the order they were added."""
        self.any_bodies.check_idle("joints")
        return self.any_joints.in_order()

    cdef int check_body(self, object body) except -1:
        """ValueError unless a body is one of this world."""
        if not body._is_of(self.any_bodies):
            raise ValueError(f"body must be of this world, got {body!r} of another")
        return 0

    def remove(self, body):
        """Remove a body with its joints, or a joint; its handle is of no more use, and what rested
        on it wakes."""
        cdef BodyStore store = self.any_bodies
        if isinstance(body, self.joint_type):
            self.enter("remove")
            try:
                self.any_joints.remove(body)
            finally:
                store.busy = False
            return
        if not isinstance(body, self.body_type):
            raise TypeError(f"body must be a body or a joint of this world, got {body!r}")
        self.check_body(body)
        # ending its pairs may let other threads run: none may move rows meanwhile
        self.enter("remove")
        try:
            store.table.row(body.id, body.generation)
            self.any_joints.drop_of_body(body.id)
            store.drop(store.table.row(body.id, body.generation))
            # its number may be another body's before the next step
            self.passes[:] = [pair for pair in self.passes if body.id not in pair]
        finally:
            store.busy = False

    def ignore_until_parted(self, body_a, body_b):
        """Let two bodies that touch or overlap pass through each other until they have parted."""
        cdef BodyStore store = self.any_bodies
        for body in (body_a, body_b):
            if not isinstance(body, self.body_type):
                raise TypeError(f"bodies must be bodies of this world, got {body!r}")
            if not body._is_of(store):
                raise ValueError(f"bodies must be of this world, got {body!r} of another")
        if body_a is body_b:
            raise ValueError(f"bodies must be two, got {body_a!r} twice")
        store.check_idle("ignore_until_parted")
        for body in (body_a, body_b):
            store.wake(store.table.row(body.id, body.generation))
        self.any_contacts.let_pass(body_a.id, body_b.id)
        # those whose boxes have not met yet
        self.passes.append((body_a.id, body_b.id))
        self.has_passes = True

    def _passing(self):
        """Pairs of bodies that are to pass until they have parted; for scene files."""
        pairs = {tuple(sorted(ids)) for ids in self.any_contacts.passing() + self.passes}
        handles = self.any_bodies.table.handles
        return [(handles[a], handles[b]) for a, b in sorted(pairs)]

    @property
    def contact_filter(self):
        """A function f(rows) -> mask that is asked in each step which contacts there are to be.

        rows: an array as world.contacts.arrays, of all that may touch; forces are 0. mask: a bool
        for each. It is called between the stages of a step, in the plane under `advance` at each
        event, and must not touch the world. Snapshots and copies do not have it.
        """
        return self.filter

    @contact_filter.setter
    def contact_filter(self, value):
        if value is not None and not callable(value):
            raise TypeError(f"contact_filter must be callable or None, got {value!r}")
        self.any_bodies.check_idle("contact_filter")
        self.filter, self.has_filter = value, value is not None
        self.any_bodies.wake_all()

    def body(self, id):
        """The body with an id, as the events have it."""
        cdef BodyStore store = self.any_bodies
        store.check_idle("body")
        if not isinstance(id, (int, np.integer)) or not 0 <= id < store.table.n \
                or store.table.entries[<int32_t> id].row < 0:
            raise ValueError(f"id must be that of a body of this world, got {id!r}")
        return store.table.handles[int(id)]

    @property
    def bodies(self):
        """All bodies, in the order they were added."""
        cdef BodyStore store = self.any_bodies
        cdef int32_t row, n = -1
        out = []
        while n != len(out):       # making a list may run other threads, and any code at all
            out = [None] * max(n, 0)
            store.check_idle("bodies")
            store.settle()
            n = store.n_bodies
        for row in range(n):
            out[row] = store.table.handles[head_at(store, row).id]
        return out

    @property
    def _shape_edits(self):
        """Grows when shapes of bodies are added, removed or changed; for what is kept of them."""
        return self.any_bodies.shape_edits

    # -- views

    cdef object view(self, str name, int32_t width, int32_t first, int32_t count):
        """Columns of the bodies' rows, each of `width` numbers, read-only, without a copy."""
        cdef BodyStore store = self.any_bodies
        store.check_idle("views")
        store.settle()
        rows = store.arrays[name].view(np.float64).reshape(-1, width)[:store.n_bodies]
        rows = rows[:, first] if count == 1 else rows[:, first:first + count]
        rows.flags.writeable = False
        return rows

    @property
    def awake(self):
        """Which bodies are simulated (n, bool): a copy, rows as in `bodies`."""
        cdef BodyStore store = self.any_bodies
        cdef int32_t row
        cdef uint8_t* into
        self.enter("awake")
        try:
            store.settle()
            out = np.zeros(store.n_bodies, np.bool_)
            into = <uint8_t*> address(out)
            for row in range(store.n_bodies):
                into[row] = (head_at(store, row).kind == DYNAMIC
                             and head_at(store, row).flags & AWAKE != 0)
        finally:
            store.busy = False
        return out

    @property
    def islands(self):
        """Which island of the last step each body was in (n, int32; -1: none): a copy."""
        cdef BodyStore store = self.any_bodies
        cdef int32_t row
        cdef int32_t* into
        self.enter("islands")
        try:
            store.settle()
            out = np.full(store.n_bodies, -1, np.int32)
            into = <int32_t*> address(out)
            if self.steps > 0:
                for row in range(store.n_bodies):
                    into[row] = head_at(store, row).island
        finally:
            store.busy = False
        return out

    @property
    def energy(self):
        """Kinetic, potential and total energy (J) of the dynamic bodies and of springs."""
        cdef double kinetic = 0.0, potential = 0.0
        self.enter("energy")
        try:
            self.any_bodies.settle()
            self.sum_energy(&kinetic, &potential)
        finally:
            self.any_bodies.busy = False
        return Energy(kinetic, potential, kinetic + potential)

    cdef void sum_energy(self, double* kinetic, double* potential) noexcept:
        """Kinetic and potential energy."""

    @property
    def events(self):
        """What happened in the last step; handlers can be added to it."""
        return self.any_events

    cdef object list_contacts(self, int32_t body):
        raise NotImplementedError

    cdef int64_t count_contacts(self) noexcept:
        return 0

    @property
    def contacts(self):
        """Contacts that touched in the last step, with their forces (N): a ContactList."""
        return self._contacts_of(-1)

    def _contacts_of(self, int32_t id):
        """The contacts of the body with an id, as body A of each; < 0: all."""
        self.enter("contacts")
        try:
            return self.list_contacts(id)
        finally:
            self.any_bodies.busy = False

    cdef int32_t count_islands(self) noexcept:
        return 0

    cdef dict counts(self):
        return {}

    @property
    def stats(self):
        """Of the last step: seconds by stage, and counts."""
        cdef Py_ssize_t k
        self.any_bodies.check_idle("stats")
        return {"seconds": {STAGES[k]: self.seconds[k] for k in range(N_STAGES)},
                "bodies": self.any_bodies.n_bodies - self.any_bodies.n_removed,
                "pairs": self.any_contacts.n_pairs, "contacts": self.count_contacts(),
                "islands": self.count_islands(), **self.counts()}

    cdef int write_all(self, dict wanted) except -1:
        """Write the state of all bodies: arrays by name, with what a row is and how large its
        numbers may be; None: it stays. If any number is refused, nothing is written."""
        cdef BodyStore store = self.any_bodies
        given = {name: as_rows(name, value, tail).copy()
                 for name, (value, tail, _) in wanted.items() if value is not None}
        # reading may run any code: only now is it known which bodies there are
        self.enter("set_state")
        try:
            store.settle()
            check_state(store, wanted, given)
            self.write_rows(given)
        finally:
            store.busy = False
        return 0

    cdef int write_rows(self, dict given) except -1:
        raise NotImplementedError

    # -- states

    def snapshot(self):
        """The whole state, contacts and their forces included; cheap to take and to give back.

        Handlers of events are not part of it.
        """
        self.enter("snapshot")
        try:
            return self._snapshots().take(self)
        finally:
            self.any_bodies.busy = False

    def restore(self, snapshot):
        """Go back to a snapshot, bit for bit; of another world too, whose bodies are then copied.

        Handles of bodies that were removed since are good again, those of later ones are not.
        """
        self.enter("restore")
        try:
            self._snapshots().give_back(self, snapshot)
        finally:
            self.any_bodies.busy = False

    def copy(self):
        """A world of its own in the same state."""
        return self.__copy__()

    def __copy__(self):
        return self._snapshots().copy_world(self)

    def __reduce__(self):
        return self._snapshots().reduce_world(self)

    def __setstate__(self, state):
        self.enter("__setstate__")
        try:
            own = self._snapshots().set_world(self, state)
        finally:
            self.any_bodies.busy = False
        if own:
            self.__dict__.update(own)

    def _handle(self, id):
        """The body with an id, also while the state it is of is still being read; -1: a removed
        one."""
        return self._snapshots().find_handle(self, id)

    @property
    def build_mode(self):
        """Which build of the engine is loaded."""
        return BUILD_MODE

    # -- queries; filter: only shapes that one with this Filter would collide with

    def point_query(self, point, *, filter=None, sensors=False):
        """Shapes that hold a point (m): a list of (body, shape), by age."""
        return self.any_query.point(point, filter, sensors)

    def box_query(self, low, high, *, filter=None, sensors=False):
        """Shapes whose boxes overlap the box from low to high (m): a list of (body, shape)."""
        return self.any_query.box(low, high, filter, sensors)

    def ray_query(self, start, end, *, filter=None, sensors=False):
        """The first shape on the way from start to end (m): a QueryHit, or None.

        A ray hits a solid where it enters it: what it starts in, it leaves unnoticed.
        """
        return self.any_query.ray(start, end, filter, sensors)

    def ray_query_all(self, start, end, *, filter=None, sensors=False):
        """All shapes on the way from start to end (m), each where it is first entered, in order."""
        return self.any_query.ray_all(start, end, filter, sensors)

    def ray_query_many(self, starts, ends, *, filter=None, sensors=False):
        """The first shapes on many ways at once (n rows each, m): arrays in, arrays out (Rays)."""
        return self.any_query.rays(starts, ends, filter, sensors)

    def cast_query(self, shape, pose, way, *, filter=None, sensors=False):
        """The first shape met by one that moves from a pose along way (m): a QueryHit, or None.

        What it overlaps at the start it meets at once, unless it is leaving it.
        """
        return self.any_query.cast(shape, pose, way, filter, sensors)

    def nearest_query(self, point, distance=None, *, filter=None, sensors=False):
        """The shape nearest to a point (m), within a distance (m) if given: a QueryHit, or None."""
        return self.any_query.nearest(point, distance, filter, sensors)

    # -- the step

    def step(self, dt, *, steps=1):
        """Simulate dt seconds, times time_scale; a long step is made in several parts.

        steps: how many such steps are made, as by so many calls, but other threads run meanwhile.
        Handlers are called after each of them; events, contacts and stats are of the last.
        """
        cdef double seconds = read_positive(dt, "dt")
        cdef int64_t left = read_count(steps, "steps")
        while True:
            left -= self.run_call(seconds, left)
            if left == 0:
                return
            PyErr_CheckSignals()

    cdef int64_t run_call(self, double dt, int64_t most) except -1:
        cdef double h = dt * self.pace
        cdef int parts = count_parts(h / self.root)
        cdef int64_t n = 0
        if not h <= MOST_DT:
            raise ValueError(f"dt must be at most {MOST_DT / self.pace:g} s, got {dt!r}")
        if self.calling:
            raise RuntimeError("step: the last step's handlers are not done; they cannot call it")
        self.enter("step")
        if self.any_events.has_handlers():
            most = 1
        try:
            self.begin_call()
            if most == 1 and self.any_bodies.n_bodies < FEW_BODIES:
                n = self.run_steps(h, parts, 1)
            else:
                with nogil:
                    n = self.run_steps(h, parts, most)
            calls = self.read_calls()
        finally:
            self.any_bodies.busy = False
        self.call_handlers(calls)
        if self.runaways:
            raise OverflowError(f"{self.runaways} bodies left the range of places (+-{FARTHEST:g} "
                                f"m) or speeds (+-{FASTEST:g} m/s) in this step; they are at rest "
                                "where they were before it")
        return n

    cdef int begin_call(self) except -1:
        self.any_events.clear()
        return 0

    cdef int64_t run_steps(self, double h, int parts, int64_t most) except -1 nogil:
        """Steps of h seconds in so many parts, at most so many; returns how many. In the last one
        bodies may have been lost.
        """
        cdef int _part
        cdef int64_t n = 0
        cdef double until = perf_counter() + LONGEST_STRETCH
        self.runaways = 0
        while n < most and self.runaways == 0 and (n == 0 or perf_counter() < until):
            memset(self.seconds, 0, sizeof(self.seconds))
            self.any_events.begin_step()
            self.begin_step(h)
            for _part in range(parts):
                self.step_part(h / parts)
            self.finish_step()
            self.time += h
            self.steps += 1
            n += 1
        return n

    cdef int note_joint_ends(self) except -1 with gil:
        """Joints that ended are told with the events."""
        for joint, reason in self.any_joints.ended:
            self.any_events.joint_end.append(JointEnd(joint, reason))
        self.any_events.n_joint_ends = <int32_t> len(self.any_events.joint_end)
        self.any_joints.ended.clear()
        self.any_joints.n_ended = 0
        return 0

    cdef list read_calls(self):
        """Whom to call with what; the ids of removed bodies and joints are free from here on."""
        calls = self.any_events.read_calls()
        self.any_bodies.table.forget()
        self.any_joints.table.forget()
        return calls

    cdef int call_handlers(self, list calls) except -1:
        """Call whom read_calls has listed; they cannot step this world."""
        self.calling = True
        try:
            self.any_events.call_handlers(calls)
        finally:
            self.calling = False
        return 0

    cdef int step_part(self, double dt) except -1 nogil:
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
        marks[5] = perf_counter()
        self.finish_part()
        marks[6] = perf_counter()
        for k in range(N_STAGES):
            self.seconds[k] += marks[k + 1] - marks[k]
        return 0

    cdef int begin_step(self, double whole) except -1 nogil:
        """What there is once a step, before its parts."""
        return 0

    cdef int begin_part(self, double dt) except -1 nogil:
        """Stage edits: rows without gaps, and the context of this part."""
        return 0

    cdef int find_pairs(self) except -1 nogil:
        """Stage broad_phase: which boxes overlap."""
        return 0

    cdef int find_contacts(self) except -1 nogil:
        """Stage narrow_phase: contact points, with last step's forces where they were there."""
        return 0

    cdef int build_islands(self) except -1 nogil:
        """Stage island: who pushes whom."""
        return 0

    cdef int solve(self) except -1 nogil:
        """Stages impact, contact_force, solver and integrate: carry every island through dt."""
        return 0

    cdef int finish_part(self) except -1 nogil:
        """What a part leaves to be told, and to the next one."""
        return 0

    cdef int finish_step(self) except -1 nogil:
        """Stages event and sleep."""
        return 0

    cdef int match(self, bint edited) except -1 nogil:
        return 0

    cdef int match_pairs(self) except -1 nogil:
        """Pairs as the broad phase has them; who lost a support wakes."""
        cdef const EndedList* ended = &self.any_contacts.ended
        cdef const Pairs* table = &self.any_bodies.phase.table.p
        cdef bint edited = self.any_bodies.edits != self.seen_edits
        cdef int32_t k
        if not (table.n_begun or table.n_ended or edited):
            return 0
        self.match(edited)
        self.seen_edits = self.any_bodies.edits
        for k in range(ended.n):
            self.any_bodies.wake_dynamic(ended.pairs[k].body_a)
            self.any_bodies.wake_dynamic(ended.pairs[k].body_b)
        return 0

    cdef int let_pass(self) except -1 with gil:
        """Tell the pairs there are of bodies that are to pass until they have parted."""
        for body_a, body_b in self.passes:
            self.any_contacts.let_pass(body_a, body_b)
        self.passes.clear()
        self.has_passes = False
        return 0

    cdef object ask_filter(self, object rows, int64_t n):
        """Which of n contacts the user's filter wants, as an array of bools; None: all."""
        mask = np.ascontiguousarray(self.filter(rows))
        if mask.shape != (n,) or mask.dtype != np.bool_:
            raise ValueError(f"contact_filter must return {n} bools, one a row, got {mask!r}")
        return None if mask.all() else mask


cdef int check_state(BodyStore store, dict wanted, dict given) except -1:
    """That arrays fit the bodies there are, and their numbers the bounds."""
    cdef int32_t row, n = store.n_bodies
    for name, array in given.items():
        _, tail, most = wanted[name]
        if array.shape != (n, *tail):
            raise ValueError(f"{name} must have shape {(n, *tail)}, got {array.shape}")
        if not (np.abs(array) <= most).all():
            raise ValueError(f"{name} must be finite and within +-{most:g}")
    still = [row for row in range(n) if head_at(store, row).kind == STATIC]
    for name in ("velocities", "angular_velocities"):
        if name in given and given[name][still].any():
            raise ValueError(f"{name} of static bodies must be 0")
    return 0
