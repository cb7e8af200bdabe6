"""Rules of shapes in space: under every solver, in small and large islands, through every state.

The plane's are in test_rules_laws.py, with the same names and the same semantics.
"""

import pickle

import numpy as np
import pytest

from engine3d import (
    Box,
    Capsule,
    Cylinder,
    Filter,
    HollowSphere,
    Plane,
    Polyhedron,
    Sphere,
    Vec3,
    World,
    scene,
)  # fmt: skip

DT = 1 / 60
G = 9.81


def run(world, seconds):
    for _ in range(round(seconds / DT)):
        world.step(DT)


def add_ground(world, shape, position, many):
    """What the rule is about: fixed, or, with `many`, the top of a heavy slab that lies on fixed
    ground and bears a wall of bricks besides: all that touches it is then one large island."""
    if not many:
        return world.add_static(shape, position=position)
    x, y, z = position
    top = shape.bounds[1].z
    base = Box(100, 40, 1, (0, 0, top - 1.5), density=100, friction=1, filter=Filter(2, 4))
    slab = world.add_body(shape, base, position=position)
    ground = Box(200, 80, 1, friction=1, filter=Filter(4, 2))
    world.add_static(ground, position=(x, y, z + top - 2.5))
    rows = 2 if world._settings()["solver"] == "direct" else 6  # exact solves of many are slow
    for row in range(rows):
        for k in range(rows - row + 1):
            at = (x + 30 + 0.5 * (k + row / 2), y, z + top + 0.125 + 0.25 * row)
            world.add_body(Box(0.5, 0.5, 0.25, friction=1), position=at)
    return slab


class Conveyor:
    """A crate is accelerated by friction mu g, and then carried."""

    seconds = 2.0

    def build(self, world, many):
        belt = Box(100, 40, 1, surface_velocity=(2, 0, 0), friction=0.5)
        add_ground(world, belt, (0, 0, -0.5), many)
        world.add_body(Box(1, 1, 0.5, friction=0.5, tag="it"), position=(-8, 0, 0.25))

    def check(self, world, crate):
        assert crate.velocity.x == pytest.approx(2.0, abs=2e-3)
        way = 2.0 * world.time - 2.0**2 / (2 * 0.5 * G)
        assert crate.position.x == pytest.approx(-8 + way, abs=0.05)
        assert np.linalg.norm(np.array(crate.velocity)[1:]) < 1e-3
        assert np.linalg.norm(crate.angular_velocity) < 1e-3


class Bumper:
    """A ball parts with (e + boost) times the speed it came with."""

    seconds = 0.5

    def build(self, world, many):
        floor = Box(100, 40, 1, restitution=0.8, boost=0.7, friction=0)
        add_ground(world, floor, (0, 0, -0.5), many)
        ball = Sphere(0.25, restitution=0.8, friction=0, density=0.01, tag="it")
        world.add_body(ball, position=(0, 0, 1.25), velocity=(0, 0, -4))

    def check(self, world, ball):
        fallen = (4.0**2 + 2 * G * 1.0) ** 0.5
        time = (fallen - 4.0) / G
        up = 1.5 * fallen - G * (world.time - time)
        # sweeps strike at the end of a step: gravity acts that much longer or less
        assert ball.velocity.z == pytest.approx(up, abs=1.5 * G * DT)


class Rolling:
    """A rolling ball is slowed by c g / (1 + I / (m r^2)) and comes to rest."""

    seconds = 3.0

    def build(self, world, many):
        floor = Box(100, 40, 1, friction=0.8, rolling_resistance=0.1)
        add_ground(world, floor, (0, 0, -0.5), many)
        ball = Sphere(0.5, friction=0.8, tag="it")
        world.add_body(ball, position=(0, 0, 0.5), velocity=(1.5, 0, 0), angular_velocity=(0, 3, 0))

    def check(self, world, ball):
        slowing = 0.1 * G / 1.4
        assert np.linalg.norm(ball.velocity) < 1e-3
        assert ball.position.x == pytest.approx(1.5**2 / (2 * slowing), rel=0.03)


