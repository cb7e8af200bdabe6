"""Scene files: round trips to the last bit, errors that name the field, hostile files."""

import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from engine2d import Box, Capsule, Circle, Filter, Polygon, Segment, World, scene
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


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("", "must be JSON"),
        ("[]", "the file must be an object, got []"),
        ("{}", "format must be 'engine2d scene', got None"),
        (json.dumps({**HEAD, "version": 2}), "version must be an integer from 1 to 1, got 2"),
        (text(bodys=[]), "bodys is no field; there are world, bodies"),
        (text(world={"gravity": [0]}), "world.gravity must be a list of 2 numbers, got [0]"),
        (text(world={"solver": "fast"}), "world: solver must be one of"),
        (text(bodies=3), "bodies must be a list, got 3"),
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
