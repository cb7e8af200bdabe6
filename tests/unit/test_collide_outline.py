"""Contacts of outlines: closed forms of every pair of features, terrain, bowls, deep overlap."""

import math

import numpy as np
import pytest
import shapely
from hypothesis import assume, given
from hypothesis import strategies as st

from engine2d import Box, Capsule, Circle, Path, Polygon, Segment
from engine2d.collide.narrow_phase import contact_points as collide
from tests.distance_support import placed

PI, INF = math.pi, math.inf
QUARTER = math.tan(PI / 8)
HERE = (0, 0, 0)

# A block 4 wide with a half-round bowl of radius 1 about the origin in its top.
BOWL = Path([(-2, -2), (2, -2), (2, 0), (1, 0), (-1, 0), (-2, 0)], [0, 0, 0, -1, 0, 0])
# The same with a step 1 up at its right end, so that it has an inner corner at (1, 0).
STEP = Path([(-4, -1), (4, -1), (4, 1), (1, 1), (1, 0), (-4, 0)])
# A half disc of radius 1 below its flat side.
HALF = Path([(-1, 0), (1, 0)], [1, 0])
# A hill: a half disc of radius 2 about the origin, on a plate.
HILL = Path([(-4, -1), (4, -1), (4, 0), (2, 0), (-2, 0), (-4, 0)], [0, 0, 0, 1, 0, 0])


def one(contacts):
    assert len(contacts) == 1, contacts
    return contacts[0]


def check(contact, point, normal, gap, r1, r2, exact=1e-12):
    np.testing.assert_allclose(contact.point, point, atol=exact)
    np.testing.assert_allclose(contact.normal, normal, atol=exact)
    assert contact.gap == pytest.approx(gap, abs=exact)
    assert (contact.r1, contact.r2) == pytest.approx((r1, r2), rel=1e-14)


def moved(pose, frame):
    """A pose given in a frame, in the world."""
    x, y, angle = frame
    c, s = math.cos(angle), math.sin(angle)
    return (x + c * pose[0] - s * pose[1], y + s * pose[0] + c * pose[1], pose[2] + angle)


def place(points, pose):
    c, s = math.cos(pose[2]), math.sin(pose[2])
    return np.asarray(points) @ np.array([[c, s], [-s, c]]) + pose[:2]


# ------------------------------------------------------------------- closed forms of the pairs

DIAMOND = PI / 4
TIP = math.sqrt(0.5)  # how far down the corner of a unit box turned by an eighth reaches

gaps = pytest.mark.parametrize("gap", [0.01, 1e-6, 0.0, -1e-6, -0.01])


@gaps
def test_corner_on_edge(gap):
    contact = one(collide(Box(1, 1), (-2, TIP + gap, DIAMOND), STEP, HERE, 0.02))
    check(contact, (-2, gap / 2), (0, 1), gap, 0, INF)


@gaps
def test_edge_on_corner(gap):
    spike = Path([(-1, -1), (1, -1), (0, 0), (-1, 0.5 - 1)])
    contact = one(collide(Box(1, 1), (0.1, 0.5 + gap, 0), spike, HERE, 0.02))
    check(contact, (0, gap / 2), (0, 1), gap, INF, 0)


@gaps
def test_arc_on_edge(gap):
    contact = one(collide(HALF, (-2, 1 + gap, 0.3), STEP, HERE, 0.02))
    check(contact, (-2, gap / 2), (0, 1), gap, 1, INF)


@gaps
def test_corner_on_convex_arc(gap):
    angle = 0.4
    n = np.array([math.sin(angle), math.cos(angle)])
    place_ = n * (2 + TIP + gap)
    contact = one(collide(Box(1, 1), (*place_, DIAMOND - angle), HILL, HERE, 0.02))
    check(contact, n * (2 + gap / 2), n, gap, 0, 2)


@gaps
def test_edge_on_convex_arc(gap):
    angle = -0.4
    n = np.array([math.sin(angle), math.cos(angle)])
    contact = one(collide(Box(1, 1), (*(n * (2.5 + gap)), -angle), HILL, HERE, 0.02))
    check(contact, n * (2 + gap / 2), n, gap, INF, 2)


@gaps
def test_arc_on_convex_arc(gap):
    angle = 0.7
    n = np.array([math.sin(angle), math.cos(angle)])
    contact = one(collide(HALF, (*(n * (3 + gap)), 0.1), HILL, HERE, 0.02))
    check(contact, n * (2 + gap / 2), n, gap, 1, 2)


@gaps
@pytest.mark.parametrize("r", [0.25, 0.5, 0.9])
def test_disc_in_bowl(gap, r):
    angle = 0.3
    n = np.array([math.sin(angle), math.cos(angle)])
    # where the disc reaches beyond the rim too, its gap there is no less
    contacts = collide(Circle(r), (*(-n * (1 - r - gap)), 0), BOWL, HERE, max(gap, 0) + 1e-9)
    check(one(contacts), -n * (1 - gap / 2), n, gap, r, -1)


