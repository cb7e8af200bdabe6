"""Bodies: what a handle reads and writes, and what impulses do, in closed form."""

import copy
import gc
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine2d import Box, Capsule, Circle, Path, Polygon, Segment, World
from tests.support import numbers, powers

KINDS = ("dynamic", "static", "kinematic")
SETTABLE = [
    "position",
    "angle",
    "velocity",
    "angular_velocity",
    "mass",
    "inertia",
    "kind",
    "gravity_scale",
    "linear_damping",
    "angular_damping",
    "fixed_rotation",
    "bullet",
    "can_sleep",
    "force",
    "torque",
]
READABLE = [
    *SETTABLE,
    *["row", "center", "local_center", "shapes", "awake", "kinetic_energy"],
]
METHODS = {
    "apply_force": ((1, 0),),
    "apply_torque": (1,),
    "apply_impulse": ((1, 0),),
    "apply_angular_impulse": (1,),
    "to_world": ((0, 0),),
    "to_local": ((0, 0),),
    "velocity_at": ((0, 0),),
    "wake": (),
}


@pytest.fixture
def world():
    return World(gravity=(0, 0))


class TestMass:
    def test_of_several_shapes_is_that_of_the_parts(self, world):
        """Parallel axes: I = sum I_k + m_k |c_k - c|^2."""
        parts = [Box(2, 1, center=(1, 0), density=2), Circle(0.5, center=(-1, 1), density=3)]
        body = world.add_body(*parts)
        masses = [2 * 2, 3 * math.pi * 0.25]
        centers = np.array([(1.0, 0.0), (-1.0, 1.0)])
        center = np.average(centers, axis=0, weights=masses)
        own = [masses[0] * (4 + 1) / 12, masses[1] * 0.25 / 2]
        arms = ((centers - center) ** 2).sum(axis=1)
        assert body.mass == pytest.approx(sum(masses), rel=1e-15)
        assert body.local_center == pytest.approx(tuple(center), rel=1e-14)
        assert body.inertia == pytest.approx(sum(own) + np.dot(masses, arms), rel=1e-14)
        assert tuple(part.shape for part in body.shapes) == tuple(parts)

    def test_given_mass_scales_the_inertia(self, world):
        plain, heavy = world.add_body(Box(2, 1)), world.add_body(Box(2, 1), mass=6)
        assert heavy.mass == 6.0
        assert heavy.inertia == pytest.approx(3 * plain.inertia, rel=1e-15)

    def test_given_inertia_is_taken(self, world):
        body = world.add_body(Box(2, 1), mass=6, inertia=0.25)
        assert (body.mass, body.inertia) == (6.0, 0.25)
        body.mass, body.inertia = 2, 5
        assert (body.mass, body.inertia) == (2.0, 5.0)
        body.apply_impulse((4, 0))
        body.apply_angular_impulse(10)
        assert (body.velocity, body.angular_velocity) == ((2.0, 0.0), 2.0)

    def test_a_body_without_shapes_needs_mass_and_inertia(self, world):
        for options in ({}, {"mass": 1}, {"inertia": 1}):
            with pytest.raises(ValueError, match="must have"):
                world.add_body(**options)
        assert world.add_body(mass=2, inertia=3, position=(1, 2)).center == (1.0, 2.0)
        assert world.add_body(mass=2, fixed_rotation=True).inertia == math.inf

    @pytest.mark.parametrize(
        "shape", [Segment((0, 0), (1, 0)), Path([(0, 0), (1, 1)], closed=False)]
    )
    def test_lines_have_none(self, world, shape):
        with pytest.raises(ValueError, match="mass"):
            world.add_body(shape)
        assert world.add_static(shape).mass == math.inf

    @pytest.mark.parametrize("kind", ["static", "kinematic"])
    def test_infinite_unless_dynamic(self, world, kind):
        body = world.add_body(Box(1, 1), kind=kind)
        assert body.mass == body.inertia == math.inf
        for name in ("mass", "inertia", "force", "torque"):
            with pytest.raises(ValueError, match=f"{name}.*{kind}"):
                setattr(body, name, (1, 1) if name == "force" else 1)

    @pytest.mark.parametrize("bad", [0, -1, math.nan, math.inf, 5e-324, 1e308])
    @pytest.mark.parametrize("name", ["mass", "inertia"])
    def test_bad_ones_are_refused(self, world, name, bad):
        body = world.add_body(Circle(1))
        before = getattr(body, name)
        with pytest.raises(ValueError, match=name):
            setattr(body, name, bad)
        with pytest.raises(ValueError, match=name):
            world.add_body(Circle(1), **{name: bad})
        assert getattr(body, name) == before
        assert len(world.bodies) == 1

    def test_shapes_of_hardly_any_area_have_a_finite_centre(self, world):
        body = world.add_static(Box(1, 5e-324))
        assert body.center == (0.0, 0.0)

    def test_shapes_too_light_or_too_heavy_are_refused(self, world):
        for shape in (Circle(1e-60), Circle(1, density=1e200), Circle(1, density=0)):
            with pytest.raises(ValueError, match="mass"):
                world.add_body(shape)


