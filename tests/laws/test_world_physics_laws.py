"""Worlds as they are used, default settings, against what mechanics says of them."""

import math
from itertools import pairwise
from random import Random

import pytest

from demos.scenes.circles import circles
from demos.scenes.scene import add_scene
from engine2d import World
from engine2d.shape import Box, Capsule, Circle, Path, Segment

DT = 1 / 60
G = 10.0


def make_world(gravity=G, **options):
    return World(gravity=(0.0, -gravity), **options)


def add_floor(world, friction=0.5, angle=0.0, restitution=0.0):
    """A thick floor whose surface goes through the origin."""
    return world.add_static(
        Box(200, 10, friction=friction, restitution=restitution),
        position=(5 * math.sin(angle), -5 * math.cos(angle)),
        angle=angle,
    )


def run(world, seconds, dt=DT):
    for _ in range(round(seconds / dt)):
        world.step(dt)


# ---- sleep takes nothing that moves


@pytest.mark.parametrize("gravity", [1e-3, 0.1, 10.0])
def test_a_block_just_beyond_the_angle_of_friction_slides(gravity):
    """By a hundredth of a degree, from rest; below it by as much, it stays and sleeps."""
    friction, seconds = 0.5, 2.0
    for beyond in (-0.01, 0.01):
        angle = math.atan(friction) + math.radians(beyond)
        world = make_world(gravity)
        add_floor(world, friction, angle)
        start = (-0.5 * math.sin(angle), 0.5 * math.cos(angle))
        block = world.add_body(Box(1, 1, friction=friction), position=start, angle=angle)
        run(world, seconds)
        pull = gravity * (math.sin(angle) - friction * math.cos(angle))
        way = 0.5 * max(pull, 0.0) * seconds**2
        assert math.dist(block.position, start) == pytest.approx(way, rel=1e-6, abs=1e-15)
        assert block.awake == (beyond > 0)


@pytest.mark.parametrize("speed", [1e-6, 5e-5, 1e-3])
@pytest.mark.parametrize("kind", ["slides", "rolls", "floats"])
def test_slow_bodies_go_on(speed, kind):
    world = make_world(0.0 if kind == "floats" else G)
    add_floor(world, 0.5 if kind == "rolls" else 0.0)
    shape = Circle(0.5) if kind == "rolls" else Box(1, 1, friction=0)
    turning = -speed / 0.5 if kind == "rolls" else 0.0
    body = world.add_body(shape, position=(0, 0.5), velocity=(speed, 0), angular_velocity=turning)
    run(world, 3.0)
    assert body.position[0] == pytest.approx(3.0 * speed, rel=1e-9)
    assert body.awake


def test_weak_gravity_is_no_rest():
    world = make_world(1e-4)
    body = world.add_body(Circle(0.5))
    run(world, 3.0)
    assert body.position[1] == pytest.approx(-0.5e-4 * 9, rel=1e-9)


# ---- floors of many pieces


def tiles(kind, friction):
    """A floor from -6 to 30 whose pieces differ in length."""
    ends = [-6 + 0.25 * k + 0.1 * math.sin(k) for k in range(144)]
    if kind == "path":
        return [Path([(x, 0) for x in ends], closed=False, friction=friction)]
    pairs = pairwise(ends)
    if kind == "segments":
        return [Segment((a, 0), (b, 0), friction=friction) for a, b in pairs]
    return [Box(b - a, 1, center=((a + b) / 2, -0.5), friction=friction) for a, b in pairs]


@pytest.mark.parametrize("kind", ["path", "segments", "boxes"])
@pytest.mark.parametrize("friction", [0.0, 0.2])
@pytest.mark.parametrize("speed", [1.0, 3.0, 10.0])
@pytest.mark.parametrize("shape", [Box(1, 1), Circle(0.5)])
def test_seams_of_a_floor_are_not_felt(kind, friction, speed, shape):
    """As on one long piece: v = v0 - mu g t, or rolling at constant speed."""
    world = make_world()
    for tile in tiles(kind, friction):
        world.add_static(tile)
    body = world.add_body(shape.replace(friction=friction), position=(0, 0.5))
    world.step(DT)
    rolls = isinstance(shape, Circle)
    body.velocity = (speed, 0)
    if rolls and friction:
        body.angular_velocity = -speed / 0.5
    decay = 0.0 if rolls else friction * G
    steps = round(60 * min(2.0, 0.9 * speed / decay if decay else 2.0))
    for k in range(1, steps + 1):
        world.step(DT)
        assert body.velocity[0] == pytest.approx(speed - decay * k * DT, abs=1e-9 * speed)
        assert abs(body.velocity[1]) < 1e-9 * speed


