"""Shapes: mass by closed forms, what is refused, values, pictures."""

import copy
import math
import pickle
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from engine2d import Box, Capsule, Circle, Filter, Path, Polygon, Segment, Shape, svg

NAN, INF, PI = math.nan, math.inf, math.pi


def sector(inner, outer, angle):
    """An annular sector about the origin, symmetric to the x axis, with its closed forms."""
    c, s = math.cos(angle / 2), math.sin(angle / 2)
    bulge = math.tan(angle / 4)
    points = [
        (inner * c, -inner * s),
        (outer * c, -outer * s),
        (outer * c, outer * s),
        (inner * c, inner * s),
    ]
    area = angle / 2 * (outer**2 - inner**2)
    x = 2 * math.sin(angle / 2) / 3 * (outer**3 - inner**3) / area
    second = angle / 4 * (outer**4 - inner**4) - area * x * x
    return Path(points, [0, bulge, 0, -bulge]), area, (x, 0.0), second


def half_disc(radius):
    area = PI * radius**2 / 2
    y = -4 * radius / (3 * PI)
    return (
        Path([(-radius, 0), (radius, 0)], [1, 0]),
        area,
        (0.0, y),
        PI / 4 * radius**4 - area * y * y,
    )


def rounded_box(w, h, r):
    area = w * h - (4 - PI) * r * r
    # the box less four square corners, plus four quarter discs about their own centroids
    d = 4 * r / (3 * PI)
    quarter, own = PI * r * r / 4, PI * r**4 / 8 - PI * r * r / 4 * 2 * d * d
    square, x, y = r * r, w / 2, h / 2
    corners = square * ((x - r / 2) ** 2 + (y - r / 2) ** 2) + square * r * r / 6
    discs = quarter * ((x - r + d) ** 2 + (y - r + d) ** 2) + own
    return (
        Box(w, h, radius=r),
        area,
        (0.0, 0.0),
        w * h * (w * w + h * h) / 12 - 4 * corners + 4 * discs,
    )


def capsule(length, r):
    area = length * 2 * r + PI * r * r
    d = 4 * r / (3 * PI)
    half = PI * r * r / 2
    own = PI * r**4 / 4 - half * d * d
    second = 2 * r * length * (length**2 + 4 * r * r) / 12 + 2 * (
        own + half * (length / 2 + d) ** 2
    )
    return Capsule((-length / 2, 0), (length / 2, 0), r), area, (0.0, 0.0), second


CLOSED_FORMS = {
    "disc": (Circle(1.7), PI * 1.7**2, (0.0, 0.0), PI * 1.7**4 / 2),
    "box": (Box(1, 3), 3.0, (0.0, 0.0), 3.0 * 10 / 12),
    "half disc": half_disc(1.3),
    "annular sector": sector(1.0, 2.0, 2.0),
    "flat annular sector": sector(1.0, 1.5, 0.02),
    "wide annular sector": sector(0.5, 2.0, 6.0),
    "rounded box": rounded_box(2.0, 3.0, 0.4),
    "fully rounded box": rounded_box(2.0, 3.0, 1.0),
    "capsule": capsule(2.0, 0.5),
    "thick segment": (Segment((-1, 0), (1, 0), 0.5), *capsule(2.0, 0.5)[1:]),
    "triangle": (Polygon([(0, 0), (3, 0), (0, 3)]), 4.5, (1.0, 1.0), 4.5 * 18 / 18),
}


@pytest.mark.parametrize("name", CLOSED_FORMS)
def test_area_centroid_and_inertia_are_exact(name):
    shape, area, centroid, second = CLOSED_FORMS[name]
    assert shape.area == pytest.approx(area, rel=1e-12)
    assert shape.centroid == pytest.approx(centroid, rel=1e-12, abs=1e-12)
    assert shape.inertia == pytest.approx(second, rel=1e-12)
    heavy = shape.replace(density=7.0)
    assert heavy.mass == pytest.approx(7 * area, rel=1e-12)
    assert heavy.inertia == pytest.approx(7 * second, rel=1e-12)


@pytest.mark.parametrize("bulge", [1e-9, 1e-6, 1e-4, 0.01, 0.1, 0.36, 0.37])
def test_flat_arcs_keep_their_digits(bulge):
    """The sliver between an arc and its chord: c² b/3 + O(b³), exact to rounding of that."""
    lens = Path([(0, 0), (1, 0)], [bulge, bulge])
    half = 2 * math.atan(bulge)
    exact = 2 * (
        bulge / 3
        if half < 1e-3
        else (half - math.sin(half) * math.cos(half)) / (2 * math.sin(half)) ** 2
    )
    assert lens.area == pytest.approx(exact, rel=1e-5 if half < 1e-3 else 1e-9)
    assert lens.centroid == pytest.approx((0.5, 0.0), abs=1e-15)


