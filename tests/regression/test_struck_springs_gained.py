"""Stiff springs whose bodies are struck in the middle of a sub-step, and rest there."""

import pytest

from tests.fuzz.rooms import check_room


@pytest.mark.parametrize(
    ("family", "seed"),
    [("rich-jointed", 52), ("jointed", 6), ("jointed", 64), ("jointed", 69),
     ("jointed", 96), ("jointed", 116), ("jointed", 189)],
)  # fmt: skip
def test_a_struck_spring_holds_no_more_than_the_blow(family, seed):
    """They were stretched by the speed of before and stopped with that of after: up to 5 % of all
    the energy there was in one step."""
    result = check_room(family, seed)
    assert not result.out
    assert result.worst < 1e-3