@gaps
def test_corner_in_bowl(gap):
    angle = 0.3
    n = np.array([math.sin(angle), math.cos(angle)])
    small = Box(0.3, 0.3)
    tip = 0.3 * TIP
    contact = one(collide(small, (*(-n * (1 - tip - gap)), DIAMOND - angle), BOWL, HERE, 0.02))
    check(contact, -n * (1 - gap / 2), n, gap, 0, -1)


def test_roles_may_be_exchanged():
    for a, pose_a, b, pose_b in [
        (Box(1, 1), (-2, TIP - 1e-3, DIAMOND), STEP, HERE),
        (HALF, (-2, 1.001, 0.3), STEP, HERE),
        (Circle(0.5), (0.1, -0.5, 0), BOWL, HERE),
        (Box(1, 1), (0.5 - 1e-4, 0.5 - 2e-4, 0), STEP, HERE),
        (Capsule((-0.5, 0), (0.5, 0), 0.2), (0, -0.6245, 0), BOWL, HERE),
    ]:
        there = collide(a, pose_a, b, pose_b, 0.1)
        back = collide(b, pose_b, a, pose_a, 0.1)
        assert len(there) == len(back) > 0
        swapped = {c.id: c for c in back}
        for c in there:
            other = swapped[((c.id & 0xFFFFFFFF) << 32) + (c.id >> 32)]
            np.testing.assert_allclose(other.point, c.point, atol=1e-14)
            np.testing.assert_allclose(other.normal, -np.array(c.normal), atol=1e-14)
            assert other.gap == pytest.approx(c.gap, abs=1e-14)
            assert (other.r1, other.r2) == (c.r2, c.r1)


@given(st.floats(-1e4, 1e4), st.floats(-1e4, 1e4), st.floats(-PI, PI))
def test_only_the_poses_in_each_other_matter(x, y, angle):
    frame = (x, y, angle)
    slack = 1e-11 if abs(x) + abs(y) > 1 else 1e-14
    for a, pose in [
        (Box(1, 1), (-2, TIP - 1e-3, DIAMOND)),
        (HALF, (-2, 1.001, 0.3)),
        (Box(1, 1), (0.5 - 1e-4, 0.5 - 2e-4, 0)),
    ]:
        here = collide(a, pose, STEP, HERE, 0.01)
        there = collide(a, moved(pose, frame), STEP, frame, 0.01)
        assert [c.id for c in here] == [c.id for c in there]
        for c, d in zip(here, there, strict=True):
            assert d.gap == pytest.approx(c.gap, abs=slack)
            np.testing.assert_allclose(d.point, moved((*c.point, 0), frame)[:2], atol=slack)


# --------------------------------------------------------------------------------------- terrain

FLAT = [(-10 + 0.5 * k, 0) for k in range(41)]
LINES = {
    "open": Path(FLAT, closed=False),
    "open the other way": Path(FLAT[::-1], closed=False),
    "closed": Path([*FLAT[::-1], (-10, -3), (10, -3)]),
}
MOVERS = {
    "box": (Box(0.7, 0.4), 0.2, 2),
    "rounded box": (Box(0.7, 0.4, radius=0.05), 0.2, 2),
    "disc": (Circle(0.3), 0.3, 1),
    "triangle": (Polygon([(-0.4, -0.2), (0.4, -0.2), (0, 0.5)]), 0.2, 2),
    "capsule": (Capsule((-0.3, 0), (0.3, 0), 0.1), 0.1, 2),
    "half disc": (Path([(-0.5, 0), (0.5, 0)], [1, 0]), 0.5, 1),
    "plus": (
        Polygon(
            [
                (-0.1, -0.4),
                (0.1, -0.4),
                (0.1, -0.1),
                (0.4, -0.1),
                (0.4, 0.1),
                (0.1, 0.1),
                (0.1, 0.4),
                (-0.1, 0.4),
                (-0.1, 0.1),
                (-0.4, 0.1),
                (-0.4, -0.1),
                (-0.1, -0.1),
            ]
        ),
        0.4,
        2,
    ),
}


@pytest.mark.parametrize("ground", LINES.values(), ids=LINES)
@pytest.mark.parametrize("mover", MOVERS.values(), ids=MOVERS)
@pytest.mark.parametrize("gap", [1e-3, 1e-9, 0.0, -1e-9, -1e-4, -0.05])
def test_sliding_over_straight_seams_meets_the_plane_and_nothing_else(ground, mover, gap):
    shape, height, points = mover
    for k in range(-40, 41):
        x = 0.025 * k
        contacts = collide(shape, (x, height + gap, 0), ground, HERE, 0.01)
        assert len(contacts) == points
        for contact in contacts:
            np.testing.assert_allclose(contact.normal, (0, 1), atol=1e-12)
            assert contact.gap == pytest.approx(gap, abs=1e-12)


