"""Who falls asleep in a world and who collides with whom: rules of pairs, filters, sensors."""

import math

import numpy as np
import pytest

from engine2d import Box, Circle, Filter, Segment, World
from tests.floor import DT, floor_world, run


class TestSleep:
    def test_comes_at_rest_and_costs_no_island(self):
        world = floor_world()
        block = world.add_body(Box(1, 1), position=(0, 0.5))
        run(world, 2)
        assert not block.awake
        assert world.stats["islands"] == 0
        assert sum(c.normal_force for c in world.contacts) == pytest.approx(10, rel=1e-6)

    @pytest.mark.parametrize(
        "stir",
        [
            lambda block: block.wake(),
            lambda block: setattr(block, "velocity", (0, 0)),
            lambda block: block.apply_impulse((0, 0)),
            lambda block: block.apply_force((0, 0)),
            lambda block: setattr(block, "mass", 2),
            lambda block: setattr(block, "linear_damping", 2),
            lambda block: setattr(block, "position", (0, 0.5)),
        ],
    )
    def test_ends_when_it_is_stirred(self, stir):
        world = floor_world()
        block = world.add_body(Box(1, 1), position=(0, 0.5))
        run(world, 2)
        assert not block.awake
        stir(block)
        assert block.awake

    def test_can_be_forbidden(self):
        world = floor_world(sleeping=False)
        block = world.add_body(Box(1, 1), position=(0, 0.5))
        run(world, 2)
        assert block.awake
        world = floor_world()
        block = world.add_body(Box(1, 1), position=(0, 0.5), can_sleep=False)
        run(world, 2)
        assert block.awake

    def test_ends_when_it_is_forbidden(self):
        world = floor_world()
        block = world.add_body(Box(1, 1), position=(0, 0.5))
        run(world, 2)
        world.sleeping = False
        world.step(DT)
        assert block.awake

    def test_ends_with_gravity(self):
        world = floor_world()
        block = world.add_body(Box(1, 1), position=(0, 0.5))
        run(world, 2)
        world.gravity = (0, 10)
        run(world, 0.5)
        assert block.position[1] > 1

    @pytest.mark.parametrize("way", [-0.004, -3.0, 0.01])
    def test_ends_when_what_is_underneath_is_put_elsewhere(self, way):
        world = floor_world()
        block = world.add_body(Box(1, 1), position=(0, 0.5))
        run(world, 2)
        assert not block.awake
        world.bodies[0].position = (0, way)
        run(world, 2)
        assert block.position[1] == pytest.approx(0.5 + way, abs=2e-4)

    def test_ends_when_a_lift_starts(self):
        world = World((0, -10))
        lift = world.add_kinematic(Box(4, 1), position=(0, -0.5))
        block = world.add_body(Box(1, 1), position=(0, 0.5))
        run(world, 2)
        assert not block.awake
        lift.velocity = (0, 1)
        run(world, 1)
        assert block.position[1] == pytest.approx(1.5, abs=1e-3)
        assert block.awake
        lift.velocity = (0, 0)
        run(world, 2)
        assert not block.awake

    @pytest.mark.parametrize("kind", ["kinematic", "dynamic"])
    def test_ends_when_what_is_underneath_changes_its_kind(self, kind):
        world = World((0, -10))
        base = world.add_static(Box(4, 1), position=(0, -0.5))
        block = world.add_body(Box(1, 1), position=(0, 0.5))
        run(world, 2)
        assert not block.awake
        base.kind = kind
        run(world, 0.25)
        assert block.awake
        fallen = 0.5 * 10 * 0.25**2 if kind == "dynamic" else 0.0
        assert block.position[1] == pytest.approx(0.5 - fallen, abs=0.03)

    def test_ends_when_something_lands_on_it(self):
        world = floor_world()
        block = world.add_body(Box(1, 1), position=(0, 0.5))
        run(world, 2)
        world.add_body(Circle(0.3), position=(0.3, 1.5))
        run(world, 0.4)
        assert block.awake


