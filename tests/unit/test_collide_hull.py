"""Contacts of discs and convex hulls: closed forms of each pair kind, symmetry, ids."""

import math

import numpy as np
import pytest
import shapely
from hypothesis import assume, given
from hypothesis import strategies as st

from engine2d import Box, Capsule, Circle, Path, Polygon, Segment
from engine2d.collide.narrow_phase import _follow
from engine2d.collide.narrow_phase import contact_points as collide
from tests.support import numbers

INF, NAN = math.inf, math.nan
EXACT = {"abs": 1e-12, "rel": 1e-12}


def by_features(a, b):
    """The id of a contact between these features."""
    return (a << 32) + b


def corner(k):
    return 2 * k


def edge(k):
    return 2 * k + 1


def deepest(contacts):
    return min(contacts, key=lambda contact: contact.gap)


# -------------------------------------------------------------------------------- closed forms

UNIT = Box(1, 1)
ROUNDED = Box(1, 1, radius=0.2)
TRIANGLE = Polygon([(0, 0), (2, 0), (0, 2)])
SLANTED = math.sqrt(0.5)

# A, its pose, B, its pose: the normal, the gap, and the features of the least gap.
KINDS = {
    "disc, disc": (Circle(1), (3, 4), Circle(2), (0, 0), (0.6, 0.8), 2.0, (0, 0)),
    "discs overlap": (Circle(1), (0.3, 0.4), Circle(2), (0, 0), (0.6, 0.8), -2.5, (0, 0)),
    "same centre": (Circle(1), (5, 5), Circle(2), (5, 5), (0, 1), -3.0, (0, 0)),
    "disc, edge": (Circle(0.5), (0.2, 2), UNIT, (0, 0), (0, 1), 1.0, (0, edge(2))),
    "disc, corner": (Circle(0.5), (3.5, 4.5), UNIT, (0, 0), (0.6, 0.8), 4.5, (0, corner(2))),
    "disc in box": (Circle(0.1), (0.4, 0.1), UNIT, (0, 0), (1, 0), -0.2, (0, edge(1))),
    "disc on rounded edge": (Circle(0.5), (0, 2), ROUNDED, (0, 0), (0, 1), 1.0, (0, edge(2))),
    "disc on rounded corner": (
        *(Circle(0.5), (3.3, 4.3), ROUNDED, (0, 0), (0.6, 0.8), 4.3, (0, corner(2))),
    ),
    "disc on capsule": (
        *(Circle(1), (1, 4), Capsule((0, 0), (2, 0), 1), (0, 0), (0, 1), 2.0, (0, edge(1))),
    ),
    "disc on capsule's end": (
        *(Circle(1), (5, 4), Capsule((0, 0), (2, 0), 1), (0, 0), (0.6, 0.8), 3.0, (0, corner(1))),
    ),
    "disc in line with a capsule": (
        *(Circle(1), (5, 0), Capsule((0, 0), (2, 0), 1), (0, 0), (1, 0), 1.0, (0, corner(1))),
    ),
    "disc right of a line": (
        *(Circle(1), (1, -3), Segment((0, 0), (2, 0)), (0, 0), (0, -1), 2.0, (0, edge(0))),
    ),
    "disc left of a line": (
        *(Circle(1), (1, 3), Segment((0, 0), (2, 0)), (0, 0), (0, 1), 2.0, (0, edge(1))),
    ),
    "disc at a triangle": (
        *(Circle(0.5), (2, 2), TRIANGLE, (0, 0), (SLANTED, SLANTED), 2**0.5 - 0.5, (0, edge(1))),
    ),
    "corner, edge": (
        *(UNIT, (0, 2, math.pi / 4), UNIT, (0, 0), (0, 1), 1.5 - SLANTED, (corner(0), edge(2))),
    ),
    "edge, corner": (
        *(UNIT, (0, 2), UNIT, (0, 0, math.pi / 4), (0, 1), 1.5 - SLANTED, (edge(0), corner(2))),
    ),
    "corner, corner": (UNIT, (4, 5), UNIT, (0, 0), (0.6, 0.8), 5.0, (corner(0), corner(2))),
    "corners in line": (
        *(UNIT, (3, 0, math.pi / 4), UNIT, (0, 0, math.pi / 4), (1, 0), 3 - 2**0.5),
        (corner(3), corner(1)),
    ),
    "rounded corners": (
        *(ROUNDED, (3.6, 4.6), ROUNDED, (0, 0), (0.6, 0.8), 4.6, (corner(0), corner(2))),
    ),
    "capsules end to end": (
        *(Capsule((0, 0), (2, 0), 0.5), (5, 0), Capsule((0, 0), (2, 0), 1), (0, 0)),
        *((1, 0), 1.5, (corner(0), corner(1))),
    ),
    "capsules that cross": (
        *(Capsule((0, -1), (0, 2), 0.1), (0.3, 0), Capsule((-1, 0), (3, 0), 0.2), (0, 0)),
        *((0, 1), -1.3, (corner(0), edge(1))),
    ),
    "lines end to end": (
        *(Segment((0, 0), (2, 0)), (5, 0), Segment((0, 0), (2, 0)), (0, 0)),
        *((1, 0), 3.0, (corner(0), corner(1))),
    ),
    "lines in a T": (
        *(Segment((0, 1), (0, 2)), (0, 0), Segment((-1, 0), (1, 0)), (0, 0)),
        *((0, 1), 1.0, (corner(0), edge(1))),
    ),
}


