"""Vec2 and Vec3: tuples with arithmetic."""

import copy
import gc
import inspect
import json
import math
import pickle
import sys
import weakref

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine2d
from engine2d import Box, Capsule, Circle, Path, Polygon, Segment, Vec2, World
from engine3d import Vec3

numbers = st.floats(-1e6, 1e6)
pairs = st.tuples(numbers, numbers)
triples = st.tuples(numbers, numbers, numbers)


@given(pairs, pairs, numbers)
def test_the_plane_adds_as_numpy_does(a, b, s):
    v, w, x, y = Vec2(a), Vec2(*b), np.array(a), np.array(b)
    for ours, numpys in (
        (v + w, x + y),
        (v + b, x + y),
        (a + w, x + y),
        (v - list(b), x - y),
        (a - w, x - y),
        (v * s, x * s),
        (s * v, x * s),
        (np.float64(s) * v, x * s),
        (-v, -x),
        (+v, x),
    ):
        assert type(ours) is Vec2
        assert ours == tuple(numpys.tolist())
    assert abs(v) == v.length
    assert abs(abs(v) - math.hypot(*a)) <= 4e-16 * abs(v)
    assert v.dot(w) == a[0] * b[0] + a[1] * b[1]
    assert v.cross(b) == a[0] * b[1] - a[1] * b[0]
    assert v.distance_to(b) == (v - w).length
    if s:
        assert v / s == (a[0] / s, a[1] / s)


@given(pairs, st.floats(-10, 10))
def test_turning_keeps_the_length_and_adds_the_angle(a, turn):
    v = Vec2(a)
    rounding = 4e-16 * abs(v) + 1e-322  # below the normal numbers a unit is 5e-324
    turned = v.rotated(turn)
    assert abs(abs(turned) - abs(v)) <= rounding
    assert v.perpendicular() == (-a[1], a[0])
    assert abs(v.rotated(math.pi / 2) - v.perpendicular()) <= rounding
    assert abs(Vec2.polar(abs(v), v.angle) - v) <= 2 * rounding
    if abs(v) > 1e-100:
        assert abs(abs(v.normalized()) - 1.0) <= 4e-16
        off = math.remainder(turned.angle - v.angle - turn, 2 * math.pi)
        assert abs(off) < 1e-14


@given(triples, triples, st.floats(-10, 10))
def test_space_is_as_the_plane(a, b, turn):
    v, w = Vec3(a), Vec3(*b)
    assert v + w == tuple((np.array(a) + b).tolist())
    assert v.cross(w) == tuple(np.cross(a, b).tolist())
    assert type(v.cross(b)) is type(2 * v) is type(v.normalized()) is Vec3
    assert (v.x, v.y, v.z) == a
    # below 1e-300 lengths have fewer digits
    assert abs(abs(v) - math.hypot(*a)) <= 4e-16 * abs(v) + 1e-323
    if abs(w) > 1e-3:
        turned = v.rotated(w, turn)
        assert abs(abs(turned) - abs(v)) <= 1e-14 * abs(v)
        # what lies along the axis stays
        assert abs(turned.dot(w) - v.dot(w)) <= 1e-13 * abs(v) * abs(w)


def test_a_vector_is_a_tuple():
    v = Vec2(3, 4)
    x, y = v
    assert (x, y, v[0], v[-1], len(v)) == (3.0, 4.0, 3.0, 4.0, 2)
    assert isinstance(v, tuple)
    assert v == (3, 4)
    assert hash(v) == hash((3.0, 4.0))
    assert {v: 1}[(3, 4)] == 1
    assert json.dumps(v) == "[3.0, 4.0]"
    assert np.array([v, v]).shape == (2, 2)
    assert repr(v) == "Vec2(3.0, 4.0)"
    for again in (pickle.loads(pickle.dumps(v)), copy.copy(v), copy.deepcopy(v)):
        assert again == v
        assert type(again) is Vec2
    match v:
        case Vec2(a, b):
            assert (a, b) == (3.0, 4.0)
    with pytest.raises(AttributeError):
        v.x = 1.0
    with pytest.raises(AttributeError):
        v.z = 1.0


def test_with_arrays_numpys_rules_hold():
    v, rows = Vec2(1, 2), np.arange(6.0).reshape(3, 2)
    for ours, right in (
        (v + rows, np.array((1, 2)) + rows),
        (rows + v, np.array((1, 2)) + rows),
        (rows * v, np.array((1, 2)) * rows),
        (v * rows, np.array((1, 2)) * rows),
        (v - rows, np.array((1, 2)) - rows),
    ):
        assert isinstance(ours, np.ndarray)
        assert (ours == right).all()


@pytest.mark.parametrize(
    ("make", "error", "told"),
    [
        (lambda v: v + 1, TypeError, "unsupported"),
        (lambda v: v + (1, 2, 3), TypeError, "unsupported"),
        (lambda v: v + ("a", "b"), TypeError, "unsupported"),
        (lambda v: v * (1, 2), TypeError, "unsupported|multiply"),
        (lambda v: v / 0, ZeroDivisionError, "Vec2"),
        (lambda v: v.dot(3), ValueError, "other must be 2 numbers"),
        (lambda v: v.rotated("x"), TypeError, "angle"),
        (lambda v: Vec2(1), ValueError, "Vec2 must be 2 numbers"),
        (lambda v: Vec2(1, 2, 3), TypeError, "Vec2 takes 2 numbers"),
        (lambda v: Vec2("a", 1), TypeError, "x must be a number"),
        (lambda v: Vec3(1, 2, 3).rotated((0, 0, 0), 1.0), ValueError, "axis"),
    ],
)
def test_what_makes_no_sense_is_refused(make, error, told):
    with pytest.raises(error, match=told):
        make(Vec2(1, 2))