@pytest.mark.parametrize("ground", LINES.values(), ids=LINES)
@pytest.mark.parametrize("tilt", [1e-9, 1e-6, 1e-3, -1e-3, 0.01])
@pytest.mark.parametrize("sink", [0.0, 1e-4])
def test_a_box_that_is_not_quite_flat_stands_on_both_corners(ground, tilt, sink):
    w, h = 0.7, 0.4
    corners = place([(-w / 2, -h / 2), (w / 2, -h / 2)], (0, 0, tilt))
    lift = -corners[:, 1].min() - sink
    for x in np.linspace(-1, 1, 41):
        contacts = collide(Box(w, h), (x, lift, tilt), ground, HERE, 0.01)
        assert len(contacts) == 2
        found = sorted((c.point[0], c.gap) for c in contacts)
        wanted = sorted((x + c[0], lift + c[1]) for c in corners)
        np.testing.assert_allclose(found, wanted, atol=1e-12)
        assert all(abs(c.normal[0]) < 1e-12 for c in contacts)


def waves(count, radius, half_turn):
    """A smooth curve of arcs, each a part of a circle, that bend right and left in turns."""
    step = 2 * radius * math.sin(half_turn)
    points = [(k * step, 0.0) for k in range(count + 1)]
    bulges = [math.tan(half_turn / 2) * (-1) ** (k + 1) for k in range(count)]
    return points, bulges, step


@pytest.mark.parametrize("back", [False, True])
@pytest.mark.parametrize("gap", [1e-3, 0.0, -1e-4])
def test_a_disc_on_smooth_waves_meets_the_curve_under_it(back, gap):
    radius, half, r = 2.0, 0.5, 0.3
    points, bulges, step = waves(6, radius, half)
    if back:
        ground = Path(points[::-1], [-b for b in bulges[::-1]], closed=False)
    else:
        ground = Path(points, bulges, closed=False)
    depth = radius * math.cos(half)
    for k in range(1, 5):
        top = bulges[k] < 0
        centre = np.array([(k + 0.5) * step, -depth if top else depth])
        for t in np.linspace(-half, half, 21):
            n = np.array([math.sin(t), math.cos(t)])
            if not top:
                n = np.array([-math.sin(t), math.cos(t)])
            at = centre + n * (radius + r + gap) if top else centre - n * (radius - r - gap)
            contact = one(collide(Circle(r), (*at, 0), ground, HERE, 0.01))
            np.testing.assert_allclose(contact.normal, n, atol=1e-9)
            assert contact.gap == pytest.approx(gap, abs=1e-12)


def test_a_box_on_an_arc_of_many_parts_meets_one_circle():
    parts = 24
    angles = np.linspace(0, PI, parts + 1)[::-1]
    points = 5 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    ground = Path(points, [-math.tan(PI / parts / 4)] * parts, closed=False)
    for t in np.linspace(-1, 1, 101):
        n = np.array([math.sin(t), math.cos(t)])
        contact = one(collide(Box(1, 1), (*(n * (5.5 - 1e-4)), -t), ground, HERE, 1e-3))
        check(contact, n * (5 - 5e-5), n, -1e-4, INF, 5, exact=1e-9)


def test_a_body_astride_a_line_goes_back_to_the_nearer_side():
    line = Path([(-5, 0), (0, 0), (5, 0)], closed=False)
    for shape in (Box(1, 1), Circle(0.5), Box(1, 1, radius=0.1)):
        for y in (0.4, 0.1, -0.1, -0.4):
            contacts = collide(shape, (0.2, y, 0), line, HERE, 0.01)
            assert contacts
            for contact in contacts:
                np.testing.assert_allclose(contact.normal, (0, math.copysign(1, y)), atol=1e-12)
                assert contact.gap == pytest.approx(abs(y) - 0.5, abs=1e-12)


def test_open_paths_have_ends_and_two_sides():
    line = Path([(0, 0), (1, 0), (2, 0.5)], closed=False)
    check(
        one(collide(Circle(0.5), (-0.6, 0, 0), line, HERE, 0.2)), (-0.05, 0), (-1, 0), 0.1, 0.5, 0
    )
    check(
        one(collide(Circle(0.5), (0.5, -0.6, 0), line, HERE, 0.2)),
        (0.5, -0.05),
        (0, -1),
        0.1,
        0.5,
        INF,
    )
    assert collide(line, HERE, Path([(0, 1), (2, 2), (3, 3)], closed=False), HERE, 0.1) == []
    other = Path([(0, 0.1), (1, 0.1), (2, 3)], closed=False)
    assert min(c.gap for c in collide(line, HERE, other, HERE, INF)) == pytest.approx(
        0.2 / math.sqrt(5), abs=1e-14
    )


