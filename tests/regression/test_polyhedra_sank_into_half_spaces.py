"""Of a hull on a half space or in a hollow sphere four corners are contacts; those that it turned
down met it later, 0.1 m deep, and rooms of half spaces lost bodies."""

import numpy as np
import pytest

from engine3d import Cylinder, HollowSphere, Plane, Polyhedron, World, distance
from tests.fuzz import rooms3d


def deepest(shell, shape, rng):
    """m: how deep a shape that falls turning gets into what it meets."""
    world = World(gravity=(0, 0, -9.81))
    floor = world.add_static(shell)
    body = world.add_body(
        shape,
        position=(0, 0, 0),
        orientation=rng.normal(size=4),
        velocity=(*rng.uniform(-5, 5, 2), -6),
        angular_velocity=rng.uniform(-30, 30, 3),
    )
    least = 0.0
    for _ in range(90):
        world.step(1 / 60)
        poses = [(b.position, b.orientation) for b in (body, floor)]
        least = min(least, distance(shape, poses[0], shell, poses[1]))
    return -least


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    "shell",
    [Plane((0, 0, 1), -3, restitution=0.5), HollowSphere(3, restitution=0.5)],
    ids=["plane", "hollow"],
)
def test_what_turns_does_not_sink_in(shell, seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(12, 3))
    points *= 0.5 / np.linalg.norm(points, axis=1)[:, None]
    assert deepest(shell, Polyhedron(points), rng) < 1e-3
    assert deepest(shell, Cylinder(0.3, 0.2), rng) < 1e-3


@pytest.mark.parametrize("seed", [70008, 70246, 70274])
def test_rooms_that_lost_bodies(seed):
    assert not rooms3d.run_room("edited", seed).faults()