@pytest.mark.parametrize("shift", [0.0, 1e4])
@pytest.mark.parametrize("name", KINDS)
def test_the_least_gap_is_the_closed_form(name, shift):
    a, pose_a, b, pose_b, normal, gap, features = KINDS[name]
    move = [(pose[0] + shift, pose[1] - shift, *pose[2:]) for pose in (pose_a, pose_b)]
    contact = deepest(collide(a, move[0], b, move[1], INF))
    # the poses themselves are rounded to 1e-12 at 1e4
    tolerance = EXACT if shift == 0.0 else {"abs": 5e-12}
    assert contact.gap == pytest.approx(gap, **tolerance)
    assert contact.normal == pytest.approx(normal, **tolerance)
    assert contact.id == by_features(*features)
    expected = [shape.radius if hasattr(shape, "radius") else 0.0 for shape in (a, b)]
    expected = [INF if f % 2 else r for f, r in zip(features, expected, strict=True)]
    assert [contact.r1, contact.r2] == expected


@pytest.mark.parametrize("name", KINDS)
def test_swapping_flips_the_normal_and_keeps_the_gap(name):
    a, pose_a, b, pose_b, normal, gap, _ = KINDS[name]
    contact = deepest(collide(b, pose_b, a, pose_a, INF))
    assert contact.gap == pytest.approx(gap, **EXACT)
    if name != "same centre":
        assert contact.normal == pytest.approx([-x for x in normal], **EXACT)


@pytest.mark.parametrize("name", KINDS)
def test_the_margin_is_where_contacts_begin(name):
    a, pose_a, b, pose_b, _, gap, _ = KINDS[name]
    if gap > 0.0:
        assert not collide(a, pose_a, b, pose_b)
        assert not collide(a, pose_a, b, pose_b, gap - 1e-9)
    assert collide(a, pose_a, b, pose_b, max(gap, 0.0) + 1e-9)


# ------------------------------------------------------------------------------------- families

PI = math.pi


def make_shapes(m):
    """A family of hulls; m is a metre."""

    def points(*xs):
        return [(m * x, m * y) for x, y in xs]

    pentagon = points((0, 0), (2, 0), (2.3, 1), (1, 1.7), (-0.4, 0.8))
    wheel = points(*((math.cos(k * PI / 12), math.sin(k * PI / 12)) for k in range(24)))
    return [
        Circle(0.7 * m, center=(0.1 * m, -0.2 * m)),
        Box(m, 2 * m),
        Box(2 * m, m, center=(0.3 * m, 0.1 * m), angle=0.4, radius=0.25 * m),
        Capsule(*points((-0.5, 0.2), (0.7, -0.3)), 0.3 * m),
        Segment(*points((-1, 0.1), (1.2, -0.2))),
        Polygon(pentagon),
        Polygon(pentagon, radius=0.2 * m),
        Polygon(wheel),
        Path(points((0, 0), (1, 0), (2, 0), (1, 1.2))),
    ]


SHAPES = make_shapes(1.0)
KNOWN_CORES = {
    "Circle": lambda s: (shapely.Point(s.center), s.radius),
    "Capsule": lambda s: (shapely.LineString([s.a, s.b]), s.radius),
    "Segment": lambda s: (shapely.LineString([s.a, s.b]), s.radius),
    "Path": lambda s: (shapely.Polygon(s.points), 0.0),
}


