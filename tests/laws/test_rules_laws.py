"""Rules for collisions are data: each holds under both solvers, in small and large islands, asleep
and awake, through snapshots, pickles and scene files."""

import pickle

import numpy as np
import pytest

from engine2d import Box, Capsule, Circle, Filter, Segment, World, scene

G = 9.81
DT = 1 / 60


def run(world, seconds):
    for _ in range(round(seconds / DT)):
        world.step(DT)


def add_ground(world, shape, position, many):
    """What the rule is about: fixed, or, with `many`, the top of a heavy slab that lies on fixed
    ground and bears a wall of bricks besides: all that touches it is then one large island."""
    if not many:
        return world.add_static(shape, position=position)
    x, y = position
    top = shape.bounds[1].y
    base = Box(100, 1, center=(0, top - 1.5), density=100, friction=1, filter=Filter(2, 4))
    slab = world.add_body(shape, base, position=position)
    world.add_static(Box(200, 1, friction=1, filter=Filter(4, 2)), position=(x, y + top - 2.5))
    rows = 3 if world._settings()["solver"] == "direct" else 7  # exact solves of many are slow
    for row in range(rows):
        for k in range(rows - row + 2):
            world.add_body(
                Box(0.5, 0.25, friction=1),
                position=(x + 30 + 0.5 * (k + row / 2), y + top + 0.125 + 0.25 * row),
            )
    return slab


# ---- the rules: a scene, and what must be so at the end ------------------------------------------


class Conveyor:
    """A crate is brought to the belt's speed by friction mu g, and then carried."""

    seconds = 2.0

    def build(self, world, many):
        belt = Box(100, 1, surface_velocity=(2, 0), friction=0.5)
        add_ground(world, belt, (0, -0.5), many)
        world.add_body(Box(1, 0.5, friction=0.5, tag="it"), position=(-8, 0.25))

    def check(self, world, crate):
        assert crate.velocity.x == pytest.approx(2.0, abs=2e-3)
        # at rest on the ground until it slides no more: v^2 / (2 mu g) less than the belt
        way = 2.0 * world.time - 2.0**2 / (2 * 0.5 * G)
        assert crate.position.x == pytest.approx(-8 + way, abs=0.05)
        assert crate.velocity.y == pytest.approx(0.0, abs=1e-3)


class Bumper:
    """A ball parts with (e + boost) times the speed it came with; the work is booked."""

    seconds = 0.5

    def build(self, world, many):
        floor = Box(100, 1, restitution=0.8, boost=0.7, friction=0)
        add_ground(world, floor, (0, -0.5), many)
        ball = Circle(0.25, restitution=0.8, friction=0, density=0.01, tag="it")
        world.add_body(ball, position=(0, 1.25), velocity=(0, -4))

    def check(self, world, ball):
        fallen = (4.0**2 + 2 * G * 1.0) ** 0.5
        time = (fallen - 4.0) / G
        up = 1.5 * fallen - G * (world.time - time)
        # sweeps strike at the end of a quarter of a step: gravity acts that much longer or less
        assert ball.velocity.y == pytest.approx(up, abs=1.5 * G * DT / 4)


class Rolling:
    """A rolling disc is slowed by c g / (1 + I / (m r^2)) and comes to rest."""

    seconds = 3.0

    def build(self, world, many):
        floor = Box(100, 1, friction=0.8, rolling_resistance=0.1)
        add_ground(world, floor, (0, -0.5), many)
        world.add_body(
            Circle(0.5, friction=0.8, tag="it"), position=(0, 0.5), velocity=(1.5, 0),
            angular_velocity=-3,
        )  # fmt: skip

    def check(self, world, ball):
        slowing = 0.1 * G / 1.5
        assert abs(ball.velocity.x) < 1e-3
        assert ball.position.x == pytest.approx(1.5**2 / (2 * slowing), rel=0.03)


