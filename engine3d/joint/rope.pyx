"""Two anchors come no farther apart than a length."""

from libc.math cimport INFINITY

from engine3d.joint.joint cimport ROPE, STOP, Frame, JointClass, JointData, JointRow, enter_kind
from engine3d.joint.part cimport Ends, distance_of, ends_of, line_rows, reverse_row

from engine3d.joint.joint import Joint
from enginecore.joint_setting import Long


cdef int rope_rows(const JointData* joint, const Frame* a, const Frame* b,
                   JointRow* rows) noexcept nogil:
    cdef Ends at = ends_of(joint, a, b)
    line_rows(&at, STOP, rows)
    reverse_row(&rows[0])
    rows[0].C += joint.head.reference
    rows[1].bend, rows[2].bend = -rows[1].bend, -rows[2].bend
    return 3


enter_kind(ROPE, JointClass(rope_rows, distance_of))


class Rope(Long, Joint):
    """Two anchors come no farther apart than length (m): a light rope.

    anchor_a, anchor_b: points of the world (m), or local_anchors: one in each body's frame; length
    (m) is what it is when the joint is added unless given.
    """

    __slots__ = ()

    def __init__(self, body_a, body_b, anchor_a=None, anchor_b=None, *, local_anchors=None,
                 length=None, break_force=INFINITY, break_torque=INFINITY,
                 collide_connected=False):
        self._between(ROPE, (body_a, body_b), (anchor_a, anchor_b), local_anchors, length,
                      (break_force, break_torque), collide_connected)
