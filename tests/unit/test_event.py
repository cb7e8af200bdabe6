"""Begins, ends and hits of a step, as arrays and by handlers."""

import math

import numpy as np
import pytest

from engine2d import Box, Circle, Segment, World

DT = 1 / 60


def drop(height=1.0, restitution=0.0, **options):
    """A world with a ball at this height above a floor."""
    world = World((0, -10), **options)
    world.add_static(Segment((-20, 0), (20, 0), restitution=restitution))
    ball = world.add_body(Circle(0.5), position=(0, 0.5 + height), mass=2)
    return world, ball


def run(world, seconds):
    for _ in range(round(seconds / DT)):
        world.step(DT)


class TestArrays:
    def test_are_empty_before_the_first_step(self):
        events = World().events
        for rows in (events.begins, events.ends, events.hits):
            assert rows.shape == (0,)
            assert rows.dtype.names == (
                "body_a",
                "body_b",
                "shape_a",
                "shape_b",
                "point",
                "normal",
                "speed",
                "impulse",
                "time",
                "friction",
                "loss",
                "settles",
                "branch",
            )

    def test_of_a_fall(self):
        """One begin and one hit, with the speed sqrt(2 g h); and none after."""
        world, ball = drop(height=1.0)
        begins, hits = [], []
        for _ in range(60):
            world.step(DT)
            begins.extend(world.events.begins)
            hits.extend(world.events.hits)
        assert [{row["body_a"], row["body_b"]} for row in begins] == [{0, ball.id}]
        assert len(hits) == 1
        assert hits[0]["speed"] == pytest.approx(math.sqrt(20), rel=1e-6)
        assert hits[0]["point"] == pytest.approx((0, 0), abs=1e-6)
        assert abs(hits[0]["normal"][1]) == pytest.approx(1)
        # what stops it: m v, and its weight for the rest of the step
        low = 2 * math.sqrt(20)
        assert low * (1 - 1e-6) <= hits[0]["impulse"] <= low + 2 * 10 * DT + 1e-6
        assert world.body(hits[0]["body_b"]) in world.bodies

    def test_ends_when_they_part(self):
        world, ball = drop(height=0.0)
        run(world, 0.1)
        ball.velocity = (0, 5)
        world.step(DT)
        assert [(row["body_a"], row["body_b"]) for row in world.events.ends] == [(0, ball.id)]
        world.step(DT)
        assert len(world.events.ends) == 0

    def test_are_copies(self):
        world, _ball = drop(height=0.0)
        world.step(DT)
        kept = world.events.begins
        world.step(DT)
        assert len(kept) == 1
        assert len(world.events.begins) == 0

    def test_removal_ends(self):
        world, ball = drop(height=0.0)
        world.step(DT)
        world.remove(ball)
        world.step(DT)
        assert [(row["body_a"], row["body_b"]) for row in world.events.ends] == [(0, ball.id)]

    @pytest.mark.parametrize("how", ["position", "kind", "filtered"])
    def test_other_ways_to_part(self, how):
        world, ball = drop(height=0.0)
        world.step(DT)
        if how == "position":
            ball.position = (0, 100)
        elif how == "kind":
            ball.kind = "static"
        else:
            ball.position = (0, 0.7)
        world.step(DT)
        assert len(world.events.ends) == 1

    def test_order_is_that_of_shape_ids(self):
        world = World((0, -10))
        world.add_static(Segment((-100, 0), (100, 0)))
        for k in (5, 3, 9, 1, 7):
            world.add_body(Circle(0.5), position=(3 * k, 0.5))
        world.step(DT)
        rows = world.events.begins
        assert rows["body_b"].tolist() == [1, 2, 3, 4, 5]
        keys = list(zip(rows["shape_a"].tolist(), rows["shape_b"].tolist()))
        assert keys == sorted(keys)

    def test_of_compound_bodies_name_the_shapes(self):
        world = World((0, -10))
        world.add_static(Segment((-9, 0), (9, 0)))
        pair = Circle(0.5, center=(-1, 0)), Circle(0.5, center=(1, 0))
        told = []
        world.events.on_begin(told.append)
        world.add_body(*pair, position=(0, 0.5))
        world.step(DT)
        assert [event.shape_b.shape for event in told] == list(pair)


