from numpy.typing import ArrayLike

from engine2d.body import Body
from engine2d.joint.joint import Joint
from enginecore.joint_setting import DrivenAlong, Limited, Rubbing, Sprung, Turning

class Slider(Limited, DrivenAlong, Sprung, Rubbing, Turning, Joint):
    """A point of body_b moves along an axis of body_a; it may turn only with free_rotation.

    anchor: the point, in the world (m), or local_anchors: one point in each body's frame; axis: a
    direction of the world. low and high limit the way along it (m, 0 when the joint is added); a
    motor moves at rate (m/s) with at most max_force (N); a spring pulls to the way 0, with
    stiffness (N/m) and damping (N s/m), or hertz and damping_ratio; friction is a force (N).
    """

    def __init__(
        self,
        body_a: Body | None,
        body_b: Body | None,
        anchor: ArrayLike | None = None,
        axis: ArrayLike = (1.0, 0.0),
        *,
        local_anchors: tuple[ArrayLike, ArrayLike] | None = None,
        free_rotation: bool = False,
        low: float | None = None,
        high: float | None = None,
        rate: float = 0.0,
        max_force: float = 0.0,
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
    @property
    def free_rotation(self) -> bool:
        """Whether body_b may turn against body_a: then it is a pin in a groove."""
    @free_rotation.setter
    def free_rotation(self, value: bool) -> None: ...
    @property
    def travel(self) -> float:
        """How far body_b has come along the axis (m)."""
