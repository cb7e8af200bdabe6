"""Columns of 30 boxes fell from a platform at rest, 20 from a slow lift, and more than 32 buckled
on a floor."""

import math

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


FALLS = pytest.mark.xfail(strict=False, reason="buckles within 6 s, as 60 and 100 boxes do")


@pytest.mark.parametrize("n", [30, pytest.param(60, marks=FALLS), pytest.param(100, marks=FALLS)])
def test_on_a_floor(n):
    assert slip(n, "static", 0.0) < 1e-3


@pytest.mark.parametrize(("n", "speed"), [(20, 0.5), (30, 0.0)])
def test_on_a_platform(n, speed):
    assert slip(n, "kinematic", speed) < 1e-3
