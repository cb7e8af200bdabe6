"""Joints under World.advance, each kind against its closed form: 1e-8 at the default tolerance."""

import math

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp
from scipy.special import ellipk

from engine2d import (
    AngleLimit,
    Box,
    Capsule,
    Circle,
    Drag,
    Filter,
    Gear,
    Motor,
    Pin,
    Pulley,
    Ratchet,
    Rod,
    Rope,
    RotarySpring,
    Segment,
    Slider,
    Spring,
    Weld,
    Wheel,
    World,
)  # fmt: skip
from enginecore.status import SolverError

G = 9.81  # m/s^2
CLOSE = 1e-8  # m, s, rad or J


def changes(world, what):
    return [c for c in world.events.changes if c["what"] == what]


def assert_no_lies(world, close=CLOSE):
    """What is no physics is small, and the books close."""
    ledger = world.ledger
    for name in ("normal", "projection", "integrator"):
        assert abs(ledger[name]) < close, name


# ----------------------------------------------------------------------------------- pendulums


def test_a_hundred_periods_of_a_pendulum():
    world, amplitude = World(), 0.7
    bob = world.add_body(Circle(0.2), position=(math.sin(amplitude), -math.cos(amplitude)))
    pin = world.add_joint(Pin(None, bob, (0.0, 0.0)))
    period = 4.0 * math.sqrt((bob.inertia / bob.mass + 1.0) / G) * ellipk(math.sin(0.35) ** 2)
    world.advance(100.0 * period)
    assert math.atan2(bob.position[0], -bob.position[1]) == pytest.approx(amplitude, abs=CLOSE)
    assert pin.error < 1e-12
    # at the turning point the pin bears the weight along the arm only
    share = bob.mass * 1.0 / (bob.mass + bob.inertia)
    sideways = bob.mass * G * math.sin(amplitude) * (1.0 - share)
    along = bob.mass * G * math.cos(amplitude)
    assert math.hypot(*pin.force) == pytest.approx(math.hypot(sideways, along), abs=1e-7)
    assert_no_lies(world)
    assert world.stats["exact"]["evaluations"] < 100_000


def test_a_ball_on_a_rod_is_the_simple_pendulum():
    world, amplitude, size = World(), 1.2, 1.5
    bob = world.add_body(
        Circle(0.2), position=(size * math.sin(amplitude), -size * math.cos(amplitude))
    )
    world.add_joint(Rod(None, bob, (0.0, 0.0), bob.position))
    period = 4.0 * math.sqrt(size / G) * ellipk(math.sin(amplitude / 2.0) ** 2)
    world.advance(10.0 * period)
    assert math.atan2(bob.position[0], -bob.position[1]) == pytest.approx(amplitude, abs=CLOSE)
    assert bob.angle == pytest.approx(0.0, abs=1e-12)
    assert_no_lies(world)
    assert world.stats["exact"]["evaluations"] < 16_000


def double_pendulum(seconds):
    """Angles of two uniform rods of 1 m that hang from each other, from level, by DOP853."""
    m, size, inertia = 1.0, 1.0, 1.0 / 12.0

    def slopes(_, y):
        a, b, u, v = y
        half, c, s = size / 2.0, math.cos(a - b), math.sin(a - b)
        mass = np.array([[inertia + m * half**2 + m * size**2, m * size * half * c],
                         [m * size * half * c, inertia + m * half**2]])  # fmt: skip
        right = np.array([
            -m * size * half * s * v * v - (m * half + m * size) * G * math.sin(a),
            m * size * half * s * u * u - m * half * G * math.sin(b),
        ])  # fmt: skip
        return [u, v, *np.linalg.solve(mass, right)]

    start = [math.pi / 2.0, math.pi / 2.0, 0.0, 0.0]
    return solve_ivp(slopes, (0.0, seconds), start, "DOP853", rtol=1e-13, atol=1e-13).y[:, -1]


