"""Points of a manifold were pressed one after another, and cylinders were prisms on boxes.

What landed on an edge left its mirror plane, and what rolled lost its speed.
"""

from math import cos, pi, sin

import numpy as np
import pytest

from engine3d import Box, Capsule, Cylinder, Plane, World

FLOORS = {
    "box": lambda **m: Box(40, 40, 1, (0, 0, -0.5), **m),
    "plane": lambda **m: Plane((0, 0, 1), **m),
}
BODIES = {
    "box": lambda s, **m: Box(*s, **m),
    "capsule": lambda s, **m: Capsule((0, -s[1] / 2, 0), (0, s[1] / 2, 0), s[0] / 3, **m),
    "cylinder": lambda s, **m: Cylinder(s[0] / 2, s[1], **m),
    "lying cylinder": lambda s, **m: Cylinder(
        s[0] / 2, s[1], orientation=(cos(pi / 4), sin(pi / 4), 0, 0), **m
    ),
}


def off_the_mirror(body, floor, solver, seed, seconds=1.5):
    """The most (m, m/s, rad/s) that a body dropped in the plane y = 0 leaves it."""
    rng = np.random.default_rng([seed, 5])
    material = {
        "friction": float(rng.choice([0, 0.3, 0.5, 1])),
        "restitution": float(rng.choice([0, 0, 0.3, 0.8])),
    }
    world = World(gravity=(0, 0, -9.81), solver=solver)
    world.add_static(FLOORS[floor](**material))
    angle = rng.uniform(-pi, pi)
    one = world.add_body(
        BODIES[body](rng.uniform(0.3, 1.5, 3), **material),
        position=(rng.uniform(-1, 1), 0, rng.uniform(1, 2)),
        orientation=(cos(angle / 2), 0, sin(angle / 2), 0),
        velocity=(rng.uniform(-3, 3), 0, rng.uniform(-3, 1)),
        angular_velocity=(0, rng.uniform(-5, 5), 0),
    )
    worst = 0.0
    for _ in range(round(60 * seconds)):
        world.step(1 / 60)
        w = one.angular_velocity
        worst = max(worst, abs(one.position[1]), abs(one.velocity[1]), abs(w[0]), abs(w[2]))
    return worst


@pytest.mark.parametrize("solver", ["auto", "iterative"])
@pytest.mark.parametrize("floor", FLOORS)
@pytest.mark.parametrize("body", BODIES)
def test_what_is_dropped_on_an_edge_stays_in_its_mirror_plane(body, floor, solver):
    off = [off_the_mirror(body, floor, solver, seed) for seed in range(12)]
    assert max(off) < 1e-6


@pytest.mark.parametrize("solver", ["auto", "iterative"])
def test_cylinders_roll_on_boxes(solver):
    """They were prisms of 32 sides there, and lost 40 % of their speed in 2.5 s."""
    world = World(gravity=(0, 0, -9.81), solver=solver)
    world.add_static(Box(20, 5, 1, (0, 0, -0.5), friction=0.8))
    drum = world.add_body(
        Cylinder(0.5, 1, friction=0.8),
        position=(-2, 0, 0.5),
        orientation=(cos(pi / 4), sin(pi / 4), 0, 0),
        velocity=(2, 0, 0),
        angular_velocity=(0, 4, 0),
    )
    for _ in range(600):
        world.step(1 / 240)
        assert abs(drum.position[2] - 0.5) < 1e-5
    assert drum.velocity[0] == pytest.approx(2, rel=1e-5)