@pytest.mark.parametrize(("a", "b"), [(1e-4, 2e-4), (1e-7, 1e-4), (1e-4, 1e-6), (1e-3, 1e-3)])
def test_a_box_in_an_inner_corner_stands_on_the_floor_and_against_the_wall(a, b):
    contacts = collide(Box(0.8, 0.8), (0.6 + a, 0.4 - b, 0), STEP, HERE, 1e-3)
    floor = sorted(c.point[0] for c in contacts if c.normal[1] > 0.5)
    wall = sorted(c.point[1] for c in contacts if c.normal[0] < -0.5)
    np.testing.assert_allclose(floor, (0.2 + a, 1 + a), atol=1e-12)
    assert len(contacts) == len(floor) + len(wall)
    assert len(wall) == 2
    for c in contacts:
        assert c.gap == pytest.approx(-b if c.normal[1] > 0.5 else -a, abs=1e-12)


def test_a_disc_in_a_groove_touches_both_sides():
    groove = Path([(-3, -3), (3, -3), (3, 3), (0, 0), (-3, 3)])
    for depth in (0.1, 0.0, -1e-4, -0.1):
        at = math.sqrt(2) * (1 + depth)
        contacts = collide(Circle(1), (0, at, 0), groove, HERE, 0.2)
        assert len(contacts) == 2
        for c in contacts:
            assert c.gap == pytest.approx(depth, abs=1e-12)
            assert abs(c.normal[0]) == pytest.approx(math.sqrt(0.5), abs=1e-12)


def test_of_many_teeth_on_an_edge_the_ends_and_the_deepest_count():
    teeth = [(x, -(0.5 + (0.001 if x == 4 else 0))) for x in range(0, 11, 2)]
    comb = []
    for x, y in teeth:
        comb += [(x - 0.4, 0), (x, y), (x + 0.4, 0)]
    comb = Polygon([*comb, (10.4, 1), (-0.4, 1)])
    contacts = collide(comb, (-5, 0.5, 0), Box(40, 2), (0, -1, 0), 0.01)
    assert contacts == collide(comb, (-5, 0.5, 0), Box(40, 2), (0, -1, 0), 0.01)
    np.testing.assert_allclose(sorted(c.point[0] for c in contacts), (-5, -1, 5), atol=1e-12)


def test_at_most_as_many_contacts_as_there_is_room_for():
    n = 60
    saw = []
    for k in range(n):
        saw += [(k, 0), (k + 0.5, 0.3)]
    lower = Path([*saw, (n, 0), (n, -1), (0, -1)][::-1])
    upper = Path([(x, -y) for x, y in saw] + [(n, 0), (n, 1), (0, 1)])
    contacts = collide(upper, (0.001, 0.6, 0), lower, HERE, 0.2)
    assert len(contacts) == 32
    assert [c.id for c in contacts] == sorted({c.id for c in contacts})


# ----------------------------------------------------------------------------------------- bowls


@pytest.mark.parametrize("ratio", [0.5, 0.999, 1 - 1e-9, 1 - 1e-12, 1, 1 + 1e-15])
@pytest.mark.parametrize("sink", [0.0, 1e-9, 1e-4])
@pytest.mark.parametrize("scale", [1e-3, 1, 1e3])
def test_a_disc_rests_in_a_bowl_up_to_its_own_size(ratio, sink, scale):
    bowl = Path(np.array(BOWL.points) * scale, BOWL.bulges)
    at = -(1 - min(ratio, 1) + sink) * scale
    contacts = collide(Circle(ratio * scale), (0, at, 0), bowl, HERE, 1e-12 * scale)
    below = [c for c in contacts if c.normal[1] > 0.9]
    assert one(below).gap == pytest.approx(-sink * scale, abs=1e-14 * scale)
    np.testing.assert_allclose(below[0].normal, (0, 1), atol=1e-6)
    assert below[0].r1 + below[0].r2 <= 0


def test_a_disc_about_the_centre_of_a_bowl_has_a_normal_of_the_bowl():
    contacts = collide(Circle(0.5), HERE, BOWL, HERE, 0.5)
    assert all(c.gap == pytest.approx(0.5, abs=1e-15) for c in contacts)
    contact = one([c for c in contacts if c.r2 < 0])
    np.testing.assert_allclose(contact.normal, (0, 1), atol=1e-15)


def test_a_disc_too_great_for_a_bowl_rests_on_its_rim():
    contacts = collide(Circle(1.25), (0, 0.75, 0), BOWL, HERE, 1e-9)
    assert len(contacts) == 2
    for c in contacts:
        np.testing.assert_allclose((abs(c.point[0]), c.point[1]), (1, 0), atol=1e-12)
        np.testing.assert_allclose((abs(c.normal[0]), c.normal[1]), (0.8, 0.6), atol=1e-12)
        assert c.gap == pytest.approx(0, abs=1e-12)
        assert (c.r1, c.r2) == (1.25, 0)


@pytest.mark.parametrize("sink", [0.0, 1e-6, 1e-3])
def test_a_capsule_in_a_bowl_touches_with_both_ends(sink):
    at = -math.sqrt(0.8**2 - 0.5**2) - sink
    contacts = collide(Capsule((-0.5, 0), (0.5, 0), 0.2), (0, at, 0), BOWL, HERE, 1e-9)
    assert len(contacts) == 2
    for c in contacts:
        assert c.gap == pytest.approx(0.8 - math.hypot(0.5, at), abs=1e-12)
        assert (c.r1, c.r2) == (0.2, -1)


