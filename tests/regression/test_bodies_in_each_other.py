"""Bodies put into each other: worlds refused their snapshots, or slept before they were apart."""

import pickle

import pytest

from engine2d import Box, Circle, Segment, World


def heap(shape, n, place, **options):
    """Several bodies at one place above a floor."""
    world = World(**options)
    world.add_static(Segment((-20, -1), (20, -1)))
    return world, [world.add_body(shape, position=place) for _ in range(n)]


@pytest.mark.parametrize("dt", [1 / 60, 1 / 64, 0.01])
def test_bodies_that_turn_fast_are_looked_for_far_ahead(dt):
    """What a pair remembers of that is no reason to refuse a snapshot."""
    world, bodies = heap(Circle(0.5), 2, (0, 1))
    world.step(dt)
    bodies[1].angular_velocity = 1e9
    for _ in range(5):
        world.step(dt)
        pickle.loads(pickle.dumps(world))


@pytest.mark.parametrize("force", [1e20, 1e150, -1e160, 1e300])
@pytest.mark.parametrize("shape", [Circle(0.5), Box(1, 1)])
def test_contacts_of_bodies_that_were_put_back_are_where_they_are(shape, force):
    world, bodies = heap(shape, 2, (0, 1))
    bodies[1].force = (0, force)
    with pytest.raises(OverflowError):
        world.step(1 / 60)
    twin = pickle.loads(pickle.dumps(world))
    for _ in range(3):
        world.step(1 / 60)
        twin.step(1 / 60)
    assert twin.positions.tobytes() == world.positions.tobytes()


@pytest.mark.parametrize("solver", ["auto", "iterative"])
def test_a_copy_sleeps_as_its_model_does(solver):
    """All sleep in the first step, which is as long as bodies have to be still."""
    world, _ = heap(Circle(0.5), 4, (0, 1), solver=solver)
    world.step(0.5)
    twin = pickle.loads(pickle.dumps(world))
    for _ in range(3):
        world.step(1 / 60)
        twin.step(1 / 60)
    assert twin.positions.tobytes() == world.positions.tobytes()


@pytest.mark.parametrize("solver", ["auto", "iterative"])
@pytest.mark.parametrize(("shape", "n"), [(Box(4, 4), 2), (Circle(3), 2), (Box(1, 1), 5)])
def test_nobody_sleeps_while_being_pushed_out(shape, n, solver):
    """What pushes them apart gives no velocity: by that alone they were still."""
    world, _ = heap(shape, n, (0, 2), solver=solver)
    for _ in range(600):
        world.step(1 / 60)
        if not world.awake.any():
            break
    assert not world.awake.any()
    assert world.contacts.arrays["gap"].min() > -2e-3
