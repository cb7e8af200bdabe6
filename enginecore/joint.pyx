"""The joints of a world and the handles users hold, in any dimension.

A joint is made first (Pin(a, b, anchor)) and then added (World.add_joint): until then the handle
holds its numbers itself. Anchors, axes, lengths and angles are read when it is added.
"""

import numpy as np

from cpython.bytearray cimport PyByteArray_AS_STRING
from libc.math cimport INFINITY, fabs, isfinite
from libc.stdint cimport int8_t, uint16_t
from libc.string cimport memcpy

from enginecore.arguments cimport (
    FARTHEST, FASTEST, read_angle, read_at_least_zero, read_flag, read_number, read_positive,
    read_rate, read_strength)
from enginecore.body_head cimport AWAKE, DYNAMIC
from enginecore.body_store cimport head_at
from enginecore.joint_head cimport COLLIDES, RIGID, SOFT, STOP
from enginecore.memory cimport address, hold, longer_lines

cdef enum:
    FIRST_ROOM = 32   # joints that a new world has room for


cdef bint is_apart(const int64_t* apart, int32_t n, int32_t a, int32_t b) noexcept nogil:
    cdef int64_t key = (<int64_t> (a if a < b else b) << 32) | (b if a < b else a)
    cdef int32_t low = 0, high = n, mid
    while low < high:
        mid = (low + high) >> 1
        if apart[mid] < key:
            low = mid + 1
        else:
            high = mid
    return low < n and apart[low] == key


cdef int find_body(BodyStore store, object body, str name, int32_t* id,
                   uint32_t* born) except -1:
    if body is None:
        id[0], born[0] = -1, 0
        return 0
    if not body._is_of(store) or not store.table.holds(body.id, body.generation):
        raise ValueError(f"{name} must be a body of this world, got {body!r}")
    id[0], born[0] = body.id, body.generation
    return 0


# ---- the store --------------------------------------------------------------------------------

cdef inline void point_at(BodyStore bodies, JointHead* joint) noexcept nogil:
    """Bring the rows of a joint's bodies up to date."""
    joint.a, joint.b = row_of(bodies, joint.body_a), row_of(bodies, joint.body_b)


