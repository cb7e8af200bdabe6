"""Tolerances were in metres: a world of centimetres leaked, boxes of 1 mm fell through floors."""

import numpy as np
import pytest

from engine2d import Box, World


def pile(k, solver, unit=True):
    """Positions, in units, of a pile with lengths x 4^k, speeds and times x 2^k."""
    s, q = 4.0**k, 2.0**k
    world = World(gravity=(0, -8), solver=solver, unit=s if unit else 1.0)
    world.add_static(Box(40 * s, 2 * s), position=(0, -s))
    rng = np.random.default_rng(3)
    for i in range(30):
        world.add_body(
            Box(s * 2.0 ** -rng.integers(0, 3), 0.5 * s, restitution=0.25),
            position=(s * rng.integers(-16, 16) / 8, s * (1 + 0.75 * i)),
            angular_velocity=rng.integers(-2, 3) / q,
        )
    for _ in range(180):
        world.step(q / 64)
    return world.positions / s


@pytest.mark.parametrize("solver", ["auto", "iterative"])
def test_the_same_motion_bit_for_bit_at_any_size(solver):
    one = pile(0, solver)
    for k in (-4, -1, 2):
        assert np.array_equal(pile(k, solver), one)


@pytest.mark.parametrize("size", [1e-3, 3e-3, 0.1, 10.0, 1e3])
def test_a_stack_stands_in_its_unit(size):
    world = World(unit=size)
    world.add_static(Box(20 * size, size), position=(0, -size / 2))
    stack = [world.add_body(Box(size, size), position=(0, (k + 0.5) * size)) for k in range(6)]
    for _ in range(120):
        world.step(1 / 60)
    for k, box in enumerate(stack):
        assert box.position == pytest.approx((0, (k + 0.5) * size), abs=1e-4 * size)
