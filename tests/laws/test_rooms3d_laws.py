"""Random closed rooms in space: nobody gets out, no step gains energy, whatever solves them."""

import pytest

from tests.fuzz import rooms3d

CLOSED = [name for name, family in rooms3d.FAMILIES.items() if not family.isolated]


@pytest.mark.parametrize("name", CLOSED)
@pytest.mark.parametrize(("solver", "count"), [("auto", 7), ("iterative", 7), ("auto", 25)])
def test_nobody_leaves_and_no_step_gains(name, solver, count):
    for seed in range(1 if count == 25 else 2):
        result = rooms3d.run_room(name, seed, solver, count, seconds=1.5)
        assert result.bodies > 2
        assert not result.faults()


@pytest.mark.parametrize("seed", range(4))
def test_isolated_groups_keep_momenta_and_their_way(seed):
    """Linear momentum to 1e-12, angular to 1e-6, and the common centre on its line to 1e-9 m."""
    result = rooms3d.run_room("isolated", seed, count=12, seconds=2.0)
    assert not result.faults()


def test_the_books_notice_energy_from_nothing(monkeypatch):
    class Cheat(rooms3d.World):
        def step(self, dt):
            super().step(dt)
            for body in self.bodies:
                if body.kind == "dynamic":
                    body.velocity = tuple(1.01 * v for v in body.velocity)

    monkeypatch.setattr(rooms3d, "World", Cheat)
    assert rooms3d.run_room("mixed", 0, count=7, seconds=0.3).faults()