class TestPlace:
    def test_center_and_position(self, world):
        body = world.add_body(Box(1, 1, center=(2, 0)), position=(1, 1), angle=math.pi / 2)
        assert body.position == (1.0, 1.0)
        assert body.center == pytest.approx((1, 3))
        body.position = (0, 0)
        assert body.center == pytest.approx((0, 2))
        body.angle = 0
        assert body.position == (0.0, 0.0)
        assert body.center == (2.0, 0.0)
        assert world.centers[0] == pytest.approx((2, 0))

    @given(numbers(-1e3, 1e3), numbers(-1e3, 1e3), numbers(-10, 10))
    def test_to_world_and_back(self, x, y, angle):
        body = World().add_body(Circle(1), position=(x, y), angle=angle)
        there = body.to_world((1.5, -0.5))
        assert there == pytest.approx(
            (
                x + 1.5 * math.cos(angle) + 0.5 * math.sin(angle),
                y + 1.5 * math.sin(angle) - 0.5 * math.cos(angle),
            ),
            abs=1e-12,
        )
        assert body.to_local(there) == pytest.approx((1.5, -0.5), abs=1e-12)

    def test_velocity_at_a_point(self, world):
        body = world.add_body(Circle(1), position=(1, 1), velocity=(3, 0), angular_velocity=2)
        assert body.velocity_at((1, 2)) == (1.0, 0.0)
        assert body.velocity_at((2, 1)) == (3.0, 2.0)

    @pytest.mark.parametrize(("name", "value"), [("position", (3, 4)), ("angle", 1.5)])
    def test_a_body_can_be_moved_whatever_its_kind(self, world, name, value):
        for kind in KINDS:
            body = world.add_body(Circle(1), kind=kind)
            setattr(body, name, value)
            assert getattr(body, name) == value

    @pytest.mark.parametrize(
        "bad", [(math.nan, 0), (0, math.inf), (1e13, 0), (1, 2, 3), 5, None, "ab", {1, 2}, (1, "2")]
    )
    def test_bad_places_are_refused(self, world, bad):
        body = world.add_body(Circle(1), position=(1, 2))
        with pytest.raises((ValueError, TypeError), match="position"):
            body.position = bad
        with pytest.raises((ValueError, TypeError), match="position"):
            world.add_body(Circle(1), position=bad)
        assert body.position == (1.0, 2.0)
        assert len(world.bodies) == 1

    @pytest.mark.parametrize("name", ["velocity", "angular_velocity", "angle", "gravity_scale"])
    @pytest.mark.parametrize("bad", [math.nan, math.inf, 1e308, "1", None])
    def test_bad_numbers_are_refused(self, world, name, bad):
        body = world.add_body(Circle(1))
        value = (bad, 0) if name == "velocity" else bad
        with pytest.raises((ValueError, TypeError), match=name):
            setattr(body, name, value)
        with pytest.raises((ValueError, TypeError), match=name):
            world.add_body(Circle(1), **{name: value})
        assert body.velocity == (0.0, 0.0)


