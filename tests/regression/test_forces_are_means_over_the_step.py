"""Forces were of the last part of a long step (x 0.65 beyond 0.0205 s), and of another dt for
bodies asleep (x 4)."""

import pytest

from engine2d import Box, World


def floor_force(world):
    kinds = ((c, {c.body_a.kind, c.body_b.kind}) for c in world.contacts)
    return sum(c.normal_force for c, kind in kinds if "static" in kind)


@pytest.mark.parametrize("solver", ["auto", "iterative"])
@pytest.mark.parametrize("rate", [240, 60, 48, 30, 20])
def test_a_fall_and_a_landing_take_the_weight_times_the_time(solver, rate):
    world = World(solver=solver)
    world.add_static(Box(60, 1), position=(0, -0.5))
    body = world.add_body(Box(1, 1), position=(0, 3))
    total = 0.0
    for _ in range(2 * rate):
        world.step(1 / rate)
        total += floor_force(world) / rate
    assert total == pytest.approx(9.81 * 2 * body.mass, rel=1e-3)


def test_sleepers_weigh_the_same_for_any_dt():
    world = World()
    world.add_static(Box(60, 1), position=(0, -0.5))
    for k in range(4):
        world.add_body(Box(1, 1), position=(0, 0.5 + k))
    for _ in range(300):
        world.step(1 / 60)
    assert not world.awake.any()
    for rate in (240, 30, 1000, 60):
        world.step(1 / rate)
        assert floor_force(world) == pytest.approx(4 * 9.81, rel=1e-3)
