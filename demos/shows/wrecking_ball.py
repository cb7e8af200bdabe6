"""A ball a thousand times heavier than a link of its chain swings into a wall of boxes."""

from demos.demo import Demo, Reading
from demos.scenes.joints import hang_ball
from engine2d import Box, Segment


class Show(Demo):
    name = "wrecking_ball"
    title = "Wrecking ball"
    look_for = "The chain of light links carries a heavy ball and stays a chain."
    view = ((-9.0, -0.5), (9.0, 11.0))
    picture_at = 1.4

    def build(self, world):
        world.add_static(Segment((-20, 0), (20, 0), friction=0.6))
        for row in range(4):
            for k in range(2):
                world.add_body(Box(1, 1, friction=0.6), position=(1.6 + k, 0.5 + row))
        hang_ball(world)

    def readings(self):
        joints = self.world.joints
        return [
            Reading("widest pin", 1e6 * max(joint.error for joint in joints), 0.0, "um"),
            Reading("pull of the ball", joints[-1].force[1], None, "N"),
        ]
