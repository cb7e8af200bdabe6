"""A lift went through bodies that had sunk into it a little: they were taken to be pressed without
room, though nothing was above them."""

import pytest

from tests.fuzz.rooms import check_room


@pytest.mark.parametrize(
    ("seed", "solver"),
    [(20143, "auto"), (20817, "auto"), (20652, "iterative"), (20008, "iterative")],
)
def test_nobody_falls_through_a_lift(seed, solver):
    assert check_room("lift", seed, solver).out == 0
