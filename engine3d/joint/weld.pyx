"""Two bodies are as one."""

from libc.math cimport INFINITY

from engine3d.joint.joint cimport RIGID, WELD, Frame, JointClass, JointData, JointRow, enter_kind
from engine3d.joint.part cimport Ends, ends_of, point_rows, turn_rows
from engine3d.vec3 cimport length

from engine3d.joint.joint import Joint


cdef int weld_rows(const JointData* joint, const Frame* a, const Frame* b,
                   JointRow* rows) noexcept nogil:
    cdef Ends at = ends_of(joint, a, b)
    point_rows(&at, rows)
    turn_rows(joint, a, b, RIGID, &rows[3])
    return 6


cdef double weld_measure(const JointData* joint, const Frame* a, const Frame* b) noexcept nogil:
    cdef Ends at = ends_of(joint, a, b)
    return length(at.d)


enter_kind(WELD, JointClass(weld_rows, weld_measure))


class Weld(Joint):
    """Two bodies move as one: they share a point and do not turn against each other.

    anchor: the point, in the world (m), or local_anchors: one point in each body's frame.
    """

    __slots__ = ()

    def __init__(self, body_a, body_b, anchor=None, *, local_anchors=None, break_force=INFINITY,
                 break_torque=INFINITY, collide_connected=False):
        self._start(WELD, body_a, body_b, break_force, break_torque, collide_connected)
        self._anchor(anchor, local_anchors)
        self._reference(0.0)
