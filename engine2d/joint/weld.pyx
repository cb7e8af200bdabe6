"""Two bodies are one."""

from libc.math cimport INFINITY

from engine2d.joint.joint cimport (
    RIGID, WELD, Frame, JointClass, JointData, JointRow, enter_kind)
from engine2d.joint.part cimport Ends, angle_row, ends_of, point_rows

from engine2d.joint.joint import Joint
from enginecore.joint_setting import Turning


cdef int weld_rows(const JointData* joint, const Frame* a, const Frame* b,
                   JointRow* rows) noexcept nogil:
    cdef Ends at = ends_of(joint, a, b)
    point_rows(&at, rows)
    angle_row(a, b, RIGID, &rows[2])
    rows[2].C -= joint.head.reference
    return 3


cdef double weld_measure(const JointData* joint, const Frame* a, const Frame* b) noexcept nogil:
    return b.angle - a.angle


enter_kind(WELD, JointClass(weld_rows, weld_measure, NULL))


class Weld(Turning, Joint):
    """Two bodies move as one, until break_force (N) or break_torque (N m) is passed.

    anchor: where they meet, in the world (m), or local_anchors: one point in each body's frame;
    force and torque are told there.
    """

    __slots__ = ()

    def __init__(self, body_a, body_b, anchor=None, *, local_anchors=None, reference=None,
                 break_force=INFINITY, break_torque=INFINITY, collide_connected=False):
        self._start(WELD, body_a, body_b, break_force, break_torque, collide_connected)
        self._anchor(anchor, local_anchors)
        self._reference(reference)
