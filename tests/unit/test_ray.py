"""Rays and points against one shape: closed forms, and where a ray starts or ends."""

import numpy as np
import pytest

from engine2d import Box, Capsule, Circle, Path, Segment
from engine2d.collide.ray import cast_ray, point_distance
from tests.distance_support import LINES, SHAPES, SOLIDS, boundary_points, placed

HERE = (0, 0, 0)
EXACT = 1e-14


def check_hit(hit, t, point, normal):
    assert hit.t == pytest.approx(t, abs=EXACT)
    assert hit.point == pytest.approx(point, abs=EXACT)
    assert hit.normal == pytest.approx(normal, abs=EXACT)


# ------------------------------------------------------------------------------ closed forms


def test_disc():
    hit = cast_ray(Circle(1.0), HERE, (-5, 0.6), (5, 0.6))
    check_hit(hit, 0.42, (-0.8, 0.6), (-0.8, 0.6))


def test_box_turned_and_moved():
    hit = cast_ray(Box(2, 2), (3, 1, np.pi / 4), (3, 11), (3, 1))
    check_hit(hit, 1 - np.sqrt(0.02), (3, 1 + np.sqrt(2)), hit.normal)
    assert abs(hit.normal[1]) == pytest.approx(np.sqrt(0.5))


def test_capsule_on_its_side_and_on_its_end():
    capsule = Capsule((-1, 0), (1, 0), 0.5)
    check_hit(cast_ray(capsule, HERE, (0.3, 2), (0.3, 0)), 0.75, (0.3, 0.5), (0, 1))
    check_hit(cast_ray(capsule, HERE, (1.3, 2), (1.3, 0)), 0.8, (1.3, 0.4), (0.6, 0.8))


def test_rounded_corner():
    box = Box(4, 2, radius=0.5)
    d = np.array([1, 1]) / np.sqrt(2)
    corner = np.array([1.5, 0.5])
    hit = cast_ray(box, HERE, corner + 3 * d, corner)
    check_hit(hit, 2.5 / 3, corner + 0.5 * d, d)


def test_half_disc_from_above_and_below():
    half = Path([(-1, 0), (1, 0)], [0, 1])
    check_hit(cast_ray(half, HERE, (0.6, 3), (0.6, -3)), 2.2 / 6, (0.6, 0.8), (0.6, 0.8))
    check_hit(cast_ray(half, HERE, (0.6, -3), (0.6, 3)), 0.5, (0.6, 0), (0, -1))


def test_inside_of_a_bowl():
    bowl = SOLIDS["bowl"]
    check_hit(cast_ray(bowl, HERE, (0, 0), (0, -2)), 0.4, (0, -0.8), (0, 1))
    check_hit(cast_ray(bowl, HERE, (0.48, 1), (0.48, -1)), 0.82, (0.48, -0.64), (-0.6, 0.8))


def test_lines_are_hit_from_both_sides():
    line = Segment((-1, 0), (1, 0))
    check_hit(cast_ray(line, HERE, (0.5, 1), (0.5, -1)), 0.5, (0.5, 0), (0, 1))
    check_hit(cast_ray(line, HERE, (0.5, -1), (0.5, 1)), 0.5, (0.5, 0), (0, -1))
    arc = Path([(-1, 0), (1, 0)], [1], closed=False)
    check_hit(cast_ray(arc, HERE, (0, 2), (0, -2)), 0.75, (0, -1), (0, 1))
    check_hit(cast_ray(arc, HERE, (0, -2), (0, 2)), 0.25, (0, -1), (0, -1))


@pytest.mark.parametrize("line", [Segment((0, 0), (1, 0)), Path([(0, 0), (1, 0)], closed=False)])
def test_a_line_is_hit_on_its_end(line):
    check_hit(cast_ray(line, HERE, (-1, 0), (3, 0)), 0.25, (0, 0), (-1, 0))
    check_hit(cast_ray(line, HERE, (3, 0), (-1, 0)), 0.5, (1, 0), (1, 0))


# ------------------------------------------------------------------------ where it starts, ends


@pytest.mark.parametrize(
    "shape",
    [
        Circle(1.0),
        Box(2, 2),
        Capsule((-1, 0), (1, 0), 1),
        Box(2, 2, radius=0.3),
        Path([(-1, -1), (1, -1), (1, 1), (-1, 1)], [0, 0, 0, 0.1]),
    ],
)
def test_a_ray_leaves_the_solid_it_starts_in(shape):
    assert cast_ray(shape, HERE, (0.1, 0.2), (5, 0.3)) is None
    assert cast_ray(shape, HERE, (0.1, 0.2), (0.2, 0.3)) is None


def test_a_ray_that_leaves_a_concave_solid_enters_it_again():
    hit = cast_ray(SOLIDS["L"], HERE, (-0.6, 0), (0.9, -0.9))
    check_hit(hit, 0.4 / 0.9, (-0.6 + 1.5 * 0.4 / 0.9, -0.4), (0, 1))


def test_on_the_surface_inwards_hits_at_once_and_outwards_not_at_all():
    check_hit(cast_ray(Box(2, 2), HERE, (1, 0.2), (-3, 0.2)), 0, (1, 0.2), (1, 0))
    assert cast_ray(Box(2, 2), HERE, (1, 0.2), (3, 0.2)) is None
    check_hit(cast_ray(Circle(1), HERE, (0, 1), (0, -3)), 0, (0, 1), (0, 1))
    assert cast_ray(Circle(1), HERE, (0, 1), (1, 2)) is None


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
def test_a_ray_from_a_line_leaves_it_to_either_side(line):
    for x in boundary_points(line, [0.0, 0.25, 0.5]):
        for way in [(0.05, 0.1), (-0.03, -0.1), (0.1, -0.02)]:
            hit = cast_ray(line, HERE, x, x + way)
            assert hit is None or hit.t > 1e-6


