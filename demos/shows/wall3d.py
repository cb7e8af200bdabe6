"""A ball on a chain swings into a wall of bricks."""

from demos.space import Space
from engine3d import Ball, Box, Capsule, Plane, Sphere, World


class Show(Space):
    name = "wall3d"
    title = "A ball on a chain, and a wall"
    look_for = "The chain does not stretch; the wall stands still until it is hit."
    distance, target, tilt, turn, rate = 13.0, (0.0, 0.0, 1.5), 0.3, -1.1, 0.06
    picture_at = 1.4

    def make(self):
        world = World()
        world.add_static(Plane((0, 0, 1), friction=0.7))
        for row in range(4):
            for k in range(3):
                y = 1.02 * (k - 1.25 + 0.5 * (row % 2))
                world.add_body(Box(0.5, 1.0, 0.5, friction=0.7), position=(0, y, 0.25 + 0.5 * row))
        last, n = None, 6
        for k in range(n):
            link = world.add_body(
                Capsule((-0.22, 0, 0), (0.22, 0, 0), 0.06, density=4),
                position=(-(0.3 + 0.6 * k) - 0.2, 0.0, 4.5),
            )
            world.add_joint(Ball(last, link, (-0.6 * k - 0.2, 0.0, 4.5)))
            last = link
        ball = world.add_body(Sphere(0.55, density=12), position=(-0.6 * n - 0.2 - 0.6, 0.0, 4.5))
        world.add_joint(Ball(last, ball, (-0.6 * n - 0.2, 0.0, 4.5)))
        return world
