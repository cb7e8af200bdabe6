"""Joints that bring bodies together from afar throw them at hundreds of metres a second in a step,
to where nothing had been looked for. Small islands were not looked at after it, nor those that only
joints hold, and bodies went through walls that their islands had no contacts with."""

import pytest

from engine2d import Box, Circle, Spring, World
from tests.fuzz.rooms import check_room


@pytest.mark.parametrize(
    ("family", "seed"),
    [("jointed", 166), ("jointed", 294), ("rich-jointed", 47), ("rich-jointed", 67),
     ("rich-jointed", 75), ("rich-jointed", 77)],
)  # fmt: skip
def test_nobody_leaves_a_room(family, seed):
    result = check_room(family, seed)
    assert not result.out
    assert result.worst < 1e-3


@pytest.mark.parametrize("hertz", [10.0, 30.0, 100.0])
def test_a_stretched_spring_does_not_pull_through_a_wall(hertz):
    """From rest, and from the other side of it."""
    world = World(gravity=(0, -9.81))
    world.add_static(Box(1, 40))
    ball = world.add_body(Circle(0.3), position=(-6, 0))
    world.add_joint(Spring(None, ball, (6, 0), (-6, 0), length=0.1, hertz=hertz))
    for _ in range(60):
        world.step(1 / 60)
        assert ball.position[0] < -0.5
