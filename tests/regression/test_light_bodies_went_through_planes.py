"""In large islands a light body between half spaces that turns or bounces several times in a step
was thrown up to 150 m through them: what its contacts say of its way then means nothing, and what
went far was not swept against half spaces."""

import numpy as np
import pytest

from engine3d import Box, Capsule, Plane, World
from tests.fuzz import rooms3d


def test_fast_rooms_stay_closed():
    assert rooms3d.run_room("rich_fast", 70006).faults() == []


@pytest.mark.parametrize("across", [0.0, 0.2, 0.3])
@pytest.mark.parametrize("spin", [500.0, 3e3, 3e4])
def test_a_whirling_capsule_stays_between_planes(spin, across):
    world = World(solver="iterative")
    for axis in range(3):
        for side in (-1.0, 1.0):
            normal = np.zeros(3)
            normal[axis] = -side
            world.add_static(Plane(normal, restitution=1), position=-2.0 * normal)
    body = world.add_body(
        Capsule((-0.15, 0, 0), (0.15, 0, 0), 0.035, restitution=1),
        position=(1.7, across, 0.2),
        velocity=(100, 300, -400),
        angular_velocity=spin * np.array((0.5, -0.8, -0.3)),
    )
    for k in range(32):
        place = np.array((k % 4 - 1.5, k // 4 % 4 - 1.5, k // 16)) * (0.8, 0.8, 0.6)
        world.add_body(Box(0.6, 0.6, 0.6, restitution=0.5), position=place - (0, 0, 1.7))
    first = before = world.energy.total
    for _ in range(30):
        world.step(1 / 60)
        assert np.abs(body.position).max() < 2.0
        assert world.energy.total <= before + 1e-3 * first
        before = world.energy.total
