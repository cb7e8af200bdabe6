"""Random closed rooms in space: nobody gets out, no step gains energy, whatever solves them."""

import numpy as np
import pytest

from engine3d import Box, Capsule, Polyhedron, Sphere, World

#            speed  log10 density  sizes        restitutions
PROFILES = {
    "calm": (0.0, (0, 0), (0.3, 1.5), (0, 0, 0.3)),
    "mixed": (10.0, (0, 0), (0.3, 1.5), (0, 0, 0.3, 0.8, 1.0)),
    "fast": (100.0, (0, 0), (0.3, 1.5), (0, 0, 0.3, 0.8, 1.0)),
    "ratio": (10.0, (-3, 3), (0.3, 1.5), (0, 0, 0.3, 0.8)),
    "sizes": (5.0, (0, 0), (0.05, 3.0), (0, 0, 0.3, 0.8)),
    "deadmu": (10.0, (0, 0), (0.3, 1.5), (0,)),
}
WALL = 1.0  # m


def random_shape(rng, size, material):
    kind = rng.integers(4)
    if kind == 0:
        return Sphere(size / 2, **material)
    if kind == 1:
        return Box(size, size * rng.uniform(0.15, 1), size * rng.uniform(0.15, 1), **material)
    if kind == 2:
        points = rng.normal(size=(int(rng.integers(5, 12)), 3))
        return Polyhedron(size / 2 * points / np.linalg.norm(points, axis=1)[:, None], **material)
    end = (size * 0.35, 0, 0)
    return Capsule((-end[0], 0, 0), end, size * rng.uniform(0.08, 0.2), **material)


def room(profile, seed, solver, count=None):
    """A world of six walls and some bodies, and half the width of the room (m)."""
    speed, densities, sizes, bounces = PROFILES[profile]
    rng = np.random.default_rng([seed, 77])
    half = rng.uniform(2, 4)
    world = World(solver=solver)
    material = {
        "friction": float(rng.choice([0, 0.3, 0.5, 1.0])),
        "restitution": float(rng.choice(bounces)),
    }
    for axis in range(3):
        for side in (-1, 1):
            size, place = [2 * half + 2 * WALL] * 3, [0.0] * 3
            size[axis], place[axis] = WALL, side * (half + WALL / 2)
            world.add_static(Box(*size, **material), position=place)
    balls = []
    count = int(rng.integers(3, 9)) if count is None else count
    for _ in range(6 * count):
        size = float(np.exp(rng.uniform(*np.log(sizes))))
        place = rng.uniform(-1, 1, 3) * max(half - size, 0)
        if len(balls) == count or any(
            np.linalg.norm(place - p) < 0.75 * (size + s) for p, s in balls
        ):
            continue
        own = {
            "friction": float(rng.choice([0, 0.3, 0.5, 1])),
            "restitution": float(rng.choice(bounces)),
            "density": float(10 ** rng.uniform(*densities)),
        }
        world.add_body(
            random_shape(rng, size, own),
            position=place,
            orientation=rng.normal(size=4),
            velocity=rng.uniform(-1, 1, 3) * speed,
            angular_velocity=rng.uniform(-1, 1, 3) * (10 if speed else 0),
        )
        balls.append((place, size))
    return world, half


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(("solver", "count"), [("auto", None), ("iterative", None), ("auto", 25)])
def test_nobody_leaves_and_no_step_gains(profile, solver, count):
    for seed in range(1 if count else 2):
        world, half = room(profile, seed, solver, count)
        masses = np.array([0.0 if b.kind == "static" else b.mass for b in world.bodies])

        def energy(world=world, masses=masses, half=half):
            return world.energy.kinetic + 9.81 * (masses * (world.centers[:, 2] + half)).sum()

        first = before = energy()
        for _ in range(90):
            world.step(1 / 60)
            now = energy()
            assert now - before < 1e-3 * first
            before = now
        assert np.abs(world.centers[6:]).max() < half + 0.5 * WALL
