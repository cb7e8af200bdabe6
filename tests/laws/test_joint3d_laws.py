"""Joints in space: energy, exactness, forces in newtons, and what they have in common with the
plane's."""

import math
import pickle

import numpy as np
import pytest

import engine2d
from engine3d import (
    Ball,
    Box,
    Capsule,
    Drag,
    Hinge,
    Plane,
    Rod,
    Rope,
    Slider,
    Sphere,
    Spring,
    Weld,
    World,
)
from tests.fuzz import rooms3d

G = 9.81
DT = 1 / 60
ACROSS = 4
P, Q = (0.3, -0.2, 0.1), (1.7, 0.9, -0.4)
SPRING = {"stiffness": 3.0, "damping": 0.2}

KINDS = {
    "ball": lambda a, b: Ball(a, b, P),
    "hinge": lambda a, b: Hinge(
        a, b, P, (1, 2, 3), low=-1, high=2, rate=1, max_torque=3, friction=1, **SPRING
    ),
    "weld": lambda a, b: Weld(a, b, P),
    "slider": lambda a, b: Slider(
        a, b, P, (1, 2, 0.5), low=-1, high=2, rate=1, max_force=3, friction=1, **SPRING
    ),
    "groove": lambda a, b: Slider(a, b, P, (1, 2, 0.5), free_rotation=True),
    "rod": lambda a, b: Rod(a, b, P, Q),
    "rope": lambda a, b: Rope(a, b, P, Q),
    "spring": lambda a, b: Spring(a, b, P, Q, **SPRING),
    "drag": lambda a, b: Drag(b, Q, P, max_force=10.0),
}


def turned(q, turn):
    """The orientation q after a small rotation about axes of the world."""
    angle = np.linalg.norm(turn)
    axis = turn / angle if angle else turn
    w, v = math.cos(angle / 2), math.sin(angle / 2) * axis
    return np.concatenate(
        [[w * q[0] - v @ q[1:]], w * np.array(q[1:]) + q[0] * v + np.cross(v, q[1:])]
    )


@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.parametrize("seed", range(3))
def test_rates_are_the_differences_of_what_rows_measure(kind, seed):
    rng = np.random.default_rng(seed)
    world = World()
    a = world.add_body(Box(1, 2, 3), orientation=rng.normal(size=4), position=rng.normal(size=3))
    b = world.add_body(Box(2, 1, 1), orientation=rng.normal(size=4), position=rng.normal(size=3))
    joint = world.add_joint(KINDS[kind](a, b))
    # off what it holds by a little: rows must be right there, too
    places = [
        np.array(a.center) + 0.1 * rng.normal(size=3),
        turned(np.array(a.orientation), 0.1 * rng.normal(size=3)),
        np.array(b.center) + 0.1 * rng.normal(size=3),
        turned(np.array(b.orientation), 0.1 * rng.normal(size=3)),
    ]
    if kind == "drag":
        places[0], places[1] = np.zeros(3), np.array([1.0, 0, 0, 0])
    rows = joint._rows(places)
    h = 1e-6
    for side in (0, 1):
        if kind == "drag" and side == 0:
            continue
        for axis in range(6):
            ends = []
            for step in (h, -h):
                moved = list(places)
                push = np.zeros(3)
                push[axis % 3] = step
                at = 2 * side + (axis >= 3)
                moved[at] = turned(places[at], push) if axis >= 3 else places[at] + push
                ends.append(joint._rows(moved))
            for row, plus, minus in zip(rows, *ends, strict=True):
                if row["kind"] == ACROSS:
                    continue
                rate = (plus["C"] - minus["C"]) / (2 * h)
                assert row["jb" if side else "ja"][axis] == pytest.approx(rate, abs=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["ball", "hinge", "rod"])
def test_a_pendulum_keeps_its_energy_for_a_minute(kind):
    check_pendulum(kind, 60.0)


@pytest.mark.parametrize("kind", ["ball", "hinge", "rod"])
def test_a_pendulum_keeps_its_energy(kind):
    check_pendulum(kind, 10.0)


