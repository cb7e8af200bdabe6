"""A top on its tip, and a bar that turns over by itself."""

import math

from demos.demo import Reading
from demos.space import Space
from engine3d import Ball, Box, Capsule, Cylinder, Plane, Sphere, World


class Show(Space):
    name = "top3d"
    title = "A top, and a bar that turns over"
    look_for = "The top leans and goes round; the free bar flips again and again, no torque on it."
    distance, target, rate = 7.0, (0.0, 0.0, 1.0), 0.05
    dt = 1 / 60
    picture_at = 2.4

    def make(self):
        world = World(sleeping=False)
        world.add_static(Plane((0, 0, 1)))
        lean = 0.3
        tilt = (math.cos(lean / 2), math.sin(lean / 2), 0, 0)
        axis = (0.0, -math.sin(lean), math.cos(lean))
        tip = (-1.2, 0.0, 0.15)
        self.top = world.add_body(
            Cylinder(0.5, 0.12, center=(0, 0, 0.7), density=4),
            Capsule((0, 0, 0.05), (0, 0, 1.0), 0.04),
            position=tip,
            orientation=tilt,
            angular_velocity=[40 * x for x in axis],
        )
        world.add_joint(Ball(None, self.top, tip))
        self.bar = world.add_body(
            Box(1.4, 0.5, 0.12),
            Sphere(0.14, center=(0, 0.5, 0)),
            position=(1.5, 0, 1.3),
            gravity_scale=0.0,
            angular_velocity=(0.02, 6.0, 0.02),
        )
        return world

    def readings(self):
        L = self.bar.angular_momentum.length
        return [
            Reading("energy lost", self.start - self.space.energy.total, None, "J"),
            Reading("angular momentum of the bar", L, None, "kg m^2/s"),
            Reading("spin of the top", self.top.angular_velocity.length, None, "rad/s"),
        ]
