"""A pyramid: hundreds of contacts that all bear."""

import numpy as np

from demos.demo import Demo, Reading
from demos.scenes.pyramid import pyramid

BASE = 14


class Show(Demo):
    name = "pyramid"
    title = "Pyramid"
    look_for = "105 boxes settle once, then stand without a tremor; pull one out with the mouse."
    view = ((-9.0, -1.0), (9.0, 15.0))

    def build(self, world):
        self.bodies = self.add(world, pyramid(BASE))

    def begin(self):
        self.start = [body.position for body in self.bodies]

    def readings(self):
        now = [body.position for body in self.bodies]
        moved = max(((x - a) ** 2 + (y - b) ** 2) ** 0.5 for (x, y), (a, b) in zip(now, self.start))
        speed = float(np.hypot(*self.world.velocities.T).max())
        return [
            Reading("farthest from its place", 1000 * moved, 0.0, "mm"),
            Reading("fastest box", speed, 0.0, "m/s"),
        ]