def check_pendulum(kind, seconds):
    world = World()
    bob = world.add_body(Sphere(0.2, density=10), position=(1, 0, 0))
    joint = {
        "ball": lambda: Ball(None, bob, (0, 0, 0)),
        "hinge": lambda: Hinge(None, bob, (0, 0, 0), (0, 1, 0)),
        "rod": lambda: Rod(None, bob, (0, 0, 0), (1, 0, 0)),
    }[kind]()
    world.add_joint(joint)
    worst = off = 0.0
    for _ in range(round(seconds / DT)):
        world.step(DT)
        worst, off = max(worst, abs(world.energy.total)), max(off, joint.error)
    assert worst < 3e-3 * bob.mass * G
    assert off < 1e-6


def test_a_hinge_is_the_planes_pin():
    space, plane = World(), engine2d.World()
    one = space.add_body(Box(0.6, 0.3, 0.2), position=(1, 0, 0))
    space.add_joint(Hinge(None, one, (0, 0, 0), (0, -1, 0)))
    two = plane.add_body(
        engine2d.Box(0.6, 0.2), position=(1, 0), mass=one.mass, inertia=one.inertia[1, 1]
    )
    pin = plane.add_joint(engine2d.Pin(None, two, (0, 0)))
    for _ in range(600):
        space.step(DT)
        plane.step(DT)
        assert one.position.x == pytest.approx(two.position.x, abs=1e-9)
        assert one.position.z == pytest.approx(two.position.y, abs=1e-9)
    force = space.joints[0].force
    assert (force.x, force.z) == pytest.approx(tuple(pin.force), abs=1e-8)


def hanging_chain(n, mass, along):
    world = World()
    last, joints = None, []
    for k in range(n):
        at = 0.3 * np.array(along)
        link = world.add_body(
            Capsule(-0.3 * at, 0.3 * at, 0.05), position=(k + 0.5) * at, linear_damping=0.0
        )
        joints.append(world.add_joint(Ball(last, link, k * at)))
        last = link
    ball = world.add_body(Sphere(0.3), position=(n + 1) * at, mass=mass * last.mass)
    joints.append(world.add_joint(Ball(last, ball, n * at)))
    return world, ball, joints


def test_a_chain_of_twenty_with_a_ball_a_thousand_times_heavier_swings():
    world, _, joints = hanging_chain(20, 1000, (1, 0, 0))
    start = world.energy.total
    scale = -world.gravity.z * sum(body.mass for body in world.bodies) * 6
    for _ in range(300):
        world.step(DT)
        assert world.energy.total - start < 1e-6 * scale
        assert max(joint.error for joint in joints) < 1e-5


def test_a_hanging_chain_bears_its_weight_and_sleeps():
    world, ball, joints = hanging_chain(20, 1000, (0, 0, -1))
    for _ in range(120):
        world.step(DT)
    weight = G * sum(body.mass for body in world.bodies)
    assert joints[0].force.z == pytest.approx(weight, rel=1e-9)
    assert joints[-1].force.z == pytest.approx(G * ball.mass, rel=1e-9)
    assert not ball.awake


def test_a_weld_is_a_compound():
    ways = []
    turn = (0.9, 0.2, 0.3, -0.1)
    for welded in (True, False):
        world = World()
        world.add_static(Plane((0, 0, 1), friction=0.4, restitution=0.6))
        stuff = {"friction": 0.4, "restitution": 0.6}
        start = {"position": (0, 0, 2.5), "orientation": turn, "velocity": (1, 0.5, 0)}
        if welded:
            one = world.add_body(Box(1, 1, 1, **stuff), **start)
            place = {**start, "position": one.to_world((1, 0, 0))}
            two = world.add_body(Box(1, 1, 1, **stuff), **place)
            world.add_joint(Weld(one, two, one.to_world((0.5, 0, 0))))
        else:
            one = world.add_body(
                Box(1, 1, 1, **stuff), Box(1, 1, 1, center=(1, 0, 0), **stuff), **start
            )
        hits, states = 0, []
        for _ in range(160):
            world.step(1 / 240)
            hits += len(world.events.hits)
            velocity = one.velocity_at(one.position)
            states.append([*one.position, *velocity, *one.angular_velocity])
            if hits and len(states) % 10 == 0:
                break
        ways.append(np.array(states))
        assert hits == 1
    assert ways[0].shape == ways[1].shape
    # to the blow as one; what follows are two ways to turn a body without torques
    struck = np.abs(ways[0] - ways[1]).max(axis=1)
    assert struck[:112].max() < 1e-8
    assert struck.max() < 1e-6


