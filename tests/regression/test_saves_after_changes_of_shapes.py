"""Worlds of which shapes were changed since the last step, or in which a lift pressed something,
made pickles that were refused; one that took such a snapshot back looked at pairs anew for ever."""

import copy
import pickle

import numpy as np
import pytest

import engine2d
import engine3d

DT = 1 / 60


def flat_pile():
    world = engine2d.World()
    world.add_static(engine2d.Box(9, 1))
    boxes = [world.add_body(engine2d.Box(1, 1), position=(0.1 * k, 1 + k)) for k in range(3)]
    return world, boxes, engine2d.Circle(0.5)


def pile_in_space():
    world = engine3d.World()
    world.add_static(engine3d.Box(9, 9, 1))
    boxes = [world.add_body(engine3d.Box(1, 1, 1), position=(0.1 * k, 0, 1 + k)) for k in range(3)]
    return world, boxes, engine3d.Sphere(0.5)


def back_from_pickle(world):
    return pickle.loads(pickle.dumps(world))


def back_from_snapshot(world):
    other = type(world)()
    other.restore(pickle.loads(pickle.dumps(world.snapshot())))
    return other


@pytest.mark.parametrize("pile", [flat_pile, pile_in_space])
@pytest.mark.parametrize("back", [back_from_pickle, back_from_snapshot, copy.deepcopy])
def test_a_save_between_a_change_of_shape_and_the_next_step_goes_on_alike(pile, back):
    world, boxes, other_form = pile()
    for _ in range(30):
        world.step(DT)
    boxes[0].shapes[0].shape = other_form
    again = back(world)
    for k in range(60):
        for one in (world, again):
            if k % 7 == 3:  # an edit, of which pairs must not forget what they know of each other
                one.bodies[3].shapes[0].friction = 0.1 * k
            one.step(DT)
        assert np.array_equal(world.positions, again.positions)
        assert np.array_equal(world.velocities, again.velocities)


def test_a_world_with_a_lift_that_presses_can_be_saved():
    world = engine2d.World()
    world.add_static(engine2d.Box(9, 1), position=(0, 2.6))
    world.add_kinematic(engine2d.Box(3, 1), position=(0, -0.5), velocity=(0, 0.5))
    world.add_body(engine2d.Box(1, 1), position=(0, 0.5))
    for _ in range(200):
        world.step(DT)
        again = back_from_pickle(world)
    again.step(DT)
    world.step(DT)
    assert np.array_equal(world.positions, again.positions)


@pytest.mark.parametrize("pile", [flat_pile, pile_in_space])
def test_a_world_that_took_back_what_it_had_before_bodies_came_can_be_saved(pile):
    world, boxes, other_form = pile()
    before = world.snapshot()
    boxes[0].add_shape(other_form)
    world.add_body(other_form, position=boxes[2].position * 2)
    world.step(DT)
    world.restore(before)
    again = back_from_pickle(world)
    for _ in range(30):
        world.step(DT)
        again.step(DT)
        assert np.array_equal(world.positions, again.positions)
