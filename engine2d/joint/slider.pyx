"""A point of one body moves along an axis of another, with or without turning."""

from libc.math cimport INFINITY

from engine2d.joint.joint cimport (
    FREE_TURN, RIGID, SLIDER, Frame, JointClass, JointData, JointRow, enter_kind)
from engine2d.joint.part cimport Ends, angle_row, axis_row, ends_of, extra_rows
from engine2d.pose cimport rotate
from engine2d.vec2 cimport Vec2, vec2

from engine2d.joint.joint import Joint
from enginecore.joint_setting import DrivenAlong, Limited, Rubbing, Sprung, Turning


cdef int slider_rows(const JointData* joint, const Frame* a, const Frame* b,
                     JointRow* rows) noexcept nogil:
    cdef Ends at = ends_of(joint, a, b)
    cdef Vec2 t = rotate(a.q, joint.axis)
    cdef JointRow along
    cdef int n = 1
    axis_row(&at, vec2(-t.y, t.x), RIGID, &rows[0])
    if not joint.head.flags & FREE_TURN:
        angle_row(a, b, RIGID, &rows[1])
        rows[1].C -= joint.head.reference
        n = 2
    axis_row(&at, t, RIGID, &along)
    return n + extra_rows(joint, &along, &rows[n])


cdef double slider_measure(const JointData* joint, const Frame* a, const Frame* b) noexcept nogil:
    return b.angle - a.angle


enter_kind(SLIDER, JointClass(slider_rows, slider_measure, NULL))


class Slider(Limited, DrivenAlong, Sprung, Rubbing, Turning, Joint):
    """A point of body_b moves along an axis of body_a; it may turn only with free_rotation.

    anchor: the point, in the world (m), or local_anchors: one point in each body's frame; axis: a
    direction of the world. low and high limit the way along it (m, 0 when the joint is added); a
    motor moves at rate (m/s) with at most max_force (N); a spring pulls to the way 0, with
    stiffness (N/m) and damping (N s/m), or hertz and damping_ratio; friction is a force (N).
    """

    __slots__ = ()

    def __init__(self, body_a, body_b, anchor=None, axis=(1.0, 0.0), *, local_anchors=None,
                 free_rotation=False, low=None, high=None, rate=0.0, max_force=0.0, stiffness=None,
                 damping=None, hertz=None, damping_ratio=None, friction=0.0, reference=None,
                 break_force=INFINITY, break_torque=INFINITY, collide_connected=False):
        self._start(SLIDER, body_a, body_b, break_force, break_torque, collide_connected)
        self._anchor(anchor, local_anchors)
        self._axis(axis)
        self._flag(FREE_TURN, free_rotation)
        self._set_limits(low, high)
        self.rate, self.max_force, self.friction = rate, max_force, friction
        self._spring(stiffness, damping, hertz, damping_ratio)
        self._reference(reference)

    @property
    def free_rotation(self):
        """Whether body_b may turn against body_a: then it is a pin in a groove."""
        return self._get_flag(FREE_TURN)

    @free_rotation.setter
    def free_rotation(self, value):
        self._set_flag(FREE_TURN, value, "free_rotation")

    @property
    def travel(self):
        """How far body_b has come along the axis (m)."""
        return self._travel()
