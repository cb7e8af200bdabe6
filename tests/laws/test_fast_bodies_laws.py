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


@pytest.mark.parametrize("shape", [Circle(0.1, restitution=0.5), Box(0.2, 0.2, restitution=0.5)])
@pytest.mark.parametrize("speed", [5, 10, 20, 50, 200])
def test_a_bat_passes_no_ball(shape, speed):
    """What cannot be pushed does not wait for what it strikes: it takes it along."""
    for k in range(10):
        world = World(gravity=(0, 0))
        bat = world.add_kinematic(Box(0.05, 4), position=(3 + 0.0137 * k, 0), velocity=(-speed, 0))
        ball = world.add_body(shape, angle=0.3 * k)
        for _ in range(round(240 / speed) + 10):
            world.step(DT)
            assert ball.position[0] < bat.position[0]
        assert ball.velocity[0] <= -speed


@pytest.mark.parametrize("turning", [5, 20, 40])
def test_a_flipper_passes_no_ball(turning):
    for k in range(10):
        world = World(gravity=(0, 0))
        flipper = world.add_kinematic(Box(2, 0.1), angle=-1 - 0.02 * k, angular_velocity=turning)
        ball = world.add_body(Circle(0.1, restitution=0.3), position=(0.75, 0))
        for _ in range(round(60 * 1.4 / turning) + 1):
            world.step(DT)
            turned = flipper.angle - math.atan2(ball.position[1], ball.position[0])
            assert turned < 0 or math.hypot(*ball.position) > 1


@pytest.mark.parametrize("speed", [0, -20, -50])
def test_apexes_on_a_lift_are_those_on_the_ground(speed):
    """Galilei: a ball falls 1 m to the floor of a lift of constant speed and bounces, e = 0.8."""
    world = World(gravity=(0, -10))
    floor = world.add_kinematic(Box(40, 1), position=(0, -0.5), velocity=(0, speed))
    ball = world.add_body(
        Circle(0.25, friction=0, restitution=0.8), position=(0, 1.25), velocity=(0, speed)
    )
    apexes, before = [], 0.0
    for _ in range(200):
        world.step(DT)
        rate = ball.velocity[1] - speed
        if rate > before + 1e-9:
            height = ball.position[1] - floor.position[1] - 0.75
            apexes.append(height + rate**2 / 20)
        before = rate
    # the lift has come 170 m by then: digits of places that far off
    assert apexes[:5] == pytest.approx([0.64**k for k in range(1, 6)], rel=1e-9)


@pytest.mark.parametrize("speed", [3, 10, 30])
def test_a_bouncing_ball_loses_no_way(speed):
    world = World(gravity=(0, -10))
    world.add_static(Box(4000, 1, friction=0), position=(0, -0.5))
    ball = world.add_body(
        Circle(0.25, friction=0, restitution=0.8), position=(0, 1.25), velocity=(speed, 0)
    )
    for _ in range(240):
        world.step(DT)
    assert ball.position[0] == pytest.approx(4 * speed, rel=1e-9)


@pytest.mark.parametrize("bullet", [False, True])
@pytest.mark.parametrize("force", [1e3, 1e4, 1e5])
def test_no_force_pushes_a_body_through_a_wall_in_a_step(force, bullet):
    """From rest: its speed does not tell yet how far it goes."""
    for scale in (1.0, 100 * force):
        world = World(gravity=(1e-2, 0) if scale > 1 else (0, 0))
        world.add_static(Box(0.05, 10), position=(1, 0))
        body = world.add_body(Circle(0.1), mass=1, bullet=bullet, gravity_scale=scale)
        for _ in range(5):
            if scale == 1:
                body.apply_force((force, 0))
            world.step(DT)
            assert body.position[0] < 0.9


@pytest.mark.parametrize("restitution", [0.5, 0.9, 1.0])
def test_a_box_in_too_narrow_a_slot_gains_no_energy(restitution):
    for solver in ("auto", "iterative"):
        world = World(gravity=(0, 0), solver=solver)
        for side in (-1, 1):
            world.add_static(Box(4, 4, restitution=restitution), position=(side * 2.1, 0))
        world.add_body(Box(1, 1))
        for _ in range(120):
            world.step(DT)
            assert world.energy.kinetic < 1e-3
