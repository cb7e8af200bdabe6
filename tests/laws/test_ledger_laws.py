"""world.ledger under World.step: each account by its own formula; what is no physics is small."""

import math

import numpy as np
import pytest

from engine2d import Box, Circle, Path, Pin, Rope, Segment, Spring, World

G = 9.81  # m/s^2
CLOSE = 1e-9  # J: scenes whose steps are exact to rounding
DT = 1.0 / 60.0  # s
NO_PHYSICS = ("normal", "projection", "integrator")


def floor(world, **material):
    return world.add_static(Segment((-50.0, 0.0), (50.0, 0.0), **material))


def run(world, steps=240, dt=DT, each=None):
    """The change of energy; the ledger must add up to it."""
    before = world.energy.total
    for _ in range(steps):
        if each is not None:
            each()
        world.step(dt)
    change = world.energy.total - before
    size = 1.0 + sum(abs(value) for value in world.ledger.values())
    assert world.ledger.total == pytest.approx(change, abs=1e-12 * size)
    return change


def check(world, close=CLOSE, **accounts):
    """These accounts (J), and nothing in the others."""
    for name, value in world.ledger.items():
        assert value == pytest.approx(accounts.get(name, 0.0), abs=close), name


@pytest.mark.parametrize("e", [0.0, 0.8, 1.0])
def test_what_a_ball_loses_is_lost_in_blows(e):
    world = World()
    floor(world)
    world.add_body(Circle(0.5, restitution=e), position=(0.0, 1.5))
    check(world, impacts=run(world))


def test_friction_takes_what_slides_has():
    world, mu = World(), 0.3
    floor(world, friction=mu)
    block = world.add_body(Box(1.0, 0.5, friction=mu), position=(0.0, 0.25), velocity=(3.0, 0.0))
    run(world)
    check(world, friction=-4.5 * block.mass)


def test_friction_of_a_disc_that_slips_and_then_rolls():
    world, mu = World(), 0.3
    floor(world, friction=mu)
    disc = world.add_body(Circle(0.5, friction=mu), position=(0.0, 0.5), velocity=(3.0, 0.0))
    run(world)
    check(world, friction=-1.5 * disc.mass)


def test_rolling_resistance_is_friction():
    world = World()
    floor(world, friction=1.0, rolling_resistance=0.05)
    disc = world.add_body(
        Circle(0.5, friction=1.0, rolling_resistance=0.05), position=(0.0, 0.5),
        velocity=(2.0, 0.0), angular_velocity=-4.0,
    )  # fmt: skip
    change = run(world)
    assert change == pytest.approx(-3.0 * disc.mass, rel=0.2)
    check(world, close=1e-6, friction=change)


def test_forces_and_damping():
    """A block pulled along, damped, rubbing, each account by the closed form of its way."""
    world, mu, force, c, time = World(), 0.2, 5.0, 0.3, 4.0
    floor(world, friction=mu)
    block = world.add_body(
        Box(1.0, 0.5, friction=mu), position=(0.0, 0.25), velocity=(1.0, 0.0), linear_damping=c
    )
    change = run(world, each=lambda: block.apply_force((force, 0.0), block.center))
    a = (force - mu * block.mass * G) / block.mass
    end = a / c + (1.0 - a / c) * math.exp(-c * time)
    way = a / c * time + (1.0 - a / c) * (1.0 - math.exp(-c * time)) / c
    assert change == pytest.approx(0.5 * block.mass * (end**2 - 1.0), rel=2e-3)
    # damping acts on what friction leaves of a sub-step, c h / 2 = 1.3e-3 of it
    assert world.ledger["applied"] == pytest.approx(force * way, rel=2e-3)
    assert world.ledger["friction"] == pytest.approx(-mu * block.mass * G * way, rel=2e-3)
    assert world.ledger["damping"] == pytest.approx(
        change - (force - mu * block.mass * G) * way, rel=2e-3
    )
    assert all(abs(world.ledger[name]) < CLOSE for name in NO_PHYSICS)


@pytest.mark.parametrize("moves", ["body", "surface"])
def test_a_belt_gives_what_a_block_gains_and_rubs_away(moves):
    world, mu, speed = World(), 0.4, 2.0
    if moves == "body":
        world.add_kinematic(Box(99.0, 1.0, friction=mu), position=(0.0, -0.5), velocity=(speed, 0))
    else:
        floor(world, friction=mu, surface_velocity=(speed, 0.0))
    block = world.add_body(Box(1.0, 0.5, friction=mu), position=(0.0, 0.25))
    run(world)
    check(world, driven=block.mass * speed**2, friction=-0.5 * block.mass * speed**2)


def test_a_bumper_drives():
    """With e = 1 and a boost of 0.2 each blow gives 0.44 of the energy it met."""
    world = World()
    floor(world, restitution=1.0, boost=0.2)
    ball = world.add_body(Circle(0.5), position=(0.0, 1.5))
    change = run(world, 60)
    assert change == pytest.approx(0.44 * ball.mass * G, rel=1e-9)
    check(world, driven=change)


