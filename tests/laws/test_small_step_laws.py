"""The fixed step on small islands against closed forms and conservation laws.

Default settings, dt = 1/60 and g = 10 unless said otherwise.
"""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine2d.impact import collide
from engine2d.shape import Box, Circle, Path, Polygon
from engine2d.world import World
from tests.support import MET, counts

DT = 1 / 60
G = 10.0


def make_world(gravity=(0.0, -G)):
    return World(gravity=gravity, sleeping=False)


def add_floor(world, angle=0.0, friction=0.5, restitution=0.0):
    """A thick floor whose surface goes through the origin."""
    return world.add_static(
        Box(100, 10, friction=friction, restitution=restitution),
        position=(5 * math.sin(angle), -5 * math.cos(angle)),
        angle=angle,
    )


def add_box(world, width, height, x, y, friction=0.5, restitution=0.0, **more):
    shape = Box(width, height, friction=friction, restitution=restitution)
    return world.add_body(shape, position=(x, y), **more)


def run(world, seconds, dt=DT):
    for _ in range(round(seconds / dt)):
        world.step(dt)


def speed_of(body):
    return math.hypot(*body.velocity) + abs(body.angular_velocity)


def least_gap(world):
    return min(contact.gap for contact in world.contacts)


def force_on(world, body):
    """N, the sum of normal forces at a body."""
    return sum(c.normal_force for c in world.contacts if body in (c.body_a, c.body_b))


# ---- at rest


def test_an_upright_block_is_still():
    world = make_world()
    add_floor(world)
    block = add_box(world, 1, 3, 0, 1.5)
    run(world, 2)
    fastest = 0.0
    for _ in range(3480):
        world.step(DT)
        fastest = max(fastest, speed_of(block))
    assert fastest < 1e-9
    assert block.position == pytest.approx((0, 1.5), abs=1e-6)
    assert block.angle == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("tilt", [1e-3, -1e-3, 1e-5])
def test_a_tilted_block_settles_upright(tilt):
    world = make_world()
    add_floor(world)
    block = add_box(world, 1, 3, 0, 1.5 * math.cos(tilt) + 0.5 * abs(math.sin(tilt)), angle=tilt)
    run(world, 10)
    assert block.angle == pytest.approx(0, abs=1e-6)
    assert speed_of(block) < 1e-9


def test_a_stack_of_ten_neither_sinks_nor_shifts_and_the_floor_bears_its_weight():
    world = make_world()
    floor = add_floor(world)
    stack = [add_box(world, 1, 1, 0, k + 0.5) for k in range(10)]
    run(world, 10)
    assert least_gap(world) > -1e-8
    assert max(abs(body.position[0]) for body in stack) < 1e-8
    assert force_on(world, floor) == pytest.approx(10 * G, rel=1e-9)


@pytest.mark.parametrize("ratio", [1e2, 1e4, 1e6])
def test_light_boxes_carry_a_heavy_one(ratio):
    world = make_world()
    floor = add_floor(world)
    for k in range(4):
        add_box(world, 1, 1, 0, k + 0.5)
    top = add_box(world, 1, 1, 0, 4.5, mass=ratio)
    for _ in range(20):
        run(world, 1)
        assert least_gap(world) > -1e-5
    assert top.position == pytest.approx((0, 4.5), abs=1e-5)
    assert force_on(world, floor) == pytest.approx((4 + ratio) * G, rel=1e-6)


def build_arch(thickness):
    """Nine voussoirs in a half circle of radius 5, thickness in radii."""
    world = make_world()
    add_floor(world, friction=0.8)
    inner, outer = 5 * (1 - thickness / 2), 5 * (1 + thickness / 2)
    stones = []
    for k in range(9):
        low, high = math.pi * k / 9, math.pi * (k + 1) / 9
        corners = [(inner, low), (outer, low), (outer, high), (inner, high)]
        points = [(r * math.cos(angle), r * math.sin(angle)) for r, angle in corners]
        stones.append(world.add_body(Polygon(points, friction=0.8)))
    return world, stones[4]


def test_an_arch_stands_just_above_the_least_thickness_and_falls_just_below():
    world, key = build_arch(0.1015 * 1.03)
    run(world, 20)
    assert key.position == pytest.approx((0, 0), abs=1e-3)
    world, key = build_arch(0.1015 * 0.97)
    run(world, 5)
    assert key.position[1] < -1


# ---- friction