def test_a_double_pendulum_for_five_seconds():
    """Chaotic: within 1e-6 m of a reference of high order."""
    world = World()
    rods = [
        world.add_body(Box(1.0, 0.1), position=(0.5 + i, 0.0), mass=1.0, inertia=1.0 / 12.0)
        for i in range(2)
    ]
    world.add_joint(Pin(None, rods[0], (0.0, 0.0)))
    world.add_joint(Pin(rods[0], rods[1], (1.0, 0.0)))
    world.advance(5.0)
    a, b = double_pendulum(5.0)[:2]
    elbow = np.array([math.sin(a), -math.cos(a)])
    tip = elbow + [math.sin(b), -math.cos(b)]
    assert rods[1].to_world((-0.5, 0.0)) == pytest.approx(elbow, abs=1e-6)
    assert rods[1].to_world((0.5, 0.0)) == pytest.approx(tip, abs=1e-6)
    assert_no_lies(world)
    assert world.stats["exact"]["evaluations"] < 10_000


@pytest.mark.parametrize("drive", ["motor", "kinematic"])
def test_a_slider_crank(drive):
    """Piston and rod of a crank at a steady rate."""
    world, r, size, rate = World(), 0.5, 1.7, 3.0
    if drive == "motor":
        crank = world.add_body(Box(0.4, 0.1), angular_velocity=rate)
        world.add_joint(Pin(None, crank, (0.0, 0.0)))
        world.add_joint(Motor(None, crank, rate))
    else:
        crank = world.add_kinematic(Box(0.4, 0.1), angular_velocity=rate)
    rod = world.add_body(
        Box(size, 0.1), position=(r + size / 2.0, 0.0), velocity=(0.0, rate * r / 2.0),
        angular_velocity=-rate * r / size,
    )  # fmt: skip
    piston = world.add_body(Box(0.3, 0.3), position=(r + size, 0.0))
    world.add_joint(Pin(crank, rod, (r, 0.0)))
    world.add_joint(Pin(rod, piston, (r + size, 0.0)))
    world.add_joint(Slider(None, piston, (r + size, 0.0), (1.0, 0.0)))
    before = world.energy.total
    for _ in range(3):
        world.advance(1.3)
        s, c = r * math.sin(rate * world.time), r * math.cos(rate * world.time)
        reach = math.sqrt(size**2 - s * s)
        assert piston.position == pytest.approx((c + reach, 0.0), abs=CLOSE)
        assert piston.velocity[0] == pytest.approx(-rate * s - rate * s * c / reach, abs=CLOSE)
        assert rod.angle == pytest.approx(-math.asin(s / size), abs=CLOSE)
        assert world.stats["exact"]["evaluations"] < 500
    work = world.ledger["motors" if drive == "motor" else "driven"]
    assert work == pytest.approx(world.energy.total - before, abs=CLOSE)
    assert_no_lies(world)


# ------------------------------------------------------------------------------- ropes and limits


def test_a_rope_goes_taut():
    """A ball falls, is caught sideways and swings: the radial speed is lost in the jerk."""
    world, size = World(), 1.0
    x = 0.6
    ball = world.add_body(Circle(0.1), position=(x, 0.0))
    world.add_joint(Rope(None, ball, (0.0, 0.0), ball.position, length=size))
    drop = math.sqrt(size**2 - x * x)
    taut, speed = math.sqrt(2.0 * drop / G), math.sqrt(2.0 * G * drop)
    across = speed * x / size
    world.advance(taut + 1e-9)
    assert changes(world, "taut")[0]["time"] == pytest.approx(taut, abs=CLOSE)
    assert math.hypot(*ball.velocity) == pytest.approx(across, abs=1e-7)
    loss = 0.5 * ball.mass * (speed**2 - across**2)
    assert world.ledger["impacts"] == pytest.approx(-loss, abs=CLOSE)
    # the other side of the swing, by the energy that is left
    top = math.acos(drop / size - across**2 / (2.0 * G * size))
    rate2 = lambda a: 2.0 * G / size * (math.cos(a) - math.cos(top))  # noqa: E731
    start = -math.acos(drop / size)
    way = quad(lambda s: 2.0 * s / math.sqrt(rate2(top - s * s)), 0.0, math.sqrt(top - start),
               epsabs=1e-13)[0]  # fmt: skip
    world.advance(way - 1e-9)
    assert ball.position[0] == pytest.approx(-size * math.sin(top), abs=CLOSE)
    assert_no_lies(world)