def test_a_motor_gives_what_it_turns():
    world = World()
    disc = world.add_body(Circle(0.3), position=(0.0, 0.0))
    world.add_joint(Pin(None, disc, (0.0, 0.0), rate=3.0, max_torque=0.5))
    run(world)
    check(world, motors=4.5 * disc.inertia)


def test_friction_in_a_joint_is_friction():
    world = World()
    disc = world.add_body(Circle(0.3), position=(0.0, 0.0), angular_velocity=5.0)
    world.add_joint(Pin(None, disc, (0.0, 0.0), friction=0.2))
    change = run(world)
    assert change == pytest.approx(-12.5 * disc.inertia)
    check(world, friction=change)


def test_a_rope_that_goes_taut_is_a_blow():
    world = World(gravity=(0.0, 0.0))
    disc = world.add_body(Circle(0.3), position=(1.0, 0.0), velocity=(3.0, 0.0))
    world.add_joint(Rope(None, disc, (0.0, 0.0), (1.0, 0.0), length=2.0))
    run(world)
    check(world, impacts=-4.5 * disc.mass)


def test_a_damper_takes_what_a_spring_loses():
    world = World(gravity=(0.0, 0.0))
    disc = world.add_body(Circle(0.3), position=(1.0, 0.0), velocity=(2.0, 0.0))
    world.add_joint(Spring(None, disc, (0.0, 0.0), (1.0, 0.0), stiffness=50.0, damping=1.0))
    change = run(world)
    assert change == pytest.approx(-2.0 * disc.mass, rel=0.01)
    check(world, close=0.005 * disc.mass, springs=change)


def test_a_spring_that_breaks_loses_what_it_held():
    world = World(gravity=(0.0, 0.0))
    disc = world.add_body(Circle(0.3), position=(1.0, 0.0), velocity=(2.0, 0.0))
    world.add_joint(
        Spring(None, disc, (0.0, 0.0), (1.0, 0.0), stiffness=50.0, damping=0.0, break_force=3.0)
    )
    change = run(world, 60)
    assert len(world.joints) == 0
    assert change < -0.05
    check(world, close=0.02 * abs(change), springs=change)


def bowl():
    world, radius, r, angle, half = World(), 2.0, 0.3, 0.7, math.radians(85.0)
    ends = [(side * radius * math.sin(half), -radius * math.cos(half)) for side in (-1.0, 1.0)]
    world.add_static(Path(ends, [math.tan(half / 2.0)], closed=False, friction=0.0))
    way = radius - r
    world.add_body(
        Circle(r, friction=0.0), position=(way * math.sin(angle), -way * math.cos(angle))
    )
    return world


def pendulum():
    world = World()
    arm = world.add_body(Box(1.0, 0.2), position=(0.5, 0.0))
    world.add_joint(Pin(None, arm, (0.0, 0.0)))
    return world


@pytest.mark.parametrize("scene", [bowl, pendulum])
def test_what_is_no_physics_falls_with_the_step(scene):
    sizes = []
    for n in (1, 4):
        world = scene()
        run(world, 240 * n, DT / n)
        sizes.append(sum(abs(world.ledger[name]) for name in NO_PHYSICS))
    assert sizes[0] < 2e-4  # J, of some joules that go to and fro
    assert sizes[1] < sizes[0] / 12.0


def heap(solver):
    rng, world = np.random.default_rng(3), World(solver=solver)
    for a, b in (((-9, 0), (9, 0)), ((-4, 0), (-4, 30)), ((4, 0), (4, 30))):
        world.add_static(Segment(a, b))
    for i in range(30):
        world.add_body(
            Box(*rng.uniform(0.4, 1.0, 2), restitution=0.3),
            position=(rng.uniform(-3, 3), 1.0 + 0.8 * i), angle=rng.uniform(0, 6),
        )  # fmt: skip
    return world


@pytest.mark.parametrize("solver", ["auto", "direct", "iterative"])
def test_a_heap_loses_by_blows_and_friction(solver):
    world = heap(solver)
    change = run(world, 360)
    lost = world.ledger["impacts"] + world.ledger["friction"]
    assert lost == pytest.approx(change, rel=0.01)
    assert world.ledger["impacts"] < 0.0
    assert world.ledger["friction"] < 0.0
    for name in NO_PHYSICS:
        assert abs(world.ledger[name]) < 0.005 * abs(change), name


def test_sleep_is_booked():
    world = World()
    floor(world)
    world.add_body(Box(1.0, 1.0), position=(0.0, 0.6), angle=0.1)
    run(world, 300)
    assert not world.awake.any()


def test_both_clocks_write_into_one_ledger():
    world = World()
    floor(world)
    world.add_body(Circle(0.5, restitution=0.8), position=(0.0, 1.5))
    ledger, before = world.ledger, world.energy.total
    for _ in range(30):
        world.step(DT)
        world.advance(DT)
    assert ledger is world.ledger
    assert ledger.total == pytest.approx(world.energy.total - before, abs=1e-12)
    assert ledger["impacts"] == pytest.approx(world.energy.total - before, abs=1e-8)
    ledger.clear()
    assert ledger.total == 0.0
