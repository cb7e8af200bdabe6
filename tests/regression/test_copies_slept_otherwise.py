"""Copies of worlds woke sleepers beside bodies that had been put into others, or forgot how long
they had been still: they went another way than the original."""

import numpy as np
import pytest

import engine2d
import engine3d

DT = 1 / 60


def flat():
    world = engine2d.World()
    floor = world.add_static(engine2d.Box(20, 1), position=(0, -0.5))
    world.add_static(engine2d.Box(2, 1.6), position=(3, 0))  # into the floor and the box
    boxes = [world.add_body(engine2d.Box(1, 1), position=(x, 0.5)) for x in (0, 1.0, 1.7)]
    return world, floor, boxes


def space():
    world = engine3d.World()
    floor = world.add_static(engine3d.Box(20, 20, 1), position=(0, 0, -0.5))
    world.add_static(engine3d.Box(2, 2, 1.6), position=(3, 0, 0))
    boxes = [world.add_body(engine3d.Box(1, 1, 1), position=(x, 0, 0.5)) for x in (0, 1.0, 1.7)]
    return world, floor, boxes


@pytest.mark.parametrize("make", [flat, space])
def test_copies_sleep_and_wake_as_the_original(make):
    world, _, boxes = make()
    for k in range(150):
        world.step(DT)
        if k == 60:
            boxes[0].position = boxes[1].position - 0.6 * (boxes[1].position - boxes[0].position)
        if k % 9:
            continue
        again = world.copy()
        there = world.snapshot()
        for _ in range(40):
            world.step(DT)
            again.step(DT)
            assert np.array_equal(world.awake, again.awake)
            assert np.array_equal(world.positions, again.positions)
        world.restore(there)
