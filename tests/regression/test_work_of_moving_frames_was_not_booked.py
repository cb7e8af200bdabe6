"""What is slowed against a kinematic body that moves is carried by it: that is work of this body.

It was missing from the books: the audit let rooms gain that turn, up to 1.6e-3 of their energy in a
step. And what fell fast beside a slow kinematic body was taken for pressed by it, so that floors
stood still under a blow: a ball came back from a rising floor as from one at rest.
"""

import pytest

from engine2d import Box, Circle, World
from tests.fuzz.rooms import check_room


def test_a_room_that_turns_gains_nothing():
    assert not check_room("tumbler", 20148, "iterative").faults()


def test_a_ball_that_falls_fast_beside_a_wall_feels_the_speed_of_the_floor():
    """e = 1: it goes up with the speed of its fall and twice that of the floor."""
    g, fall, rise, gap, dt = 9.81, 20.0, 0.3, 0.3, 1 / 60
    world = World(gravity=(0, -g))
    world.add_static(Box(1, 30, friction=0), position=(-1, 0))
    floor = world.add_kinematic(Box(20, 1, friction=0, restitution=1), position=(4, -0.5))
    floor.velocity = (0, rise)
    ball = world.add_body(Circle(0.2, friction=0, restitution=1), position=(-0.3, 0.2 + gap))
    ball.velocity = (0, -fall)
    world.step(dt)
    t = (((fall + rise) ** 2 + 2 * g * gap) ** 0.5 - fall - rise) / g
    expected = fall + g * t + 2 * rise - g * (dt - t)
    assert ball.velocity[1] == pytest.approx(expected, abs=1e-3)
    # the floor's impulse is what changed the speeds, and it acted at the floor's speed
    impulse = ball.mass * (expected + fall + g * dt)
    assert world.ledger["driven"] == pytest.approx(rise * impulse, rel=1e-3)
