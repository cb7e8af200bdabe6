"""The angle of one body against another stays within limits."""

from libc.math cimport INFINITY

from engine2d.joint.joint cimport (
    ANGLE_LIMIT, RIGID, Frame, JointClass, JointData, JointRow, enter_kind)
from engine2d.joint.part cimport angle_row, stop_rows

from engine2d.joint.joint import Joint
from enginecore.joint_setting import Limited, Turning


cdef int angle_limit_rows(const JointData* joint, const Frame* a, const Frame* b,
                          JointRow* rows) noexcept nogil:
    cdef JointRow turn
    angle_row(a, b, RIGID, &turn)
    turn.C -= joint.head.reference
    return stop_rows(joint, &turn, rows)


cdef double angle_limit_measure(const JointData* joint, const Frame* a,
                                const Frame* b) noexcept nogil:
    return b.angle - a.angle


enter_kind(ANGLE_LIMIT, JointClass(angle_limit_rows, angle_limit_measure, NULL))


class AngleLimit(Limited, Turning, Joint):
    """The angle of body_b against body_a stays within low and high (rad); None: no limit.

    reference (rad): the angle that counts as zero, what it is when the joint is added unless given.
    """

    __slots__ = ()

    def __init__(self, body_a, body_b, low, high, *, reference=None,
                 break_force=INFINITY, break_torque=INFINITY, collide_connected=False):
        self._start(ANGLE_LIMIT, body_a, body_b, break_force, break_torque, collide_connected)
        self._set_limits(low, high)
        self._reference(reference)
