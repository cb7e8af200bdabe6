"""Scene files: round trips to the last bit, errors that name the field, hostile files."""

import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

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
    Polygon,
    Pulley,
    Ratchet,
    Rod,
    Rope,
    RotarySpring,
    Segment,
    Slider,
    Spring,
    Vec2,
    Weld,
    Wheel,
    World,
    scene,
)  # fmt: skip
from engine2d import Path as Run

ROOT = Path(__file__).resolve().parent.parent.parent
HEAD = {"format": "engine2d scene", "version": 1}


def text(**fields):
    return json.dumps({**HEAD, **fields})


def rich():
    world = World(
        (0.1, -3.7), solver="direct", sleeping=False, friction_rule="maximum",
        restitution_rule="average", unit=2.0,
    )  # fmt: skip
    world.time_scale = 0.5
    world.add_static(Segment((-9, 0), (9, 0.1), friction=0.9, tag="floor"), position=(0.1, 0))
    world.add_kinematic(Box(1, 2, angle=0.3, radius=0.1), velocity=(0, 0.1), position=(7, 3))
    world.add_body(
        Circle(0.3, center=(0.1, 0.7), density=3, filter=Filter(2, 5, -1), restitution=0.4),
        Capsule((0, 0), (1, 0.1), 0.2, sensor=True, tag=7),
        position=(1 / 3, 5), angle=1e-3, velocity=(math.pi, -math.e), angular_velocity=0.1,
        gravity_scale=0.7, linear_damping=0.01, angular_damping=0.02, bullet=True,
        can_sleep=False,
    )  # fmt: skip
    world.add_body(
        Polygon([(0, 0), (2, 0), (2, 1), (1, 2), (0, 1)], radius=0.1), mass=3.3, position=(-4, 4)
    )
    world.add_body(Polygon([(0, 0), (-1, 1), (1.5, 0), (-1, -1)]), inertia=2, position=(-7, 4))
    world.add_body(
        Run([(-1, 0), (1, 0)], bulges=[1, 0], one_way=(0, 2), surface_velocity=(0.1, 0), boost=0.3),
        fixed_rotation=True, position=(4, 9),
    )  # fmt: skip
    world.add_static(Run([(-3, 0), (0, -1), (3, 0)], closed=False, rolling_resistance=0.1))
    return world


def state(world):
    return [
        (
            body.kind, tuple(body.position), tuple(body.center), body.angle, tuple(body.velocity),
            body.angular_velocity, body.mass, body.inertia, body.gravity_scale, body.bullet,
            body.linear_damping, body.angular_damping, body.fixed_rotation, body.can_sleep,
            tuple(part.shape for part in body.shapes),
        )
        for body in world.bodies
    ]  # fmt: skip


def test_a_round_trip_keeps_every_bit(tmp_path):
    world = rich()
    for seconds in (0, 1):
        for _ in range(60 * seconds):
            world.step(1 / 60)
        again = scene.loads(scene.dumps(world))
        assert state(again) == state(world)
        assert again._settings() == world._settings()
        assert scene.dumps(again) == scene.dumps(world)
        scene.save(world, tmp_path / "a.json")
        assert state(scene.load(tmp_path / "a.json")) == state(world)
    first, second = scene.loads(scene.dumps(world)), scene.loads(scene.dumps(world))
    for _ in range(30):
        first.step(1 / 60)
        second.step(1 / 60)
    assert np.array_equal(first.positions, second.positions)


def test_a_scene_can_be_written_by_hand():
    world = scene.loads(
        text(
            bodies=[
                {"kind": "static", "shapes": [{"type": "segment", "a": [-9, 0], "b": [9, 0]}]},
                {"shapes": [{"type": "box", "width": 1, "height": 1}], "position": [0, 3]},
            ]
        )
    )
    for _ in range(120):
        world.step(1 / 60)
    assert world.bodies[1].position.y == pytest.approx(0.5, abs=1e-3)
    assert scene.loads(text()).bodies == []


BOX = {"type": "box", "width": 1, "height": 1}


# ---- joints --------------------------------------------------------------------------------------