@pytest.mark.parametrize("beyond", [-0.01, -0.001, 0.001, 0.01])
def test_a_block_slips_from_the_angle_of_friction_on(beyond):
    angle = math.atan(0.5) + math.radians(beyond)
    world = make_world()
    add_floor(world, angle)
    block = add_box(world, 1, 1, -0.5 * math.sin(angle), 0.5 * math.cos(angle), angle=angle)
    start = np.array(block.position)
    run(world, 5)
    way = np.hypot(*(np.array(block.position) - start))
    acceleration = max(G * (math.sin(angle) - 0.5 * math.cos(angle)), 0.0)
    assert way == pytest.approx(0.5 * acceleration * 25, rel=1e-6, abs=1e-9)


def test_sliding_and_rolling_down_an_incline():
    angle = math.radians(35)
    for shape, acceleration in (
        (Box(1, 1), G * (math.sin(angle) - 0.5 * math.cos(angle))),
        (Circle(0.5, friction=2.0), G * math.sin(angle) / 1.5),
    ):
        world = make_world()
        add_floor(world, angle)
        center = (-0.5 * math.sin(angle), 0.5 * math.cos(angle))
        body = world.add_body(shape, position=center, angle=angle)
        run(world, 2)
        way = math.dist(body.position, center)
        assert way == pytest.approx(0.5 * acceleration * 4, rel=1e-9)
        assert math.hypot(*body.velocity) == pytest.approx(acceleration * 2, rel=1e-9)


def arithmetic_geometric_mean(a, b):
    for _ in range(20):
        a, b = (a + b) / 2, math.sqrt(a * b)
    return a


def test_a_disc_rolls_in_a_true_arc_like_a_pendulum():
    """(3/2) L th'' = -g sin th, with L = R - r."""
    world = make_world()
    world.add_static(Path([(-5, 0), (5, 0)], [1.0], closed=False, friction=1.0))
    length, start = 4.5, 0.5
    center = (length * math.sin(start), -length * math.cos(start))
    disc = world.add_body(Circle(0.5, friction=1.0), position=center)
    angles = []
    for _ in range(3600):
        world.step(DT)
        angles.append(math.atan2(disc.position[0], -disc.position[1]))
    angles = np.array(angles)
    up = np.flatnonzero((angles[:-1] < 0) & (angles[1:] >= 0))
    crossings = (up - angles[up] / (angles[up + 1] - angles[up])) * DT
    small = 2 * math.pi * math.sqrt(1.5 * length / G)
    period = small / arithmetic_geometric_mean(1.0, math.cos(start / 2))
    assert np.diff(crossings).mean() == pytest.approx(period, rel=1e-4)
    assert np.abs(angles[-360:]).max() == pytest.approx(start, rel=1e-3)


# ---- impacts


@settings(max_examples=20, deadline=None)
@given(st.floats(0.1, 4.0), st.sampled_from([0.5, 0.8]))
def test_a_block_that_lands_flat_does_not_turn(height, restitution):
    world = make_world()
    add_floor(world, restitution=restitution)
    block = add_box(world, 1, 3, 0, 1.5 + height, restitution=restitution)
    for _ in range(300):
        world.step(DT)
        assert abs(block.angular_velocity) < 1e-9


@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_touching_cradle_passes_the_blow_on(n):
    world = make_world(gravity=(0, 0))
    balls = [
        world.add_body(
            Circle(0.5, restitution=1.0, friction=0.0),
            position=(k - 0.3 * (k < n), 0),
            velocity=(float(k < n), 0),
        )
        for k in range(5)
    ]
    run(world, 1)
    expected = [0.0] * (5 - n) + [1.0] * n
    assert [ball.velocity[0] for ball in balls] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("e", [0.5, 0.8, 1.0])
def test_apexes_of_a_bouncing_ball(e):
    """After n bounces the energy is that of a fall from e^(2 n) h, exactly at any time."""
    world = make_world()
    add_floor(world, restitution=e)
    ball = world.add_body(Circle(0.5, restitution=e), position=(0, 2.5))
    before, heights = ball.velocity[1], []
    for _ in range(600):
        world.step(DT)
        if ball.velocity[1] > before:
            heights.append(ball.position[1] - 0.5 + ball.velocity[1] ** 2 / (2 * G))
        before = ball.velocity[1]
    heights = [h for h in heights[:10] if h > 0.05]
    assert len(heights) >= 2
    expected = [2 * e ** (2 * (k + 1)) for k in range(len(heights))]
    assert heights == pytest.approx(expected, rel=1e-9)


