"""The joints of a world, and the handle users hold; joint.pxd has the table of kinds.

A joint is made first (Ball(a, b, anchor)) and then added (World.add_joint): until then the handle
holds its numbers itself. Anchors, axes, lengths and angles are read when it is added.
"""

from libc.math cimport M_PI, fabs
from libc.string cimport memset

from enginecore.joint cimport row_of
from enginecore.joint_head cimport JointHead
from engine3d.arguments cimport (
    read_direction, read_orientation, read_place, read_vector,
)
from engine3d.quat cimport conjugate, matrix_of, product, quat
from engine3d.vec3 cimport (
    Vec3, add, apply, apply_transposed, dot, length, scaled, sub, vec3)
from engine3d.vector cimport as_vector

from engine3d.body import Body

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


cdef double side_response(const double* j, BodyStore store, int32_t row) noexcept:
    cdef Vec3 turn = apply_transposed(&store.places[row].pose.r, vec3(j[3], j[4], j[5]))
    return (store.motions[row].inv_m * (j[0] * j[0] + j[1] * j[1] + j[2] * j[2])
            + dot(turn, apply(&store.bodies[row].inv_I, turn)))


# ---- the store --------------------------------------------------------------------------------

cdef class JointStore(Joints):

    def __cinit__(self, BodyStore bodies not None):
        self.bodies = bodies
        self.prepare(bodies, sizeof(JointData), 0, DRAG)

    cdef void point_at_rows(self) noexcept:
        """The array is new."""
        self.joints = <JointData*> self.heads

    cdef bint is_spent(self, int32_t row) noexcept nogil:
        """Whether a joint bore more in the last step than it can."""
        cdef const JointData* joint = &self.joints[row]
        return (length(joint.force) > self.span * joint.head.break_force
                or length(joint.torque) > self.span * joint.head.break_torque)

    cdef void scale_sums(self, JointHead* head, double factor) noexcept nogil:
        """Force and torque of the last step."""
        cdef JointData* joint = <JointData*> head
        if factor == 0.0:
            joint.force = joint.torque = vec3(0.0, 0.0, 0.0)
        else:
            joint.force = scaled(factor, joint.force)
            joint.torque = scaled(factor, joint.torque)

    cdef void add_energy(self, const JointHead* head, double* sum) noexcept nogil:
        """J, of its springs."""
        cdef const JointData* joint = <const JointData*> head
        cdef JointRow[MOST_ROWS] rows
        cdef Frame a = frame_of(self.bodies.places, self.bodies.bodies, joint.head.a)
        cdef Frame b = frame_of(self.bodies.places, self.bodies.bodies, joint.head.b)
        cdef int i, n = class_of(joint.head.kind).rows(joint, &a, &b, rows)
        for i in range(n):
            if rows[i].kind == SOFT:
                sum[0] += 0.5 * rows[i].stiffness * rows[i].C * rows[i].C

    cdef int count_rows(self, const JointHead* head, int* hard) noexcept:
        """Its rows, with the bodies anywhere: their number depends on its settings alone."""
        cdef JointRow[MOST_ROWS] rows
        cdef Frame a = frame_of(NULL, NULL, -1), b = frame_of(NULL, NULL, -1)
        cdef int n, i
        b.x = vec3(1.0, 0.0, 0.0)
        n = class_of(head.kind).rows(<const JointData*> head, &a, &b, rows)
        for i in range(n):
            if is_hard(&rows[i]):
                hard[0] |= 1 << i
        return n

    cdef void forget_forces(self, JointHead* head) noexcept:
        """Its rows are others."""
        cdef JointData* joint = <JointData*> head
        memset(joint.f, 0, sizeof(joint.f))

    cdef bint is_kind(self, int kind) noexcept:
        """Whether there are functions of a kind."""
        return KINDS[kind].rows != NULL

    cdef int settle_joint(self, JointHead* joint, dict given) except -1:
        """What follows from where the bodies are."""
        return settle(self.bodies, <JointData*> joint, given)


# ---- reading ----------------------------------------------------------------------------------

cdef Vec3 local_of(const Frame* frame, Vec3 point) noexcept nogil:
    """A point of the world in a body's frame."""
    return add(apply_transposed(&frame.r, sub(point, frame.x)), frame.center)


