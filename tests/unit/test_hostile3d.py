"""Every public argument of space, given what it cannot be: a fair error, and nothing changed."""

import inspect
import warnings
from contextlib import suppress

import numpy as np
import pytest

from engine3d import (
    Ball,
    Body,
    Box,
    Capsule,
    Cylinder,
    Drag,
    Hinge,
    HollowSphere,
    Plane,
    Polyhedron,
    Rod,
    Rope,
    Slider,
    Sphere,
    Spring,
    Weld,
    World,
    contact_points,
    distance,
    scene,
    time_of_impact,
)

nan, inf = float("nan"), float("inf")
FAIR = (ValueError, TypeError, OverflowError)
NUMBERS = [nan, inf, -inf, 1e300, 1e-300, 1e155, 1e20, 1e-13, -1, 0, 2**2000, 2**63, True, 1j]
VECTORS = [
    (nan, 0, 0),
    (0, inf, 0),
    (1e300, 1e300, 0),
    (1.7e308, 1.7e308, 1.7e308, 0),
    (1e20, 0, 0),
    (1e-300, 0, 0),
    (0, 0, 0),
    (1, 2),
    (1, 2, 3, 4),
    (1, 2, None),
    ("a", "b", "c"),
    np.array([1j, 0, 0]),
    np.zeros((2, 2)),
    [(0, 0, 0)] * 5,
    [[1], [2]],
    range(3),
]
THINGS = [None, "x", b"x", [], {}, object(), int, np.float32(nan), np.array("a"), Box(1, 1, 1)]
HOSTILE = NUMBERS + VECTORS + THINGS
FEW = 6  # of them for each argument, others for the next; all of them in the slow run

SHAPES = {
    Sphere: (1.0,),
    Box: (1.0, 1.0, 1.0),
    Capsule: ((0, 0, 0), (1, 0, 0), 0.3),
    Cylinder: (1.0, 1.0),
    Plane: ((0, 0, 1),),
    HollowSphere: (3.0,),
    Polyhedron: ([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)],),
}
ENDS = {"anchor_a": (0, 0, 0.5), "anchor_b": (0, 0, 1.5)}
JOINTS = {
    Ball: {"anchor": (0, 0, 1)},
    Hinge: {"anchor": (0, 0, 1), "axis": (0, 1, 0)},
    Weld: {"anchor": (0, 0, 1)},
    Slider: {"anchor": (0, 0, 1), "axis": (0, 0, 1)},
    Rod: ENDS,
    Rope: ENDS,
    Spring: {**ENDS, "stiffness": 10.0},
    Drag: {"anchor": (0, 0, 0.5)},
}
GOOD = {
    "point": (0, 0, 1),
    "low": (-1, -1, -1),
    "high": (1, 1, 1),
    "start": (-3, 0, 0.5),
    "end": (3, 0, 0.5),
    "starts": [(-3, 0, 0.5)],
    "ends": [(3, 0, 0.5)],
    "shape": Sphere(0.3),
    "shape_a": Box(1, 1, 1),
    "shape_b": Sphere(1),
    "pose": (0, 0, 1),
    "pose_a": (0, 0, 0),
    "pose_b": (0, 0, 3),
    "velocity_a": ((0, 0, 1), (0, 0, 0)),
    "velocity_b": (0, 0, 0),
    "duration": 1.0,
    "way": (0, 0, -1),
    "dt": 1 / 60,
    "id": 1,
    "hertz": 1.0,
    "damping_ratio": 0.1,
    "velocity": (0, 0, 1),
    "force": (0, 0, 1),
    "impulse": (0, 0, 1),
    "torque": (0, 0, 1),
}


@pytest.fixture(
    params=[FEW, pytest.param(len(HOSTILE), marks=pytest.mark.slow)], ids=["few", "all"]
)
def drawn(request):
    """What each argument is given: a function without arguments."""
    count, at = request.param, 0

    def draw():
        nonlocal at
        at += count
        return [HOSTILE[k % len(HOSTILE)] for k in range(at, at + count)]

    return draw


