"""Bodies that turn at more than 150 rad/s were flown in too few parts a step: at 1000 rad/s a box
gained 7e-5 of its energy in a step, at 3000 rad/s 1e-3."""

import numpy as np
import pytest

from engine3d import Box, Capsule, World


@pytest.mark.parametrize("spin", [300.0, 1000.0, 3000.0, 3e4])
@pytest.mark.parametrize("shape", [Box(0.5, 0.3, 0.1), Capsule((-0.15, 0, 0), (0.15, 0, 0), 0.03)])
def test_a_top_keeps_its_energy(shape, spin):
    world = World(gravity=(0, 0, 0), sleeping=False)
    world.add_body(shape, angular_velocity=spin * np.array((0.5, -0.8, -0.3)))
    first = before = world.energy.total
    for _ in range(120):
        world.step(1 / 60)
        now = world.energy.total
        assert now == pytest.approx(before, rel=1e-6)
        before = now
    assert before == pytest.approx(first, rel=1e-4)
