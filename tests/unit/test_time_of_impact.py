"""Times of impact in closed form, at the start, in passing, and at the limits."""

import numpy as np
import pytest

from engine2d import Box, Capsule, Circle, Path, Polygon, Segment
from engine2d.collide.distance import distance
from engine2d.collide.time_of_impact import cast_shape_at, search_impact, time_of_impact
from tests.distance_support import SHAPES, SOLIDS, placed

TOLERANCE = 1e-9
STILL = (0, 0, 0)


def check_time(found, t, speed, normal=None):
    """The gap at which shapes meet is at most the tolerance, so they do that much earlier."""
    assert found is not None
    assert t - 1.01 * TOLERANCE / speed <= found.time <= t + 1e-13
    assert 0.0 <= found.gap <= TOLERANCE
    if normal is not None:
        assert found.normal == pytest.approx(normal, abs=1e-6)


# ------------------------------------------------------------------------------ closed forms


def test_disc_against_wall():
    found = time_of_impact(Circle(0.5), (-3, 0), (10, 0), Box(1, 4), STILL, STILL)
    check_time(found, 0.2, 10, (-1, 0))
    assert found.point == pytest.approx((-0.5, 0), abs=TOLERANCE)


def test_disc_against_slanted_wall_that_moves():
    angle = 0.3
    n = np.array([np.cos(angle), np.sin(angle)])
    found = time_of_impact(Circle(0.5), (3, 0.2), (-1, 2), Box(1, 40), (0, 0, angle), (1, 0), 2.0)
    approach = n @ (2, -2)
    check_time(found, (n @ (3, 0.2) - 1.0) / approach, approach, n)


def test_disc_against_disc():
    start, v = np.array([-4.0, 0.7]), np.array([9.0, 0.5])
    found = time_of_impact(Circle(0.5), (*start, 0), v, Circle(0.75), (1, 0), (0, 0.25))
    d, u = start - (1, 0), v - (0, 0.25)
    root = np.roots([u @ u, 2 * d @ u, d @ d - 1.25**2]).min()
    check_time(found, root, -(d + root * u) @ u / 1.25)


def test_spinning_rod_hits_a_peg():
    """The rod's upper edge, 0.05 above its middle, meets a peg of radius 0.1 at 1.5 from it."""
    found = time_of_impact(Box(4, 0.1), STILL, (0, 0, 3), Circle(0.1), (0, 1.5), STILL)
    angle = np.pi / 2 - np.arcsin(0.15 / 1.5)
    check_time(found, angle / 3, 3 * 1.5 * 0.9)


def test_the_end_of_a_spinning_rod_hits_a_wall():
    rod = Capsule((-1, 0), (1, 0), 0.1)
    found = time_of_impact(rod, STILL, (0, 0, 2), Box(10, 1), (0, 1.1), STILL)
    check_time(found, np.arcsin(0.5) / 2, 2 * np.cos(np.pi / 6))


def test_rod_against_rod():
    """Two lines turn towards each other about ends 1 apart: mirror images meet in the middle."""
    a = time_of_impact(
        Segment((0, 0), (2, 0)),
        (0, 0, np.pi / 2),
        (0, 0, -1),
        Segment((0, 0), (2, 0)),
        (1, 0, np.pi / 2),
        (0, 0, 1),
    )
    assert a is not None
    # the tips, each at 2 sin t from its own side, meet at x = 1/2
    check_time(a, np.arcsin(0.25), 2 * 2 * np.cos(np.arcsin(0.25)))
    assert a.point == pytest.approx((0.5, 2 * np.cos(np.arcsin(0.25))), abs=1e-8)


def test_it_turns_about_the_origin_of_its_frame():
    disc = Circle(0.1, center=(1, 0))
    found = time_of_impact(disc, STILL, (0, 0, 1), Box(4, 1), (0, 1.1), STILL)
    check_time(found, np.arcsin(0.5), np.cos(np.pi / 6), (0, -1))


