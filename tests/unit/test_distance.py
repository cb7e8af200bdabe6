"""The signed distance of two shapes in closed form."""

import numpy as np
import pytest

from engine2d import Box, Capsule, Circle, Path, Segment
from engine2d.collide.distance import distance
from tests.distance_support import SOLIDS

EXACT = 1e-13


def check(found, size, point_a, point_b, normal):
    assert found.distance == pytest.approx(size, abs=EXACT)
    assert found.point_a == pytest.approx(point_a, abs=EXACT)
    assert found.point_b == pytest.approx(point_b, abs=EXACT)
    assert found.normal == pytest.approx(normal, abs=EXACT)


def test_discs_apart_and_in_each_other():
    found = distance(Circle(1), (3, 4), Circle(2), (0, 0))
    check(found, 2, (2.4, 3.2), (1.2, 1.6), (0.6, 0.8))
    found = distance(Circle(1), (1.2, 1.6), Circle(2), (0, 0))
    check(found, -1, (0.6, 0.8), (1.2, 1.6), (0.6, 0.8))


def test_corner_to_corner_and_corner_to_edge():
    found = distance(Box(2, 2), (4, 5), Box(2, 2), (0, 0))
    check(found, np.hypot(2, 3), (3, 4), (1, 1), np.array([2, 3]) / np.hypot(2, 3))
    found = distance(Box(2, 2), (5, 0, np.pi / 4), Box(2, 2), (0, 0))
    check(found, 4 - np.sqrt(2), (5 - np.sqrt(2), 0), (1, 0), (1, 0))


def test_depth_of_boxes():
    found = distance(Box(2, 2), (1.75, 0.5), Box(2, 2), (0, 0))
    assert found.distance == pytest.approx(-0.25, abs=EXACT)
    assert found.normal == pytest.approx((1, 0), abs=EXACT)


def test_capsules_side_by_side_and_crossed():
    a, b = Capsule((-1, 0), (1, 0), 0.25), Capsule((-1, 0), (1, 0), 0.5)
    assert distance(a, (0, 3), b, (0, 0)).distance == pytest.approx(2.25, abs=EXACT)
    found = distance(a, (3, 0, np.pi / 2), b, (0, 0))
    check(found, 1.25, (2.75, 0), (1.5, 0), (1, 0))


def test_disc_in_a_bowl():
    found = distance(Circle(0.3), (0, -0.4), SOLIDS["bowl"], (0, 0))
    check(found, 0.1, (0, -0.7), (0, -0.8), (0, 1))
    bowl = Path([(-0.8, 0), (0.8, 0)], [1], closed=False)
    found = distance(Circle(0.3), (0.24, -0.32), bowl, (0, 0))
    check(found, 0.1, (0.42, -0.56), (0.48, -0.64), (-0.6, 0.8))


def test_line_and_disc_from_both_sides():
    for side in (1, -1):
        found = distance(Circle(0.5), (0.2, 2 * side), Segment((-1, 0), (1, 0)), (0, 0))
        check(found, 1.5, (0.2, 1.5 * side), (0.2, 0), (0, side))


def test_lines_that_cross_are_not_apart():
    line, arc = Segment((-1, 0), (1, 0)), Path([(-1, 0), (1, 0)], [0.7], closed=False)
    zigzag = Path([(-1, 1), (0, -1), (1, 1)], closed=False)
    for a, pose, b in [
        (line, (0, 0, 1), line),
        (arc, (0, 0, 1), line),
        (line, (0, -0.3), arc),
        (arc, (0.2, 0, 1), arc),
        (zigzag, (0, 0.5), line),
        (zigzag, (0, 0), arc),
    ]:
        for found in (distance(a, pose, b, (0, 0)), distance(b, (0, 0), a, pose)):
            assert found.distance == 0.0 or a is b is line
            assert np.hypot(*found.normal) == pytest.approx(1.0)
    assert distance(line, (0, 0.1), line, (0, 0)).distance == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("arguments", "error", "named"),
    [
        ((1, (0, 0), Circle(1), (0, 0)), TypeError, "shape_a"),
        ((Circle(1), (0, 0), None, (0, 0)), TypeError, "shape_b"),
        ((Circle(1), "ab", Circle(1), (0, 0)), ValueError, "pose_a"),
        ((Circle(1), (0, 0), Circle(1), (0, np.inf)), ValueError, "pose_b"),
        ((Circle(1), (1e308, 0), Circle(1), (-1e308, 0)), OverflowError, "pose_a"),
    ],
)
def test_bad_arguments_are_refused(arguments, error, named):
    with pytest.raises(error, match=named):
        distance(*arguments)
