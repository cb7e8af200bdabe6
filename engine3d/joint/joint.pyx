"""The joints of a world, and the handle users hold; joint.pxd has the table of kinds.

A joint is made first (Ball(a, b, anchor)) and then added (World.add_joint): until then the handle
holds its numbers itself. Anchors, axes, lengths and angles are read when it is added.
"""

import numpy as np

from libc.math cimport INFINITY, M_PI, fabs, isfinite
from libc.string cimport memset

from enginecore.arguments cimport read_number
from enginecore.assembly_store cimport AssemblyStore, JointEdge
from enginecore.body_head cimport AWAKE, DYNAMIC
from enginecore.memory cimport address, hold, longer_lines
from engine3d.arguments cimport (
    FARTHEST, read_at_least_zero, read_direction, read_finite, read_orientation, read_place,
    read_positive, read_rate, read_vector,
)
from engine3d.quat cimport conjugate, matrix_of, product, quat
from engine3d.vec3 cimport (
    Vec3, add, apply, apply_transposed, dot, length, scaled, sub, vec3)
from engine3d.vector cimport as_vector

from engine3d.body import Body

cdef enum:
    FIRST_ROOM = 32   # joints that a new world has room for

cdef JointClass[N_KINDS] KINDS
memset(KINDS, 0, sizeof(KINDS))

# m: shorter rods and ropes have no direction.
cdef double LEAST_LENGTH = 1e-6


# ---- the table --------------------------------------------------------------------------------

cdef int enter_kind(int kind, JointClass functions) except -1:
    """Put a kind into the table."""
    KINDS[kind] = functions
    return 0


cdef const JointClass* class_of(int kind) noexcept nogil:
    """The functions of a kind."""
    return &KINDS[kind]


# ---- kernels ----------------------------------------------------------------------------------

cdef Frame frame_of(const Place* places, const BodyData* bodies, int32_t row) noexcept nogil:
    cdef Frame out
    if row < 0:
        out.x = out.center = vec3(0.0, 0.0, 0.0)
        out.q = quat(1.0, 0.0, 0.0, 0.0)
        out.r = matrix_of(out.q)
        return out
    out.x, out.q, out.r = places[row].x, places[row].q, places[row].pose.r
    out.center = bodies[row].local_center
    return out


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


cdef double side_response(const double* j, BodyStore store, int32_t row) noexcept:
    cdef Vec3 turn = apply_transposed(&store.places[row].pose.r, vec3(j[3], j[4], j[5]))
    return (store.motions[row].inv_m * (j[0] * j[0] + j[1] * j[1] + j[2] * j[2])
            + dot(turn, apply(&store.bodies[row].inv_I, turn)))


# ---- the store --------------------------------------------------------------------------------

