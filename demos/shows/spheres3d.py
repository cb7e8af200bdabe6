"""Spheres fall in a hollow sphere."""

import numpy as np

from demos.space import Space
from engine3d import HollowSphere, Sphere, World
from engine3d.draw import render_spheres
from engine3d.experiment import draw_spheres


class Show(Space):
    name = "spheres3d"
    title = "Fifteen spheres in a hollow one"
    look_for = "They roll, knock and come to rest; what they lose is friction and blows."
    distance, tilt, target = 21.0, 0.3, (0.0, 0.0, 0.0)
    picture_at = 2.0

    def make(self):
        world = World()
        radii, centers, _ = draw_spheres(15, radius=6.0, seed=3)
        world.add_static(HollowSphere(6.0, friction=0.5, restitution=0.3))
        for radius, center in zip(radii, centers, strict=True):
            world.add_body(
                Sphere(0.7 * radius, friction=0.5, restitution=0.3, rolling_resistance=0.01),
                position=0.7 * center,
            )
        self.radii = 0.7 * radii
        return world

    def picture(self, camera, size, sky, samples):
        places = np.array([body.position for body in self.space.bodies[1:]])
        return render_spheres(places, self.radii, camera, size, 6.0, samples, sky)