def joined():
    """A world with every kind of joint, bodies turned and moving, settings of all sorts."""
    world = World(sleeping=False, extra="none", resting_gap=1e-4, resting_speed=0.01)
    world.add_static(Segment((-99, -9), (99, -9)))
    gone = world.add_body(Circle(1), position=(0, 50))
    bodies = [
        world.add_body(Box(1, 0.4, center=(0.1, 0.03)), position=(3 * k, 0.1 * k), angle=0.3 * k)
        for k in range(16)
    ]
    world.remove(gone)  # the numbers in the file are places in the list, not ids
    b = bodies
    at = [body.position for body in bodies]
    inf = math.inf
    for joint in [
        Pin(None, b[0], at[0] + (0.2, 0), low=-1, high=2, rate=3, max_torque=inf, friction=0.1),
        Pin(b[0], b[1], at[1], hertz=3, damping_ratio=0.2, collide_connected=True),
        Weld(b[1], b[2], at[2], break_force=1e5, break_torque=1e6),
        Slider(b[3], b[4], at[4], (1, 0.3), low=-1, rate=0.1, max_force=7, stiffness=5, damping=1),
        Slider(None, b[5], at[5], (0.1, 2), free_rotation=True, friction=0.3),
        Rod(b[5], b[6], at[5], at[6] + (0.1, 0.2)),
        Rope(b[6], b[7], at[6], at[7], length=9),
        Spring(b[7], b[8], at[7], at[8] + (0, 0.1), stiffness=20, damping=0.3, length=2),
        RotarySpring(b[8], b[9], hertz=2, damping_ratio=0.1),
        Wheel(b[9], b[10], at[10], (0.2, 1), hertz=4, damping_ratio=0.7, low=-0.3, rate=9,
              max_torque=2),
        Motor(b[10], b[11], 4.0), Motor(None, b[12], 0.0, max_torque=3),
        Gear(b[11], b[12], -2.5),
        Ratchet(None, b[12], 0.4), Ratchet(b[12], b[13], -0.3, reference=0.1),
        AngleLimit(b[13], b[14], None, 3), AngleLimit(None, b[14], -0.5, None, reference=0.2),
        Pulley(b[14], b[15], at[14], at[15], (40, 9), (46, 9), 1.5, slack=True),
        Drag(b[15], at[15] + (0.1, 0), (45, 3), max_force=50), Drag(b[0], at[0]),
    ]:  # fmt: skip
        world.add_joint(joint)
    return world


def joints_state(world):
    return [
        (
            type(joint), *(None if body is None else body.row for body in (joint.body_a,
            joint.body_b)), joint.anchor_a, joint.anchor_b, joint._frames(), joint.error,
            joint.energy, *(getattr(joint, name, None) for name in dir(joint)
            if name in {"low", "high", "rate", "max_torque", "max_force", "stiffness", "damping",
            "friction", "reference", "length", "ratio", "phase", "tooth", "ground_a", "ground_b",
            "slack", "free_rotation", "break_force", "break_torque", "collide_connected"}),
        )
        for joint in world.joints
    ]  # fmt: skip


def test_joints_keep_every_bit():
    world = joined()
    kinds = {type(joint) for joint in world.joints}
    assert len(kinds) == 14
    for seconds in (0, 1):
        for _ in range(60 * seconds):
            world.step(1 / 60)
        again = scene.loads(scene.dumps(world))
        assert joints_state(again) == joints_state(world)
        assert state(again) == state(world)
        assert again._settings() == world._settings()
        assert scene.dumps(again) == scene.dumps(world)
    twice = [scene.loads(scene.dumps(world)) for _ in range(2)]
    for one in twice:
        for _ in range(30):
            one.step(1 / 60)
    assert np.array_equal(twice[0].positions, twice[1].positions)


def test_what_is_joined_swings_on_as_it_did():
    """A double pendulum, saved in mid-swing: the copy goes the same way, but for rounding."""
    world = World()
    arm = world.add_body(Box(1, 0.1), position=(0.5, 0))
    end = world.add_body(Box(1, 0.1), position=(1.5, 0))
    world.add_joint(Pin(None, arm, (0, 0)))
    world.add_joint(Pin(arm, end, (1, 0)))
    for _ in range(30):
        world.step(1 / 60)
    again = scene.loads(scene.dumps(world))
    for _ in range(30):
        world.step(1 / 60)
        again.step(1 / 60)
    assert np.allclose(again.positions, world.positions, rtol=0, atol=1e-9)
    assert np.abs(world.positions[1]).max() > 0.5


WHEEL = {"anchor": [0, 6], "axis": [3, 0], "hertz": 2}


def test_joints_can_be_written_by_hand():
    """One point of the world is anchor enough; a spring may be told by hertz, an axis by the
    direction in the frame of body_a."""
    world = scene.loads(
        text(
            bodies=[
                {"shapes": [BOX], "position": [2, 0]},
                {"shapes": [BOX], "position": [0, 5], "angle": math.pi / 2},
                {"shapes": [BOX], "position": [0, 6]},
            ],
            joints=[
                {"type": "pin", "body_b": 0, "anchor": [0, 0]},
                {"type": "wheel", "body_a": 1, "body_b": 2, **WHEEL},
            ],
        )
    )
    pin, wheel = world.joints
    assert pin.point_b == (0, 0)
    assert wheel._frames()["axis"] == (1, 0)
    assert wheel.travel == pytest.approx(0, abs=1e-15)
    assert wheel.stiffness == pytest.approx((4 * math.pi) ** 2 / 2)  # reduced mass 1/2 kg
    for _ in range(60):
        world.step(1 / 60)
    assert abs(world.bodies[0].position) == pytest.approx(2, abs=1e-6)


