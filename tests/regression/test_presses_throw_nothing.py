"""A kinematic press that leaves no room threw what it pressed."""

import numpy as np
import pytest

from engine2d import Box, Circle, World


@pytest.mark.xfail(
    strict=False,
    reason="boxes are thrown at 2.7 m/s, with sweeps 3.8; discs at 1263 m/s, with sweeps 2.3",
)
@pytest.mark.parametrize("solver", ["auto", "iterative"])
@pytest.mark.parametrize("shape", [Box(0.6, 0.6), Circle(0.3)])
def test_nothing_is_faster_than_twice_the_press(solver, shape):
    world = World(solver=solver)
    for x, y, width, height in ((0, -1, 6, 2), (-2, 4, 2, 10), (2, 4, 2, 10)):
        world.add_static(Box(width, height), position=(x, y))
    bodies = [
        world.add_body(shape, position=(-0.6 + 0.6 * (k % 3), 0.3 + 0.61 * (k // 3)))
        for k in range(9)
    ]
    for _ in range(60):
        world.step(1 / 60)
    speed = 1.0
    press = world.add_kinematic(Box(1.9, 1), position=(0, 2.6), velocity=(0, -speed))
    for _ in range(150):
        world.step(1 / 60)
        if press.position[1] < 1.0:
            press.velocity = (0, 0)
        assert max(np.hypot(*body.velocity) for body in bodies) < 2 * speed
        assert all(abs(body.position[0]) < 1.0 for body in bodies)
        assert all(body.position[1] > 0.0 for body in bodies)