cdef class JointStore:

    cdef int prepare(self, BodyStore owner, Py_ssize_t size, int few_blocks,
                     int pulled) except -1:
        """Begin with joints of so many bytes between bodies of a store."""
        self.owner, self.size, self.pulled = owner, size, pulled
        self.arrays, self.table, self.ended = {}, HandleTable(), []
        self.assemblies = AssemblyStore(few_blocks)
        self.seen_edits = self.seen_bodies = -1
        self.reserve(FIRST_ROOM)
        return self.list_apart()

    cdef int reserve(self, int32_t capacity) except -1:
        """Make room for that many joints."""
        self.arrays["joints"] = longer_lines(self.arrays.get("joints"), capacity, self.size)
        self.heads = <char*> address(self.arrays["joints"])
        self.capacity = capacity
        self.point_at_rows()
        return 0

    cdef void point_at_rows(self) noexcept:
        """The array is new."""

    cdef bint is_spent(self, int32_t row) noexcept nogil:
        """Whether a joint bore more in the last step than it can."""
        return False

    cdef bint is_kind(self, int kind) noexcept:
        return False

    cdef int settle_joint(self, JointHead* joint, dict given) except -1:
        raise NotImplementedError

    cdef int count_rows(self, const JointHead* joint, int* hard) noexcept:
        return 0

    cdef void forget_forces(self, JointHead* joint) noexcept:
        pass

    cdef void scale_sums(self, JointHead* joint, double factor) noexcept nogil:
        pass

    cdef void add_energy(self, const JointHead* joint, double* sum) noexcept nogil:
        pass

    cdef void changed(self, int32_t row) noexcept:
        """The settings of a joint are new: its bodies wake; if its rows are others, they begin
        without forces."""
        cdef JointHead* joint = joint_at(self, row)
        cdef int hard = 0, n = self.count_rows(joint, &hard)
        self.wake(joint)
        if n != joint.n_rows or hard != joint.hard:
            joint.n_rows, joint.hard = <int8_t> n, <uint16_t> hard
            self.forget_forces(joint)
            self.edits += 1

    cdef void begin_step(self, double whole) noexcept nogil:
        """Sums of those who are awake begin at zero; of others, forces stay what they are."""
        cdef int32_t k
        cdef JointHead* joint
        cdef double factor = whole / self.span if self.span > 0.0 else 1.0
        for k in range(self.n):
            joint = joint_at(self, k)
            if self.is_awake(joint.a) or self.is_awake(joint.b):
                self.scale_sums(joint, 0.0)
            elif factor != 1.0:
                self.scale_sums(joint, factor)
        self.span = whole

    cdef double energy(self) noexcept nogil:
        """J, of all springs; what a drag pulls at is the user's."""
        cdef int32_t k
        cdef JointHead* joint
        cdef double sum = 0.0
        for k in range(self.n):
            joint = joint_at(self, k)
            if joint.stiffness > 0.0 and joint.id >= 0 and joint.kind != self.pulled:
                point_at(self.owner, joint)
                self.add_energy(joint, &sum)
        return sum

    cdef int32_t insert(self, const JointHead* given, object handle) except -1:
        """Add a joint that was read and checked, and return its id."""
        cdef int32_t id, row = self.n
        if row == self.capacity:
            self.reserve(2 * self.capacity)
        id = self.table.insert(row)
        memcpy(joint_at(self, row), given, self.size)
        joint_at(self, row).id = id
        joint_at(self, row).n_rows = -1
        self.table.handles[id] = handle
        self.n += 1
        self.changed(row)
        self.edits += 1
        self.unsorted()
        return id

    cdef int drop(self, int32_t row, str reason) except -1:
        """Remove the joint in a row; the row itself stays until rows are settled."""
        cdef int32_t id = joint_at(self, row).id
        self.wake(joint_at(self, row))
        self.ended.append((self.table.handles[id], reason))
        self.n_ended += 1
        self.table.drop(id)
        joint_at(self, row).id = -1
        self.n_removed += 1
        self.edits += 1
        self.unsorted()
        return 0

    cdef int drop_of_body(self, int32_t body) except -1:
        """Remove the joints of a body (id) that is about to be removed."""
        cdef int32_t row
        for row in range(self.n):
            if joint_at(self, row).id >= 0 and (joint_at(self, row).body_a == body
                                                or joint_at(self, row).body_b == body):
                self.drop(row, "body removed")
        return 0

    cdef int break_joints(self) except -1 nogil:
        """Remove the joints that bore more in the last step than they can."""
        cdef int32_t row
        for row in range(self.n):
            if joint_at(self, row).id >= 0 and self.is_spent(row):
                self.break_joint(row)
        return 0

    cdef int break_joint(self, int32_t row) except -1 with gil:
        return self.drop(row, "broken")

    cdef void settle(self) noexcept nogil:
        """Close the gaps that removed joints left among the rows; the order stays."""
        cdef int32_t row, to = 0
        if self.n_removed == 0:
            return
        for row in range(self.n):
            if joint_at(self, row).id < 0:
                continue
            if to != row:
                memcpy(joint_at(self, to), joint_at(self, row), self.size)
                self.table.entries[joint_at(self, to).id].row = to
            to += 1
        self.n = to
        self.n_removed = 0

    cdef void point_at_bodies(self) noexcept nogil:
        """Bring the rows of the joints' bodies up to date."""
        cdef int32_t k
        for k in range(self.n):
            point_at(self.owner, joint_at(self, k))

    cdef void unsorted(self) noexcept:
        """Who does not collide with whom may be new: pairs hear of it in the next step."""
        self.stale = True
        self.owner.edits += 1

    cdef int list_apart(self) except -1 with gil:
        """The pairs of bodies that do not collide because they are joined, ascending."""
        cdef int32_t k
        cdef int64_t a, b
        cdef const JointHead* joint
        keys = set()
        for k in range(self.n):
            joint = joint_at(self, k)
            if joint.id >= 0 and not joint.flags & COLLIDES and joint.body_a >= 0 \
                    and joint.body_b >= 0:
                a, b = joint.body_a, joint.body_b
                keys.add((min(a, b) << 32) | max(a, b))
        self.arrays["apart"] = np.array(sorted(keys) or [0], np.int64)
        self.n_apart = <int32_t> len(keys)
        self.apart = <int64_t*> address(self.arrays["apart"])
        self.stale = False
        return 0

    cdef int list_assemblies(self) except -1 nogil:
        """Bring the list of assemblies up to date; rows of bodies are."""
        if self.edits == self.seen_edits and self.owner.edits == self.seen_bodies:
            return 0
        return self.list_edges()

    cdef int list_edges(self) except -1 with gil:
        cdef int32_t k
        cdef const JointHead* joint
        if self.n > self.room_edges:
            self.room_edges = 2 * self.n
            self.edges = <JointEdge*> hold(self.arrays, "edges", self.room_edges,
                                           sizeof(JointEdge))
        for k in range(self.n):
            joint = joint_at(self, k)
            self.edges[k].a = joint.a if self.is_movable(joint.a) else -1
            self.edges[k].b = joint.b if self.is_movable(joint.b) else -1
            self.edges[k].hard = joint.hard
        self.assemblies.refresh(self.edges, self.n, self.owner.n_bodies)
        self.seen_edits, self.seen_bodies = self.edits, self.owner.edits
        return 0

    cdef bint is_movable(self, int32_t row) noexcept nogil:
        """Whether forces move a body; row -1 is the world."""
        return row >= 0 and head_at(self.owner, row).kind == DYNAMIC

    cdef bint is_awake(self, int32_t row) noexcept nogil:
        return row >= 0 and (head_at(self.owner, row).flags & AWAKE) != 0

    cdef void wake(self, const JointHead* joint) noexcept:
        """Wake the bodies of a joint."""
        cdef int32_t row
        for id in (joint.body_a, joint.body_b):
            row = row_of(self.owner, id)
            if row >= 0 and head_at(self.owner, row).kind == DYNAMIC:
                self.owner.wake(row)

    # -- for the world

    def add(self, Joint joint not None):
        """Take a joint that was made for bodies of this world."""
        if joint.joints is not None:
            raise ValueError(f"joint must be new, {joint!r} was added before")
        if not self.is_kind(joint.own_head.kind) or joint.given is None:
            raise ValueError("joint must be finished: its __init__ was not called")
        room = bytearray(self.size)
        cdef JointHead* data = <JointHead*> PyByteArray_AS_STRING(room)
        memcpy(data, joint.own_head, self.size)
        find_body(self.owner, joint.given_a, "body_a", &data.body_a, &data.born_a)
        find_body(self.owner, joint.given_b, "body_b", &data.body_b, &data.born_b)
        data.a, data.b = row_of(self.owner, data.body_a), row_of(self.owner, data.body_b)
        self.settle_joint(data, joint.given)
        joint._attach(self, self.insert(data, joint))
        return joint

    def remove(self, Joint joint not None):
        """Remove a joint of this world."""
        if joint.joints is not self:
            raise ValueError(f"joint must be of this world, got {joint!r}")
        if not self.table.holds(joint.id, joint.generation):
            raise ValueError(f"{joint!r} was removed before")
        self.drop(self.table.entries[joint.id].row, "removed")

    def in_order(self):
        """All joints, in the order they were added."""
        cdef int32_t row
        self.settle()
        return [self.table.handles[joint_at(self, row).id] for row in range(self.n)]


