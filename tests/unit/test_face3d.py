"""The face of engine3d: what engine2d has, in space."""

import copy
import inspect
import pickle
import threading

import numpy as np
import pytest

import engine2d
import engine3d
from engine3d import Box, Filter, Plane, Sphere, Vec3, World

# what engine3d has not, or has besides, and why
PLANE_ONLY = {
    "World": {
        # the exact clock of the plane
        *("advance", "extra", "ledger", "resting_gap", "resting_speed"),
        "angles",
    },
    "Body": {"angle"},
    "Shape": {"area", "bulges", "closed", "points"},
}
SPACE_ONLY = {
    "World": {"angular_momenta", "orientations"},
    "Body": {"angular_momentum", "orientation", "principal", "rotation"},
    "Shape": {"spin_resistance", "volume"},
}


def names(thing):
    return {name for name in dir(thing) if not name.startswith("_")}


@pytest.mark.parametrize("kind", ["World", "Body", "Shape"])
def test_the_names_are_those_of_the_plane(kind):
    plane, space = names(getattr(engine2d, kind)), names(getattr(engine3d, kind))
    assert plane - space == PLANE_ONLY[kind]
    assert space - plane == SPACE_ONLY[kind]


PLANE_ONLY_OF_JOINTS = {"Weld": {"angle", "reference"}, "Slider": {"angle", "reference"}}
SPACE_ONLY_OF_JOINTS = {"Drag": {"max_torque", "orientation", "turn_damping", "turn_stiffness"}}


@pytest.mark.parametrize("kind", ["Joint", "Rod", "Rope", "Spring", "Weld", "Slider", "Drag"])
def test_joints_have_the_names_of_the_plane(kind):
    plane, space = names(getattr(engine2d, kind)), names(getattr(engine3d, kind))
    assert plane - space == PLANE_ONLY_OF_JOINTS.get(kind, set())
    assert space - plane == SPACE_ONLY_OF_JOINTS.get(kind, set())


def test_a_hinge_has_the_names_of_a_pin_and_a_ball_some_of_them():
    assert names(engine3d.Hinge) == names(engine2d.Pin)
    assert names(engine3d.Ball) < names(engine2d.Pin)


def test_what_worlds_tell_has_the_names_of_the_plane():
    """Contacts, events, what queries find, energy, and the counts that both have."""
    flat, space = engine2d.World(), World()
    flat.add_static(engine2d.Segment((-5, 0), (5, 0)))
    space.add_static(Plane((0, 0, 1)))
    flat.add_body(engine2d.Box(1, 1), position=(0, 0.5))
    space.add_body(Box(1, 1, 1), position=(0, 0, 0.5))
    for world in (flat, space):
        world.step(1 / 60)
    assert names(flat.contacts) == names(space.contacts)
    # radii of curved edges, for the exact clock and its contact system
    assert names(flat.contacts[0]) - names(space.contacts[0]) == {"r1", "r2"}
    assert names(flat.events) - names(space.events) == {"changes"}
    assert names(flat.energy) == names(space.energy)
    for thing in ("ContactEvent", "HitEvent", "Filter", "BodyShape"):
        assert names(getattr(engine2d, thing)) <= names(getattr(engine3d, thing))
    hit = flat.ray_query((-5, 0.5), (5, 0.5)), space.ray_query((-5, 0, 0.5), (5, 0, 0.5))
    assert names(hit[0]) == names(hit[1])
    assert names(flat.contact_system()) <= names(space.contact_system())
    # small islands are swept, limited and gone round in the plane alone
    assert set(flat.stats) - set(space.stats) == {"direct_swept", "energy_limits", "rounds"}
    ours = {"cuts", "cut_limit", "handed_on", "looks", "waits", "stopped"}
    assert set(space.stats) - set(flat.stats) == ours


def test_arguments_have_the_names_of_the_plane():
    """Of calls that both have, but for angles and orientations."""
    other = {"angle": "orientation", "angles": "orientations"}
    for kind in ("World", "Body"):
        plane, space = getattr(engine2d, kind), getattr(engine3d, kind)
        for name in names(plane) & names(space):
            if not inspect.isroutine(getattr(plane, name)):
                continue
            mine, theirs = (
                [p.name for p in inspect.signature(getattr(k, name)).parameters.values()]
                for k in (space, plane)
            )
            wanted = [other.get(argument, argument) for argument in theirs]
            assert mine[: len(wanted)] == wanted, (kind, name)


def test_vectors_come_back_as_vec3():
    world = World()
    floor = world.add_static(Plane((0, 0, 1)))
    ball = world.add_body(Sphere(0.5), position=(0, 0, 0.5))
    world.step(1 / 60)
    contact = world.contacts[0]
    for value in (
        *(ball.position, ball.velocity, ball.center, ball.local_center, ball.angular_velocity),
        *(ball.force, ball.torque, ball.to_world((1, 2, 3)), ball.velocity_at((0, 0, 0))),
        *(world.gravity, contact.point, contact.normal, contact.friction_force),
        *(Sphere(1).center, *Sphere(1).bounds, Plane((0, 0, 2)).normal),
        *(world.ray_query((0, 0, 5), (0, 0, -5)).point, world.nearest_query((0, 0, 9)).normal),
    ):
        assert type(value) is Vec3
    assert ball.position + (0, 0, 1) == Vec3(*ball.position) + Vec3(0, 0, 1)
    assert floor.kind == "static"