def test_open_runs_have_no_mass():
    for shape in (Segment((0, 0), (1, 0)), Path([(0, 0), (1, 0), (2, 1)], closed=False)):
        assert (shape.area, shape.mass, shape.inertia, shape.closed) == (0.0, 0.0, 0.0, False)


def test_bounds_know_where_an_arc_turns():
    assert Path([(-1, 0), (1, 0)], [1, 0]).bounds == ((-1.0, -1.0), (1.0, 0.0))
    assert Circle(2, center=(1, 3)).bounds == ((-1.0, 1.0), (3.0, 5.0))
    low, high = Capsule((0, 0), (3, 4), 1).bounds
    assert (low, high) == (pytest.approx((-1, -1)), pytest.approx((4, 5)))
    # a quarter circle that turns at no axis
    bulge = math.tan(PI / 8)
    low, high = Path([(1, 0), (0, 1)], [bulge], closed=False).bounds
    assert (low, high) == (pytest.approx((0, 0)), pytest.approx((1, 1)))


def test_clockwise_input_is_turned_round():
    square = [(0, 0), (1, 0), (1, 1), (0, 1)]
    assert np.array_equal(Polygon(square[::-1]).points, np.array(square[::-1])[::-1])
    assert Polygon(square[::-1]).area == 1.0
    # the half disc, drawn the other way: along the edge first, then back along the arc
    backwards = Path([(1, 0), (-1, 0)], [-1, 0])
    assert backwards.area == pytest.approx(PI / 2)
    assert backwards.bounds == ((-1.0, -1.0), (1.0, 0.0))
    # its straight piece is 0.0, not -0.0: a copy is the same to the letter
    assert repr(pickle.loads(pickle.dumps(backwards))) == repr(backwards)


def test_points_that_coincide_are_taken_once():
    assert len(Polygon([(0, 0), (0, 0), (1, 0), (1, 1), (1, 1), (0, 0)]).points) == 3


