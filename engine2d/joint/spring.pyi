from numpy.typing import ArrayLike

from engine2d.body import Body
from engine2d.joint.joint import Joint
from enginecore.joint_setting import Long, Sprung

class Spring(Long, Sprung, Joint):
    """A spring and a damper between two anchors.

    anchor_a, anchor_b: points of the world (m), or local_anchors: one in each body's frame; length
    (m) at ease is what it is when the joint is added unless given; stiffness (N/m) and damping
    (N s/m), or hertz and damping_ratio with the masses that the bodies have then.
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
        stiffness: float | None = None,
        damping: float | None = None,
        hertz: float | None = None,
        damping_ratio: float | None = None,
        break_force: float = ...,
        break_torque: float = ...,
        collide_connected: bool = False,
    ) -> None: ...
