"""A pickle of a world of the plane was refused where bodies had been removed since its last step.

The islands of the last step had more bodies than there are, so their numbers went beyond them.
"""

import pickle

import pytest

import engine2d
import engine3d

BALLS = {engine2d: engine2d.Circle, engine3d: engine3d.Sphere}


@pytest.mark.parametrize("engine", BALLS)
def test_what_is_left_goes_on_from_a_pickle(engine):
    world = engine.World()
    rest = (0.0,) * (len(world.gravity) - 1)
    bodies = [world.add_body(BALLS[engine](0.5), position=(5.0 * k, *rest)) for k in range(3)]
    world.step(1 / 60)
    world.remove(bodies[0])
    copy = pickle.loads(pickle.dumps(world))
    for _ in range(3):
        world.step(1 / 60)
        copy.step(1 / 60)
    assert [body.position for body in copy.bodies] == [body.position for body in bodies[1:]]