def test_a_spring_swings_with_its_period():
    world = World(gravity=(0, 0, 0))
    ball = world.add_body(Sphere(0.5), mass=2.0, position=(1.3, 0, 0))
    spring = Spring(
        None, ball, (0, 0, 0), (1.3, 0, 0), length=1.0, stiffness=2 * (2 * math.pi) ** 2
    )
    world.add_joint(spring)
    total = world.energy.total
    for k in range(1, 601):
        world.step(DT)
        assert ball.position.x == pytest.approx(1 + 0.3 * math.cos(2 * math.pi * k * DT), abs=1e-6)
        assert world.energy.total == pytest.approx(total, rel=1e-3)


def test_motors_limits_and_friction():
    world = World()
    bar = world.add_body(Box(1, 0.2, 0.2))
    hinge = world.add_joint(Hinge(None, bar, (0, 0, 0), (0, 0, 1), rate=3.0, max_torque=1e3))
    for _ in range(300):
        world.step(DT)
    assert bar.angular_velocity == pytest.approx((0, 0, 3), abs=1e-12)
    # turns count
    assert hinge.angle == pytest.approx(3 * 5.0, abs=0.05)
    assert hinge.work == pytest.approx(0.5 * bar.inertia[2, 2] * 9, rel=1e-6)
    hinge.max_torque = 0.0
    hinge.high = hinge.angle + 1.0
    for _ in range(120):
        world.step(DT)
    assert hinge.angle <= hinge.high + 1e-6
    hinge.high = None
    bar.angular_velocity = (0, 0, 2)
    hinge.friction = 0.01
    for _ in range(120):
        world.step(DT)
    assert bar.angular_velocity.z == pytest.approx(
        max(2 - 2 * 0.01 / bar.inertia[2, 2], 0), rel=1e-6
    )


def test_sliders_ropes_and_drags():
    world = World()
    box = world.add_body(Box(1, 1, 1))
    slider = world.add_joint(Slider(None, box, (0, 0, 0), (1, 0, -1)))
    for _ in range(60):
        world.step(DT)
    assert slider.travel == pytest.approx(0.5 * G / math.sqrt(2), abs=1e-9)
    assert slider.error < 1e-9
    world = World()
    ball = world.add_body(Sphere(0.1), position=(0.5, 0, 0))
    rope = world.add_joint(Rope(None, ball, (0, 0, 0), (0.5, 0, 0), length=1.0))
    for _ in range(300):
        world.step(DT)
        assert rope.distance <= 1 + 1e-6
    world = World()
    box = world.add_body(Box(1, 2, 3), position=(0.5, 0, 0))
    drag = world.add_joint(Drag(box, (0.5, 0, 0), (3, 3, 3), orientation=(0, 1, 0, 0)))
    for _ in range(300):
        world.step(DT)
    assert abs(np.dot(box.orientation, (0, 1, 0, 0))) == pytest.approx(1, abs=1e-9)
    assert drag.force == pytest.approx((0, 0, G * box.mass), abs=1e-6)
    drag.max_force = 0.5 * G * box.mass
    for _ in range(30):
        world.step(DT)
    assert drag.force.length == pytest.approx(drag.max_force, rel=1e-6)


def test_joints_break_and_tell():
    world = World()
    ball = world.add_body(Sphere(0.5), position=(0, 0, -1))
    rod = world.add_joint(Rod(None, ball, (0, 0, 0), (0, 0, -1), break_force=2 * G * ball.mass))
    told = []
    world.events.on_joint_end(told.append)
    for _ in range(30):
        world.step(DT)
    assert rod.force.z == pytest.approx(G * ball.mass, rel=1e-9)
    assert not told
    ball.apply_force((0, 0, -1.5 * G * ball.mass))
    world.step(DT)
    assert [(end.joint, end.reason) for end in told] == [(rod, "broken")]
    assert rod.removed
    assert not world.joints
    with pytest.raises(ValueError, match="removed"):
        rod.length = 2.0


