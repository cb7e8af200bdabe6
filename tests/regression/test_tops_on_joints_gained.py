"""A top on a ball joint, held by nothing else, gained 3e-5 of its energy a second at 1/60 s: its
sub-steps turned it by up to 0.2 rad."""

import math

import pytest

from engine3d import Ball, Capsule, Cylinder, World


@pytest.mark.parametrize("spin", [40.0, 70.0])
def test_a_fast_top_keeps_its_energy(spin):
    world = World(sleeping=False)
    lean = 0.3
    top = world.add_body(
        Cylinder(0.5, 0.12, center=(0, 0, 0.7), density=4),
        Capsule((0, 0, 0.05), (0, 0, 1.0), 0.04),
        orientation=(math.cos(lean / 2), math.sin(lean / 2), 0, 0),
        angular_velocity=(0, -spin * math.sin(lean), spin * math.cos(lean)),
    )
    world.add_joint(Ball(None, top, (0, 0, 0)))
    first = world.energy
    for _ in range(600):
        world.step(1 / 60)
    assert abs(world.energy.total - first.total) < 1e-4 * first.kinetic
