"""Springs whose periods sub-steps follow swing beyond what they hold, and are given that again: in
pieces that solved nothing, and after blows, what was credited never came back. Islands that were
set back to where they began had what they had swung to at the end. Those that woke in a step were
set back to where they were when they fell asleep."""

import math

import pytest

from engine2d import Circle, Drag, World
from tests.fuzz.room_joints import pull_energy
from tests.fuzz.rooms import check_room


@pytest.mark.parametrize(
    ("family", "seed", "solver"),
    [("jointed", 5090, "auto"), ("jointed", 5359, "auto"), ("jointed", 5847, "auto"),
     ("jointed", 5553, "auto"), ("jointed", 5509, "iterative"), ("rich-jointed", 5573, "auto"),
     ("jointed", 5764, "auto"), ("rich-jointed", 5825, "auto")],
)  # fmt: skip
def test_no_step_gains_energy(family, seed, solver):
    result = check_room(family, seed, solver)
    assert not result.out
    assert result.worst < 1e-3


@pytest.mark.parametrize("hertz", [2.0, 8.0, 15.0])
def test_what_swings_ends_with_no_more_than_it_began(hertz):
    """A ball between its drag and balls that it strikes again and again."""
    world = World(gravity=(0, 0), sleeping=False)
    ball = world.add_body(Circle(0.3, restitution=1.0), position=(0, 0))
    drag = world.add_joint(Drag(ball, (0, 0), (3, 0), hertz=hertz, damping_ratio=0.0))
    for k in range(3):
        world.add_body(Circle(0.3, restitution=1.0), position=(1.5 + 1.5 * k, 0.2))
    start = pull_energy(drag)
    for _ in range(300):
        world.step(1 / 60)
        if math.hypot(*ball.velocity) < 0.05 * math.sqrt(2 * start / ball.mass):
            # at rest there is nothing that swings
            assert world.energy.kinetic + pull_energy(drag) < 1.001 * start
