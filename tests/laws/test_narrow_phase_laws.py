"""What contact points of any two shapes must obey, mostly by comparison with the slow oracle."""

import cmath
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine2d import Box, Circle, Path, Polygon
from engine2d.collide.distance import distance
from engine2d.collide.narrow_phase import contact_points as collide
from engine2d.collide.time_of_impact import time_of_impact
from tests import shape_fuzz
from tests import shape_oracle as oracle
from tests.shape_families import CONVEX, KINDS, SOLID, pairs, poses, shapes
from tests.support import numbers

ALL = 100.0  # m, a margin that no pair here exceeds
EXACT = 1e-9  # m, what distances are promised to
ROUNDING = 1e-12  # m, of sums of numbers of a few metres, with room for flat arcs (radius 1e3)
REACH = 4.0  # m, no shape here reaches farther from its frame's origin


SHALLOW = 0.04  # m, less than half of what any slot or arm here is wide
TILT = math.radians(15.0)  # edges face each other up to here: then the far end is a contact too


def deepest(contacts):
    return min(contacts, key=lambda contact: contact.gap)


def collide_all(*pair):
    """All contacts, of pairs that have any: two lines that cross have none."""
    contacts = collide(*pair, margin=ALL)
    assume(contacts)
    return contacts


def as_complex(vector):
    return complex(*vector)


def pairs_of(data, kind, others=tuple(KINDS), **options):
    """A pair with one shape of this kind, as A or as B."""
    a, pose_a, b, pose_b = data.draw(pairs((kind,), others, **options))
    return (b, pose_b, a, pose_a) if data.draw(st.booleans()) else (a, pose_a, b, pose_b)


# ---- against the oracle --------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=25)
@given(data=st.data())
def test_apart_the_least_gap_is_the_distance(kind, data):
    """And its normal leads from nearest point to nearest point."""
    pair = pairs_of(data, kind, gap=(0.0, 0.5))
    nearest = oracle.nearest_pairs(*pair, slack=EXACT)
    assume(nearest)
    contact = deepest(collide(*pair, margin=ALL))
    least = min(near.distance for near in nearest)
    assert contact.gap == pytest.approx(least, abs=EXACT)
    if least > EXACT:  # nearer, the line between them has no direction to speak of
        slack = 1e-6 + 1e-13 / least
        normals = [(near.on_a - near.on_b) / near.distance for near in nearest]
        assert min(abs(as_complex(contact.normal) - n) for n in normals) <= slack


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=15)
@given(data=st.data())
def test_apart_nothing_overlaps_and_surfaces_are_where_contacts_say(kind, data):
    """Half the gap from a contact's point along its normal is A's boundary, back is B's.

    A rounded corner at the far end of two edges that face each other has a normal up to TILT
    outside its sector, and its circle is as much nearer than the straight side beside it.
    """
    pair = pairs_of(data, kind, gap=(0.0, 0.2))
    assume(oracle.distance(*pair) > EXACT)
    check_surfaces(*pair)


def check_surfaces(a, pose_a, b, pose_b):
    contacts = collide(a, pose_a, b, pose_b, margin=0.3)
    for contact in contacts:
        assert contact.gap >= -EXACT
        slack = EXACT
        if contact.gap > deepest(contacts).gap + EXACT:
            radii = [abs(r) for r in (contact.r1, contact.r2) if math.isfinite(r)]
            slack += max(radii) * (1.0 - math.cos(TILT))
        half = 0.5 * contact.gap * as_complex(contact.normal)
        on_a, on_b = as_complex(contact.point) + half, as_complex(contact.point) - half
        assert oracle.distance_to_boundary(a, pose_a, (on_a.real, on_a.imag)) <= slack
        assert oracle.distance_to_boundary(b, pose_b, (on_b.real, on_b.imag)) <= slack


@pytest.mark.parametrize("turned", [False, True])
def test_an_edge_that_ends_at_an_arc_has_no_contact_behind_it(turned):
    """A corner above the end of an edge, and behind the tangent of the arc that follows, is beside
    the edge, not on it."""
    terrain = Path(
        [(-1.5, 0), (-0.9, 0), (-0.3, -0.125), (0.3, -0.25), (0.9, 0), (1.5, 0)],
        [0, 0, 0, -0.5625, 0],
        closed=False,
    )
    turns = 2 * np.pi * np.arange(5) / 5
    points = np.column_stack([np.cos(turns), np.sin(turns)])
    points[0] = 0.625, 0.0
    pair = terrain, (0.6475048676345692, -0.3577714537696091, 1.625), Polygon(points), (0, 0, 0)
    assert oracle.distance(*pair) > EXACT
    check_surfaces(*(pair[2:] + pair[:2] if turned else pair))


