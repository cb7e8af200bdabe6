"""numpy's complex numbers have a float: the real part. They were taken for it, with a warning."""

import inspect

import numpy as np
import pytest

import engine2d.impact
import engine3d
import engine3d.impact
from engine2d import Box, Capsule, Circle, Filter, Path, Polygon, Segment, World
from engine2d.body import Body
from engine2d.collide.distance import distance
from engine2d.collide.ray import cast_ray, point_distance
from engine2d.collide.time_of_impact import time_of_impact
from enginecore.grid import HashedGrid
from enginecore.lcp import solve
from enginecore.ode import integrate
from enginecore.particles import Particles

COMPLEX = [1 + 2j, np.complex128(1 + 2j), np.complex64(1), np.array(1 + 2j), np.complex128(1)]
A_BODY = [(1.0, 1.0, (0.1, 0.1), (0.0, -1.0), 0.0), (None, 1.0, (0.1, 0.2), (0.0, 0.0), 0.0)]


def settable(kind):
    """Names of the properties of a class that can be set."""
    return [
        name
        for name, value in inspect.getmembers(kind, inspect.isdatadescriptor)
        if not name.startswith("_")
        and name not in ("data", "sleeping", "kind", "contacts", "shapes")
    ]


def impact(module, value, place):
    """An impact with a complex number in one place."""
    width = 2 if module is engine2d.impact else 3
    unit = (0.0, 1.0, 0.0)[:width]
    inertia, rate = (1.0, 0.0) if width == 2 else (np.eye(3), (0.0,) * 3)
    given = {"e": 0.5, "mu": 0.3, "f": unit}
    for which in "AB":
        given |= {"m" + which: 1.0, "I" + which: inertia, "r" + which: (0.1, -0.2, 0.3)[:width]}
        given |= {"v" + which: (0.0, -1.0, 0.0)[:width], "w" + which: rate}
    given["vB"] = (0.0,) * width
    wide = isinstance(given[place], tuple)
    given[place] = (value, *given[place][1:]) if wide else value
    return module.collide(**given)


