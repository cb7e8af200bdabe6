"""What rays, distances and times of impact obey, whatever the shapes."""

import numpy as np
import pytest
import shapely
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from engine2d import Circle
from engine2d.collide.distance import distance
from engine2d.collide.ray import cast_ray, point_distance
from engine2d.collide.time_of_impact import cast_shape_at, search_impact, time_of_impact
from tests.distance_support import SHAPES, SOLIDS, as_shapely, placed
from tests.support import MET, counts, numbers

CLOSE = 1e-9
# Arcs of radius below 1.5 and sweep up to half a turn, in 256 pieces.
POLYGON_ERROR = 1.5 * (np.pi / 256) ** 2 / 8

CONVEX = [
    SOLIDS[name]
    for name in ("disc", "box", "round box", "pentagon", "round triangle", "capsule", "half disc")
]

solids = st.sampled_from(sorted(SOLIDS)).map(SOLIDS.get)
shapes = st.sampled_from(sorted(SHAPES)).map(SHAPES.get)
points = st.tuples(numbers(-3, 3), numbers(-3, 3))
poses = st.tuples(numbers(-1, 1), numbers(-1, 1), numbers(-7, 7))


def along(start, end, t):
    return np.asarray(start) + t * (np.asarray(end) - start)


# --------------------------------------------------------------------------------------- rays


@counts(hits=20)
@given(shapes, poses, points, points)
def test_a_hit_lies_on_the_boundary_and_faces_the_ray(shape, pose, start, end):
    hit = cast_ray(shape, pose, start, end)
    assume(hit is not None)
    MET["hits"] += 1
    assert np.hypot(*(along(start, end, hit.t) - hit.point)) <= 1e-12
    assert abs(point_distance(shape, pose, hit.point).distance) <= 1e-12
    assert np.hypot(*hit.normal) == pytest.approx(1.0, abs=1e-14)
    assert np.dot(hit.normal, np.subtract(end, start)) <= 1e-15
    # A hair outwards is outside, except beside inner corners, where it may be in the other edge.
    out = point_distance(shape, pose, np.add(hit.point, np.multiply(1e-7, hit.normal)))
    corners = np.hypot(*(placed(pose, shape.points) - hit.point).T)
    assert out.distance >= -1e-12 or corners.min() <= 1e-6


@counts(hits=10, misses=10)
@given(shapes, poses, points, points)
def test_a_ray_is_outside_until_it_hits(shape, pose, start, end):
    assume(point_distance(shape, pose, start).distance > 0.0)
    hit = cast_ray(shape, pose, start, end)
    MET["misses" if hit is None else "hits"] += 1
    last = 1.0 if hit is None else hit.t
    for t in np.linspace(0, last, 40):
        assert point_distance(shape, pose, along(start, end, t)).distance >= -CLOSE
    if hit is None:
        # The distance changes no faster than the ray runs: it has no room to touch in between.
        t, size = 0.0, np.hypot(*np.subtract(end, start))
        for _ in range(200):
            if t >= 1.0 or size == 0.0:
                break
            near = point_distance(shape, pose, along(start, end, t)).distance
            assert near > 0.0 or t == 0.0
            t += max(near, 1e-6) / size


@counts(hits=10, misses=10)
@given(shapes, poses, points, points)
def test_rays_agree_with_shapely(shape, pose, start, end):
    assume(start != end)
    body = as_shapely(shape, pose)
    assume(not shape.closed or body.distance(shapely.Point(start)) > 10 * POLYGON_ERROR)
    hit = cast_ray(shape, pose, start, end)
    common = body.intersection(shapely.LineString([start, end]))
    if hit is None:
        grown = body.buffer(-3 * POLYGON_ERROR) if shape.closed else None
        if shape.closed:
            MET["misses"] += 1
            assert not grown.intersects(shapely.LineString([start, end]))
    else:
        first = body.distance(shapely.Point(hit.point))
        assert first <= 3 * POLYGON_ERROR
        if not common.is_empty:
            # Where the ray meets the fine polygon is near, unless it grazes.
            steep = abs(np.dot(hit.normal, np.subtract(end, start))) / np.hypot(
                *np.subtract(end, start)
            )
            if steep > 0.1:
                MET["hits"] += 1
                ahead = common.distance(shapely.Point(hit.point))
                assert ahead <= 50 * POLYGON_ERROR


