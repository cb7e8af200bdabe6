"""No contact is missed by what the world remembers of pairs that did not touch."""

import math
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine2d import Box, Capsule, Circle, Path, Polygon, World, contact_points, distance

DT = 1 / 60
SHAPES = (
    Box(1, 0.4),
    Box(0.1, 1.5, center=(0.4, 0.2)),
    Circle(0.3),
    Circle(0.2, center=(0.5, 0)),
    Capsule((-0.4, 0), (0.4, 0.2), 0.15),
    Polygon([(-0.5, -0.3), (0.6, -0.2), (0.0, 0.7)]),
)


def pose_of(body):
    return *body.position, body.angle


def deepest(world):
    """The least distance between any two shapes of different bodies, m."""
    bodies = world.bodies
    return min(
        distance(shape, pose_of(a), other, pose_of(b)).distance
        for k, a in enumerate(bodies)
        for b in bodies[:k]
        if "dynamic" in (a.kind, b.kind)
        for shape in a.shapes
        for other in b.shapes
    )


@pytest.mark.parametrize("turning", [0.01, 0.05, 0.2, 0.5])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_long_bar_takes_along_what_its_end_comes_upon(turning, shape):
    """Its middle is far off and stays where it is: only its turning tells that it comes nearer.

    Its end goes 8 cm in a step at most. What is thin waits after such a blow for the rest of the
    step, so that the bar comes into it a little; pushed along, it goes with the bar.
    """
    world = World(gravity=(0, 0), sleeping=False)
    bar = world.add_kinematic(Box(20, 0.2), angular_velocity=turning)
    body = world.add_body(shape, position=(9, 1.5), angle=0.3)
    gap = distance(bar.shapes[0], pose_of(bar), shape, pose_of(body)).distance
    steps = math.ceil(3 * gap / (9 * turning) / DT)
    deep = []
    for _ in range(steps):
        world.step(DT)
        deep.append(deepest(world))
    assert min(deep) > -(1e-3 if turning < 0.3 else 10 * turning * DT)
    assert sum(gap < -1e-3 for gap in deep) <= 1
    assert math.hypot(*body.velocity) > 8 * turning


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(SHAPES),
            st.floats(-math.pi, math.pi),
            st.tuples(st.floats(-1, 1), st.floats(-1, 1), st.floats(-1, 1)),
        ),
        min_size=2,
        max_size=5,
    ),
    st.floats(0, 2),
    st.floats(-0.3, 0.3),
)
def test_slow_bodies_in_a_turning_room_do_not_sink_into_each_other(given_bodies, pace, turning):
    """At most 2 m/s and 2 rad/s, without gravity and without bouncing: no overlap beyond 1 mm."""
    world = World(gravity=(0, 0), sleeping=False)
    room = (
        Box(9, 1, center=(0, -4.5)),
        Box(9, 1, center=(0, 4.5)),
        Box(1, 9, center=(-4.5, 0)),
        Box(1, 9, center=(4.5, 0)),
    )
    world.add_kinematic(*room, angular_velocity=turning)
    for k, (shape, angle, (vx, vy, w)) in enumerate(given_bodies):
        place = (2.4 * (k % 3) - 2.4, 2.4 * (k // 3) - 1.2)
        world.add_body(
            shape,
            position=place,
            angle=angle,
            velocity=(pace * vx, pace * vy),
            angular_velocity=pace * w,
        )
    for _ in range(120):
        world.step(DT)
        assert deepest(world) > -1e-3


def test_a_body_that_was_static_for_a_while_rests_as_before():
    """While it was, the pair was not looked at: what it knew of itself then counts no more."""
    world = World(gravity=(0, -10))
    world.add_static(Box(40, 4), position=(0, -2))
    box = world.add_body(Box(1, 1), position=(0, 0.5))
    for kind in ("dynamic", "static", "dynamic"):
        box.kind = kind
        for _ in range(30):
            world.step(DT)
            assert abs(box.position[1] - 0.5) < 1e-4
    assert len(world.contacts) == 2


@pytest.mark.parametrize("size", [(0.4, 0.01), (0.4, 0.05), (0.1, 0.06)])
@pytest.mark.parametrize("thick", [1.0, 0.02])
def test_small_bodies_do_not_sink_into_floors(size, thick):
    """How thick a floor is makes it no softer: dropped from 2 m, turning, overlap stays small."""
    for seed in range(100):
        random = Random(seed)
        world = World()
        world.add_static(Box(40, thick), position=(0, -0.5 * thick))
        angle, turning = random.uniform(0, 6.3), random.uniform(-3, 3)
        world.add_body(Box(*size), position=(0, 2), angle=angle, angular_velocity=turning)
        for _ in range(50):
            world.step(DT)
            assert deepest(world) > -5e-3


def test_tiny_bodies_come_to_rest_on_a_thick_floor():
    """A thousandth of a metre is little for most, and a third of these."""
    for seed in range(20):
        random = Random(seed)
        world = World(sleeping=False)
        world.add_static(Box(30, 1), position=(0, -0.5))
        body = world.add_body(Box(0.005, 0.003), position=(0, 0.005 * random.uniform(1, 3)))
        body.angle = random.uniform(0, 6)
        body.velocity = (random.uniform(-0.3, 0.3), 0)
        body.angular_velocity = random.uniform(-30, 30)
        for _ in range(300):
            world.step(DT)
        assert deepest(world) > -2e-5
        assert math.hypot(*body.velocity) < 1e-6


def test_a_sharp_tip_stands_on_an_open_path():
    """Lying flat, a tip of any angle has a contact on the side it came from, none from below."""
    floor = Path([(-3, 0), (-0.7, 0), (0.4, 0), (3, 0)], closed=False)
    for height in (0.02, 0.1, 0.2, 0.8):
        wedge = Polygon([(0, 0), (1, 0), (1, height)])
        for depth in (-1e-12, 0.0, 1e-9, 1e-7, 1e-5, 1e-3):
            found = contact_points(floor, (0, 0, 0), wedge, (0, -depth, 0), margin=0.01)
            assert sorted(round(c.point[0]) for c in found) == [0, 1]
            assert all(c.normal[1] == -1 for c in found)


# ---- who wakes


def asleep(world, seconds=3):
    for _ in range(round(seconds / DT)):
        world.step(DT)
    assert not world.awake.any()


def test_what_stood_on_a_body_that_is_put_elsewhere_falls():
    for shift in (1.0, 1.05, 1.1, 3.0):
        world = World(gravity=(0, -10))
        world.add_static(Box(20, 1), position=(0, -0.5))
        below = world.add_body(Box(1, 1), position=(0, 0.5))
        above = world.add_body(Box(1, 1), position=(0, 1.5))
        asleep(world)
        below.position = (shift, 0.5)
        for _ in range(120):
            world.step(DT)
        assert above.position[1] < 1.45


def test_a_floor_wakes_nobody_when_something_leaves_it():
    world = World(gravity=(0, -10))
    world.add_static(Box(400, 1), position=(0, -0.5))
    near = [world.add_body(Box(1, 1), position=(2 * k, 0.5)) for k in range(5)]
    far = world.add_body(Box(1, 1), position=(110, 0.5))
    asleep(world)
    world.remove(far)
    world.step(DT)
    assert not any(body.awake for body in near)
