"""One disc that rolled on, or one body that rocked, kept piles awake for ever: 5 of 14 piles; later
8 of 40, three of these because no solve settled them at rest, however slow they were.
"""

import numpy as np
import pytest

from engine2d import Box, Capsule, Circle, Polygon, World


def pile(seed, n=40):
    """Bodies of all kinds that fall between two walls."""
    rng = np.random.default_rng(seed)
    world = World()
    for size, place in (((30, 1), (0, -0.5)), ((1, 30), (-4.5, 14)), ((1, 30), (4.5, 14))):
        world.add_static(Box(*size), position=place)
    for k in range(n):
        size, kind = rng.uniform(0.3, 0.9), rng.integers(4)
        material = {
            "restitution": float(rng.choice([0, 0.2, 0.4])),
            "friction": float(rng.uniform(0.2, 0.8)),
        }
        tall, half = size * rng.uniform(0.4, 1), 0.5 * size
        shapes = (
            Circle(half, **material),
            Box(size, tall, **material),
            Capsule((-0.3 * size, 0), (0.3 * size, 0), 0.25 * size, **material),
            Polygon([(-half, -0.3 * size), (half, -0.3 * size), (0, 0.6 * size)], **material),
        )
        place = (rng.uniform(-3, 3), 1 + 0.5 * k)
        world.add_body(shapes[kind], position=place, angle=rng.uniform(0, 6))
    return world


def test_piles_sleep():
    """2 of the first 40 stay awake after all; which ones changes with any change of the solver."""
    awake = [seed for seed in range(40) if not sleeps(pile(seed), 30)]
    assert len(awake) <= 4


@pytest.mark.parametrize("seed", [8, 57])
def test_a_pile_sleeps_on_which_something_rocks_far(seed):
    """A capsule on a round body: nothing ends that, and it shakes all others a little."""
    assert sleeps(pile(seed), 60)


def sleeps(world, seconds):
    for _ in range(60 * seconds):
        world.step(1 / 60)
        if not world.awake.any():
            return True
    return False


def test_a_ball_that_bounces_on_what_is_still_goes_on():
    """At its apex it has no speed, but does not bear load there."""
    world = World()
    world.add_static(Box(20, 1, restitution=1), position=(0, -0.5))
    for k in range(6):
        world.add_body(Box(1, 0.5), position=(k + 0.3, 0.25))
    ball = world.add_body(Circle(0.2, restitution=1), position=(-0.45, 0.23))
    highest = 0.0
    for k in range(1200):
        world.step(1 / 60)
        if k > 1080:
            highest = max(highest, ball.position[1])
    assert highest > 0.22


def test_a_disc_that_rolls_faster_and_faster_stays_awake():
    """On a slope of 1e-5 it is slower than a millimetre a second for 15 s."""
    world = World(gravity=(9.81e-5, -9.81))
    world.add_static(Box(40, 1), position=(0, -0.5))
    for k in range(6):
        world.add_body(Box(1, 0.5, friction=0.9), position=(-k - 0.8, 0.25))
    disc = world.add_body(Circle(0.3, friction=0.9), position=(0, 0.3))
    for _ in range(900):
        world.step(1 / 60)
    assert disc.velocity[0] == pytest.approx(2 / 3 * 9.81e-5 * 15, rel=1e-2)