@counts(hits=20)
@given(shapes, poses, points, points)
def test_rays_do_not_depend_on_the_frame(shape, pose, start, end):
    hit = cast_ray(shape, pose, start, end)
    x, y = 1e4, -2e4
    far = cast_ray(
        shape,
        (pose[0] + x, pose[1] + y, pose[2]),
        np.add(start, (x, y)),
        np.add(end, (x, y)),
    )
    assume(hit is not None and far is not None)  # a grazing ray may pass
    steep = -np.dot(hit.normal, np.subtract(end, start))
    if steep > 0.05 and np.dot(hit.normal, far.normal) > 0.9:
        MET["hits"] += 1
        assert np.hypot(*(np.subtract(far.point, (x, y)) - hit.point)) <= 1e-8


# ------------------------------------------------------------------------------------- points


@given(shapes, poses, points)
def test_the_nearest_point_is_as_far_as_it_says(shape, pose, x):
    near = point_distance(shape, pose, x)
    assert np.hypot(*np.subtract(x, near.point)) == pytest.approx(abs(near.distance), abs=1e-12)
    assert np.hypot(*near.normal) == pytest.approx(1.0, abs=1e-14)
    step = np.subtract(x, near.point) - np.multiply(near.distance, near.normal)
    assert np.hypot(*step) <= 1e-12
    assert abs(point_distance(shape, pose, near.point).distance) <= 1e-12


@counts(inside=5, outside=20)
@given(shapes, poses, points)
def test_points_agree_with_shapely(shape, pose, x):
    near, body = point_distance(shape, pose, x), as_shapely(shape, pose)
    boundary = body.exterior if shape.closed else body
    assert abs(near.distance) == pytest.approx(
        boundary.distance(shapely.Point(x)), abs=2 * POLYGON_ERROR
    )
    if shape.closed and abs(near.distance) > 2 * POLYGON_ERROR:
        MET["inside" if near.distance < 0.0 else "outside"] += 1
        assert (near.distance < 0.0) == body.contains(shapely.Point(x))


@given(shapes, poses, points, points)
def test_distance_of_points_changes_no_faster_than_they_move(shape, pose, x, y):
    change = point_distance(shape, pose, x).distance - point_distance(shape, pose, y).distance
    assert abs(change) <= np.hypot(*np.subtract(x, y)) + 1e-12


# ------------------------------------------------------------------------------- two shapes


@counts(apart=10, convex=5, concave=5)
@given(shapes, poses, shapes, poses)
def test_distance_is_symmetric(a, pose_a, b, pose_b):
    there, back = distance(a, pose_a, b, pose_b), distance(b, pose_b, a, pose_a)
    if there.distance > 0.0 or (a in CONVEX and b in CONVEX):
        MET["apart" if there.distance > 0.0 else "convex"] += 1
        assert there.distance == pytest.approx(back.distance, abs=CLOSE)
    elif a.closed and b.closed:
        # The depth of shapes that are not convex is that of one place where they overlap.
        MET["concave"] += 1
        assert back.distance <= CLOSE
    step = np.subtract(there.point_a, there.point_b) - np.multiply(there.distance, there.normal)
    assert np.hypot(*step) <= 1e-12


@counts(apart=50)
@given(shapes, poses, shapes, st.tuples(numbers(-4, 4), numbers(-4, 4), numbers(-7, 7)))
def test_distance_of_shapes_apart_agrees_with_shapely_and_with_points(a, pose_a, b, pose_b):
    """The two points lie on the boundaries, so the distance is none too small; shapely's polygons
    have no points nearer."""
    apart = as_shapely(a, pose_a).distance(as_shapely(b, pose_b))
    assume(apart > 4 * POLYGON_ERROR)
    MET["apart"] += 1
    found = distance(a, pose_a, b, pose_b)
    assert abs(point_distance(a, pose_a, found.point_a).distance) <= CLOSE
    assert abs(point_distance(b, pose_b, found.point_b).distance) <= CLOSE
    assert found.distance == pytest.approx(apart, abs=4 * POLYGON_ERROR)