SQUARE = [(0, 0), (2, 0), (2, 2), (0, 2)]
REFUSED = {
    "bow tie": (
        lambda: Polygon([(0, 0), (2, 2), (2, 0), (0, 3)]),
        "vertices make an outline that meets itself",
    ),
    "touching tips": (lambda: Polygon([(0, 0), (4, 0), (4, 2), (2, 0), (0, 2)]), "meets itself"),
    "spike": (lambda: Polygon([(0, 0), (2, 0), (1, 0), (1, 2)]), "meets itself"),
    "line": (lambda: Polygon([(0, 0), (1, 1), (2, 2)]), "vertices enclose no area"),
    "two vertices": (
        lambda: Polygon([(0, 0), (1, 1), (0, 0)]),
        "vertices must be at least three different",
    ),
    "no vertices": (lambda: Polygon(np.zeros((0, 2))), "vertices must be at least three"),
    "nan vertex": (
        lambda: Polygon([(0, 0), (1, NAN), (1, 1)]),
        r"vertices must be finite, got \[1.0, nan\] at 1",
    ),
    "flat list": (lambda: Polygon([0, 0]), "vertices must be a list of points"),
    "3D vertices": (lambda: Polygon([(0, 0, 0)] * 3), "vertices must have shape"),
    "arcs that cross": (
        lambda: Path(SQUARE, [0, -2.0, 0, -2.0]),
        "points make an outline that meets itself: the .* and the arc",
    ),
    "arc over edge": (lambda: Path(SQUARE, [-1.2, 0, -1.2, 0]), "meets itself"),
    "arc touches edge": (
        lambda: Path([(-1, 0), (1, 0), (3, -1), (-3, -1)], [1, 0, 0, 0]),
        "meets itself",
    ),
    "lens of nothing": (lambda: Path([(0, 0), (1, 0)], [0.5, -0.5]), "points enclose no area"),
    "two points, no arc": (lambda: Path([(0, 0), (1, 0)]), "points enclose no area"),
    "terrain that is closed": (
        lambda: Path([(0, 0), (1, 1), (2, 0), (3, 1), (4, 0)]),
        "closed=False makes a line",
    ),
    "full turn": (
        lambda: Path([(0, 0), (1, 0), (1, 1)], [0, 0, 1e9]),
        "bulges must be finite and sweep less",
    ),
    "nan bulge": (lambda: Path(SQUARE, [0, 0, 0, NAN]), "bulges must be finite"),
    "bulges missing": (lambda: Path(SQUARE, [0, 0, 0]), "bulges must be 4 numbers"),
    "open bulges": (lambda: Path(SQUARE, [0, 0, 0, 0], closed=False), "bulges must be 3 numbers"),
    "one point": (lambda: Path([(1, 1)], closed=False), "points must be at least two"),
    "open crossing": (
        lambda: Path([(0, 0), (2, 0), (2, 2), (1, -1)], closed=False),
        "meets itself",
    ),
    "radius": (lambda: Circle(0), "radius must be finite and > 0, got 0"),
    "negative radius": (lambda: Box(1, 1, radius=-0.1), "radius must be finite and >= 0, got -0.1"),
    "round box": (lambda: Box(1, 3, radius=0.6), "radius must be at most half"),
    "round polygon": (lambda: Polygon(SQUARE, radius=1.1), "radius must leave room"),
    "nan radius": (lambda: Circle(NAN), "radius must be"),
    "width": (lambda: Box(INF, 1), "width must be finite and > 0, got inf"),
    "height": (lambda: Box(1, -1), "height must be"),
    "center": (lambda: Circle(1, center=(0, NAN)), "center must be two finite"),
    "center of one": (lambda: Circle(1, center=(0,)), "center must be 2 numbers"),
    "angle": (lambda: Box(1, 1, angle=NAN), "angle must be finite"),
    "capsule point": (lambda: Capsule((0, 0), (0, 0), 1), "a and b must be different"),
    "segment point": (lambda: Segment((1, 1), (1, 1)), "a and b must be different"),
    "density": (lambda: Circle(1, density=-1), "density must be finite and >= 0, got -1"),
    "friction": (lambda: Circle(1, friction=NAN), "friction must be"),
    "restitution": (lambda: Circle(1, restitution=1.5), "restitution must be from 0 to 1"),
    "category": (lambda: Filter(category=-1), "category must be an integer"),
    "mask": (lambda: Filter(mask=1.5), "mask must be an integer"),
    "group": (lambda: Filter(group=2**40), "group must be an integer"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_by_name(name):
    make, message = REFUSED[name]
    with pytest.raises(ValueError, match=message):
        make()


def test_wrong_types_are_refused():
    with pytest.raises(TypeError, match="radius must be a number"):
        Circle("big")
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        Circle(1, colour="red")
    with pytest.raises(TypeError, match="filter must be a Filter"):
        Circle(1, filter=3)
    with pytest.raises(TypeError, match="not a Shape"):
        Shape()


GOOD = [
    Circle(1, center=(2, 3), friction=0.7),
    Box(1, 2, angle=0.3, radius=0.1, sensor=True),
    Polygon([(0, 0), (2, 0), (2, 2), (1, 0.5), (0, 2)], radius=0.1),
    Capsule((0, 0), (1, 2), 0.3),
    Segment((0, 0), (1, 0), friction=0.2),
    Path([(-1, 0), (1, 0)], [1, 0], density=3.0),
    Path([(0, 0), (1, 0), (2, 1)], [0.2, -0.3], closed=False),
    Path(SQUARE, [-0.4, 0.2, 0, 0.1], filter=Filter(group=-2)),
]


@pytest.mark.parametrize("shape", GOOD, ids=lambda shape: type(shape).__name__)
def test_shapes_are_values(shape):
    for twin in (
        pickle.loads(pickle.dumps(shape)),
        copy.copy(shape),
        copy.deepcopy(shape),
        shape.replace(),
    ):
        assert twin == shape
        assert hash(twin) == hash(shape)
        assert repr(twin) == repr(shape)
        assert np.array_equal(twin.points, shape.points)
    assert eval(repr(shape)) == shape
    assert shape.replace(friction=0.123) != shape
    with pytest.raises(AttributeError):
        shape.density = 2.0
    with pytest.raises(ValueError, match="read-only"):
        shape.points[0, 0] = 9.0


@pytest.mark.parametrize("huge", [1e80, 1e200])
def test_what_is_too_large_for_its_moments_is_refused(huge):
    for make in (
        lambda: Circle(huge),
        lambda: Box(huge, huge),
        lambda: Capsule((0, 0), (huge, 0), huge),
        lambda: Polygon([(0, 0), (huge, 0), (0, huge)]),
        lambda: Path([(-huge, 0), (huge, 0)], [1, 0]),
    ):
        with pytest.raises((OverflowError, ValueError)):
            make()


def test_shapes_cannot_be_made_twice():
    for shape in GOOD:
        with pytest.raises(TypeError, match="a shape never changes"):
            shape.__init__(**shape._arguments())


def test_filters():
    ball, wall, ghost = Filter(1, 2), Filter(2, 1), Filter(4, 0)
    assert ball.allows(wall)
    assert wall.allows(ball)
    assert not ball.allows(ball)
    assert not ghost.allows(Filter())
    assert Filter(1, 0, group=5).allows(Filter(2, 0, group=5))
    assert not Filter(group=-5).allows(Filter(group=-5))
    assert Filter(group=-5).allows(Filter(group=-6))


def test_a_picture_has_a_path_for_each_shape_and_true_arcs():
    text = svg.draw(GOOD, labels=[f"{i} & co" for i in range(len(GOOD))])
    root = ElementTree.fromstring(text)
    paths = root.findall(".//{*}path")
    assert len(paths) == len(GOOD)
    assert paths[0].get("d") == "M1 3 A1 1 0 0 1 3 3 A1 1 0 0 1 1 3 Z"
    assert len(root.findall(".//{*}text")) == len(GOOD)
    with pytest.raises(ValueError, match="at least one"):
        svg.draw([])
