"""contact_system() raised where two corners touch."""

import pytest

from engine2d import Box, World


@pytest.mark.parametrize("gap", [0.0, 1e-7, 1e-6, 5e-6])
def test_two_corners(gap):
    world = World(gravity=(0, 0))
    world.add_static(Box(1, 1))
    world.add_body(Box(1, 1), position=(1 + gap, 1 + gap))
    world.step(1 / 60)
    system = world.contact_system()
    assert system.A.shape[0] == len(system.b) <= 2
