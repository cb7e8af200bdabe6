"""A tree that was asked between a snapshot and its restore did not know what was back again."""

import numpy as np

from engine2d import Box, Circle, World

DT = 1 / 60


def test_queries_see_what_came_back():
    world = World(gravity=(0, 0))
    floor = world.add_static(Box(2, 1))
    world.add_body(Circle(0.3), position=(5, 5))
    world.step(DT)
    snapshot = world.snapshot()
    world.remove(floor)
    assert world.point_query((0, 0)) == []
    world.restore(snapshot)
    assert [found.body for found in world.point_query((0, 0))] == [floor]


def test_a_wide_floor_that_came_back_still_bears():
    """Wide boxes find their pairs through the broad phase's own tree."""
    world = World()
    floor = world.add_static(Box(2000, 1), position=(0, -0.5))
    rng = np.random.default_rng(3)
    for k in range(60):
        world.add_body(Circle(0.2), position=(rng.uniform(-900, 900), 0.2 + 3 * (k % 3)))
    for _ in range(5):
        world.step(DT)
    snapshot = world.snapshot()
    expected = run(world)
    world.restore(snapshot)
    world.remove(floor)
    for _ in range(5):
        world.step(DT)
    world.restore(snapshot)
    assert run(world) == expected
    assert world.positions[:, 1].min() > -1


def run(world):
    for _ in range(60):
        world.step(DT)
    return world.positions.tobytes()