@pytest.fixture(autouse=True)
def no_warnings():
    """numpy complains of what should have been refused before."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def small_world():
    world = World()
    world.add_static(Plane((0, 0, 1)))
    box = world.add_body(Box(1, 1, 1), position=(0, 0, 0.5))
    ball = world.add_body(Sphere(0.5), position=(0, 0, 1.5))
    world.step(1 / 60)
    return world, box, ball


def is_refused(world, call, *args, **named):
    """Whether a call is refused; it may, with a fair error that leaves the world as it was."""
    before = scene.dumps(world)
    try:
        call(*args, **named)
    except FAIR as error:
        told = str(error)
    else:
        return False
    assert len(told) > 8
    assert scene.dumps(world) == before
    return True


def go_on(world):
    """Whatever was taken can be lived with."""
    # that a body left the range of places and speeds is told, and that a time scale is too large
    with suppress(OverflowError, ValueError):
        world.step(1 / 60)
    assert np.isfinite(world.positions).all()
    assert np.isfinite(world.velocities).all()
    world.snapshot()


def arguments(call, own=()):
    """Names of the arguments of a call, without `own`."""
    found = inspect.signature(call).parameters.values()
    return [p for p in found if p.name not in ("self", "data", *own)]


def with_one(call, name, value, **given):
    """Named arguments that are good but for one; those without a default are in GOOD or `given`."""
    out = {}
    for p in arguments(call):
        if p.name in given or p.default is inspect.Parameter.empty:
            out[p.name] = given.get(p.name, GOOD.get(p.name))
    return {**out, name: value}


@pytest.mark.parametrize("kind", SHAPES)
def test_shapes(kind, drawn):
    found = arguments(kind)
    # what shapes are made of is read by one function
    names = [p.name for p in found if kind is Sphere or p.kind is not p.KEYWORD_ONLY]
    for k, name in enumerate(names):
        for value in drawn():
            args, named = list(SHAPES[kind]), {}
            if k < len(args):
                args[k] = value
            else:
                named[name] = value
            world = World()
            try:
                shape = kind(*args, **named)
            except FAIR:
                continue
            for add in (world.add_static, world.add_body):
                is_refused(world, add, shape)
            go_on(world)


def test_worlds(drawn):
    for p in arguments(World.__init__):
        for value in drawn():
            try:
                world = World(**{p.name: value})
            except FAIR:
                continue
            world.add_static(Plane((0, 0, 1)))
            world.add_body(Box(1, 1, 1), position=(0, 0, 0.6))
            go_on(world)


def test_bodies(drawn):
    for p in arguments(World.add_body):
        for value in drawn():
            world, _, _ = small_world()
            shapes, named = (
                ([value], {}) if p.name == "shapes" else ([Box(1, 1, 1)], {p.name: value})
            )
            if not is_refused(world, world.add_body, *shapes, **named):
                go_on(world)


def settable(kind):
    """Names of the properties of a class that can be set."""
    for name, found in inspect.getmembers(kind, inspect.isdatadescriptor):
        if (
            not name.startswith("_")
            and name not in ("data", "contact_filter")
            and hasattr(found, "__set__")
        ):
            yield name


def set_all(make, drawn):
    """Set every property of what make() returns, with its world, to everything hostile."""
    world, thing = make()
    for name in settable(type(thing)):
        try:
            setattr(thing, name, getattr(thing, name))
        except AttributeError:
            continue  # read-only
        for value in drawn():
            world, thing = make()
            if not is_refused(world, setattr, thing, name, value):
                go_on(world)


def test_properties_of_bodies(drawn):
    set_all(lambda: small_world()[:2], drawn)


def test_properties_of_worlds(drawn):
    set_all(lambda: (small_world()[0],) * 2, drawn)


def test_properties_of_shapes_of_bodies(drawn):
    def make():
        world, box, _ = small_world()
        return world, box.shapes[0]

    set_all(make, drawn)


def make_joint(kind, **given):
    world, box, ball = small_world()
    ends = {"body": box} if kind is Drag else {"body_a": box, "body_b": ball}
    return world, {**ends, **JOINTS[kind], **given}


@pytest.mark.parametrize("kind", JOINTS)
def test_joints(kind, drawn):
    for p in arguments(kind):
        for value in drawn():
            world, given = make_joint(kind, **{p.name: value})
            if not is_refused(world, lambda k: world.add_joint(kind(**k)), given):  # noqa: B023
                go_on(world)


@pytest.mark.parametrize("kind", JOINTS)
def test_properties_of_joints(kind, drawn):
    def make():
        world, given = make_joint(kind)
        return world, world.add_joint(kind(**given))

    set_all(make, drawn)


OF_WORLD = """add_joint body box_query cast_query contact_system ignore_until_parted nearest_query
overlap_query point_query ray_query ray_query_all ray_query_many remove restore set_state step"""
OF_BODY = """add_shape apply_angular_impulse apply_force apply_impulse apply_torque remove_shape
to_local to_world velocity_at"""
CALLS = [(World, name) for name in OF_WORLD.split()]
CALLS += [(Body, name) for name in OF_BODY.split() if hasattr(Body, name)]


@pytest.mark.parametrize(("kind", "name"), CALLS, ids=lambda x: getattr(x, "__name__", x))
def test_calls(kind, name, drawn):
    for p in arguments(getattr(kind, name)):
        for value in drawn():
            world, box, ball = small_world()
            thing = {World: world, Body: box}[kind]
            given = with_one(getattr(kind, name), p.name, value, body_a=box, body_b=ball)
            if p.kind is p.VAR_KEYWORD:
                continue
            if not is_refused(world, getattr(thing, name), **given):
                go_on(world)


@pytest.mark.parametrize("call", [contact_points, distance, time_of_impact])
def test_functions(call, drawn):
    for p in arguments(call):
        for value in drawn():
            given = with_one(call, p.name, value)
            with suppress(*FAIR):
                out = call(**given)
                assert not (isinstance(out, float) and np.isnan(out))
