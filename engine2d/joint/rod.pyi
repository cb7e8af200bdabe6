from numpy.typing import ArrayLike

from engine2d.body import Body
from engine2d.joint.joint import Joint
from enginecore.joint_setting import Long

class Rod(Long, Joint):
    """Two anchors keep their distance: a light rod.

    anchor_a, anchor_b: points of the world (m), or local_anchors: one in each body's frame; length
    (m) is what it is when the joint is added unless given.
    """

    def __init__(
        self,
        body_a: Body | None,
        body_b: Body | None,
        anchor_a: ArrayLike | None = None,
        anchor_b: ArrayLike | None = None,
        *,
        local_anchors: tuple[ArrayLike, ArrayLike] | None = None,
        length: float | None = None,
        break_force: float = ...,
        break_torque: float = ...,
        collide_connected: bool = False,
    ) -> None: ...
