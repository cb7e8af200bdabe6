"""What has sunk into others by more than a hundredth of its size is pushed out no faster than its
motion or gravity can pay: rooms of unequal bodies gained up to 0.7 % of their energy in a step."""

import pytest

from tests.fuzz.rooms import check_room

ROOMS = [("sizes", 20173), ("sizes", 20294), ("sizes", 20761), ("sizes", 20883)]


@pytest.mark.parametrize(("family", "seed"), ROOMS)
def test_no_step_gains(family, seed):
    result = check_room(family, seed, "iterative")
    assert not result.out
    assert result.worst < 1e-3
