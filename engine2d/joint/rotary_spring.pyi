from engine2d.body import Body
from engine2d.joint.joint import Joint
from enginecore.joint_setting import Sprung, Turning

class RotarySpring(Sprung, Turning, Joint):
    """A spring and a damper that pull the angle of body_b against body_a to the reference.

    stiffness (N m/rad) and damping (N m s/rad), or hertz and damping_ratio with the masses that the
    bodies have when it is added; reference (rad) is the angle then unless given.
    """

    def __init__(
        self,
        body_a: Body | None,
        body_b: Body | None,
        *,
        stiffness: float | None = None,
        damping: float | None = None,
        hertz: float | None = None,
        damping_ratio: float | None = None,
        reference: float | None = None,
        break_force: float = ...,
        break_torque: float = ...,
        collide_connected: bool = False,
    ) -> None: ...