def test_a_rocking_block_loses_what_its_corner_impacts_take():
    """Housner: each impact leaves w (1 - 3/2 sin(a)^2), a the angle of the diagonal."""
    angle, half, tall = math.radians(3), 0.5, 1.5
    world = make_world()
    add_floor(world, friction=0.9)
    c, s = math.cos(angle), math.sin(angle)
    block = add_box(world, 1, 3, -(c * half - s * tall), s * half + c * tall, friction=0.9,
                    angle=-angle)  # fmt: skip
    angles = []
    for _ in range(960):
        world.step(1 / 240)
        angles.append(abs(block.angle))
    peaks = [b for a, b, c in zip(angles, angles[1:], angles[2:]) if a < b >= c]

    def rise(tilt):
        """Height of the centre above rest."""
        return half * math.sin(tilt) + tall * math.cos(tilt) - tall

    kept = (1 - 1.5 * half**2 / (half**2 + tall**2)) ** 2
    for k in range(3):
        assert rise(peaks[k]) == pytest.approx(rise(angle) * kept ** (k + 1), rel=0.01)
    assert math.degrees(peaks[2]) == pytest.approx(1.07, rel=0.03)


def first_contact(height, angle, v, w, corners):
    """When the lowest corner of a flying box reaches y = 0, and where it is from the centre."""

    def lowest(t):
        c, s = math.cos(angle + w * t), math.sin(angle + w * t)
        return min(((c * x - s * y, s * x + c * y) for x, y in corners), key=lambda p: p[1])

    def gap(t):
        return height + v[1] * t - G / 2 * t * t + lowest(t)[1]

    times = np.linspace(0, 0.05, 200)
    below = [k for k, t in enumerate(times) if gap(t) < 0]
    if not below:
        return None
    low, high = times[below[0] - 1], times[below[0]]
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if gap(middle) > 0 else (low, middle)
    return high, lowest(high)


@counts(impacts=50)
@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10**6))
def test_a_corner_impact_is_the_closed_form(seed):
    rng = np.random.default_rng(seed)
    dt = 1 / 240
    e, mu, w = rng.uniform(0, 1), rng.uniform(0, 1), rng.uniform(-5, 5)
    width, height = rng.uniform(0.3, 1.5, 2)
    angle = rng.uniform(0.1, math.pi / 2 - 0.1)
    v = np.array([rng.uniform(-3, 3), rng.uniform(-5, -1)])
    corners = [(x * width / 2, y * height / 2) for x in (-1, 1) for y in (-1, 1)]
    low = min(math.sin(angle) * x + math.cos(angle) * y for x, y in corners)
    start = rng.uniform(0.002, 0.02) - low
    found = first_contact(start, angle, v, w, corners)
    assume(found is not None)
    world = make_world()
    add_floor(world, friction=mu, restitution=e)
    box = add_box(world, width, height, 0, start, mu, e, angle=angle, velocity=tuple(v),
                  angular_velocity=w)  # fmt: skip
    energy = world.energy.total
    time, r = found
    at = v - np.array([0, G * time])
    assume(at[1] + w * r[0] <= -0.2)
    mass = width * height
    out = collide(e, mu, (0, 1), mass, mass * (width**2 + height**2) / 12, r, at, w, None, None,
                  (0, 0), (0, 0), 0)  # fmt: skip
    steps = math.floor(time / dt) + 1
    run(world, steps * dt, dt)
    assume(out.vA[1] + out.wA * r[0] >= 0.2)  # else it stays down
    # a second corner may come down in the same step
    assume(sum(c.normal_force > 0 for c in world.contacts) == 1)
    MET["impacts"] += 1
    fall = np.array([0, G * (steps * dt - time)])
    assert np.array(box.velocity) == pytest.approx(out.vA - fall, abs=1e-6)
    assert box.angular_velocity == pytest.approx(out.wA, abs=1e-6)
    assert world.energy.total <= energy + 1e-9 * abs(energy)


# ---- energy