def test_a_rope_goes_slack_where_tension_ends():
    """Thrown up from below with v^2 = 3.5 g L: it leaves the circle where cos a = -0.5."""
    world, size = World(), 1.0
    ball = world.add_body(
        Circle(0.1), position=(0.0, -size), velocity=(math.sqrt(3.5 * G * size), 0.0)
    )
    world.add_joint(Rope(None, ball, (0.0, 0.0), ball.position))
    world.advance(1.0)
    x, y = changes(world, "frees")[0]["point"]
    assert math.atan2(x, -y) == pytest.approx(math.acos(-0.5), abs=CLOSE)


@pytest.mark.parametrize("kind", ["pin", "angle_limit"])
def test_a_limit_is_met(kind):
    """A hinged bar falls onto its stop: when, by quadrature; there it stays, and its weight."""
    world, start, low = World(), 0.3, -0.6
    bar = world.add_body(
        Box(1.0, 0.1), position=(0.5 * math.cos(start), 0.5 * math.sin(start)), angle=start
    )
    limits = {"low": low - start} if kind == "pin" else {}
    pin = world.add_joint(Pin(None, bar, (0.0, 0.0), **limits))
    if kind == "angle_limit":
        pin = world.add_joint(AngleLimit(None, bar, low - start, None))
    about = bar.inertia + bar.mass * 0.25
    pull = 2.0 * bar.mass * G * 0.5 / about
    time = quad(
        lambda s: 2.0 * s / math.sqrt(pull * (math.sin(start) - math.sin(start - s * s))),
        0.0, math.sqrt(start - low), epsabs=1e-13,
    )[0]  # fmt: skip
    before = world.energy.total
    world.advance(2.0)
    assert changes(world, "limit")[0]["time"] == pytest.approx(time, abs=CLOSE)
    assert bar.angle == pytest.approx(low, abs=CLOSE)
    assert world.ledger["impacts"] == pytest.approx(world.energy.total - before, abs=CLOSE)
    if kind == "angle_limit":
        assert pin.torque == pytest.approx(bar.mass * G * 0.5 * math.cos(low), abs=1e-7)


def test_a_slider_meets_both_ends():
    world = World(gravity=(0.0, 0.0))
    cart = world.add_body(Box(0.2, 0.2), velocity=(2.0, 0.0))
    world.add_joint(Slider(None, cart, (0.0, 0.0), (1.0, 0.0), low=-1.0, high=0.5))
    world.advance(1.0)
    assert changes(world, "limit") == []  # it leaves no force: met, and at rest there
    assert cart.position == pytest.approx((0.5, 0.0), abs=CLOSE)
    assert cart.velocity == pytest.approx((0.0, 0.0), abs=1e-12)
    cart.velocity = (-1.0, 0.0)
    world.advance(2.0)
    assert cart.position == pytest.approx((-1.0, 0.0), abs=CLOSE)


def test_a_ratchet_holds_the_last_tooth():
    """Turned up by 2.5 teeth and let go, the disc falls back to the second and stays."""
    world, tooth = World(gravity=(0.0, 0.0)), 0.4
    disc = world.add_body(Circle(0.5))
    world.add_joint(Pin(None, disc, (0.0, 0.0)))
    world.add_joint(Ratchet(None, disc, tooth))
    spring = world.add_joint(RotarySpring(None, disc, stiffness=disc.inertia * 4.0))
    rate = 2.5 * tooth * 2.0  # as far as 2.5 teeth against a spring of 2 rad/s
    disc.angular_velocity = rate
    world.advance(3.0)
    times = [c["time"] for c in changes(world, "tooth")]
    assert times == pytest.approx([math.asin(k / 2.5) / 2.0 for k in (1, 2)], abs=CLOSE)
    back = (math.pi - math.asin(2.0 / 2.5)) / 2.0
    assert changes(world, "limit")[0]["time"] == pytest.approx(back, abs=CLOSE)
    assert disc.angle == pytest.approx(2.0 * tooth, abs=CLOSE)
    assert spring.torque == pytest.approx(-disc.inertia * 4.0 * 2.0 * tooth, abs=CLOSE)


# ------------------------------------------------------------------------------ springs and motors