CALLS = {
    "radius": lambda z: Circle(z),
    "center": lambda z: Circle(1, (z, 0)),
    "width": lambda z: Box(z, 1),
    "vertices": lambda z: Polygon([(0, 0), (1, 0), (0, z)]),
    "a": lambda z: Capsule((0, z), (1, 0), 0.1),
    "b": lambda z: Segment((0, 0), (1, z)),
    "bulges": lambda z: Path([(0, 0), (1, 0), (1, 1)], [z, 0, 0]),
    "density": lambda z: Box(1, 1, density=z),
    "friction": lambda z: Box(1, 1, friction=z),
    "restitution": lambda z: Box(1, 1, restitution=z),
    "group": lambda z: Filter(group=z),
    "gravity": lambda z: World((0, z)),
    "position": lambda z: World().add_body(Circle(1), position=(z, 0)),
    "angle": lambda z: World().add_body(Circle(1), angle=z),
    "velocity": lambda z: World().add_body(Circle(1), velocity=(0, z)),
    "mass": lambda z: World().add_body(Circle(1), mass=z),
    "inertia": lambda z: World().add_body(Circle(1), inertia=z),
    "inertia ": lambda z: engine3d.World().add_body(
        engine3d.Sphere(1), inertia=np.array([1.0, 1.0, z])
    ),
    "gravity_scale": lambda z: World().add_body(Circle(1), gravity_scale=z),
    "linear_damping": lambda z: World().add_body(Circle(1), linear_damping=z),
    "dt": lambda z: World().step(z),
    "point": lambda z: World().point_query((z, 0)),
    "low": lambda z: World().box_query((z, 0), (1, 1)),
    "start": lambda z: World().ray_query((z, 0), (1, 1)),
    "starts": lambda z: World().ray_query_many([(z, 0)], [(1, 1)]),
    "pose": lambda z: World().overlap_query(Circle(1), (0, 0, z)),
    "way": lambda z: World().cast_query(Circle(1), (0, 0, 0), (z, 1)),
    "distance": lambda z: World().nearest_query((0, 0), z),
    "positions": lambda z: World().set_state(positions=np.array([(z, 0)]).reshape(1, 2)),
    "pose_a": lambda z: distance(Circle(1), (z, 0), Circle(1), (3, 0)),
    "end": lambda z: cast_ray(Circle(1), (0, 0), (3, 0), (z, 0)),
    "point ": lambda z: point_distance(Circle(1), (0, 0), (3, z)),
    "velocity_a": lambda z: time_of_impact(Circle(1), (0, 0), (z, 0, 0), Circle(1), (3, 0), (0, 0)),
    "radii": lambda z: Particles([[0.0, 0.0]], [[0.0, 0.0]], z, 1.0),
    "masses": lambda z: Particles([[0.0, 0.0]], [[0.0, 0.0]], 1.0, z),
    "positions ": lambda z: Particles([[z, 0.0]], [[0.0, 0.0]], 1.0, 1.0),
    "e": lambda z: Particles([[0.0, 0.0]], [[0.0, 0.0]], 1.0, 1.0, e=z),
    "kp": lambda z: Particles([[0.0, 0.0]], [[0.0, 0.0]], 1.0, 1.0, kp=z),
    "dt ": lambda z: Particles([[0.0, 0.0]], [[0.0, 0.0]], 1.0, 1.0).step(z),
    "A": lambda z: solve([[z]], [1.0]),
    "b ": lambda z: solve([[1.0]], [z]),
    "tol": lambda z: solve([[1.0]], [1.0], tol=z),
    "y0": lambda z: integrate(lambda t, y: y, [z], 0.0, 1.0),
    "t1": lambda z: integrate(lambda t, y: y, [1.0], 0.0, z),
    "margin": lambda z: HashedGrid(margin=z),
    "lows": lambda z: HashedGrid().add_many([(z, 0)], [(1, 1)]),
}


@pytest.mark.parametrize("value", COMPLEX, ids=repr)
@pytest.mark.parametrize("name", CALLS)
def test_calls_refuse_them_and_say_so(name, value):
    with pytest.raises((TypeError, ValueError), match=name.strip().rstrip("s")):
        CALLS[name](value)


@pytest.mark.parametrize("value", COMPLEX, ids=repr)
@pytest.mark.parametrize("name", settable(Body))
def test_bodies_refuse_them(name, value):
    body = World().add_body(Circle(1), position=(1, 2))
    before = getattr(body, name)
    for given in (value, (value, 0.0), (0.0, value)):
        if isinstance(before, bool):
            continue
        with pytest.raises((TypeError, ValueError, AttributeError)):
            setattr(body, name, given)
    assert getattr(body, name) == before


@pytest.mark.parametrize("value", COMPLEX, ids=repr)
@pytest.mark.parametrize("place", ["e", "mu", "f", "mA", "IA", "rA", "vA", "wA", "mB", "vB"])
@pytest.mark.parametrize("module", [engine2d.impact, engine3d.impact], ids=["2d", "3d"])
def test_impacts_refuse_them(module, place, value):
    impact(module, 1.0 if place in ("f", "e") else 0.1, "e")
    with pytest.raises((TypeError, ValueError), match=place):
        impact(module, value, place)


@pytest.mark.parametrize("call", ["apply_force", "apply_impulse", "to_world", "velocity_at"])
def test_methods_of_bodies_refuse_them(call):
    body = World().add_body(Circle(1))
    for value in COMPLEX:
        with pytest.raises((TypeError, ValueError)):
            getattr(body, call)((value, 1.0))
    for value in COMPLEX:
        with pytest.raises((TypeError, ValueError), match="torque|impulse"):
            body.apply_torque(value)
        with pytest.raises((TypeError, ValueError), match="torque|impulse"):
            body.apply_angular_impulse(value)
