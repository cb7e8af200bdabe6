"""Columns at rest tipped from the last digit on, and were solved again every half second."""

import numpy as np
import pytest

from engine2d import Box, World


@pytest.mark.parametrize("n", [2, 10])
def test_a_column_at_rest_stays_to_the_last_bit(n):
    world = World(sleeping=False)
    world.add_static(Box(10, 1), position=(0, -0.5))
    for k in range(n):
        world.add_body(Box(1, 1), position=(0, 0.5 + k))
    for _ in range(30):
        world.step(1 / 60)
    before = np.array(world.positions), np.array(world.angles)
    for _ in range(200):
        world.step(1 / 60)
        assert world.stats["direct_kept"] == world.stats["direct_solves"] > 0
    assert np.array_equal(world.positions, before[0])
    assert np.array_equal(world.angles, before[1])


def test_a_force_on_a_column_at_rest_is_felt_at_once():
    """A hundredth of what friction holds stays held; more than that slides in the same step."""
    world = World(sleeping=False)
    world.add_static(Box(10, 1, friction=0.5), position=(0, -0.5))
    body = world.add_body(Box(1, 1, friction=0.5), position=(0, 0.5))
    for _ in range(60):
        world.step(1 / 60)
    weight = body.mass * np.hypot(*world.gravity)
    body.apply_force((0.005 * weight, 0.0))
    world.step(1 / 60)
    assert np.hypot(*body.velocity) == pytest.approx(0.0, abs=1e-9)
    body.apply_force((0.6 * weight, 0.0))
    world.step(1 / 60)
    assert body.velocity[0] == pytest.approx(0.1 * weight / body.mass / 60, rel=1e-6)
