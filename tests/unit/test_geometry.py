"""Features of runs: what can be touched along which normals, and what is inside."""

import math

import numpy as np
import pytest
from engine2d.collide.geometry import features_of_run, run_contains
from hypothesis import given
from hypothesis import strategies as st

PI, INF = math.pi, math.inf
QUARTER = math.tan(PI / 8)
SQUARE = [(0, 0), (2, 0), (2, 2), (0, 2)]
L_SHAPE = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]


def point_of(feature, angle):
    return np.array(feature["c"]) + feature["r"] * np.array([math.cos(angle), math.sin(angle)])


# ------------------------------------------------------------------------------------ features


def test_a_square_has_four_corners_and_four_edges():
    features = features_of_run(SQUARE, [0] * 4, True)
    assert len(features) == 8
    for k in range(4):
        corner, edge = features[2 * k], features[2 * k + 1]
        assert corner["c"] == edge["c"] == SQUARE[k]
        assert corner["r"] == 0
        assert corner["sweep"] == pytest.approx(PI / 2, abs=1e-15)
        assert edge["r"] == INF
        assert edge["length"] == 2
        assert edge["sweep"] == 0
        # a corner's normals go from the edge before to the edge after
        assert corner["low"] == features[2 * k - 1]["low"]
        assert corner["high"] == edge["low"]
    assert features[1]["low"] == (0, -1)


def test_a_corner_that_points_inwards_has_no_normals():
    features = features_of_run(L_SHAPE, [0] * 6, True)
    assert [features[2 * k]["sweep"] < 0 for k in range(6)] == [0, 0, 0, 1, 0, 0]


@pytest.mark.parametrize("bulge", [0.3, 1.0, 2.5, -0.3, -1.0, -2.5])
def test_an_arc_runs_between_its_points_with_normals_away_from_what_is_left_of_it(bulge):
    p, q = np.array([1.0, 0.0]), np.array([3.0, 1.0])
    arc = features_of_run([p, q, (2, 40), (-4, 20)], [bulge, 0, 0, 0], True)[1]
    assert math.copysign(1, arc["r"]) == math.copysign(1, bulge)
    assert arc["sweep"] == pytest.approx(4 * math.atan(abs(bulge)), rel=1e-14)
    low, high = (math.atan2(arc[name][1], arc[name][0]) for name in ("low", "high"))
    assert (high - low - arc["sweep"] + PI) % (2 * PI) - PI == pytest.approx(0, abs=1e-14)
    first, last = (p, q) if bulge > 0 else (q, p)
    np.testing.assert_allclose(point_of(arc, low), first, atol=1e-14)
    np.testing.assert_allclose(point_of(arc, high), last, atol=1e-14)


def test_pieces_that_go_on_smoothly_have_no_corner_between_them():
    # a capsule, and a line in three parts
    capsule = features_of_run([(0, 0), (2, 0), (2, 2), (0, 2)], [0, 1, 0, 1], True)
    assert all(capsule[2 * k]["sweep"] < 0 for k in range(4))
    line = features_of_run([(0, 0), (1, 0), (3, 0), (4, 0)], [0, 0, 0], False)
    assert [f["sweep"] < 0 for f in line[::2]] == [0, 1, 1, 0, 1, 1]


def test_an_open_run_goes_forth_and_back():
    points = [(0, 0), (1, 0), (2, 1)]
    features = features_of_run(points, [0, 0.5], False)
    assert len(features) == 8
    assert [f["c"] for f in features[::2]] == [*points, points[1]]
    # ends have half a turn; the bend has normals on one side only
    assert features[0]["sweep"] == features[4]["sweep"] == PI
    np.testing.assert_allclose(features[0]["low"], (0, 1), atol=1e-15)
    np.testing.assert_allclose(features[0]["high"], (0, -1), atol=1e-15)
    assert (features[2]["sweep"] > 0) != (features[6]["sweep"] > 0)
    # each piece comes twice, with opposite sides
    assert features[3]["r"] == -features[5]["r"]
    assert features[3]["c"] == features[5]["c"]
    assert features[1]["low"] == tuple(-x for x in features[7]["low"])


def test_cusps_point_outwards_or_inwards():
    # between two discs of radius 1 that touch at (1, 0), above: the tip points down
    outer = features_of_run([(1, 0), (2, 1), (0, 1)], [-QUARTER, 0, -QUARTER], True)
    assert outer[0]["sweep"] == PI
    # the two half discs themselves with a plate over them: the tip is air
    inner = features_of_run([(1, 0), (3, 0), (3, 2), (-1, 2), (-1, 0)], [1, 0, 0, 0, 1], True)
    assert inner[0]["sweep"] < 0


@pytest.mark.parametrize("bulge", [1e-7, 1e-9, 1e-12, -1e-7, -1e-9])
def test_a_flat_arc_is_where_its_chord_is(bulge):
    edge = features_of_run([(0, 0), (1, 0), (0, 1)], [bulge, 0, 0], True)[1]
    if edge["r"] == INF:
        assert edge["low"] == (0, -1)
    else:
        middle = point_of(edge, -PI / 2)
        assert middle[1] == pytest.approx(-bulge / 2, abs=4e-9)


bulge_values = st.floats(-3, 3)