class TestImpulses:
    @given(powers(-3, 3), numbers(-5, 5), numbers(-5, 5), numbers(-2, 2), numbers(-2, 2))
    def test_at_a_point(self, mass, px, py, rx, ry):
        """v = p/m and w = r x p / I."""
        body = World().add_body(Box(1, 2), position=(3, 4), mass=mass)
        body.apply_impulse((px, py), (3 + rx, 4 + ry))
        assert body.velocity == pytest.approx((px / mass, py / mass), rel=1e-14, abs=1e-300)
        # the arm is rounded at the size of the place
        spin = (rx * py - ry * px) / body.inertia
        assert body.angular_velocity == pytest.approx(
            spin, rel=1e-12, abs=1e-14 * (abs(px) + abs(py)) / body.inertia
        )

    def test_without_a_point_acts_at_the_center(self, world):
        body = world.add_body(Box(1, 1, center=(5, 5)))
        body.apply_impulse((1, 2))
        assert (body.velocity, body.angular_velocity) == ((1.0, 2.0), 0.0)

    def test_force_over_a_step(self, world):
        """v = F dt / m; forces last for one step."""
        body = world.add_body(Circle(1), mass=2, inertia=4)
        body.apply_force((8, 0))
        body.apply_force((0, 8), (body.center[0] + 1, body.center[1]))
        body.apply_torque(4)
        assert (body.force, body.torque) == ((8.0, 8.0), 12.0)
        world.step(0.25)
        assert body.velocity == pytest.approx((1, 1), rel=1e-14)
        assert body.angular_velocity == pytest.approx(0.75, rel=1e-14)
        assert (body.force, body.torque) == ((0.0, 0.0), 0.0)
        world.step(0.25)
        assert body.velocity == pytest.approx((1, 1), rel=1e-14)

    def test_force_can_be_set(self, world):
        body = world.add_body(Circle(1), mass=2, inertia=4)
        body.force, body.torque = (2, 0), 4
        body.force = (4, 0)
        world.step(0.5)
        assert body.velocity == pytest.approx((1, 0))
        assert body.angular_velocity == pytest.approx(0.5)

    def test_too_large_is_refused_and_changes_nothing(self, world):
        body = world.add_body(Circle(1), velocity=(1, 0))
        with pytest.raises(OverflowError):
            body.apply_impulse((1e300, 0))
        body.apply_force((1e308, 0))
        with pytest.raises(OverflowError):
            body.apply_force((1e308, 0))
        with pytest.raises(OverflowError):
            body.apply_force((0, 1e308), (1e10, 0))
        assert body.velocity == (1.0, 0.0)
        assert (body.force, body.torque) == ((1e308, 0.0), 0.0)

    def test_fixed_rotation_turns_by_no_impulse(self, world):
        body = world.add_body(Circle(1), fixed_rotation=True)
        body.apply_impulse((0, 1), (1, 0))
        body.apply_angular_impulse(5)
        assert body.angular_velocity == 0.0
        assert body.inertia == math.inf
        body.fixed_rotation = False
        body.apply_angular_impulse(body.inertia)
        assert body.angular_velocity == 1.0
        body.fixed_rotation = True
        assert body.angular_velocity == 0.0

    @pytest.mark.parametrize("kind", ["static", "kinematic"])
    def test_need_a_dynamic_body(self, world, kind):
        body = world.add_body(Circle(1), kind=kind)
        for name in ("apply_force", "apply_impulse"):
            with pytest.raises(ValueError, match=kind):
                getattr(body, name)((1, 0))
        for name in ("apply_torque", "apply_angular_impulse"):
            with pytest.raises(ValueError, match=kind):
                getattr(body, name)(1)


