"""Fast bodies and thin walls: shots do not pass, rooms stay closed, and no blow gains energy."""

import math

import numpy as np
import pytest

from engine2d import Box, Capsule, Circle, Path, Polygon, Segment, World

DT = 1 / 60


def shoot(wall_kind, shape, speed, offset, angle):
    """A shot at a wall 0.05 m thick; True if it passed."""
    world = World(gravity=(0, -10))
    wall = world.add_body(Box(0.05, 4, density=20), position=(5 + offset, 0), kind=wall_kind)
    shot = world.add_body(shape, velocity=(speed, 0), angle=angle)
    for _ in range(60 if speed < 300 else 10):
        world.step(DT)
        if shot.position[0] > wall.position[0]:
            return True
    return False


@pytest.mark.parametrize("shape", [Circle(0.1), Box(0.2, 0.2)], ids=["disc", "box"])
@pytest.mark.parametrize("wall_kind", ["static", "dynamic"])
@pytest.mark.parametrize("speed", [50, 100, 200, 400, 1000, 2000])
def test_no_shot_passes_a_thin_wall(shape, wall_kind, speed):
    passed = [shoot(wall_kind, shape, speed, 0.037 * k, 0.3 * k) for k in range(10)]
    assert not any(passed)


@pytest.mark.parametrize("speed", [50, 400, 2000])
def test_two_shots_do_not_pass_each_other(speed):
    world = World(gravity=(0, 0))
    left = world.add_body(Circle(0.1, restitution=0.5), velocity=(speed, 0))
    right = world.add_body(Circle(0.1, restitution=0.5), position=(9.3, 0.05), velocity=(-speed, 0))
    for _ in range(30):
        world.step(DT)
        assert left.position[0] < right.position[0]


ROOM = 6.0  # m, half its width
SHAPES = {
    "disc": Circle(0.2),
    "box": Box(0.3, 0.3),
    "rod": Box(1.0, 0.05),
    "capsule": Capsule((-0.3, 0), (0.3, 0), 0.05),
    "triangle": Polygon([(0, 0), (0.5, 0), (0.2, 0.4)]),
}


def make_room(e, walls):
    world = World(gravity=(0, -10))
    a = ROOM
    if walls == "boxes":
        for place, size in (
            ((0, -a), (2 * a + 0.05, 0.05)),
            ((0, a), (2 * a + 0.05, 0.05)),
            ((-a, 0), (0.05, 2 * a + 0.05)),
            ((a, 0), (0.05, 2 * a + 0.05)),
        ):
            world.add_static(Box(*size, restitution=e), position=place)
    elif walls == "segments":
        corners = [(-a, -a), (a, -a), (a, a), (-a, a)]
        for k in range(4):
            world.add_static(Segment(corners[k], corners[(k + 1) % 4], restitution=e))
    else:
        corners = [(-a, -a), (a, -a), (a, a), (-a, a), (-a, -a + 1e-3)]
        world.add_static(Path(corners, closed=False, restitution=e))
    return world


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("walls", ["boxes", "segments", "path"])
def test_nothing_leaves_a_closed_room_or_gains_energy(name, walls):
    rng = np.random.default_rng(7)
    for e in (0.0, 0.5, 1.0):
        for _ in range(8):
            world = make_room(e, walls)
            speed, heading = 10 ** rng.uniform(1.5, 3.3), rng.uniform(0, 2 * math.pi)
            world.add_body(
                SHAPES[name].replace(restitution=e),
                position=rng.uniform(-3, 3, 2),
                angle=rng.uniform(0, 6),
                velocity=(speed * math.cos(heading), speed * math.sin(heading)),
                angular_velocity=rng.choice([0.0, 10.0, 300.0]),
            )
            start = world.energy.total
            for _ in range(60):
                world.step(DT)
                assert np.abs(world.centers[-1]).max() < ROOM
                # the room's height bounds what gravity can give and take
                assert world.energy.total <= start + 1e-9 * abs(start)
