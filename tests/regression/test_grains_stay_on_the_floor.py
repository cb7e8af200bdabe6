"""Grains of a few millimetres, in a world of metres, fell through thick floors or gained energy."""

import numpy as np
import pytest

from engine2d import Box, Capsule, Circle, Polygon, World


def forms(s):
    return {
        "disc": Circle(s / 2),
        "box": Box(s, 0.5 * s),
        "rod": Box(s, 0.1 * s),
        "capsule": Capsule((-0.35 * s, 0), (0.35 * s, 0), 0.1 * s),
        "triangle": Polygon([(-0.5 * s, -0.3 * s), (0.5 * s, -0.3 * s), (0, 0.6 * s)]),
    }


@pytest.mark.parametrize("solver", ["auto", "iterative"])
@pytest.mark.parametrize("size", [0.1, 0.01, 0.003])
def test_thrown_at_a_thick_floor(solver, size):
    for shape in forms(size).values():
        for seed in range(6):
            rng = np.random.default_rng(seed)
            world = World(solver=solver)
            world.add_static(Box(100, 1), position=(0, -0.5))
            grain = world.add_body(
                shape,
                position=(0, 0.3),
                angle=rng.uniform(0, 6.28),
                velocity=(rng.uniform(-3, 3), -rng.uniform(0, 3)),
                angular_velocity=rng.uniform(-10, 10),
            )
            first = energy = world.energy.total
            for _ in range(90):
                world.step(1 / 60)
                assert grain.center[1] > 0
                assert world.energy.total - energy < 1e-3 * first
                energy = world.energy.total
