"""States of worlds that went the same way are the same bytes: an address of memory was in them."""

import pickle

import pytest

import engine2d
import engine3d


def run(engine, ball, solver):
    world = engine.World(solver=solver)
    rest = (0.0,) * (len(world.gravity) - 2)
    floor = (20.0,) * (len(world.gravity) - 1)
    down = (0.0,) * (len(world.gravity) - 1) + (-0.5,)
    world.add_static(engine.Box(*floor, 1.0), position=down)
    for k in range(5):
        world.add_body(ball(0.3, restitution=0.5), position=(0.5 * k, *rest, 2.0 + k))
    for _ in range(60):
        world.step(1 / 60)
    return world


@pytest.mark.parametrize("solver", ["auto", "iterative"])
@pytest.mark.parametrize(
    ("engine", "ball"), [(engine2d, engine2d.Circle), (engine3d, engine3d.Sphere)]
)
def test_equal_runs_have_equal_bytes(engine, ball, solver):
    first, second = (run(engine, ball, solver) for _ in range(2))
    assert pickle.dumps(first.snapshot()) == pickle.dumps(second.snapshot())
    assert pickle.dumps(first) == pickle.dumps(second)