class TestRules:
    """A pair's friction is sqrt(a b) and its restitution max(a, b), unless the world says else."""

    @pytest.mark.parametrize(
        ("rule", "mixed"),
        [
            ("geometric", math.sqrt(0.2 * 0.8)),
            ("maximum", 0.8),
            ("minimum", 0.2),
            ("average", 0.5),
            ("product", 0.16),
        ],
    )
    def test_mix(self, rule, mixed):
        world = World((0, -10), friction_rule=rule, restitution_rule=rule)
        world.add_static(Box(10, 1, friction=0.2, restitution=0.2), position=(0, -0.5))
        world.add_body(Box(1, 1, friction=0.8, restitution=0.8), position=(0, 0.5))
        world.step(DT)
        rows = world.contacts.arrays
        assert rows["friction"] == pytest.approx([mixed, mixed], rel=1e-15)
        assert rows["restitution"] == pytest.approx([mixed, mixed], rel=1e-15)

    def test_defaults(self):
        world = World()
        world.add_static(Box(10, 1, friction=0.2, restitution=0.2), position=(0, -0.5))
        world.add_body(Box(1, 1, friction=0.8, restitution=0.8), position=(0, 0.5))
        world.step(DT)
        assert world.contacts.arrays["friction"][0] == pytest.approx(0.4)
        assert world.contacts.arrays["restitution"][0] == 0.8

    def test_bounce(self):
        """A drop from h comes back to e^2 h."""
        world = World((0, -10))
        world.add_static(Segment((-5, 0), (5, 0), restitution=0.5))
        ball = world.add_body(Circle(0.5), position=(0, 2.5))
        run(world, math.sqrt(2 * 2 / 10) + 0.02)
        assert ball.velocity[1] > 0
        top = 0
        for _ in range(60):
            world.step(DT)
            top = max(top, ball.position[1])
        assert top - 0.5 == pytest.approx(0.25 * 2, rel=0.02)

    @pytest.mark.parametrize("bad", ["mean", None, 1, []])
    def test_bad_ones_are_refused(self, bad):
        for name in ("friction_rule", "restitution_rule"):
            with pytest.raises(ValueError, match=name):
                World(**{name: bad})


class TestFilters:
    def fall(self, a, b):
        """Whether a ball with filter a falls through a floor with filter b."""
        world = World((0, -10))
        world.add_static(Box(4, 1, filter=b), position=(0, -0.5))
        ball = world.add_body(Circle(0.5, filter=a), position=(0, 0.5))
        run(world, 0.5)
        return ball.position[1] < 0

    @pytest.mark.parametrize(
        ("a", "b"),
        [
            (Filter(), Filter()),
            (Filter(category=2, mask=1), Filter()),
            (Filter(category=2, mask=4), Filter(category=4, mask=2)),
            (Filter(category=2, mask=4), Filter(category=4, mask=8)),
            (Filter(category=2, mask=4), Filter(category=8, mask=2)),
            (Filter(group=3), Filter(group=3)),
            (Filter(group=-3), Filter(group=-3)),
            (Filter(group=-3), Filter(group=-4)),
            (Filter(category=2, mask=4, group=1), Filter(category=2, mask=4, group=1)),
            (Filter(mask=0), Filter()),
        ],
    )
    def test_decide_who_collides(self, a, b):
        assert self.fall(a, b) == (not a.allows(b))
        assert a.allows(b) == b.allows(a)

    def test_shapes_of_one_body_never_collide(self):
        world = World(gravity=(0, 0))
        world.add_body(Circle(1), Circle(1, center=(0.5, 0)))
        world.step(DT)
        assert len(world.contacts) == 0
        assert world.velocities.tolist() == [[0, 0]]


class TestSensors:
    def test_push_nothing_and_report(self):
        world = World((0, -10))
        gate = world.add_static(Box(4, 1, sensor=True), position=(0, -3))
        ball = world.add_body(Circle(0.25))
        begins, ends = [], []
        world.events.on_begin(begins.append)
        world.events.on_end(ends.append)
        fall = []
        for _ in range(90):
            world.step(DT)
            fall.append(ball.position[1])
        times = DT * np.arange(1, 91)
        assert fall == pytest.approx((-5 * times**2).tolist(), abs=1e-9)
        assert [{event.body_a, event.body_b} for event in begins] == [{gate, ball}]
        assert [{event.body_a, event.body_b} for event in ends] == [{gate, ball}]
        assert begins[0].shape_a.sensor
        assert len(world.contacts) == 0

    def test_see_sleeping_and_kinematic_bodies_but_not_what_is_always_there(self):
        world = floor_world()
        block = world.add_body(Box(1, 1), position=(0, 0.5))
        run(world, 2)
        assert not block.awake
        probe = world.add_kinematic(Circle(0.2, sensor=True), position=(0, 0.5))
        world.add_static(Circle(0.2, sensor=True), position=(5, 0))
        world.step(DT)
        pairs = [{row["body_a"], row["body_b"]} for row in world.events.begins]
        assert pairs == [{block.id, probe.id}]
        assert not block.awake
