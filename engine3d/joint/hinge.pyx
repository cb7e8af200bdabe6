"""Two bodies share a point and an axis, and turn about it."""

from libc.math cimport INFINITY

from engine3d.joint.joint cimport HINGE, RIGID, Frame, JointClass, JointData, JointRow, enter_kind
from engine3d.joint.part cimport (
    Ends, ends_of, extra_rows, point_rows, tilt_rows, twist_row)

from engine3d.joint.joint import Joint
from enginecore.joint_setting import Driven, Limited, Rubbing, Sprung, Turning


cdef int hinge_rows(const JointData* joint, const Frame* a, const Frame* b,
                    JointRow* rows) noexcept nogil:
    cdef Ends at = ends_of(joint, a, b)
    cdef JointRow turn
    point_rows(&at, rows)
    tilt_rows(joint, a, b, &rows[3])
    twist_row(joint, a, b, RIGID, &turn)
    turn.C -= joint.head.reference
    return 5 + extra_rows(joint, &turn, &rows[5])


cdef double hinge_measure(const JointData* joint, const Frame* a, const Frame* b) noexcept nogil:
    cdef JointRow turn
    return twist_row(joint, a, b, RIGID, &turn)


enter_kind(HINGE, JointClass(hinge_rows, hinge_measure))


class Hinge(Limited, Driven, Sprung, Rubbing, Turning, Joint):
    """A hinge: two bodies share a point and an axis, and turn about it.

    anchor: the point, in the world (m), or local_anchors: one point in each body's frame; axis: a
    direction of the world. low and high limit the angle of body_b against body_a (rad,
    right-handed about the axis), which is 0 when the joint is added unless reference says
    otherwise; a motor turns at rate (rad/s) with at most max_torque (N m); a spring has stiffness
    (N m/rad) and damping (N m s/rad), or hertz and damping_ratio; friction is a torque (N m).
    """

    __slots__ = ()

    def __init__(self, body_a, body_b, anchor=None, axis=(0.0, 0.0, 1.0), *, local_anchors=None,
                 low=None, high=None, rate=0.0, max_torque=0.0, stiffness=None, damping=None,
                 hertz=None, damping_ratio=None, friction=0.0, reference=None,
                 break_force=INFINITY, break_torque=INFINITY, collide_connected=False):
        self._start(HINGE, body_a, body_b, break_force, break_torque, collide_connected)
        self._anchor(anchor, local_anchors)
        self._axis(axis)
        self._set_limits(low, high)
        self.rate, self.max_torque, self.friction = rate, max_torque, friction
        self._spring(stiffness, damping, hertz, damping_ratio)
        self._reference(reference)
