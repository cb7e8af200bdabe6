"""A point of a body is pulled to a target by a spring of limited force: the mouse."""

from libc.math cimport INFINITY

from engine2d.joint.joint cimport (
    DRAG, SOFT, Frame, JointClass, JointData, JointRow, enter_kind)
from engine2d.joint.part cimport Ends, ends_of, point_rows
from engine2d.vec2 cimport length

from engine2d.joint.joint import Joint
from enginecore.joint_setting import Sprung, setting


cdef int drag_rows(const JointData* joint, const Frame* a, const Frame* b,
                   JointRow* rows) noexcept nogil:
    cdef Ends at = ends_of(joint, a, b)
    cdef int k
    point_rows(&at, rows)
    for k in range(2):
        rows[k].kind = SOFT
        rows[k].stiffness, rows[k].damping = joint.head.stiffness, joint.head.damping
        rows[k].most = joint.head.most
    return 2


cdef double drag_measure(const JointData* joint, const Frame* a, const Frame* b) noexcept nogil:
    cdef Ends at = ends_of(joint, a, b)
    return length(at.d)


enter_kind(DRAG, JointClass(drag_rows, drag_measure, NULL))


class Drag(Sprung, Joint):
    """Pull a point of a body to a target, as a mouse does, with at most max_force (N).

    anchor: the point of the body, target: where it is pulled to, both in the world (m); move the
    target at any time. The spring has stiffness (N/m) and damping (N s/m), or hertz and
    damping_ratio with the mass that the body has when it is added.
    """

    __slots__ = ()

    def __init__(self, body, anchor, target=None, *, max_force=INFINITY, stiffness=None,
                 damping=None, hertz=None, damping_ratio=None, break_force=INFINITY,
                 break_torque=INFINITY):
        if stiffness is None and damping is None and hertz is None and damping_ratio is None:
            hertz, damping_ratio = 5.0, 1.0
        self._start(DRAG, None, body, break_force, break_torque, True)
        self._anchors(anchor if target is None else target, anchor, None, "target", "anchor")
        self.max_force = max_force
        self._spring(stiffness, damping, hertz, damping_ratio)
        self._reference(0.0)

    @property
    def target(self):
        """Where the point is pulled to (m, in the world)."""
        return self.anchor_a

    @target.setter
    def target(self, value):
        self.anchor_a = value

    max_force = setting("most", "max_force", "The most that it pulls with (N).")