@pytest.mark.parametrize("kind", CONVEX)
@settings(max_examples=25)
@given(data=st.data())
def test_convex_shapes_overlap_by_the_least_way_out(kind, data):
    pair = pairs_of(data, kind, CONVEX, gap=(-0.6, 0.1))
    gap, _ = oracle.convex_gap(*pair)
    contact = deepest(collide(*pair, margin=ALL))
    assert contact.gap == pytest.approx(gap, abs=EXACT)


@pytest.mark.parametrize("kind", CONVEX)
@settings(max_examples=15)
@given(data=st.data())
def test_moving_convex_shapes_out_along_the_normal_parts_them(kind, data):
    a, pose_a, b, pose_b = pair = pairs_of(data, kind, CONVEX, gap=(-0.6, -1e-3))
    contact = deepest(collide(*pair, margin=0.0) or collide(*pair, margin=ALL))
    way = -contact.gap * np.array(contact.normal)
    out = (pose_a[0] + way[0], pose_a[1] + way[1], pose_a[2])
    gap, _ = oracle.convex_gap(a, out, b, pose_b)
    assert gap == pytest.approx(0.0, abs=EXACT)


@pytest.mark.parametrize("kind", SOLID)
@settings(max_examples=20)
@given(data=st.data())
def test_overlapping_shapes_have_a_contact_that_leads_out(kind, data):
    """A shallow overlap gets less along its normal, by its depth. (Of a disc that covers a whole
    slot no contact need lead out.)"""
    pair = a, pose_a, b, pose_b = pairs_of(data, kind, SOLID, gap=(-0.1, -1e-3))
    before = oracle.overlap_area(*pair)
    assume(before > 1e-4)
    contact = deepest(collide(*pair, margin=0.0))
    assert contact.gap < 0.0
    assume(oracle.is_shallow(*pair, depth=SHALLOW))
    way = -contact.gap * np.array(contact.normal)
    out = (pose_a[0] + way[0], pose_a[1] + way[1], pose_a[2])
    assert oracle.overlap_area(a, out, b, pose_b) < before


@settings(max_examples=100)
@given(pairs(("terrain", "segment"), SOLID, gap=(-0.2, -1e-3)))
def test_lines_that_cross_a_solid_touch_it(pair):
    assume(oracle.to_shapely(*pair[:2]).intersection(oracle.to_shapely(*pair[2:])).length > 1e-3)
    assert deepest(collide(*pair)).gap < 0.0


# ---- many random pairs ---------------------------------------------------------------------------

TOUCHING = (0.0, 1e-9, -1e-9, 1e-7, -1e-7, 1e-5, -1e-5)  # m, gaps


@pytest.mark.parametrize("seed", range(2))
def test_shapes_that_touch_have_the_gap_they_have(seed):
    """A is moved straight to the nearest point of B, but for a gap. No contact is deeper than that,
    but for corners: two that pass each other meet edges at asin(1/20) or more, or nothing."""
    rng = np.random.default_rng(seed)
    for _ in range(3000):
        a, pose_a = shape_fuzz.make_shape(rng), shape_fuzz.make_pose(rng, 2.0)
        b, pose_b = shape_fuzz.make_shape(rng), shape_fuzz.make_pose(rng, 1.0)
        nearest = oracle.nearest_pairs(a, pose_a, b, pose_b)
        if not nearest or nearest[0].distance < 1e-3:
            continue
        way = nearest[0].on_b - nearest[0].on_a
        for gap in TOUCHING:
            pose = shape_fuzz.move(pose_a, way * (1.0 - gap / abs(way)))
            gaps = [c.gap for c in collide(a, pose, b, pose_b, margin=0.05)]
            if gap >= 0.0:
                assert min(gaps) == pytest.approx(gap, abs=2 * EXACT)
            elif a.closed or b.closed:
                assert 20.0 * gap - 2 * EXACT <= min(gaps) <= 2 * EXACT - gap


@pytest.mark.parametrize(("kinds", "seed"), [(SOLID, 0), (SOLID, 1), (("terrain", "segment"), 2)])
def test_following_the_contacts_leads_out_however_deep_the_overlap(kinds, seed):
    """A is moved the shortest way that resolves all contacts, a few times."""
    rng = np.random.default_rng(seed)
    for _ in range(500):
        a, pose_a = shape_fuzz.make_shape(rng, kinds), shape_fuzz.make_pose(rng, 0.8)
        b, pose_b = shape_fuzz.make_shape(rng, SOLID), shape_fuzz.make_pose(rng, 0.8)
        for _turn in range(8):
            deep = [c for c in collide(a, pose_a, b, pose_b) if c.gap < -EXACT]
            if not deep:
                break
            pose_a = shape_fuzz.move(pose_a, complex(*shape_fuzz.least_push(deep)))
        assert not deep
        solids = oracle.to_shapely(a, pose_a, 1e-5), oracle.to_shapely(b, pose_b, 1e-5)
        common = solids[0].intersection(solids[1])
        assert common.area < 1e-4
        assert a.closed or common.length < 1e-2


