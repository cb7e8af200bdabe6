"""Fast bodies stood in mid-air with their velocity kept: for 46 steps before a wall, for 580 of 600
steps where two met without gravity."""

import math

import numpy as np
import pytest

from engine2d import Box, Circle, World

DT = 1 / 60


def longest_stand(world, body, steps):
    """Most steps in a row in which a body with a speed goes less than a twentieth of its way."""
    still = longest = 0
    for _ in range(steps):
        before = body.center
        world.step(DT)
        speed = math.hypot(*body.velocity)
        stands = speed > 1.0 and math.dist(before, body.center) < 0.05 * speed * DT
        still = still + 1 if stands else 0
        longest = max(longest, still)
    return longest


@pytest.mark.parametrize("solver", ["auto", "iterative"])
@pytest.mark.parametrize("speed", [20, 50, 100, 200])
def test_a_shot_at_a_box_before_a_wall(solver, speed):
    for k in range(0, 30, 3):
        world = World(solver=solver)
        world.add_static(Box(2, 40, restitution=0.3), position=(6, 0))
        world.add_body(Box(0.3, 0.15, restitution=0.3), position=(4.7, -0.125 + 0.01 * k))
        shot = world.add_body(Circle(0.5, density=20, restitution=0.3), velocity=(speed, 0))
        assert longest_stand(world, shot, 60) <= 1


def middle(world):
    """The common centre of mass (m)."""
    masses = np.array([body.mass for body in world.bodies])
    return masses @ world.centers / masses.sum()


@pytest.mark.parametrize("solver", ["auto", "iterative"])
@pytest.mark.parametrize("speed", [5, 10, 30])
def test_two_boxes_that_meet_in_the_air(solver, speed):
    """Their common centre goes its way, too."""
    for k, y in enumerate(np.arange(-4, 5) * 0.05):
        for angles in ((0.2, 0.2 + 0.2 * (k % 4)), (0.6, 0.8 - 0.2 * (k % 4))):
            world = World(gravity=(0, 0), solver=solver)
            one = world.add_body(
                Box(0.6, 0.3, restitution=0.5),
                position=(-2, y),
                angle=angles[0],
                velocity=(speed, 0),
            )
            two = world.add_body(
                Box(0.8, 0.3, restitution=0.5),
                position=(2, 0),
                angle=angles[1],
                velocity=(-speed, 0),
            )
            start = middle(world)
            rate = (one.mass - two.mass) * speed / (one.mass + two.mass)
            assert longest_stand(world, one, 60) <= 1
            assert np.abs(middle(world) - start - [rate * 60 * DT, 0.0]).max() < 1e-9
