"""Shapes of space: moments in closed form, hulls, bad input."""

import copy
import pickle

import numpy as np
import pytest

from engine3d.shape import (
    Box,
    Capsule,
    Cylinder,
    HollowSphere,
    Plane,
    Polyhedron,
    Sphere,
)
from enginecore.filter import Filter

CUBE = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
SHAPES = [
    Sphere(0.5, (1, 2, 3)),
    Box(1, 2, 3, (1, 0, 0), (1, 1, 0, 0)),
    Capsule((0, 0, -1), (0.5, 0, 1), 0.3),
    Cylinder(0.4, 2, (0, 1, 0), (1, 0, 1, 0)),
    Polyhedron(CUBE),
    Plane((0, 0, 2), 0.5),
    HollowSphere(3, (1, 0, 0)),
]


def by_quadrature(inside, low, high, n=120):
    """Volume, centroid and inertia of a solid by the midpoint rule."""
    axes = [np.linspace(a, b, n, endpoint=False) + (b - a) / n / 2 for a, b in zip(low, high)]
    cell = np.prod([(b - a) / n for a, b in zip(low, high)])
    x = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    x = x[inside(x)]
    centre = x.mean(axis=0)
    arms = x - centre
    inertia = cell * (np.eye(3) * (arms**2).sum() - arms.T @ arms)
    return cell * len(x), centre, inertia


def distance_to_segment(x, a, b):
    a, b = np.array(a), np.array(b)
    t = np.clip((x - a) @ (b - a) / ((b - a) @ (b - a)), 0, 1)
    return np.linalg.norm(x - a - t[:, None] * (b - a), axis=1)


@pytest.mark.parametrize(
    ("shape", "inside"),
    [
        (Sphere(0.5, (1, 2, 3)), lambda x: np.linalg.norm(x - (1, 2, 3), axis=1) <= 0.5),
        (
            Capsule((0, 0, -1), (0.5, 0, 1), 0.3),
            lambda x: distance_to_segment(x, (0, 0, -1), (0.5, 0, 1)) <= 0.3,
        ),
        (
            Cylinder(0.4, 2, (0, 1, 0)),
            lambda x: (np.hypot(x[:, 0], x[:, 1] - 1) <= 0.4) & (np.abs(x[:, 2]) <= 1),
        ),
    ],
)
def test_moments_are_those_of_the_solid(shape, inside):
    volume, centre, inertia = by_quadrature(inside, *shape.bounds)
    assert shape.volume == pytest.approx(volume, rel=5e-3)
    assert shape.centroid == pytest.approx(centre, abs=2e-3)
    assert np.abs(shape.inertia - inertia).max() < 1e-2 * np.abs(inertia).max()


def test_a_box_given_as_points_has_the_moments_of_a_box():
    turn = (0.9, 0.1, -0.3, 0.2)
    box = Box(1.0, 2.0, 3.5, (0.3, -1, 2), turn)
    same = Polyhedron(corners_of(box))
    assert same.volume == pytest.approx(7.0, rel=1e-12)
    assert same.centroid == pytest.approx((0.3, -1, 2), abs=1e-12)
    assert np.abs(same.inertia - box.inertia).max() < 1e-12 * np.abs(box.inertia).max()


def corners_of(box):
    w, x, y, z = box.orientation
    r = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    return np.array(CUBE) * (box.x / 2, box.y / 2, box.z / 2) @ r.T + box.center


def test_closed_forms():
    assert Sphere(2.0).inertia[0, 0] == pytest.approx(0.4 * 4 * Sphere(2.0).mass, rel=1e-14)
    assert np.diag(Box(1, 2, 3).inertia) == pytest.approx([6.5, 5.0, 2.5], rel=1e-14)
    tetra = Polyhedron([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)])
    assert tetra.volume == pytest.approx(1 / 6, rel=1e-13)
    assert tetra.centroid == pytest.approx((0.25, 0.25, 0.25), abs=1e-14)
    assert np.diag(tetra.inertia) == pytest.approx([1 / 80] * 3, rel=1e-12)
    assert tetra.inertia[0, 1] == pytest.approx(1 / 480, rel=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_the_hull_is_scipys(seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(rng.integers(4, 80), 3)) * rng.uniform(0.01, 100)
    shape = Polyhedron(points)
    reference = pytest.importorskip("scipy.spatial").ConvexHull(points)
    assert shape.volume == pytest.approx(reference.volume, rel=1e-10)
    assert len(shape.points) == len(reference.vertices)
    n, e, f = len(shape.points), sum(map(len, shape.faces)) // 2, len(shape.faces)
    assert n - e + f == 2


def test_flat_faces_are_one_and_points_on_them_are_none():
    grid = np.array([(x, y, z) for x in range(4) for y in range(4) for z in range(4)], float)
    shape = Polyhedron(grid)
    assert (len(shape.faces), len(shape.points)) == (6, 8)
    prism = [(np.cos(t), np.sin(t), z) for t in np.arange(12) * np.pi / 6 for z in (0, 1)]
    assert sorted(map(len, Polyhedron(prism).faces)) == [4] * 12 + [12, 12]


@pytest.mark.parametrize("shape", SHAPES)
def test_a_shape_is_a_value(shape):
    assert pickle.loads(pickle.dumps(shape)) == shape == copy.deepcopy(shape)
    assert hash(shape) == hash(shape.replace())
    assert shape.replace(friction=0.25).friction == 0.25
    assert shape != shape.replace(friction=0.25)
    assert eval(repr(shape)) == shape
    with pytest.raises(TypeError, match="never changes"):
        shape.__init__(**shape._arguments())


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Sphere(0), "radius must be finite and > 0, got 0"),
        (lambda: Sphere(1, (1, 2)), "center must be 3 numbers"),
        (lambda: Box(1, -1, 1), "y must be finite and > 0, got -1"),
        (lambda: Box(1, 1, 1, orientation=(0, 0, 0, 0)), "orientation must be a quaternion"),
        (lambda: Capsule((0, 0, 0), (0, 0, 0), 1), "a and b must differ"),
        (lambda: Plane((0, 0, 0)), "normal must not be zero"),
        (lambda: Polyhedron([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)]), "plane"),
        (lambda: Polyhedron([(0, 0, np.nan)]), "points must be finite"),
        (lambda: Sphere(1, restitution=1.5), "restitution must be from 0 to 1"),
        (lambda: Sphere(1, density=-1), "density must be finite and >= 0"),
    ],
)
def test_bad_input_is_named(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_types_are_checked():
    with pytest.raises(TypeError, match="filter must be a Filter"):
        Sphere(1, filter=3)
    with pytest.raises(TypeError, match="argument 'colour'"):
        Sphere(1, colour="red")
    assert Filter(1, 2).allows(Filter(2, 1))
    assert not Filter(group=-1).allows(Filter(group=-1))
