from numpy.typing import ArrayLike

from engine2d.body import Body
from engine2d.joint.joint import Joint
from engine2d.vector import Vec2
from enginecore.joint_setting import Sprung

class Drag(Sprung, Joint):
    """Pull a point of a body to a target, as a mouse does, with at most max_force (N).

    anchor: the point of the body, target: where it is pulled to, both in the world (m); move the
    target at any time. The spring has stiffness (N/m) and damping (N s/m), or hertz and
    damping_ratio with the mass that the body has when it is added.
    """

    def __init__(
        self,
        body: Body,
        anchor: ArrayLike,
        target: ArrayLike | None = None,
        *,
        max_force: float = ...,
        stiffness: float | None = None,
        damping: float | None = None,
        hertz: float | None = None,
        damping_ratio: float | None = None,
        break_force: float = ...,
        break_torque: float = ...,
    ) -> None: ...
    @property
    def target(self) -> Vec2:
        """Where the point is pulled to (m, in the world)."""
    @target.setter
    def target(self, value: ArrayLike) -> None: ...
    @property
    def max_force(self) -> float:
        """The most that it pulls with (N)."""
    @max_force.setter
    def max_force(self, value: float) -> None: ...
