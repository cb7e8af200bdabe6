"""Peaucellier's linkage: seven bars that turn, and a point that goes along a line."""

from demos.demo import Demo, Reading
from demos.scenes.joints import LINE, add_linkage


class Show(Demo):
    name = "straight_line"
    title = "A straight line by bars"
    look_for = "All joints turn in circles, and the heavy corner goes straight up and down."
    view = ((-1.5, -3.5), (6.5, 5.5))
    picture_at = 0.6

    def build(self, world):
        self.tip = add_linkage(world)

    def readings(self):
        joints = self.world.joints
        return [
            Reading("off the line", 1e6 * (self.tip.position[0] - LINE), 0.0, "um"),
            Reading("longest error of a bar", 1e6 * max(j.error for j in joints), 0.0, "um"),
        ]
