"""A question renewed the boxes of the broad phase: pairs began anew and lost their impulses."""

import numpy as np
import pytest

from engine2d import Box, Circle, World

DT = 1 / 60


def heap(seed, **options):
    rng = np.random.default_rng(seed)
    world = World(**options)
    for x, y, width, height in ((0, -0.5, 20, 1), (-4, 19, 1, 40), (4, 19, 1, 40)):
        world.add_static(Box(width, height), position=(x, y))
    for k in range(25):
        shape = Box(rng.uniform(0.3, 0.9), 0.4, restitution=0.2)
        world.add_body(shape, position=(rng.uniform(-3, 3), 1 + 0.4 * k))
    return world


QUESTIONS = {
    "point": lambda world: world.point_query((0, 1)),
    "box": lambda world: world.box_query((-1, 0), (1, 3), sensors=True),
    "overlap": lambda world: world.overlap_query(Circle(0.5), (0, 1, 0)),
    "ray": lambda world: world.ray_query((-3, 1), (3, 1)),
    "all on a ray": lambda world: world.ray_query_all((-3, 1), (3, 1)),
    "rays": lambda world: world.ray_query_many([(-3, 1), (0, 9)], [(3, 1), (0, 0)]),
    "cast": lambda world: world.cast_query(Circle(0.2), (-3, 5, 0), (6, -4)),
    "nearest": lambda world: world.nearest_query((0, 2)),
    "all that can be read": lambda world: (
        world.contacts,
        world.energy,
        world.stats,
        world.bodies,
        world.awake,
        world.islands,
        world.positions,
        world.events.hits,
        world.snapshot(),
    ),
}


def run(world, ask=None, steps=150):
    for _ in range(steps):
        if ask is not None:
            ask(world)
        world.step(DT)
    return world.positions.tobytes(), world.velocities.tobytes()


@pytest.mark.parametrize("solver", ["auto", "iterative"])
@pytest.mark.parametrize("seed", [0, 1])
def test_a_world_that_is_asked_goes_the_way_of_one_that_is_not(seed, solver):
    """The same bits after a question of every kind before every step."""
    plain = run(heap(seed, solver=solver))
    for ask in QUESTIONS.values():
        assert run(heap(seed, solver=solver), ask) == plain


def test_answers_are_of_where_bodies_are_now():
    """Also right after a step in which a body was thrown back, and after every kind of edit."""
    world = World(gravity=(0, 0))
    world.add_static(Box(1, 10), position=(5, 0))
    ball = world.add_body(Circle(0.5, restitution=1), velocity=(60, 0))
    others = [world.add_body(Circle(0.1), position=(0, 20 + k)) for k in range(100)]
    for k in range(40):
        world.step(DT)
        assert [found.body for found in world.point_query(ball.position)] == [ball]
        if k % 4 == 0:
            world.remove(others.pop())
        if k % 5 == 0:
            others[0].position = (3, -20 - k)
            assert world.point_query((3, -20 - k))[0].body is others[0]
        low, high = np.subtract(others[1].position, 0.1), np.add(others[1].position, 0.1)
        assert [found.body for found in world.box_query(low, high)] == [others[1]]
