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


def test_many_contacts_that_begin_at_once_overwrite_none():
    """More begin in a step, before those there are, than they move down in their list."""
    world = World(sleeping=False)
    floor = world.add_static(Box(400, 1), position=(0, -0.5))
    for k in range(300):
        world.add_body(Circle(0.25), position=(0.6 * k - 180, 0.75))
    stood = [world.add_body(Circle(0.25), position=(0.6 * k + 5, 0.25)) for k in range(200)]
    most = before = 0
    for _ in range(30):
        copy = World(sleeping=False)
        copy.restore(world.snapshot())
        world.step(DT)
        copy.step(DT)
        assert world.positions.tobytes() == copy.positions.tobytes()
        assert world.velocities.tobytes() == copy.velocities.tobytes()
        forces = {
            c.body_b.id if c.body_a == floor else c.body_a.id: c.normal_force
            for c in world.contacts
        }
        assert all(body.id in forces for body in stood)
        most = max(most, world.stats["contacts"] - before) if before else 0
        before = world.stats["contacts"]
    assert most > 96
