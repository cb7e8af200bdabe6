"""What the engine of space promises in numbers, at full length: the slow half of its laws."""

import subprocess
import sys

import numpy as np
import pytest

from benchmarks import scenes3d
from engine3d import Box, Capsule, Cylinder, Polyhedron, Sphere, World
from tests.fuzz import rooms3d
from tests.laws.test_passes3d_laws import check_grazes, check_passes

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("scene", "rms", "depth"),
    [
        (scenes3d.wall, 1e-3, 1e-3),
        (scenes3d.pyramid, 1e-9, 1e-4),
        (lambda: scenes3d.spheres(500), 1.5e-2, 5e-3),
    ],
    ids=["wall", "pyramid", "spheres"],
)
def test_large_piles_stand(scene, rms, depth):
    """Root mean square of all velocities (m/s) and the deepest overlap (m) over the last of 3 s.
    Of spheres the bound is what a common engine leaves; see `python -m benchmarks world3d`."""
    scene = scene()
    world = World(gravity=scene.gravity, sleeping=False)
    scenes3d.add_scene(world, scene)
    speeds = []
    for k in range(720):
        world.step(1 / 240)
        if k >= 480:
            speeds.append(np.sqrt((world.velocities**2).sum(1).mean()))
    assert np.median(speeds) < rms
    assert min(c.gap for c in world.contacts) > -depth


def fast_shapes(rng):
    yield Sphere(0.02)
    yield Sphere(0.1)
    yield Box(0.1, 0.1, 0.1)
    yield Box(0.3, 0.02, 0.02)
    yield Capsule((0, 0, -0.1), (0, 0, 0.1), 0.02)
    yield Cylinder(0.1, 0.2)
    yield Polyhedron(rng.normal(size=(8, 3)) * 0.1)


@pytest.mark.parametrize("dt", [1 / 240, 1 / 60])
@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("speed", [50, 100, 200, 400, 800, 1200, 1600, 2000])
def test_five_centimetres_stop_everything(speed, free, dt):
    rng = np.random.default_rng([speed, free])
    for shape in fast_shapes(rng):
        world = World(gravity=(0, 0, 0))
        density = float(rng.choice([100, 1e4, 1e6]))
        kind = "dynamic" if free else "static"
        wall = world.add_body(Box(0.05, 4, 4, density=density), kind=kind)
        way = np.array((1, *rng.uniform(-0.5, 0.5, 2)))
        body = world.add_body(
            shape,
            position=-rng.uniform(0.5, 1.5) * way,
            velocity=speed * way,
            orientation=rng.normal(size=4),
            angular_velocity=rng.normal(size=3) * 50,
        )
        for _ in range(round(0.1 / dt)):
            world.step(dt)
            at = wall.rotation.T @ np.subtract(body.position, wall.position)
            if max(abs(at[1]), abs(at[2])) > 1.9:
                # beside the wall nothing stops it
                break
            assert at[0] < 0.03


# a grazing hit of a polyhedron on a thin box that is met, and not struck
MISSED = 7162


@pytest.mark.xfail(strict=True, reason="grazing hit 7162 is missed")
def test_the_grazing_hit_that_is_missed():
    assert check_grazes([MISSED]) == ([], 1)


@pytest.mark.parametrize("first", range(0, 12000, 500))
def test_ten_thousand_passes_and_grazes(first):
    wrong, done = check_passes(range(first, first + 500))
    assert done > 375
    assert not wrong
    wrong, done = check_grazes(k for k in range(first, first + 500) if k != MISSED)
    assert done > 375
    assert not wrong


@pytest.mark.parametrize("name", sorted(rooms3d.FAMILIES))
def test_three_hundred_rooms(name):
    faults = {}
    for seed in range(70000, 70300):
        found = rooms3d.run_room(name, seed).faults()
        if found:
            faults[seed] = found
    assert not faults


def test_two_processes_give_the_same_bits():
    program = (
        "import hashlib; from tests.fuzz import rooms3d\n"
        "world = rooms3d.make_room('rich', 3)[0]\n"
        "for _ in range(120): world.step(1 / 60)\n"
        "print(hashlib.sha256(world.positions.tobytes() + world.velocities.tobytes()).hexdigest())"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", program], check=True, capture_output=True, text=True
        ).stdout
        for _ in range(2)
    }
    assert len(told) == 1
