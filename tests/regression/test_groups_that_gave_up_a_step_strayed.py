"""Thin bodies that slid on each other used up their island's cuts; alone in space, it lost the rest
of the step, and its common centre was off its way by up to 3 cm."""

import pytest

from tests.fuzz import rooms3d


@pytest.mark.parametrize("solver", ["auto", "iterative"])
def test_the_common_centre_goes_straight_on(solver):
    result = rooms3d.run_room("isolated", 71003, solver)
    assert result.bodies > 2
    assert result.way < 1e-9
    assert result.faults() == []