def test_into_a_bowl():
    found = time_of_impact(Circle(0.3), (0.1, 0), (0, -2), SOLIDS["bowl"], STILL, STILL)
    check_time(found, np.sqrt(0.25 - 0.01) / 2, 2 * np.sqrt(0.24) / 0.5)
    arc = Path([(-0.8, 0), (0.8, 0)], [1], closed=False)
    again = time_of_impact(Circle(0.3), (0.1, 0), (0, -2), arc, STILL, STILL)
    assert again.time == pytest.approx(found.time, abs=1e-9)


def test_into_an_inner_corner_and_past_it():
    L = SOLIDS["L"]
    found = time_of_impact(Circle(0.1), (0.5, 0.3), (-1, -1), L, STILL, STILL)
    check_time(found, 0.6, 1, (0, 1))
    found = time_of_impact(Circle(0.1), (0.5, 0.3), (-2, -1), L, STILL, STILL)
    check_time(found, 0.35, 2, (1, 0))
    assert time_of_impact(Circle(0.1), (0.5, 0.91), (-2, 0), L, STILL, STILL) is None


def test_turning_about_another_centre_is_another_frame():
    """A shape that turns about c is the same shape with its points moved by -c."""
    c = np.array([0.7, -0.3])
    for points in (
        [(-1, -1), (1, -1), (0, 1)],
        [(-1, -1), (1, -1), (1, -0.4), (-0.3, -0.4), (-0.3, 0.8), (-1, 0.8)],
    ):
        pose, velocity = (-3, 0.5, 0.4), (4, 0.2, 5)
        shape, moved = Polygon(points), Polygon(np.array(points) - c)
        for other in (Box(1, 1), SOLIDS["L"], SOLIDS["bowl"]):
            target = (other, (1, 0, 0.3), (-1, 0, -2), 1.0, TOLERANCE)
            found = search_impact(shape, pose, velocity, *target, center_a=c)[0]
            place = placed(pose, [c])[0]
            again = search_impact(moved, (*place, pose[2]), velocity, *target)[0]
            assert found.time == pytest.approx(again.time, abs=1e-10)
            assert found.point == pytest.approx(again.point, abs=1e-8)


# -------------------------------------------------------------------------- fast, thin, grazing


@pytest.mark.parametrize("speed", [50, 300, 2000])
@pytest.mark.parametrize(
    "wall",
    [Box(0.05, 8), Segment((0, -4), (0, 4)), Path([(0, -4), (0.01, 0), (0, 4)], closed=False)],
)
@pytest.mark.parametrize("bullet", [Circle(0.02), Box(0.1, 0.1), SOLIDS["star"]])
def test_nothing_fast_goes_through_a_thin_wall(speed, wall, bullet):
    rng = np.random.default_rng(3)
    for _ in range(50):
        x, y = rng.uniform(-1.7, -1.2), rng.uniform(-1, 1)
        spin = rng.choice([0, 100])
        found = time_of_impact(
            bullet,
            (x, y, rng.uniform(0, 6)),
            (speed, speed * rng.uniform(-0.3, 0.3), spin),
            wall,
            STILL,
            (-speed * rng.choice([0, 0.5]), 0),
            1.0,
        )
        assert found is not None
        assert 0.0 < found.time < 2.0 / speed


@pytest.mark.parametrize("clearance", [1e-4, 1e-6, 1e-8])
def test_passing_by_and_not_quite(clearance):
    still, away = STILL, (-30, 1 + clearance)
    assert time_of_impact(Circle(0.5), away, (60, 0), Circle(0.5), still, still) is None
    assert time_of_impact(Circle(0.5), away, (60, 0), Box(9, 1), still, still) is None
    assert (
        time_of_impact(Circle(0.5), away, (60, 0), Segment((-9, 0.5), (9, 0.5)), still, still)
        is None
    )
    near = (-30, 1 - clearance)
    found = time_of_impact(Circle(0.5), near, (60, 0), Circle(0.5), still, still)
    assert found.time == pytest.approx((30 - np.sqrt(1 - near[1] ** 2)) / 60, abs=1e-7)
    assert time_of_impact(Circle(0.5), near, (60, 0), Box(9, 1), still, still) is not None