@pytest.mark.parametrize("ratio", [0.0, 0.2])
def test_a_spring_swings(ratio):
    world = World(gravity=(0.0, 0.0))
    ball = world.add_body(Circle(0.3), position=(2.5, 0.0))
    k = 40.0 * ball.mass
    damping = 2.0 * ratio * math.sqrt(k * ball.mass)
    world.add_joint(
        Spring(None, ball, (0.0, 0.0), ball.position, length=2.0, stiffness=k, damping=damping)
    )
    w, z = math.sqrt(40.0), ratio * math.sqrt(40.0)
    swing = math.sqrt(w * w - z * z)
    before = world.energy.total
    world.advance(3.0)
    there = 0.5 * math.exp(-3.0 * z) * (math.cos(3.0 * swing) + z / swing * math.sin(3.0 * swing))
    assert ball.position == pytest.approx((2.0 + there, 0.0), abs=CLOSE)
    assert world.ledger["springs"] == pytest.approx(world.energy.total - before, abs=CLOSE)
    assert_no_lies(world)


def test_a_rotary_spring_swings():
    world = World()
    disc = world.add_body(Circle(0.4), angle=0.3)
    world.add_joint(Pin(None, disc, (0.0, 0.0)))
    world.add_joint(RotarySpring(None, disc, stiffness=9.0 * disc.inertia, reference=0.0))
    world.advance(5.0)
    assert disc.angle == pytest.approx(0.3 * math.cos(15.0), abs=CLOSE)
    assert_no_lies(world)


def test_a_wheel_swings_on_its_spring_while_it_spins():
    world = World()
    wheel = world.add_body(Circle(0.4), angular_velocity=2.0)
    joint = world.add_joint(Wheel(None, wheel, (0.0, 0.0), (0.0, 1.0), stiffness=50 * wheel.mass))
    world.advance(2.0)
    sag = G / 50.0
    assert joint.travel == pytest.approx(-sag * (1.0 - math.cos(2.0 * math.sqrt(50.0))), abs=CLOSE)
    assert wheel.angle == pytest.approx(4.0, abs=CLOSE)
    assert wheel.position[0] == pytest.approx(0.0, abs=1e-12)
    assert_no_lies(world)


def test_a_motor_comes_to_its_rate_and_keeps_it():
    """Full torque until then; a load beyond it makes it slip again."""
    world, torque, rate = World(gravity=(0.0, 0.0)), 2.0, 3.0
    disc = world.add_body(Circle(0.5))
    world.add_joint(Pin(None, disc, (0.0, 0.0)))
    motor = world.add_joint(Motor(None, disc, rate, max_torque=torque))
    time = disc.inertia * rate / torque
    world.advance(1.0)
    assert changes(world, "sticks")[0]["time"] == pytest.approx(time, abs=CLOSE)
    assert disc.angle == pytest.approx(rate * (1.0 - time / 2.0), abs=CLOSE)
    assert world.ledger["motors"] == pytest.approx(0.5 * disc.inertia * rate**2, abs=CLOSE)
    assert motor.work == pytest.approx(0.5 * disc.inertia * rate**2, abs=CLOSE)
    disc.apply_torque(-3.0)
    world.advance(0.1)
    assert disc.angular_velocity == pytest.approx(rate - 0.1 / disc.inertia, abs=CLOSE)


def test_friction_in_a_slider_stops_it():
    world, force = World(gravity=(0.0, 0.0)), 3.0
    cart = world.add_body(Box(0.5, 0.2), velocity=(2.0, 0.0))
    world.add_joint(Slider(None, cart, (0.0, 0.0), (1.0, 0.0), friction=force))
    stop = 2.0 * cart.mass / force
    world.advance(stop + 1.0)
    assert changes(world, "sticks")[0]["time"] == pytest.approx(stop, abs=CLOSE)
    assert cart.position[0] == pytest.approx(stop, abs=CLOSE)
    assert world.ledger["friction"] == pytest.approx(-2.0 * cart.mass, abs=CLOSE)


def test_gears_share_a_torque():
    world, ratio = World(), -2.5
    a = world.add_body(Circle(0.5))
    b = world.add_body(Circle(0.8), position=(2.0, 0.0))
    world.add_joint(Pin(None, a, a.position))
    world.add_joint(Pin(None, b, b.position))
    world.add_joint(Gear(a, b, ratio))
    b.apply_torque(1.5)
    world.advance(2.0)
    alpha = 1.5 / (b.inertia + ratio**2 * a.inertia)
    assert b.angle == pytest.approx(2.0 * alpha, abs=CLOSE)
    assert a.angle == pytest.approx(ratio * 2.0 * alpha, abs=CLOSE)
    assert world.ledger["applied"] == pytest.approx(1.5 * b.angle, abs=CLOSE)


