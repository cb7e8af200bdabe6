"""Columns of 30 boxes fell from a platform at rest, 20 from a slow lift, and more than 32 buckled
on a floor."""

import math

import numpy as np
import pytest

from engine2d import Box, World


def slip(n, kind, speed, steps=360):
    """How far boxes of a column leave the middle of what carries them (m)."""
    world = World()
    carrier = world.add_body(Box(4, 0.4, friction=0.6), position=(0, -0.2), kind=kind)
    boxes = [
        world.add_body(Box(0.5, 0.5, friction=0.6), position=(0, 0.5 * (k + 0.5))) for k in range(n)
    ]
    most = 0.0
    for k in range(steps):
        if speed:
            carrier.velocity = (0, speed * math.sin(k / 60))
        world.step(1 / 60)
        most = max(most, max(abs(box.position[0]) for box in boxes))
    return most


@pytest.mark.parametrize("n", [30, 60, 100])
def test_on_a_floor(n):
    """At rest, to rounding: nothing disturbs it."""
    assert slip(n, "static", 0.0) < 1e-9


@pytest.mark.parametrize("n", [10, 20, 30])
def test_on_a_platform_at_rest(n):
    assert slip(n, "kinematic", 0.0, 900) < 1e-9


@pytest.mark.parametrize("n", [20, 30])
def test_on_a_slow_lift(n):
    """Lifts push straight up: nothing goes sideways."""
    assert slip(n, "kinematic", 0.5, 1200) < 1e-9


@pytest.mark.parametrize("n", [20, 30])
def test_on_a_platform_that_goes_sideways(n):
    """0.3 m/s^2 are within 10 % of what tips 30 boxes. Boxes are where the platform is, but for
    its velocity, which is set at once, while theirs changes through a step."""
    world = World()
    carrier = world.add_kinematic(Box(4, 0.4, friction=0.6), position=(0, -0.2))
    boxes = [
        world.add_body(Box(0.5, 0.5, friction=0.6), position=(0, 0.5 * (k + 0.5))) for k in range(n)
    ]
    for k in range(1200):
        carrier.velocity = (0.3 * math.sin(k / 60), 0)
        world.step(1 / 60)
        assert max(abs(box.position[0] - carrier.position[0]) for box in boxes) < 0.3 / 60


@pytest.mark.parametrize("seed", range(3))
def test_in_any_order(seed):
    """How narrow an island is does not depend on the order in which its bodies were made."""
    world = World()
    world.add_static(Box(4, 0.4, friction=0.6), position=(0, -0.2))
    order = np.random.default_rng(seed).permutation(60)
    boxes = [
        world.add_body(Box(0.5, 0.5, friction=0.6), position=(0, 0.5 * (k + 0.5))) for k in order
    ]
    for _ in range(240):
        world.step(1 / 60)
    assert max(abs(box.position[0]) for box in boxes) < 1e-9
    assert world.stats["sweeps"] == 0