class OneWay:
    """A ball thrown up goes through the platform, and comes to rest on it."""

    seconds = 3.0

    def build(self, world, many):
        add_ground(world, Box(100, 0.2, one_way=(0, 1)), (0, 2), many)
        world.add_body(Circle(0.3, tag="it"), position=(0, 0.5), velocity=(0, 9))

    def check(self, world, ball):
        assert ball.position.y == pytest.approx(2.4, abs=2e-3)
        assert abs(ball.velocity) < 1e-2


class Sensor:
    """A sensor on the ground tells of what lies in it, and bears nothing."""

    seconds = 1.0

    def build(self, world, many):
        add_ground(world, Box(100, 1), (0, -0.5), many)
        world.add_body(
            Box(0.5, 0.5, tag="it"), Box(1, 1, center=(0, -1), sensor=True, tag="feeler"),
            position=(0, 0.5), mass=1.0, inertia=0.1,
        )  # fmt: skip

    def check(self, world, box):
        assert box.position.y == pytest.approx(0.25, abs=1e-3)


class Filtered:
    """What does not collide with the ground falls through it, whatever else lies there."""

    seconds = 0.6

    def build(self, world, many):
        add_ground(world, Box(100, 1, filter=Filter(group=-3)), (0, -0.5), many)
        world.add_body(Box(0.5, 0.5, tag="it", filter=Filter(group=-3)), position=(0, 0.25))

    def check(self, world, box):
        assert box.position.y == pytest.approx(0.25 - G * world.time**2 / 2, abs=0.1)


class Ignored:
    """A box that is let through the ground falls as if there were none."""

    seconds = 0.6

    def build(self, world, many):
        ground = add_ground(world, Box(100, 1), (0, -0.5), many)
        box = world.add_body(Box(0.5, 0.5, tag="it"), position=(0, 0.25))
        world.ignore_until_parted(box, ground)

    def check(self, world, box):
        assert box.position.y == pytest.approx(0.25 - G * world.time**2 / 2, abs=0.1)


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


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("rule", RULES)
def test_a_rule_holds_under_the_exact_clock(rule, way):
    """The same scenes; in the middle of them the world is copied, and the clocks take turns."""
    worlds = [World(), World()]
    rule = rule()
    for world in worlds:
        rule.build(world, False)
    world, other = worlds
    world.advance(rule.seconds)
    rule.check(world, the_one(world))
    other.advance(rule.seconds / 4)
    run(other, rule.seconds / 4)
    other = WAYS[way](other)
    other.advance(rule.seconds * 3 / 4 - round(rule.seconds / 4 / DT) * DT)
    if way != "scene":
        rule.check(other, the_one(other))
    assert np.allclose(world.positions, other.positions, rtol=0, atol=2e-2)


def test_a_belt_carries_a_wall_at_a_steady_speed():
    """Once all of it goes with the belt, it does so to rounding, and stays as it was built."""
    for solver in ("auto", "iterative"):
        world = World(solver=solver)
        world.add_static(Box(400, 1, surface_velocity=(2, 0), friction=0.25), position=(0, -0.5))
        bricks = [
            world.add_body(
                Box(1, 0.5, friction=1), position=(k + row / 2, 0.25 + row / 2), velocity=(2, 0)
            )
            for row in range(6)
            for k in range(12 - row)
        ]
        before = world.positions[1:] - bricks[0].position
        run(world, 5)
        assert np.allclose(world.velocities[1:], (2, 0), rtol=0, atol=1e-6)
        assert np.allclose(world.positions[1:] - bricks[0].position, before, rtol=0, atol=0.01)