class TestKind:
    def test_static_has_no_velocity(self, world):
        body = world.add_static(Circle(1))
        for name, value in (("velocity", (1, 0)), ("angular_velocity", 1)):
            with pytest.raises(ValueError, match="static"):
                setattr(body, name, value)
        with pytest.raises(ValueError, match="static"):
            world.add_body(Circle(1), kind="static", velocity=(1, 0))

    def test_becoming_static_stops_it(self, world):
        body = world.add_body(Circle(1), velocity=(1, 0), angular_velocity=1)
        body.kind = "static"
        assert (body.velocity, body.angular_velocity) == ((0.0, 0.0), 0.0)
        world.step(0.1)
        assert body.position == (0.0, 0.0)

    def test_becoming_dynamic(self):
        world = World(gravity=(0, -10))
        body = world.add_static(Circle(1))
        world.step(0.1)
        body.kind = "dynamic"
        assert body.mass == pytest.approx(math.pi)
        world.step(0.1)
        assert body.velocity == pytest.approx((0, -1))

    def test_a_force_does_not_outlive_a_change_of_kind(self, world):
        body = world.add_body(Circle(1), mass=1)
        body.apply_force((1, 0))
        body.kind = "static"
        body.kind = "dynamic"
        world.step(0.1)
        assert body.velocity == (0.0, 0.0)

    def test_kinematic_moves_as_it_is_told(self, world):
        body = world.add_kinematic(Box(1, 1), velocity=(1, 2), angular_velocity=3)
        for _ in range(8):
            world.step(0.125)
        assert body.position == (1.0, 2.0)
        assert body.angle == 3.0

    def test_what_has_no_mass_cannot_become_dynamic(self, world):
        body = world.add_static(Segment((0, 0), (1, 0)))
        with pytest.raises(ValueError, match="mass"):
            body.kind = "dynamic"
        assert body.kind == "static"

    @pytest.mark.parametrize("bad", ["solid", None, 1, ["static"]])
    def test_bad_ones_are_refused(self, world, bad):
        body = world.add_body(Circle(1))
        with pytest.raises(ValueError, match="kind"):
            body.kind = bad
        with pytest.raises(ValueError, match="kind"):
            world.add_body(Circle(1), kind=bad)


class TestSettings:
    def test_gravity_scale(self):
        world = World(gravity=(0, -10))
        bodies = [
            world.add_body(Circle(1), position=(5 * k, 0), gravity_scale=k) for k in (-1, 0, 2)
        ]
        world.step(0.1)
        assert [body.velocity[1] for body in bodies] == pytest.approx([1, 0, -2])

    def test_damping_is_a_rate_of_decay(self, world):
        """v' = -c v and w' = -c w: what is left after 1 s at small steps is exp(-c)."""
        body = world.add_body(
            Circle(1), velocity=(1, 0), angular_velocity=1, linear_damping=0.5, angular_damping=2
        )
        for _ in range(100):
            world.step(0.01)
        assert body.velocity[0] == pytest.approx(math.exp(-0.5), rel=0.01)
        assert body.angular_velocity == pytest.approx(math.exp(-2), rel=0.03)

    @pytest.mark.parametrize("rate", [1e3, 1e100, 1e308])
    def test_any_damping_only_slows(self, world, rate):
        body = world.add_body(Circle(1), velocity=(1, 0), linear_damping=rate, angular_damping=rate)
        world.step(1.0)
        assert 0 <= body.velocity[0] < 1e-2
        assert 0 <= body.position[0] < 1

    @pytest.mark.parametrize("name", ["linear_damping", "angular_damping"])
    @pytest.mark.parametrize("bad", [-1, math.nan, math.inf])
    def test_bad_damping_is_refused(self, world, name, bad):
        with pytest.raises(ValueError, match=name):
            world.add_body(Circle(1), **{name: bad})
        with pytest.raises(ValueError, match=name):
            setattr(world.add_body(Circle(1)), name, bad)

    def test_flags(self, world):
        body = world.add_body(Circle(1), bullet=True, can_sleep=False)
        assert (body.bullet, body.can_sleep, body.fixed_rotation, body.awake) == (
            True,
            False,
            False,
            True,
        )
        body.bullet, body.can_sleep = False, True
        assert (body.bullet, body.can_sleep) == (False, True)

    def test_kinetic_energy(self, world):
        body = world.add_body(Circle(1), mass=2, inertia=3, velocity=(3, 4), angular_velocity=2)
        assert body.kinetic_energy == 0.5 * 2 * 25 + 0.5 * 3 * 4
        assert world.energy.kinetic == body.kinetic_energy
        assert world.add_kinematic(Circle(1), velocity=(1, 1)).kinetic_energy == 0.0

    def test_data_is_the_users(self, world):
        body = world.add_body(Circle(1))
        assert body.data is None
        body.data = [1]
        assert world.bodies[0].data == [1]