@pytest.mark.parametrize("shape", ["Sphere", "Box", "Capsule", "Cylinder", "Polyhedron", "Plane"])
def test_materials_are_real_arguments(shape):
    given = inspect.signature(getattr(engine3d, shape)).parameters
    for name in ("density", "friction", "restitution", "rolling_resistance", "spin_resistance"):
        assert given[name].kind is inspect.Parameter.KEYWORD_ONLY
    assert "sensor" in given
    assert "filter" in given
    assert "tag" in given
    with pytest.raises(TypeError):
        Sphere(1, frictoin=0.3)


def test_shapes_on_bodies_change():
    world = World()
    world.add_static(Plane((0, 0, 1)))
    ball = world.add_body(Sphere(0.5, density=2.0), position=(0, 0, 0.5))
    one = ball.shapes[0]
    before = ball.mass
    two = ball.add_shape(Sphere(0.5, center=(1, 0, 0), density=2.0))
    assert ball.mass == pytest.approx(2 * before, rel=1e-12)
    assert ball.center == pytest.approx((0.5, 0, 0.5), abs=1e-12)
    two.remove()
    assert two.removed
    assert ball.mass == pytest.approx(before, rel=1e-12)
    with pytest.raises(ValueError, match="removed"):
        two.friction = 0.1
    assert two.friction == 0.5
    one.shape = Sphere(0.6, density=2.0)
    assert ball.mass == pytest.approx(before * 1.2**3, rel=1e-12)
    one.friction = 0.9
    one.tag = "ball"
    for _ in range(120):
        world.step(1 / 60)
    assert ball.position.z == pytest.approx(0.6, abs=1e-4)
    assert sum(c.normal_force for c in ball.contacts) == pytest.approx(ball.mass * 9.81, rel=1e-6)
    assert all(c.body_a is ball for c in ball.contacts)
    with pytest.raises(ValueError):
        ball.remove_shape(world.bodies[0].shapes[0])


def test_a_growing_ball_lifts_itself():
    world = World()
    world.add_static(Plane((0, 0, 1)))
    ball = world.add_body(Sphere(0.5), position=(0, 0, 0.5), mass=3.0)
    for k in range(200):
        ball.shapes[0].shape = Sphere(0.5 + 0.001 * k)
        world.step(1 / 60)
    assert ball.mass == 3.0
    assert ball.position.z == pytest.approx(0.5 + 0.199, abs=3e-3)


def test_tags_order_bodies():
    world = World()
    world.add_static(Plane((0, 0, 1), tag="floor"))
    ball = world.add_body(Sphere(0.5, tag=7, restitution=0.5), position=(0, 0, 1.0))
    told = []
    world.events.on_begin(told.append, tags=(7, "floor"))
    world.events.on_hit(told.append, tags=("floor", 7))
    world.events.on_hit(lambda event: 1 / 0, tags=("other", None))
    for _ in range(60):
        world.step(1 / 60)
    begin, hit = told[0], told[1]
    if isinstance(begin, engine3d.HitEvent):
        begin, hit = hit, begin
    assert begin.body_a is ball
    assert begin.shape_a.tag == 7
    assert begin.point is None
    assert hit.body_b is ball
    assert hit.normal == pytest.approx((0, 0, -1))


def test_states_and_settings():
    world = World(unit=2.0)
    ball = world.add_body(Sphere(0.5, tag="a", filter=Filter(group=-1)), position=(0, 0, 9))
    ball.data = "mine"
    world.time_scale = 0.5
    world.step(1 / 60)
    assert world.time == pytest.approx(1 / 120)
    assert "1 dynamic" in repr(world)
    for other in (world.copy(), copy.copy(world), pickle.loads(pickle.dumps(world))):
        assert other.time_scale == 0.5
        assert other.bodies[0].shapes[0].tag == "a"
        world.step(1 / 60)
        saved = other.snapshot()
        other.step(1 / 60)
        other.restore(saved)
    assert engine3d.__version__ == engine2d.__version__


@pytest.mark.parametrize("way", ["copy", "deepcopy", "pickle", "restore"])
def test_data_that_holds_bodies_holds_the_copys(way):
    world = World()
    a, b = (world.add_body(Sphere(0.5), position=(2.0 * k, 0.0, 0.0)) for k in range(2))
    gone = world.add_body(Sphere(0.5))
    world.remove(gone)
    a.data, b.data = {"friend": b, "worlds": [world]}, (a, gone)
    if way == "restore":
        other = World()
        other.restore(pickle.loads(pickle.dumps(world.snapshot())))
    elif way == "pickle":
        other = pickle.loads(pickle.dumps(world))
    else:
        other = getattr(copy, way)(world)
    first, second = other.bodies
    assert first.data["friend"] is second
    assert first.data["worlds"][0] is other
    assert second.data[0] is first
    assert second.data[1].removed


def test_a_second_thread_is_refused():
    world = World()
    for k in range(400):
        world.add_body(Box(1, 1, 1), position=(1.01 * (k % 20), 1.01 * (k // 20), 0))
    errors = []

    def meddle():
        for _ in range(50):
            try:
                world.add_body(Sphere(0.1), position=(0, 0, 50))
                world.step(1e-3)
                np.array(world.positions)
            except RuntimeError as error:
                errors.append(error)

    threads = [threading.Thread(target=meddle) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all("one thread at a time" in str(error) for error in errors)
    assert np.isfinite(world.positions).all()
