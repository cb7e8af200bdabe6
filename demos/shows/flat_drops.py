"""Blocks that land flat must bounce flat."""

import math

from demos.demo import Demo, Reading
from demos.scenes.blocks import flat_drops

HEIGHT = 1.5  # m
COUNTED = 6  # bounces that are compared


class Show(Demo):
    name = "flat_drops"
    title = "Flat drops"
    look_for = "Two corners land at once, so no block turns; the n-th bounce rises to e^2n h."
    view = ((-6.0, -0.7), (6.0, 5.2))
    e = 0.8
    picture_at = 1.0

    def build(self, world):
        self.blocks = self.add(world, flat_drops(HEIGHT))[1:]

    def begin(self):
        self.rest = [body.position[1] - HEIGHT for body in self.blocks]
        self.notes = {"bounces": 0, "down": True, "height": HEIGHT}

    def after_step(self):
        """Count bounces of the first block; how high it will rise follows from its energy."""
        body, notes = self.blocks[0], self.notes
        up = body.velocity[1]
        if notes["down"] and up > 0.0 and notes["bounces"] < COUNTED:
            notes["bounces"] += 1
            g = self.value("gravity")
            rise = up * up / (2.0 * g) if g > 0.0 else math.inf
            notes["height"] = body.position[1] - self.rest[0] + rise
        notes["down"] = up <= 0.0

    def readings(self):
        n = self.notes["bounces"]
        tilt = max(abs(body.angle) for body in self.blocks)
        theory = HEIGHT * self.value("e") ** (2 * n)
        return [
            Reading("largest tilt", math.degrees(tilt), 0.0, "°"),
            Reading(f"height of bounce {n}", self.notes["height"], theory, "m"),
        ]

    def tuned(self, name):
        self.reset()