def test_zero_has_no_direction():
    assert Vec2(0, 0).normalized() == (0, 0)
    assert Vec2(0, 0).angle == 0.0


def test_everything_that_is_a_vector_comes_back_as_one():
    world = World()
    body = world.add_body(Box(1, 1, center=(0.1, 0)), position=(0, 0.5), velocity=(1, 0))
    world.add_static(Segment((-5, 0), (5, 0)))
    told = []
    world.events.on_hit(told.append)
    other = world.add_body(Circle(0.3), position=(0.2, 3), velocity=(0, -20))
    for _ in range(20):
        world.step(1 / 60)
    assert told
    contact = world.contacts[0]
    ray = world.ray_query((0, 5), (0, -5))
    shape = Capsule((0, 0), (1, 0), 0.2)
    vectors = [
        body.position, body.center, body.local_center, body.velocity, body.force, world.gravity,
        body.to_world((0, 0)), body.to_local((0, 0)), body.velocity_at((0, 0)),
        contact.point, contact.normal, told[0].point, told[0].normal, ray.point, ray.normal,
        world.nearest_query((0, 9)).point, shape.a, shape.b, shape.centroid, *shape.bounds,
        Circle(1).center, other.position,
    ]  # fmt: skip
    assert {type(v) for v in vectors} == {Vec2}


def test_reading_vectors_leaks_nothing():
    import sys

    world = World()
    body = world.add_body(Circle(1), position=(1, 2))
    for _ in range(10):
        assert body.position == (1, 2)
    gc.collect()
    kinds, blocks = sys.getrefcount(Vec2), sys.getallocatedblocks()
    for _ in range(10_000):
        body.position  # noqa: B018
    assert sys.getrefcount(Vec2) == kinds
    assert abs(sys.getallocatedblocks() - blocks) < 100


SHAPES = {
    Circle: {"radius": 1},
    Box: {"width": 1, "height": 2},
    Polygon: {"vertices": [(0, 0), (1, 0), (0, 1)]},
    Capsule: {"a": (0, 0), "b": (1, 0), "radius": 0.1},
    Segment: {"a": (0, 0), "b": (1, 0)},
    Path: {"points": [(0, 0), (1, 0), (0, 1)]},
}


@pytest.mark.parametrize("kind", SHAPES)
def test_a_shape_has_the_defaults_that_its_signature_names(kind):
    signature = inspect.signature(kind)
    shape = kind(**SHAPES[kind])
    materials = {
        name: item
        for name, item in signature.parameters.items()
        if item.kind is inspect.Parameter.KEYWORD_ONLY
    }
    assert list(materials) == list(inspect.signature(Circle).parameters)[2:]
    for name, item in materials.items():
        wanted = engine2d.Filter() if name == "filter" else item.default
        assert getattr(shape, name) == wanted
        assert shape.replace(**{name: item.default}) == shape
    with pytest.raises(TypeError, match="frictoin"):
        kind(**SHAPES[kind], frictoin=1)


@pytest.mark.parametrize("tag", [None, 0, -7, 2**31 - 1, "", "wheel", np.int8(3)])
def test_tags_travel_with_their_shapes(tag):
    shape = Circle(1, tag=tag)
    assert shape.tag == tag
    assert pickle.loads(pickle.dumps(shape)) == shape == shape.replace(radius=1)
    assert (shape == Circle(1)) == (tag is None)


@pytest.mark.parametrize("tag", [1.5, True, "x" * 101, 2**31, (1, 2), b"x"])
def test_other_tags_are_refused(tag):
    with pytest.raises(ValueError, match="tag must be a string .* or an integer"):
        Circle(1, tag=tag)


class Place(Vec2):
    """A user's own, with a dict."""


class Place3(Vec3):
    """Likewise, of space."""


def test_classes_of_users_have_arithmetic():
    """Their dict begins empty: it began as whatever stood in memory, and ended the interpreter."""
    for one in (Place(1.0, 2.0), Place3(1.0, 2.0, 3.0)):
        for _ in range(200):
            sum_ = one + one
            assert -(sum_ - one) * 2.0 == tuple(-2.0 * x for x in one)
            assert type(sum_) is type(one)
            assert sum_.__dict__ == {}
            sum_.name = "there"


@pytest.mark.parametrize("kind", [Vec2, Place])
def test_vectors_are_freed_with_all_they_hold(kind):
    """They free themselves as tuples do: counts of references come back to what they were."""
    item, number = object(), 12345.678
    tuple.__new__(kind, (item, number))
    before = sys.getrefcount(kind), sys.getrefcount(item), sys.getrefcount(number)
    for _ in range(1000):
        vector = kind(1.0, 2.0) + (3.0, 4.0)
        tuple.__new__(kind, (item, number))
        tuple.__new__(kind, (number, number, number))
        tuple.__new__(kind, ())
    del vector
    after = sys.getrefcount(kind), sys.getrefcount(item), sys.getrefcount(number)
    assert after == before


def test_vectors_of_vectors_are_freed_however_deep():
    deep = ()
    for _ in range(100_000):
        deep = tuple.__new__(Vec2, (deep,))
    del deep
    node = type("Node", (), {})()
    node.back = tuple.__new__(Vec2, (node,))
    gone = weakref.ref(node)
    del node
    gc.collect()
    assert gone() is None
