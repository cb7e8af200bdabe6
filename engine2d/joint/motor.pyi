from engine2d.body import Body
from engine2d.joint.joint import Joint
from enginecore.joint_setting import Driven

class Motor(Driven, Joint):
    """A motor turns body_b against body_a at rate (rad/s) with at most max_torque (N m)."""

    def __init__(
        self,
        body_a: Body | None,
        body_b: Body | None,
        rate: float,
        *,
        max_torque: float = ...,
        break_force: float = ...,
        break_torque: float = ...,
        collide_connected: bool = False,
    ) -> None: ...
