"""A bridge without any slack is redundant at first: its forces are as large as its pins allow."""

import pytest

from demos.scenes.joints import hang_bridge
from engine2d import Box, World


@pytest.mark.parametrize("boxes", [0, 6])
def test_a_straight_bridge_holds(boxes):
    """Once rows gave a little wherever the direct solver had not settled: pins opened by 7 cm."""
    world = World()
    hang_bridge(world)
    for k in range(boxes):
        heavy = {"mass": 50.0} if k == 5 else {}
        world.add_body(Box(1, 1, friction=0.6), position=(2.4 * k - 6, 3 + 0.6 * k), **heavy)
    worst = 0.0
    for _ in range(400):
        world.step(1 / 60)
        worst = max(worst, *(joint.error for joint in world.joints))
    assert worst < 1e-4