class OneWay:
    """A ball thrown up goes through the platform, and comes to rest on it."""

    seconds = 3.0

    def build(self, world, many):
        add_ground(world, Box(100, 40, 0.2, one_way=(0, 0, 1)), (0, 0, 2), many)
        world.add_body(Sphere(0.3, tag="it"), position=(0, 0, 0.5), velocity=(0, 0, 9))

    def check(self, world, ball):
        assert ball.position.z == pytest.approx(2.4, abs=2e-3)
        assert np.linalg.norm(ball.velocity) < 1e-2


class Sensor:
    """A sensor on the ground tells of what lies in it, and bears nothing."""

    seconds = 1.0

    def build(self, world, many):
        add_ground(world, Box(100, 40, 1), (0, 0, -0.5), many)
        feeler = Box(1, 1, 1, center=(0, 0, -1), sensor=True, tag="feeler")
        world.add_body(
            Box(0.5, 0.5, 0.5, tag="it"), feeler, position=(0, 0, 0.5), mass=1.0,
            inertia=(0.1, 0.1, 0.1),
        )  # fmt: skip

    def check(self, world, box):
        assert box.position.z == pytest.approx(0.25, abs=1e-3)


class Filtered:
    """What does not collide with the ground falls through it, whatever else lies there."""

    seconds = 0.6

    def build(self, world, many):
        add_ground(world, Box(100, 40, 1, filter=Filter(group=-3)), (0, 0, -0.5), many)
        box = Box(0.5, 0.5, 0.5, tag="it", filter=Filter(group=-3))
        world.add_body(box, position=(0, 0, 0.25))

    def check(self, world, box):
        assert box.position.z == pytest.approx(0.25 - G * world.time**2 / 2, abs=0.1)


class Ignored:
    """A box that is let through the ground falls as if there were none."""

    seconds = 0.6

    def build(self, world, many):
        ground = add_ground(world, Box(100, 40, 1), (0, 0, -0.5), many)
        box = world.add_body(Box(0.5, 0.5, 0.5, tag="it"), position=(0, 0, 0.25))
        world.ignore_until_parted(box, ground)

    def check(self, world, box):
        assert box.position.z == pytest.approx(0.25 - G * world.time**2 / 2, abs=0.1)


RULES = [Conveyor, Bumper, Rolling, OneWay, Sensor, Filtered, Ignored]


def the_one(world):
    return next(body for body in world.bodies if any(part.tag == "it" for part in body.shapes))


def through_snapshot(world):
    other = World()
    other.restore(world.snapshot())
    return other


