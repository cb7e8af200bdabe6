"""Shapes of bodies change: mass, contacts, events and pictures follow."""

import math
import pickle

import numpy as np
import pytest

from engine2d import Box, Capsule, Circle, Filter, Path, Polygon, Segment, World, distance


def settled(solver="auto", n=1, **options):
    """Boxes on a floor, at rest."""
    world = World(solver=solver, **options)
    floor = world.add_static(Box(40, 2), position=(0, -1))
    boxes = [world.add_body(Box(1, 1), position=(0, k + 0.5)) for k in range(n)]
    for _ in range(120):
        world.step(1 / 60)
    return world, floor, boxes


def alike(body, *shapes, **options):
    """A new body made of these shapes is what the body is."""
    fresh = World().add_body(*shapes, **options)
    assert body.mass == pytest.approx(fresh.mass, rel=1e-14)
    assert body.inertia == pytest.approx(fresh.inertia, rel=1e-13)
    assert body.local_center == pytest.approx(fresh.local_center, rel=1e-13, abs=1e-15)


class TestMass:
    def test_follows_what_is_added_and_removed(self):
        world = World(gravity=(0, 0))
        body = world.add_body(Box(2, 1), position=(3, 4), angle=0.7)
        extra = body.add_shape(Circle(0.5, center=(1, 1), density=3))
        alike(body, Box(2, 1), Circle(0.5, center=(1, 1), density=3))
        assert [part.shape for part in body.shapes] == [
            Box(2, 1),
            Circle(0.5, center=(1, 1), density=3),
        ]
        assert body.position == (3, 4)
        body.remove_shape(body.shapes[0])
        alike(body, Circle(0.5, center=(1, 1), density=3))
        extra.density = 1
        alike(body, Circle(0.5, center=(1, 1)))
        extra.shape = Box(1, 4)
        alike(body, Box(1, 4))
        assert body.position == (3, 4)

    def test_the_frame_moves_on_as_it_did(self):
        """A rigid body's points keep their velocities when its centre of mass goes elsewhere."""
        world = World(gravity=(0, 0))
        body = world.add_body(Box(1, 1), velocity=(1, 2), angular_velocity=3, angle=0.4)
        before = body.velocity_at((5, 6))
        body.add_shape(Circle(0.5, center=(2, 0)))
        assert body.velocity_at((5, 6)) == pytest.approx(before, rel=1e-14)
        assert body.angular_velocity == 3

    def test_that_was_given_stays(self):
        world = World()
        body = world.add_body(Box(1, 1), mass=7)
        body.add_shape(Box(1, 1, center=(1, 0)))
        alike(body, Box(1, 1), Box(1, 1, center=(1, 0)), mass=7)
        body.inertia = 5
        body.shapes[0].density = 9
        assert (body.mass, body.inertia) == (7, 5)

    def test_a_dynamic_body_must_keep_one(self):
        world = World()
        body = world.add_body(Box(1, 1))
        with pytest.raises(ValueError, match="must have a mass"):
            body.shapes[0].remove()
        with pytest.raises(ValueError, match="must have a mass"):
            body.shapes[0].density = 0
        with pytest.raises(ValueError, match="must have a mass"):
            body.shapes[0].shape = Segment((0, 0), (1, 0))
        alike(body, Box(1, 1))
        assert len(body.shapes) == 1


