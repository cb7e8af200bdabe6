"""A disc in a corner that is as rough as it is steep is wedged: any two forces hold each other. The
direct solver found one of 5e6 N, sweeps started from it, and the disc was driven 17 cm into the
floor and the wall and thrown out again."""

import pytest

from engine2d import Box, Circle, World
from tests.fuzz import rooms


def test_a_disc_in_a_corner_of_a_room_gains_nothing():
    assert not rooms.check_room("sizes", 43051, "iterative").faults()


@pytest.mark.parametrize("solver", ["auto", "direct", "iterative"])
@pytest.mark.parametrize("friction", [1.0, 1.5])
@pytest.mark.parametrize("parts", [1, 3, 7])
def test_forces_in_a_corner_stay_near_the_weight(solver, friction, parts):
    world = World(gravity=(0, -9.81), solver=solver, sleeping=False)
    world.add_static(Box(20, 1, center=(0, -0.5), friction=friction))
    world.add_static(Box(1, 20, center=(5.5, 5), friction=friction))
    disc = world.add_body(
        Circle(1, friction=friction), position=(2, 1), velocity=(4, 0), angular_velocity=-4
    )
    for k in range(240):
        # steps that are long and short by turns
        world.step(1 / 60 if k % parts == 0 else 1e-4)
        if k > 120:
            assert all(c.normal_force < 100 * disc.mass * 9.81 for c in world.contacts)
            assert all(c.gap > -1e-2 for c in world.contacts)
