"""Blows and warm starts made energy in islands of many contacts: x 2.4e5 in a line of three discs,
1351 J became 3.9e9 J in a wall of bricks."""

import pytest

from engine2d import Box, Circle, World


@pytest.mark.parametrize("solver", ["auto", "direct", "iterative"])
@pytest.mark.parametrize(
    ("masses", "bounce"),
    [((100, 1, 100), (0.8, 0, 0)), ((10, 1, 10), (0.5, 0, 0)), ((3, 1, 3), (1, 0, 0))],
)
def test_a_light_disc_between_heavy_ones(solver, masses, bounce):
    world = World(gravity=(0, 0), solver=solver)
    for k in range(3):
        world.add_body(
            Circle(0.5, restitution=bounce[k], friction=0),
            position=(1.001 * k, 0),
            mass=masses[k],
            velocity=((1, 0, -1)[k], 0),
        )
    first = world.energy.kinetic
    for _ in range(60):
        world.step(1 / 60)
        assert world.energy.kinetic <= first * (1 + 1e-12)


@pytest.mark.parametrize("solver", ["auto", "iterative"])
@pytest.mark.parametrize("bounce", [0.3, 0.8])
def test_a_ball_into_a_wall_of_bricks(solver, bounce):
    world = World(solver=solver)
    world.add_static(Box(80, 2), position=(0, -1))
    for row in range(8):
        for column in range(6):
            place = (column * 0.61 + row % 2 * 0.3, 0.15 + 0.3 * row)
            world.add_body(Box(0.6, 0.3), position=place)
    ball = Circle(0.4, density=20, restitution=bounce)
    world.add_body(ball, position=(-3, 1.2), velocity=(15, 0))
    first = energy = world.energy.total
    for _ in range(120):
        world.step(1 / 60)
        assert world.energy.total - energy < 1e-3 * first
        energy = world.energy.total
    assert energy < first