def test_a_ratchet_keeps_its_tooth():
    """Its pawl bears, so that the angle is a hair below the tooth: none is lost in the file."""
    world = World((0, 0))
    body = world.add_body(Circle(1))
    ratchet = world.add_joint(Ratchet(None, body, 0.5))
    body.angular_velocity = 2
    for _ in range(60):
        world.step(1 / 60)
    body.angular_velocity = -2
    for _ in range(60):
        world.step(1 / 60)
    assert ratchet.held > 1
    body.angle = ratchet.held - 1e-9
    assert scene.loads(scene.dumps(world)).joints[0].held == ratchet.held


def test_vectors_of_joints_are_vectors():
    world = joined()
    world.step(1 / 60)
    for joint in world.joints:
        for name in ("anchor_a", "anchor_b", "point_a", "point_b", "force"):
            assert type(getattr(joint, name)) is Vec2
    pulley, drag = world.joints[-3:-1]
    assert type(pulley.ground_a + (0, 1)) is Vec2
    assert type(drag.target) is Vec2


PIN = {"type": "pin", "body_b": 0}
ONE = [{"shapes": [BOX]}]


@pytest.mark.parametrize(
    ("joint", "told"),
    [
        (3, "joints[0] must be an object, got 3"),
        ({"type": "glue"}, "joints[0].type must be one of pin, weld"),
        ({**PIN, "body_b": 1}, "joints[0].body_b must be null or the number of a body, got 1"),
        ({**PIN, "body_b": True}, "joints[0].body_b must be null or the number of a body"),
        ({"type": "pin"}, "joints[0]: a joint needs two bodies"),
        ({**PIN, "lwo": 1}, "joints[0].lwo is no field; there are anchor_a"),
        ({**PIN, "low": 2, "high": 1}, "joints[0]: low must be at most high"),
        ({**PIN, "friction": -1}, "joints[0]: friction must be"),
        ({**PIN, "anchor": [0, 0], "anchor_a": [0, 0]}, "joints[0] must have anchor, or"),
        ({"type": "slider", "body_b": 0, "axis": [0, 0]}, "joints[0]: axis must not be zero"),
        ({"type": "gear", "body_b": 0}, "joints[0].ratio is missing"),
        ({"type": "drag", "body_a": 0}, "joints[0]: a drag must have body_b"),
        ({"type": "rope", "body_b": 0}, "joints[0]: the anchors of a rod or a rope must be apart"),
        ({**PIN, "break_force": "x"}, "joints[0].break_force must be a number, got 'x'"),
    ],
)
def test_what_is_wrong_with_a_joint_is_named(joint, told):
    with pytest.raises(scene.SceneError) as caught:
        scene.loads(text(bodies=ONE, joints=[joint]))
    assert told in str(caught.value)


