"""Small islands were solved anew at each blow within a step: a crash of columns took half a second
a step. One with so many blows is stepped as a large island."""

import numpy as np

from engine3d import Box, Sphere, World


def crash(speed, restitution):
    """Eight columns of five boxes, and a heavy ball on its way into them."""
    world = World()
    world.add_static(Box(40, 40, 1), position=(0, 0, -0.5))
    for i in range(8):
        for k in range(5):
            world.add_body(
                Box(0.4, 0.4, 0.4, restitution=restitution),
                position=(i % 4 * 0.6, i // 4 * 0.6, 0.2 + 0.4 * k),
            )
    world.add_body(
        Sphere(0.4, density=5000, restitution=restitution),
        position=(-3, 0.3, 1.0),
        velocity=(speed, 0.3, 0),
    )
    return world


def test_crashes_are_handed_on():
    world = crash(20, 0.0)
    handed_on, before, most = 0, world.energy.total, 0
    for _ in range(90):
        world.step(1 / 60)
        stats = world.stats
        handed_on += stats["handed_on"]
        most = max(most, stats["cuts"] * stats["contacts"] ** 3)
        assert world.energy.total <= before * (1 + 1e-6)
        before = world.energy.total
    assert handed_on > 0
    assert most < 2e7
    assert world.positions[:, 2].min() > -0.51
    assert np.isfinite(world.positions).all()
