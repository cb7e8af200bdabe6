"""The oracle is checked by what it does not use: closed forms, samples and shapely."""

import math

import numpy as np
import pytest
import shapely
from hypothesis import given

from engine2d import Box, Capsule, Circle, Path, Segment
from tests import shape_oracle as oracle
from tests.shape_families import CONVEX, pairs, poses, shapes

HERE = (0.0, 0.0, 0.0)
BOWL = Path([(-2, -2), (2, -2), (2, 0), (1, 0), (-1, 0), (-2, 0)], [0, 0, 0, -1, 0, 0])
KNOWN = [
    (Circle(1), HERE, Circle(0.5), (3, 4, 1), 3.5),
    (Circle(0.4), (0.1, -0.2, 0), BOWL, HERE, 0.6 - math.hypot(0.1, 0.2)),
    (Circle(0.5), (0, 1, 0.3), Box(4, 1), HERE, 0.0),
    (Circle(0.5), (0, 1.25, 0.3), Box(4, 1), HERE, 0.25),
    (Box(1, 1), (1.5, 1.5, math.pi / 4), Box(1, 1), HERE, math.sqrt(2) - 0.5),
    (Capsule((-1, 0), (1, 0), 0.25), (0, 1, 0), Segment((-3, 0), (3, 0)), HERE, 0.75),
    (Segment((-1, 0), (1, 0)), (0, 0, 1), Segment((-1, 0), (1, 0)), HERE, 0.0),
    (Circle(0.1), HERE, Box(4, 4), HERE, 0.0),
]


@pytest.mark.parametrize(("a", "pose_a", "b", "pose_b", "known"), KNOWN)
def test_known_distances(a, pose_a, b, pose_b, known):
    assert oracle.distance(a, pose_a, b, pose_b) == pytest.approx(known, abs=1e-14)
    assert oracle.distance(b, pose_b, a, pose_a) == pytest.approx(known, abs=1e-14)


@given(pairs())
def test_distances_are_those_of_fine_polygons(pair):
    """Each polygon is within its sagitta of the shape."""
    a, pose_a, b, pose_b = pair
    sagitta = 1e-6
    fine = oracle.to_shapely(a, pose_a, sagitta).distance(oracle.to_shapely(b, pose_b, sagitta))
    assert oracle.distance(a, pose_a, b, pose_b) == pytest.approx(fine, abs=2 * sagitta)


@given(pairs(CONVEX))
def test_the_room_between_convex_shapes_is_their_distance(pair):
    gap, normal = oracle.convex_gap(*pair)
    assert max(gap, 0.0) == pytest.approx(oracle.distance(*pair), abs=1e-12)
    assert abs(normal) == pytest.approx(1.0)


@given(pairs(CONVEX))
def test_no_direction_gives_more_room(pair):
    pieces = oracle.place_both(*pair)
    n = np.exp(1j * np.linspace(0, 2 * np.pi, 1000))
    room = -oracle.support(pieces[1], n) - oracle.support(pieces[0], -n)
    gap, _ = oracle.convex_gap(*pair)
    assert room.max() <= gap + 1e-12
    # the room is Lipschitz in the angle by the sum of the reaches, below 10 m here
    assert room.max() >= gap - 10.0 * math.pi / 1000


@given(shapes(), poses(), poses())
def test_inside_is_inside_the_polygon(shape, pose, point):
    x, y, _ = point
    near = oracle.distance_to_boundary(shape, pose, (x, y))
    fine = oracle.to_shapely(shape, pose, 1e-6)
    dot = shapely.Point(x, y)
    line = fine.boundary if shape.closed else fine
    assert near == pytest.approx(line.distance(dot), abs=1e-6)
    if near > 1e-6:
        assert oracle.contains(shape, pose, (x, y)) == (shape.closed and fine.contains(dot))