# ---- errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("", "must be JSON"),
        ("[]", "the file must be an object, got []"),
        ("{}", "format must be 'engine2d scene', got None"),
        (json.dumps({**HEAD, "version": 2}), "version must be an integer from 1 to 1, got 2"),
        (text(bodys=[]), "bodys is no field; there are world, bodies, joints"),
        (text(world={"gravity": [0]}), "world.gravity must be a list of 2 numbers, got [0]"),
        (text(world={"solver": "fast"}), "world: solver must be one of"),
        (text(bodies=3), "bodies must be a list, got 3"),
        (text(ignored_until_parted=[3]), "ignored_until_parted[0] must be a list of 2 numbers of"),
        (text(ignored_until_parted=[[0, 1]]), "ignored_until_parted[0].body_a must be null or the"),
        (text(bodies=[{"shapes": [{}]}]), "bodies[0].shapes[0].type must be one of circle"),
        (
            text(bodies=[{"shapes": [{**BOX, "width": -1}]}]),
            "bodies[0].shapes[0]: width must be finite and > 0, got -1.0",
        ),
        (
            text(bodies=[{"shapes": [{**BOX, "frictoin": 1}]}]),
            "bodies[0].shapes[0].frictoin is no field; there are width, height",
        ),
        (
            text(bodies=[{"shapes": [BOX]}, {"shapes": [{**BOX, "friction": "x"}]}]),
            "bodies[1].shapes[0].friction must be a number, got 'x'",
        ),
        (text(bodies=[{"shapes": [BOX], "position": [0, True]}]), "bodies[0].position[1] must be"),
        (
            text(bodies=[{"shapes": [{"type": "box", "width": 1}]}]),
            "bodies[0].shapes[0].height is missing; there must be width, height",
        ),
        (text(bodies=[{"shapes": []}]), "bodies[0]: a dynamic body must have a mass"),
        (text(bodies=[{"shapes": [BOX], "kind": "x"}]), "bodies[0]: kind must be"),
        (text(bodies=[{"shapes": [BOX], "center": [5, 5]}]), "bodies[0]: center must be"),
        (text(bodies=[{"shapes": [BOX], "mass": 1e300}]), "bodies[0]: mass must be"),
        # hostile ones
        (text(bodies=[{"shapes": [BOX], "angle": math.nan}]), "finite|JSON"),
        (text().replace('"version": 1', '"version": 1, "world": {"unit": 1e999}'), "finite|JSON"),
        ("[" * 100_000, "nested|JSON"),
        ('{"a":' * 50_000, "nested|JSON"),
        (text(bodies=[{"shapes": [{**BOX, "width": 10**400}]}]), "finite|JSON|range"),
        (text(bodies=[{}] * 1_000_001), "bodies must have at most 1000000 items"),
        (
            text(bodies=[{"shapes": [{"type": "path", "points": [[0, 0]] * 100_001}]}]),
            "points must have at most 100000 items",
        ),
        (b"\xff\xfe\x00", "JSON"),
        (text(bodies=[{"shapes": [BOX], "kind": "x" * 10_000}]), "bodies[0]: kind must be"),
        ('{"format": "\ud800"}', "whole characters"),
        (text(bodies=[{"shapes": [{**BOX, "filter": {"mask": -1}}]}]), "shapes[0].filter: mask"),
        (text(bodies=[{"shapes": [{**BOX, "tag": [1]}]}]), "tag must be a string"),
    ],
)
@pytest.mark.parametrize("with_msgspec", [True, False])
def test_what_is_wrong_is_named(given, told, with_msgspec, monkeypatch):
    from enginecore import scene as files

    if not with_msgspec:
        monkeypatch.setattr(files, "_msgspec", lambda: None)
    elif files._msgspec() is None:
        pytest.skip("msgspec is not installed")
    with pytest.raises(scene.SceneError) as caught:
        scene.loads(given)
    message = str(caught.value)
    assert len(message) < 600
    assert any(part in message for part in told.split("|"))


def test_a_file_that_is_too_large_is_not_read(tmp_path, monkeypatch):
    from enginecore import scene as files

    monkeypatch.setattr(files, "MOST_BYTES", 100)
    (tmp_path / "large.json").write_text(" " * 101)
    with pytest.raises(scene.SceneError, match="at most 100 bytes, got 101"):
        scene.load(tmp_path / "large.json")


@pytest.mark.parametrize("path", sorted((ROOT / "assets" / "scenes").glob("*.json")), ids=str)
def test_the_scenes_that_come_along_run(path):
    world = scene.load(path)
    for _ in range(60):
        world.step(1 / 60)
    assert np.isfinite(world.positions).all()


def test_what_cannot_be_written_leaves_no_file(tmp_path):
    world = World()
    world.add_body(Circle(1, tag="half a character: \ud800"))
    with pytest.raises(scene.SceneError, match="whole characters"):
        scene.save(world, tmp_path / "a.json")
    with pytest.raises(OSError):
        scene.save(rich(), tmp_path)
    assert not list(tmp_path.iterdir())
    assert not tmp_path.with_name(tmp_path.name + ".part").exists()


def command(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "engine2d", *map(str, arguments)],
        capture_output=True, text=True, cwd=ROOT, **options,
    )  # fmt: skip


def test_the_command_runs_a_scene(tmp_path):
    path = sorted((ROOT / "assets" / "scenes").glob("*.json"))[0]
    out = tmp_path / "run.npz"
    done = command("run", path, "--seconds", 0.5, "--out", out, "--save", tmp_path / "end.json")
    assert done.returncode == 0, done.stderr
    assert "total energy" in done.stdout
    with np.load(out) as frames:
        world = scene.load(path)
        assert frames["positions"].shape == (30, len(world.bodies), 2)
        assert frames["time"][-1] == pytest.approx(0.5)
        assert frames["energy"].shape == (30, 3)
    assert len(scene.load(tmp_path / "end.json").bodies) == len(world.bodies)
    wrong = command("run", tmp_path / "none.json")
    assert wrong.returncode == 1
    assert wrong.stderr.startswith("engine2d: ")
    assert "Traceback" not in wrong.stderr


def test_the_command_says_what_is_installed():
    done = command("info")
    assert done.returncode == 0
    assert done.stdout.startswith("engine2d ")
