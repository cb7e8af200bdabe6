from numpy.typing import ArrayLike

from engine2d.body import Body
from engine2d.joint.joint import Joint
from enginecore.joint_setting import Turning

class Weld(Turning, Joint):
    """Two bodies move as one, until break_force (N) or break_torque (N m) is passed.

    anchor: where they meet, in the world (m), or local_anchors: one point in each body's frame;
    force and torque are told there.
    """

    def __init__(
        self,
        body_a: Body | None,
        body_b: Body | None,
        anchor: ArrayLike | None = None,
        *,
        local_anchors: tuple[ArrayLike, ArrayLike] | None = None,
        reference: float | None = None,
        break_force: float = ...,
        break_torque: float = ...,
        collide_connected: bool = False,
    ) -> None: ...
