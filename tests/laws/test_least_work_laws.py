"""Work that need not be done is not done, and nobody can tell: rest, flight, islands in motion."""

from random import Random

import numpy as np
import pytest

from engine2d import Box, Circle, World

DT = 1 / 60


def stack(count, solver="auto"):
    world = World(sleeping=False, solver=solver)
    world.add_static(Box(40, 1), position=(0, -0.5))
    boxes = [world.add_body(Box(1, 1), position=(0, k + 0.5)) for k in range(count)]
    return world, boxes


def test_a_stack_at_rest_is_kept_and_bears_its_weight():
    """Rounding makes a column tip from the last digit on: it is stopped, and solved once."""
    world, boxes = stack(10)
    solved = 0
    for step in range(600):
        world.step(DT)
        if step > 0:
            solved += world.stats["direct_solves"] - world.stats["direct_kept"]
        # 1e-10 of g h is what kept impulses may leave, and tipping adds half of it in a step
        assert abs(world.velocities).max() < 2e-11
    weight = 9.81 * sum(box.mass for box in boxes)
    floor = sum(c.normal_force for c in world.contacts if c.point.y < 0.5)
    assert floor == pytest.approx(weight, rel=1e-10)
    assert solved <= 600 / 20
    assert abs(world.positions[1:, 0]).max() < 1e-10


def test_what_floats_alone_keeps_the_least_momentum():
    """Nothing stops two boxes that lean on nothing, however slow they are."""
    world = World(gravity=(0, 0), sleeping=False)
    for x in (0.0, 1.0):
        world.add_body(Box(1, 1), position=(x, 0), velocity=(3e-10, 0))
    for _ in range(120):
        world.step(DT)
    assert world.velocities[:, 0] == pytest.approx([3e-10, 3e-10], rel=1e-12)


@pytest.mark.parametrize("torque", [0.0, 0.3])
def test_flight_is_a_parabola(torque):
    world = World(sleeping=False)
    disc = world.add_body(Circle(0.5), velocity=(3, 4), angular_velocity=2)
    for _ in range(60):
        disc.apply_force((0.5, 0))
        disc.apply_torque(torque)
        world.step(DT)
    a, alpha = 0.5 / disc.mass, torque / disc.inertia
    assert disc.position == pytest.approx((3 + a / 2, 4 - 9.81 / 2), abs=1e-12)
    assert disc.velocity == pytest.approx((3 + a, 4 - 9.81), abs=1e-12)
    assert disc.angle == pytest.approx(2 + alpha / 2, abs=1e-12)


def push_about(world, boxes, steps, seed):
    """Random forces in every step; returns what was swept and the deepest overlap (m)."""
    random, swept, deepest = Random(seed), 0, 0.0
    for _ in range(steps):
        for box in boxes:
            box.apply_force((random.uniform(-12, 12), random.uniform(-6, 6)))
            box.apply_torque(random.uniform(-1.5, 1.5))
        world.step(DT)
        swept += world.stats["direct_swept"]
        deepest = max([deepest, *(-c.gap for c in world.contacts)])
    return swept, deepest


@pytest.mark.parametrize("seed", range(3))
def test_what_is_pushed_about_is_swept_and_rests_exactly_when_it_is_let_go(seed):
    world, boxes = stack(4)
    swept, deepest = push_about(world, boxes, 200, seed)
    assert swept > 0
    # a sub-step's fall is 0.7 mm: what sweeps leave is corrected in the next one
    assert deepest < 1e-3
    for _ in range(400):
        world.step(DT)
    assert world.stats["direct_swept"] == 0
    assert abs(world.velocities).max() < 1e-10
    weight = 9.81 * sum(box.mass for box in boxes)
    pushed_up = sum(c.normal_force * abs(c.normal.y) for c in world.contacts if c.point.y < 1e-3)
    assert pushed_up == pytest.approx(weight, rel=1e-9)


def test_sweeps_keep_friction_within_its_bound_and_do_not_pull():
    """Both rows of a contact are found at once: friction must be that of the new normal impulse."""
    world = World(sleeping=False)
    world.add_static(Box(40, 1, friction=0.6), position=(0, -0.5), angle=0.1)
    boxes = [
        world.add_body(Box(1, 1, friction=0.6), position=(k % 2, 0.7 + k), angle=0.1)
        for k in range(4)
    ]
    random, swept = Random(7), 0
    for _ in range(200):
        for box in boxes:
            box.apply_force((random.uniform(-40, 40), random.uniform(-12, 12)))
        world.step(DT)
        swept += world.stats["direct_swept"]
        for c in world.contacts:
            assert c.normal_force >= 0.0
            assert abs(c.friction_force) <= 0.6 * c.normal_force * (1 + 1e-12)
    assert swept > 50


def test_direct_is_never_swept():
    world, boxes = stack(4, solver="direct")
    swept, deepest = push_about(world, boxes, 100, 1)
    assert swept == 0
    assert deepest < 1e-3


def test_swept_islands_give_the_same_bits_after_a_snapshot():
    """How long an island is swept is part of its state."""
    world, boxes = stack(4)
    push_about(world, boxes, 40, 2)
    state = world.snapshot()
    ends = []
    for _ in range(2):
        world.restore(state)
        push_about(world, boxes, 30, 5)
        ends.append(np.array(world.positions).tobytes())
    assert ends[0] == ends[1]
