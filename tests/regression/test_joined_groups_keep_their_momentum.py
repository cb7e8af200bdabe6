"""Isolated groups with a joint that are swept lost up to a twentieth of their momentum where a fast
body was set back: what its velocity had too much of was taken against the ground."""

import numpy as np
import pytest

from engine2d import Box, Circle, Pin, RotarySpring, World

DT = 1 / 60


def joined_group(seed, join):
    rng = np.random.default_rng([83, seed])
    world = World(gravity=(0, 0), solver="iterative")
    places = []
    while len(places) < 12:
        place = rng.uniform(-2.2, 2.2, 2)
        if all(np.linalg.norm(place - other) > 0.75 for other in places):
            places.append(place)
    material = {"friction": 0.5, "restitution": 0.5}
    for place in places:
        size = rng.uniform(0.3, 0.6)
        shape = Circle(size / 2, **material) if rng.random() < 0.3 else Box(size, 0.2, **material)
        world.add_body(
            shape, position=place, angle=rng.uniform(0, 6), velocity=3 * rng.normal(size=2)
        )
    world.add_joint(join(*world.bodies[:2]))
    return world


def pin(a, b):
    return Pin(a, b, (a.center + b.center) / 2)


def spring(a, b):
    return RotarySpring(a, b, hertz=2, damping_ratio=0.2)


@pytest.mark.parametrize("join", [pin, spring])
def test_no_momentum_is_lost_to_nobody(join):
    for seed in range(20):
        world = joined_group(seed, join)
        mass = np.array([body.mass for body in world.bodies])
        begin, energy = mass @ world.velocities, world.energy.total
        size = mass @ np.linalg.norm(world.velocities, axis=1)
        for _ in range(150):
            world.step(DT)
            assert mass @ world.velocities == pytest.approx(begin, abs=1e-12 * size), seed
            assert world.energy.total <= energy * (1 + 1e-3)
            energy = world.energy.total
