"""What is true or false is read at the API boundary: what is neither is named with its value."""

import re

import numpy as np
import pytest

import engine2d
import engine3d

NEITHER = np.array([1, 2])
BALLS = {engine2d: engine2d.Circle, engine3d: engine3d.Sphere}


def two(engine):
    world = engine.World()
    places = [(0.0,) * len(world.gravity), (3.0,) + (0.0,) * (len(world.gravity) - 1)]
    return world, [world.add_body(BALLS[engine](0.5), position=place) for place in places]


def joined(engine, **settings):
    world, (a, b) = two(engine)
    return world.add_joint(engine.Rod(a, b, a.position, b.position, **settings))


def origin(world):
    return (0.0,) * len(world.gravity)


CALLS = {
    "sleeping": lambda e, value: e.World(sleeping=value),
    "sensor": lambda e, value: BALLS[e](1, sensor=value),
    "fixed_rotation": lambda e, value: e.World().add_body(BALLS[e](1), fixed_rotation=value),
    "bullet": lambda e, value: e.World().add_body(BALLS[e](1), bullet=value),
    "can_sleep": lambda e, value: e.World().add_body(BALLS[e](1), can_sleep=value),
    "collide_connected": lambda e, value: joined(e, collide_connected=value),
    "sensors": lambda e, value: e.World().point_query(origin(e.World()), sensors=value),
}


@pytest.mark.parametrize("engine", BALLS)
@pytest.mark.parametrize("name", CALLS)
def test_what_is_neither_is_named_with_its_value(engine, name):
    with pytest.raises(TypeError, match=rf"{name} must be True or False, got array\(\[1, 2\]\)"):
        CALLS[name](engine, NEITHER)
    CALLS[name](engine, True)
    CALLS[name](engine, np.array([0]))
    CALLS[name](engine, 1)


@pytest.mark.parametrize("engine", BALLS)
@pytest.mark.parametrize("name", ["fixed_rotation", "bullet", "can_sleep"])
def test_settings_of_bodies_are_read_likewise(engine, name):
    _, (body, _) = two(engine)
    before = getattr(body, name)
    with pytest.raises(TypeError, match=rf"{name} must be True or False, got array\(\[1, 2\]\)"):
        setattr(body, name, NEITHER)
    assert getattr(body, name) is before
    setattr(body, name, not before)
    assert getattr(body, name) is not before


@pytest.mark.parametrize("engine", BALLS)
def test_settings_of_joints_are_read_likewise(engine):
    joint = joined(engine)
    with pytest.raises(TypeError, match="collide_connected must be True or False, got array"):
        joint.collide_connected = NEITHER
    assert joint.collide_connected is False
    joint.collide_connected = 1
    assert joint.collide_connected is True


def test_a_path_is_closed_or_not():
    with pytest.raises(TypeError, match="closed must be True or False, got array"):
        engine2d.Path([(0, 0), (1, 0), (1, 1)], closed=NEITHER)


def test_contact_systems_of_the_plane_have_friction_or_not():
    with pytest.raises(TypeError, match="friction must be True or False, got array"):
        engine2d.World().contact_system(friction=NEITHER)


CONES = {
    "friction": lambda value: engine3d.World().contact_system(friction=value),
    "friction_cone": lambda value: engine3d.World(friction_cone=value),
}


@pytest.mark.parametrize("name", CONES)
@pytest.mark.parametrize("value", [NEITHER, np.nan, 3.5, 4.0, "3", None, True, np.True_, [4]])
def test_directions_of_cones_are_counted(name, value):
    wanted = f"{name} must be an integer: 0 or from 3 to 64 directions, got {value!r}"
    with pytest.raises(TypeError, match=re.escape(wanted)):
        CONES[name](value)


@pytest.mark.parametrize("name", CONES)
@pytest.mark.parametrize("value", [-1, 1, 2, 65, 10**30, np.int8(2)])
def test_cones_have_at_least_three_directions(name, value):
    wanted = f"{name} must be 0 or from 3 to 64 directions, got {value!r}"
    with pytest.raises(ValueError, match=re.escape(wanted)):
        CONES[name](value)


@pytest.mark.parametrize("name", CONES)
@pytest.mark.parametrize("value", [0, 3, 64, np.int64(4), np.uint8(8)])
def test_integers_of_any_kind_count_directions(name, value):
    CONES[name](value)


def test_where_nothing_touches_friction_has_no_rows():
    world = engine3d.World()
    for _ in range(2):
        system = world.contact_system(friction=8)
        assert system.A.shape == (0, 0)
        assert system.f.shape == (0,)
        assert system.tangents.shape == (0, 8, 3)
        world.add_body(engine3d.Sphere(1))