@pytest.mark.parametrize("slack", [False, True])
def test_atwoods_machine(slack):
    world = World()
    a = world.add_body(Circle(0.2), position=(-1.0, 0.0), mass=3.0)
    b = world.add_body(Circle(0.2), position=(1.0, 0.0), mass=2.0)
    rope = world.add_joint(
        Pulley(a, b, a.position, b.position, (-1.0, 2.0), (1.0, 2.0), slack=slack)
    )
    world.advance(0.7)
    assert a.position[1] == pytest.approx(-0.5 * G / 5.0 * 0.7**2, abs=CLOSE)
    assert b.position[1] == pytest.approx(0.5 * G / 5.0 * 0.7**2, abs=CLOSE)
    assert math.hypot(*rope.force) == pytest.approx(2.0 * 3.0 * 2.0 * G / 5.0, abs=1e-7)
    assert_no_lies(world)


def test_a_drag_pulls_with_the_force_it_has():
    world, most = World(gravity=(0.0, 0.0)), 2.0
    ball = world.add_body(Circle(0.2), mass=1.0)
    world.add_joint(Drag(ball, (0.0, 0.0), (1.0, 0.0), max_force=most, stiffness=4.0))
    world.advance(1.2)
    # 2 N until 0.5 m are left, then the spring
    far = math.sqrt(0.5)
    left = 0.5 * math.cos(2.0 * (1.2 - far)) - math.sqrt(2.0) / 2.0 * math.sin(2.0 * (1.2 - far))
    assert ball.position[0] == pytest.approx(1.0 - left, abs=CLOSE)
    assert world.ledger["applied"] == pytest.approx(world.energy.total, abs=CLOSE)


# ------------------------------------------------------------------------------- blows and breaking


def test_welded_boxes_are_one_body():
    """Two boxes welded together, and one body of both: the same flight, blows and tumbling."""
    ends = []
    for welded in (True, False):
        world = World()
        world.add_static(Segment((-20.0, 0.0), (20.0, 0.0), friction=0.5, restitution=0.4))
        parts = Box(1.0, 0.4, restitution=0.4), Box(0.4, 1.0, restitution=0.4)
        if welded:
            a = world.add_body(parts[0], position=(0.0, 2.0), velocity=(0.0, -1.0))
            b = world.add_body(parts[1], position=(0.5, 2.3), velocity=(0.0, -1.0))
            world.add_joint(Weld(a, b, (0.3, 2.0)))
            w = 1.0
            for body in (a, b):
                body.angular_velocity = w
            # both move with the common centre
            center = (np.array(a.center) * a.mass + np.array(b.center) * b.mass) / (a.mass + b.mass)
            for body in (a, b):
                arm = np.array(body.center) - center
                body.velocity = (-w * arm[1], -1.0 + w * arm[0])
        else:
            a = world.add_body(
                parts[0], Box(0.4, 1.0, center=(0.5, 0.3), restitution=0.4),
                position=(0.0, 2.0), velocity=(0.0, -1.0), angular_velocity=1.0,
            )  # fmt: skip
        world.advance(1.5)
        ends.append((*a.position, a.angle))
        assert len(world.events.hits) > 0
    assert ends[0] == pytest.approx(ends[1], abs=1e-7)


def test_a_blow_at_a_hinged_bar():
    """A ball strikes the end of a bar that turns about a pin: e and angular momentum decide."""
    world, e = World(gravity=(0.0, 0.0)), 0.5
    bar = world.add_body(Box(0.2, 2.0, friction=0.0, restitution=e), position=(0.0, -1.0))
    pin = world.add_joint(Pin(None, bar, (0.0, 0.0)))
    ball = world.add_body(
        Circle(0.2, friction=0.0, restitution=e), position=(-1.3, -1.6), velocity=(2.0, 0.0)
    )
    world.advance(0.6)
    about, arm, m = bar.inertia + bar.mass, 1.6, ball.mass
    w = (1.0 + e) * m * arm * 2.0 / (about + m * arm * arm)
    assert world.events.hits["time"] == pytest.approx([0.5], abs=CLOSE)
    assert bar.angular_velocity == pytest.approx(w, abs=CLOSE)
    assert ball.velocity[0] == pytest.approx(w * arm - e * 2.0, abs=CLOSE)
    assert pin.error < 1e-12
    loss = 0.5 * m * 4.0 - 0.5 * m * ball.velocity[0] ** 2 - 0.5 * about * w * w
    assert world.ledger["impacts"] == pytest.approx(-loss, abs=CLOSE)
    assert world.events.hits["loss"][0] == pytest.approx(loss, abs=CLOSE)


