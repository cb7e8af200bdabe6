"""Joints as users hold them: making, adding, changing, removing, saving; bad values are refused."""

import copy
import math
import pickle

import numpy as np
import pytest

import engine2d
from engine2d import (
    AngleLimit,
    Box,
    Circle,
    Drag,
    Gear,
    Joint,
    Motor,
    Pin,
    Pulley,
    Ratchet,
    Rod,
    Rope,
    RotarySpring,
    Slider,
    Spring,
    Weld,
    Wheel,
    World,
)

DT = 1 / 60
NAN = math.nan


@pytest.fixture
def scene():
    world = World()
    return world, world.add_body(Circle(0.5)), world.add_body(Box(1, 1), position=(2, 0))


def one_of_each(a, b):
    return [
        Pin(a, b, (1, 0), low=-1, high=1, rate=1, max_torque=0.1, friction=0.1, hertz=1),
        Weld(a, b, (1, 0)),
        Slider(a, b, (1, 0), (1, 0), low=-1, high=1),
        Rod(a, b, (0, 0), (2, 0)),
        Rope(a, b, (0, 0), (2, 0)),
        Spring(a, b, (0, 0), (2, 0), stiffness=10, damping=1),
        RotarySpring(a, b, stiffness=1),
        Wheel(a, b, (2, 0), (0, 1), hertz=2, damping_ratio=0.7),
        Motor(a, b, 1.0, max_torque=1.0),
        Gear(a, b, 2.0),
        Ratchet(a, b, 0.2),
        AngleLimit(a, b, -1, 1),
        Pulley(a, b, (0, 0), (2, 0), (0, 3), (2, 3)),
        Drag(b, (2, 0), (2, 1), max_force=5),
    ]


def test_every_kind_can_be_added_alone_and_steps(scene):
    for k in range(14):
        world = World()
        a, b = world.add_body(Circle(0.5)), world.add_body(Box(1, 1), position=(2, 0))
        joint = one_of_each(a, b)[k]
        assert world.add_joint(joint) is joint
        assert world.joints == [joint]
        assert isinstance(joint, Joint)
        for _ in range(30):
            world.step(DT)
        assert np.isfinite(world.positions).all()
        assert np.isfinite(joint.force).all()
        assert np.isfinite(joint.torque)
        assert joint.error < 1e-4
        assert type(joint).__name__ in repr(joint)


@pytest.mark.parametrize(
    ("make", "error", "named"),
    [
        (lambda a, b: Pin(a, 3, (0, 0)), TypeError, "body_b"),
        (lambda a, b: Pin(a, a, (0, 0)), ValueError, "two bodies"),
        (lambda a, b: Pin(None, None, (0, 0)), ValueError, "two bodies"),
        (lambda a, b: Pin(a, b), ValueError, "anchor"),
        (lambda a, b: Pin(a, b, (0, NAN)), ValueError, "anchor"),
        (lambda a, b: Pin(a, b, (0, 0), local_anchors=((0, 0), (0, 0))), ValueError, "anchor"),
        (lambda a, b: Pin(a, b, local_anchors=((0, 0),)), ValueError, "local_anchors"),
        (lambda a, b: Pin(a, b, (0, 0), low=1, high=0), ValueError, "low"),
        (lambda a, b: Pin(a, b, (0, 0), low=NAN), ValueError, "low"),
        (lambda a, b: Pin(a, b, (0, 0), max_torque=-1), ValueError, "max_torque"),
        (lambda a, b: Pin(a, b, (0, 0), friction=-1), ValueError, "friction"),
        (lambda a, b: Pin(a, b, (0, 0), rate=math.inf), ValueError, "rate"),
        (lambda a, b: Pin(a, b, (0, 0), break_force=-1), ValueError, "break_force"),
        (lambda a, b: Spring(a, b, (0, 0), (1, 0), stiffness=-1), ValueError, "stiffness"),
        (lambda a, b: Spring(a, b, (0, 0), (1, 0), hertz=1, stiffness=1), ValueError, "hertz"),
        (lambda a, b: Spring(a, b, (0, 0), (1, 0), damping_ratio=1), ValueError, "hertz"),
        (lambda a, b: Spring(a, b, (0, 0), (1, 0), length=-1), ValueError, "length"),
        (lambda a, b: Rod(a, b, (0, 0), (1, 0), length=0), ValueError, "length"),
        (lambda a, b: Slider(a, b, (0, 0), (0, 0)), ValueError, "axis"),
        (lambda a, b: Gear(a, b, 0), ValueError, "ratio"),
        (lambda a, b: Ratchet(a, b, 0), ValueError, "tooth"),
        (lambda a, b: Pulley(a, b, (0, 0), (1, 0), (0, 1), (1, 1), -1), ValueError, "ratio"),
        (lambda a, b: Joint(), TypeError, "kinds"),
    ],
)
def test_bad_values_are_refused_and_named(scene, make, error, named):
    world, a, b = scene
    with pytest.raises(error, match=named):
        make(a, b)
    assert world.joints == []


def test_what_cannot_be_added_is_refused(scene):
    world, a, b = scene
    with pytest.raises(TypeError, match="joint"):
        world.add_joint(a)
    other = World().add_body(Circle(1))
    with pytest.raises(ValueError, match="body_b"):
        world.add_joint(Pin(a, other, (0, 0)))
    with pytest.raises(ValueError, match="apart"):
        world.add_joint(Rod(a, b, (1, 0), (1, 0)))
    joint = world.add_joint(Pin(a, b, (1, 0)))
    with pytest.raises(ValueError, match="added before"):
        world.add_joint(joint)
    floor = world.add_static(Circle(1), position=(9, 9))
    with pytest.raises(ValueError, match="hertz"):
        world.add_joint(Spring(None, floor, (0, 0), (9, 9), hertz=1))
    assert world.joints == [joint]


