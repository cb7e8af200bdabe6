from numpy.typing import ArrayLike

from engine2d.body import Body
from engine2d.joint.joint import Joint
from enginecore.joint_setting import Driven, Limited, Rubbing, Sprung

class Wheel(Limited, Driven, Sprung, Rubbing, Joint):
    """A wheel, body_b, turns freely on a point that moves along an axis of body_a, on a spring.

    anchor: the wheel's axle, in the world (m), or local_anchors: one point in each body's frame;
    axis: the direction of the suspension, in the world. The spring has stiffness (N/m) and damping
    (N s/m), or hertz and damping_ratio, and is at ease where the joint is added; low and high limit
    its travel (m); a motor turns at rate (rad/s) with at most max_torque (N m); friction is a
    torque (N m).
    """

    def __init__(
        self,
        body_a: Body | None,
        body_b: Body | None,
        anchor: ArrayLike | None = None,
        axis: ArrayLike = (0.0, 1.0),
        *,
        local_anchors: tuple[ArrayLike, ArrayLike] | None = None,
        stiffness: float | None = None,
        damping: float | None = None,
        hertz: float | None = None,
        damping_ratio: float | None = None,
        low: float | None = None,
        high: float | None = None,
        rate: float = 0.0,
        max_torque: float = 0.0,
        friction: float = 0.0,
        reference: float | None = None,
        break_force: float = ...,
        break_torque: float = ...,
        collide_connected: bool = False,
    ) -> None: ...
    @property
    def reference(self) -> float:
        """The travel at which the spring is at ease (m)."""
    @reference.setter
    def reference(self, value: float) -> None: ...
    @property
    def travel(self) -> float:
        """How far the wheel is along the axis from where the spring is at ease (m)."""