def test_a_rod_breaks_where_its_tension_says():
    """Let go level, tension is 3 m g sin a of the fall angle: it breaks at sin a = 2/3."""
    world = World()
    ball = world.add_body(Circle(0.1), position=(1.0, 0.0))
    world.add_joint(Rod(None, ball, (0.0, 0.0), ball.position, break_force=2.0 * ball.mass * G))
    world.advance(0.8)
    time = quad(lambda s: 2.0 * s / math.sqrt(2.0 * G * math.sin(s * s)), 0.0,
                math.sqrt(math.asin(2.0 / 3.0)), epsabs=1e-13)[0]  # fmt: skip
    assert changes(world, "breaks")[0]["time"] == pytest.approx(time, abs=CLOSE)
    assert world.events.joint_ends[0].reason == "broken"
    assert len(world.joints) == 0


def test_joined_bodies_collide_only_if_they_are_to():
    for collides in (False, True):
        world = World(gravity=(0.0, 0.0))
        a, b = (world.add_body(Circle(0.5), position=(x, 0.0)) for x in (0.0, 2.0))
        b.velocity = (-1.0, 0.0)
        world.add_joint(Slider(a, b, (0.0, 0.0), (1.0, 0.0), collide_connected=collides))
        world.advance(1.5)
        assert (len(world.events.hits) > 0) == collides


def machine(world):
    """One of everything, none of it in line with anything, that does not collide."""
    alone = {"filter": Filter(group=-1)}
    frame = world.add_body(Box(2.0, 0.5, **alone), position=(0.0, 0.0), angular_velocity=0.3)
    world.add_joint(Pin(None, frame, (0.3, 0.1)))
    wheel = world.add_body(Circle(0.4, **alone), position=(0.8, -0.6))
    world.add_joint(Wheel(frame, wheel, wheel.position, (0.1, 1.0), stiffness=200.0))
    cart = world.add_body(Box(0.3, 0.3, **alone), position=(-0.8, 0.5))
    world.add_joint(Slider(frame, cart, cart.position, (1.0, 0.3), stiffness=60.0))
    groove = world.add_body(Box(0.3, 0.2, **alone), position=(-0.2, 0.7), velocity=(0.2, 0.0))
    world.add_joint(
        Slider(frame, groove, groove.position, (1.0, -0.2), free_rotation=True, stiffness=40.0)
    )
    arm = world.add_body(Capsule((-0.5, 0.0), (0.5, 0.0), 0.1, **alone), position=(1.5, 0.2))
    world.add_joint(Pin(frame, arm, (1.0, 0.2)))
    tip = world.add_body(Box(0.3, 0.3, **alone), position=(2.1, 0.2), angle=0.3)
    world.add_joint(Weld(arm, tip, (2.0, 0.2)))
    ball = world.add_body(Circle(0.2, **alone), position=(2.5, -1.0))
    world.add_joint(Rod(tip, ball, (2.1, 0.1), ball.position))
    other = world.add_body(Circle(0.3, **alone), position=(-1.7, -0.8))
    world.add_joint(Spring(frame, other, (-1.0, 0.0), other.position, stiffness=30.0))
    world.add_joint(Gear(wheel, arm, 1.7))
    weight = world.add_body(Circle(0.2, **alone), position=(-2.5, 1.0))
    world.add_joint(
        Pulley(other, weight, other.position, weight.position, (-1.5, 2.5), (-2.6, 2.4), 1.3)
    )
    return [frame, wheel, cart, groove, arm, tip, ball, other, weight]


def test_a_machine_of_every_kind_keeps_its_energy():
    """Velocity terms of all kinds at once: what rows leave out would show as energy."""
    world = World(gravity=(0.4, -G))
    machine(world)
    world.advance(0.0)  # bodies that do not move as their joints do get a jerk first
    assert world.ledger["impacts"] < 0.0
    before = world.energy.total
    world.advance(3.0)
    assert world.energy.total == pytest.approx(before, abs=1e-7)
    assert_no_lies(world, 1e-7)
    assert max(joint.error for joint in world.joints) < 1e-11


