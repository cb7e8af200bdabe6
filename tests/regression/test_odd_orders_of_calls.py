"""Calls that nobody should make: each is refused in words, and none crashes."""

import gc

import pytest

import engine2d
import engine3d


def flat():
    world = engine2d.World()
    world.add_static(engine2d.Box(40, 1), position=(0, -0.5))
    return world, [world.add_body(engine2d.Box(1, 1), position=(2 * k, 0.5)) for k in range(3)]


def space():
    world = engine3d.World()
    world.add_static(engine3d.Plane((0, 0, 1)))
    box = engine3d.Box(1, 1, 1)
    return world, [world.add_body(box, position=(2 * k, 0, 0.5)) for k in range(3)]


both = pytest.mark.parametrize(
    ("engine", "build"), [(engine2d, flat), (engine3d, space)], ids=["2D", "3D"]
)


@both
def test_handles_are_made_by_worlds(engine, build):
    with pytest.raises(TypeError, match=r"bodies are made by World\.add_body"):
        engine.Body()
    with pytest.raises(TypeError, match=r"shapes of bodies are made by World\.add_body"):
        engine.BodyShape()


@both
def test_a_shape_of_no_body_is_refused(engine, build):
    """It used to crash."""
    empty = engine.BodyShape.__new__(engine.BodyShape)
    assert empty.removed
    for name in ("friction", "shape", "tag", "radius"):
        with pytest.raises(ValueError, match="of no body"):
            getattr(empty, name)
    with pytest.raises(ValueError, match="of no body"):
        empty.friction = 0.3
    with pytest.raises(ValueError, match="of no body"):
        repr(empty)
    _, bodies = build()
    with pytest.raises(ValueError, match="of no body"):
        bodies[0].add_shape(empty)
    with pytest.raises(ValueError):
        bodies[0].remove_shape(empty)


@both
def test_a_handler_that_takes_itself_off_is_called_no_more(engine, build):
    """Three boxes begin to touch in one step: it hears of the first only."""
    world, _ = build()
    heard = []

    def once(event):
        heard.append("once")
        world.events.remove_handler(once)
        world.events.on_begin(later)

    def later(event):
        heard.append("later")

    world.events.on_begin(once)
    world.step(1 / 60)
    assert heard == ["once"]
    world.add_body(
        engine.Circle(0.2) if engine is engine2d else engine.Sphere(0.2),
        position=(9, 0.2) if engine is engine2d else (9, 0, 0.2),
    )
    world.step(1 / 60)
    assert heard == ["once", "later"]


@both
def test_a_body_may_outlive_its_world(engine, build):
    world, bodies = build()
    world.step(1 / 60)
    del world
    gc.collect()
    assert bodies[0].position[-1] == pytest.approx(0.5, abs=1e-3)
    with pytest.raises(ValueError, match="world of this body is gone"):
        bodies[0].contacts  # noqa: B018


@both
def test_limits_are_two(engine, build):
    world, (a, b, _) = build()
    kind = engine.Pin if engine is engine2d else engine.Hinge
    axis = {} if engine is engine2d else {"axis": (0, 1, 0)}
    joint = world.add_joint(kind(a, b, a.position, **axis))
    for wrong in (None, 3, (1,), (1, 2, 3)):
        with pytest.raises(ValueError, match="limits must be two"):
            joint.limits = wrong
    assert joint.limits == (None, None)