# ---- symmetries ----------------------------------------------------------------------------------


@settings(max_examples=100)
@given(pairs())
def test_each_contact_has_its_own_id_a_unit_normal_and_no_more_than_the_margin(pair):
    contacts = collide(*pair, margin=0.2)
    assert len({contact.id for contact in contacts}) == len(contacts)
    for contact in contacts:
        assert math.hypot(*contact.normal) == pytest.approx(1.0, abs=1e-14)
        assert contact.gap <= 0.2


@settings(max_examples=100)
@given(pairs())
def test_exchanging_the_shapes_turns_the_normals_round(pair):
    a, pose_a, b, pose_b = pair
    forth, back = collide_all(*pair), collide_all(b, pose_b, a, pose_a)
    one, other = deepest(forth), deepest(back)
    assert other.gap == pytest.approx(one.gap, abs=ROUNDING)
    # of several with the same gap either may be the first
    mates = [x for x in back if x.gap <= one.gap + 1e-9]
    assert any(
        np.allclose(np.add(x.normal, one.normal), 0.0, atol=1e-6)
        and {x.r1, x.r2} == {one.r1, one.r2}
        for x in mates
    ) or is_tied(forth, back, one.gap)


def is_tied(forth, back, gap):
    """Whether another contact is as deep, with another normal: then no answer is the right one."""
    normals = [as_complex(x.normal) for x in forth if x.gap <= gap + 1e-9]
    normals += [-as_complex(x.normal) for x in back if x.gap <= gap + 1e-9]
    return any(abs(n - normals[0]) > 1e-6 for n in normals)


def compare(first, second, turn, shift, slack):
    """Contacts with the same id are the same but for a motion; returns how many there are."""
    found = {contact.id: contact for contact in second}
    common = [(one, found[one.id]) for one in first if one.id in found]
    for one, other in common:
        assert other.gap == pytest.approx(one.gap, abs=slack)
        assert abs(as_complex(other.normal) - turn * as_complex(one.normal)) <= 1e-6
        moved = turn * as_complex(one.point) + shift
        assert abs(as_complex(other.point) - moved) <= 1e-6
        assert (other.r1, other.r2) == (one.r1, one.r2)
    return len(common)


@settings(max_examples=100)
@given(pairs(), poses(10.0))
def test_moving_both_moves_the_contacts(pair, motion):
    a, pose_a, b, pose_b = pair
    turn, shift = cmath.rect(1.0, motion[2]), complex(motion[0], motion[1])

    def move(pose):
        place = turn * complex(pose[0], pose[1]) + shift
        return (place.real, place.imag, pose[2] + motion[2])

    here = collide(*pair, margin=0.3)
    there = collide(a, move(pose_a), b, move(pose_b), margin=0.3 + EXACT)
    compare(here, there, turn, shift, 10 * ROUNDING)
    if here:
        assert deepest(there).gap == pytest.approx(deepest(here).gap, abs=10 * ROUNDING)


@settings(max_examples=100)
@given(pairs(), st.sampled_from([(1e4, 0.0), (-1e4, 1e4), (3e3, -7e3)]))
def test_far_from_the_origin_only_the_digits_of_places_are_lost(pair, far):
    """Places are multiples of 2^-20 m, so that both poses move by exactly the same."""
    a, pose_a, b, pose_b = pair
    poses_here = [
        (round(x * 2**20) / 2**20, round(y * 2**20) / 2**20, w) for x, y, w in (pose_a, pose_b)
    ]
    poses_there = [(x + far[0], y + far[1], w) for x, y, w in poses_here]
    here = collide_all(a, poses_here[0], b, poses_here[1])
    there = collide(a, poses_there[0], b, poses_there[1], margin=ALL)
    slack = 8 * np.spacing(max(map(abs, far)))
    assert deepest(there).gap == pytest.approx(deepest(here).gap, abs=slack + ROUNDING)
    compare(here, there, 1.0, complex(*far), slack + ROUNDING)


def mirrored(shape):
    """The shape seen in the y axis."""
    flip = np.array([-1.0, 1.0])
    if isinstance(shape, Circle):
        return Circle(shape.radius, center=flip * shape.center)
    if isinstance(shape, Box):
        width, height = shape.width, shape.height
        return Box(width, height, flip * shape.center, -shape.angle, shape.radius)
    if isinstance(shape, Polygon):
        return Polygon(flip * shape.vertices, shape.radius)
    if isinstance(shape, Path):
        bulges = -shape.bulges if shape.closed else -shape.bulges[: len(shape.points) - 1]
        return Path(flip * shape.points, bulges, closed=shape.closed)
    return type(shape)(flip * shape.a, flip * shape.b, shape.radius)