def test_it_hits_up_to_its_end_and_no_farther():
    assert cast_ray(Circle(1), HERE, (-3, 0), (-1, 0)).t == 1.0
    assert cast_ray(Circle(1), HERE, (-3, 0), (-1 - 1e-9, 0)) is None


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_a_ray_of_no_length_hits_nothing(shape):
    for x in [(0, 0), shape.points[0], (5, 5)]:
        assert cast_ray(shape, HERE, x, x) is None


def test_along_an_edge_the_corner_is_hit():
    check_hit(cast_ray(Box(2, 2), HERE, (-5, 1), (5, 1)), 0.4, (-1, 1), (-1, 0))


# ----------------------------------------------------------------------- nothing slips through


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_no_ray_slips_through_the_boundary(shape):
    """Rays from afar to corners and to other points of the boundary, and on to the other side."""
    rng = np.random.default_rng(7)
    shares = np.concatenate([[0.0], rng.random(19)])
    aims = boundary_points(shape, shares)
    aims = aims[rng.integers(len(aims), size=6500)]
    for k, aim in enumerate(aims):
        angle, pose = rng.random() * 2 * np.pi, (rng.random(), rng.random(), 7 * rng.random())
        if k % 2:
            pose = HERE
        aim = placed(pose, [aim])[0]
        start = aim + 10 * rng.random() * np.array([np.cos(angle), np.sin(angle)])
        start += 5 * np.array([np.cos(angle), np.sin(angle)])
        hit = cast_ray(shape, pose, start, 2 * aim - start)
        assert hit is not None, (aim, start)
        assert hit.t <= 0.5 + 1e-6


@pytest.mark.parametrize("n", [3, 4, 7, 100])
def test_rays_at_corners_from_every_side(n):
    """No corner of a polygon or of a run of arcs lets a ray pass that goes through the middle."""
    a = 2 * np.pi * np.arange(n) / n + 0.1
    points = np.column_stack([np.cos(a), np.sin(a)])
    for bulges in (np.zeros(n), np.full(n, 0.05), np.full(n, -0.05)):
        shape = Path(points, bulges)
        for p in points:
            for size in (1.5, 2.0, 3.7, 1e3):
                hit = cast_ray(shape, HERE, size * p, -size * p)
                assert hit.point == pytest.approx(p, abs=1e-14 * size)


# ------------------------------------------------------------------------------------- points


def check_near(near, distance, point, normal):
    assert near.distance == pytest.approx(distance, abs=EXACT)
    assert near.point == pytest.approx(point, abs=EXACT)
    assert near.normal == pytest.approx(normal, abs=EXACT)


def test_signed_distance_in_closed_form():
    check_near(point_distance(Circle(1), HERE, (3, 4)), 4, (0.6, 0.8), (0.6, 0.8))
    check_near(point_distance(Box(4, 2), HERE, (0.5, 0.75)), -0.25, (0.5, 1), (0, 1))
    near = point_distance(Box(4, 2, radius=0.5), HERE, (1.5 + 0.6, 0.5 + 0.8))
    check_near(near, 0.5, (1.8, 0.9), (0.6, 0.8))
    near = point_distance(Box(4, 2, radius=0.5), HERE, (1.5 + 0.15, 0.5 + 0.2))
    check_near(near, -0.25, (1.8, 0.9), (0.6, 0.8))
    check_near(point_distance(SOLIDS["bowl"], HERE, (0, -0.5)), 0.3, (0, -0.8), (0, 1))
    check_near(point_distance(SOLIDS["bowl"], HERE, (0, -0.85)), -0.05, (0, -0.8), (0, 1))


def test_nearest_to_an_inner_corner_is_inside():
    near = point_distance(SOLIDS["L"], HERE, (-0.6, -0.8 + 1e-3))
    assert near.distance == pytest.approx(-0.201)
    near = point_distance(SOLIDS["L"], HERE, (-0.31, -0.41))
    assert near.distance == pytest.approx(-np.sqrt(2) * 0.01)
    assert near.normal == pytest.approx((np.sqrt(0.5), np.sqrt(0.5)))


def test_lines_have_no_inside():
    line = Segment((-1, 0), (1, 0))
    check_near(point_distance(line, HERE, (0.3, 0.2)), 0.2, (0.3, 0), (0, 1))
    check_near(point_distance(line, HERE, (0.3, -0.2)), 0.2, (0.3, 0), (0, -1))
    check_near(point_distance(line, HERE, (1.3, 0.4)), 0.5, (1, 0), (0.6, 0.8))


# ----------------------------------------------------------------------------------- the door


@pytest.mark.parametrize(
    ("arguments", "error", "named"),
    [
        ((None, HERE, (0, 0), (1, 1)), TypeError, "shape"),
        ((Circle(1), (0,), (0, 0), (1, 1)), ValueError, "pose"),
        ((Circle(1), HERE, (0, np.nan), (1, 1)), ValueError, "start"),
        ((Circle(1), HERE, (0, 0), (1, np.inf)), ValueError, "end"),
        ((Circle(1), HERE, "ab", (1, 1)), ValueError, "start"),
        ((Circle(1), HERE, (-1e308, 0), (1e308, 0)), OverflowError, "start"),
    ],
)
def test_bad_rays_are_refused(arguments, error, named):
    with pytest.raises(error, match=named):
        cast_ray(*arguments)


def test_bad_points_are_refused():
    with pytest.raises(ValueError, match="point"):
        point_distance(Circle(1), HERE, (np.nan, 0))
