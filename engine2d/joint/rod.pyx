"""Two anchors keep their distance."""

from libc.math cimport INFINITY

from engine2d.joint.joint cimport (
    RIGID, ROD, Frame, JointClass, JointData, JointRow, enter_kind)
from engine2d.joint.part cimport Ends, distance_of, ends_of, line_rows

from engine2d.joint.joint import Joint
from enginecore.joint_setting import Long


cdef int rod_rows(const JointData* joint, const Frame* a, const Frame* b,
                  JointRow* rows) noexcept nogil:
    cdef Ends at = ends_of(joint, a, b)
    line_rows(&at, RIGID, rows)
    rows[0].C -= joint.head.reference
    return 2


enter_kind(ROD, JointClass(rod_rows, distance_of, NULL))


class Rod(Long, Joint):
    """Two anchors keep their distance: a light rod.

    anchor_a, anchor_b: points of the world (m), or local_anchors: one in each body's frame; length
    (m) is what it is when the joint is added unless given.
    """

    __slots__ = ()

    def __init__(self, body_a, body_b, anchor_a=None, anchor_b=None, *, local_anchors=None,
                 length=None, break_force=INFINITY, break_torque=INFINITY,
                 collide_connected=False):
        self._between(ROD, (body_a, body_b), (anchor_a, anchor_b), local_anchors, length,
                      (break_force, break_torque), collide_connected)
