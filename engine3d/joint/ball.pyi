from numpy.typing import ArrayLike

from engine3d.body import Body
from engine3d.joint.joint import Joint
from enginecore.joint_setting import Rubbing

class Ball(Rubbing, Joint):
    """A ball and socket: two bodies share a point and may turn about it in any way.

    anchor: the point, in the world (m), or local_anchors: one point in each body's frame; friction
    is a torque (N m) about each axis of body_a.
    """

    def __init__(
        self,
        body_a: Body | None,
        body_b: Body | None,
        anchor: ArrayLike | None = None,
        *,
        local_anchors: tuple[ArrayLike, ArrayLike] | None = None,
        friction: float = 0.0,
        break_force: float = ...,
        break_torque: float = ...,
        collide_connected: bool = False,
    ) -> None: ...
