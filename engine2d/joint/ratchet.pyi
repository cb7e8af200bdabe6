from engine2d.body import Body
from engine2d.joint.joint import Joint
from enginecore.joint_setting import Turning

class Ratchet(Turning, Joint):
    """body_b turns against body_a one way only, from tooth to tooth.

    tooth (rad): from one tooth to the next; > 0: anticlockwise is free, < 0: clockwise is. The
    pawl drops behind a tooth when a step is done. reference (rad): the angle of a tooth, that of
    body_b against body_a when the joint is added unless given.
    """

    def __init__(
        self,
        body_a: Body | None,
        body_b: Body | None,
        tooth: float,
        *,
        reference: float | None = None,
        break_force: float = ...,
        break_torque: float = ...,
        collide_connected: bool = False,
    ) -> None: ...
    @property
    def tooth(self) -> float:
        """From one tooth to the next (rad), in the direction that is free."""
    @tooth.setter
    def tooth(self, value: float) -> None: ...
    @property
    def held(self) -> float:
        """The tooth that it has passed last (rad, from the reference)."""
