"""Seams of flush tiles and segments stopped what glided over them; tiles off by 1e-6 m threw boxes
2.8 m up."""

import numpy as np
import pytest

from engine2d import Box, Capsule, Circle, Polygon, Segment, World

TRAPEZOID = Polygon([(-0.2, -0.2), (0.2, -0.2), (0.4, 0.2), (-0.4, 0.2)])
GLIDERS = {
    "disc": (Circle(0.3), 0.3),
    "box": (Box(0.6, 0.4), 0.2),
    "capsule": (Capsule((-0.3, 0), (0.3, 0), 0.2), 0.2),
    "trapezoid": (TRAPEZOID, 0.2),
    "upright box": (Box(0.5, 1.8), 0.9),
}


def floor(world, kind, off=0.0):
    if kind == "segments":
        runs = [Segment((k - 20.5, 0), (k - 19.5, 0), friction=0) for k in range(60)]
        world.add_static(*runs)
        return
    for k, y in enumerate(off * np.random.default_rng(0).uniform(-1, 1, 60)):
        world.add_static(Box(1, 1, friction=0), position=(k - 20, -0.5 + y))


FLOORS, SOLVERS = ("tiles", "segments"), ("auto", "iterative")


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("kind", FLOORS)
@pytest.mark.parametrize("name", GLIDERS)
def test_gliders_keep_speed_and_height(name, kind, solver):
    shape, height = GLIDERS[name]
    world = World(solver=solver)
    floor(world, kind)
    body = world.add_body(shape.replace(friction=0), position=(-14, height), velocity=(6, 0))
    for _ in range(120):
        world.step(1 / 60)
        assert body.velocity[0] == pytest.approx(6, rel=1e-6)
        if name != "trapezoid":  # its centre is not its origin
            assert body.center[1] - height < 1e-5


@pytest.mark.parametrize("speed", [1.0, 5.0, 20.0])
def test_tiles_off_by_a_millionth_of_a_metre(speed):
    world = World()
    floor(world, "tiles", 1e-6)
    body = world.add_body(Box(1, 1, friction=0), position=(-15, 0.5), velocity=(speed, 0))
    for _ in range(int(40 / speed * 60)):
        world.step(1 / 60)
        assert body.position[1] - 0.5 < 1e-4
    assert body.velocity[0] == pytest.approx(speed, rel=1e-3)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("kind", FLOORS)
def test_a_pyramid_glides(kind, solver):
    world = World(solver=solver)
    floor(world, kind)
    boxes = [
        world.add_body(
            Box(0.5, 0.5),
            position=(-14 + 0.5 * column + 0.25 * row, 0.25 + 0.5 * row),
            velocity=(6, 0),
        )
        for row in range(6)
        for column in range(8 - row)
    ]
    for _ in range(120):
        world.step(1 / 60)
        momentum = sum(box.mass * box.velocity[0] for box in boxes)
        assert momentum == pytest.approx(6 * sum(box.mass for box in boxes), rel=1e-6)
        assert boxes[0].center[1] - 0.25 < 1e-5