# ---- long steps


@pytest.mark.parametrize("dt", [0.1, 0.5, 2.0])
@pytest.mark.parametrize("solver", ["direct", "iterative"])
@pytest.mark.parametrize("floor", [Box(200, 10, center=(0, -5)), Segment((-100, 0), (100, 0))])
def test_nothing_falls_through_a_floor_in_long_steps(dt, solver, floor):
    random = Random(1)
    for shape in (Box(0.6, 0.4, restitution=0.3), Box(1, 0.1), Circle(0.3, restitution=0.5)):
        for _ in range(4):
            world = make_world(solver=solver)
            world.add_static(floor)
            body = world.add_body(
                shape,
                position=(0, random.uniform(0.6, 8)),
                angle=random.uniform(0, 6),
                velocity=(random.uniform(-3, 3), random.uniform(-3, 3)),
                angular_velocity=random.uniform(-10, 10),
            )
            start = world.energy.total
            for _ in range(round(6 / dt)):
                world.step(dt)
                assert body.position[1] > 0.04
                assert world.energy.total < start * (1 + 1e-6)


def test_a_long_step_is_as_many_short_ones():
    """Places, time and what acts through all of it; each event is told once."""
    worlds = make_world(), make_world()
    for world, dt, n in zip(worlds, (0.5, 0.03125), (1, 16), strict=True):
        add_floor(world, restitution=0.5)
        ball = world.add_body(Circle(0.5, restitution=0.5), position=(0, 1.5))
        begun = []
        world.events.on_begin(begun.append)
        for _ in range(n):
            ball.apply_force((2.0, 0.0))
            world.step(dt)
        assert world.time == 0.5
        assert len(begun) == 1
        assert world.steps == n
    assert worlds[0].positions.tobytes() == worlds[1].positions.tobytes()
    assert worlds[0].velocities.tobytes() == worlds[1].velocities.tobytes()


# ---- energy


def add_room(world, half, friction=0.0, restitution=1.0):
    """Four walls around a square of 2 x half."""
    for x, y, width, height in (
        (0, -half - 1, 2 * half + 4, 2),
        (0, half + 1, 2 * half + 4, 2),
        (-half - 1, 0, 2, 2 * half + 4),
        (half + 1, 0, 2, 2 * half + 4),
    ):
        wall = Box(width, height, friction=friction, restitution=restitution)
        world.add_static(wall, position=(x, y))


