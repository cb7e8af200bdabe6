"""What rays, distances and times of impact obey, whatever the shapes."""

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from engine2d import Circle
from engine2d.distance import distance
from engine2d.ray import cast_ray, point_distance
from engine2d.time_of_impact import cast_shape_at, search_impact, time_of_impact
from tests.distance_support import SHAPES, SOLIDS, as_shapely
from tests.support import numbers

CLOSE = 1e-9
# Arcs of radius below 1.5 and sweep up to half a turn, in 256 pieces.
POLYGON_ERROR = 1.5 * (np.pi / 256) ** 2 / 8

solids = st.sampled_from(sorted(SOLIDS)).map(SOLIDS.get)
shapes = st.sampled_from(sorted(SHAPES)).map(SHAPES.get)
points = st.tuples(numbers(-3, 3), numbers(-3, 3))
poses = st.tuples(numbers(-1, 1), numbers(-1, 1), numbers(-7, 7))


def along(start, end, t):
    return np.asarray(start) + t * (np.asarray(end) - start)


# --------------------------------------------------------------------------------------- rays


@given(shapes, poses, points, points)
def test_a_hit_lies_on_the_boundary_and_faces_the_ray(shape, pose, start, end):
    hit = cast_ray(shape, pose, start, end)
    if hit is None:
        return
    assert np.hypot(*(along(start, end, hit.t) - hit.point)) <= 1e-12
    assert abs(point_distance(shape, pose, hit.point).distance) <= 1e-12
    assert np.hypot(*hit.normal) == pytest.approx(1.0, abs=1e-14)
    assert np.dot(hit.normal, np.subtract(end, start)) <= 1e-15
    # Half a hair outwards the distance is that of the normal, except beside inner corners.
    out = point_distance(shape, pose, np.add(hit.point, np.multiply(1e-7, hit.normal)))
    assert out.distance >= -1e-12


@given(shapes, poses, points, points)
def test_a_ray_is_outside_until_it_hits(shape, pose, start, end):
    if point_distance(shape, pose, start).distance <= 0.0:
        return
    hit = cast_ray(shape, pose, start, end)
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


@given(shapes, poses, points, points)
def test_rays_agree_with_shapely(shape, pose, start, end):
    if start == end:
        return
    body = as_shapely(shape, pose)
    if shape.closed and body.distance(shapely.Point(start)) <= 10 * POLYGON_ERROR:
        return
    hit = cast_ray(shape, pose, start, end)
    common = body.intersection(shapely.LineString([start, end]))
    if hit is None:
        grown = body.buffer(-3 * POLYGON_ERROR) if shape.closed else None
        if shape.closed:
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
                ahead = common.distance(shapely.Point(hit.point))
                assert ahead <= 50 * POLYGON_ERROR


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
    if hit is None or far is None:
        return  # a grazing ray may pass
    steep = -np.dot(hit.normal, np.subtract(end, start))
    if steep > 0.05 and np.dot(hit.normal, far.normal) > 0.9:
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


@given(shapes, poses, points)
def test_points_agree_with_shapely(shape, pose, x):
    near, body = point_distance(shape, pose, x), as_shapely(shape, pose)
    boundary = body.exterior if shape.closed else body
    assert abs(near.distance) == pytest.approx(
        boundary.distance(shapely.Point(x)), abs=2 * POLYGON_ERROR
    )
    if shape.closed and abs(near.distance) > 2 * POLYGON_ERROR:
        assert (near.distance < 0.0) == body.contains(shapely.Point(x))


@given(shapes, poses, points, points)
def test_distance_of_points_changes_no_faster_than_they_move(shape, pose, x, y):
    change = point_distance(shape, pose, x).distance - point_distance(shape, pose, y).distance
    assert abs(change) <= np.hypot(*np.subtract(x, y)) + 1e-12
