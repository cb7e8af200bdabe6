from numpy.typing import ArrayLike

from engine3d.body import Body
from engine3d.joint.joint import Joint

class Weld(Joint):
    """Two bodies move as one: they share a point and do not turn against each other.

    anchor: the point, in the world (m), or local_anchors: one point in each body's frame.
    """

    def __init__(
        self,
        body_a: Body | None,
        body_b: Body | None,
        anchor: ArrayLike | None = None,
        *,
        local_anchors: tuple[ArrayLike, ArrayLike] | None = None,
        break_force: float = ...,
        break_torque: float = ...,
        collide_connected: bool = False,
    ) -> None: ...