def fill_room(world, n, shape, seed):
    random = Random(seed)
    side = math.ceil(math.sqrt(n))
    add_room(world, 0.8 * side + 0.5)
    for k in range(n):
        world.add_body(
            shape,
            position=(1.5 * (k % side - side / 2 + 0.5), 1.5 * (k // side - side / 2 + 0.5)),
            angle=random.uniform(0, 6),
            velocity=(random.uniform(-5, 5), random.uniform(-5, 5)),
            angular_velocity=random.uniform(-3, 3),
        )


@pytest.mark.parametrize("gravity", [0.0, G])
@pytest.mark.parametrize("n", [5, 30, 200])
@pytest.mark.parametrize("width", [None, 0.7])
def test_elastic_bodies_in_a_room_never_gain_energy(gravity, n, width):
    """From step to step, relative to all there is: rounding."""
    shape = (
        Box(width, 0.5, friction=0, restitution=1)
        if width
        else Circle(0.4, friction=0, restitution=1)
    )
    world = make_world(gravity)
    fill_room(world, n, shape, seed=n)
    # potential energy from the floor up
    below = gravity * sum(body.mass for body in world.bodies if body.kind == "dynamic")
    below *= 0.8 * math.ceil(math.sqrt(n)) + 0.5
    before = start = world.energy.total + below
    for _ in range(4000 // n if n > 5 else 300):
        world.step(DT)
        now = world.energy.total + below
        assert now < before + 1e-9 * start
        before = now


def test_fast_falling_discs_do_not_gain_by_being_set_back():
    """In large islands a disc that passed something returns to it, without gravity's work.

    What elastic discs may gain in a step: approaches slower than gravity makes in it are no blows,
    they end at the cost or gain of m (g dt)^2, and who is pushed out of another is lifted by no
    more than the overlap. To gain the way back would be m g times up to a step's way: 1 J here. And
    1 of 1000 blows does not bounce: that of a disc just struck, which nobody had looked for."""
    strikes = losing = 0
    for seed in range(1, 21):
        world = make_world(solver="iterative")
        fill_room(world, 30, Circle(0.4, friction=0, restitution=1), seed=seed)
        start, now = world.energy, world.energy.total
        mass = world.bodies[-1].mass
        for _ in range(300):
            deep = sum(max(0.0, -contact.gap) for contact in world.contacts)
            before = now
            world.step(DT)
            now = world.energy.total
            strikes += world.stats["strikes"]
            losing += now < before - 1e-10 * start.kinetic
            assert now - before < 1e-10 * start.kinetic + mass * G * deep + mass * (G * DT) ** 2
        assert now < start.total + 1e-3 * start.kinetic
    assert strikes > 10000
    assert losing < strikes / 500


@pytest.mark.parametrize("solver", ["auto", "iterative"])
@pytest.mark.parametrize("shape", [Box(1, 1), Circle(0.5)])
def test_bodies_put_into_each_other_do_not_fly_off(solver, shape):
    """Twenty at one place, 3 m/s at most out of an overlap: they part slower than a sixth of it."""
    world = make_world(0.0, solver=solver)
    random = Random(3)
    for _ in range(20):
        world.add_body(shape, position=(random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3)))
    run(world, 3.0)
    # no pair is left with much of an overlap
    assert min((c.gap for c in world.contacts), default=0.0) > -0.02
    assert abs(world.velocities).max() < 0.6


def test_a_deep_overlap_elsewhere_changes_no_bit():
    states = []
    for crowded in (False, True):
        world = make_world()
        add_floor(world)
        heap = [
            world.add_body(Box(0.7, 0.5), position=(0.8 * (k % 8), 0.6 + 0.7 * (k // 8)), angle=k)
            for k in range(48)
        ]
        if crowded:
            for k in range(20):
                world.add_body(Box(1, 1), position=(60 + 0.01 * k, 3 + 0.02 * k))
        run(world, 1.0)
        states.append([(body.position, body.angle, body.velocity) for body in heap])
    assert states[0] == states[1]


# ---- rocking, rolling and standing on arcs and concave shapes


def mean(a, b):
    """The arithmetic-geometric mean."""
    while abs(a - b) > 1e-15 * a:
        a, b = (a + b) / 2, math.sqrt(a * b)
    return a


def swing(world, angle_of, seconds):
    """Mean period (s) and largest angle of the last 4 s."""
    angles, crossings = [], []
    for k in range(round(seconds / DT)):
        world.step(DT)
        angles.append(angle_of())
        if k and angles[-2] < 0 <= angles[-1]:
            crossings.append((k + 1 - angles[-1] / (angles[-1] - angles[-2])) * DT)
    period = (crossings[-1] - crossings[0]) / (len(crossings) - 1)
    return period, max(abs(angle) for angle in angles[-240:])


def load_on(world, body):
    """Sum of the forces of contacts on a body, in its weight."""
    x = y = 0.0
    for c in world.contacts:
        if body in (c.body_a, c.body_b):
            sign = 1 if c.body_a == body else -1
            x += sign * (c.normal_force * c.normal[0] - c.friction_force * c.normal[1])
            y += sign * (c.normal_force * c.normal[1] + c.friction_force * c.normal[0])
    return x / (body.mass * G), y / (body.mass * G)


@pytest.mark.parametrize("start", [0.05, 0.5])
def test_a_half_disc_rocks_on_its_arc(start):
    """(I + m (R^2 + d^2 - 2 R d cos th)) th'^2 / 2 = m g d (cos th - cos start), d = 4 R / 3 pi."""
    world = make_world()
    add_floor(world, friction=1.0)
    half = Path([(-1, 0), (1, 0)], [1.0, 0.0], closed=True, friction=1.0)
    body = world.add_body(half, position=(0, 1), angle=start)
    d, mass, inertia, n = 4 / (3 * math.pi), body.mass, body.inertia, 2000
    quarter = 0.0
    for k in range(n):
        th = start * math.sin((k + 0.5) / n * math.pi / 2)
        moving = (inertia + mass * (1 + d * d - 2 * d * math.cos(th))) / 2
        rate = math.sqrt(mass * G * d * (math.cos(th) - math.cos(start)) / moving)
        quarter += math.sqrt(start**2 - th**2) / rate * math.pi / 2 / n
    period, largest = swing(world, lambda: body.angle, 20)
    assert period == pytest.approx(4 * quarter, rel=1e-4)
    assert largest == pytest.approx(start, rel=1e-3)
    assert body.awake


def bowls(friction):
    """A half circle of radius 5, in several ways."""
    angles = [-math.pi * (1 - k / 10) for k in range(11)]
    rim = [(5 * math.cos(angle), 5 * math.sin(angle)) for angle in angles]
    block = [(-7, -7), (7, -7), (7, 0), (5, 0), (-5, 0), (-7, 0)]
    return {
        "open": Path([(-5, 0), (5, 0)], [1.0], closed=False, friction=friction),
        "pieces": Path(rim, [math.tan(math.pi / 40)] * 10, closed=False, friction=friction),
        "block": Path(block, [0, 0, 0, -1.0, 0, 0], closed=True, friction=friction),
    }


@pytest.mark.parametrize("bowl", ["open", "pieces", "block"])
@pytest.mark.parametrize("kind", ["disc", "capsule", "box"])
def test_bodies_in_a_bowl_are_pendulums(bowl, kind):
    """A disc rolls, the others slide on two points without friction; I / m L of the shape."""
    world = make_world()
    friction = 1.0 if kind == "disc" else 0.0
    world.add_static(bowls(friction)[bowl])
    start = 0.3
    shape, length = {
        "disc": (Circle(0.5, friction=1), 4.5),
        "capsule": (Capsule((-1, 0), (1, 0), 0.3, friction=0), math.sqrt(4.7**2 - 1)),
        "box": (Box(2, 1, friction=0), math.sqrt(24) - 0.5),
    }[kind]
    place = (length * math.sin(start), -length * math.cos(start))
    body = world.add_body(shape, position=place, angle=0 if kind == "disc" else start)
    around = 0.5 * length**2 if kind == "disc" else body.inertia / body.mass
    small = 2 * math.pi * math.sqrt((length**2 + around) / (G * length))
    period, largest = swing(world, lambda: math.atan2(body.position[0], -body.position[1]), 20)
    assert period == pytest.approx(small / mean(1, math.cos(start / 2)), rel=1e-4)
    assert largest == pytest.approx(start, rel=1e-3)


@pytest.mark.parametrize("half_angle", [30, 45, 70])
def test_a_disc_rests_in_a_groove(half_angle):
    world = make_world(sleeping=False)
    t = math.radians(half_angle)
    ends = [(-5 * math.sin(t), 5 * math.cos(t)), (0, 0), (5 * math.sin(t), 5 * math.cos(t))]
    world.add_static(Path(ends, closed=False))
    disc = world.add_body(Circle(0.5), position=(0, 0.5 / math.sin(t)))
    run(world, 2)
    assert disc.position == pytest.approx((0, 0.5 / math.sin(t)), abs=1e-9)
    assert load_on(world, disc) == pytest.approx((0, 1), abs=1e-9)


@pytest.mark.parametrize(
    "points",
    [
        [(0, 0), (2, 0), (2, 0.5), (0.5, 0.5), (0.5, 2), (0, 2)],
        [(0, 0), (2, 0), (2, 2), (1.5, 2), (1.5, 0.5), (0.5, 0.5), (0.5, 2), (0, 2)],
        [(0, 0), (0.5, 0), (0.5, 1.5), (1.5, 1.5), (1.5, 0), (2, 0), (2, 2), (0, 2)],
    ],
    ids=["L", "U", "gate"],
)
def test_concave_shapes_stand(points):
    world = make_world(sleeping=False)
    add_floor(world)
    body = world.add_body(Path(points, closed=True))
    run(world, 5)
    assert body.position == pytest.approx((0, 0), abs=1e-9)
    assert body.angle == pytest.approx(0, abs=1e-9)
    assert load_on(world, body) == pytest.approx((0, 1), abs=1e-9)


# ---- what is moved, and what is made of several shapes


@pytest.mark.parametrize("velocity", [(0, 1), (0, -3), (1, 0), (1, 1)])
def test_a_platform_carries_a_stack_without_a_tremor(velocity):
    world = make_world()
    platform = world.add_kinematic(Box(10, 1), position=(0, -0.5), velocity=velocity)
    stack = [world.add_body(Box(1, 1), position=(0, 0.5 + k), velocity=velocity) for k in range(4)]
    for _ in range(200):
        world.step(DT)
        for body in stack:
            assert body.velocity == pytest.approx(velocity, abs=1e-9)
    for k, body in enumerate(stack):
        x, y = platform.position
        assert body.position == pytest.approx((x, y + 1 + k), abs=1e-9)


@pytest.mark.parametrize("speed", [1e-6, 1e-3])
def test_a_platform_that_starts_wakes_what_sleeps_on_it(speed):
    world = make_world()
    platform = world.add_kinematic(Box(10, 1), position=(0, -0.5))
    body = world.add_body(Box(1, 1), position=(0, 0.5))
    run(world, 1)
    assert not body.awake
    platform.velocity = (speed, 0)
    run(world, 5)
    assert body.position[0] == pytest.approx(5 * speed, rel=5e-3)
    assert body.velocity[0] == pytest.approx(speed, rel=1e-6)


def test_sleep_changes_nothing_that_comes_after():
    """A stack that slept is pushed: it moves as one that did not."""
    ends = []
    for sleeping in (False, True):
        world = make_world(sleeping=sleeping)
        add_floor(world)
        stack = [world.add_body(Box(1, 1), position=(0, 0.5 + k)) for k in range(4)]
        run(world, 2)
        assert stack[0].awake != sleeping
        stack[3].apply_impulse((3, 0))
        run(world, 1)
        ends.append([(*body.position, body.angle) for body in stack])
    for slept, awake in zip(*ends, strict=True):
        assert slept == pytest.approx(awake, abs=1e-9)


def test_a_table_with_four_legs_bears_its_load():
    world = make_world(sleeping=False)
    floor = add_floor(world)
    legs = [Box(0.1, 1, center=(x, 0.5)) for x in (-1.4, -0.5, 0.5, 1.4)]
    table = world.add_body(Box(3, 0.2, center=(0, 1.1)), *legs)
    mass = table.mass
    for k in range(3):
        mass += world.add_body(Box(0.5, 0.5), position=(k - 1, 1.45)).mass
    run(world, 3)
    force = sum(c.normal_force for c in world.contacts if floor in (c.body_a, c.body_b))
    assert force == pytest.approx(mass * G, rel=1e-9)
    assert table.angle == pytest.approx(0, abs=1e-9)


def test_a_lopsided_dumbbell_flies_as_its_centre_does():
    world = make_world()
    body = world.add_body(
        Circle(0.5, center=(-1, 0), density=2),
        Circle(0.25, center=(2, 0)),
        velocity=(3, 8),
        angular_velocity=7,
    )
    x, y = body.center
    start = world.energy.total
    run(world, 3)
    assert body.center == pytest.approx((x + 9, y + 24 - 45), abs=1e-11)
    assert body.angular_velocity == 7
    assert world.energy.total == pytest.approx(start, rel=1e-12)


def test_two_thousand_discs_settle_and_none_escapes():
    """At a mean depth of less than 3 mm, as the springs of large islands leave it."""
    world = make_world()
    scene = circles(2000)
    add_scene(world, scene)
    run(world, 10)
    low, high = scene.sizes["inside"]
    inside = world.positions[scene.moving]
    assert (inside >= low).all()
    assert (inside <= high).all()
    assert world.contacts.arrays["gap"].mean() > -3e-3