def test_sliding_over_terrain_is_no_impact():
    line = [(x, 0.0) for x in range(-5, 6)]
    for gap in (0.0, 1e-12, 1e-7):
        for ground in (Path(line, closed=False), Path([*line, (5, -1), (-5, -1)])):
            found, steps, _ = search_impact(
                Circle(0.5), (-4, 0.5 + gap), (8, 0), ground, STILL, STILL, 1.0, TOLERANCE
            )
            assert found is None
            assert steps < 5000


def test_sliding_over_terrain_into_a_wall():
    line = [*((x, 0.0) for x in range(-5, 3)), (2, 3)]
    for ground in (Path(line, closed=False), Path([*line, (2.5, 3), (2.5, -1), (-5, -1)])):
        found = time_of_impact(Circle(0.5), (-4, 0.5), (8, 0), ground, STILL, STILL)
        check_time(found, 5.5 / 8, 8, (-1, 0))


def test_many_turns():
    """100 rad of a box whose corners pass a disc at a hair's breadth."""
    reach = np.hypot(1, 0.5)
    for clearance, meets in ((1e-6, False), (-1e-6, True)):
        found, steps, finished = search_impact(
            Box(2, 1),
            STILL,
            (0, 0, 100),
            Circle(0.5),
            (0, 0.5 + reach + clearance),
            STILL,
            1.0,
            TOLERANCE,
        )
        assert finished
        assert (found is not None) == meets
        assert steps < 2000


def test_spinning_rods_that_approach():
    rod = Capsule((-1, 0), (1, 0), 0.05)
    found = time_of_impact(rod, STILL, (0, 0, 100), rod, (3, 0), (-1.5, 0, -73))
    assert found is not None
    assert (
        abs(
            distance(
                rod, (0, 0, 100 * found.time), rod, (3 - 1.5 * found.time, 0, -73 * found.time)
            ).distance
        )
        <= TOLERANCE
    )


def test_plain_cases_take_few_steps():
    cases = [
        (Circle(0.5), (-3, 0), (10, 0), Box(1, 4), STILL, STILL),
        (Circle(0.5), (-3, 0.3), (10, 0), Circle(1), STILL, STILL),
        (Box(1, 1), (-3, 0.3, 1), (10, 0, 2), Box(1, 1), STILL, (0, 0, -1)),
        (Box(1, 1), (-3, 0.3, 1), (5, 0, 2), Capsule((-1, 0), (1, 0), 0.1), STILL, (0, 0, -2)),
        (Box(1, 1), (-3, 0.3, 1), (5, 0, 2), SOLIDS["cam"], STILL, (0, 0, -2)),
    ]
    for case in cases:
        found, steps, finished = search_impact(*case, 1.0, TOLERANCE)
        assert found is not None
        assert finished
        assert steps <= 20


def test_a_search_that_is_given_up_ends_before_any_contact():
    reach = np.hypot(1, 0.5)
    found, _, finished = search_impact(
        Box(2, 1), STILL, (0, 0, 1e5), Circle(0.5), (0, 0.5 + reach + 1e-7), STILL, 1.0, TOLERANCE
    )
    assert not finished
    assert 0.0 < found.time < 1.0
    assert found.gap > TOLERANCE


# ------------------------------------------------------------------------- touching at the start


def test_touching_and_approaching_is_now():
    found = time_of_impact(Box(1, 1), (0, 1), (0, -1), Box(10, 1), STILL, STILL)
    assert found.time == 0.0
    assert found.normal == pytest.approx((0, 1))
    found = time_of_impact(Box(1, 1), (0, 0.9), (0, -1), Box(10, 1), STILL, STILL)
    assert found.time == 0.0
    assert found.gap == pytest.approx(-0.1)


def test_touching_and_turning_a_corner_down_is_now():
    found = time_of_impact(Box(1, 1), (0, 1), (0, 1, 3), Box(10, 1), STILL, STILL)
    assert found.time == 0.0
    assert found.point == pytest.approx((-0.5, 0.5))


