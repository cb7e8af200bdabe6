"""A spring between the angles of two bodies."""

from libc.math cimport INFINITY

from engine2d.joint.joint cimport (
    ROTARY_SPRING, SOFT, Frame, JointClass, JointData, JointRow, enter_kind)
from engine2d.joint.part cimport angle_row

from engine2d.joint.joint import Joint
from enginecore.joint_setting import Sprung, Turning


cdef int rotary_spring_rows(const JointData* joint, const Frame* a, const Frame* b,
                            JointRow* rows) noexcept nogil:
    angle_row(a, b, SOFT, &rows[0])
    rows[0].C -= joint.head.reference
    rows[0].stiffness, rows[0].damping = joint.head.stiffness, joint.head.damping
    return 1


cdef double rotary_spring_measure(const JointData* joint, const Frame* a,
                                  const Frame* b) noexcept nogil:
    return b.angle - a.angle


enter_kind(ROTARY_SPRING, JointClass(rotary_spring_rows, rotary_spring_measure, NULL))


class RotarySpring(Sprung, Turning, Joint):
    """A spring and a damper that pull the angle of body_b against body_a to the reference.

    stiffness (N m/rad) and damping (N m s/rad), or hertz and damping_ratio with the masses that the
    bodies have when it is added; reference (rad) is the angle then unless given.
    """

    __slots__ = ()

    def __init__(self, body_a, body_b, *, stiffness=None, damping=None, hertz=None,
                 damping_ratio=None, reference=None,
                 break_force=INFINITY, break_torque=INFINITY, collide_connected=False):
        self._start(ROTARY_SPRING, body_a, body_b, break_force, break_torque, collide_connected)
        self._spring(stiffness, damping, hertz, damping_ratio)
        self._reference(reference)
