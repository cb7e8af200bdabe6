"""Scene files of engine3d, and its command line."""

import json
import subprocess
import sys

import numpy as np
import pytest

import engine3d.__main__ as command
from engine3d import (
    Ball,
    Box,
    Capsule,
    Cylinder,
    Drag,
    Filter,
    Hinge,
    HollowSphere,
    Plane,
    Polyhedron,
    Rod,
    Rope,
    Slider,
    Sphere,
    Spring,
    Weld,
    World,
    scene,
)


def everything():
    world = World(gravity=(0, 1, -9), unit=2.0, solver="direct", friction_rule="minimum")
    world.time_scale = 0.5
    world.add_static(Plane((0, 1, 2), 0.1, tag="floor"), HollowSphere(50))
    shapes = [
        Sphere(0.5, density=2, filter=Filter(group=-1)),
        Box(1, 2, 3, center=(0.1, 0, 0), orientation=(1, 2, 3, 4)),
        Capsule((0, 0, 0), (0, 0.3, 1), 0.2, friction=0.9, spin_resistance=0.1),
        Cylinder(0.4, 1.1, restitution=0.3),
        Polyhedron([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)]),
        Sphere(0.3, sensor=True),
    ]
    bodies = [
        world.add_body(
            shape,
            position=(3 * k, 0, 20),
            velocity=(k, 0, 0.1),
            angular_velocity=(0, k, 1),
            orientation=(1, 0.1 * k, 0.2, 0),
            mass=1.0 + k,
            inertia=(1, 2, 2.5) if k in (0, 5) else None,
            linear_damping=0.1,
            bullet=k == 2,
        )
        for k, shape in enumerate(shapes)
    ]
    a, b, c, d, e, f = bodies
    for joint in (
        Ball(a, b, (1, 0, 20), friction=0.1),
        Hinge(b, c, (4, 0, 20), (1, 2, 3), low=-1, high=1, rate=2, max_torque=5, break_force=1e3),
        Weld(c, d, (7, 0, 20)),
        Slider(d, e, (10, 0, 20), (0, 1, 1), stiffness=3, damping=1, free_rotation=True),
        Rod(e, f, (12, 0, 20), (15, 0, 20)),
        Rope(f, a, (15, 0, 20), (0, 0, 20), length=20),
        Spring(None, a, (0, 0, 30), (0, 0, 20), stiffness=5, damping=0.1),
        Drag(b, (3, 0, 20), (3, 1, 20), orientation=(0, 1, 0, 0), max_force=10),
    ):
        world.add_joint(joint)
    return world


def test_a_scene_comes_back_to_the_bit():
    world = everything()
    text = scene.dumps(world)
    again = scene.loads(text)
    assert scene.dumps(again) == text
    assert np.array_equal(again.positions, world.positions)
    assert np.array_equal(again.velocities, world.velocities)
    for one, two in zip(world.bodies, again.bodies, strict=True):
        assert [part.shape for part in one.shapes] == [part.shape for part in two.shapes]
        assert one.mass == two.mass
    for one, two in zip(world.joints, again.joints, strict=True):
        assert type(one) is type(two)
        assert one._frames() == two._frames()
        assert one.anchor_a == two.anchor_a
        assert one.anchor_b == two.anchor_b
    for _ in range(5):
        world.step(1 / 60)
        again.step(1 / 60)
    assert again.positions == pytest.approx(world.positions, abs=1e-9)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"format": "engine2d scene"}, "format"),
        ({"bodies": [{"shapes": [{"type": "circle"}]}]}, r"bodies\[0\].shapes\[0\].type"),
        ({"bodies": [{"shapes": [{"type": "sphere", "radius": -1}]}]}, "radius"),
        ({"bodies": [{"position": [0, 0]}]}, r"bodies\[0\].position"),
        ({"joints": [{"type": "pin"}]}, r"joints\[0\].type"),
        ({"joints": [{"type": "ball", "body_a": 7}]}, r"joints\[0\].body_a"),
        ({"joints": [{"type": "ball"}]}, r"joints\[0\]"),
        ({"world": {"gravity": [0, 0, 1e999]}}, "."),
        ({"word": 3}, "no field"),
    ],
)
def test_bad_scenes_name_the_field(change, told):
    given = {"format": scene.FORMAT, "version": 1, **change}
    with pytest.raises(scene.SceneError, match=told):
        scene.loads(json.dumps(given).replace("Infinity", "1e999"))


def test_run_writes_what_happened(tmp_path, capsys):
    world = World()
    world.add_static(Plane((0, 0, 1)))
    world.add_body(Sphere(0.5), position=(0, 0, 2))
    scene.save(world, tmp_path / "drop.json")
    given = [str(tmp_path / "drop.json"), "--seconds", "2", "--out", str(tmp_path / "run.npz")]
    command.main(["run", *given, "--save", str(tmp_path / "end.json"), "--quiet"])
    assert "total energy" in capsys.readouterr().out
    run = np.load(tmp_path / "run.npz")
    assert run["positions"].shape == (120, 2, 3)
    assert run["contacts"][-1] == 1
    assert scene.load(tmp_path / "end.json").bodies[1].position.z == pytest.approx(0.5, abs=1e-4)
    with pytest.raises(SystemExit, match="error"):
        command.main(["run", str(tmp_path / "none.json")])


def test_the_module_runs():
    done = subprocess.run(
        [sys.executable, "-m", "engine3d", "info"], capture_output=True, text=True, check=True
    )
    assert "engine3d" in done.stdout


def test_the_documents_method_runs(tmp_path):
    command.main(
        ["spheres", "--n", "4", "--seconds", "0.3", "--dt", "0.01", "--method", "document"]
        + ["--out", str(tmp_path / "run.npz")]
    )
    run = np.load(tmp_path / "run.npz")
    assert run["positions"].shape[1:] == (4, 3)
    assert np.isfinite(run["energy"]).all()
