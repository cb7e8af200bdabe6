"""A problem of masses 1 : 1e6 that nothing settled gave a box and a ball 1e5 m/s for a sub-step.

The audit took the speed back, but they were 2 km away."""

from tests.fuzz import rooms3d


def test_they_stay_in_the_room():
    assert rooms3d.run_room("ratio", 72002, "iterative", seconds=1.4).out == 0