@pytest.mark.parametrize(
    "floor",
    [
        Box(10, 1),
        Segment((-5, 0.5), (5, 0.5)),
        Path([(-5, 0), (0, 0.0), (5, 0), (5, 0.5), (-5, 0.5)]),
    ],
)
@pytest.mark.parametrize("y", [1.0, 0.99])
@pytest.mark.parametrize("v", [(0, 1), (0, 0), (2, 0), (2, 1e-3), (0, 0, 0)])
def test_touching_and_parting_or_sliding_is_none(floor, y, v):
    assert time_of_impact(Box(1, 1), (0, y), v, floor, STILL, STILL) is None
    assert time_of_impact(Circle(0.5), (0, y), (*v[:2], 30), floor, STILL, STILL) is None


def test_what_parts_and_comes_back_is_struck_again():
    """The rod leaves the floor with one side and comes down on it with the other."""
    rod = Segment((-1, 0), (1, 0), radius=0.1)
    found = time_of_impact(rod, (0, 0.6 + 0.8), (0, 0, 1.5), Box(10, 1), STILL, STILL, 3.0)
    check_time(found, np.arcsin(0.8) / 1.5, 1.5 * 0.6)
    disc = Circle(0.1, center=(1, 0))  # touches the floor, turns up and round
    found = time_of_impact(disc, (0, 0.6), (0, 0, 1), Box(10, 1), STILL, STILL, 7.0)
    check_time(found, np.pi, 1.0)


def test_sliding_along_the_bottom_of_a_bowl_meets_it_at_once():
    found = time_of_impact(Circle(0.3), (0, -0.5), (1, 0), SOLIDS["bowl"], STILL, STILL)
    assert found is not None
    assert found.time <= 1e-4
    assert abs(found.gap) <= 1e-8


def test_out_of_a_concave_solid_and_in_again():
    found = time_of_impact(Circle(0.05), (-0.5, 0.4), (1, -1), SOLIDS["L"], STILL, STILL)
    check_time(found, 0.75, 1, (0, 1))


def test_no_time_at_all():
    assert time_of_impact(Circle(1), (0, 3), (0, -9), Circle(1), STILL, STILL, 0.0) is None
    assert time_of_impact(Circle(1), (0, 2), (0, -9), Circle(1), STILL, STILL, 0.0).time == 0.0


# --------------------------------------------------------------------------- shape casts, the door


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_a_cast_is_a_time_of_impact_without_turning(shape):
    box, way = Box(0.3, 0.2, angle=0.3), (3.0, -5.5)
    cast = cast_shape_at(box, (-1.5, 3, 0.2), way, shape, (0.1, 0.2, 0.5))
    turning = time_of_impact(box, (-1.5, 3, 0.2), way, shape, (0.1, 0.2, 0.5), STILL)
    assert cast is not None
    assert cast.time == pytest.approx(turning.time, abs=1e-12)


@pytest.mark.parametrize(
    ("change", "error", "named"),
    [
        ({"shape_a": 3}, TypeError, "shape_a"),
        ({"pose_b": (0, 0, np.nan)}, ValueError, "pose_b"),
        ({"velocity_a": (0,)}, ValueError, "velocity_a"),
        ({"velocity_b": (0, np.inf)}, ValueError, "velocity_b"),
        ({"velocity_b": 3}, ValueError, "velocity_b"),
        ({"duration": -1}, ValueError, "duration"),
        ({"duration": np.nan}, ValueError, "duration"),
        ({"duration": "1"}, TypeError, "duration"),
        ({"tolerance": 0}, ValueError, "tolerance"),
        ({"velocity_a": (1e200, 0)}, OverflowError, "range"),
        ({"velocity_a": (0, 0, 1e150)}, OverflowError, "range"),
    ],
)
def test_bad_arguments_are_refused(change, error, named):
    arguments = {
        "shape_a": Circle(1),
        "pose_a": (0, 0),
        "velocity_a": (0, 0),
        "shape_b": Circle(1),
        "pose_b": (5, 0),
        "velocity_b": (0, 0),
        "duration": 1.0,
    }
    with pytest.raises(error, match=named):
        time_of_impact(**{**arguments, **change})


def test_big_triangle_stays_where_it_is():
    big = Polygon([(-1e3, -1e3), (1e3, -1e3), (0, 1e3)])
    found = time_of_impact(Circle(1e-3), (0, 1002), (0, -10), big, STILL, STILL)
    assert found.time == pytest.approx((2 - 1e-3) / 10, abs=1e-9)
