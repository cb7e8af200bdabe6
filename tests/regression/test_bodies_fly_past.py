"""Bodies that flew past others were struck by edges that had ended, or were told to touch them."""

import math

import numpy as np
import pytest

from engine2d import Box, Circle, Path, Polygon, World
from engine2d.collide.distance import distance

DT = 1 / 60
STAR = Polygon(
    [
        ((0.5 if k % 2 else 0.2) * math.cos(0.6 * k), (0.5 if k % 2 else 0.2) * math.sin(0.6 * k))
        for k in range(10)
    ]
)
LENS = Path([(-0.4, 0), (0.4, 0)], [0.3, 0.3])


REACH = {Circle: 0.35, Box: 0.35, Polygon: 0.5, Path: 0.4}  # m, of these from their centres


@pytest.mark.parametrize("solver", ["auto", "iterative"])
@pytest.mark.parametrize("shape", [Circle(0.35), Box(0.49, 0.49), STAR, LENS])
def test_what_is_never_nearer_than_5_cm_is_not_deflected(solver, shape):
    for speed in (10, 15, 20, 30, 80, 500, 2000):
        for k in range(0, 200, 13):
            c, s = math.cos(0.0314 * k), math.sin(0.0314 * k)
            aside = math.sqrt(0.5) + REACH[type(shape)] + 0.05
            world = World(gravity=(0, 0), solver=solver)
            world.add_static(Box(1, 1))
            body = world.add_body(
                shape,
                position=(-3 * c - aside * s, -3 * s + aside * c),
                velocity=(speed * c, speed * s),
                angular_velocity=(k % 3) * 4.0,
            )
            first = body.velocity
            for _ in range(int(6 / speed * 60) + 1):
                world.step(DT)
                assert len(world.events.hits) == len(world.events.begins) == 0
                assert len(world.contacts) == 0
            assert math.dist(body.velocity, first) <= 1e-9 * speed


def gap_of(c):
    return distance(
        c.shape_a, (*c.body_a.position, c.body_a.angle),
        c.shape_b, (*c.body_b.position, c.body_b.angle),
    ).distance  # fmt: skip


@pytest.mark.parametrize("solver", ["auto", "iterative"])
def test_what_is_told_to_overlap_does(solver):
    for seed in range(60):
        rng = np.random.default_rng(seed)
        world = World(gravity=(0, 0), solver=solver)
        world.add_body(Box(1, 0.6, restitution=0.5), angular_velocity=rng.uniform(-5, 5))
        world.add_body(
            Box(0.8, 0.3, restitution=0.5),
            position=(-3, rng.uniform(-0.8, 0.8)),
            angle=rng.uniform(0, 6),
            velocity=(rng.uniform(5, 20), 0),
            angular_velocity=rng.uniform(-10, 10),
        )
        for _ in range(60):
            world.step(DT)
            assert all(gap_of(c) <= 0.0 for c in world.contacts if c.gap < -0.005)
