from numpy.typing import ArrayLike

from engine3d.body import Body
from engine3d.joint.joint import Joint
from enginecore.joint_setting import Driven, Limited, Rubbing, Sprung, Turning

class Hinge(Limited, Driven, Sprung, Rubbing, Turning, Joint):
    """A hinge: two bodies share a point and an axis, and turn about it.

    anchor: the point, in the world (m), or local_anchors: one point in each body's frame; axis: a
    direction of the world. low and high limit the angle of body_b against body_a (rad,
    right-handed about the axis), which is 0 when the joint is added unless reference says
    otherwise; a motor turns at rate (rad/s) with at most max_torque (N m); a spring has stiffness
    (N m/rad) and damping (N m s/rad), or hertz and damping_ratio; friction is a torque (N m).
    """

    def __init__(
        self,
        body_a: Body | None,
        body_b: Body | None,
        anchor: ArrayLike | None = None,
        axis: ArrayLike = (0.0, 0.0, 1.0),
        *,
        local_anchors: tuple[ArrayLike, ArrayLike] | None = None,
        low: float | None = None,
        high: float | None = None,
        rate: float = 0.0,
        max_torque: float = 0.0,
        stiffness: float | None = None,
        damping: float | None = None,
        hertz: float | None = None,
        damping_ratio: float | None = None,
        friction: float = 0.0,
        reference: float | None = None,
        break_force: float = ...,
        break_torque: float = ...,
        collide_connected: bool = False,
    ) -> None: ...
