"""A body is pulled to a target, and turned to an orientation, by springs of limited force."""

from libc.math cimport INFINITY, atan2, fabs

from engine3d.joint.joint cimport (
    DRAG, SOFT, TURNS, Frame, JointClass, JointData, JointRow, enter_kind)
from engine3d.joint.part cimport Ends, ends_of, point_rows, put, turn_of, turn_rows
from engine3d.quat cimport Quat
from engine3d.vec3 cimport Vec3, length, negated, vec3

from engine3d.joint.joint import Joint
from enginecore.joint_setting import Sprung, setting


cdef void follow_turn(const JointData* joint, const Frame* a, const Frame* b,
                      JointRow* rows) noexcept nogil:
    """C is the whole turn (rad) that is left, and the torque is along it: also after half a turn,
    where the rows of a weld have no slope."""
    cdef Quat q = turn_of(joint, a, b)
    cdef Vec3 v = vec3(q.x, q.y, q.z), g
    cdef double size = length(v), turn = 2.0 * atan2(size, fabs(q.w))
    cdef int k
    if q.w < 0.0:
        size = -size
    for k in range(3):
        rows[k].C = turn * (&v.x)[k] / size if size != 0.0 else 0.0
        g = vec3((&a.r.x.x)[k], (&a.r.y.x)[k], (&a.r.z.x)[k])
        put(rows[k].ja, vec3(0.0, 0.0, 0.0), negated(g))
        put(rows[k].jb, vec3(0.0, 0.0, 0.0), g)


cdef int drag_rows(const JointData* joint, const Frame* a, const Frame* b,
                   JointRow* rows) noexcept nogil:
    cdef Ends at = ends_of(joint, a, b)
    cdef int k, n = 3
    point_rows(&at, rows)
    if joint.head.flags & TURNS:
        turn_rows(joint, a, b, SOFT, &rows[3])
        follow_turn(joint, a, b, &rows[3])
        n = 6
    for k in range(n):
        rows[k].kind = SOFT
        rows[k].stiffness = joint.head.stiffness if k < 3 else joint.head.turn_stiffness
        rows[k].damping = joint.head.damping if k < 3 else joint.head.turn_damping
        rows[k].most = joint.head.most if k < 3 else joint.head.most_torque
    return n


cdef double drag_measure(const JointData* joint, const Frame* a, const Frame* b) noexcept nogil:
    cdef Ends at = ends_of(joint, a, b)
    return length(at.d)


enter_kind(DRAG, JointClass(drag_rows, drag_measure))


class Drag(Sprung, Joint):
    """Pull a point of a body to a target with at most max_force (N), as a mouse does; with an
    orientation, turn it there, too, with at most max_torque (N m): six degrees of freedom.

    anchor: the point of the body, target: where it is pulled to, both in the world (m); move the
    target and the orientation at any time. The spring has stiffness (N/m) and damping (N s/m), or
    hertz and damping_ratio with the mass that the body has when it is added; turn_stiffness
    (N m/rad) and turn_damping (N m s/rad) likewise.
    """

    __slots__ = ()

    def __init__(self, body, anchor, target=None, *, orientation=None, max_force=INFINITY,
                 max_torque=INFINITY, stiffness=None, damping=None, turn_stiffness=0.0,
                 turn_damping=0.0, hertz=None, damping_ratio=None, break_force=INFINITY,
                 break_torque=INFINITY):
        if stiffness is None and damping is None and hertz is None and damping_ratio is None:
            hertz, damping_ratio = 5.0, 1.0
        self._start(DRAG, None, body, break_force, break_torque, True)
        self._anchors(anchor if target is None else target, anchor, None, "target", "anchor")
        self._turn(orientation)
        self._flag(TURNS, orientation is not None)
        self.max_force, self.max_torque = max_force, max_torque
        self.turn_stiffness, self.turn_damping = turn_stiffness, turn_damping
        self._spring(stiffness, damping, hertz, damping_ratio)
        self._reference(0.0)

    @property
    def target(self):
        """Where the point is pulled to (m, in the world)."""
        return self.anchor_a

    @target.setter
    def target(self, value):
        self.anchor_a = value

    @property
    def orientation(self):
        """What the body is turned to (w, x, y, z); None: it may turn."""
        return self._get_turn() if self._get_flag(TURNS) else None

    @orientation.setter
    def orientation(self, value):
        if value is not None:
            self._set_turn(value)
        self._set_flag(TURNS, value is not None, "orientation")

    max_force = setting("most", "max_force", "The most that it pulls with (N).")
    max_torque = setting("most_torque", "max_torque", "The most that it turns with (N m).")
    turn_stiffness = setting("turn_stiffness", "turn_stiffness", "Of turning (N m/rad).")
    turn_damping = setting("turn_damping", "turn_damping", "Of turning (N m s/rad).")
