"""Joints beside pymunk (Chipmunk): pendulums and cars where both agree, chains where not."""

import math

import numpy as np
import pytest

pymunk = pytest.importorskip("pymunk", reason="pymunk is what is compared with")

from benchmarks.bench_joints import Gauge  # noqa: E402
from benchmarks.engines.engine2d_engine import Engine as Ours  # noqa: E402
from benchmarks.engines.pymunk_engine import Engine as Pymunk  # noqa: E402
from demos.scenes.jointed import bridge, chain, pendulum, ragdoll  # noqa: E402
from engine2d import Box, Circle, Pin, Segment, Wheel, World  # noqa: E402

DT = 1 / 60
SEEN = "7.3.1"
seen = pytest.mark.skipif(
    pymunk.version != SEEN, reason=f"what differs was seen of pymunk {SEEN}, not {pymunk.version}"
)


def period(engine, dt):
    """s, of a rod of 1 m that swings by 5 degrees about its end, from its turning points."""
    turned = math.radians(5.0)
    scene = pendulum()
    rod = scene.bodies[0]
    c, s = 0.5 * math.sin(turned), -0.5 * math.cos(turned)
    hung = type(rod)(rod.shapes, position=(c, s), angle=turned - 0.5 * math.pi)
    world = engine(type(scene)("pendulum", (hung,), hinges=scene.hinges))
    rates, times = [], []
    for k in range(round(8.0 / dt)):
        world.step(dt)
        rates.append(world.angular_velocities[0])
        times.append(k * dt)
    rates = np.array(rates)
    up = np.flatnonzero((rates[:-1] < 0) & (rates[1:] >= 0))
    zeros = [times[k] - rates[k] * dt / (rates[k + 1] - rates[k]) for k in up]
    return float(np.mean(np.diff(zeros)))


def test_both_swing_with_the_period_of_a_physical_pendulum():
    """2 pi sqrt(I/(m g l)) with I = m (1.01/12 + 1/4), and the first term of its amplitude."""
    right = 2 * math.pi * math.sqrt((1.01 / 12 + 0.25) / (10 * 0.5))
    right *= 1 + math.radians(5.0) ** 2 / 16
    assert period(Ours, DT) == pytest.approx(right, rel=2e-4)
    assert period(Pymunk, 1 / 480) == pytest.approx(right, rel=5e-3)


def follow(scene, engine, seconds):
    gauge = Gauge(scene, engine(scene))
    for _ in range(round(seconds / DT)):
        gauge.world.step(DT)
        gauge.look()
    return gauge


@seen
def test_a_chain_carries_a_heavy_ball():
    """No pin opens, and nothing is gained: 1000 times a link."""
    scene = chain(20, 1000.0)
    ours, theirs = follow(scene, Ours, 3.0), follow(scene, Pymunk, 3.0)
    assert ours.error < 1e-5
    assert ours.gain < 1e-6
    assert theirs.error > 1.0


@seen
def test_a_long_bridge_does_not_open():
    scene = bridge(100, 10)
    ours, theirs = follow(scene, Ours, 3.0), follow(scene, Pymunk, 3.0)
    assert ours.error < 1e-4
    assert theirs.error > 0.05


@seen
def test_limits_of_a_ragdoll_hold():
    scene = ragdoll()
    ours, theirs = follow(scene, Ours, 3.0), follow(scene, Pymunk, 3.0)
    assert ours.passed < 0.02
    assert ours.error < 1e-5
    assert theirs.passed > 0.1


def our_car(seconds, rate):
    world = World(gravity=(0, -10), sleeping=False)
    world.add_static(Segment((-100, 0), (100, 0), friction=1.0))
    body = world.add_body(Box(3, 0.5), position=(0, 1.0))
    for x in (-1.0, 1.0):
        wheel = world.add_body(Circle(0.4, friction=1.0), position=(x, 0.4))
        world.add_joint(Pin(body, wheel, (x, 0.4), rate=rate, max_torque=100.0))
    for _ in range(round(seconds / DT)):
        world.step(DT)
    return body.position[0], body.velocity[0]


def their_car(seconds, rate):
    space = pymunk.Space()
    space.gravity, space.collision_slop = (0, -10), 0.005
    ground = pymunk.Segment(space.static_body, (-100, 0), (100, 0), 0)
    ground.friction = 1.0
    body = pymunk.Body(1.5, 1.5 / 12 * (9 + 0.25))
    body.position = (0, 1.0)
    space.add(ground, body)
    for x in (-1.0, 1.0):
        m = math.pi * 0.16
        wheel = pymunk.Body(m, 0.5 * m * 0.16)
        wheel.position = (x, 0.4)
        disc = pymunk.Circle(wheel, 0.4)
        disc.friction = 1.0
        motor = pymunk.SimpleMotor(body, wheel, -rate)
        motor.max_force = 100.0
        space.add(wheel, disc, pymunk.PivotJoint(body, wheel, (x, 0.4)), motor)
    for _ in range(round(seconds / DT)):
        space.step(DT)
    return body.position[0], body.velocity[0]


def test_driven_cars_roll_at_the_speed_of_their_wheels():
    """Wheels that turn at w and do not slip carry a car with w r."""
    ours, theirs = our_car(3.0, -5.0), their_car(3.0, -5.0)
    assert ours[1] == pytest.approx(2.0, rel=1e-6)
    assert theirs[1] == pytest.approx(2.0, rel=1e-2)
    assert ours[0] == pytest.approx(theirs[0], abs=0.2)


def test_a_wheel_of_a_car_springs_with_the_period_of_its_spring():
    """A body on a sprung wheel that stands: sqrt(k/m)."""
    world = World(gravity=(0, 0), sleeping=False)
    body = world.add_body(Box(1, 1), position=(0, 0.1))
    world.add_joint(Wheel(None, body, (0, 0.1), (0, 1), stiffness=30.0, damping=0.0))
    body.velocity = (0.0, 0.5)
    w = math.sqrt(30.0 / body.mass)
    for k in range(1, 120):
        world.step(DT)
        assert body.position[1] == pytest.approx(0.1 + 0.5 / w * math.sin(w * k * DT), rel=5e-3)
