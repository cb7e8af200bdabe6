"""Islands that are cut at blows go on in rounds of their own: no bit of the others changes, and a
step from a snapshot is the step that was."""

import numpy as np
import pytest

from engine2d import Box, Circle, Path, World

LENS = Path([(-0.3, 0), (0.3, 0)], [0.4, 0.4])


def add_pile(world, n):
    world.add_static(Box(20, 1), position=(0, -0.5))
    return [
        world.add_body(Box(0.5, 0.4, restitution=0.2), position=(0.1 * (k % 3), 0.3 + 0.6 * k))
        for k in range(n)
    ]


def add_gas(world, away):
    """Fast bodies in a room of their own, far away."""
    rng = np.random.default_rng(5)
    for x, y, width, height in ((0, -3, 7, 1), (0, 3, 7, 1), (-3, 0, 1, 7), (3, 0, 1, 7)):
        world.add_static(Box(width, height), position=(away + x, y))
    for k in range(9):
        shape = (Circle(0.2, restitution=1), Box(0.4, 0.05), LENS)[k % 3]
        place = (away - 1.5 + 1.5 * (k % 3), -1.5 + 1.5 * (k // 3))
        world.add_body(shape, position=place, velocity=rng.uniform(-80, 80, 2))


@pytest.mark.parametrize("solver", ["auto", "iterative"])
@pytest.mark.parametrize("n", [4, 12, 30])
def test_a_pile_beside_a_gas_has_the_bits_of_a_pile_alone(solver, n):
    alone, beside = World(solver=solver), World(solver=solver)
    pile, other = add_pile(alone, n), add_pile(beside, n)
    add_gas(beside, 100.0)
    for k in range(80):
        dt = 1 / 60 if k % 3 else 1 / 35
        alone.step(dt)
        beside.step(dt)
        assert [b.position for b in pile] == [b.position for b in other]
        assert [b.velocity for b in pile] == [b.velocity for b in other]


@pytest.mark.parametrize("solver", ["auto", "iterative"])
def test_replay_from_a_snapshot_has_the_same_bits_and_events(solver):
    world = World(solver=solver)
    add_pile(world, 8)
    add_gas(world, 20.0)
    world.add_static(Box(0.05, 4, sensor=True), position=(20, 0))
    for _ in range(20):
        world.step(1 / 60)
    snapshot = world.snapshot()

    def run():
        told = []
        for _ in range(60):
            world.step(1 / 60)
            told += [world.events.begins, world.events.ends, world.events.hits]
            told.append(world.contacts.arrays)
        return [t.tobytes() for t in told], world.positions.tobytes(), world.velocities.tobytes()

    first = run()
    world.restore(snapshot)
    assert run() == first
