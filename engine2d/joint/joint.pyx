"""The joints of a world, and the handle users hold; joint.pxd has the table of kinds.

A joint is made first (Pin(a, b, anchor)) and then added (World.add_joint): until then the handle
holds its numbers itself. Anchors, lengths and angles are read when it is added.
"""

import numpy as np

from libc.math cimport M_PI, fabs, floor, sqrt
from libc.string cimport memset

from enginecore.joint cimport row_of
from enginecore.joint_head cimport JointHead
from engine2d.arguments cimport read_angle, read_place, read_vector
from engine2d.pose cimport rotate, unrotate
from engine2d.solve.row cimport INSIDE
from engine2d.vec2 cimport add, length, scaled, sub, vec2
from engine2d.vector cimport as_vector

from engine2d.body import Body

cdef JointClass[N_KINDS] KINDS
memset(KINDS, 0, sizeof(KINDS))

cdef enum:
    FEW_BLOCKS = 4   # of L a joint: fewer, and a factor costs about as much as a solve

# m: shorter rods and ropes have no direction.
cdef double LEAST_LENGTH = 1e-6
# Shorter vectors are no axes.
cdef double LEAST_AXIS = 1e-100
# Vectors whose length is 1 but for this are unit vectors that were rounded.
cdef double UNIT_ENOUGH = 4e-15

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
        out.x = out.center = vec2(0.0, 0.0)
        out.q = vec2(1.0, 0.0)
        out.angle = 0.0
        return out
    out.x, out.q, out.angle = places[row].x, places[row].pose.q, places[row].angle
    out.center = bodies[row].local_center
    return out


cdef double energy_of_rows(const JointData* joint, const JointRow* rows, int n) noexcept nogil:
    cdef int i
    cdef double sum = 0.0, way, k
    if joint.head.kind == DRAG:
        way, k = sqrt(rows[0].C * rows[0].C + rows[1].C * rows[1].C), rows[0].stiffness
        return (0.5 * k * way * way if k * way <= joint.head.most
                else joint.head.most * (way - 0.5 * joint.head.most / k))
    for i in range(n):
        if rows[i].kind == SOFT:
            sum += 0.5 * rows[i].stiffness * rows[i].C * rows[i].C
    return sum


cdef double energy_of(const JointData* joint, const Place* places,
                      const BodyData* bodies) noexcept nogil:
    cdef JointRow[MOST_ROWS] rows
    cdef Frame a, b
    if joint.head.stiffness <= 0.0:
        return 0.0
    a, b = frame_of(places, bodies, joint.head.a), frame_of(places, bodies, joint.head.b)
    return energy_of_rows(joint, rows, class_of(joint.head.kind).rows(joint, &a, &b, rows))


cdef double response_of(const JointRow* row, const Motion* a, const Motion* b) noexcept nogil:
    return (a.inv_m * (row.ja[0] * row.ja[0] + row.ja[1] * row.ja[1])
            + a.inv_I * row.ja[2] * row.ja[2]
            + b.inv_m * (row.jb[0] * row.jb[0] + row.jb[1] * row.jb[1])
            + b.inv_I * row.jb[2] * row.jb[2])


# ---- the store --------------------------------------------------------------------------------

