"""Lenses turned through walls of 5 cm in the rest of a step after their tips had struck them, and
wedges slid under walls that stood flush on a floor: the line between two corners that pass each
other is across their motion."""

import math

import numpy as np
import pytest

from engine2d import Box, Capsule, Circle, Path, Polygon, World

SHAPES = {
    "disc": Circle(0.2),
    "box": Box(0.4, 0.25),
    "capsule": Capsule((-0.2, 0), (0.2, 0), 0.08),
    "star": Polygon(
        [
            (r * math.cos(0.6283185307 * k), r * math.sin(0.6283185307 * k))
            for k, r in enumerate([0.3, 0.12] * 5)
        ]
    ),
    "lens": Path([(-0.19, 0), (0.19, 0)], [0.55, 0.55]),
    "thin lens": Path([(-0.3, 0), (0.3, 0)], [0.2, 0.2]),
    "half disc": Path([(-0.2, 0), (0.2, 0)], [1, 0]),
}
HALF, THICK = 3.0, 0.05  # m


@pytest.mark.parametrize("name", SHAPES)
def test_shots_stay_in_a_room(name):
    rng = np.random.default_rng(len(name))
    for _ in range(20):
        world = World(gravity=(0, 0))
        far, wide = HALF + THICK / 2, 2 * (HALF + THICK)
        bounce = float(rng.choice([0.0, 0.3, 0.8]))
        sides = [Box(wide, THICK, (0, far)), Box(wide, THICK, (0, -far))]
        sides += [Box(THICK, 2 * HALF, (far, 0)), Box(THICK, 2 * HALF, (-far, 0))]
        world.add_static(*[side.replace(restitution=bounce) for side in sides])
        speed, way = 20 * 30 ** rng.uniform(0, 1), rng.uniform(0, 2 * math.pi)
        shot = world.add_body(
            SHAPES[name],
            angle=rng.uniform(0, 6),
            velocity=(speed * math.cos(way), speed * math.sin(way)),
            angular_velocity=rng.uniform(-60, 60),
        )
        for _ in range(20):
            world.step(1 / 60)
            assert max(map(abs, shot.center)) < HALF + THICK


@pytest.mark.parametrize("solver", ["auto", "iterative"])
@pytest.mark.parametrize("speed", [5.0, 16.0, 300.0])
def test_wedges_do_not_slide_under_a_wall(solver, speed):
    wedges = ([(-0.1, 0), (0.1, 0), (-0.05, 0.15)], [(-0.1, 0), (0.1, 0), (-0.1, 0.03)])
    for points in wedges:
        for off in (0.0, 1e-12, -1e-12, 1e-10, -1e-10, -1e-9, 1e-8, -1e-8, -1e-7, 1e-6, -1e-6):
            for start in (2.0, 2.05):
                world = World(solver=solver)
                world.add_static(Box(6.1, 0.05, friction=0), position=(0, -0.025))
                world.add_static(Box(0.05, 6, friction=0), position=(3.025, 3))
                wedge = world.add_body(
                    Polygon(points, friction=0), position=(start, off), velocity=(speed, 0)
                )
                for _ in range(int(1.5 / speed * 60) + 5):
                    world.step(1 / 60)
                assert wedge.center[0] < 3.0
                assert wedge.center[1] > 0.0
