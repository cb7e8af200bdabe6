"""Pairs and contacts move over within their lists: a copy that was restored, whose lists are
written anew, goes on to the same bits."""

import numpy as np
import pytest

from engine2d import Box, Circle, Segment, World

DT = 1 / 60


def room(rng, solver):
    """Fast bodies of several sizes in a box: they have later rounds, and pairs in all of them."""
    world = World(solver=solver, sleeping=False)
    corners = [(-4, 0), (4, 0), (4, 8), (-4, 8)]
    world.add_static(
        *(Segment(a, b) for a, b in zip(corners, corners[1:] + corners[:1], strict=True))
    )
    for _ in range(40):
        add(world, rng)
    return world


def add(world, rng):
    size = rng.uniform(0.1, 0.5)
    shape = Circle(size) if rng.random() < 0.5 else Box(2 * size, size)
    place, speed = rng.uniform((-3, 1), (3, 7)), rng.uniform(-15, 15, 2)
    return world.add_body(shape, position=tuple(place), velocity=tuple(speed))


@pytest.mark.parametrize("solver", ["auto", "iterative"])
@pytest.mark.parametrize("seed", range(4))
def test_copy_that_writes_its_lists_anew_goes_on_alike(seed, solver):
    rng = np.random.default_rng(seed)
    world = room(rng, solver)
    rounds = 0
    for k in range(60):
        if k % 7 == 3:
            world.remove(world.bodies[int(rng.integers(1, len(world.bodies)))])
            add(world, rng)
        copy = World(solver=solver, sleeping=False)
        copy.restore(world.snapshot())
        world.step(DT)
        copy.step(DT)
        rounds += world.stats["rounds"]
        assert np.array_equal(world.positions, copy.positions)
        assert np.array_equal(world.velocities, copy.velocities)
        ours, theirs = world.contacts, copy.contacts
        assert [(c.body_a.id, c.body_b.id, c.normal_force) for c in ours] == [
            (c.body_a.id, c.body_b.id, c.normal_force) for c in theirs
        ]
    assert rounds > 20