def core_of(shape):
    """The core as shapely sees it, and the radius around it."""
    kind = type(shape).__name__
    if kind in KNOWN_CORES:
        return KNOWN_CORES[kind](shape)
    if shape.radius == 0.0:
        return shapely.Polygon(shape.points), 0.0
    # the inset edges meet in the centres of the arcs
    points, bulges = shape.points, shape.bulges
    centers = []
    for k in np.flatnonzero(bulges):
        p, q, b = points[k], points[(k + 1) % len(points)], bulges[k]
        chord = q - p
        centers.append((p + q) / 2 + (1 - b * b) / (4 * b) * np.array([-chord[1], chord[0]]))
    return shapely.Polygon(centers), shape.radius


CORES = [core_of(shape) for shape in SHAPES]


def placed(core, pose):
    turned = shapely.affinity.rotate(core, pose[2], origin=(0, 0), use_radians=True)
    return shapely.affinity.translate(turned, pose[0], pose[1])


def penetration(a, b):
    """How far two convex sets of points must be moved apart: the difference's nearest side."""
    differences = (np.asarray(a)[:, None] - np.asarray(b)[None]).reshape(-1, 2)
    hull = shapely.MultiPoint(differences).convex_hull
    # two points, or two lines in line: the difference has no inside
    return shapely.Point(0, 0).distance(hull.boundary) if hull.geom_type == "Polygon" else 0.0


indices = st.integers(0, len(SHAPES) - 1)
poses = st.tuples(numbers(-3, 3), numbers(-3, 3), numbers(-4, 4))


@given(indices, poses, indices, poses)
def test_the_least_gap_is_the_distance_or_the_penetration(i, pose_a, j, pose_b):
    a, b = placed(CORES[i][0], pose_a), placed(CORES[j][0], pose_b)
    contacts = collide(SHAPES[i], pose_a, SHAPES[j], pose_b, INF)
    assert 1 <= len(contacts) <= 2
    radii = CORES[i][1] + CORES[j][1]
    distance = a.distance(b)
    if distance < 1e-9:
        distance = -penetration(shapely.get_coordinates(a), shapely.get_coordinates(b))
    assert deepest(contacts).gap == pytest.approx(distance - radii, abs=1e-9)
    for contact in contacts:
        assert math.hypot(*contact.normal) == pytest.approx(1.0, **EXACT)


@given(indices, poses, indices, poses, numbers(0.0, 2.0))
def test_swapping_and_margins_in_general(i, pose_a, j, pose_b, margin):
    there = collide(SHAPES[i], pose_a, SHAPES[j], pose_b, INF)
    back = collide(SHAPES[j], pose_b, SHAPES[i], pose_a, INF)
    least = deepest(there).gap
    assert deepest(back).gap == pytest.approx(least, abs=1e-12)
    assume(all(abs(contact.gap - margin) > 1e-9 for contact in there))
    near = collide(SHAPES[i], pose_a, SHAPES[j], pose_b, margin)
    assert near == [contact for contact in there if contact.gap <= margin]


SMALL, LARGE = make_shapes(2.0**-20), make_shapes(2.0**20)


@given(indices, poses, indices, poses)
def test_the_unit_of_length_does_not_matter(i, pose_a, j, pose_b):
    """Powers of two change no digit of anything."""
    expected = collide(SHAPES[i], pose_a, SHAPES[j], pose_b, 1.0)
    for shapes, m in ((SMALL, 2.0**-20), (LARGE, 2.0**20)):
        a, b = ((pose[0] * m, pose[1] * m, pose[2]) for pose in (pose_a, pose_b))
        contacts = collide(shapes[i], a, shapes[j], b, m)
        assert [contact.id for contact in contacts] == [contact.id for contact in expected]
        assert [contact.gap / m for contact in contacts] == [contact.gap for contact in expected]


# ----------------------------------------------------------------------------------- two points


def gaps(contacts):
    return [contact.gap for contact in contacts]


@pytest.mark.parametrize("gap", [-1e-3, 0.0, 1e-3])
def test_aligned_boxes_touch_at_two_ends(gap):
    contacts = collide(UNIT, (0, 1 + gap), UNIT, (0, 0), 0.01)
    assert gaps(contacts) == pytest.approx([gap, gap], abs=1e-15)
    xs = sorted(contact.point[0] for contact in contacts)
    assert xs == pytest.approx([-0.5, 0.5], abs=1e-15)
    assert [contact.normal for contact in contacts] == [pytest.approx((0, 1))] * 2


@pytest.mark.parametrize("gap", [-1e-3, 0.0, 1e-3])
@pytest.mark.parametrize("shift", [-0.5, 0.5])
def test_staggered_bricks_have_a_corner_each(shift, gap):
    brick = Box(2, 1)
    contacts = collide(brick, (2 * shift, 1 + gap), brick, (0, 0), 0.01)
    assert sorted((contact.r1, contact.r2) for contact in contacts) == [(0.0, INF), (INF, 0.0)]
    xs = sorted(contact.point[0] for contact in contacts)
    assert xs == pytest.approx(sorted([0.0, 2 * shift]), abs=1e-15)
    assert gaps(contacts) == pytest.approx([gap, gap], abs=1e-15)