def test_both_clocks_agree_on_a_machine():
    """A step of a ten thousandth of a second comes near to what advance says."""
    ends = []
    for clock in (lambda w: w.advance(0.3), lambda w: [w.step(1e-4) for _ in range(3000)]):
        world = World(gravity=(0.4, -G))
        bodies = machine(world)
        clock(world)
        ends.append(np.array([(*b.position, b.angle) for b in bodies]))
    assert ends[1] == pytest.approx(ends[0], abs=2e-3)


# -------------------------------------------------------------------------------------- rooms


def any_joint(kind, a, b, end, mid):
    """A joint of nine kinds between two bodies, from a point of a to the middle of b."""
    if kind == 0:
        return Pin(a, b, mid)
    if kind == 1:
        return Rod(a, b, end, b.position)
    if kind == 2:
        return Rope(a, b, end, b.position, length=1.2 * math.dist(end, b.position))
    if kind == 3:
        return Spring(a, b, end, b.position, stiffness=20.0, damping=1.0)
    if kind == 4:
        return Slider(a, b, mid, (1.0, 0.3), low=-0.5, high=0.5)
    if kind == 5:
        return Weld(a, b, mid)
    if kind == 6:
        return AngleLimit(a, b, -0.5, 0.5)
    if kind == 7:
        return Pin(a, b, mid, low=-0.4, high=0.6, friction=0.2)
    return Motor(a, b, 2.0, max_torque=0.3)


def jointed_room(seed):
    """Discs and boxes in a closed room, some of them joined by anything."""
    rng, world = np.random.default_rng(seed), World()
    material = {
        "friction": float(rng.choice([0.0, 0.3, 0.6])),
        "restitution": float(rng.choice([0.0, 0.3, 0.7])),
    }
    corners = [(-4, 0), (4, 0), (4, 8), (-4, 8)]
    for a, b in zip(corners, corners[1:] + corners[:1]):
        world.add_static(Segment(a, b, **material))
    bodies = []
    for i in range(int(rng.integers(3, 7))):
        size = rng.uniform(0.3, 0.5)
        shape = (Circle(size, **material) if rng.integers(2) == 0
                 else Box(1.3 * size, size, **material))  # fmt: skip
        bodies.append(
            world.add_body(
                shape, position=(-2.5 + 1.6 * (i % 4), 2.0 + 1.9 * (i // 4)),
                angle=rng.uniform(0, 6.28), velocity=rng.uniform(-2, 2, 2),
                angular_velocity=rng.uniform(-3, 3),
            )
        )  # fmt: skip
    for _ in range(int(rng.integers(1, 4))):
        a, b = (bodies[i] for i in rng.choice(len(bodies), 2, replace=False))
        end = a.position
        if rng.random() < 0.2:
            a, end = None, (rng.uniform(-3, 3), 7.0)
        mid = b.position if a is None else tuple((np.array(end) + b.position) / 2.0)
        world.add_joint(any_joint(int(rng.integers(9)), a, b, end, mid))
    return world


def check_jointed_room(seed):
    world = jointed_room(seed)
    world.advance(0.0)
    for _ in range(10):
        before, motors = world.energy.total, world.ledger["motors"]
        world.advance(0.5)
        gain = world.energy.total - before - (world.ledger["motors"] - motors)
        assert gain <= CLOSE
    centers = world.centers[4:]
    assert (np.abs(centers[:, 0]) < 4.0).all()
    assert ((centers[:, 1] > 0.0) & (centers[:, 1] < 8.0)).all()
    assert max(joint.error for joint in world.joints) < CLOSE


@pytest.mark.parametrize("seed", [*range(12), 178])
def test_rooms_with_joints_gain_nothing_but_from_motors(seed):
    check_jointed_room(seed)


@pytest.mark.slow
def test_two_hundred_rooms_with_joints():
    """Of 300, seed 76 has no answer: a disc wedged by a rod and a motor."""
    failed = []
    for seed in range(200):
        try:
            check_jointed_room(seed)
        except SolverError:
            failed.append(seed)
    assert len(failed) <= 1, failed
