"""Two bodies turn in a ratio."""

from libc.math cimport INFINITY

from engine2d.joint.joint cimport (
    GEAR, RIGID, Frame, JointClass, JointData, JointRow, enter_kind)
from engine2d.joint.part cimport clear_row

from engine2d.joint.joint import Joint
from enginecore.joint_setting import setting


cdef int gear_rows(const JointData* joint, const Frame* a, const Frame* b,
                   JointRow* rows) noexcept nogil:
    clear_row(&rows[0], RIGID)
    rows[0].ja[2], rows[0].jb[2] = -1.0, joint.head.ratio
    rows[0].C = joint.head.ratio * b.angle - a.angle - joint.head.reference
    return 1


cdef double gear_measure(const JointData* joint, const Frame* a,
                         const Frame* b) noexcept nogil:
    return joint.head.ratio * b.angle - a.angle


enter_kind(GEAR, JointClass(gear_rows, gear_measure, NULL))


class Gear(Joint):
    """Two bodies turn in a ratio: body_a turns ratio times as far as body_b; < 0: the other way.

    phase (rad): ratio times the angle of body_b minus that of body_a, what it is when the joint is
    added unless given. Turns count: angles are not wrapped.
    """

    __slots__ = ()

    def __init__(self, body_a, body_b, ratio, *, phase=None,
                 break_force=INFINITY, break_torque=INFINITY, collide_connected=False):
        self._start(GEAR, body_a, body_b, break_force, break_torque, collide_connected)
        self.ratio = ratio
        self._reference(phase, "phase")

    @property
    def ratio(self):
        """How many times as far as body_b body_a turns."""
        return self._get("ratio")

    @ratio.setter
    def ratio(self, value):
        self._set("ratio", "ratio", value)
        if self.added_to_world:
            # from where they are now
            self._set("reference", "phase", self._measure())

    phase = setting("reference", "phase",
                    "Ratio times the angle of body_b minus that of body_a, as it is held (rad).")
