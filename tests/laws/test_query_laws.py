"""Queries of a world say what asking every shape by itself says."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine2d import Circle, World, contact_points, distance
from engine2d.collide.ray import cast_ray, point_distance
from engine2d.collide.time_of_impact import cast_shape_at
from tests.distance_support import SHAPES
from tests.support import numbers

PLACES = st.tuples(numbers(-6, 6), numbers(-6, 6))
POSES = st.tuples(numbers(-6, 6), numbers(-6, 6), numbers(-4, 4))
BODIES = st.lists(
    st.tuples(st.sampled_from(sorted(SHAPES)), POSES, st.sampled_from(["static", "kinematic"])),
    max_size=14,
)


def build(bodies, steps=0):
    """A world of single-shape bodies, and (body, shape, pose) of each that is left."""
    world = World(gravity=(0, 0))
    for name, (x, y, angle), kind in bodies:
        world.add_body(SHAPES[name], position=(x, y), angle=angle, kind=kind)
    # some are moved, some removed, without a step in between
    for k, body in enumerate(world.bodies):
        if k % 5 == 3:
            world.remove(body)
        elif k % 3 == 1:
            x, y = body.position
            body.position = (x + 1, y)
    for _ in range(steps):
        world.step(0.1)
    shapes = [(body, body.shapes[0], (*body.position, body.angle)) for body in world.bodies]
    return world, shapes


def same_first(hit, answers):
    """Whether a Hit is the least of {body: t}, or one that ties with it to rounding."""
    if hit is None or not answers:
        return hit is None and not answers
    return answers.get(hit.body, np.inf) <= min(answers.values()) + 1e-12


@given(BODIES, PLACES, st.integers(0, 1))
def test_point(bodies, point, steps):
    world, shapes = build(bodies, steps)
    found = [item.body for item in world.point_query(point)]
    for body, shape, pose in shapes:
        far = point_distance(shape, pose, point).distance
        if abs(far) > 1e-9:
            assert (body in found) == (far < 0)
    assert found == sorted(found, key=world.bodies.index)


@given(BODIES, PLACES, PLACES)
# along an edge, off it by less than rounding: the shape is hit, so its box must be
@example([("L", (0.0, 0.0, 0.0), "static")] * 2, (-1.2e-38, -1.0), (0.0, 1.0))
@example([("L", (0.0, 0.0, 0.0), "static")] * 2, (-1.2e-38, -1.0), (0.0, 0.0))
def test_ray(bodies, start, end):
    world, shapes = build(bodies)
    hits = {body: cast_ray(shape, pose, start, end) for body, shape, pose in shapes}
    hits = {body: hit for body, hit in hits.items() if hit is not None}
    first = world.ray_query(start, end)
    assert same_first(first, {body: hit.t for body, hit in hits.items()})
    every = world.ray_query_all(start, end)
    assert {hit.body for hit in every} == set(hits)
    for hit in every:
        t, point, normal = hits[hit.body]
        assert (hit.fraction, hit.point, hit.normal) == (t, point, normal)
    fractions = [hit.fraction for hit in every]
    assert fractions == sorted(fractions)
    if first is not None:
        assert first == every[0]
    many = world.ray_query_many([start, start], [end, end])
    for k in range(2):
        assert many.body[k] == (-1 if first is None else first.body.id)
        assert first is None or many.fraction[k] == first.fraction


@given(BODIES, PLACES)
def test_nearest(bodies, point):
    world, shapes = build(bodies)
    answers = {body: point_distance(shape, pose, point) for body, shape, pose in shapes}
    hit = world.nearest_query(point)
    assert same_first(hit, {body: near.distance for body, near in answers.items()})
    if hit is not None:
        assert hit.distance == answers[hit.body].distance
        assert world.nearest_query(point, max(hit.distance, 0)).body is hit.body
        if hit.distance > 1e-6:
            assert world.nearest_query(point, 0.999 * hit.distance) is None


@settings(max_examples=100)
@given(BODIES, st.sampled_from(sorted(SHAPES)), POSES)
def test_overlap(bodies, name, pose):
    world, shapes = build(bodies)
    found = [item.body for item in world.overlap_query(SHAPES[name], pose)]
    assert found == sorted(found, key=world.bodies.index)
    for body, shape, other in shapes:
        far = distance(SHAPES[name], pose, shape, other).distance
        if abs(far) > 1e-7:
            assert (body in found) == (far < 0), (shape, other)
        assert (body in found) == bool(contact_points(SHAPES[name], pose, shape, other))


@settings(max_examples=100)
@given(BODIES, st.sampled_from(["disc", "box", "capsule", "L", "cam"]), POSES, PLACES)
def test_cast(bodies, name, pose, way):
    world, shapes = build(bodies)
    answers = {}
    for body, shape, other in shapes:
        hit = cast_shape_at(SHAPES[name], pose, way, shape, other)
        if hit is not None:
            answers[body] = hit.time
    hit = world.cast_query(SHAPES[name], pose, way)
    assert same_first(hit, answers)
    if hit is not None:
        assert hit.fraction == answers[hit.body]
        assert hit.distance == pytest.approx(hit.fraction * np.hypot(*way), rel=4e-16)


@given(BODIES, PLACES, PLACES)
def test_box(bodies, a, b):
    low, high = np.minimum(a, b), np.maximum(a, b)
    world, shapes = build(bodies)
    found = [item.body for item in world.box_query(low, high)]
    assert found == sorted(found, key=world.bodies.index)
    for body, shape, pose in shapes:
        # what has a boundary point in the box is found; what is out of reach is not
        inside = any(
            (low <= p).all() and (p <= high).all()
            for p in (np.array(body.to_world(q)) for q in shape.points)
        )
        assert body in found or not inside
        reach = max(
            np.hypot(*p)
            for p in (
                *shape.bounds,
                shape.bounds[0][:1] + shape.bounds[1][1:],
                shape.bounds[1][:1] + shape.bounds[0][1:],
            )
        )
        if (np.array(pose[:2]) + reach < low).any() or (np.array(pose[:2]) - reach > high).any():
            assert body not in found


def test_many_rays_among_many_bodies():
    """Thousands of rays against brute force over hundreds of discs, in closed form."""
    rng = np.random.default_rng(5)
    world = World(gravity=(0, 0))
    centers, radii = rng.uniform(-30, 30, (400, 2)), rng.uniform(0.05, 1.5, 400)
    for center, radius in zip(centers, radii):
        world.add_static(Circle(radius), position=center)
    starts, ends = rng.uniform(-40, 40, (2, 2000, 2))
    rays = world.ray_query_many(starts, ends)
    way = ends - starts
    apart = starts[:, None] - centers
    a = (way**2).sum(axis=1)[:, None]
    b = (apart * way[:, None]).sum(axis=2)
    c = (apart**2).sum(axis=2) - radii**2
    root = b**2 - a * c
    t = np.where(root >= 0, (-b - np.sqrt(np.maximum(root, 0))) / a, np.inf)
    t[(t < 0) | (t > 1)] = np.inf
    t[c < 0] = np.inf
    assert np.array_equal(np.isinf(rays.fraction), np.isinf(t.min(axis=1)))
    hit = np.isfinite(rays.fraction)
    assert hit.sum() > 500
    assert np.abs(rays.fraction[hit] - t.min(axis=1)[hit]).max() < 1e-9
    assert np.array_equal(rays.body[hit], t.argmin(axis=1)[hit])
    from_center = rays.point[hit] - centers[rays.body[hit]]
    assert np.abs(np.linalg.norm(from_center, axis=1) - radii[rays.body[hit]]).max() < 1e-9
    assert np.abs(rays.normal[hit] - from_center / radii[rays.body[hit]][:, None]).max() < 1e-8