# ---- reading ----------------------------------------------------------------------------------

cdef double read_bound(object value, str name, double none) except? -1.0:
    """A limit; None is no limit."""
    cdef double number
    if value is None:
        return none
    number = read_number(value, name)
    if not (fabs(number) <= FARTHEST or number == none):
        raise ValueError(f"{name} must be a number within +-{FARTHEST:g} or None, got {value!r}")
    return number


cdef double read_ratio(object value, str name) except? -1.0:
    cdef double number = read_number(value, name)
    if not (0.0 < fabs(number) <= FASTEST):
        raise ValueError(f"{name} must be finite and not 0, got {value!r}")
    return number


cdef double* number_of(JointHead* at, str field) except NULL:
    """A setting by its name."""
    if field == "low":
        return &at.low
    if field == "high":
        return &at.high
    if field == "rate":
        return &at.rate
    if field == "most":
        return &at.most
    if field == "most_torque":
        return &at.most_torque
    if field == "stiffness":
        return &at.stiffness
    if field == "damping":
        return &at.damping
    if field == "turn_stiffness":
        return &at.turn_stiffness
    if field == "turn_damping":
        return &at.turn_damping
    if field == "friction":
        return &at.friction
    if field == "reference":
        return &at.reference
    if field == "ratio":
        return &at.ratio
    if field == "held":
        return &at.held
    raise KeyError(field)


