"""Hit events of space had the point and the normal of the step's end, when bodies had gone on."""

import math

import pytest

from engine3d import Box, Cylinder, Sphere, World

DT = 1 / 60
G = 9.81


def hits_of(world):
    for _ in range(120):
        world.step(DT)
        if len(world.events.hits):
            return world.events.hits
    raise AssertionError("nothing was hit")


@pytest.mark.parametrize("solver", ["auto", "direct", "iterative"])
@pytest.mark.parametrize("e", [0.0, 0.5])
@pytest.mark.parametrize("height", [0.9, 1.0, 1.13])
def test_a_ball_on_a_floor(solver, e, height):
    world = World(gravity=(0, 0, -G), solver=solver)
    world.add_static(Box(100, 100, 1, (0, 0, -0.5), friction=0.0))
    world.add_body(Sphere(0.2, restitution=e, friction=0.0), position=(0, 0, height + 0.2),
                   velocity=(6, 2, -3))  # fmt: skip
    (hit,) = hits_of(world)
    time = (math.sqrt(9 + 2 * G * height) - 3) / G
    # sweeps take the way within a step as straight
    close = 1e-7 if solver != "iterative" else 0.3 * G * DT**2 / 3 * 6
    assert hit["point"] == pytest.approx((6 * time, 2 * time, 0.0), abs=close)
    assert abs(hit["normal"][2]) == pytest.approx(1.0)
    assert hit["speed"] == pytest.approx(3 + G * time, rel=1e-6 if solver != "iterative" else 0.03)


@pytest.mark.parametrize("solver", ["auto", "direct", "iterative"])
def test_the_normal_of_two_balls_that_pass_on(solver):
    """Seen at an angle, they turn about each other after the blow."""
    world = World(gravity=(0, 0, 0), solver=solver)
    smooth = Sphere(0.5, restitution=1.0, friction=0.0)
    a = world.add_body(smooth, position=(-2, 0.0, 0.0), velocity=(10, 0, 0))
    world.add_body(smooth, position=(0, 0.0, 0.8))
    (hit,) = hits_of(world)
    normal = (0.6, 0, 0.8) if hit["body_a"] != a.id else (-0.6, 0, -0.8)
    near = 1e-6 if solver != "iterative" else 0.07
    assert hit["normal"] == pytest.approx(normal, abs=near)
    assert hit["point"] == pytest.approx((-0.3, 0.0, 0.4), abs=near)


def test_the_end_of_a_rod_that_turns_away():
    world = World(gravity=(0, 0, 0))
    world.add_body(Sphere(0.05, restitution=1.0), position=(0.9, 0.2, 0), velocity=(0, -9, 0))
    world.add_body(Cylinder(0.02, 2.0, orientation=(1, 0, 1, 0), restitution=1.0))
    (hit,) = hits_of(world)
    assert hit["point"] == pytest.approx((0.9, 0.02, 0.0), abs=1e-5)
    assert abs(hit["normal"][1]) == pytest.approx(1.0)
    assert hit["speed"] == pytest.approx(9.0)
