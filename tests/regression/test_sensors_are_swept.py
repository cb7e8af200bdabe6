"""Fast bodies passed thin sensors unnoticed: 40 of 50 discs at 50 m/s."""

import pytest

from engine2d import Box, Capsule, Circle, World


@pytest.mark.parametrize("speed", [10, 20, 50, 200, 2000])
@pytest.mark.parametrize("solver", ["auto", "iterative"])
@pytest.mark.parametrize("shape", [Circle(0.1), Box(0.2, 0.1), Capsule((-0.1, 0), (0.1, 0), 0.05)])
def test_each_is_told_once(speed, solver, shape):
    for k in range(0, 50, 4):
        world = World(gravity=(0, 0), solver=solver)
        gate = world.add_static(Box(0.05, 2, sensor=True), position=(3, 0))
        body = world.add_body(shape, position=(0.013 * k, 0), velocity=(speed, 0))
        begins, ends = [], []
        for _ in range(int(6 / speed * 60) + 3):
            world.step(1 / 60)
            begins += [{int(e["body_a"]), int(e["body_b"])} for e in world.events.begins]
            ends += list(world.events.ends)
        assert begins == [{gate.id, body.id}]
        assert len(ends) == 1
        assert body.velocity == (speed, 0)


@pytest.mark.parametrize("speed", [50, 500])
def test_one_that_misses_is_not_told(speed):
    for k in range(50):
        world = World(gravity=(0, 0))
        world.add_static(Box(0.05, 2, sensor=True), position=(3, 0))
        world.add_body(Circle(0.1), position=(0.013 * k, 1.1 + 1e-3), velocity=(speed, 0))
        for _ in range(int(6 / speed * 60) + 3):
            world.step(1 / 60)
            assert len(world.events.begins) == 0


def test_what_a_wall_throws_back_before_the_sensor_is_not_told():
    for k in range(40):
        world = World(gravity=(0, 0))
        world.add_static(Box(0.2, 4, restitution=1), position=(3, 0))
        world.add_static(Box(0.05, 4, sensor=True), position=(3.5, 0))
        world.add_body(Circle(0.1, restitution=1), position=(0.05 * k, 0), velocity=(200, 0))
        for _ in range(4):
            world.step(1 / 60)
            assert not any(e["shape_a"] == 1 or e["shape_b"] == 1 for e in world.events.begins)