@pytest.mark.parametrize("side", [1, -1])
def test_a_box_lies_on_either_side_of_a_line(side):
    floor = Segment((-5, 0), (5, 0))
    contacts = collide(UNIT, (1, side * 0.5), floor, (0, 0), 0.01)
    assert [contact.normal for contact in contacts] == [pytest.approx((0, side))] * 2
    assert sorted(contact.point[0] for contact in contacts) == pytest.approx([0.5, 1.5])
    # feature 1 is its right side, 3 its left one
    assert {contact.id & 0xFFFFFFFF for contact in contacts} == {3 if side == 1 else 1}


def test_a_box_on_a_narrower_post_rests_on_the_posts_corners():
    contacts = collide(Box(4, 1), (0, 1), UNIT, (0, 0), 0.01)
    assert [(contact.r1, contact.r2) for contact in contacts] == [(INF, 0.0)] * 2
    assert sorted(contact.point[0] for contact in contacts) == pytest.approx([-0.5, 0.5])


def test_capsules_side_by_side_touch_at_two_ends():
    rod = Capsule((-1, 0), (1, 0), 0.25)
    contacts = collide(rod, (0.5, 0.5), rod, (0, 0), 0.01)
    assert gaps(contacts) == pytest.approx([0.0, 0.0], abs=1e-15)
    assert sorted(contact.point[0] for contact in contacts) == pytest.approx([-0.5, 1.0])
    assert sorted((contact.r1, contact.r2) for contact in contacts) == [(0.25, INF), (INF, 0.25)]


def test_tilted_edges_have_one_point_beyond_fifteen_degrees():
    for degrees, count in [(10, 2), (20, 1)]:
        angle = math.radians(degrees)
        height = 0.5 + 0.5 * (math.cos(angle) + math.sin(angle))
        assert len(collide(UNIT, (0, height, angle), Box(5, 1), (0, 0), 1.0)) == count


@given(numbers(-0.26, 0.26), numbers(-1.2, 1.2), numbers(-0.1, 0.3))
def test_no_foot_lies_beyond_the_end_of_an_edge_while_apart(angle, x, lift):
    """Except where they overlap: there the deepest corner counts wherever it is."""
    contacts = collide(UNIT, (x, 1 + lift, angle), UNIT, (0, 0), 0.5)
    assume(contacts and deepest(contacts).gap > 0.0)
    for contact in contacts:
        if INF not in (contact.r1, contact.r2):
            continue
        at, normal = np.array(contact.point), np.array(contact.normal)
        if contact.r2 == INF:
            foot = at - contact.gap / 2 * normal
        else:
            c, s = math.cos(angle), math.sin(angle)
            foot = np.array([[c, s], [-s, c]]) @ (at + contact.gap / 2 * normal - [x, 1 + lift])
        assert np.abs(foot).max() <= 0.5 + 1e-12


# --------------------------------------------------------------------- what is kept between steps


def ids(contacts):
    return [contact.id for contact in contacts]


@pytest.mark.parametrize("height", [1 - 1e-5, 1.0, 1 + 1e-5])
def test_ids_of_aligned_boxes_survive_small_motion(height):
    rng = np.random.default_rng(1)
    poses = [(dx, height + dy, turn) for dx, dy, turn in rng.uniform(-1e-9, 1e-9, (100, 3))]
    steps = _follow(UNIT, poses, UNIT, (0, 0), 0.01)
    assert len(steps[0]) == 2
    assert all(ids(contacts) == ids(steps[0]) for contacts in steps)
    # the same when B moves
    steps = _follow(
        UNIT,
        [(0, height)] * 100,
        UNIT,
        (0, 0),
        0.01,
        poses_b=[(x, y - height, turn) for x, y, turn in poses],
    )
    assert all(ids(contacts) == ids(steps[0]) for contacts in steps)


