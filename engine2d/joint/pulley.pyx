"""A rope over two fixed points: what one body loses in length, the other gains."""

from libc.math cimport INFINITY

from engine2d.joint.joint cimport (
    ACROSS, PULLEY, RIGID, SLACK, STOP, Frame, JointClass, JointData, JointRow, enter_kind)
from engine2d.joint.part cimport NO_LENGTH, Ends, clear_row, ends_of
from engine2d.vec2 cimport Vec2, add, cross, dot, scaled, sub, vec2
from engine2d.vec2 cimport length as length_of

from engine2d.joint.joint import Joint

cdef double LEAST_RATIO = 1e-12   # smaller ones are none


cdef double hang(const Frame* body, Vec2 arm, Vec2 ground, double share, double* j, double* h,
                 double* across, JointRow* side) noexcept nogil:
    """One side of the rope: its length; the rates of the body's part of C, and the way across."""
    cdef Vec2 way = sub(add(body.x, arm), ground), e, n
    cdef double long = length_of(way)
    e = scaled(1.0 / long, way) if long > NO_LENGTH else vec2(0.0, -1.0)
    n = vec2(-e.y, e.x)
    j[0], j[1], j[2] = -share * e.x, -share * e.y, -share * cross(arm, e)
    h[0] = share * dot(e, arm)
    across[0], across[1], across[2] = n.x, n.y, cross(arm, n)
    side.ha = -share / long if long > NO_LENGTH else 0.0
    return long


cdef int pulley_rows(const JointData* joint, const Frame* a, const Frame* b,
                     JointRow* rows) noexcept nogil:
    cdef Ends at = ends_of(joint, a, b)
    cdef double g = joint.head.ratio, long
    clear_row(&rows[0], STOP if joint.head.flags & SLACK else RIGID)
    clear_row(&rows[1], ACROSS)
    clear_row(&rows[2], ACROSS)
    long = hang(a, at.da, joint.ground_a, 1.0, rows[0].ja, &rows[0].ha, rows[1].ja, &rows[1])
    long += g * hang(b, at.db, joint.ground_b, g, rows[0].jb, &rows[0].hb, rows[2].jb, &rows[2])
    rows[0].C = joint.head.reference - long
    return 3


cdef double pulley_measure(const JointData* joint, const Frame* a, const Frame* b) noexcept nogil:
    cdef Ends at = ends_of(joint, a, b)
    return (length_of(sub(add(a.x, at.da), joint.ground_a))
            + joint.head.ratio * length_of(sub(add(b.x, at.db), joint.ground_b)))


enter_kind(PULLEY, JointClass(pulley_rows, pulley_measure, NULL))


class Pulley(Joint):
    """A rope from body_a up over two fixed points and down to body_b.

    anchor_a, anchor_b: points of the world on the bodies (m), or local_anchors: one in each body's
    frame; ground_a, ground_b: where the rope turns, in the world. The length on the side of body_a
    plus ratio times that on the side of body_b keeps its sum, or with slack=True does not pass it.
    """

    __slots__ = ()

    def __init__(self, body_a, body_b, anchor_a=None, anchor_b=None, ground_a=None, ground_b=None,
                 ratio=1.0, *, local_anchors=None, length=None, slack=False, break_force=INFINITY,
                 break_torque=INFINITY, collide_connected=False):
        self._start(PULLEY, body_a, body_b, break_force, break_torque, collide_connected)
        self._anchors(anchor_a, anchor_b, local_anchors)
        self.ground_a, self.ground_b = ground_a, ground_b
        self._set("ratio", "ratio", ratio, LEAST_RATIO)
        self._flag(SLACK, slack)
        self._reference(length, "length")

    @property
    def ground_a(self):
        """Where the rope of body_a turns (m, in the world)."""
        return self._get_point(0)

    @ground_a.setter
    def ground_a(self, value):
        self._set_point(0, "ground_a", value)

    @property
    def ground_b(self):
        """Where the rope of body_b turns (m, in the world)."""
        return self._get_point(1)

    @ground_b.setter
    def ground_b(self, value):
        self._set_point(1, "ground_b", value)

    @property
    def ratio(self):
        """How much of the length on the side of body_b counts."""
        return self._get("ratio")

    @property
    def length(self):
        """The length of side a plus ratio times that of side b (m), as it is held."""
        return self._get("reference")

    @length.setter
    def length(self, value):
        self._set("reference", "length", value, 0.0)

    @property
    def slack(self):
        """Whether the rope may go slack."""
        return self._get_flag(SLACK)

    @slack.setter
    def slack(self, value):
        self._set_flag(SLACK, value, "slack")
