from engine2d.body import Body
from engine2d.joint.joint import Joint

class Gear(Joint):
    """Two bodies turn in a ratio: body_a turns ratio times as far as body_b; < 0: the other way.

    phase (rad): ratio times the angle of body_b minus that of body_a, what it is when the joint is
    added unless given. Turns count: angles are not wrapped.
    """

    def __init__(
        self,
        body_a: Body | None,
        body_b: Body | None,
        ratio: float,
        *,
        phase: float | None = None,
        break_force: float = ...,
        break_torque: float = ...,
        collide_connected: bool = False,
    ) -> None: ...
    @property
    def ratio(self) -> float:
        """How many times as far as body_b body_a turns."""
    @ratio.setter
    def ratio(self, value: float) -> None: ...
    @property
    def phase(self) -> float:
        """Ratio times the angle of body_b minus that of body_a, as it is held (rad)."""
    @phase.setter
    def phase(self, value: float) -> None: ...