cdef class JointStore:

    def __cinit__(self, BodyStore bodies not None):
        self.bodies = bodies
        self.arrays = {}
        self.assemblies = AssemblyStore()
        self.table = HandleTable()
        self.ended = []
        self.reserve(FIRST_ROOM)
        self.list_apart()

    cdef int reserve(self, int32_t capacity) except -1:
        """Make room for that many joints."""
        self.arrays["joints"] = longer_lines(self.arrays.get("joints"), capacity,
                                             sizeof(JointData))
        self.joints = <JointData*> address(self.arrays["joints"])
        self.capacity = capacity
        return 0

    cdef int32_t insert(self, const JointData* given, object handle) except -1:
        """Add a joint that was read and checked, and return its id."""
        cdef int32_t id, row = self.n
        if row == self.capacity:
            self.reserve(2 * self.capacity)
        id = self.table.insert(row)
        self.joints[row] = given[0]
        self.joints[row].id = id
        self.joints[row].n_rows = -1
        self.table.handles[id] = handle
        self.n += 1
        self.changed(row)
        self.edits += 1
        self.unsorted()
        return id

    cdef int drop(self, int32_t row, str reason) except -1:
        """Remove the joint in a row; the row itself stays until rows are settled."""
        cdef int32_t id = self.joints[row].id
        self.wake(&self.joints[row])
        self.ended.append((self.table.handles[id], reason))
        self.table.drop(id)
        self.joints[row].id = -1
        self.n_removed += 1
        self.edits += 1
        self.unsorted()
        return 0

    cdef int drop_of_body(self, int32_t body) except -1:
        """Remove the joints of a body (id) that is about to be removed."""
        cdef int32_t row
        for row in range(self.n):
            if self.joints[row].id >= 0 and (self.joints[row].body_a == body
                                             or self.joints[row].body_b == body):
                self.drop(row, "body removed")
        return 0

    cdef void begin_step(self, double whole) noexcept nogil:
        """Sums of those who are awake begin at zero; of others, forces stay what they are."""
        cdef int32_t k
        cdef JointData* joint
        cdef double factor = whole / self.span if self.span > 0.0 else 1.0
        for k in range(self.n):
            joint = &self.joints[k]
            if self.is_awake(joint.a) or self.is_awake(joint.b):
                joint.force = joint.torque = vec3(0.0, 0.0, 0.0)
            elif factor != 1.0:
                joint.force = scaled(factor, joint.force)
                joint.torque = scaled(factor, joint.torque)
        self.span = whole

    cdef bint is_awake(self, int32_t row) noexcept nogil:
        return row >= 0 and (self.bodies.heads[row].flags & AWAKE) != 0

    cdef int break_joints(self) except -1:
        """Remove the joints that bore more in the last step than they can."""
        cdef int32_t row
        cdef const JointData* joint
        for row in range(self.n):
            joint = &self.joints[row]
            if joint.id >= 0 and (length(joint.force) > self.span * joint.break_force
                                  or length(joint.torque) > self.span * joint.break_torque):
                self.drop(row, "broken")
        return 0

    cdef void settle(self) noexcept:
        """Close the gaps that removed joints left among the rows; the order stays."""
        cdef int32_t row, to = 0
        if self.n_removed == 0:
            return
        for row in range(self.n):
            if self.joints[row].id < 0:
                continue
            if to != row:
                self.joints[to] = self.joints[row]
                self.table.entries[self.joints[to].id].row = to
            to += 1
        self.n = to
        self.n_removed = 0

    cdef void point_at_bodies(self) noexcept nogil:
        """Bring the rows of the joints' bodies up to date."""
        cdef int32_t k
        cdef JointData* joint
        for k in range(self.n):
            joint = &self.joints[k]
            joint.a = self.bodies.table.entries[joint.body_a].row if joint.body_a >= 0 else -1
            joint.b = self.bodies.table.entries[joint.body_b].row if joint.body_b >= 0 else -1

    cdef int list_assemblies(self) except -1:
        """Bring the list of assemblies up to date; rows of bodies are."""
        cdef int32_t k
        cdef const JointData* joint
        if self.n > self.room_edges:
            self.room_edges = 2 * self.n
            self.edges = <JointEdge*> hold(self.arrays, "edges", self.room_edges,
                                           sizeof(JointEdge))
        for k in range(self.n):
            joint = &self.joints[k]
            self.edges[k].a = joint.a if self.is_movable(joint.a) else -1
            self.edges[k].b = joint.b if self.is_movable(joint.b) else -1
            self.edges[k].hard = joint.hard
        return self.assemblies.refresh(self.edges, self.n, self.bodies.n_bodies)

    cdef bint is_movable(self, int32_t row) noexcept nogil:
        """Whether forces move a body; row -1 is the world."""
        return row >= 0 and self.bodies.heads[row].kind == DYNAMIC

    cdef double energy(self) noexcept nogil:
        """J, of all springs; what a drag pulls at is the user's."""
        cdef int32_t k
        cdef int i, n
        cdef Frame a, b
        cdef JointData* joint
        cdef JointRow[MOST_ROWS] rows
        cdef double sum = 0.0
        self.point_at_bodies()
        for k in range(self.n):
            joint = &self.joints[k]
            if joint.id < 0 or joint.kind == DRAG or joint.stiffness <= 0.0:
                continue
            a = frame_of(self.bodies.places, self.bodies.bodies, joint.a)
            b = frame_of(self.bodies.places, self.bodies.bodies, joint.b)
            n = class_of(joint.kind).rows(joint, &a, &b, rows)
            for i in range(n):
                if rows[i].kind == SOFT:
                    sum += 0.5 * rows[i].stiffness * rows[i].C * rows[i].C
        return sum

    cdef void unsorted(self) noexcept:
        """Who does not collide with whom may be new: pairs hear of it in the next step."""
        self.stale = True
        self.bodies.edits += 1

    cdef int list_apart(self) except -1:
        """The pairs of bodies that do not collide because they are joined, ascending."""
        cdef int32_t k
        cdef int64_t a, b
        cdef const JointData* joint
        keys = set()
        for k in range(self.n):
            joint = &self.joints[k]
            if joint.id >= 0 and not joint.flags & COLLIDES and joint.body_a >= 0 \
                    and joint.body_b >= 0:
                a, b = joint.body_a, joint.body_b
                keys.add((min(a, b) << 32) | max(a, b))
        self.arrays["apart"] = np.array(sorted(keys) or [0], np.int64)
        self.n_apart = <int32_t> len(keys)
        self.apart = <int64_t*> address(self.arrays["apart"])
        self.stale = False
        return 0

    cdef void wake(self, const JointData* joint) noexcept:
        """Wake the bodies of a joint."""
        cdef int32_t row
        for id in (joint.body_a, joint.body_b):
            row = self.bodies.table.entries[<int32_t> id].row if id >= 0 else -1
            if row >= 0 and self.bodies.heads[row].kind == DYNAMIC:
                self.bodies.wake(row)

    cdef void changed(self, int32_t row) noexcept:
        """The settings of a joint are new: its bodies wake; if its rows are others, they begin
        without impulses."""
        cdef JointData* joint = &self.joints[row]
        cdef JointRow[MOST_ROWS] rows
        cdef Frame a = frame_of(NULL, NULL, -1), b = frame_of(NULL, NULL, -1)
        cdef int n, i, hard = 0
        b.x = vec3(1.0, 0.0, 0.0)
        n = class_of(joint.kind).rows(joint, &a, &b, rows)
        for i in range(n):
            if is_hard(&rows[i]):
                hard |= 1 << i
        self.wake(joint)
        if n != joint.n_rows or hard != joint.hard:
            joint.n_rows, joint.hard = <int8_t> n, <uint16_t> hard
            memset(joint.p, 0, sizeof(joint.p))
            self.edits += 1

    # -- for the world

    def add(self, Joint joint not None):
        """Take a joint that was made for bodies of this world."""
        cdef JointData data
        if joint.store is not None:
            raise ValueError(f"joint must be new, {joint!r} was added before")
        if KINDS[joint.own.kind].rows == NULL or joint.given is None:
            raise ValueError("joint must be finished: its __init__ was not called")
        data = joint.own
        find_body(self.bodies, joint.given_a, "body_a", &data.body_a, &data.born_a)
        find_body(self.bodies, joint.given_b, "body_b", &data.body_b, &data.born_b)
        settle_joint(self.bodies, &data, joint.given)
        joint.id = self.insert(&data, joint)
        joint.generation = self.table.entries[joint.id].generation
        joint.store = self
        return joint

    def remove(self, Joint joint not None):
        """Remove a joint of this world."""
        if joint.store is not self:
            raise ValueError(f"joint must be of this world, got {joint!r}")
        if not self.table.holds(joint.id, joint.generation):
            raise ValueError(f"{joint!r} was removed before")
        self.drop(self.table.entries[joint.id].row, "removed")

    def in_order(self):
        """All joints, in the order they were added."""
        cdef int32_t row
        self.settle()
        return [self.table.handles[self.joints[row].id] for row in range(self.n)]


