"""Impulses that contacts keep to start from were scaled by time. A blow in a piece of a step of a
microsecond became an impulse of 1e6 N s in the next piece: bodies came 1500 m within a step, and
were thrown about or through walls."""

import pytest

from benchmarks.bench_world import DT, quality
from benchmarks.engines.engine2d_engine import Engine
from demos.scenes.circles import circles
from tests.fuzz.rooms import check_room


@pytest.mark.parametrize(("family", "seed"), [("deadmu", 70134), ("ratio", 70131)])
def test_swept_rooms_gain_nothing(family, seed):
    """A step gained 0.143 of the first room's energy; a body left the other one."""
    assert not check_room(family, seed, "iterative").faults()


@pytest.mark.parametrize(("family", "seed"), [("deadmu", 70144), ("mixed", 70022)])
def test_rooms_that_small_islands_hand_to_sweeps(family, seed):
    """Small islands kept blows as loads, too: a step gained 7.6e-3 and 1.8e-3."""
    assert not check_room(family, seed, "iterative").faults()


def test_no_disc_is_thrown_out_of_a_heap():
    """Without restitution none goes higher than it was: one flew out over the walls at 20 m/s."""
    scene = circles(5000)
    world = Engine(scene)
    for _ in range(160):
        world.step(DT)
    assert quality(scene, world)["escaped"] == 0
