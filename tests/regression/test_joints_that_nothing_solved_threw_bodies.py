"""Joints whose rows depend on each other: what nothing solves must throw nobody."""

import pytest

from demos.scenes.joints import hang_bridge
from engine2d import Box, World
from tests.fuzz.rooms import check_room


@pytest.mark.parametrize("seed", [1, 3])
def test_a_straight_bridge_is_not_thrown(seed):
    """Runs that differ by rounding: one tore by 55 m, another by 6 m."""
    world = World(gravity=(0, -9.81 * (1 + 1e-9 * seed)))
    hang_bridge(world)
    for k in range(6):
        heavy = {"mass": 50.0} if k == 5 else {}
        world.add_body(
            Box(1, 1, friction=0.6), position=(2.4 * k - 6 + 1e-9 * seed, 3 + 0.6 * k), **heavy
        )
    start, worst = world.energy.total, 0.0
    for _ in range(400):
        world.step(1 / 60)
        worst = max(worst, *(joint.error for joint in world.joints))
    assert worst < 1e-3
    assert world.energy.total < start


@pytest.mark.parametrize(("family", "seed"), [("jointed", 3), ("jointed", 18)])
def test_rooms_that_were_thrown(family, seed):
    """They gained 26 and 480 times their energy in a step and lost 7 and 2 bodies."""
    result = check_room(family, seed)
    assert not result.out
    assert result.worst < 5e-3
