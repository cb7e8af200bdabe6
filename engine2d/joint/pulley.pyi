from numpy.typing import ArrayLike

from engine2d.body import Body
from engine2d.joint.joint import Joint
from engine2d.vector import Vec2

class Pulley(Joint):
    """A rope from body_a up over two fixed points and down to body_b.

    anchor_a, anchor_b: points of the world on the bodies (m), or local_anchors: one in each body's
    frame; ground_a, ground_b: where the rope turns, in the world. The length on the side of body_a
    plus ratio times that on the side of body_b keeps its sum, or with slack=True does not pass it.
    """

    def __init__(
        self,
        body_a: Body | None,
        body_b: Body | None,
        anchor_a: ArrayLike | None = None,
        anchor_b: ArrayLike | None = None,
        ground_a: ArrayLike | None = None,
        ground_b: ArrayLike | None = None,
        ratio: float = 1.0,
        *,
        local_anchors: tuple[ArrayLike, ArrayLike] | None = None,
        length: float | None = None,
        slack: bool = False,
        break_force: float = ...,
        break_torque: float = ...,
        collide_connected: bool = False,
    ) -> None: ...
    @property
    def ground_a(self) -> Vec2:
        """Where the rope of body_a turns (m, in the world)."""
    @ground_a.setter
    def ground_a(self, value: ArrayLike) -> None: ...
    @property
    def ground_b(self) -> Vec2:
        """Where the rope of body_b turns (m, in the world)."""
    @ground_b.setter
    def ground_b(self, value: ArrayLike) -> None: ...
    @property
    def ratio(self) -> float:
        """How much of the length on the side of body_b counts."""
    @property
    def length(self) -> float:
        """The length of side a plus ratio times that of side b (m), as it is held."""
    @length.setter
    def length(self, value: float) -> None: ...
    @property
    def slack(self) -> bool:
        """Whether the rope may go slack."""
    @slack.setter
    def slack(self, value: bool) -> None: ...