@pytest.mark.parametrize("angle", [-1.5, -0.7, 0.0, 1e-12, 0.3, 1.5])
def test_a_half_disc_rocks_on_its_arc(angle):
    for ground in (Box(9, 1, center=(0, -0.5)), Path([(-4, 0), (4, 0), (5, 1)], closed=False)):
        contact = one(collide(HALF, (0, 1 - 1e-4, angle), ground, HERE, 1e-3))
        check(contact, (0, -5e-5), (0, 1), -1e-4, 1, INF)


def test_a_half_disc_on_its_flat_side_stands_on_both_corners():
    for ground in (Box(9, 1, center=(0, -0.5)), Path([(-4, 0), (4, 0), (5, 1)], closed=False)):
        contacts = collide(HALF, (0, -1e-4, PI), ground, HERE, 1e-3)
        np.testing.assert_allclose(sorted(c.point[0] for c in contacts), (-1, 1), atol=1e-12)


def test_a_pin_in_a_slot_touches_where_the_slot_is():
    # a plate with a slot of half width 0.5 from (-1, 0) to (1, 0), open to the right
    slot = Path(
        [(-3, -2), (3, -2), (3, -0.5), (-1, -0.5), (-1, 0.5), (3, 0.5), (3, 2), (-3, 2)],
        [0, 0, 0, -1, 0, 0, 0, 0],
    )
    pin = Circle(0.4)
    check(one(collide(pin, (0, -0.1, 0), slot, HERE, 1e-3)), (0, -0.5), (0, 1), 0, 0.4, INF)
    check(
        one(collide(pin, (1, 0.1001, 0), slot, HERE, 1e-3)), (1, 0.50005), (0, -1), -1e-4, 0.4, INF
    )
    check(one(collide(pin, (-1.1, 0, 0), slot, HERE, 1e-3)), (-1.5, 0), (1, 0), 0, 0.4, -0.5)
    # at the seam of wall and round end, once
    assert len(collide(pin, (-1, -0.1, 0), slot, HERE, 1e-3)) == 1
    # a pin that just fits touches both walls
    assert len(collide(Circle(0.5), (0, 0, 0), slot, HERE, 1e-9)) == 2


# -------------------------------------------------------------------------------- any two shapes

coordinates = st.floats(-2, 2)
angles = st.floats(0, 2 * PI)


def star(radii, offset):
    n = len(radii)
    turns = np.arange(n) * 2 * PI / n + offset
    return np.stack([radii * np.cos(turns), radii * np.sin(turns)], axis=1)


stars = st.builds(
    star, st.lists(st.floats(0.3, 1.5), min_size=3, max_size=12).map(np.array), st.floats(0, 1)
)


@given(stars, stars, coordinates, coordinates, angles)
def test_distance_and_overlap_of_polygons_agree_with_shapely(a, b, x, y, angle):
    pose = (x, y, angle)
    shape_a, shape_b = Path(a), Path(b)
    solid_a, solid_b = shapely.Polygon(place(a, pose)), shapely.Polygon(b)
    contacts = collide(shape_a, pose, shape_b, HERE, INF)
    distance = shapely.distance(solid_a, solid_b)
    assert contacts
    least = min(c.gap for c in contacts)
    if distance > 1e-9:
        assert least == pytest.approx(distance, abs=1e-9)
    elif shapely.area(shapely.intersection(solid_a, solid_b)) > 1e-9:
        assert least < 0
    for c in contacts:
        assert math.hypot(*c.normal) == pytest.approx(1, abs=1e-12)


def sampled(shape, pose, count=400):
    """Points of a shape's boundary, dense on its arcs."""
    points, bulges = np.array(shape.points), shape.bulges
    out = []
    for k, bulge in enumerate(bulges):
        p, q = points[k], points[(k + 1) % len(points)]
        if bulge == 0:
            out.append(p)
            continue
        t = np.linspace(0, 1, count, endpoint=False)
        turn = 2 * math.atan(bulge)
        chord = q - p
        size = np.sin(t * turn) / math.sin(turn)
        lean = -(1 - t) * turn
        out.extend(
            p + s * np.array([[math.cos(f), -math.sin(f)], [math.sin(f), math.cos(f)]]) @ chord
            for s, f in zip(size, lean, strict=True)
        )
    return place(out, pose)


ARCED = {
    "bowl": BOWL,
    "half disc": HALF,
    "hill": HILL,
    "sector": Path([(0.5, -0.5), (1, -1), (1, 1), (0.5, 0.5)], [0, QUARTER, 0, -QUARTER]),
    "cam": Path([(0, -1), (0.5, 1), (-0.5, 1)], [0.1, 1, 0.1]),
    "disc": Circle(0.7),
    "rounded box": Box(1, 0.6, radius=0.2),
    "box": Box(0.5, 0.8),
}