@counts(solids=50)
@given(shapes, poses, shapes, poses, points)
def test_no_way_over_a_third_point_is_shorter(a, pose_a, b, pose_b, x):
    way = max(point_distance(a, pose_a, x).distance, 0.0)
    way += max(point_distance(b, pose_b, x).distance, 0.0)
    if a.closed and b.closed:
        MET["solids"] += 1
        assert distance(a, pose_a, b, pose_b).distance <= way + CLOSE


@counts(outside=20)
@given(shapes, poses, points, st.sampled_from([0.01, 0.3]))
def test_a_disc_is_as_far_as_its_centre_less_its_radius(shape, pose, x, radius):
    point = point_distance(shape, pose, x).distance
    if point > radius:
        MET["outside"] += 1
        found = distance(Circle(radius), x, shape, pose).distance
        assert found == pytest.approx(point - radius, abs=1e-12)


@counts(apart=10)
@given(shapes, poses, shapes, poses)
def test_far_from_the_origin_distances_are_the_same(a, pose_a, b, pose_b):
    x, y = 1e4, -2e4
    here = distance(a, pose_a, b, pose_b)
    there = distance(
        a,
        (pose_a[0] + x, pose_a[1] + y, pose_a[2]),
        b,
        (pose_b[0] + x, pose_b[1] + y, pose_b[2]),
    )
    if here.distance > CLOSE:
        MET["apart"] += 1
        # the places themselves are rounded to 4e-12
        assert there.distance == pytest.approx(here.distance, abs=2e-11)


# --------------------------------------------------------------------------- moving shapes

TOLERANCE = 1e-9
SLOW = 1e-2  # m/s; slower contacts are grazing, where a hair decides

starts = st.tuples(numbers(-4, 4), numbers(-4, 4), numbers(-7, 7))
velocities = st.tuples(numbers(-9, 9), numbers(-9, 9), st.one_of(st.just(0.0), numbers(-20, 20)))


def moved(pose, velocity, t):
    return tuple(np.add(pose, np.multiply(t, velocity)))


def gap_at(a, pose_a, va, b, pose_b, vb, t):
    return distance(a, moved(pose_a, va, t), b, moved(pose_b, vb, t)).distance


def start_apart(*motion):
    return gap_at(*motion, 0.0) > 1e-3


@counts(hits=10, misses=10)
@given(shapes, starts, velocities, shapes, starts, velocities)
def test_shapes_touch_at_the_time_of_impact_and_not_before(a, pose_a, va, b, pose_b, vb):
    motion = (a, pose_a, va, b, pose_b, vb)
    assume(start_apart(*motion))
    found, _, finished = search_impact(*motion, 1.0, TOLERANCE)
    assert finished
    last = 1.0 if found is None else found.time
    for t in np.linspace(0.0, last, 50, endpoint=False):
        assert gap_at(*motion, t) > 0.0
    MET["misses" if found is None else "hits"] += 1
    if found is not None:
        # angles and places of 1e2 are rounded to 1e-14
        assert -1e-12 < gap_at(*motion, found.time) <= TOLERANCE + 1e-12
        assert found.gap == pytest.approx(gap_at(*motion, found.time), abs=1e-12)
        assert abs(point_distance(a, moved(pose_a, va, last), found.point).distance) <= TOLERANCE
        assert abs(point_distance(b, moved(pose_b, vb, last), found.point).distance) <= TOLERANCE