cdef int settle(BodyStore store, JointData* data, dict given) except -1:
    """What follows from where the bodies are: anchors, axis, turn, reference, stiffness."""
    cdef Frame a = frame_of(store.places, store.bodies, data.head.a)
    cdef Frame b = frame_of(store.places, store.bodies, data.head.b)
    cdef Vec3 n
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
    data.head.held = 0.0
    if given.get("reference") is None:
        data.head.reference = class_of(data.head.kind).measure(data, &a, &b)
        if data.head.kind in (ROD, ROPE) and data.head.reference < LEAST_LENGTH:
            raise ValueError("the anchors of a rod or a rope must be apart, got "
                             f"{data.head.reference!r} m; use a Ball, or give length")
    if given.get("hertz") is not None:
        stiffen(store, data, given["hertz"], given["damping_ratio"])
    return 0


cdef int stiffen(BodyStore store, JointData* data, double hertz, double ratio) except -1:
    """Stiffness and damping of a spring from its frequency with the masses of its bodies."""
    cdef Frame a = frame_of(store.places, store.bodies, data.head.a)
    cdef Frame b = frame_of(store.places, store.bodies, data.head.b)
    cdef JointRow[MOST_ROWS] rows
    cdef double w = 2.0 * M_PI * hertz, one
    cdef double[2] response
    cdef int[2] count
    cdef int n, i, turns
    response[0] = response[1] = 0.0
    count[0] = count[1] = 0
    data.head.stiffness = data.head.turn_stiffness = 1.0
    n = class_of(data.head.kind).rows(data, &a, &b, rows)
    for i in range(n):
        if rows[i].kind != SOFT:
            continue
        one = 0.0
        if data.head.a >= 0:
            one += side_response(rows[i].ja, store, data.head.a)
        if data.head.b >= 0:
            one += side_response(rows[i].jb, store, data.head.b)
        turns = 1 if data.head.kind == DRAG and i >= 3 else 0
        response[turns] += one
        count[turns] += 1
    data.head.turn_stiffness = data.head.turn_damping = 0.0
    if count[0] == 0 or not response[0] > 0.0:
        raise ValueError("a spring between bodies that no force moves has no hertz; give stiffness")
    data.head.stiffness = w * w * count[0] / response[0]
    data.head.damping = 2.0 * ratio * w * count[0] / response[0]
    if response[1] > 0.0:
        data.head.turn_stiffness = w * w * count[1] / response[1]
        data.head.turn_damping = 2.0 * ratio * w * count[1] / response[1]
    return 0


cdef Vec3 read_unit(object value, str name) except *:
    """A direction; one that is of length 1 to rounding is left as it is."""
    cdef Vec3 n = read_vector(value, name)
    return n if fabs(length(n) - 1.0) < 1e-14 else read_direction(value, name)


# ---- the handle -------------------------------------------------------------------------------

