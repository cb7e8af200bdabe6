"""A body that a pass threw far away was slowed by the audit, then set back to where it met a wall,
and got speed for the height that it came down: rooms gained a multiple of their energy.
"""

import pytest

from tests.fuzz import rooms


@pytest.mark.parametrize("seed", [20, 59, 117, 155, 337])
def test_swept_rooms_gain_nothing(seed):
    """Seeds that gained 0.7 to 59 % in a step."""
    assert not rooms.check_room("deadmu", seed, "iterative").faults()
