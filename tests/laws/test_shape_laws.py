"""What the area, centre and inertia of any outline must obey."""

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from engine2d import Path, Polygon
from tests.support import MET, counts, numbers

ROUNDING = 1e-11  # of sums over tens of pieces, relative to the size to the power concerned


@st.composite
def outlines(draw):
    """Star-shaped outlines with arcs, convex and concave, too flat to reach each other."""
    n = draw(st.integers(3, 12))
    radii = np.array([draw(numbers(0.5, 2.0)) for _ in range(n)])
    angles = 2 * np.pi * (np.arange(n) + np.array([draw(numbers(0.0, 0.3)) for _ in range(n)])) / n
    bulges = np.array([draw(st.one_of(st.just(0.0), numbers(-0.08, 0.08))) for _ in range(n)])
    return np.column_stack([radii * np.cos(angles), radii * np.sin(angles)]), bulges


def properties(shape):
    return np.array([shape.area, *shape.centroid, shape.inertia])


def make(points, bulges):
    """The path, or None where the outline happens to meet itself."""
    try:
        return Path(points, bulges)
    except ValueError:
        return None


@counts(shapes=100)
@given(outlines(), numbers(-1e3, 1e3), numbers(-1e3, 1e3))
def test_moving_moves_the_centre_alone(outline, x, y):
    points, bulges = outline
    shape, moved = make(points, bulges), make(points + np.array([x, y]), bulges)
    assume(shape and moved)
    MET["shapes"] += 1
    expected = properties(shape) + np.array([0.0, x, y, 0.0])
    assert np.abs(properties(moved) - expected).max() <= ROUNDING * (10.0 + abs(x) + abs(y))


@counts(shapes=100)
@given(outlines(), numbers(0.0, 2 * np.pi))
def test_turning_turns_the_centre_alone(outline, angle):
    points, bulges = outline
    c, s = np.cos(angle), np.sin(angle)
    turn = np.array([[c, -s], [s, c]])
    shape, turned = make(points, bulges), make(points @ turn.T, bulges)
    assume(shape and turned)
    MET["shapes"] += 1
    expected = np.array([shape.area, *(turn @ shape.centroid), shape.inertia])
    assert np.abs(properties(turned) - expected).max() <= ROUNDING * 10.0


@counts(shapes=100)
@given(outlines())
def test_the_other_way_round_and_from_another_point_is_the_same(outline):
    points, bulges = outline
    shape = make(points, bulges)
    backwards = make(points[::-1], -np.roll(bulges[::-1], -1))
    shifted = make(np.roll(points, 2, axis=0), np.roll(bulges, 2))
    assume(shape and backwards and shifted)
    MET["shapes"] += 1
    for other in (backwards, shifted):
        assert np.abs(properties(other) - properties(shape)).max() <= ROUNDING * 10.0


@counts(shapes=100)
@given(outlines(), numbers(1e-3, 1e3))
def test_scaling_has_the_powers_of_length(outline, scale):
    points, bulges = outline
    shape, larger = make(points, bulges), make(points * scale, bulges)
    assume(shape and larger)
    MET["shapes"] += 1
    powers = np.array([scale**2, scale, scale, scale**4])
    assert np.abs(properties(larger) / powers - properties(shape)).max() <= ROUNDING * 10.0


def split(points, bulges):
    """The same outline with a point in the middle of each piece: half the sweep, tan(sweep/8)."""
    after = np.roll(points, -1, axis=0)
    chord = after - points
    right = np.column_stack([chord[:, 1], -chord[:, 0]])
    middle = (points + after) / 2 + right * bulges[:, None] / 2
    half = np.tan(np.arctan(bulges) / 2)
    return np.stack([points, middle], axis=1).reshape(-1, 2), np.repeat(half, 2)


@counts(shapes=100)
@given(outlines())
def test_splitting_arcs_changes_nothing(outline):
    points, bulges = outline
    shape, finer = make(points, bulges), make(*split(points, bulges))
    assume(shape and finer)
    MET["shapes"] += 1
    assert np.abs(properties(finer) - properties(shape)).max() <= ROUNDING * 10.0


@counts(shapes=100)
@given(outlines())
def test_arcs_are_the_limit_of_fine_polygons(outline):
    """With 2^k chords for each arc the error falls by 4 a doubling: extrapolate once."""
    points, bulges = outline
    shape = make(points, bulges)
    assume(shape)
    MET["shapes"] += 1
    coarse = points, bulges
    for _ in range(5):
        coarse = split(*coarse)
    fine = split(*coarse)
    first, second = properties(Polygon(coarse[0])), properties(Polygon(fine[0]))
    limit = (4.0 * second - first) / 3.0
    # what is left falls by 16: the sweep of 1/64 of an arc to the fourth, times size to the fourth
    assert np.abs(limit - properties(shape)).max() <= 1e-7


@counts(shapes=100)
@given(outlines())
def test_the_bounds_hold_every_point_and_no_more(outline):
    points, bulges = outline
    shape = make(points, bulges)
    assume(shape)
    MET["shapes"] += 1
    fine = points, bulges
    for _ in range(6):
        fine = split(*fine)
    low, high = np.array(shape.bounds[0]), np.array(shape.bounds[1])
    assert (fine[0] >= low - 1e-12).all()
    assert (fine[0] <= high + 1e-12).all()
    # the sagitta of 1/64 of an arc is below 1e-4 here
    assert np.abs(fine[0].min(axis=0) - low).max() <= 1e-4
    assert np.abs(fine[0].max(axis=0) - high).max() <= 1e-4