@pytest.mark.parametrize("solver", ["direct", "iterative"])
class TestContacts:
    def test_a_growing_ball_lifts_what_is_on_it(self, solver):
        """It stays on the floor, and the weight on the floor stays the weight."""
        world = World(solver=solver)
        world.add_static(Box(40, 2), position=(0, -1))
        for x in (-1.0, 1.0):
            world.add_static(Box(0.9, 9), position=(x, 4.5))
        ball = world.add_body(Circle(0.3, friction=0), position=(0, 0.3), mass=1)
        box = world.add_body(Box(0.9, 0.2, friction=0), position=(0, 0.7), mass=2)
        begun = []
        world.events.on_begin(begun.append)
        for k in range(240):
            ball.shapes[0].shape = Circle(0.3 + 0.1 * min(k / 180, 1.0), friction=0)
            world.step(1 / 60)
            if k == 20:
                begun.clear()
        for _ in range(60):
            world.step(1 / 60)
        assert ball.position.y == pytest.approx(0.4, abs=2e-3)
        assert box.position.y == pytest.approx(0.9, abs=4e-3)
        # one and the same shape all the time: its contacts neither end nor begin
        assert not [e for e in begun if {e.body_a, e.body_b} == {ball, box}]
        floor = sum(c.normal_force for c in world.contacts if c.body_a.kind == "static")
        assert floor == pytest.approx(3 * 9.81, rel=0.02)

    def test_friction_that_is_taken_away_lets_it_slide(self, solver):
        world = World(solver=solver, gravity=(2, -9.81))
        floor = world.add_static(Segment((-50, 0), (50, 0)))
        box = world.add_body(Box(1, 1), position=(0, 0.5))
        for _ in range(120):
            world.step(1 / 60)
        assert abs(box.velocity.x) < 1e-3
        # what sleeps hears of it too
        floor.shapes[0].friction = 0
        for _ in range(60):
            world.step(1 / 60)
        assert box.velocity.x == pytest.approx(2.0, rel=1e-2)

    def test_a_sensor_lets_through_and_tells(self, solver):
        world, floor, (box,) = settled(solver)
        ends = []
        world.events.on_end(ends.append)
        floor.shapes[0].sensor = True
        for _ in range(30):
            world.step(1 / 60)
        assert box.position.y < -0.5
        assert not ends
        floor.shapes[0].sensor = False

    def test_a_filter_ends_the_contact(self, solver):
        world, floor, (box,) = settled(solver)
        ends = []
        world.events.on_end(ends.append)
        box.shapes[0].filter = Filter(mask=0)
        world.step(1 / 60)
        world.step(1 / 60)
        assert len(ends) == 1
        assert {ends[0].body_a, ends[0].body_b} == {floor, box}
        assert box.velocity.y < -0.1

    def test_what_is_removed_holds_nothing(self, solver):
        world, floor, _boxes = settled(solver)
        table = floor.add_shape(Box(1, 1, center=(5, 2)))
        crate = world.add_body(Box(0.5, 0.5), position=(5, 1.75))
        for _ in range(60):
            world.step(1 / 60)
        assert crate.position.y == pytest.approx(1.75, abs=1e-3)
        ends = []
        world.events.on_end(ends.append)
        table.remove()
        for _ in range(90):
            world.step(1 / 60)
        assert crate.position.y == pytest.approx(0.25, abs=1e-3)
        assert table in {ends[0].shape_a, ends[0].shape_b}
        assert table.removed
        assert table.shape == Box(1, 1, center=(5, 2))
        assert table.width == 1

    @pytest.mark.parametrize("n", [3, 30])
    def test_editing_a_pile_gains_no_energy(self, solver, n):
        """But what lifts it: each shape grows by a thousandth of itself in all."""
        world = World(solver=solver)
        world.add_static(Box(40, 2), position=(0, -1))
        boxes = [
            world.add_body(Box(0.5, 0.5), position=(0.6 * (k % 6), 0.25 + 0.5 * (k // 6)))
            for k in range(n)
        ]
        for _ in range(120):
            world.step(1 / 60)
        rng = np.random.default_rng(1)
        top = world.energy.kinetic
        for k in range(100):
            part = boxes[k % n].shapes[0]
            part.friction = rng.uniform(0.3, 1.0)
            side = 0.5 * (1 + 1e-3 * rng.uniform())
            part.shape = Box(side, side, friction=part.friction)
            world.step(1 / 60)
            top = max(top, world.energy.kinetic)
        # Growing at once by 0.25 mm is overlap, which is let out slowly: mm/s.
        assert top < 0.5 * sum(box.mass for box in boxes) * 0.05**2


class TestHandles:
    def test_read_what_the_shape_has(self):
        body = World().add_body(Capsule((0, 0), (1, 0), 0.2, tag="arm", restitution=0.3))
        (part,) = body.shapes
        assert part.body is body
        assert (part.a, part.b, part.radius) == ((0, 0), (1, 0), 0.2)
        assert (part.tag, part.restitution, part.sensor) == ("arm", 0.3, False)
        assert part.points.shape == (4, 2)
        assert part == body.shapes[0]
        assert hash(part) == hash(body.shapes[0])
        assert part != part.shape
        with pytest.raises(AttributeError):
            part.width  # noqa: B018

    def test_shapes_of_bodies_stand_for_their_values(self):
        world = World()
        body = world.add_body(Box(1, 2, tag=3), Circle(0.5))
        twin = world.add_body(*body.shapes, position=(5, 0))
        assert [part.shape for part in twin.shapes] == [part.shape for part in body.shapes]
        assert set(twin.shapes).isdisjoint(body.shapes)
        assert distance(body.shapes[1], (0, 0), twin.shapes[1], (3, 0)).distance == 2.0

    def test_a_shape_on_many_bodies_is_changed_on_one(self):
        world = World()
        ball = Circle(0.5)
        a, b = world.add_body(ball), world.add_body(ball)
        a.shapes[0].friction = 0.9
        assert (a.shapes[0].friction, b.shapes[0].friction, ball.friction) == (0.9, 0.5, 0.5)

    @pytest.mark.parametrize(
        "shape",
        [
            Circle(0.5),
            Box(1, 2, radius=0.1),
            Polygon([(0, 0), (2, 0), (2, 1), (1, 2), (0, 1)], radius=0.1),
            Polygon([(0, 0), (-1, 1), (1.5, 0), (-1, -1)]),
            Capsule((0, 0), (1, 0), 0.2),
            Path([(-1, 0), (1, 0)], bulges=[1, 0]),
        ],
    )
    def test_another_material_keeps_the_form(self, shape):
        """The form is shared, not made again: it must be the same to collisions."""
        body = World().add_body(shape)
        body.shapes[0].restitution = 0.25
        changed = body.shapes[0].shape
        assert changed == type(shape)(**{**shape._arguments(), "restitution": 0.25})
        assert changed.bounds == shape.bounds
        for x in np.linspace(-3, 3, 7):
            other = (x, 0.3, 0.2)
            assert distance(changed, (0, 0), Box(1, 1), other) == distance(
                shape, (0, 0), Box(1, 1), other
            )
        assert pickle.loads(pickle.dumps(changed)) == changed

    def test_what_makes_no_sense_is_refused_and_changes_nothing(self):
        world = World()
        body = world.add_body(Box(1, 1))
        other = world.add_body(Box(1, 1))
        (part,) = body.shapes
        for name, value, error in (
            ("friction", -1, ValueError),
            ("restitution", 2, ValueError),
            ("density", math.nan, ValueError),
            ("filter", 3, TypeError),
            ("tag", 1.5, ValueError),
            ("shape", 3, TypeError),
            ("area", 3, AttributeError),
        ):
            with pytest.raises(error, match=name):
                setattr(part, name, value)
        with pytest.raises(ValueError, match="one of this body's shapes"):
            body.remove_shape(other.shapes[0])
        with pytest.raises(TypeError, match="one of the body's shapes"):
            body.remove_shape(Box(1, 1))
        with pytest.raises(TypeError, match="shape must be"):
            body.add_shape(3)
        with pytest.raises(TypeError, match="pickled"):
            pickle.dumps(part)
        assert part.shape == Box(1, 1)
        world.remove(body)
        with pytest.raises(ValueError, match="removed"):
            part.friction = 1
        assert part.removed

    def test_a_number_that_is_free_again_is_another_shape(self):
        world = World()
        body = world.add_body(Box(1, 1), Circle(0.5))
        gone = body.shapes[1]
        gone.remove()
        world.step(1 / 60)
        new = body.add_shape(Circle(0.4))
        assert new.id == gone.id
        assert new != gone
        assert gone.removed
        with pytest.raises(ValueError, match="removed"):
            gone.sensor = True
        assert gone.radius == 0.5

    def test_snapshots_bring_them_back(self):
        world, _floor, (box,) = settled()
        part = box.shapes[0]
        saved = world.snapshot()
        extra = box.add_shape(Circle(0.2, center=(0, 1)))
        part.friction = 0.9
        for _ in range(3):
            world.step(1 / 60)
        later = world.snapshot()
        world.restore(saved)
        assert extra.removed
        assert (box.mass, part.friction, len(box.shapes)) == (1.0, 0.5, 1)
        world.restore(later)
        assert not extra.removed
        assert part.friction == 0.9
        twin = pickle.loads(pickle.dumps(world))
        copied = twin.bodies[1]
        assert [p.shape for p in copied.shapes] == [p.shape for p in box.shapes]
        for _ in range(20):
            world.step(1 / 60)
            twin.step(1 / 60)
        assert (twin.positions == world.positions).all()


def test_a_picture_shows_the_new_shape():
    pygame = pytest.importorskip("pygame")
    from engine2d.draw import Camera, Renderer

    world = World()
    body = world.add_body(Circle(0.2))
    surface = pygame.Surface((100, 100))
    renderer = Renderer(surface, Camera((100, 100), scale=20), grid=False)
    renderer.draw(world)
    assert surface.get_at((20, 50))[:3] == surface.get_at((5, 5))[:3]
    body.shapes[0].shape = Circle(2)
    renderer.draw(world)
    assert surface.get_at((20, 50))[:3] != surface.get_at((5, 5))[:3]
