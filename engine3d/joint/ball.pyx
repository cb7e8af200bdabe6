"""Two bodies share a point and may turn about it in any way."""

from libc.math cimport INFINITY

from engine3d.joint.joint cimport BALL, DRIVE, Frame, JointClass, JointData, JointRow, enter_kind
from engine3d.joint.part cimport Ends, ends_of, point_rows, turn_rows
from engine3d.vec3 cimport length

from engine3d.joint.joint import Joint
from enginecore.joint_setting import Rubbing


cdef int ball_rows(const JointData* joint, const Frame* a, const Frame* b,
                   JointRow* rows) noexcept nogil:
    cdef Ends at = ends_of(joint, a, b)
    cdef int k
    point_rows(&at, rows)
    if joint.head.friction <= 0.0:
        return 3
    turn_rows(joint, a, b, DRIVE, &rows[3])
    for k in range(3, 6):
        rows[k].most = joint.head.friction
        # turning about the axes of a, however far b is turned
        rows[k].ja[3], rows[k].ja[4] = -(&a.r.x.x)[k - 3], -(&a.r.y.x)[k - 3]
        rows[k].ja[5] = -(&a.r.z.x)[k - 3]
        rows[k].jb[3], rows[k].jb[4], rows[k].jb[5] = -rows[k].ja[3], -rows[k].ja[4], -rows[k].ja[5]
    return 6


cdef double ball_measure(const JointData* joint, const Frame* a, const Frame* b) noexcept nogil:
    cdef Ends at = ends_of(joint, a, b)
    return length(at.d)


enter_kind(BALL, JointClass(ball_rows, ball_measure))


class Ball(Rubbing, Joint):
    """A ball and socket: two bodies share a point and may turn about it in any way.

    anchor: the point, in the world (m), or local_anchors: one point in each body's frame; friction
    is a torque (N m) about each axis of body_a.
    """

    __slots__ = ()

    def __init__(self, body_a, body_b, anchor=None, *, local_anchors=None, friction=0.0,
                 break_force=INFINITY, break_torque=INFINITY, collide_connected=False):
        self._start(BALL, body_a, body_b, break_force, break_torque, collide_connected)
        self._anchor(anchor, local_anchors)
        self._reference(0.0)
        self.friction = friction