class TestHandlers:
    def test_are_told_after_the_step(self):
        world, ball = drop(height=1.0, restitution=0.5)
        told = []
        for kind in ("begin", "end", "hit"):
            getattr(world.events, f"on_{kind}")(
                lambda event, kind=kind: told.append((kind, world.steps, event))
            )
        run(world, 0.7)
        kinds = [kind for kind, _, _ in told]
        assert kinds[0] == "begin"
        assert set(kinds) == {"begin", "hit", "end"}
        hit = next(event for kind, _, event in told if kind == "hit")
        assert hit.body_b is ball
        assert hit.shape_b.shape == Circle(0.5)
        assert hit.speed == pytest.approx(math.sqrt(20), rel=1e-6)
        assert isinstance(hit.point, tuple)
        begin = told[0][2]
        assert (begin.point, begin.normal, begin.speed, begin.impulse) == (None, None, 0, 0)

    def test_are_called_in_the_order_they_were_added(self):
        world, _ = drop(height=0.0)
        order = []
        world.events.on_begin(lambda event: order.append("first"))
        world.events.on_begin(lambda event: order.append("second"))
        world.step(DT)
        assert order == ["first", "second"]

    def test_can_be_removed(self):
        world, _ = drop(height=0.0)
        told = []
        handler = world.events.on_begin(told.append)
        world.events.remove_handler(handler)
        with pytest.raises(ValueError, match="handler"):
            world.events.remove_handler(handler)
        world.step(DT)
        assert told == []

    @pytest.mark.parametrize("bad", [None, 1, "print"])
    def test_must_be_callable(self, bad):
        for name in ("on_begin", "on_end", "on_hit"):
            with pytest.raises(TypeError, match="handler"):
                getattr(World().events, name)(bad)

    def test_can_be_used_as_decorators(self):
        world, ball = drop(height=0.0)
        told = []

        @world.events.on_begin
        def remember(event):
            told.append(event.body_b)

        world.step(DT)
        assert told == [ball]
        assert callable(remember)

    def test_may_change_the_world(self):
        """Remove, add, move, restore: the step is over."""
        world, ball = drop(height=0.0)
        snapshot = world.snapshot()
        added = []

        def handler(event):
            world.remove(event.body_b)
            added.append(world.add_body(Circle(0.5), position=(5, 5)))
            added[-1].velocity = (1, 0)
            world.gravity = (0, -1)

        world.events.on_begin(handler)
        world.step(DT)
        assert ball.removed
        assert world.bodies[1:] == added
        world.step(DT)
        assert len(world.events.ends) == 1
        world.restore(snapshot)
        assert not ball.removed
        assert added[0].removed

    def test_removing_the_same_body_from_two_events_is_an_error_of_the_handler(self):
        world = World((0, -10))
        world.add_static(Segment((-9, 0), (0, 0)))
        world.add_static(Segment((0, 0), (9, 0)))
        world.add_body(Box(2, 1), position=(0, 0.5))
        world.events.on_begin(lambda event: world.remove(event.body_b))
        with pytest.raises(ValueError, match="removed"):
            world.step(DT)
        assert len(world.bodies) == 2

    def test_an_error_in_one_does_not_keep_others_from_being_called(self):
        world, _ = drop(height=0.0)
        told = []

        def fail(event):
            raise KeyError("mine")

        world.events.on_begin(fail)
        world.events.on_begin(told.append)
        with pytest.raises(KeyError, match="mine"):
            world.step(DT)
        assert len(told) == 1
        assert world.steps == 1
        world.step(DT)
        assert world.steps == 2

    def test_cannot_step(self):
        world, _ = drop(height=0.0)
        world.events.on_begin(lambda event: world.step(DT))
        with pytest.raises(RuntimeError, match="handlers"):
            world.step(DT)
        assert world.steps == 1
        world.step(DT)
        assert world.steps == 2

    def test_can_step_another_world(self):
        world, _ = drop(height=0.0)
        other, _ = drop()
        world.events.on_begin(lambda event: other.step(DT))
        world.step(DT)
        assert other.steps == 1

    def test_of_a_removed_body_are_given_its_handle(self):
        world, ball = drop(height=0.0)
        ball.data = "ball"
        told = []
        world.events.on_end(told.append)
        world.step(DT)
        world.remove(ball)
        late = world.add_body(Circle(0.5), position=(5, 5))
        world.snapshot()
        assert late.id != ball.id
        world.step(DT)
        assert told[0].body_b is ball
        assert told[0].body_b.removed
        assert told[0].shape_b.shape == Circle(0.5)

    def test_that_add_handlers(self):
        world, _ = drop(height=0.0)
        told = []
        world.events.on_begin(lambda event: world.events.on_begin(told.append))
        world.step(DT)
        assert told == []

    def test_are_not_part_of_a_copy(self):
        world, _ = drop(height=0.0)
        told = []
        world.events.on_begin(told.append)
        world.copy().step(DT)
        assert told == []


