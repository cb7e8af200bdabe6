"""Spheres fall in a hollow sphere."""

import numpy as np
import pygame

from demos.space import COARSE, Space
from engine2d.draw import PAPER
from engine3d import HollowSphere, Sphere, World
from engine3d.draw import orbit, render_spheres
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

    def draw(self, renderer):
        width, height = renderer.surface.get_size()
        camera = orbit(self.turn + self.rate * self.time, self.tilt, self.distance, self.target)
        size = (max(width // COARSE, 8), max(height // COARSE, 8))
        places = np.array([body.position for body in self.space.bodies[1:]])
        sky = np.array(PAPER[:3]) / 255.0
        picture = render_spheres(places, self.radii, camera, size, 6.0, 1, sky)
        small = pygame.surfarray.make_surface(picture.swapaxes(0, 1))
        renderer.surface.blit(pygame.transform.smoothscale(small, (width, height)), (0, 0))