class TestHandles:
    def test_removed_body_raises_whatever_is_asked(self, world):
        body = world.add_body(Circle(1))
        body.data = "mine"
        world.remove(body)
        assert body.removed
        assert body.data == "mine"
        assert "removed" in repr(body)
        values = {"kind": "static", "position": (0, 0), "velocity": (0, 0), "force": (0, 0)}
        for name in READABLE:
            with pytest.raises(ValueError, match="removed"):
                getattr(body, name)
        for name in SETTABLE:
            with pytest.raises(ValueError, match="removed"):
                setattr(body, name, values.get(name, 1))
        for name, arguments in METHODS.items():
            with pytest.raises(ValueError, match="removed"):
                getattr(body, name)(*arguments)
        with pytest.raises(ValueError, match="removed"):
            world.remove(body)

    def test_never_mean_another_body(self, world):
        """Ids are given out again, handles are not."""
        first = world.add_body(Circle(1))
        world.remove(first)
        world.step(0.1)
        second = world.add_body(Circle(1), position=(5, 0))
        assert second.id == first.id
        assert first.removed
        assert not second.removed
        with pytest.raises(ValueError, match="removed"):
            first.position = (9, 9)
        assert second.position == (5.0, 0.0)

    def test_rows_follow_the_worlds_list(self, world):
        bodies = [world.add_body(Circle(0.1), position=(k, 0)) for k in range(5)]
        world.remove(bodies[1])
        assert [body.row for body in bodies if not body.removed] == [0, 1, 2, 3]
        assert [world.positions[body.row, 0] for body in world.bodies] == [0, 2, 3, 4]

    def test_outlive_their_world(self):
        world = World()
        body = world.add_body(Circle(1), position=(1, 2))
        del world
        gc.collect()
        body.velocity = (1, 1)
        body.apply_impulse((1, 0))
        assert body.position == (1.0, 2.0)
        assert not body.removed

    def test_are_copied_with_their_world(self, world):
        body = world.add_body(Circle(1), position=(3, 4))
        assert copy.copy(body) is body
        for twin in (copy.deepcopy(body), pickle.loads(pickle.dumps(body))):
            assert twin is not body
            assert twin.position == (3.0, 4.0)
            with pytest.raises(ValueError, match="another"):
                world.remove(twin)

    def test_cannot_be_made_or_outlive_their_world_in_a_pickle(self, world):
        with pytest.raises(TypeError):
            type(world.add_body(Circle(1)))()
        orphan = World().add_body(Circle(1))
        for call in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match="world"):
                call(orphan)

    def test_are_the_same_object_each_time(self, world):
        body = world.add_body(Circle(1))
        assert world.bodies[0] is body
        assert world.body(body.id) is body

    def test_repr_says_who_and_where(self, world):
        assert repr(world.add_body(Circle(1), position=(1, 2))) == (
            "<Body 0, dynamic, at (1, 2), angle 0>"
        )

    def test_arguments_that_change_the_world_while_they_are_read(self, world):
        """Reading a vector may run any code: what it does to the world must not hurt."""
        body = world.add_body(Circle(1))

        class Hostile:
            def __iter__(self):
                for k in range(300):
                    world.add_body(Circle(1), position=(3 * k, 50))
                return iter((1.0, 2.0))

        body.apply_impulse((1, 0), Hostile())
        body.apply_force((1, 0), Hostile())
        assert body.to_world(Hostile()) == (1.0, 2.0)
        assert body.velocity_at(Hostile()) != (0.0, 0.0)
        body.velocity = Hostile()
        assert body.velocity == (1.0, 2.0)

        class Suicidal:
            def __iter__(self):
                world.remove(body)
                return iter((1.0, 2.0))

        with pytest.raises(ValueError, match="removed"):
            body.position = Suicidal()


@given(
    st.sampled_from(
        [
            Circle(1),
            Box(1, 2),
            Capsule((0, 0), (1, 0), 0.5),
            Polygon([(0, 0), (2, 0), (0, 1)]),
            Path([(-1, 0), (1, 0)], [0, 1]),
        ]
    ),
    numbers(-5, 5),
    numbers(-5, 5),
    numbers(-6, 6),
)
def test_center_is_where_the_shape_has_it(shape, x, y, angle):
    body = World().add_body(shape, position=(x, y), angle=angle)
    assert body.local_center == pytest.approx(shape.centroid, abs=1e-15)
    assert body.center == pytest.approx(body.to_world(shape.centroid), abs=1e-14)
    assert body.mass == pytest.approx(shape.mass, rel=1e-15)
    assert body.inertia == pytest.approx(shape.inertia, rel=1e-13)
