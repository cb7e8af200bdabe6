"""Two bodies share a point and may turn about it."""

from libc.math cimport INFINITY

from engine2d.joint.joint cimport (
    PIN, RIGID, Frame, JointClass, JointData, JointRow, enter_kind)
from engine2d.joint.part cimport Ends, angle_row, ends_of, extra_rows, point_rows

from engine2d.joint.joint import Joint
from enginecore.joint_setting import Driven, Limited, Rubbing, Sprung, Turning


cdef int pin_rows(const JointData* joint, const Frame* a, const Frame* b,
                  JointRow* rows) noexcept nogil:
    cdef Ends at = ends_of(joint, a, b)
    cdef JointRow turn
    point_rows(&at, rows)
    angle_row(a, b, RIGID, &turn)
    turn.C -= joint.head.reference
    return 2 + extra_rows(joint, &turn, &rows[2])


cdef double pin_measure(const JointData* joint, const Frame* a, const Frame* b) noexcept nogil:
    return b.angle - a.angle


enter_kind(PIN, JointClass(pin_rows, pin_measure, NULL))


class Pin(Limited, Driven, Sprung, Rubbing, Turning, Joint):
    """A hinge: two bodies share a point and may turn about it.

    anchor: the point, in the world (m), or local_anchors: one point in each body's frame. low and
    high limit the angle of body_b against body_a (rad), which is 0 when the joint is added unless
    reference says otherwise; a motor turns at rate (rad/s) with at most max_torque (N m); a spring
    has stiffness (N m/rad) and damping (N m s/rad), or hertz and damping_ratio; friction is a
    torque (N m).
    """

    __slots__ = ()

    def __init__(self, body_a, body_b, anchor=None, *, local_anchors=None, low=None, high=None,
                 rate=0.0, max_torque=0.0, stiffness=None, damping=None, hertz=None,
                 damping_ratio=None, friction=0.0, reference=None, break_force=INFINITY,
                 break_torque=INFINITY, collide_connected=False):
        self._start(PIN, body_a, body_b, break_force, break_torque, collide_connected)
        self._anchor(anchor, local_anchors)
        self._set_limits(low, high)
        self.rate, self.max_torque, self.friction = rate, max_torque, friction
        self._spring(stiffness, damping, hertz, damping_ratio)
        self._reference(reference)
