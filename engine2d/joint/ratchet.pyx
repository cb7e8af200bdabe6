"""One body turns against another one way only, from tooth to tooth."""

from libc.math cimport INFINITY, floor

from engine2d.joint.joint cimport (
    RATCHET, STOP, Frame, JointClass, JointData, JointRow, enter_kind)
from engine2d.joint.part cimport angle_row, reverse_row

from engine2d.joint.joint import Joint
from enginecore.joint_setting import Turning


cdef int ratchet_rows(const JointData* joint, const Frame* a, const Frame* b,
                      JointRow* rows) noexcept nogil:
    angle_row(a, b, STOP, &rows[0])
    rows[0].C -= joint.head.reference + joint.head.held
    if joint.head.ratio < 0.0:
        reverse_row(&rows[0])
    return 1


cdef double ratchet_measure(const JointData* joint, const Frame* a,
                            const Frame* b) noexcept nogil:
    return b.angle - a.angle


cdef void ratchet_finish(JointData* joint, const Frame* a, const Frame* b) noexcept nogil:
    """Let the pawl drop behind the last tooth passed."""
    cdef double ratio = joint.head.ratio
    cdef double passed = floor((b.angle - a.angle - joint.head.reference) / ratio) * ratio
    if (passed - joint.head.held) * joint.head.ratio > 0.0:
        joint.head.held = passed


enter_kind(RATCHET, JointClass(ratchet_rows, ratchet_measure, ratchet_finish))


class Ratchet(Turning, Joint):
    """body_b turns against body_a one way only, from tooth to tooth.

    tooth (rad): from one tooth to the next; > 0: anticlockwise is free, < 0: clockwise is. The
    pawl drops behind a tooth when a step is done. reference (rad): the angle of a tooth, that of
    body_b against body_a when the joint is added unless given.
    """

    __slots__ = ()

    def __init__(self, body_a, body_b, tooth, *, reference=None,
                 break_force=INFINITY, break_torque=INFINITY, collide_connected=False):
        self._start(RATCHET, body_a, body_b, break_force, break_torque, collide_connected)
        self.tooth = tooth
        self._reference(reference)

    @property
    def tooth(self):
        """From one tooth to the next (rad), in the direction that is free."""
        return self._get("ratio")

    @tooth.setter
    def tooth(self, value):
        self._set("ratio", "tooth", value)

    @property
    def held(self):
        """The tooth that it has passed last (rad, from the reference)."""
        return self._get("held")