@settings(max_examples=100)
@given(pairs())
def test_in_a_mirror_gaps_are_the_same(pair):
    a, pose_a, b, pose_b = pair
    seen = [(-x, y, -angle) for x, y, angle in (pose_a, pose_b)]
    here = collide_all(*pair)
    there = collide(mirrored(a), seen[0], mirrored(b), seen[1], margin=ALL)
    assert deepest(there).gap == pytest.approx(deepest(here).gap, abs=10 * ROUNDING)


# ---- small motions -------------------------------------------------------------------------------


@settings(max_examples=100)
@given(pairs(), numbers(-1e-3, 1e-3), numbers(-1e-3, 1e-3), numbers(-1e-3, 1e-3))
def test_apart_the_gap_changes_no_more_than_the_motion(pair, dx, dy, turn):
    check_lipschitz(pair, dx, dy, turn, collide_all(*pair), least=2e-2)


@settings(max_examples=100)
@given(pairs(CONVEX), numbers(-1e-3, 1e-3), numbers(-1e-3, 1e-3), numbers(-1e-3, 1e-3))
def test_the_depth_of_convex_shapes_changes_no_more_than_the_motion(pair, dx, dy, turn):
    check_lipschitz(pair, dx, dy, turn, collide_all(*pair), least=-math.inf)


def check_lipschitz(pair, dx, dy, turn, before, least):
    a, (x, y, angle), b, pose_b = pair
    gap = deepest(before).gap
    assume(gap >= least)
    moved = collide_all(a, (x + dx, y + dy, angle + turn), b, pose_b)
    assert abs(deepest(moved).gap - gap) <= math.hypot(dx, dy) + abs(turn) * REACH + ROUNDING


@settings(max_examples=100)
@given(shapes(), shapes(), st.integers(0, 2**32 - 1))
def test_ids_stay_when_bodies_hardly_move(a, b, seed):
    """At random places nothing is on the verge of being another feature, or of leaving the margin,
    by chance of one in millions."""
    rng = np.random.default_rng(seed)
    pose_a, pose_b = (np.array([*rng.uniform(-1, 1, 2), rng.uniform(-3, 3)]) for _ in range(2))
    before = collide(a, pose_a, b, pose_b, margin=0.5)
    after = collide(a, pose_a + rng.uniform(-1e-9, 1e-9, 3), b, pose_b, margin=0.5)
    assert {contact.id for contact in before} == {contact.id for contact in after}


@settings(max_examples=100)
@given(pairs(), numbers(0.0, 0.3), numbers(0.0, 0.3))
def test_a_larger_margin_only_adds_contacts(pair, one, other):
    small, large = sorted([one, other])
    few, many = collide(*pair, margin=small), collide(*pair, margin=large)
    assert {contact.id for contact in few} <= {contact.id for contact in many}
    if few:
        assert deepest(few).gap == deepest(many).gap


# ---- distance and time of impact -----------------------------------------------------------------


@settings(max_examples=100)
@given(pairs(gap=(0.0, 0.5)))
def test_distance_is_that_of_the_oracle_and_between_its_points(pair):
    nearest = oracle.nearest_pairs(*pair)
    assume(nearest)
    found = distance(*pair)
    assert found.distance == pytest.approx(nearest[0].distance, abs=EXACT)
    assert math.dist(found.point_a, found.point_b) == pytest.approx(found.distance, abs=EXACT)


motions = st.tuples(numbers(-3.0, 3.0), numbers(-3.0, 3.0), numbers(-3.0, 3.0))


@settings(max_examples=40)
@given(pairs(gap=(0.01, 1.0)), motions, motions)
def test_shapes_touch_at_the_time_of_impact_and_not_before(pair, velocity_a, velocity_b):
    a, pose_a, b, pose_b = pair
    assume(oracle.distance(*pair) > EXACT)
    impact = time_of_impact(a, pose_a, velocity_a, b, pose_b, velocity_b, 1.0)

    def at(t):
        moved_a, moved_b = (
            np.add(pose_a, t * np.array(velocity_a)),
            np.add(pose_b, t * np.array(velocity_b)),
        )
        return oracle.distance(a, tuple(moved_a), b, tuple(moved_b))

    end = impact.time if impact else 1.0
    assert all(at(t) > 0.0 for t in np.linspace(0.0, end, 16)[:-1])
    if impact:
        assert at(end) <= 2 * EXACT