def test_a_closed_box_of_elastic_bodies_keeps_its_energy():
    rng = np.random.default_rng(3)
    world = make_world(gravity=(0, 0))
    for x, y, width, height in ((0, -5, 12, 2), (0, 5, 12, 2), (-5, 0, 2, 12), (5, 0, 2, 12)):
        world.add_static(Box(width, height, restitution=1.0, friction=0.0), position=(x, y))
    for k in range(12):
        shape = (Box(0.8, 0.8, restitution=1.0, friction=0.0) if k % 2
                 else Circle(0.5, restitution=1.0, friction=0.0))  # fmt: skip
        world.add_body(
            shape,
            position=(-2.5 + 2.5 * (k % 3), -3 + 2 * (k // 3)),
            velocity=tuple(rng.uniform(-4, 4, 2)),
            angular_velocity=rng.uniform(-3, 3),
        )
    before = world.energy.total
    run(world, 10)
    assert world.energy.total == pytest.approx(before, rel=1e-9)
    assert all(math.hypot(*body.position) < 6 for body in world.bodies[4:])


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6))
def test_slender_rods_at_high_friction_never_gain_energy(seed):
    """Painleve's rods: friction presses them harder, contact forces alone have no answer."""
    rng = np.random.default_rng(seed)
    world = make_world()
    add_floor(world, friction=1.5)
    angle = rng.uniform(0.2, 1.4)
    rod = add_box(world, 0.05, 2, 0, math.cos(angle) + 0.1, friction=1.5, angle=angle,
                  velocity=(rng.uniform(-8, 8), rng.uniform(-5, 0)),
                  angular_velocity=rng.uniform(-5, 5))  # fmt: skip
    most = world.energy.total * (1 + 1e-9)
    for _ in range(200):
        world.step(DT)
        assert world.energy.total <= most
    assert np.all(np.isfinite(rod.position))


# ---- forces and moving floors


def test_a_force_presses_as_a_weight_does():
    """Three boxes pushed against a wall where nothing falls: each contact bears the force."""
    world = make_world(gravity=(0, 0))
    wall = world.add_static(Box(1, 10), position=(-0.5, 0))
    boxes = [add_box(world, 1, 1, k + 0.5, 0) for k in range(3)]
    for _ in range(120):
        boxes[-1].apply_force((-30.0, 0.0))
        world.step(DT)
    assert force_on(world, wall) == pytest.approx(30, rel=1e-9)
    assert force_on(world, boxes[1]) == pytest.approx(60, rel=1e-9)
    assert max(speed_of(box) for box in boxes) < 1e-9
    assert world.stats["strikes"] == 0


def test_a_conveyor_takes_a_block_along():
    """Slips for v/(mu g) = 0.2 s, then goes with the belt: v t - v^2/(2 mu g)."""
    world = make_world()
    world.add_kinematic(Box(20, 1, friction=0.5), position=(0, -0.5), velocity=(1, 0))
    block = add_box(world, 1, 1, 0, 0.5)
    run(world, 2)
    assert block.velocity == pytest.approx((1, 0), abs=1e-9)
    assert block.position == pytest.approx((1.9, 0.5), abs=1e-9)


def test_a_lift_carries_a_block_and_a_tilting_floor_turns_it():
    world = make_world()
    lift = world.add_kinematic(Box(5, 1), position=(0, -0.5), velocity=(0, 0.5))
    block = add_box(world, 1, 1, 0, 0.5)
    run(world, 2)
    assert lift.position == pytest.approx((0, 0.5))
    assert block.position == pytest.approx((0, 1.5), abs=1e-6)
    world = make_world()
    floor = world.add_kinematic(Box(9, 1, friction=1), position=(0, -0.5), angular_velocity=0.1)
    block = add_box(world, 1, 1, 1, 0.5, friction=1)
    run(world, 3)
    assert block.angle == pytest.approx(floor.angle, abs=1e-6)
    assert block.angular_velocity == pytest.approx(0.1, abs=1e-6)


def test_damping_and_gravity_scale_are_exact_in_free_flight():
    """v' = a - c v."""
    world = make_world()
    disc = world.add_body(Circle(0.5), velocity=(3, 0), angular_velocity=2.0, linear_damping=0.7,
                          angular_damping=0.3, gravity_scale=0.5)  # fmt: skip
    run(world, 2)
    left = math.exp(-1.4)
    assert disc.velocity == pytest.approx((3 * left, -5 / 0.7 * (1 - left)), rel=1e-12)
    assert disc.angular_velocity == pytest.approx(2 * math.exp(-0.6), rel=1e-12)
    # the trapezoid rule's error is c^2 h^2/12
    assert disc.position[0] == pytest.approx(3 / 0.7 * (1 - left), rel=1e-5)


def test_free_flight_is_an_exact_parabola():
    world = make_world()
    disc = world.add_body(Circle(0.5), velocity=(3, 4))
    run(world, 2)
    assert disc.position == pytest.approx((6, 8 - 20), rel=1e-12)


def test_the_same_bits_every_time():
    def pile():
        rng = np.random.default_rng(1)
        world = make_world()
        add_floor(world)
        for k in range(8):
            add_box(world, *rng.uniform(0.4, 1, 2), rng.uniform(-0.5, 0.5), 1 + k, 0.5, 0.3,
                    angle=rng.uniform(0, 6))  # fmt: skip
        run(world, 3)
        return [(body.position, body.angle, body.velocity) for body in world.bodies]

    assert pile() == pile()