# ---- reading ----------------------------------------------------------------------------------

cdef int find_body(BodyStore store, object body, str name, int32_t* id,
                   uint32_t* born) except -1:
    """The id of a body that a joint was made with; -1 for the world."""
    if body is None:
        id[0], born[0] = -1, 0
        return 0
    if not body._is_of(store) or not store.table.holds(body.id, body.generation):
        raise ValueError(f"{name} must be a body of this world, got {body!r}")
    id[0], born[0] = body.id, body.generation
    return 0


cdef Vec3 local_of(const Frame* frame, Vec3 point) noexcept nogil:
    """A point of the world in a body's frame."""
    return add(apply_transposed(&frame.r, sub(point, frame.x)), frame.center)


cdef int settle_joint(BodyStore store, JointData* data, dict given) except -1:
    """What follows from where the bodies are: anchors, axis, turn, reference, stiffness."""
    cdef Frame a, b
    cdef Vec3 n
    data.a = store.table.entries[data.body_a].row if data.body_a >= 0 else -1
    data.b = store.table.entries[data.body_b].row if data.body_b >= 0 else -1
    a = frame_of(store.places, store.bodies, data.a)
    b = frame_of(store.places, store.bodies, data.b)
    if "anchor_a" in given:
        data.anchor_a = local_of(&a, read_vector(given["anchor_a"], "anchor"))
    if "anchor_b" in given:
        data.anchor_b = local_of(&b, read_vector(given["anchor_b"], "anchor"))
    if "local_a" in given:
        data.anchor_a = read_vector(given["local_a"], "anchor")
        data.anchor_b = read_vector(given["local_b"], "anchor")
    if "axis" in given:
        n = read_vector(given["axis"], "axis")
        data.axis, data.axis_b = apply_transposed(&a.r, n), apply_transposed(&b.r, n)
    if not given.get("turn_given"):
        data.turn = product(conjugate(a.q), b.q)
    data.held = 0.0
    if given.get("reference") is None:
        data.reference = class_of(data.kind).measure(data, &a, &b)
        if data.kind in (ROD, ROPE) and data.reference < LEAST_LENGTH:
            raise ValueError("the anchors of a rod or a rope must be apart, got "
                             f"{data.reference!r} m; use a Ball, or give length")
    if given.get("hertz") is not None:
        stiffen(store, data, given["hertz"], given["damping_ratio"])
    return 0