def test_hits_of_a_pile_have_finite_numbers():
    world = World((0, -10))
    world.add_static(Segment((-20, 0), (20, 0)))
    rng = np.random.default_rng(1)
    for _ in range(60):
        world.add_body(Box(0.5, 0.5, restitution=0.3), position=rng.uniform((-3, 1), (3, 12)))
    count = 0
    for _ in range(90):
        world.step(DT)
        for rows in (world.events.begins, world.events.ends, world.events.hits):
            count += len(rows)
            for name in ("point", "normal", "speed", "impulse"):
                assert np.isfinite(rows[name]).all()
        assert (world.events.hits["impulse"] >= 0).all()
    assert count > 100


class TestTags:
    def scene(self):
        world = World()
        world.add_static(Segment((-9, 0), (9, 0), tag="floor", restitution=0.5))
        balls = [
            world.add_body(Circle(0.5, tag=tag, restitution=0.5), position=(2 * k, 1), velocity=v)
            for k, (tag, v) in enumerate([("ball", (0, -3)), (7, (0, -3)), (None, (0, -3))])
        ]
        return world, balls

    @pytest.mark.parametrize("name", ["on_begin", "on_hit"])
    def test_handlers_hear_of_theirs_in_their_order(self, name):
        world, balls = self.scene()
        told, other, every, turned = [], [], [], []
        getattr(world.events, name)(told.append, tags=("ball", "floor"))
        getattr(world.events, name)(turned.append, tags=("floor", "ball"))
        getattr(world.events, name)(tags=[7, None])(other.append)
        getattr(world.events, name)(every.append)
        for _ in range(20):
            world.step(1 / 60)
        assert {(e.shape_a.tag, e.shape_b.tag, e.body_a) for e in told} == {
            ("ball", "floor", balls[0])
        }
        assert {(e.shape_a.tag, e.body_b) for e in turned} == {("floor", balls[0])}
        assert {e.body_a for e in other} == {balls[1]}
        assert {e.body_a for e in every} | {e.body_b for e in every} >= set(balls)
        if name == "on_hit":
            # normals point from B into A
            assert all(e.normal.y > 0.99 for e in told)
            assert all(e.normal.y < -0.99 for e in turned)

    def test_ends_have_no_point(self):
        world, _balls = self.scene()
        told = []
        world.events.on_end(told.append, tags=("floor", "ball"))
        world.events.on_begin(told.append, tags=("floor", "ball"))
        for _ in range(40):
            world.step(1 / 60)
        assert len(told) >= 2
        assert {(e.point, e.normal, e.speed, e.impulse) for e in told} == {(None, None, 0.0, 0.0)}

    @pytest.mark.parametrize("tags", ["ab", ("a",), ("a", "b", "c"), 3, (1.5, "a")])
    def test_bad_tags_are_refused(self, tags):
        if tags == "ab":
            tags = "xyz"
        with pytest.raises(ValueError, match="tag"):
            World().events.on_begin(print, tags=tags)

    def test_a_handler_can_be_removed(self):
        world, _balls = self.scene()
        told = []
        world.events.on_begin(told.append, tags=("ball", "floor"))
        world.events.remove_handler(told.append)
        for _ in range(20):
            world.step(1 / 60)
        assert not told