WAYS = {
    "as it is": lambda world: world,
    "snapshot": through_snapshot,
    "pickle": lambda world: pickle.loads(pickle.dumps(world)),
    "copy": lambda world: world.copy(),
    "scene": lambda world: scene.loads(scene.dumps(world)),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("many", [False, True], ids=["small", "large"])
@pytest.mark.parametrize("solver", ["auto", "direct", "iterative"])
@pytest.mark.parametrize("rule", RULES)
def test_a_rule_holds_everywhere(rule, solver, many, way):
    world = World(solver=solver)
    rule = rule()
    rule.build(world, many)
    world = WAYS[way](world)
    run(world, rule.seconds)
    rule.check(world, the_one(world))
    # and in the middle of it; a scene has no contacts and no clock
    half = World(solver=solver)
    rule.build(half, many)
    run(half, rule.seconds / 2)
    half = WAYS[way](half)
    run(half, rule.seconds - round(rule.seconds / 2 / DT) * DT)
    if way == "scene":
        assert np.allclose(half.positions, world.positions, rtol=0, atol=2e-2)
    else:
        assert np.array_equal(half.positions, world.positions)


def test_a_belt_carries_a_wall_at_a_steady_speed():
    """Once all of it goes with the belt, it does so to rounding, and stays as it was built."""
    for solver in ("auto", "iterative"):
        world = World(solver=solver)
        world.add_static(Plane((0, 0, 1), surface_velocity=(2, 1, 0), friction=0.25))
        bricks = [
            world.add_body(
                Box(1, 0.5, 0.5, friction=1), position=(k + row / 2, 0, 0.25 + row / 2),
                velocity=(2, 1, 0),
            )
            for row in range(5)
            for k in range(10 - row)
        ]  # fmt: skip
        before = world.positions[1:] - bricks[0].position
        run(world, 5)
        assert np.allclose(world.velocities[1:], (2, 1, 0), rtol=0, atol=1e-6)
        assert np.allclose(world.positions[1:] - bricks[0].position, before, rtol=0, atol=0.01)


@pytest.mark.parametrize("way", [0.0, 0.4, 2.0])
def test_a_belt_drives_alike_in_all_directions(way):
    """The crate's way across the floor is the same whichever way the belt runs."""
    far = []
    for angle in (0.0, way):
        world = World()
        u = (2 * np.cos(angle), 2 * np.sin(angle), 0)
        world.add_static(Plane((0, 0, 1), surface_velocity=u))
        half = 0.5 * angle
        crate = world.add_body(
            Box(1, 1, 0.5), position=(0, 0, 0.25), orientation=(np.cos(half), 0, 0, np.sin(half))
        )
        run(world, 1)
        far.append(np.hypot(*crate.position[:2]))
        assert np.arctan2(crate.position.y, crate.position.x) == pytest.approx(angle, abs=1e-9)
    assert far[0] == pytest.approx(far[1], abs=1e-9)


@pytest.mark.parametrize("solver", ["auto", "iterative"])
def test_a_one_way_platform_holds_what_is_pressed_into_it(solver):
    """A block of 5 t falls on a wall that stands on it: none of it comes out below."""
    world = World(solver=solver)
    world.add_static(Box(12, 12, 0.2, one_way=(0, 0, 1)))
    for k in range(50):
        at = (-1 + 0.5 * (k % 5), 0.25 * (k // 25), 0.35 + 0.5 * ((k // 5) % 5))
        world.add_body(Box(0.5, 0.25, 0.5), position=at)
    world.add_body(Box(3, 1, 1, density=1000), position=(0, 0, 5))
    for _ in range(150):
        before = world.positions.copy()
        world.step(DT)
        over = (np.abs(world.positions[:, :2]).max(axis=1) < 5.5) & (before[:, 2] > 0)
        assert (world.positions[over][:, 2] > -0.1).all()


def test_who_is_ignored_is_forgotten_when_he_is_removed():
    world = World()
    floor = world.add_static(Box(9, 9, 1), position=(0, 0, -0.5))
    gone = world.add_body(Box(1, 1, 1), position=(0, 0, 0.5))
    world.ignore_until_parted(floor, gone)
    world.remove(gone)
    box = world.add_body(Box(1, 1, 1, tag="it"), position=(0, 0, 0.5))
    for way in WAYS.values():
        other = way(world)
        run(other, 1)
        assert the_one(other).position.z == pytest.approx(0.5, abs=1e-3)
    with pytest.raises(ValueError, match="twice"):
        world.ignore_until_parted(box, box)
    with pytest.raises(ValueError, match="another"):
        world.ignore_until_parted(box, World().add_body(Sphere(1)))
    with pytest.raises(TypeError, match="bodies"):
        world.ignore_until_parted(box, 3)


@pytest.mark.parametrize("solver", ["direct", "iterative"])
class TestWhatSleeps:
    def test_wakes_when_its_belt_begins_to_run(self, solver):
        world = World(solver=solver)
        belt = world.add_static(Box(100, 100, 1), position=(0, 0, -0.5))
        crate = world.add_body(Box(1, 1, 0.5), position=(0, 0, 0.25))
        run(world, 2)
        assert not crate.awake
        belt.shapes[0].surface_velocity = (1, 0, 0)
        run(world, 2)
        assert crate.velocity.x == pytest.approx(1.0, abs=2e-3)
        belt.shapes[0].surface_velocity = (0, 0, 0)
        run(world, 2)
        assert not crate.awake

    def test_falls_through_when_it_is_told_to(self, solver):
        """Ignore until parted: it falls through one plank, and rests on the next."""
        world = World(solver=solver)
        planks = [world.add_static(Box(4, 4, 0.1), position=(0, 0, z)) for z in (3, 1)]
        box = world.add_body(Box(0.5, 0.5, 0.5), position=(0, 0, 3.3))
        run(world, 2)
        assert box.position.z == pytest.approx(3.3, abs=1e-3)
        assert not box.awake
        ends = []
        world.events.on_end(ends.append)
        world.ignore_until_parted(box, planks[0])
        run(world, 2)
        assert box.position.z == pytest.approx(1.3, abs=1e-3)
        assert len(ends) == 1
        box.position = (0, 0, 5)
        run(world, 2)
        assert box.position.z == pytest.approx(3.3, abs=1e-3)

    def test_is_asked_for_by_a_new_filter(self, solver):
        world = World(solver=solver)
        floor = world.add_static(Box(40, 40, 1), position=(0, 0, -0.5))
        boxes = [world.add_body(Box(0.5, 0.5, 0.5), position=(2 * k, 0, 0.25)) for k in range(4)]
        run(world, 2)
        ghost = boxes[2].id
        asked = []

        def keep(rows):
            asked.append(len(rows))
            return (rows["body_a"] != ghost) & (rows["body_b"] != ghost)

        world.contact_filter = keep
        run(world, 0.5)
        assert asked
        assert boxes[2].position.z < -0.5
        assert not boxes[2].contacts
        for box in (boxes[0], boxes[1], boxes[3]):
            assert box.position.z == pytest.approx(0.25, abs=1e-3)
        assert floor.contacts
        world.contact_filter = None
        assert world.contact_filter is None


@pytest.mark.parametrize("solver", ["direct", "iterative"])
@pytest.mark.parametrize("speed", [5, 300])
def test_a_filter_is_asked_about_what_is_fast(solver, speed):
    """A ghost goes through a wall, whatever its speed; another ball beside it does not."""
    world = World((0, 0, 0), solver=solver)
    world.add_static(Box(0.1, 8, 8))
    ghost, ball = (
        world.add_body(Sphere(0.1), position=(-1.05, y, 0), velocity=(speed, 0, 0)) for y in (-1, 1)
    )
    world.contact_filter = lambda rows: (rows["body_a"] != ghost.id) & (rows["body_b"] != ghost.id)
    run(world, 3 / speed + 0.1)
    assert ghost.velocity == (speed, 0, 0)
    assert ghost.position.x == pytest.approx(-1.05 + speed * world.time, rel=1e-12)
    assert ball.position.x < 0


@pytest.mark.parametrize("solver", ["direct", "iterative"])
def test_a_filter_may_leave_out_some_of_a_face(solver):
    """Half of a table's points bear nothing: what stands there tips over."""
    world = World(solver=solver)
    world.add_static(Plane((0, 0, 1)))
    box = world.add_body(Box(1, 1, 1), position=(0, 0, 0.5))
    world.contact_filter = lambda rows: rows["point"][:, 0] < 0
    run(world, 0.5)
    assert box.angular_velocity.y > 0.1


@pytest.mark.parametrize("solver", ["direct", "iterative"])
@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_only_a_boost_gives_energy(solver, e):
    """Balls between bumpers: without boost the energy never rises, with it each blow may."""
    for boost in (0.0, 0.3):
        world = World((0, 0, 0), solver=solver)
        for x in (-2, 2):
            world.add_static(Box(1, 20, 20, restitution=e, boost=boost), position=(x, 0, 0))
        for k in range(3):
            world.add_body(
                Sphere(0.3, restitution=e), position=(0, 2 * k, 0), velocity=(3 + k, 0.1, 0.2)
            )
        energies = [world.energy.total]
        for _ in range(40):
            world.step(DT)
            energies.append(world.energy.total)
        risen = max(np.diff(energies)) / energies[0]
        assert (risen > 1e-3) == (boost > 0 and e + boost > 1)


@pytest.mark.parametrize("solver", ["direct", "iterative"])
def test_a_belt_on_a_moving_body_drives_it(solver):
    """A tank's track: its surface runs back, so it goes forward, whichever way it looks."""
    world = World(solver=solver)
    world.add_static(Plane((0, 0, 1), friction=1))
    turn = (np.cos(0.5), 0, 0, np.sin(0.5))
    track = Box(2, 1, 1, friction=1, surface_velocity=(-3, 0, 0))
    tank = world.add_body(track, position=(0, 0, 0.5), orientation=turn)
    run(world, 2)
    assert tank.velocity == pytest.approx((3 * np.cos(1), 3 * np.sin(1), 0), abs=5e-3)


@pytest.mark.parametrize("solver", ["direct", "iterative"])
@pytest.mark.parametrize(("slope", "rests"), [(0.05, True), (0.09, True), (0.2, False)])
def test_a_sphere_rests_on_a_slope_that_is_not_steeper_than_its_resistance(solver, slope, rests):
    """It rolls where tan(slope) > c: there the weight's moment is more than c r N."""
    gravity = (G * np.sin(slope), 0, -G * np.cos(slope))
    world = World(gravity, solver=solver)
    world.add_static(Plane((0, 0, 1), friction=1, rolling_resistance=0.1))
    ball = world.add_body(Sphere(0.5, friction=1), position=(0, 0, 0.5))
    run(world, 2)
    if rests:
        assert abs(ball.velocity.x) < 1e-4
        assert abs(ball.position.x) < 0.02
        run(world, 1)
        assert not ball.awake
    else:
        a = (gravity[0] + 0.1 * gravity[2]) / 1.4
        assert ball.velocity.x == pytest.approx(2 * a, rel=0.02)


@pytest.mark.parametrize("solver", ["direct", "iterative"])
def test_a_spinning_sphere_is_stopped_by_its_resistance_to_spin(solver):
    """Slowed by c r m g / I: from 10 rad/s in w I / (c r m g)."""
    world = World(solver=solver)
    world.add_static(Plane((0, 0, 1), friction=1, spin_resistance=0.1))
    ball = world.add_body(Sphere(0.5, friction=1), position=(0, 0, 0.5), angular_velocity=(0, 0, 9))
    slowing = 0.1 * 0.5 * G / (0.4 * 0.25)
    run(world, 1)
    assert ball.angular_velocity.z == pytest.approx(9 - slowing, rel=0.02)
    run(world, 2)
    assert abs(ball.angular_velocity.z) < 1e-4


@pytest.mark.parametrize("solver", ["direct", "iterative"])
@pytest.mark.parametrize("speed", [3, 60, 900])
def test_one_way_shapes_stop_what_comes_from_the_front_however_fast(solver, speed):
    world = World((0, 0, 0), solver=solver)
    world.add_static(Box(6, 6, 0.02, one_way=(0, 0, 1)))
    down = world.add_body(Sphere(0.2), position=(-1, 0, 1), velocity=(0, 0, -speed))
    up = world.add_body(Sphere(0.2), position=(1, 0, -1), velocity=(0, 0, speed))
    run(world, 1)
    assert down.position.z >= 0.19
    assert up.velocity == (0, 0, speed)
    assert up.position.z == pytest.approx(-1 + speed * world.time, rel=1e-12)


SHAPES = {
    "sphere": lambda **rule: Sphere(1, **rule),
    "box": lambda **rule: Box(1, 1, 1, **rule),
    "capsule": lambda **rule: Capsule((0, 0, 0), (1, 0, 0), 0.2, **rule),
    "cylinder": lambda **rule: Cylinder(1, 1, **rule),
    "polyhedron": lambda **rule: Polyhedron(np.eye(4, 3), **rule),
    "plane": lambda **rule: Plane((0, 0, 1), **rule),
    "hollow sphere": lambda **rule: HollowSphere(3, **rule),
}


@pytest.mark.parametrize("name", SHAPES)
def test_every_shape_takes_the_rules(name):
    rules = {"surface_velocity": (1, 2, 3), "one_way": (0, 0, 2), "boost": 0.5}
    shape = SHAPES[name](**rules)
    for rule, value in rules.items():
        assert getattr(shape, rule) == value
        assert rule in repr(shape)
    assert pickle.loads(pickle.dumps(shape)) == shape
    assert eval(repr(shape), {**globals(), "Vec3": Vec3}) == shape
    plain = SHAPES[name]()
    assert plain.surface_velocity == (0, 0, 0)
    assert plain.one_way is None
    assert plain.boost == 0
    assert plain != shape
    assert plain.replace(**rules) == shape
    world = World()
    world.add_static(shape)
    assert scene.loads(scene.dumps(world)).bodies[0].shapes[0].shape == shape


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("surface_velocity", (1, np.nan, 0)),
        ("surface_velocity", (1, 0)),
        ("surface_velocity", 3),
        ("one_way", (0, 0, 0)),
        ("one_way", "up"),
        ("boost", -1),
        ("rolling_resistance", np.inf),
    ],
)
def test_bad_rules_are_refused(name, value):
    with pytest.raises((ValueError, TypeError), match=name):
        Capsule((0, 0, 0), (1, 0, 0), 0.2, **{name: value})
    part = World().add_body(Sphere(1)).shapes[0]
    with pytest.raises((ValueError, TypeError), match=name):
        setattr(part, name, value)


def test_bad_filters_are_refused():
    world = World()
    world.add_static(Plane((0, 0, 1)))
    world.add_body(Box(1, 1, 1), position=(0, 0, 0.5))
    with pytest.raises(TypeError, match="contact_filter"):
        world.contact_filter = 3
    for wrong in (
        lambda rows: np.ones(len(rows)),
        lambda rows: np.ones(99, bool),
        lambda rows: None,
    ):
        world.contact_filter = wrong
        with pytest.raises(ValueError, match="contact_filter must return"):
            world.step(DT)
    world.contact_filter = lambda rows: 1 / 0
    with pytest.raises(ZeroDivisionError):
        world.step(DT)
    world.contact_filter = lambda rows: world.step(DT)
    with pytest.raises(RuntimeError):
        world.step(DT)
    world.contact_filter = None
    run(world, 1)
    assert world.bodies[1].position.z == pytest.approx(0.5, abs=1e-3)


@pytest.mark.parametrize("way", ["snapshot", "pickle"])
def test_what_is_to_pass_passes_also_after_it_was_put_away(way):
    """Asked for before the first step: no pair knows of it yet."""
    world = World(gravity=(0, 0, 0))
    wall = world.add_static(Box(1, 4, 4), position=(2, 0, 0))
    ball = world.add_body(Sphere(0.5), position=(1.2, 0, 0), velocity=(6, 0, 0))
    world.ignore_until_parted(wall, ball)
    if way == "pickle":
        world = pickle.loads(pickle.dumps(world))
    else:
        state = world.snapshot()
        run(world, 0.2)
        world.restore(state)
    run(world, 0.5)
    assert world.bodies[1].velocity == pytest.approx((6, 0, 0), abs=1e-12)
    assert world.bodies[1].position.x == pytest.approx(1.2 + 6 * 0.5, abs=1e-9)
