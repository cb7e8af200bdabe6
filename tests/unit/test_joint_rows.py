"""Every kind's rows against differences: rates, second derivatives, and what they measure."""

import math

import numpy as np
import pytest

from engine2d import (
    AngleLimit,
    Box,
    Circle,
    Drag,
    Gear,
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

ACROSS = 4
P, Q = (0.3, -0.2), (1.7, 0.9)
SPRING = {"stiffness": 3.0, "damping": 0.2}

KINDS = {
    "pin": lambda a, b: Pin(a, b, P, low=-1, high=2, rate=1, max_torque=3, friction=1, **SPRING),
    "pin local": lambda a, b: Pin(a, b, local_anchors=((0.1, 0.2), (-0.3, 0.4))),
    "weld": lambda a, b: Weld(a, b, P),
    "slider": lambda a, b: Slider(
        a, b, P, (1, 2), low=-1, high=2, rate=1, max_force=3, friction=1, **SPRING
    ),
    "groove": lambda a, b: Slider(a, b, P, (1, 2), free_rotation=True),
    "rod": lambda a, b: Rod(a, b, P, Q),
    "rope": lambda a, b: Rope(a, b, P, Q),
    "spring": lambda a, b: Spring(a, b, P, Q, **SPRING),
    "rotary spring": lambda a, b: RotarySpring(a, b, **SPRING),
    "wheel": lambda a, b: Wheel(
        a, b, P, (0.2, 1), low=-1, high=2, rate=1, max_torque=3, friction=1, **SPRING
    ),
    "motor": lambda a, b: Motor(a, b, 2.0, max_torque=5.0),
    "gear": lambda a, b: Gear(a, b, -2.5),
    "ratchet": lambda a, b: Ratchet(a, b, 0.3),
    "ratchet back": lambda a, b: Ratchet(a, b, -0.3),
    "angle limit": lambda a, b: AngleLimit(a, b, -0.5, 0.7),
    "pulley": lambda a, b: Pulley(a, b, P, Q, (0, 5), (2, 6), 1.5),
    "drag": lambda a, b: Drag(b, Q, P, max_force=10.0),
}
NAMES = sorted(KINDS)


def two_bodies(seed=0):
    rng = np.random.default_rng(seed)
    world = World()
    a = world.add_body(Box(1, 2), position=(0.1, 0.4), angle=0.3)
    b = world.add_body(Box(2, 1), Circle(0.5, (1, 1)), position=(1.5, 0.8), angle=-0.7)
    return world, a, b, rng


def made(kind, a_is_world=False):
    world, a, b, rng = two_bodies()
    joint = world.add_joint(KINDS[kind](None if a_is_world else a, b))
    poses = np.array([*a.center, a.angle, *b.center, b.angle])
    if a_is_world or joint.body_a is None:
        poses[:3] = 0.0
    return joint, poses + rng.normal(scale=0.1, size=6)


def rates(joint, poses):
    """J (rows x 6) and C of the rows."""
    rows = joint._rows(poses)
    return np.array([[*row["ja"], *row["jb"]] for row in rows]), np.array(
        [row["C"] for row in rows]
    )


@pytest.mark.parametrize("a_is_world", [False, True])
@pytest.mark.parametrize("kind", NAMES)
def test_rates_are_the_derivatives(kind, a_is_world):
    joint, poses = made(kind, a_is_world)
    rows = joint._rows(poses)
    J, _ = rates(joint, poses)
    h = 1e-5
    for k in range(6):
        step = np.eye(6)[k] * h
        # fourth order: what is left is rounding, about 1e-16 / h
        near = (rates(joint, poses + step)[1] - rates(joint, poses - step)[1]) / (2 * h)
        far = (rates(joint, poses + 2 * step)[1] - rates(joint, poses - 2 * step)[1]) / (4 * h)
        slope = (4 * near - far) / 3
        for i, row in enumerate(rows):
            if row["kind"] != ACROSS:
                assert slope[i] == pytest.approx(J[i, k], abs=1e-8)


@pytest.mark.parametrize("kind", NAMES)
def test_second_derivatives_by_the_angles_and_across(kind):
    """d2C/dangle^2 of each row, and d2C across lines: together the whole second derivative of pins,
    rods, ropes, springs and pulleys."""
    joint, poses = made(kind)
    rows = joint._rows(poses)
    J, _ = rates(joint, poses)
    h = 1e-5
    H = np.zeros((len(rows), 6, 6))
    for k in range(6):
        step = np.eye(6)[k] * h
        H[:, :, k] = (rates(joint, poses + step)[0] - rates(joint, poses - step)[0]) / (2 * h)
    for i, row in enumerate(rows):
        if row["kind"] == ACROSS:
            continue
        across = [
            (rows[n]["ha"], J[n]) for n in range(i + 1, len(rows)) if rows[n]["kind"] == ACROSS
        ]
        bend = sum((c * np.outer(n, n) for c, n in across), np.zeros((6, 6)))
        assert H[i, 2, 2] == pytest.approx(row["ha"] + bend[2, 2], abs=1e-8)
        assert H[i, 5, 5] == pytest.approx(row["hb"] + bend[5, 5], abs=1e-8)
        if kind in ("pin", "weld", "rod", "rope", "spring", "pulley"):
            whole = np.diag([0, 0, row["ha"], 0, 0, row["hb"]]) + bend
            assert np.allclose(H[i], whole, atol=1e-8)


@pytest.mark.parametrize("kind", NAMES)
def test_joints_hold_where_they_are_added(kind):
    world, a, b, _ = two_bodies()
    joint = world.add_joint(KINDS[kind](a, b))
    if kind != "pin local":
        assert joint.error < 1e-14


def test_anchors_are_points_of_the_world_and_then_of_the_bodies():
    world, a, b, _ = two_bodies()
    joint = world.add_joint(Pin(a, b, P))
    assert joint.point_a == pytest.approx(P, abs=1e-14)
    assert joint.point_b == pytest.approx(P, abs=1e-14)
    assert joint.anchor_b == pytest.approx(b.to_local(P), abs=1e-14)
    joint.anchor_b = (0.0, 0.0)
    assert joint.point_b == pytest.approx(b.position, abs=1e-14)


def test_hertz_is_the_frequency_with_the_masses_of_the_bodies():
    world, a, b, _ = two_bodies()
    joint = world.add_joint(RotarySpring(a, b, hertz=2.0, damping_ratio=0.5))
    inertia = 1 / (1 / a.inertia + 1 / b.inertia)
    assert joint.stiffness == pytest.approx(inertia * (4 * math.pi) ** 2)
    assert joint.damping == pytest.approx(2 * 0.5 * inertia * 4 * math.pi)