@pytest.mark.parametrize("first", ["bowl", "half disc", "hill", "sector", "cam"])
@given(second=st.sampled_from(sorted(ARCED)), x=st.floats(-5, 5), y=st.floats(-5, 5), angle=angles)
def test_distance_of_arcs_agrees_with_dense_sampling(first, second, x, y, angle):
    a, b, pose = ARCED[first], ARCED[second], (x, y, angle)
    solid_a, solid_b = shapely.Polygon(sampled(a, pose)), shapely.Polygon(sampled(b, HERE))
    distance = shapely.distance(solid_a, solid_b)
    # sagitta of a chord of a half circle of radius 2 in 400 parts
    slack = 3e-5
    least = min(c.gap for c in collide(a, pose, b, HERE, INF))
    if distance > slack:
        assert least == pytest.approx(distance, abs=slack)
    elif shapely.area(shapely.intersection(solid_a, solid_b)) > 1e-3:
        assert least < 0


@given(x=st.floats(-2, 2), y=st.floats(-2, 2), angle=angles, r=st.floats(0.05, 0.45))
def test_a_convex_path_is_what_the_box_of_its_form_is(x, y, angle, r):
    w, h = 1.6, 1.0
    box = Box(w, h, radius=r)
    # a rounded box whose points are its own run is an outline, and must have the box's depth
    path = Path(np.array(box.points), np.array(box.bulges))
    other = Polygon([(-1, -0.5), (1, -0.6), (0.3, 0.9)])
    pose = (x, y, angle)
    wanted = collide(box, pose, other, HERE, INF)
    found = collide(path, pose, other, HERE, INF)
    assert min(c.gap for c in found) == pytest.approx(min(c.gap for c in wanted), abs=1e-12)
    assert len(found) <= 2


def test_two_crossing_bars_come_apart():
    bar = Polygon([(-5, -0.5), (5, -0.5), (5, 0.5), (0, 0.4), (-5, 0.5)])
    contacts = collide(bar, HERE, bar, (0, 0, PI / 2), 0)
    assert contacts
    assert min(c.gap for c in contacts) < 0
    out = np.zeros(2)
    for _ in range(3):
        for contact in collide(bar, (*out, 0), bar, (0, 0, PI / 2), 0):
            out += np.array(contact.normal) * (1e-9 - contact.gap)
    assert collide(bar, (*out, 0), bar, (0, 0, PI / 2), 0) == []


def test_what_is_swallowed_is_pushed_out_the_shortest_way():
    contact = one(collide(Circle(0.1), (-3.7, -0.5, 0), STEP, HERE, 0))
    np.testing.assert_allclose(contact.normal, (-1, 0), atol=1e-12)
    assert contact.gap == pytest.approx(-0.4, abs=1e-12)


def test_features_keep_their_names_under_small_motion():
    a, b = Box(1, 1), STEP
    names = [c.id for c in collide(a, (0.5 - 1e-4, 0.5 - 1e-4, 0), b, HERE, 0.01)]
    for k in range(20):
        moved_by = 1e-6 * np.array([math.cos(k), math.sin(k)])
        pose = (0.5 - 1e-4 + moved_by[0], 0.5 - 1e-4 + moved_by[1], 1e-7 * math.sin(3 * k))
        assert [c.id for c in collide(a, pose, b, HERE, 0.01)] == names


def test_nothing_beyond_the_margin():
    assert collide(HALF, (0, 1.02, 0), STEP, (3, 0, 0), 0.01) == []
    assert len(collide(HALF, (-2, 1.005, 0), STEP, HERE, 0.01)) == 1


@given(stars, coordinates, coordinates, angles)
def test_a_segment_is_a_path_of_two_points_seen_from_both_sides(a, x, y, angle):
    bar, bent = Segment((-1, 0), (1, 0)), Path([(-1, 0), (0, 0), (1, 0)], closed=False)
    shape = Path(a)
    assume(shape is not None)
    pose = (x, y, angle)
    one_, other = collide(shape, pose, bar, HERE, INF), collide(shape, pose, bent, HERE, INF)
    if min(c.gap for c in other) > 1e-9:
        least = min(c.gap for c in one_)
        assert min(c.gap for c in other) == pytest.approx(least, abs=1e-12)


def bent(radii, bulges):
    """A closed run round the origin with arcs, or None if it meets itself."""
    points = star(np.array(radii), 0.3)
    try:
        return Path(points, np.resize(bulges, len(points)))
    except ValueError:
        return None


bulge_lists = st.lists(
    st.one_of(st.just(0.0), st.floats(1e-6, 0.4), st.floats(-0.4, -1e-6)), min_size=1, max_size=9
)
bodies = st.one_of(
    st.builds(bent, st.lists(st.floats(0.4, 1.5), min_size=3, max_size=9), bulge_lists),
    st.sampled_from([*ARCED.values(), *(shape for shape, _, _ in MOVERS.values())]),
)
grounds = st.one_of(
    st.builds(bent, st.lists(st.floats(0.4, 1.5), min_size=3, max_size=9), bulge_lists),
    st.lists(st.floats(-0.4, 0.4), min_size=3, max_size=9).map(
        lambda heights: Path(
            np.stack([np.linspace(-2, 2, len(heights)), heights], axis=1), closed=False
        )
    ),
)