cdef class JointStore(Joints):

    def __cinit__(self, BodyStore bodies not None):
        self.bodies = bodies
        self.prepare(bodies, sizeof(JointData), FEW_BLOCKS, DRAG)

    cdef void point_at_rows(self) noexcept:
        """The array is new."""
        self.joints = <JointData*> self.heads

    cdef bint is_spent(self, int32_t row) noexcept nogil:
        """Whether a joint bore more in the last step than it can."""
        cdef const JointData* joint = &self.joints[row]
        return (length(joint.force) > self.span * joint.head.break_force
                or fabs(joint.torque) > self.span * joint.head.break_torque)

    cdef void finish_step(self) noexcept nogil:
        """Let the joints take note of what they must when a step is done."""
        cdef int32_t k
        cdef JointData* joint
        cdef const JointClass* functions
        cdef Frame a, b
        for k in range(self.n):
            joint = &self.joints[k]
            functions = class_of(joint.head.kind)
            if functions.finish != NULL:
                a = frame_of(self.bodies.places, self.bodies.bodies, joint.head.a)
                b = frame_of(self.bodies.places, self.bodies.bodies, joint.head.b)
                functions.finish(joint, &a, &b)

    cdef void scale_sums(self, JointHead* head, double factor) noexcept nogil:
        """Force and torque of the last step."""
        cdef JointData* joint = <JointData*> head
        if factor == 0.0:
            joint.force, joint.torque = vec2(0.0, 0.0), 0.0
        else:
            joint.force = scaled(factor, joint.force)
            joint.torque *= factor

    cdef void add_energy(self, const JointHead* head, double* sum) noexcept nogil:
        """J, of its springs."""
        sum[0] += energy_of(<const JointData*> head, self.bodies.places, self.bodies.bodies)

    cdef int count_rows(self, const JointHead* head, int* hard) noexcept:
        """Its rows, with the bodies anywhere: their number depends on its settings alone."""
        cdef JointRow[MOST_ROWS] rows
        cdef Frame a = frame_of(NULL, NULL, -1), b = frame_of(NULL, NULL, -1)
        cdef int n, i
        b.x = vec2(1.0, 0.0)
        n = class_of(head.kind).rows(<const JointData*> head, &a, &b, rows)
        for i in range(n):
            if is_hard(&rows[i]):
                hard[0] |= 1 << i
        return n

    cdef void forget_forces(self, JointHead* head) noexcept:
        """Its rows are others."""
        cdef JointData* joint = <JointData*> head
        memset(joint.f, 0, sizeof(joint.f))
        memset(joint.mode, INSIDE, sizeof(joint.mode))

    cdef bint is_kind(self, int kind) noexcept:
        """Whether there are functions of a kind."""
        return KINDS[kind].rows != NULL

    cdef int settle_joint(self, JointHead* joint, dict given) except -1:
        """What follows from where the bodies are."""
        return settle(self.bodies, <JointData*> joint, given)


# ---- reading ----------------------------------------------------------------------------------

cdef Vec2 local_of(const Frame* frame, Vec2 point) noexcept nogil:
    """A point of the world in a body's frame."""
    return add(unrotate(frame.q, sub(point, frame.x)), frame.center)


cdef int settle(BodyStore store, JointData* data, dict given) except -1:
    """What follows from where the bodies are: anchors, axis, reference, stiffness."""
    cdef Frame a = frame_of(store.places, store.bodies, data.head.a)
    cdef Frame b = frame_of(store.places, store.bodies, data.head.b)
    cdef Vec2 point
    if "anchor_a" in given:
        point = read_vector(given["anchor_a"], "anchor")
        data.anchor_a = local_of(&a, point)
    if "anchor_b" in given:
        point = read_vector(given["anchor_b"], "anchor")
        data.anchor_b = local_of(&b, point)
    if "local_a" in given:
        data.anchor_a = read_vector(given["local_a"], "anchor")
        data.anchor_b = read_vector(given["local_b"], "anchor")
    if "axis" in given:
        data.axis = unrotate(a.q, read_vector(given["axis"], "axis"))
    if given.get("reference") is None:
        data.head.reference = class_of(data.head.kind).measure(data, &a, &b)
        if data.head.kind in (ROD, ROPE) and data.head.reference < LEAST_LENGTH:
            raise ValueError("the anchors of a rod or a rope must be apart, got "
                             f"{data.head.reference!r} m; use a Pin, or give length")
    if data.head.kind == RATCHET:
        data.head.held = data.head.ratio * floor(
            (class_of(RATCHET).measure(data, &a, &b) - data.head.reference) / data.head.ratio)
    if given.get("hertz") is not None:
        stiffen(store, data, given["hertz"], given["damping_ratio"])
    return 0


cdef int stiffen(BodyStore store, JointData* data, double hertz, double ratio) except -1:
    """Stiffness and damping of a spring from its frequency with the masses of its bodies."""
    cdef Frame a = frame_of(store.places, store.bodies, data.head.a)
    cdef Frame b = frame_of(store.places, store.bodies, data.head.b)
    cdef JointRow[MOST_ROWS] rows
    cdef Motion still
    cdef double response = 0.0, w = 2.0 * M_PI * hertz
    cdef int n, i, count = 0
    memset(&still, 0, sizeof(Motion))
    data.head.stiffness = 1.0
    n = class_of(data.head.kind).rows(data, &a, &b, rows)
    for i in range(n):
        if rows[i].kind == SOFT:
            response += response_of(
                &rows[i], &store.motions[data.head.a] if data.head.a >= 0 else &still,
                &store.motions[data.head.b] if data.head.b >= 0 else &still)
            count += 1
    if count == 0 or not response > 0.0:
        raise ValueError("a spring between bodies that no force moves has no hertz; give stiffness")
    data.head.stiffness = w * w * count / response
    data.head.damping = 2.0 * ratio * w * count / response
    return 0


