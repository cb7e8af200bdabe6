from numpy.typing import ArrayLike

from engine3d.body import Body
from engine3d.joint.joint import Joint
from engine3d.vector import Vec3
from enginecore.joint_setting import Sprung

class Drag(Sprung, Joint):
    """Pull a point of a body to a target with at most max_force (N), as a mouse does; with an
    orientation, turn it there, too, with at most max_torque (N m): six degrees of freedom.

    anchor: the point of the body, target: where it is pulled to, both in the world (m); move the
    target and the orientation at any time. The spring has stiffness (N/m) and damping (N s/m), or
    hertz and damping_ratio with the mass that the body has when it is added; turn_stiffness
    (N m/rad) and turn_damping (N m s/rad) likewise.
    """

    def __init__(
        self,
        body: Body,
        anchor: ArrayLike,
        target: ArrayLike | None = None,
        *,
        orientation: ArrayLike | None = None,
        max_force: float = ...,
        max_torque: float = ...,
        stiffness: float | None = None,
        damping: float | None = None,
        turn_stiffness: float = 0.0,
        turn_damping: float = 0.0,
        hertz: float | None = None,
        damping_ratio: float | None = None,
        break_force: float = ...,
        break_torque: float = ...,
    ) -> None: ...
    @property
    def target(self) -> Vec3:
        """Where the point is pulled to (m, in the world)."""
    @target.setter
    def target(self, value: ArrayLike) -> None: ...
    @property
    def orientation(self) -> tuple[float, float, float, float] | None:
        """What the body is turned to (w, x, y, z); None: it may turn."""
    @orientation.setter
    def orientation(self, value: ArrayLike | None) -> None: ...
    @property
    def max_force(self) -> float:
        """The most that it pulls with (N)."""
    @max_force.setter
    def max_force(self, value: float) -> None: ...
    @property
    def max_torque(self) -> float:
        """The most that it turns with (N m)."""
    @max_torque.setter
    def max_torque(self, value: float) -> None: ...
    @property
    def turn_stiffness(self) -> float:
        """Of turning (N m/rad)."""
    @turn_stiffness.setter
    def turn_stiffness(self, value: float) -> None: ...
    @property
    def turn_damping(self) -> float:
        """Of turning (N m s/rad)."""
    @turn_damping.setter
    def turn_damping(self, value: float) -> None: ...