def test_joined_bodies_stand_on_the_floor():
    """A table of a welded top and hinged legs bears its weight on the floor."""
    world = World()
    world.add_static(Plane((0, 0, 1)))
    top = world.add_body(Box(2, 2, 0.2), position=(0, 0, 1.1))
    legs = []
    for x in (-0.8, 0.8):
        for y in (-0.8, 0.8):
            leg = world.add_body(Box(0.2, 0.2, 1), position=(x, y, 0.5))
            joint = Weld if x < 0 else Hinge
            world.add_joint(joint(top, leg, (x, y, 1.0)))
            legs.append(leg)
    start = world.energy.total
    for _ in range(120):
        world.step(DT)
        assert world.energy.total <= start + 1e-6
    floor = sum(c.normal_force for c in world.contacts)
    assert floor == pytest.approx(G * (top.mass + sum(leg.mass for leg in legs)), rel=1e-6)
    assert top.position.z == pytest.approx(1.1, abs=1e-4)


def test_joined_bodies_do_not_collide_unless_told():
    world = World(gravity=(0, 0, 0))
    one = world.add_body(Sphere(0.5))
    two = world.add_body(Sphere(0.5), position=(0.6, 0, 0))
    joint = world.add_joint(Ball(one, two, (0.3, 0, 0)))
    world.step(DT)
    assert len(world.contacts) == 0
    joint.collide_connected = True
    world.step(DT)
    assert len(world.contacts) == 1


def test_states_hold_joints():
    world, ball, _ = hanging_chain(5, 10, (1, 0, 0))
    ball.data = "ball"
    world.joints[2].data = "third"
    for _ in range(20):
        world.step(DT)
    saved = world.snapshot()
    copies = [world.copy(), pickle.loads(pickle.dumps(world))]
    for _ in range(30):
        world.step(DT)
    ends = np.array(world.positions)
    for other in copies:
        assert other.joints[2].data == "third"
        assert type(other.joints[0]) is Ball
        for _ in range(30):
            other.step(DT)
        assert np.array_equal(other.positions, ends)
    world.restore(saved)
    for _ in range(30):
        world.step(DT)
    assert np.array_equal(world.positions, ends)
    world.remove(world.bodies[2])
    assert len(world.joints) == 4
    world.step(DT)
    assert [end.reason for end in world.events.joint_ends] == ["body removed"] * 2


@pytest.mark.parametrize("bad", ["body", "axis", "anchor", "limits", "both", "twice", "length"])
def test_bad_joints_are_refused(bad):
    world = World()
    a = world.add_body(Sphere(1))
    b = world.add_body(Sphere(1), position=(3, 0, 0))
    with pytest.raises((TypeError, ValueError)):  # noqa: PT012
        if bad == "body":
            Ball(3, b, (0, 0, 0))
        elif bad == "axis":
            Hinge(a, b, (0, 0, 0), (0, 0, 0))
        elif bad == "anchor":
            Ball(a, b, (math.nan, 0, 0))
        elif bad == "limits":
            Hinge(a, b, (0, 0, 0), low=2, high=1)
        elif bad == "both":
            Ball(a, b)
        elif bad == "twice":
            Ball(a, a, (0, 0, 0))
        else:
            world.add_joint(Rod(a, b, (0, 0, 0), (0, 0, 0)))
    assert not world.joints
    world.step(DT)


# ---- many joints ---------------------------------------------------------------------------------


def torn(world):
    """m: how far apart what joints hold together is, at most."""
    worst = 0.0
    for joint in world.joints:
        gap = np.linalg.norm(np.subtract(joint.point_a, joint.point_b))
        worst = max(worst, abs(gap - joint.length) if isinstance(joint, Rod) else gap)
    return worst


def test_a_chain_of_two_hundred_is_exact():
    """As few bodies are: anchors to 1e-9 m, energy to 1e-4 of what falls."""
    world, last, side = World(), None, 0.2
    for k in range(200):
        link = world.add_body(
            Capsule((-0.06, 0, 0), (0.06, 0, 0), 0.02), position=((k + 0.5) * side, 0, 0)
        )
        world.add_joint(Ball(last, link, anchor=(k * side, 0, 0)))
        last = link
    mass = sum(body.mass for body in world.bodies)
    start = world.energy.total
    for _ in range(30):
        world.step(1 / 60)
        assert torn(world) < 1e-9
    assert abs(world.energy.total - start) < 1e-4 * mass * 9.81 * 200 * side


def test_a_net_of_four_hundred_is_exact():
    world, side, n = World(), 0.2, 20
    places = [(i, j) for i in range(n) for j in range(n)]
    grid = {p: world.add_body(Sphere(0.04), position=(*np.multiply(side, p), 0)) for p in places}
    for (i, j), body in grid.items():
        for other in (grid.get((i + 1, j)), grid.get((i, j + 1))):
            if other is not None:
                world.add_joint(Rod(body, other, body.position, other.position))
    world.add_joint(Ball(None, grid[0, 0], anchor=grid[0, 0].position))
    for _ in range(12):
        world.step(1 / 60)
    assert torn(world) < 1e-9


