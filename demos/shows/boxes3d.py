"""Boxes fall onto each other and stand."""

import numpy as np

from demos.space import Space
from engine3d import Box, Capsule, Cylinder, Plane, World


class Show(Space):
    name = "boxes3d"
    title = "Boxes, cylinders and capsules"
    look_for = "Faces come to rest on faces, and what rolls rolls until something stops it."
    distance, target = 11.0, (0.0, 0.0, 0.8)

    def make(self):
        world = World()
        world.add_static(Plane((0, 0, 1), friction=0.6))
        rng = np.random.default_rng(1)
        for k in range(18):
            kind = k % 3
            if kind == 0:
                shape = Box(*rng.uniform(0.5, 1.1, 3), friction=0.6)
            elif kind == 1:
                shape = Cylinder(0.35, 0.9, friction=0.6, rolling_resistance=0.03)
            else:
                shape = Capsule((-0.4, 0, 0), (0.4, 0, 0), 0.25, friction=0.6)
            place = (*rng.uniform(-1.2, 1.2, 2), 1.0 + 0.75 * k)
            world.add_body(shape, position=place, orientation=rng.normal(size=4))
        return world
