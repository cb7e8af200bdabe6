"""No contact is missed by what the world remembers of pairs that did not touch."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine2d import Box, Capsule, Circle, Polygon, World, distance

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
