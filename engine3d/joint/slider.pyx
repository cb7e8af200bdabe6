"""A point of one body moves along an axis of another, with or without turning about it."""

from libc.math cimport INFINITY

from engine3d.joint.joint cimport (
    FREE_TURN, RIGID, SLIDER, Frame, JointClass, JointData, JointRow, enter_kind)
from engine3d.joint.part cimport Ends, axis_row, ends_of, extra_rows, tilt_rows, turn_rows
from engine3d.vec3 cimport Vec3, across, apply, cross, dot

from engine3d.joint.joint import Joint
from enginecore.joint_setting import DrivenAlong, Limited, Rubbing, Sprung


cdef int slider_rows(const JointData* joint, const Frame* a, const Frame* b,
                     JointRow* rows) noexcept nogil:
    cdef Ends at = ends_of(joint, a, b)
    cdef Vec3 t = apply(&a.r, joint.axis), n = apply(&a.r, across(joint.axis))
    cdef JointRow along
    cdef int k = 2
    axis_row(&at, n, RIGID, &rows[0])
    axis_row(&at, cross(t, n), RIGID, &rows[1])
    if joint.head.flags & FREE_TURN:
        tilt_rows(joint, a, b, &rows[2])
        k = 4
    else:
        turn_rows(joint, a, b, RIGID, &rows[2])
        k = 5
    axis_row(&at, t, RIGID, &along)
    return k + extra_rows(joint, &along, &rows[k])


cdef double slider_measure(const JointData* joint, const Frame* a, const Frame* b) noexcept nogil:
    cdef Ends at = ends_of(joint, a, b)
    return dot(apply(&a.r, joint.axis), at.d)


enter_kind(SLIDER, JointClass(slider_rows, slider_measure))


class Slider(Limited, DrivenAlong, Sprung, Rubbing, Joint):
    """A point of body_b moves along an axis of body_a; it may turn about it with free_rotation.

    anchor: the point, in the world (m), or local_anchors: one point in each body's frame; axis: a
    direction of the world. low and high limit the way along it (m, 0 when the joint is added); a
    motor moves at rate (m/s) with at most max_force (N); a spring pulls to the way 0, with
    stiffness (N/m) and damping (N s/m), or hertz and damping_ratio; friction is a force (N).
    """

    __slots__ = ()

    def __init__(self, body_a, body_b, anchor=None, axis=(1.0, 0.0, 0.0), *, local_anchors=None,
                 free_rotation=False, low=None, high=None, rate=0.0, max_force=0.0,
                 stiffness=None, damping=None, hertz=None, damping_ratio=None, friction=0.0,
                 break_force=INFINITY, break_torque=INFINITY, collide_connected=False):
        self._start(SLIDER, body_a, body_b, break_force, break_torque, collide_connected)
        self._anchor(anchor, local_anchors)
        self._axis(axis)
        self._flag(FREE_TURN, free_rotation)
        self._set_limits(low, high)
        self.rate, self.max_force, self.friction = rate, max_force, friction
        self._spring(stiffness, damping, hertz, damping_ratio)
        self._reference(0.0)

    @property
    def free_rotation(self):
        """Whether body_b may turn about the axis."""
        return self._get_flag(FREE_TURN)

    @free_rotation.setter
    def free_rotation(self, value):
        self._set_flag(FREE_TURN, value, "free_rotation")

    @property
    def travel(self):
        """How far body_b has come along the axis (m)."""
        return self._travel()
