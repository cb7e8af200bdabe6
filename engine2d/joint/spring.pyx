"""A spring between two anchors."""

from libc.math cimport INFINITY

from engine2d.joint.joint cimport (
    SOFT, SPRING, Frame, JointClass, JointData, JointRow, enter_kind)
from engine2d.joint.part cimport Ends, distance_of, ends_of, line_rows

from engine2d.joint.joint import Joint
from enginecore.joint_setting import Long, Sprung


cdef int spring_rows(const JointData* joint, const Frame* a, const Frame* b,
                     JointRow* rows) noexcept nogil:
    cdef Ends at = ends_of(joint, a, b)
    line_rows(&at, SOFT, rows)
    rows[0].C -= joint.head.reference
    rows[0].stiffness, rows[0].damping = joint.head.stiffness, joint.head.damping
    return 2


enter_kind(SPRING, JointClass(spring_rows, distance_of, NULL))


class Spring(Long, Sprung, Joint):
    """A spring and a damper between two anchors.

    anchor_a, anchor_b: points of the world (m), or local_anchors: one in each body's frame; length
    (m) at ease is what it is when the joint is added unless given; stiffness (N/m) and damping
    (N s/m), or hertz and damping_ratio with the masses that the bodies have then.
    """

    __slots__ = ()
    _least_length = 0.0

    def __init__(self, body_a, body_b, anchor_a=None, anchor_b=None, *, local_anchors=None,
                 length=None, stiffness=None, damping=None, hertz=None, damping_ratio=None,
                 break_force=INFINITY, break_torque=INFINITY,
                 collide_connected=False):
        self._between(SPRING, (body_a, body_b), (anchor_a, anchor_b), local_anchors, length,
                      (break_force, break_torque), collide_connected)
        self._spring(stiffness, damping, hertz, damping_ratio)