# ---- the handle -------------------------------------------------------------------------------

cdef class Joint:
    """What two bodies have in common; the kinds are Pin, Weld, Slider and so on.

    Made for two bodies, of which one may be None, the world, and then added by World.add_joint.
    Settings can be changed at any time; once removed, all but `removed`, `id` and `data` raise a
    ValueError.
    """

    def __cinit__(self, *args, **options):
        memset(&self.own, 0, sizeof(JointData))
        self.begin(&self.own.head, N_KINDS - 1)

    def __init__(self):
        raise TypeError("joints are made by their kinds: Pin, Weld, Slider and so on")

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
        cdef Vec2 n = read_vector(axis, "axis")
        cdef double size = length(n)
        if not size > LEAST_AXIS:
            raise ValueError(f"axis must not be zero, got {axis!r}")
        self.given["axis"] = n.x / size, n.y / size

    def _set_point(self, int which, str name, value):
        """Change a ground point of a pulley, or the target of a drag (m, in the world)."""
        cdef Vec2 p = read_place(value, name)
        cdef JointData* at = <JointData*> self.writable_head(name)
        if which == 0:
            at.ground_a = p
        else:
            at.ground_b = p
        self._changed()

    def _get_point(self, int which):
        cdef const JointData* at = <const JointData*> self.head()
        return as_vector(at.ground_a if which == 0 else at.ground_b)

    def _travel(self):
        """How far the anchor of b is from that of a along the axis."""
        cdef JointData* at = <JointData*> self.added_head("travel")
        cdef Frame a, b
        self.frames(&a, &b)
        return class_of(WHEEL).measure(at, &a, &b)

    def _frames(self):
        """What scene files say of it besides its settings: its axis in the frame of body_a, and
        the tooth of a ratchet."""
        cdef JointData* at = <JointData*> self.added_head("frames")
        return {"axis": as_vector(at.axis), "held": at.head.held}

    def _put_frames(self, given):
        """Set these, as a scene file has them."""
        cdef JointData* at = <JointData*> self.added_head("frames")
        cdef Vec2 axis
        cdef double size
        if "axis" in given:
            axis = read_vector(given["axis"], "axis")
            size = length(axis)
            if not size > LEAST_AXIS:
                raise ValueError(f"axis must not be zero, got {given['axis']!r}")
            # What is a unit vector but for rounding stays as it is, bit for bit.
            at.axis = axis if fabs(size - 1.0) < UNIT_ENOUGH else scaled(1.0 / size, axis)
        if "held" in given:
            at.head.held = read_angle(given["held"], "held")
        self._changed()

    def _rows(self, poses=None):
        """Its rows as dicts, at the present places or at given ones (x, y, angle of a and of b),
        for tests."""
        cdef JointData* at = <JointData*> self.added_head("rows")
        cdef Frame a, b
        cdef JointRow[MOST_ROWS] rows
        cdef int n, i
        self.frames(&a, &b)
        if poses is not None:
            a.x, a.angle = vec2(poses[0], poses[1]), poses[2]
            b.x, b.angle = vec2(poses[3], poses[4]), poses[5]
            a.q = vec2(np.cos(poses[2]), np.sin(poses[2]))
            b.q = vec2(np.cos(poses[5]), np.sin(poses[5]))
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
        cdef Vec2 arm = sub(at.anchor_b if which else at.anchor_a, f.center)
        return as_vector(add(f.x, rotate(f.q, arm)))

    cdef double measure(self, const JointHead* at) except? -1.0:
        """Length (m) or angle (rad) now."""
        cdef Frame a, b
        self.frames(&a, &b)
        return class_of(at.kind).measure(<const JointData*> at, &a, &b)

    cdef object force_of(self, const JointHead* head, double span):
        """N, on body_b."""
        cdef Vec2 sum = (<const JointData*> head).force
        return as_vector(vec2(sum.x / span, sum.y / span) if span > 0.0 else vec2(0.0, 0.0))

    cdef object torque_of(self, const JointHead* head, double span):
        """N m, on body_b about its anchor."""
        return (<const JointData*> head).torque / span if span > 0.0 else 0.0
