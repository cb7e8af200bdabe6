"""A body that left the range of numbers within a step was looked for in cells without end."""

import contextlib
import math

import numpy as np
import pytest

from engine2d import Box, Circle, World
from enginecore.grid import HashedGrid


def test_boxes_without_numbers_end_a_search():
    """The grid refuses them at its boundary; a world that makes them comes back all the same."""
    grid = HashedGrid(2)
    with pytest.raises(ValueError):
        grid.add((math.nan, 0.0), (1.0, 1.0))


@pytest.mark.timeout(60)
@pytest.mark.parametrize("dt", [0.5, 1e3])
@pytest.mark.parametrize("speed", [1e9, 1e12])
def test_worlds_at_the_end_of_numbers_come_back(dt, speed):
    world = World(gravity=(0, -1e9))
    world.add_static(Box(10, 1))
    for k in range(5):
        with contextlib.suppress(ValueError):
            world.add_body(Circle(0.5, restitution=1), position=(0, 1), velocity=(0, -speed + k))
    for _ in range(3):
        with contextlib.suppress(OverflowError):
            world.step(dt)
    assert np.isfinite(world.positions).all()
    assert np.isfinite(world.velocities).all()
