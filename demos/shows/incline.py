"""Sliding and rolling down a slope."""

import math

from demos.demo import Demo, Reading, Slider
from demos.scenes.slopes import incline, roll_acceleration, slide_acceleration


class Show(Demo):
    name = "incline"
    title = "Incline"
    look_for = "The block slides if tan(angle) > mu; the disc rolls if mu is above a third of it."
    view = ((-2.5, -9.0), (14.0, 2.5))
    flags = ("forces", "velocities")
    mu = 0.3
    sliders_of = ("mu", "gravity")

    def __init__(self):
        self.slope = Slider("angle", 0.0, 45.0, 25.0, "°")
        super().__init__()
        self.sliders = {"angle": self.slope, **self.sliders}

    def build(self, world):
        world.sleeping = False
        self.angle = math.radians(self.slope.value)
        scene = incline(self.angle)
        self.down = scene.sizes["down"]
        _, self.block, self.disc = self.add(world, scene)

    def tuned(self, name):
        self.reset()

    def after_step(self):
        if self.time > 3.0:
            self.reset()

    def along(self, body):
        return sum(v * d for v, d in zip(body.velocity, self.down))

    def readings(self):
        mu, g = self.value("mu"), self.value("gravity")
        out = []
        for name, body, rule in (
            ("block", self.block, slide_acceleration),
            ("disc", self.disc, roll_acceleration),
        ):
            theory = rule(self.angle, mu, g)
            measured = self.along(body) / self.time if self.time > 0.0 else theory
            out.append(Reading(f"{name} accelerates by", measured, theory, "m/s²"))
        return out
