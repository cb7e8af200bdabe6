"""Discs in flight that meet one whose time is over are given back their angular momentum, and the
energy of that is taken from all of them: this was counted as an audit, 4 to 6 times in 1500 steps
of a gas that gains nothing."""

from benchmarks.engines.engine2d_engine import Engine
from demos.scenes.gas import gas


def test_there_are_none():
    world = Engine(gas()).world
    audits = 0
    for _ in range(1500):
        world.step(1 / 60)
        audits += world.stats["energy_audits"]
    assert audits == 0
