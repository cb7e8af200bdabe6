"""Two anchors stay at a distance."""

from libc.math cimport INFINITY

from engine3d.joint.joint cimport ROD, RIGID, Frame, JointClass, JointData, JointRow, enter_kind
from engine3d.joint.part cimport Ends, ends_of, line_rows
from engine3d.vec3 cimport length as length_of

from engine3d.joint.joint import Joint
from enginecore.joint_setting import Long


cdef int rod_rows(const JointData* joint, const Frame* a, const Frame* b,
                  JointRow* rows) noexcept nogil:
    cdef Ends at = ends_of(joint, a, b)
    line_rows(&at, RIGID, rows)
    rows[0].C -= joint.reference
    return 3


cdef double rod_measure(const JointData* joint, const Frame* a, const Frame* b) noexcept nogil:
    cdef Ends at = ends_of(joint, a, b)
    return length_of(at.d)


enter_kind(ROD, JointClass(rod_rows, rod_measure))


class Rod(Long, Joint):
    """Two anchors stay at a distance: a light rod.

    anchor_a, anchor_b: points of the world (m), or local_anchors: one in each body's frame; length
    (m) is what it is when the joint is added unless given.
    """

    __slots__ = ()

    def __init__(self, body_a, body_b, anchor_a=None, anchor_b=None, *, local_anchors=None,
                 length=None, break_force=INFINITY, break_torque=INFINITY,
                 collide_connected=False):
        self._start(ROD, body_a, body_b, break_force, break_torque, collide_connected)
        self._anchors(anchor_a, anchor_b, local_anchors)
        self._reference(length, "length")
        if length is not None:
            self.length = length