@pytest.mark.parametrize("solver", ["auto", "iterative"])
def test_a_one_way_platform_holds_what_is_pressed_into_it(solver):
    """A block of 5 t falls on a wall that stands on it: it holds as a platform of two ways does."""
    for one_way in ((0, 1), None):
        world = World(solver=solver)
        world.add_static(Box(12, 0.2, one_way=one_way))
        for k in range(100):
            world.add_body(Box(0.5, 0.5), position=(-2.5 + 0.5 * (k % 10), 0.35 + 0.5 * (k // 10)))
        world.add_body(Box(5, 1, density=1000), position=(0, 7))
        before = world.positions
        for _ in range(240):
            before = world.positions.copy()
            world.step(DT)
            over = (np.abs(world.positions[:, 0]) < 5.5) & (before[:, 1] > 0)
            assert (world.positions[over][1:, 1] > -0.1).all()


def test_who_is_ignored_is_forgotten_when_he_is_removed():
    world = World()
    floor = world.add_static(Box(9, 1), position=(0, -0.5))
    gone = world.add_body(Box(1, 1), position=(0, 0.5))
    world.ignore_until_parted(floor, gone)
    world.remove(gone)
    box = world.add_body(Box(1, 1, tag="it"), position=(0, 0.5))
    for way in WAYS.values():
        other = way(world)
        run(other, 1)
        assert the_one(other).position.y == pytest.approx(0.5, abs=1e-3)
    with pytest.raises(ValueError, match="twice"):
        world.ignore_until_parted(box, box)


@pytest.mark.parametrize("solver", ["direct", "iterative"])
class TestWhatSleeps:
    def test_wakes_when_its_belt_begins_to_run(self, solver):
        world = World(solver=solver)
        belt = world.add_static(Box(100, 1), position=(0, -0.5))
        crate = world.add_body(Box(1, 0.5), position=(0, 0.25))
        run(world, 2)
        assert not crate.awake
        belt.shapes[0].surface_velocity = (1, 0)
        run(world, 2)
        assert crate.velocity.x == pytest.approx(1.0, abs=2e-3)
        belt.shapes[0].surface_velocity = (0, 0)
        run(world, 2)
        assert not crate.awake

    def test_falls_through_when_it_is_told_to(self, solver):
        """Ignore until parted: it falls through one plank, and rests on the next."""
        world = World(solver=solver)
        planks = [world.add_static(Box(4, 0.1), position=(0, y)) for y in (3, 1)]
        box = world.add_body(Box(0.5, 0.5), position=(0, 3.3))
        run(world, 2)
        assert box.position.y == pytest.approx(3.3, abs=1e-3)
        assert not box.awake
        ends = []
        world.events.on_end(ends.append)
        world.ignore_until_parted(box, planks[0])
        run(world, 2)
        assert box.position.y == pytest.approx(1.3, abs=1e-3)
        assert len(ends) == 1
        box.position = (0, 5)
        run(world, 2)
        assert box.position.y == pytest.approx(3.3, abs=1e-3)

    def test_is_asked_for_by_a_new_filter(self, solver):
        world = World(solver=solver)
        floor = world.add_static(Box(40, 1), position=(0, -0.5))
        boxes = [world.add_body(Box(0.5, 0.5), position=(2 * k, 0.25)) for k in range(4)]
        run(world, 2)
        ghost = boxes[2].id
        asked = []

        def keep(rows):
            asked.append(len(rows))
            return (rows["body_a"] != ghost) & (rows["body_b"] != ghost)

        world.contact_filter = keep
        run(world, 0.5)
        assert asked
        assert boxes[2].position.y < -0.5
        assert not boxes[2].contacts
        for box in (boxes[0], boxes[1], boxes[3]):
            assert box.position.y == pytest.approx(0.25, abs=1e-3)
        assert floor.contacts
        world.contact_filter = None
        assert world.contact_filter is None


@pytest.mark.parametrize("solver", ["direct", "iterative"])
@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_only_a_boost_gives_energy(solver, e):
    """Balls between bumpers: without boost the energy never rises, with it each blow may."""
    for boost in (0.0, 0.3):
        world = World((0, 0), solver=solver)
        for x in (-2, 2):
            world.add_static(Box(1, 20, restitution=e, boost=boost), position=(x, 0))
        for k in range(3):
            world.add_body(Circle(0.3, restitution=e), position=(0, 2 * k), velocity=(3 + k, 0.1))
        energies = [world.energy.total]
        for _ in range(40):
            world.step(DT)
            energies.append(world.energy.total)
        risen = max(np.diff(energies)) / energies[0]
        assert (risen > 1e-3) == (boost > 0 and e + boost > 1)


@pytest.mark.parametrize("solver", ["direct", "iterative"])
def test_a_belt_on_a_moving_body_drives_it(solver):
    """A tank's track: its surface runs back, so it goes forward; momentum comes from the ground."""
    world = World(solver=solver)
    world.add_static(Box(200, 1, friction=1), position=(0, -0.5))
    tank = world.add_body(Box(2, 1, friction=1, surface_velocity=(-3, 0)), position=(0, 0.5))
    run(world, 2)
    assert tank.velocity.x == pytest.approx(3.0, abs=5e-3)


@pytest.mark.parametrize("solver", ["direct", "iterative"])
@pytest.mark.parametrize(("slope", "rests"), [(0.05, True), (0.2, False)])
def test_a_disc_rests_on_a_slope_that_is_not_steeper_than_its_resistance(solver, slope, rests):
    """It rolls where tan(slope) > c: there the weight's moment is more than c r N."""
    gravity = (G * np.sin(slope), -G * np.cos(slope))
    world = World(gravity, solver=solver)
    world.add_static(Box(200, 1, friction=1, rolling_resistance=0.1), position=(0, -0.5))
    disc = world.add_body(Circle(0.5, friction=1), position=(0, 0.5))
    run(world, 2)
    if rests:
        assert abs(disc.velocity.x) < 1e-4
        assert abs(disc.position.x) < 0.02
    else:
        a = (gravity[0] + 0.1 * gravity[1]) / 1.5
        assert disc.velocity.x == pytest.approx(2 * a, rel=0.02)


@pytest.mark.parametrize("solver", ["direct", "iterative"])
@pytest.mark.parametrize("speed", [3, 60])
def test_one_way_shapes_stop_what_comes_from_the_front_however_fast(solver, speed):
    world = World((0, 0), solver=solver)
    world.add_static(Segment((-3, 0), (3, 0), one_way=(0, 1)))
    down = world.add_body(Circle(0.2), position=(-1, 1), velocity=(0, -speed))
    up = world.add_body(Circle(0.2), position=(1, -1), velocity=(0, speed))
    run(world, 1)
    assert down.position.y >= 0.19
    assert up.velocity == (0, speed)
    assert up.position.y == pytest.approx(-1 + speed * world.time, rel=1e-12)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("surface_velocity", (1, np.nan)),
        ("surface_velocity", 3),
        ("one_way", (0, 0)),
        ("one_way", "up"),
        ("boost", -1),
        ("rolling_resistance", np.inf),
    ],
)
def test_bad_rules_are_refused(name, value):
    with pytest.raises((ValueError, TypeError), match=name):
        Capsule((0, 0), (1, 0), 0.2, **{name: value})
    part = World().add_body(Circle(1)).shapes[0]
    with pytest.raises((ValueError, TypeError), match=name):
        setattr(part, name, value)


def test_bad_filters_are_refused():
    world = World()
    world.add_static(Box(9, 1), position=(0, -0.5))
    world.add_body(Box(1, 1), position=(0, 0.5))
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
    world.contact_filter = None
    run(world, 1)
    assert world.bodies[1].position.y == pytest.approx(0.5, abs=1e-3)


@pytest.mark.parametrize("way", ["snapshot", "pickle"])
def test_what_is_to_pass_passes_also_after_it_was_put_away(way):
    """Asked for before the first step: no pair knows of it yet."""
    world = World(gravity=(0, 0))
    wall = world.add_static(Box(1, 4), position=(2, 0))
    ball = world.add_body(Circle(0.5), position=(1.2, 0), velocity=(6, 0))
    world.ignore_until_parted(wall, ball)
    if way == "pickle":
        world = pickle.loads(pickle.dumps(world))
    else:
        state = world.snapshot()
        run(world, 0.2)
        world.restore(state)
    run(world, 0.5)
    assert world.bodies[1].velocity == pytest.approx((6, 0), abs=1e-12)
    assert world.bodies[1].position.x == pytest.approx(1.2 + 6 * 0.5, abs=1e-9)
