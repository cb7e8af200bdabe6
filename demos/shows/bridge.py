"""A bridge of planks under boxes, one of them heavy: its pins do not open."""

from demos.demo import Demo, Reading
from demos.scenes.joints import hang_bridge
from engine2d import Box


class Show(Demo):
    name = "bridge"
    title = "Bridge"
    look_for = "Boxes fall on planks, the last is 200 times heavier than one: no pin opens."
    view = ((-13.0, -8.0), (13.0, 9.0))
    picture_at = 2.5

    def build(self, world):
        hang_bridge(world)
        for k in range(5):
            world.add_body(Box(1, 1, friction=0.6), position=(2.4 * k - 4.8, 3 + 0.6 * k))
        world.add_body(Box(1.2, 1.2, friction=0.6), position=(0.3, 7), mass=50.0)

    def readings(self):
        joints = self.world.joints
        worst = max(joint.error for joint in joints)
        left = joints[0].force
        return [
            Reading("widest pin", 1e6 * worst, 0.0, "um"),
            Reading("force at the left end", (left[0] ** 2 + left[1] ** 2) ** 0.5, None, "N"),
        ]
