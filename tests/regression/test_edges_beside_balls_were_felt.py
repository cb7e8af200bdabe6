"""Balls and capsules on flush tiles lost up to 1e-4 of their speed where they were swept: sunk into
the floor by a few micrometres, they leaned on edges of tiles beside them, and a capsule that
crossed a seam at a small angle rested on an edge alone."""

import numpy as np
import pytest

from engine3d import Box, Capsule, Sphere, World
from tests.laws.test_world3d_laws import glide

BALL = (Sphere(0.3), 0.3)
CAPSULE = (Capsule((-0.4, 0, 0), (0.4, 0, 0), 0.2), 0.2)


@pytest.mark.parametrize(
    ("body", "seed", "size", "spin"),
    [
        (BALL, 1, 1.0, 0.0),
        (BALL, 3, 0.5, 3.0),
        (CAPSULE, 0, 0.5, 0.0),
        (CAPSULE, 3, 0.5, 0.0),
        (CAPSULE, 11, 2.0, 3.0),
        (CAPSULE, 31, 1.0, 3.0),
        (CAPSULE, 44, 2.0, 0.0),
    ],
)
@pytest.mark.parametrize("solver", ["direct", "iterative"])
def test_edges_flush_with_a_floor_are_none(body, seed, size, spin, solver):
    slower, lift = glide(*body, solver, size, spin, seed)
    assert slower < 1e-8
    assert lift < 1e-5


@pytest.mark.parametrize("solver", ["direct", "iterative"])
@pytest.mark.parametrize("step", [1e-4, 1e-2])
def test_edges_above_a_floor_are_felt(step, solver):
    """What a ball rolls against is an obstacle, however near the floor it ends."""
    world = World(solver=solver)
    world.add_static(Box(2, 2, 0.5, friction=0), position=(0, 0, -0.25))
    world.add_static(Box(2, 2, 0.5, friction=0), position=(2, 0, step - 0.25))
    ball = world.add_body(
        Sphere(0.3, friction=0, restitution=0), position=(0.3, 0, 0.3), velocity=(1, 0, 0)
    )
    for _ in range(240):
        world.step(1 / 240)
    # without restitution it keeps what is along the tangent at the edge, whose slope is s
    slope = np.sqrt(2 * 0.3 * step - step**2) / 0.3
    assert np.linalg.norm(ball.velocity) < 1 - 0.3 * slope**2
    assert ball.position[2] > 0.3 - 1e-5


@pytest.mark.parametrize("solver", ["direct", "iterative"])
def test_a_bridge_of_two_floors_stays_level(solver):
    """A capsule that lies beside one floor's edge and across a trench to the next one is held by
    both."""
    world = World(solver=solver)
    world.add_static(Box(1, 1, 0.5), position=(-0.6, 0, -0.25))
    world.add_static(Box(1, 1, 0.5), position=(0.6, 0, -0.25))
    body = world.add_body(Capsule((-0.3, 0, 0), (0.3, 0, 0), 0.1), position=(-0.05, 0.2, 0.1))
    for _ in range(240):
        world.step(1 / 240)
    assert abs(body.position[2] - 0.1) < 1e-5
    assert abs(body.rotation[2][0]) < 1e-4