@given(st.lists(bulge_values, min_size=4, max_size=40))
def test_boxes_hold_their_piece(bulges):
    n = len(bulges)
    angles = np.arange(n) * 2 * PI / n
    points = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    for feature in features_of_run(points, bulges, True)[1::2]:
        (x0, y0), (x1, y1) = feature["box"]
        if feature["r"] == INF:
            along = np.array((-feature["low"][1], feature["low"][0]))
            spots = [np.array(feature["c"]) + t * feature["length"] * along for t in (0, 0.4, 1)]
        else:
            low = math.atan2(feature["low"][1], feature["low"][0])
            spots = [point_of(feature, low + t * feature["sweep"]) for t in np.linspace(0, 1, 9)]
        slack = 1e-14 * (1 + 0 if feature["r"] == INF else abs(feature["r"]))
        for x, y in spots:
            assert x0 - slack <= x <= x1 + slack
            assert y0 - slack <= y <= y1 + slack


# ------------------------------------------------------------------------------ what is inside


def inside(points, bulges, *places):
    return run_contains(points, bulges, places)


def test_a_polygon_contains_its_inside_and_its_boundary():
    assert all(inside(L_SHAPE, [0] * 6, (0.5, 0.5), (1.5, 0.5), (0.5, 1.5), (0.5, 1), (1, 0.5)))
    assert not any(inside(L_SHAPE, [0] * 6, (1.5, 1.5), (-0.5, 1), (2.5, 0.5), (1.1, 1.1), (3, 0)))
    assert all(inside(L_SHAPE, [0] * 6, *L_SHAPE, (1, 0), (1, 1.5), (1.5, 1), (0, 1), (2, 0.3)))


def test_a_ray_through_corners_counts_them_once():
    diamond = [(0, -1), (1, 0), (0, 1), (-1, 0)]
    assert inside(diamond, [0] * 4, (0, 0), (-2, 0), (-2, 1), (-2, -1), (2, 0)) == [1, 0, 0, 0, 0]
    comb = [(0, 0), (6, 0), (6, 2), (5, 1), (4, 2), (3, 1), (2, 2), (1, 1), (0, 2)]
    assert inside(comb, [0] * 9, (0.5, 1), (3.5, 1.2), (-1, 1), (-1, 2), (2.8, 1.5)) == [
        1,
        1,
        0,
        0,
        0,
    ]


def test_arcs_bend_what_is_inside():
    half_disc = [(-1, 0), (1, 0)]
    assert inside(half_disc, [1, 0], (0, -0.5), (0.5, -0.5), (0, 0), (0, -1)) == [1] * 4
    assert inside(half_disc, [1, 0], (0, 0.1), (0.8, -0.8), (0, -1.01), (-2, -0.5)) == [0] * 4
    # a disc in two halves of which one is the greater, and its chord in the middle of it
    big = [(-0.6, -0.8), (0.6, -0.8)]
    bulge = math.tan((PI - math.asin(0.6)) / 2)
    full = [math.tan(math.asin(0.6) / 2), bulge]
    assert all(inside(big, full, (0, 0), (0, -0.8), (0.3, -0.8), (0.9, 0), (0, -0.9), (0, 1)))
    assert not any(inside(big, full, (0.8, -0.8), (1.01, 0), (0, -1.01), (-0.9, 0.9)))
    # a bowl cut out of a box
    bowl = [(-2, -2), (2, -2), (2, 0), (1, 0), (-1, 0), (-2, 0)]
    assert inside(bowl, [0, 0, 0, -1, 0, 0], (0, -1.5), (1.5, -0.5), (0, -1), (1, 0)) == [1] * 4
    assert inside(bowl, [0, 0, 0, -1, 0, 0], (0, -0.9), (0, 0), (0.5, -0.5), (0, 0.5)) == [0] * 4


@given(
    st.lists(st.floats(-0.4, 0.4), min_size=5, max_size=30),
    st.floats(-1.5, 1.5),
    st.floats(-1.5, 1.5),
)
def test_contains_agrees_with_the_winding_of_a_fine_polygon(bulges, x, y):
    n = len(bulges)
    angles = np.arange(n) * 2 * PI / n
    points = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    fine = []
    for k, feature in enumerate(features_of_run(points, bulges, True)[1::2]):
        fine.append(points[k])
        if feature["r"] != INF:
            low = math.atan2(feature["low"][1], feature["low"][0])
            steps = np.linspace(0, 1, 200)[1:-1]
            steps = steps if feature["r"] > 0 else 1 - steps
            fine.extend(point_of(feature, low + t * feature["sweep"]) for t in steps)
    d = np.array(fine) - (x, y)
    e = np.roll(d, -1, axis=0)
    if np.hypot(*d.T).min() < 0.02:
        return
    turns = np.arctan2(d[:, 0] * e[:, 1] - d[:, 1] * e[:, 0], (d * e).sum(axis=1)).sum()
    assert inside(points, bulges, (x, y)) == [round(turns / (2 * PI)) % 2 == 1]


@given(st.floats(-1e4, 1e4), st.floats(-1e4, 1e4), st.floats(0, 1), st.integers(0, 5))
def test_boundary_points_are_inside_wherever_the_shape_is(x, y, t, k):
    points = np.array(L_SHAPE) + (x, y)
    spot = (1 - t) * points[k] + t * points[(k + 1) % 6]
    assert inside(points, [0] * 6, spot) == [True]