cdef int stiffen(BodyStore store, JointData* data, double hertz, double ratio) except -1:
    """Stiffness and damping of a spring from its frequency with the masses of its bodies."""
    cdef Frame a = frame_of(store.places, store.bodies, data.a)
    cdef Frame b = frame_of(store.places, store.bodies, data.b)
    cdef JointRow[MOST_ROWS] rows
    cdef double w = 2.0 * M_PI * hertz, one
    cdef double[2] response
    cdef int[2] count
    cdef int n, i, turns
    response[0] = response[1] = 0.0
    count[0] = count[1] = 0
    data.stiffness = data.turn_stiffness = 1.0
    n = class_of(data.kind).rows(data, &a, &b, rows)
    for i in range(n):
        if rows[i].kind != SOFT:
            continue
        one = 0.0
        if data.a >= 0:
            one += side_response(rows[i].ja, store, data.a)
        if data.b >= 0:
            one += side_response(rows[i].jb, store, data.b)
        turns = 1 if data.kind == DRAG and i >= 3 else 0
        response[turns] += one
        count[turns] += 1
    data.turn_stiffness = data.turn_damping = 0.0
    if count[0] == 0 or not response[0] > 0.0:
        raise ValueError("a spring between bodies that no force moves has no hertz; give stiffness")
    data.stiffness = w * w * count[0] / response[0]
    data.damping = 2.0 * ratio * w * count[0] / response[0]
    if response[1] > 0.0:
        data.turn_stiffness = w * w * count[1] / response[1]
        data.turn_damping = 2.0 * ratio * w * count[1] / response[1]
    return 0


cdef Vec3 read_unit(object value, str name) except *:
    """A direction; one that is of length 1 to rounding is left as it is."""
    cdef Vec3 n = read_vector(value, name)
    return n if fabs(length(n) - 1.0) < 1e-14 else read_direction(value, name)


cdef double read_bound(object value, str name, double none) except? -1.0:
    """A limit; None is no limit."""
    cdef double number
    if value is None:
        return none
    number = read_number(value, name)
    if not (fabs(number) <= FARTHEST or number == none):
        raise ValueError(f"{name} must be a number within +-{FARTHEST:g} or None, got {value!r}")
    return number


cdef double read_strength(object value, str name) except? -1.0:
    """A largest force or torque: at least 0, may be infinite."""
    cdef double number = read_number(value, name)
    if not number >= 0.0:
        raise ValueError(f"{name} must be >= 0, got {value!r}")
    return number


# ---- the handle -------------------------------------------------------------------------------

