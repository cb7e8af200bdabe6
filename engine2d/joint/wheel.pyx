"""A wheel on a sprung axis."""

from libc.math cimport INFINITY

from engine2d.joint.joint cimport (
    RIGID, WHEEL, Frame, JointClass, JointData, JointRow, enter_kind)
from engine2d.joint.part cimport (
    Ends, angle_row, axis_row, drive_rows, ends_of, spring_row, stop_rows)
from engine2d.pose cimport rotate
from engine2d.vec2 cimport Vec2, dot, vec2

from engine2d.joint.joint import Joint
from enginecore.joint_setting import Driven, Limited, Rubbing, Sprung, setting


cdef int wheel_rows(const JointData* joint, const Frame* a, const Frame* b,
                    JointRow* rows) noexcept nogil:
    cdef Ends at = ends_of(joint, a, b)
    cdef Vec2 t = rotate(a.q, joint.axis)
    cdef JointRow along, turn
    cdef int n = 1
    axis_row(&at, vec2(-t.y, t.x), RIGID, &rows[0])
    axis_row(&at, t, RIGID, &along)
    along.C -= joint.head.reference
    n += spring_row(joint, &along, &rows[n])
    n += stop_rows(joint, &along, &rows[n])
    angle_row(a, b, RIGID, &turn)
    return n + drive_rows(joint, &turn, &rows[n])


cdef double wheel_measure(const JointData* joint, const Frame* a, const Frame* b) noexcept nogil:
    cdef Ends at = ends_of(joint, a, b)
    return dot(rotate(a.q, joint.axis), at.d)


enter_kind(WHEEL, JointClass(wheel_rows, wheel_measure, NULL))


class Wheel(Limited, Driven, Sprung, Rubbing, Joint):
    """A wheel, body_b, turns freely on a point that moves along an axis of body_a, on a spring.

    anchor: the wheel's axle, in the world (m), or local_anchors: one point in each body's frame;
    axis: the direction of the suspension, in the world. The spring has stiffness (N/m) and damping
    (N s/m), or hertz and damping_ratio, and is at ease where the joint is added; low and high limit
    its travel (m); a motor turns at rate (rad/s) with at most max_torque (N m); friction is a
    torque (N m).
    """

    __slots__ = ()

    def __init__(self, body_a, body_b, anchor=None, axis=(0.0, 1.0), *, local_anchors=None,
                 stiffness=None, damping=None, hertz=None, damping_ratio=None, low=None, high=None,
                 rate=0.0, max_torque=0.0, friction=0.0, reference=None, break_force=INFINITY,
                 break_torque=INFINITY, collide_connected=False):
        self._start(WHEEL, body_a, body_b, break_force, break_torque, collide_connected)
        self._anchor(anchor, local_anchors)
        self._axis(axis)
        self._set_limits(low, high)
        self.rate, self.max_torque, self.friction = rate, max_torque, friction
        self._spring(stiffness, damping, hertz, damping_ratio)
        self._reference(reference)

    reference = setting("reference", "reference", "The travel at which the spring is at ease (m).")

    @property
    def travel(self):
        """How far the wheel is along the axis from where the spring is at ease (m)."""
        return self._measure() - self.reference
