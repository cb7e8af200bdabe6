from engine2d.body import Body
from engine2d.joint.joint import Joint
from enginecore.joint_setting import Limited, Turning

class AngleLimit(Limited, Turning, Joint):
    """The angle of body_b against body_a stays within low and high (rad); None: no limit.

    reference (rad): the angle that counts as zero, what it is when the joint is added unless given.
    """

    def __init__(
        self,
        body_a: Body | None,
        body_b: Body | None,
        low: float | None,
        high: float | None,
        *,
        reference: float | None = None,
        break_force: float = ...,
        break_torque: float = ...,
        collide_connected: bool = False,
    ) -> None: ...