@given(bodies, grounds, st.floats(-3, 3), st.floats(-3, 3), angles)
def test_what_goes_in_a_little_where_it_was_nearest_comes_out_there(a, b, x, y, angle):
    assume(a is not None and b is not None)
    contacts = collide(a, (x, y, angle), b, HERE, INF)
    nearest = min(contacts, key=lambda c: c.gap)
    assume(nearest.gap > 1e-3)
    # Two corners that meet go on to meet an edge: that has a normal of its own.
    assume(nearest.r1 != 0 or nearest.r2 != 0)
    n = np.array(nearest.normal)
    for shape, pose, r, side in ((a, (x, y, angle), nearest.r1, 0.5), (b, HERE, nearest.r2, -0.5)):
        ends = np.hypot(*(placed(pose, shape.points) - nearest.point - side * nearest.gap * n).T)
        assume(r == 0 or ends.min() > 1e-2)
    for depth in (0.0, 1e-6, 1e-4):
        pose = (*(np.array([x, y]) - (nearest.gap + depth) * n), angle)
        inside = collide(a, pose, b, HERE, 1e-9)
        # sharp tips may go past each other, so this is about depths far below all lengths
        assert min(c.gap for c in inside) >= -20 * depth - 1e-9
        # where corners stand on corners, the edge beside them may have the word
        assert any(
            abs(c.gap + depth) < 1e-9 + 0.05 * depth and np.dot(c.normal, n) > 0.95 for c in inside
        )


# ---------------------------------------------------------- touching, and deep in each other


def test_shapes_that_only_touch_have_no_deep_contact():
    bowl = Path(
        [(-1, -0.8), (1, -0.8), (1, 0.3), (0.5, 0.3), (-0.5, 0.3), (-1, 0.3)], [0, 0, 0, -1, 0, 0]
    )
    bulge = 0.7911329644883682
    sector = Path(
        [
            (0.9372245433664491, 0.0),
            (-0.8379847028952084, 0.4197278670782753),
            (-0.5932353289348383, 0.29713835876600286),
            (0.663490286098131, 0.0),
        ],
        [bulge, 0, -bulge, 0],
    )
    turn = 2.141592653589793
    for at in (
        (0.2677605522027377, 0.13823236454549245),
        (0.2216210119530961, 0.21009043948289433),
    ):
        contacts = collide(bowl, (*at, turn), sector, (0, 0, turn), 100)
        assert min(c.gap for c in contacts) == pytest.approx(0, abs=2e-9)


def slotted(half):
    """A disc of radius 1 with a slot to its middle, round at the end."""
    mouth = math.sqrt(1 - half * half)
    rim = math.tan((2 * PI - 2 * math.asin(half)) / 4)
    return Path([(-half, mouth), (half, mouth), (half, 0), (-half, 0)], [rim, 0, -1, 0])


@pytest.mark.parametrize(
    ("a", "pose_a", "b", "pose_b"),
    [
        (
            slotted(0.1),
            (0.4, -0.21968269541290797, 2.1463750058118265),
            slotted(0.1),
            (-0.5754846056622127, 0, 0.5510418026712993),
        ),
        (
            Circle(0.42323160396061804),
            (0.1703312391522731, 0, 0),
            slotted(0.17949991958170464),
            (0, 0, 0),
        ),
    ],
)
def test_contacts_of_slotted_discs_lead_out(a, pose_a, b, pose_b):
    pose = np.array(pose_a)
    for _ in range(4):
        for c in collide(a, tuple(pose), b, pose_b):
            pose[:2] += max(0.0, 1e-7 - c.gap) * np.array(c.normal)
    assert all(c.gap > -1e-6 for c in collide(a, tuple(pose), b, pose_b))
    solids = [shapely.Polygon(sampled(s, p)) for s, p in ((a, pose), (b, pose_b))]
    assert shapely.intersection(*solids).area < 1e-4


def test_where_no_two_features_face_each_other_a_line_parts_the_shapes():
    a = bent([0.5, 1.0, 0.5, 1.0], [0.25])
    b = bent([0.5, 0.5, 0.5], [0.375])
    contact = one(collide(a, HERE, b, HERE))
    out = (1e-9 - contact.gap) * np.array(contact.normal)
    assert collide(a, (*out, 0), b, HERE) == []
    assert INF in (contact.r1, contact.r2)