@pytest.mark.parametrize("seed", [0, 1, 2, 134])
def test_joined_bodies_in_a_room_gain_nothing(seed):
    """Seeds at which short sub-steps left starts that sweeps did not get rid of, and one (134) at
    which a blow met what joints hold."""
    assert not rooms3d.run_room("joined", seed, seconds=2.0).faults()


def long_chain(n):
    """n links in a row, held at one end."""
    world, joints, last = World(), [], None
    for k in range(n):
        link = world.add_body(
            Capsule((-0.2, 0, 0), (0.2, 0, 0), 0.05), position=(0.5 * k + 0.25, 0, 0)
        )
        joints.append(world.add_joint(Ball(last, link, (0.5 * k, 0, 0))))
        last = link
    return world, joints


@pytest.mark.parametrize("n", [6, 7, 40, 200])  # direct up to 6 bodies, by assemblies beyond
def test_chains_of_any_length_hold_and_gain_nothing(n):
    world, joints = long_chain(n)
    first = world.energy.total
    for _ in range(60):
        world.step(1 / 60)
        assert max(joint.error for joint in joints) < 1e-6
        assert world.energy.total < first + 1e-9


def test_a_curtain_of_rods_holds_and_gains_nothing():
    world, joints, grid = World(), [], {}
    for i in range(8):
        for j in range(8):
            at = (0.5 * i, 0.5 * j, 0)
            grid[i, j] = ball = world.add_body(Sphere(0.1), position=at)
            if i == 0:
                joints.append(world.add_joint(Ball(None, ball, at)))
                continue
            joints.append(world.add_joint(Rod(grid[i - 1, j], ball, (at[0] - 0.5, *at[1:]), at)))
            if j > 0:
                left = (at[0], at[1] - 0.5, 0)
                joints.append(world.add_joint(Rod(grid[i, j - 1], ball, left, at)))
    first = world.energy.total
    for _ in range(60):
        world.step(1 / 60)
        assert max(joint.error for joint in joints) < 1e-8
        assert world.energy.total < first + 1e-9


@pytest.mark.parametrize("n", [6, 10, 16])  # directly, and by assemblies
def test_boxes_on_a_row_of_jointed_planks_weigh_what_they_weigh(n):
    world = World()
    planks = [world.add_body(Box(1, 1, 0.2), position=(k, 0, 0)) for k in range(n)]
    joints = [
        world.add_joint(Ball(planks[k], planks[k + 1], (k + 0.5, y, 0)))
        for k in range(n - 1)
        for y in (-0.4, 0.4)
    ]
    joints += [world.add_joint(Ball(None, plank, (k, 0, 0.1))) for k, plank in enumerate(planks)]
    joints.append(world.add_joint(Weld(None, planks[0], (-0.5, 0, 0))))
    boxes = [world.add_body(Box(0.5, 0.5, 0.5), position=(k, 0, 0.35)) for k in range(n)]
    for _ in range(40):
        world.step(1 / 60)
    load = sum(contact.normal_force for contact in world.contacts)
    assert load == pytest.approx(sum(box.mass for box in boxes) * 9.81, rel=1e-6)
    assert min(contact.gap for contact in world.contacts) > -1e-4
    assert max(joint.error for joint in joints) < 1e-8


def test_one_joint_in_a_heap_costs_no_more_room_than_the_heap():
    """A dense matrix of all bodies would take gigabytes here."""
    world = World()
    world.add_static(Plane((0, 0, 1)))
    boxes = [
        world.add_body(Box(0.6, 0.6, 0.6), position=(0.6 * (k % 20), 0.6 * (k // 20), 0.3))
        for k in range(800)
    ]
    joint = world.add_joint(Ball(boxes[0], boxes[1], (0.3, 0, 0.3)))
    for _ in range(5):
        world.step(1 / 60)
    assert joint.error < 1e-8
    ground = [c for c in world.contacts if "static" in (c.body_a.kind, c.body_b.kind)]
    load = sum(contact.normal_force for contact in ground)
    assert load == pytest.approx(sum(box.mass for box in boxes) * 9.81, rel=0.02)