cdef class Joint:
    """What two bodies have in common; the kinds are Ball, Hinge, Weld, Slider and so on.

    Made for two bodies, of which one may be None, the world, and then added by World.add_joint.
    Settings can be changed at any time; once removed, all but `removed`, `id` and `data` raise a
    ValueError.
    """

    def __cinit__(self, *args, **options):
        memset(&self.own, 0, sizeof(JointData))
        self.begin(&self.own.head, N_KINDS - 1)
        self.own.turn = quat(1.0, 0.0, 0.0, 0.0)
        self.own.axis = self.own.axis_b = vec3(0.0, 0.0, 1.0)

    def __init__(self):
        raise TypeError("joints are made by their kinds: Ball, Hinge, Weld and so on")

    def _is_body(self, body):
        return isinstance(body, Body)

    def _read_point(self, value, str name):
        """A point as a tuple of numbers."""
        return as_vector(read_place(value, name))

    cdef int stiffen_head(self, double hertz, double ratio) except -1:
        return stiffen((<JointStore> self.joints).bodies, <JointData*> self.head(), hertz, ratio)

    # -- for kinds

    def _axis(self, axis):
        """A direction of the world."""
        self.given["axis"] = as_vector(read_direction(axis, "axis"))

    def _turn(self, orientation):
        """The orientation of b that counts as none; None: what it is when the joint is added."""
        self.given["turn_given"] = orientation is not None
        if orientation is not None:
            self.own.turn = read_orientation(orientation, "orientation")

    def _get_turn(self):
        cdef JointData* at = <JointData*> self.added_head("orientation")
        return at.turn.w, at.turn.x, at.turn.y, at.turn.z

    def _set_turn(self, value):
        cdef Quat q = read_orientation(value, "orientation")
        self.added_head("orientation")
        (<JointData*> self.writable_head("orientation")).turn = q
        self._changed()

    def _travel(self):
        """How far the anchor of b is from that of a along the axis."""
        cdef JointData* at = <JointData*> self.added_head("travel")
        cdef Frame a, b
        self.frames(&a, &b)
        cdef Vec3 d = sub(add(b.x, apply(&b.r, sub(at.anchor_b, b.center))),
                          add(a.x, apply(&a.r, sub(at.anchor_a, a.center))))
        return dot(apply(&a.r, at.axis), d)

    def _frames(self):
        """Axes and turn in the frames of its bodies, for scene files."""
        cdef JointData* at = <JointData*> self.added_head("frames")
        return {"axis": as_vector(at.axis), "axis_b": as_vector(at.axis_b),
                "turn": (at.turn.w, at.turn.x, at.turn.y, at.turn.z)}

    def _put_frames(self, given):
        """Set these, as a scene file has them."""
        cdef JointData* at = <JointData*> self.added_head("frames")
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
        cdef JointData* at = <JointData*> self.added_head("rows")
        cdef Frame a, b
        cdef JointRow[MOST_ROWS] rows
        cdef int n, i
        self.frames(&a, &b)
        if poses is not None:
            a.x, a.q = read_place(poses[0], "x"), read_orientation(poses[1], "q")
            b.x, b.q = read_place(poses[2], "x"), read_orientation(poses[3], "q")
            a.r, b.r = matrix_of(a.q), matrix_of(b.q)
        n = class_of(at.head.kind).rows(at, &a, &b, rows)
        return [rows[i] for i in range(n)]

    cdef int frames(self, Frame* a, Frame* b) except -1:
        """Where its bodies are."""
        cdef const JointHead* at = self.head()
        cdef BodyStore store = (<JointStore> self.joints).bodies
        a[0] = frame_of(store.places, store.bodies, row_of(store, at.body_a))
        b[0] = frame_of(store.places, store.bodies, row_of(store, at.body_b))
        return 0

    cdef object anchor_of(self, const JointHead* head, int which):
        """In the frame of the body (m)."""
        cdef const JointData* at = <const JointData*> head
        return as_vector(at.anchor_b if which else at.anchor_a)

    cdef int put_anchor(self, JointHead* head, int which, object point) except -1:
        cdef JointData* at = <JointData*> head
        if which:
            at.anchor_b = read_vector(point, "anchor")
        else:
            at.anchor_a = read_vector(point, "anchor")
        return 0

    cdef object point_of(self, const JointHead* head, int which):
        """In the world (m), now."""
        cdef const JointData* at = <const JointData*> head
        cdef Frame[2] frames
        self.frames(&frames[0], &frames[1])
        cdef Frame* f = &frames[which]
        cdef Vec3 arm = sub(at.anchor_b if which else at.anchor_a, f.center)
        return as_vector(add(f.x, apply(&f.r, arm)))

    cdef double measure(self, const JointHead* at) except? -1.0:
        """Length (m) or angle (rad) now."""
        cdef Frame a, b
        self.frames(&a, &b)
        return class_of(at.kind).measure(<const JointData*> at, &a, &b)

    cdef object force_of(self, const JointHead* head, double span):
        """N, on body_b."""
        cdef Vec3 sum = (<const JointData*> head).force
        return as_vector(scaled(1.0 / span, sum) if span > 0.0 else vec3(0.0, 0.0, 0.0))

    cdef object torque_of(self, const JointHead* head, double span):
        """N m, on body_b about its anchor."""
        cdef Vec3 sum = (<const JointData*> head).torque
        return as_vector(scaled(1.0 / span, sum) if span > 0.0 else vec3(0.0, 0.0, 0.0))