@given(indices, poses, indices, poses, st.lists(poses, max_size=6), numbers(0.0, 1.0))
def test_what_is_kept_changes_no_gap_of_bodies_apart(i, pose_a, j, pose_b, moves, margin):
    """And hardly one of bodies that overlap: last step's edge has a small preference."""
    path = [pose_a] + [tuple(np.add(pose_a, np.multiply(move, 0.05))) for move in moves]
    for pose, kept in zip(path, _follow(SHAPES[i], path, SHAPES[j], pose_b, margin), strict=True):
        fresh = collide(SHAPES[i], pose, SHAPES[j], pose_b, margin)
        assert bool(kept) == bool(fresh)
        if fresh:
            cores_overlap = deepest(fresh).gap < -CORES[i][1] - CORES[j][1] + 1e-9
            tolerance = 3e-3 if cores_overlap else 1e-12
            assert deepest(kept).gap == pytest.approx(deepest(fresh).gap, abs=tolerance)


# ------------------------------------------------------------------------------------ geometry


def test_rounded_off_boxes_become_capsules_and_discs():
    """Their contacts are those of the shapes they have become."""
    twins = [
        (Box(2, 2, radius=1), Circle(1)),
        (Box(4, 2, radius=1), Capsule((-1, 0), (1, 0), 1)),
        (Box(2, 4, radius=1), Capsule((0, -1), (0, 1), 1)),
        (Polygon([(-2, -1), (2, -1), (2, 1), (-2, 1)], radius=1), Capsule((-1, 0), (1, 0), 1)),
        (Polygon([(-1, -1), (1, -1), (1, 1), (-1, 1)], radius=1), Circle(1)),
    ]
    for shape, twin in twins:
        for pose in [(3, 0), (0, 3, 0.1), (2.5, 2.5), (0.2, 0.5)]:
            contacts, others = (collide(s, (0, 0), UNIT, pose, 1.0) for s in (shape, twin))
            assert sorted(gaps(contacts)) == pytest.approx(sorted(gaps(others)), abs=1e-12)


def test_corners_on_a_line_change_nothing():
    plain = Polygon([(0, 0), (2, 0), (2, 1), (0, 1)])
    extra = Path([(0, 0), (0.7, 1e-17), (2, 0), (2, 1), (1, 1), (0, 1)])
    for pose in [(0.3, 1.5), (1.5, -0.5), (2.9, 0.4), (0.5, 1.6, 0.3)]:
        contacts = [collide(UNIT, pose, shape, (0, 0), 0.5) for shape in (plain, extra)]
        assert deepest(contacts[0]).gap == pytest.approx(deepest(contacts[1]).gap, abs=1e-12)


# -------------------------------------------------------------------------------------- the door

REFUSED = {
    "shape": (lambda: collide(3, (0, 0), UNIT, (0, 0)), TypeError, "shape_a must be a Shape"),
    "unfinished": (
        *(lambda: collide(UNIT, (0, 0), Box.__new__(Box), (0, 0)), ValueError),
        "shape_b must be a finished shape",
    ),
    "pose": (lambda: collide(UNIT, 3, UNIT, (0, 0)), ValueError, "pose_a must be"),
    "pose of one": (lambda: collide(UNIT, (1,), UNIT, (0, 0)), ValueError, "pose_a must be"),
    "pose of four": (lambda: collide(UNIT, (0, 0), UNIT, (1, 2, 3, 4)), ValueError, "pose_b must"),
    "pose of text": (lambda: collide(UNIT, "ab", UNIT, (0, 0)), ValueError, "pose_a must be"),
    "nan": (lambda: collide(UNIT, (NAN, 0), UNIT, (0, 0)), ValueError, "pose_a must be finite"),
    "infinite angle": (
        *(lambda: collide(UNIT, ((0, 0), INF), UNIT, (0, 0)), ValueError),
        "pose_a must be finite",
    ),
    "margin": (
        *(lambda: collide(UNIT, (0, 0), UNIT, (0, 0), -1), ValueError),
        "margin must be >= 0, got -1",
    ),
    "nan margin": (lambda: collide(UNIT, (0, 0), UNIT, (0, 0), NAN), ValueError, "margin must be"),
    "far away": (
        *(lambda: collide(UNIT, (1e300, 1e300), UNIT, (0, 0), INF), OverflowError),
        "pose_a and pose_b must not be so far apart",
    ),
    "text margin": (lambda: collide(UNIT, (0, 0), UNIT, (0, 0), "1"), TypeError, "margin must be"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_by_name(name):
    call, error, message = REFUSED[name]
    with pytest.raises(error, match=message):
        call()


def test_poses_may_be_written_in_three_ways():
    expected = collide(UNIT, (0, 0.9, 0.0), UNIT, (0, 0))
    for pose in [(0, 0.9), ((0, 0.9), 0), [0, 0.9], np.array([0, 0.9, 0]), (np.array([0, 0.9]), 0)]:
        assert collide(UNIT, pose, UNIT, (0, 0)) == expected