cdef double read_setting(str field, str name, object value) except? -1.0:
    """A number that a setting can have."""
    if field == "low":
        return read_bound(value, name, -INFINITY)
    if field == "high":
        return read_bound(value, name, INFINITY)
    if field == "rate":
        return read_rate(value, name)
    if field == "reference":
        return read_angle(value, name)
    if field in ("most", "most_torque"):
        return read_strength(value, name)
    if field == "ratio":
        return read_ratio(value, name)
    return read_at_least_zero(value, name)


# ---- the handle -------------------------------------------------------------------------------

cdef class Joint:
    """What the handles of both engines have: settings, bodies, life in a world."""

    cdef void begin(self, JointHead* own, int kind) noexcept:
        """Settings of none: no limits, no motor, no spring, never breaks."""
        self.own_head = own
        own.id = own.a = own.b = self.id = -1
        own.low, own.high = -INFINITY, INFINITY
        own.break_force = own.break_torque = own.most_torque = INFINITY
        own.ratio = 1.0
        own.kind = <unsigned char> kind

    def __reduce__(self):
        raise TypeError("a joint cannot be pickled or copied alone; pickle its world")

    def __repr__(self):
        name = type(self).__name__
        if self.joints is None:
            return f"<{name}, not added>"
        if self.removed:
            return f"<{name} {self.id}, removed>"
        return f"<{name} {self.id}, {self.body_a!r} to {self.body_b!r}>"

    cdef JointHead* head(self) except NULL:
        """Its numbers; ValueError if it was removed."""
        if self.joints is None:
            return self.own_head
        if not self.joints.table.holds(self.id, self.generation):
            raise ValueError(f"this joint (id {self.id}) was removed from its world")
        return joint_at(self.joints, self.joints.table.entries[self.id].row)

    cdef JointHead* writable_head(self, str what) except NULL:
        """Its numbers, for a change; arguments are read before."""
        if self.joints is not None:
            self.joints.owner.check_idle(what)
        return self.head()

    cdef JointHead* added_head(self, str what) except NULL:
        """Its numbers; ValueError unless it is in a world."""
        if self.joints is None:
            raise ValueError(f"{what}: this joint was not added to a world yet")
        return self.head()

    cdef int stiffen_head(self, double hertz, double ratio) except -1:
        raise NotImplementedError

    cdef object anchor_of(self, const JointHead* at, int which):
        raise NotImplementedError

    cdef int put_anchor(self, JointHead* at, int which, object point) except -1:
        raise NotImplementedError

    cdef object point_of(self, const JointHead* at, int which):
        raise NotImplementedError

    cdef double measure(self, const JointHead* at) except? -1.0:
        raise NotImplementedError

    cdef object force_of(self, const JointHead* at, double span):
        raise NotImplementedError

    cdef object torque_of(self, const JointHead* at, double span):
        raise NotImplementedError

    def _attach(self, JointStore joints, int32_t id):
        """Make it the handle of a joint of a store."""
        self.joints, self.given = joints, {}
        self.id, self.generation = id, joints.table.entries[id].generation

    # -- for kinds

    def _start(self, int kind, body_a, body_b, break_force, break_torque, collide_connected):
        """What all kinds are told."""
        cdef JointHead* own = self.own_head
        cdef double force = read_strength(break_force, "break_force")
        cdef double torque = read_strength(break_torque, "break_torque")
        cdef bint collides = read_flag(collide_connected, "collide_connected")
        for name, body in (("body_a", body_a), ("body_b", body_b)):
            if body is not None and not self._is_body(body):
                raise TypeError(f"{name} must be a body or None, got {body!r}")
        if body_a is body_b:
            raise ValueError(f"a joint needs two bodies, got {body_a!r} twice")
        if self.joints is not None:
            raise ValueError(f"{self!r} was added before")
        own.kind = <unsigned char> kind
        own.break_force, own.break_torque = force, torque
        own.flags = COLLIDES if collides else 0
        self.given_a, self.given_b, self.given = body_a, body_b, {}

    def _anchor(self, anchor, local_anchors):
        """One point of the world that is on both, or one of each body's frame."""
        if (anchor is None) == (local_anchors is None):
            raise ValueError("give either anchor, a point of the world, or local_anchors, one "
                             f"point of each body's frame; got {anchor!r} and {local_anchors!r}")
        if anchor is not None:
            self._anchors(anchor, anchor, None, "anchor", "anchor")
        else:
            self._anchors(None, None, local_anchors)

    def _anchors(self, anchor_a, anchor_b, local_anchors, name_a="anchor_a", name_b="anchor_b"):
        """Two points of the world, or one of each body's frame."""
        if local_anchors is not None:
            if anchor_a is not None or anchor_b is not None:
                raise ValueError("give anchors of the world or local_anchors, not both")
            try:
                first, second = local_anchors
            except (TypeError, ValueError):
                raise ValueError("local_anchors must be two points, one of each body, got "
                                 f"{local_anchors!r}") from None
            self.given["local_a"] = self._read_point(first, "local_anchors[0]")
            self.given["local_b"] = self._read_point(second, "local_anchors[1]")
            return
        self.given["anchor_a"] = self._read_point(anchor_a, name_a)
        self.given["anchor_b"] = self._read_point(anchor_b, name_b)

    def _flag(self, int flag, on):
        if on:
            self.own_head.flags |= flag
        else:
            self.own_head.flags &= ~flag

    def _spring(self, stiffness, damping, hertz, damping_ratio):
        """A spring by its stiffness and damping, or by its frequency with the bodies' masses."""
        by_hertz = hertz is not None
        if by_hertz and (stiffness is not None or damping is not None):
            raise ValueError("give a spring stiffness and damping, or hertz and damping_ratio, "
                             f"not both; got hertz={hertz!r}, stiffness={stiffness!r}")
        if not by_hertz and damping_ratio is not None:
            raise ValueError(f"damping_ratio={damping_ratio!r} needs hertz")
        if by_hertz:
            self.given["hertz"] = read_positive(hertz, "hertz")
            self.given["damping_ratio"] = 0.0 if damping_ratio is None else read_at_least_zero(
                damping_ratio, "damping_ratio")
        else:
            self.own_head.stiffness = 0.0 if stiffness is None else read_at_least_zero(
                stiffness, "stiffness")
            self.own_head.damping = 0.0 if damping is None else read_at_least_zero(
                damping, "damping")

    def _reference(self, reference, str name="reference"):
        """The length or angle that counts as zero; None: what it is when the joint is added."""
        self.given["reference"] = reference
        if reference is not None:
            self.own_head.reference = read_angle(reference, name)

    def _measure(self):
        """Length or angle now."""
        return self.measure(self.added_head("its length and angle"))

    def _get(self, str field):
        """A setting as a number."""
        return number_of(self.head(), field)[0]

    def _get_bound(self, str field):
        """A limit, or None."""
        cdef double value = number_of(self.head(), field)[0]
        return value if isfinite(value) else None

    def _set(self, str field, str name, value, double least=-INFINITY):
        """Change a setting."""
        cdef double number = read_setting(field, name, value)
        if number < least:
            raise ValueError(f"{name} must be at least {least:g}, got {value!r}")
        cdef JointHead* at = self.writable_head(name)
        if field == "low" and number > at.high:
            raise ValueError(f"{name} must be at most high ({at.high!r}), got {value!r}")
        if field == "high" and number < at.low:
            raise ValueError(f"{name} must be at least low ({at.low!r}), got {value!r}")
        number_of(at, field)[0] = number
        self._changed()

    def _set_limits(self, low, high):
        """Change both limits."""
        cdef double least = read_bound(low, "low", -INFINITY)
        cdef double most = read_bound(high, "high", INFINITY)
        if least > most:
            raise ValueError(f"low must be at most high, got {low!r} and {high!r}")
        cdef JointHead* at = self.writable_head("limits")
        at.low, at.high = least, most
        self._changed()

    def _get_flag(self, int flag):
        return bool(self.head().flags & flag)

    def _set_flag(self, int flag, value, str name):
        cdef bint on = read_flag(value, name)
        cdef JointHead* at = self.writable_head(name)
        at.flags = (at.flags | flag) if on else (at.flags & ~flag)
        self._changed()

    def _set_hertz(self, hertz, ratio):
        """A spring by its frequency; of a joint that was added."""
        cdef double f = read_positive(hertz, "hertz")
        cdef double z = read_at_least_zero(ratio, "damping_ratio")
        self.writable_head("hertz")
        if self.joints is None:
            self.given["hertz"], self.given["damping_ratio"] = f, z
            return
        self.joints.point_at_bodies()
        self.stiffen_head(f, z)
        self._changed()

    def _changed(self):
        """A setting is new."""
        if self.joints is not None:
            self.joints.changed(self.joints.table.entries[self.id].row)

    # -- what all have

    @property
    def removed(self):
        """Whether it was removed from its world, or broke."""
        return self.joints is not None and not self.joints.table.holds(self.id, self.generation)

    @property
    def added_to_world(self):
        """Whether it is in a world."""
        return self.joints is not None and self.joints.table.holds(self.id, self.generation)

    @property
    def body_a(self):
        """Its first body, or None for the world."""
        cdef JointHead* at = self.head()
        if self.joints is None:
            return self.given_a
        return self.joints.owner.table.handles[at.body_a] if at.body_a >= 0 else None

    @property
    def body_b(self):
        """Its second body, or None for the world."""
        cdef JointHead* at = self.head()
        if self.joints is None:
            return self.given_b
        return self.joints.owner.table.handles[at.body_b] if at.body_b >= 0 else None

    @property
    def anchor_a(self):
        """Where it holds body_a (m), in the frame of that body; of the world if that is None."""
        return self.anchor_of(self.added_head("anchor_a"), 0)

    @anchor_a.setter
    def anchor_a(self, value):
        self._put_anchor(0, "anchor_a", value)

    @property
    def anchor_b(self):
        """Where it holds body_b (m), in the frame of that body; of the world if that is None."""
        return self.anchor_of(self.added_head("anchor_b"), 1)

    @anchor_b.setter
    def anchor_b(self, value):
        self._put_anchor(1, "anchor_b", value)

    def _put_anchor(self, int which, str name, value):
        point = self._read_point(value, name)
        self.added_head(name)
        self.put_anchor(self.writable_head(name), which, point)
        self._changed()

    @property
    def point_a(self):
        """Where it holds body_a now (m, in the world)."""
        return self.point_of(self.added_head("point_a"), 0)

    @property
    def point_b(self):
        """Where it holds body_b now (m, in the world)."""
        return self.point_of(self.added_head("point_b"), 1)

    @property
    def force(self):
        """Force of the joint on body_b at its anchor (N), mean over the last step."""
        return self.force_of(self.head(), 0.0 if self.joints is None else self.joints.span)

    @property
    def torque(self):
        """Torque of the joint on body_b about its anchor (N m), mean over the last step."""
        return self.torque_of(self.head(), 0.0 if self.joints is None else self.joints.span)

    @property
    def work(self):
        """What its motor and its friction have done since it was added (J)."""
        return self.head().work

    @property
    def energy(self):
        """Energy of its spring (J)."""
        return sum(0.5 * row["stiffness"] * row["C"] ** 2 for row in self._rows()
                   if row["kind"] == SOFT)

    @property
    def error(self):
        """How far it is from what it should hold exactly (m or rad): 0 if all is well."""
        return max((abs(row["C"]) if row["kind"] == RIGID else -min(row["C"], 0.0)
                    for row in self._rows() if row["kind"] in (RIGID, STOP)), default=0.0)

    @property
    def break_force(self):
        """The force beyond which it breaks (N); infinite: never."""
        return self.head().break_force

    @break_force.setter
    def break_force(self, value):
        cdef double number = read_strength(value, "break_force")
        self.writable_head("break_force").break_force = number

    @property
    def break_torque(self):
        """The torque beyond which it breaks (N m); infinite: never."""
        return self.head().break_torque

    @break_torque.setter
    def break_torque(self, value):
        cdef double number = read_strength(value, "break_torque")
        self.writable_head("break_torque").break_torque = number

    @property
    def collide_connected(self):
        """Whether its two bodies collide with each other."""
        return bool(self.head().flags & COLLIDES)

    @collide_connected.setter
    def collide_connected(self, value):
        self._set_flag(COLLIDES, value, "collide_connected")
        if self.joints is not None:
            self.joints.unsorted()
