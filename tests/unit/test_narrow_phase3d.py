"""Contact points, distances and rays of single shapes in space, against independent answers."""

import numpy as np
import pytest

from engine3d import (
    Box,
    Capsule,
    Cylinder,
    HollowSphere,
    Plane,
    Polyhedron,
    Sphere,
    World,
    contact_points,
    distance,
    time_of_impact,
)

ICOSA = Polyhedron(
    [p for a in (-1, 1) for b in (-1.618, 1.618) for p in ((0, a, b), (a, b, 0), (b, 0, a))]
)
SHAPES = [
    Sphere(0.5),
    Box(0.6, 0.8, 1.0),
    Capsule((-0.3, 0, 0), (0.3, 0.1, 0), 0.2),
    Cylinder(0.4, 0.9),
    ICOSA,
]


def matrix(q):
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def unit(rng, n=4):
    q = rng.normal(size=n)
    return q / np.linalg.norm(q)


@pytest.mark.parametrize("seed", range(4))
def test_the_distance_of_boxes_is_never_more_than_that_of_their_corners(seed):
    rng = np.random.default_rng(seed)
    corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) / 2
    for _ in range(300):
        wall, size = np.array((9.0, 1, 9)), rng.uniform(0.1, 0.5, 3)
        q = unit(rng)
        place = rng.uniform((-3, -1.4, -3), (3, -0.7, 3))
        points = corners * size @ matrix(q).T + place
        bound = np.linalg.norm(points - np.clip(points, -wall / 2, wall / 2), axis=1).min()
        found = distance(Box(*wall), (0, 0, 0), Box(*size), (place, q))
        # above the middle of a large face the nearest point is a corner
        if bound > 0:
            assert found == pytest.approx(bound, abs=1e-9)
        else:
            assert found <= 0


@pytest.mark.parametrize("a", SHAPES, ids=lambda s: type(s).__name__)
@pytest.mark.parametrize("b", SHAPES, ids=lambda s: type(s).__name__)
def test_contacts_agree_with_distance_whichever_comes_first(a, b):
    rng = np.random.default_rng(7)
    prism = Cylinder in (type(a), type(b)) and Sphere not in (type(a), type(b))
    for _ in range(20):
        pose_a, pose_b = (rng.normal(size=3) * 0.6, unit(rng)), ((0, 0, 0), unit(rng))
        one = contact_points(a, pose_a, b, pose_b, 0.2)
        two = contact_points(b, pose_b, a, pose_a, 0.2)
        gap = distance(a, pose_a, b, pose_b)
        assert (gap <= 0) == bool(contact_points(a, pose_a, b, pose_b)) or prism
        # how deep an overlap is depends a little on whose face is preferred
        slack = 1e-9 if gap > 0 else 0.05
        assert gap == pytest.approx(distance(b, pose_b, a, pose_a), abs=slack)
        if gap > (0.01 if prism else 0):
            assert min((c.gap for c in one + two), default=1) > -1e-9
        for c in one:
            assert np.linalg.norm(c.normal) == pytest.approx(1, abs=1e-12)


def test_faces_on_faces_have_four_points_that_stay():
    q = (np.cos(0.2), 0, 0, np.sin(0.2))
    points = contact_points(Box(1, 1, 1), ((0, 0, 1), q), Box(1, 1, 1), (0, 0, 0), 0.01)
    moved = contact_points(Box(1, 1, 1), ((1e-6, 0, 1), q), Box(1, 1, 1), (0, 0, 0), 0.01)
    assert len(points) == len(moved) == 4
    for p, m in zip(points, moved):
        assert p.gap == pytest.approx(0, abs=1e-12)
        assert np.linalg.norm(np.subtract(p.point, m.point)) < 1e-5


def test_containers_and_planes():
    assert distance(Sphere(0.5), (0, 2, 0), HollowSphere(3), (0, 0, 0)) == pytest.approx(0.5)
    assert distance(Box(1, 1, 1), (0, 0, 2), Plane((0, 0, 1)), (0, 0, 0)) == pytest.approx(1.5)
    (point,) = contact_points(Sphere(0.5), (0, 2.45, 0), HollowSphere(3), (0, 0, 0), 0.1)
    assert point.normal == pytest.approx((0, -1, 0))
    assert point.gap == pytest.approx(0.05)
    standing = contact_points(Cylinder(0.5, 1), (0, 0, 0.5), Plane((0, 0, 1)), (0, 0, 0), 0.01)
    lying = contact_points(
        Cylinder(0.5, 1), ((0, 0, 0.5), (1, 1, 0, 0)), Plane((0, 0, 1)), (0, 0, 0), 0.01
    )
    assert (len(standing), len(lying)) == (4, 2)


def test_time_of_impact_is_when_they_touch():
    t = time_of_impact(Sphere(0.5), (0, 0, 5), (0, 0, -2), Box(1, 1, 1), (0, 0, 0), (0, 0, 0), 3)
    assert t == pytest.approx(2.0, abs=1e-8)
    miss = time_of_impact(Sphere(0.5), (2, 0, 5), (0, 0, -2), Box(1, 1, 1), (0, 0, 0), (0, 0, 0), 3)
    assert miss is None


def world_of_shapes():
    world = World(gravity=(0, 0, 0))
    rng = np.random.default_rng(2)
    for k, shape in enumerate(SHAPES):
        world.add_static(shape, position=(3 * k, 0, 0), orientation=unit(rng))
    world.step(1 / 60)
    return world


def test_rays_end_on_surfaces_and_agree_with_many_at_once():
    world = world_of_shapes()
    rng = np.random.default_rng(3)
    starts = rng.normal(size=(400, 3)) * 3 + (6, 0, 0)
    ends = rng.normal(size=(400, 3)) * 0.5 + (3, 0, 0) * rng.integers(0, 5, (400, 1))
    rays = world.ray_query_many(starts, ends)
    hits = 0
    for k, (start, end) in enumerate(zip(starts, ends)):
        hit = world.ray_query(start, end)
        assert (hit is None) == (rays.body[k] < 0)
        if hit is None:
            continue
        hits += 1
        assert hit.fraction == rays.fraction[k]
        assert hit.point == pytest.approx(tuple(start + hit.fraction * (end - start)), abs=1e-9)
        nearest = world.nearest_query(hit.point)
        assert nearest.distance == pytest.approx(0, abs=1e-7)
        assert np.dot(hit.normal, end - start) < 0
    assert hits > 150


def test_points_boxes_overlaps_and_casts():
    world = world_of_shapes()
    sphere = world.bodies[0]
    assert [f.body for f in world.point_query((0.1, 0.2, 0.3))] == [sphere]
    assert world.point_query((1.5, 0, 0)) == []
    assert len(world.box_query((-1, -1, -1), (3.5, 1, 1))) == 2
    assert [f.body for f in world.overlap_query(Sphere(0.2), (0.6, 0, 0))] == [sphere]
    hit = world.cast_query(Sphere(0.5), (-5, 0, 0), (10, 0, 0))
    assert hit.body is sphere
    assert hit.distance == pytest.approx(4, abs=1e-7)
    near = world.nearest_query((0, 0, 2))
    assert near.body is sphere
    assert near.distance == pytest.approx(1.5)
    assert world.nearest_query((0, 0, 2), 1.0) is None