@pytest.mark.parametrize("aside", [-4e-16, 0.0, 4e-16, 1e-12, 1e-9])
@pytest.mark.parametrize("depth", [3e-9, 1e-8, 1e-7, 1e-5])
def test_a_corner_over_the_end_of_a_line_hides_no_depth(depth, aside):
    """A half disc lies on a line, one corner just above the line's end, the other below it by
    `depth`: rounding turns the normal of two corners that nearly meet, but not the depth."""
    size, above = 0.3, 0.4 * depth
    half = Path([(-size, 0.0), (size, 0.0)], [1.0, 0.0])
    turn = math.pi - math.atan((above + depth) / (2.0 * size))
    pose = (-3.0 + size + aside, 0.5 * (above - depth), turn)
    line = Segment((-3.0, 0.0), (3.0, 0.0))
    for contacts in (collide(half, pose, line, HERE), collide(line, HERE, half, pose)):
        assert min(c.gap for c in contacts) == pytest.approx(-depth, abs=1e-14)


def test_an_open_path_of_one_edge_is_a_segment():
    ends = ((-1.5, -0.3404034821789958), (1.5, -0.01999233340151224))
    solid = Polygon([(1, 0.1), (-1, 0), (0.3, -0.9)], radius=0.05)
    for x, angle in ((-0.6, 0.0), (0.2, 1.0), (0.9, -2.0)):
        pose, other = (x, -0.3, 0), (0, -0.6, angle)
        line = Path(ends, closed=False)
        assert collide(solid, pose, line, other, 0.3) == collide(
            solid, pose, Segment(*ends), other, 0.3
        )
        assert collide(line, pose, line, other) == collide(
            Segment(*ends), pose, Segment(*ends), other
        )


@pytest.mark.parametrize("at", [(0, 0.5), (0.5, 0), (0.5, 0.5), (-0.3, 0.2), (0.1, -0.9)])
@pytest.mark.parametrize("angle", [0.0, 0.3, PI / 2, PI])
def test_exchanged_shapes_have_the_same_contacts_turned_round(at, angle):
    ell = Polygon([(-1, -1), (1, -1), (1, -0.3), (-0.3, -0.3), (-0.3, 1), (-1, 1)])
    for other in (ell, BOWL, slotted(0.2), Path([(-2, 0), (0, 0.1), (2, 0)], closed=False)):
        forth = collide(ell, (*at, angle), other, HERE, 0.1)
        back = collide(other, HERE, ell, (*at, angle), 0.1)
        turned = [(c.id >> 32, c.id & 0xFFFFFFFF) for c in back]
        assert sorted((f1, f2) for f2, f1 in turned) == [
            (c.id >> 32, c.id & 0xFFFFFFFF) for c in forth
        ]
        assert sorted(c.gap for c in back) == sorted(c.gap for c in forth)
        for c in back:
            assert any(
                c.gap == x.gap and np.array_equal(np.add(c.normal, x.normal), (0, 0)) for x in forth
            )


@pytest.mark.parametrize("bulge", [5e-324, 1e-309, 1e-200, 1e-20, 1e-12, 9e-11])
def test_bulges_too_small_to_see_are_none(bulge):
    flat = Path([(-1, -1), (1, -1), (1, 1), (-1, 1)], [bulge, 0, -bulge, bulge])
    assert list(flat.bulges) == [0, 0, 0, 0]
    assert flat.bounds == ((-1, -1), (1, 1))
    assert flat.area == 4
    line = Path([(-1, 0), (0, 0), (1, 0)], [bulge, -bulge], closed=False)
    assert line.bounds == ((-1, 0), (1, 0))


@pytest.mark.parametrize("rise", [1e-15, 1e-12, 1e-9, 1e-6, 1e-4])
def test_a_disc_of_a_bowls_own_radius_above_its_centre_is_nearest_to_the_rim(rise):
    contacts = collide(Circle(1), (0, rise, 0), BOWL, HERE, 1e-6)
    gap = math.hypot(1, rise) - 1
    assert len([c for c in contacts if c.r2 == 0]) == 2
    assert all(c.gap == pytest.approx(gap, abs=2e-15) for c in contacts)


@pytest.mark.parametrize("by", [0, 1e-9, -1e-9, 1e-6, -1e-6, -1e-4])
def test_a_box_as_high_as_the_step_beside_it_stands_before_the_wall(by):
    floor = Path([(-2, -1), (2, -1), (2, 1), (1, 1), (1, 0), (-2, 0)])
    for x, y in ((by, 0), (0, by)):
        contacts = collide(Box(1, 1), (0.5 - x, 0.5 + y, 0), floor, HERE, 1e-3)
        up = [c.gap for c in contacts if c.normal[1] > 0.5]
        aside = [c.gap for c in contacts if c.normal[0] < -0.5]
        assert (len(up), len(aside)) == (2, 2)
        assert len(contacts) == 4
        np.testing.assert_allclose(up, y, atol=1e-12)
        np.testing.assert_allclose(aside, x, atol=1e-12)


def test_open_paths_that_cross_have_no_contact():
    cross = Path([(-1, 0), (0, 0.2), (1, 0)], closed=False)
    assert collide(cross, HERE, cross, (0, 0, 1.5), INF) == []
