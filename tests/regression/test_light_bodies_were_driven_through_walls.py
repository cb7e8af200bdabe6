"""Swept islands with mass ratios to 1e6: a light body that heavy ones drove into a wall was slow
when the step began, so nobody looked at its way, and it went through a wall of a metre. In 41105
rows threw one that was solved."""

import pytest

from tests.fuzz import rooms


@pytest.mark.parametrize("seed", [3, 86, 41105])
def test_they_stay_in_the_room(seed):
    assert rooms.check_room("ratio", seed, "iterative").out == 0