def test_settings_change_at_any_time(scene):
    world, a, b = scene
    pin = world.add_joint(Pin(None, b, (2, 0)))
    world.step(DT)
    pin.max_torque, pin.rate = math.inf, 2.0
    world.step(DT)
    assert b.angular_velocity == pytest.approx(2.0, rel=1e-9)
    pin.max_torque = 0.0
    pin.limits = (-0.1, 0.3)
    for _ in range(60):
        world.step(DT)
    assert b.angle == pytest.approx(0.3, abs=1e-5)
    pin.low = pin.high = None
    assert pin.limits == (None, None)
    with pytest.raises(ValueError, match="low"):
        pin.limits = (2, 1)
    rod = world.add_joint(Rod(None, a, (0, 3), (0, 0)))
    rod.length = 2.0
    world.step(DT)
    assert rod.distance == pytest.approx(2.0, abs=1e-6)


def test_removed_joints_say_so(scene):
    world, a, b = scene
    joint = world.add_joint(Pin(a, b, (1, 0)))
    world.remove(joint)
    assert joint.removed
    assert world.joints == []
    with pytest.raises(ValueError, match="removed"):
        _ = joint.force
    with pytest.raises(ValueError, match="removed"):
        world.remove(joint)
    world.step(DT)
    assert world.events.joint_ends == [(joint, "removed")]
    world.step(DT)
    assert world.events.joint_ends == []


def test_removing_a_body_removes_its_joints(scene):
    world, a, b = scene
    kept = world.add_joint(Pin(None, b, (2, 0)))
    gone = world.add_joint(Pin(a, b, (1, 0)))
    told = []
    world.events.on_joint_end(told.append)
    world.remove(a)
    assert world.joints == [kept]
    world.step(DT)
    assert told == [(gone, "body removed")]


def test_joined_bodies_collide_only_if_told():
    for collide in (False, True):
        world = World(gravity=(0, 0))
        a = world.add_body(Box(1, 1))
        b = world.add_body(Box(1, 1), position=(0.98, 0))
        joint = world.add_joint(Rope(a, b, (0, 0), (0.98, 0), length=3, collide_connected=collide))
        world.step(DT)
        assert (len(world.contacts) > 0) is collide
        joint.collide_connected = not collide
        world.step(DT)
        assert (len(world.contacts) > 0) is not collide


def swinging():
    world = World()
    a, b = world.add_body(Circle(0.5)), world.add_body(Box(1, 1), position=(2, 0))
    for joint in (
        Pin(None, a, (-1, 0)),
        Rod(a, b, (0, 0), (2, 0)),
        Spring(None, b, (2, 3), (2, 0), stiffness=20),
    ):
        world.add_joint(joint)
    for _ in range(20):
        world.step(DT)
    return world


@pytest.mark.parametrize("way", ["pickle", "copy"])
def test_worlds_with_joints_go_on_the_same_from_a_copy(way):
    world = swinging()
    world.joints[0].data = "mine"
    other = pickle.loads(pickle.dumps(world)) if way == "pickle" else copy.copy(world)
    assert [type(joint).__name__ for joint in other.joints] == ["Pin", "Rod", "Spring"]
    assert other.joints[0].data == "mine"
    assert other.joints[1].body_a is other.bodies[0]
    for _ in range(60):
        world.step(DT)
        other.step(DT)
    assert np.array_equal(world.positions, other.positions)
    assert other.joints[1].force == world.joints[1].force


def test_snapshots_bring_joints_back():
    world = swinging()
    spring = world.joints[2]
    before = world.snapshot()
    force = spring.force
    world.remove(spring)
    world.step(DT)
    first = world.positions.copy()
    world.restore(before)
    assert not spring.removed
    assert spring.force == force
    assert len(world.joints) == 3
    world.remove(spring)
    world.step(DT)
    assert np.array_equal(world.positions, first)


def test_a_joint_cannot_be_pickled_alone():
    with pytest.raises(TypeError, match="world"):
        pickle.dumps(swinging().joints[0])


def test_joined_bodies_sleep_and_wake_together():
    world = World()
    a, b = world.add_body(Circle(0.5)), world.add_body(Circle(0.5), position=(0, -3))
    world.add_joint(Pin(None, a, (0, 0)))
    world.add_joint(Rod(a, b, (0, 0), (0, -3)))
    for _ in range(120):
        world.step(DT)
    assert not world.awake.any()
    force = world.joints[0].force
    assert force[1] == pytest.approx((a.mass + b.mass) * 9.81, rel=1e-9)
    a.apply_impulse((1, 0))
    world.step(DT)
    assert world.awake.all()


def test_springs_are_part_of_the_energy(scene):
    world, a, b = scene
    without = world.energy.total
    spring = world.add_joint(Spring(a, b, (0, 0), (2, 0), length=1.5, stiffness=8.0))
    assert spring.energy == pytest.approx(0.5 * 8 * 0.25)
    assert world.energy.total == pytest.approx(without + 1.0)


def test_a_kinematic_body_leads_what_is_pinned_to_it():
    world = World(gravity=(0, 0))
    cart = world.add_kinematic(Box(1, 0.2), velocity=(1, 0))
    ball = world.add_body(Circle(0.2), position=(0, -1))
    world.add_joint(Weld(cart, ball, (0, 0)))
    for _ in range(60):
        world.step(DT)
    assert ball.position == pytest.approx((1, -1), abs=1e-9)


def test_all_kinds_are_public(scene):
    _, a, b = scene
    for kind in {type(joint) for joint in one_of_each(a, b)} | {Joint}:
        assert kind.__name__ in engine2d.__all__
        assert kind.__doc__