def same_time(motion, found, other, shift=0.0, scale=1.0):
    """Whether two searches found the same contact, unless it is grazing."""
    if found is None and other is None:
        return True
    first = found or other
    t = first.time if found else first.time / scale
    before = max(t - 1e-6, 0.0)
    if t == 0.0 or gap_at(*motion, before) < SLOW * (t - before):
        return True
    if found is None or other is None:
        return abs(t - 1.0) < 1e-6
    MET["hits"] += 1
    return abs(other.time / scale - found.time) <= 1e-9 + TOLERANCE / SLOW


@counts(hits=10)
@given(shapes, starts, velocities, shapes, starts, velocities)
def test_impacts_are_symmetric(a, pose_a, va, b, pose_b, vb):
    motion = (a, pose_a, va, b, pose_b, vb)
    assume(start_apart(*motion))
    other = time_of_impact(b, pose_b, vb, a, pose_a, va)
    assert same_time(motion, time_of_impact(*motion), other)


@counts(hits=10)
@given(shapes, starts, velocities, shapes, starts, velocities, points)
def test_a_common_velocity_changes_nothing(a, pose_a, va, b, pose_b, vb, u):
    motion = (a, pose_a, va, b, pose_b, vb)
    assume(start_apart(*motion))
    both = [tuple(np.add(v, (*u, 0.0))) for v in (va, vb)]
    other = time_of_impact(a, pose_a, both[0], b, pose_b, both[1])
    assert same_time(motion, time_of_impact(*motion), other)


@counts(hits=10)
@given(shapes, starts, velocities, shapes, starts, velocities)
def test_twice_as_fast_is_in_half_the_time(a, pose_a, va, b, pose_b, vb):
    motion = (a, pose_a, va, b, pose_b, vb)
    assume(start_apart(*motion))
    fast = [tuple(np.multiply(2.0, v)) for v in (va, vb)]
    other = time_of_impact(a, pose_a, fast[0], b, pose_b, fast[1], 0.5)
    assert same_time(motion, time_of_impact(*motion), other, scale=0.5)


@counts(hits=10)
@given(shapes, starts, velocities, shapes, starts, velocities)
def test_impacts_far_from_the_origin(a, pose_a, va, b, pose_b, vb):
    motion = (a, pose_a, va, b, pose_b, vb)
    assume(start_apart(*motion))
    far = [tuple(np.add(pose, (1e4, -2e4, 0.0))) for pose in (pose_a, pose_b)]
    other = time_of_impact(a, far[0], va, b, far[1], vb)
    assert same_time(motion, time_of_impact(*motion), other)


@counts(hits=5)
@given(solids, starts, points, points)
def test_a_tiny_disc_is_cast_like_a_ray(shape, pose, start, end):
    """From outside, a disc of radius r meets a shape no later than the ray of its centre, and
    sooner by no more than r over the sine of the angle, if the place is flat."""
    r = 1e-6
    assume(point_distance(shape, pose, start).distance > 2 * r)
    ray = cast_ray(shape, pose, start, end)
    cast = cast_shape_at(Circle(r), start, np.subtract(end, start), shape, pose)
    if ray is not None:
        MET["hits"] += 1
        assert cast is not None
        assert cast.time <= ray.t + 1e-12


@counts(hits=5)
@settings(max_examples=50)
@given(shapes, starts, velocities, shapes, starts, velocities)
@example(
    SHAPES["open bowl"], (-2.5, 0.0, -6.0), (0.0, 0.0, 1.0),
    SHAPES["star"], (-2.75, 0.0, 0.0), (0.0, 0.0, 0.0),
)  # fmt: skip
def test_shapes_in_each_other_end_well(a, pose_a, va, b, pose_b, vb):
    """Whatever overlaps at the start: a time within the duration or None, and a unit normal."""
    pose_a = tuple(np.multiply(0.1, pose_a))
    pose_b = tuple(np.multiply(0.1, pose_b))
    found, _, finished = search_impact(a, pose_a, va, b, pose_b, vb, 1.0, TOLERANCE)
    if found is not None and finished:
        MET["hits"] += 1
        assert 0.0 <= found.time <= 1.0
        assert np.hypot(*found.normal) == pytest.approx(1.0, abs=1e-9)
        assert found.gap <= TOLERANCE
