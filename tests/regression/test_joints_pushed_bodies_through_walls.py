"""Joints that cannot all hold, and drags at the end of their way, in rooms that are swept: fast
bodies with joints were stopped at what they met only while there was time to look at them again,
and what lifted bodies or loaded springs beyond all their motion was kept."""

import pytest

from tests.fuzz.rooms import check_room


@pytest.mark.parametrize(
    ("family", "seed", "solver"),
    [("jointed", 49, "iterative"), ("jointed", 71, "iterative"), ("jointed", 72, "iterative"),
     ("jointed", 81, "iterative"), ("jointed", 28, "auto"), ("jointed", 217, "auto")],
)  # fmt: skip
def test_nobody_leaves_and_nothing_is_gained(family, seed, solver):
    result = check_room(family, seed, solver)
    assert not result.out
    assert result.worst < 1e-3
