"""A motor turns one body against another."""

from libc.math cimport INFINITY

from engine2d.joint.joint cimport (
    DRIVE, MOTOR, Frame, JointClass, JointData, JointRow, enter_kind)
from engine2d.joint.part cimport angle_row

from engine2d.joint.joint import Joint
from enginecore.joint_setting import Driven


cdef int motor_rows(const JointData* joint, const Frame* a, const Frame* b,
                    JointRow* rows) noexcept nogil:
    angle_row(a, b, DRIVE, &rows[0])
    rows[0].rate, rows[0].most = joint.head.rate, joint.head.most
    return 1


cdef double motor_measure(const JointData* joint, const Frame* a,
                          const Frame* b) noexcept nogil:
    return b.angle - a.angle


enter_kind(MOTOR, JointClass(motor_rows, motor_measure, NULL))


class Motor(Driven, Joint):
    """A motor turns body_b against body_a at rate (rad/s) with at most max_torque (N m).
    """

    __slots__ = ()

    def __init__(self, body_a, body_b, rate, *, max_torque=INFINITY,
                 break_force=INFINITY, break_torque=INFINITY, collide_connected=False):
        self._start(MOTOR, body_a, body_b, break_force, break_torque, collide_connected)
        self.rate, self.max_torque = rate, max_torque
        self._reference(None)