cdef class Joint:
    """What two bodies have in common; the kinds are Ball, Hinge, Weld, Slider and so on.

    Made for two bodies, of which one may be None, the world, and then added by World.add_joint.
    Settings can be changed at any time; once removed, all but `removed`, `id` and `data` raise a
    ValueError.
    """

    def __cinit__(self, *args, **options):
        memset(&self.own, 0, sizeof(JointData))
        self.own.id = self.own.a = self.own.b = -1
        self.own.low, self.own.high = -INFINITY, INFINITY
        self.own.break_force = self.own.break_torque = INFINITY
        self.own.most_torque = INFINITY
        self.own.turn = quat(1.0, 0.0, 0.0, 0.0)
        self.own.axis = self.own.axis_b = vec3(0.0, 0.0, 1.0)
        self.own.kind = N_KINDS - 1
        self.id = -1

    def __init__(self):
        raise TypeError("joints are made by their kinds: Ball, Hinge, Weld and so on")

    def __reduce__(self):
        raise TypeError("a joint cannot be pickled or copied alone; pickle its world")

    def __repr__(self):
        name = type(self).__name__
        if self.store is None:
            return f"<{name}, not added>"
        if self.removed:
            return f"<{name} {self.id}, removed>"
        return f"<{name} {self.id}, {self.body_a!r} to {self.body_b!r}>"

    cdef JointData* at(self) except NULL:
        """Its numbers; ValueError if it was removed."""
        if self.store is None:
            return &self.own
        if not self.store.table.holds(self.id, self.generation):
            raise ValueError(f"this joint (id {self.id}) was removed from its world")
        return &self.store.joints[self.store.table.entries[self.id].row]

    cdef JointData* writable(self, str what) except NULL:
        """Its numbers, for a change; arguments are read before."""
        if self.store is not None:
            self.store.bodies.check_idle(what)
        return self.at()

    # -- for kinds

    def _start(self, int kind, body_a, body_b, break_force, break_torque, collide_connected):
        """What all kinds are told."""
        cdef JointData* own = &self.own
        cdef double force = read_strength(break_force, "break_force")
        cdef double torque = read_strength(break_torque, "break_torque")
        for name, body in (("body_a", body_a), ("body_b", body_b)):
            if body is not None and not isinstance(body, Body):
                raise TypeError(f"{name} must be a body or None, got {body!r}")
        if body_a is body_b:
            raise ValueError(f"a joint needs two bodies, got {body_a!r} twice")
        if self.store is not None:
            raise ValueError(f"{self!r} was added before")
        own.kind = <uint8_t> kind
        own.break_force, own.break_torque = force, torque
        own.flags = COLLIDES if collide_connected else 0
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
            self.given["local_a"] = as_vector(read_place(first, "local_anchors[0]"))
            self.given["local_b"] = as_vector(read_place(second, "local_anchors[1]"))
            return
        self.given["anchor_a"] = as_vector(read_place(anchor_a, name_a))
        self.given["anchor_b"] = as_vector(read_place(anchor_b, name_b))

    def _axis(self, axis):
        """A direction of the world."""
        self.given["axis"] = as_vector(read_direction(axis, "axis"))

    def _flag(self, int flag, on):
        if on:
            self.own.flags |= flag
        else:
            self.own.flags &= ~flag

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
            self.own.stiffness = 0.0 if stiffness is None else read_at_least_zero(
                stiffness, "stiffness")
            self.own.damping = 0.0 if damping is None else read_at_least_zero(damping, "damping")

    def _reference(self, reference, str name="reference"):
        """The length or angle that counts as zero; None: what it is when the joint is added."""
        self.given["reference"] = reference
        if reference is not None:
            self.own.reference = read_span(reference, name)

    def _turn(self, orientation):
        """The orientation of b that counts as none; None: what it is when the joint is added."""
        self.given["turn_given"] = orientation is not None
        if orientation is not None:
            self.own.turn = read_orientation(orientation, "orientation")

    def _get_turn(self):
        cdef JointData* at = self.added("orientation")
        return at.turn.w, at.turn.x, at.turn.y, at.turn.z

    def _set_turn(self, value):
        cdef Quat q = read_orientation(value, "orientation")
        self.added("orientation")
        self.writable("orientation").turn = q
        self._changed()

    def _get(self, str field):
        """A setting as a number."""
        return number_of(self.at(), field)[0]

    def _get_bound(self, str field):
        """A limit, or None."""
        cdef double value = number_of(self.at(), field)[0]
        return value if isfinite(value) else None

    def _set(self, str field, str name, value, double least=-INFINITY):
        """Change a setting."""
        cdef double number = read_setting(field, name, value)
        if number < least:
            raise ValueError(f"{name} must be at least {least:g}, got {value!r}")
        cdef JointData* at = self.writable(name)
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
        cdef JointData* at = self.writable("limits")
        at.low, at.high = least, most
        self._changed()

    def _get_flag(self, int flag):
        return bool(self.at().flags & flag)

    def _set_flag(self, int flag, on):
        cdef JointData* at = self.writable("flag")
        at.flags = (at.flags | flag) if on else (at.flags & ~flag)
        self._changed()

    def _set_hertz(self, hertz, ratio):
        """A spring by its frequency; of a joint that was added."""
        cdef double f = read_positive(hertz, "hertz")
        cdef double z = read_at_least_zero(ratio, "damping_ratio")
        cdef JointData* at = self.writable("hertz")
        if self.store is None:
            self.given["hertz"], self.given["damping_ratio"] = f, z
            return
        self.store.point_at_bodies()
        stiffen(self.store.bodies, at, f, z)
        self._changed()

    def _changed(self):
        """A setting is new."""
        if self.store is not None:
            self.store.changed(self.store.table.entries[self.id].row)

    def _measure(self):
        """Length or angle now."""
        cdef JointData* at = self.added("its length and angle")
        cdef Frame a, b
        self.frames(&a, &b)
        return class_of(at.kind).measure(at, &a, &b)

    def _travel(self):
        """How far the anchor of b is from that of a along the axis."""
        cdef JointData* at = self.added("travel")
        cdef Frame a, b
        self.frames(&a, &b)
        cdef Vec3 d = sub(add(b.x, apply(&b.r, sub(at.anchor_b, b.center))),
                          add(a.x, apply(&a.r, sub(at.anchor_a, a.center))))
        return dot(apply(&a.r, at.axis), d)

    def _attach(self, JointStore store, int32_t id, uint32_t generation):
        """Make it the handle of a joint of a store, for snapshots."""
        self.store, self.id, self.generation = store, id, generation
        self.given = {}

    def _arguments(self):
        """All settings by name, for scene files and tests; of a joint that was added."""
        return dict(self.added("settings")[0])

    def _frames(self):
        """Axes and turn in the frames of its bodies, for scene files."""
        cdef JointData* at = self.added("frames")
        return {"axis": as_vector(at.axis), "axis_b": as_vector(at.axis_b),
                "turn": (at.turn.w, at.turn.x, at.turn.y, at.turn.z)}

    def _put_frames(self, given):
        """Set these, as a scene file has them."""
        cdef JointData* at = self.added("frames")
        for name, value in given.items():
            if name == "turn":
                at.turn = read_orientation(value, "turn")
            elif name == "axis":
                at.axis = read_unit(value, "axis")
            else:
                at.axis_b = read_unit(value, "axis_b")
        self._changed()

    def _rows(self, poses=None):
        """Its rows as dicts, at the present places or at given ones (centre and orientation of a,
        then of b), for tests."""
        cdef JointData* at = self.added("rows")
        cdef Frame a, b
        cdef JointRow[MOST_ROWS] rows
        cdef int n, i
        self.frames(&a, &b)
        if poses is not None:
            a.x, a.q = read_place(poses[0], "x"), read_orientation(poses[1], "q")
            b.x, b.q = read_place(poses[2], "x"), read_orientation(poses[3], "q")
            a.r, b.r = matrix_of(a.q), matrix_of(b.q)
        n = class_of(at.kind).rows(at, &a, &b, rows)
        return [rows[i] for i in range(n)]

    cdef JointData* added(self, str what) except NULL:
        """Its numbers; ValueError unless it is in a world."""
        if self.store is None:
            raise ValueError(f"{what}: this joint was not added to a world yet")
        return self.at()

    cdef int frames(self, Frame* a, Frame* b) except -1:
        """Where its bodies are."""
        cdef JointData* at = self.at()
        cdef BodyStore store = self.store.bodies
        a[0] = frame_of(store.places, store.bodies,
                        store.table.entries[at.body_a].row if at.body_a >= 0 else -1)
        b[0] = frame_of(store.places, store.bodies,
                        store.table.entries[at.body_b].row if at.body_b >= 0 else -1)
        return 0

    # -- what all have

    @property
    def removed(self):
        """Whether it was removed from its world, or broke."""
        return self.store is not None and not self.store.table.holds(self.id, self.generation)

    @property
    def added_to_world(self):
        """Whether it is in a world."""
        return self.store is not None and self.store.table.holds(self.id, self.generation)

    @property
    def body_a(self):
        """Its first body, or None for the world."""
        cdef JointData* at = self.at()
        if self.store is None:
            return self.given_a
        return self.store.bodies.table.handles[at.body_a] if at.body_a >= 0 else None

    @property
    def body_b(self):
        """Its second body, or None for the world."""
        cdef JointData* at = self.at()
        if self.store is None:
            return self.given_b
        return self.store.bodies.table.handles[at.body_b] if at.body_b >= 0 else None

    @property
    def anchor_a(self):
        """Where it holds body_a (m), in the frame of that body; of the world if that is None."""
        return as_vector(self.added("anchor_a").anchor_a)

    @anchor_a.setter
    def anchor_a(self, value):
        cdef Vec3 p = read_place(value, "anchor_a")
        self.added("anchor_a")
        self.writable("anchor_a").anchor_a = p
        self._changed()

    @property
    def anchor_b(self):
        """Where it holds body_b (m), in the frame of that body; of the world if that is None."""
        return as_vector(self.added("anchor_b").anchor_b)

    @anchor_b.setter
    def anchor_b(self, value):
        cdef Vec3 p = read_place(value, "anchor_b")
        self.added("anchor_b")
        self.writable("anchor_b").anchor_b = p
        self._changed()

    @property
    def point_a(self):
        """Where it holds body_a now (m, in the world)."""
        cdef Frame a, b
        cdef JointData* at = self.added("point_a")
        self.frames(&a, &b)
        return as_vector(add(a.x, apply(&a.r, sub(at.anchor_a, a.center))))

    @property
    def point_b(self):
        """Where it holds body_b now (m, in the world)."""
        cdef Frame a, b
        cdef JointData* at = self.added("point_b")
        self.frames(&a, &b)
        return as_vector(add(b.x, apply(&b.r, sub(at.anchor_b, b.center))))

    @property
    def force(self):
        """Force of the joint on body_b at its anchor (N), mean over the last step."""
        cdef JointData* at = self.at()
        cdef double span = self.store.span if self.store is not None else 0.0
        return as_vector(scaled(1.0 / span, at.force) if span > 0.0 else vec3(0.0, 0.0, 0.0))

    @property
    def torque(self):
        """Torque of the joint on body_b about its anchor (N m), mean over the last step."""
        cdef JointData* at = self.at()
        cdef double span = self.store.span if self.store is not None else 0.0
        return as_vector(scaled(1.0 / span, at.torque) if span > 0.0 else vec3(0.0, 0.0, 0.0))

    @property
    def work(self):
        """What its motor and its friction have done since it was added (J)."""
        return self.at().work

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
        return self.at().break_force

    @break_force.setter
    def break_force(self, value):
        cdef double number = read_strength(value, "break_force")
        self.writable("break_force").break_force = number

    @property
    def break_torque(self):
        """The torque beyond which it breaks (N m); infinite: never."""
        return self.at().break_torque

    @break_torque.setter
    def break_torque(self, value):
        cdef double number = read_strength(value, "break_torque")
        self.writable("break_torque").break_torque = number

    @property
    def collide_connected(self):
        """Whether its two bodies collide with each other."""
        return bool(self.at().flags & COLLIDES)

    @collide_connected.setter
    def collide_connected(self, value):
        self._set_flag(COLLIDES, bool(value))
        if self.store is not None:
            self.store.unsorted()


cdef double* number_of(JointData* at, str field) except NULL:
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
    raise KeyError(field)


cdef double read_span(object value, str name) except? -1.0:
    """A length or an angle."""
    cdef double number = read_finite(value, name)
    if not fabs(number) <= FARTHEST:
        raise ValueError(f"{name} must be within +-{FARTHEST:g}, got {value!r}")
    return number


cdef double read_setting(str field, str name, object value) except? -1.0:
    """A number that a setting can have."""
    if field == "low":
        return read_bound(value, name, -INFINITY)
    if field == "high":
        return read_bound(value, name, INFINITY)
    if field == "rate":
        return read_rate(value, name)
    if field == "reference":
        return read_span(value, name)
    if field in ("most", "most_torque"):
        return read_strength(value, name)
    return read_at_least_zero(value, name)
