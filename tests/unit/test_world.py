"""The world's face: bodies, views, states written at once, contacts, and refusals."""

import gc
import inspect
import math
import re
import threading
import weakref
from pathlib import Path as Path_

import numpy as np
import pytest

import engine2d
from engine2d import Body, Box, Circle, Path, Segment, Shape, World
from engine2d.world import Energy
from tests.floor import DT, floor_world, run


def test_the_example_of_the_readme():
    world = World(gravity=(0, -9.81))
    world.add_static(Segment((-20, 0), (20, 0), friction=0.6))
    block = world.add_body(
        Box(1, 3), position=(0, 1.5), angle=0.0, velocity=(0, 0), angular_velocity=0.0
    )
    world.step(1 / 60)
    assert block.position == pytest.approx((0, 1.5), abs=1e-9)
    assert (block.kind, block.mass) == ("dynamic", 3.0)
    forces = [
        (c.body_a, c.body_b, c.point, c.normal, c.gap, c.normal_force, c.friction_force)
        for c in world.contacts
    ]
    assert len(forces) == 2
    assert sum(force[5] for force in forces) == pytest.approx(3 * 9.81, rel=1e-9)
    assert world.time == 1 / 60
    assert world.steps == 1


def test_the_code_of_the_readme_runs(capsys):
    text = (Path_(__file__).parents[2] / "README.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert any("World" in block for block in blocks)
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})
    assert capsys.readouterr().out


class TestBodies:
    def test_are_listed_in_the_order_of_adding(self):
        world = World()
        bodies = [world.add_body(Circle(0.1), position=(k, 0)) for k in range(200)]
        assert world.bodies == bodies
        for body in bodies[::3]:
            world.remove(body)
        rest = [body for body in bodies if not body.removed]
        assert world.bodies == rest
        world.step(DT)
        assert world.bodies == rest
        late = world.add_body(Circle(0.1), position=(0, 5))
        assert world.bodies == [*rest, late]

    def test_body_by_id(self):
        world = World()
        body = world.add_body(Circle(1))
        assert world.body(np.int32(body.id)) is body
        for bad in (-1, 1, 10**30, "0", None, 0.0):
            with pytest.raises(ValueError, match="id"):
                world.body(bad)
        world.remove(body)
        with pytest.raises(ValueError, match="id"):
            world.body(body.id)

    def test_remove_refuses_what_is_not_its_own(self):
        world, other = World(), World()
        mine, theirs = world.add_body(Circle(1)), other.add_body(Circle(1))
        assert mine.id == theirs.id
        with pytest.raises(ValueError, match="of this world"):
            world.remove(theirs)
        other.remove(theirs)
        with pytest.raises(ValueError, match="of this world"):
            world.remove(theirs)
        for bad in (None, 0, "body", Circle(1)):
            with pytest.raises(TypeError, match="body"):
                world.remove(bad)
        assert world.bodies == [mine]

    @pytest.mark.parametrize("bad", [None, 1, "circle", (Circle(1),), Circle])
    def test_shapes_must_be_shapes(self, bad):
        world = World()
        with pytest.raises(TypeError, match="shapes"):
            world.add_body(Circle(1), bad)
        assert world.bodies == []
        assert world.point_query((0, 0)) == []

    def test_unfinished_shapes_are_refused(self):
        world = World()
        for kind in (Circle, Shape, Path, Box):
            with pytest.raises(ValueError, match="finished"):
                world.add_body(kind.__new__(kind), mass=1, inertia=1)
        assert world.bodies == []

    def test_shapes_out_of_all_bounds_are_refused(self):
        with pytest.raises(ValueError, match="within"):
            World().add_static(Circle(1e20))
        with pytest.raises(ValueError, match="within"):
            World().add_static(Circle(1, center=(1e30, 0)))

    def test_removing_what_holds_others_up_wakes_them(self):
        world = floor_world()
        block = world.add_body(Box(1, 1), position=(0, 0.5))
        run(world, 2)
        assert not block.awake
        world.remove(world.bodies[0])
        run(world, 0.1)
        assert block.velocity[1] == pytest.approx(-1, rel=1e-9)


class TestViews:
    def test_are_views_read_only_and_follow(self):
        world = World(gravity=(0, 0))
        body = world.add_body(Box(1, 1, center=(1, 0)), position=(1, 2), velocity=(3, 4))
        views = world.positions, world.angles, world.velocities, world.angular_velocities
        for view in (*views, world.centers):
            assert not view.flags.writeable
            assert not view.flags.owndata
            with pytest.raises(ValueError):
                view[0] = 1
        body.position, body.angle = (5, 6), 0.5
        body.velocity, body.angular_velocity = (7, 8), 9
        assert [view[0].tolist() for view in views] == [[5, 6], 0.5, [7, 8], 9]
        assert np.shares_memory(world.positions, views[0])
        world.step(0.125)
        assert views[1][0] == body.angle

    def test_awake_and_islands(self):
        world = floor_world()
        for x in (0, 0.5, 9):
            world.add_body(Box(1, 1), position=(x, 0.5 + 2 * x % 2))
        assert world.islands.tolist() == [-1] * 4
        world.step(DT)
        assert world.awake.tolist() == [body.awake for body in world.bodies]
        assert world.awake.tolist() == [False, True, True, True]
        assert world.islands.tolist() == [-1, 0, 0, 1]

    def test_shapes_of_an_empty_world(self):
        world = World()
        assert world.positions.shape == world.centers.shape == world.velocities.shape == (0, 2)
        assert world.angles.shape == world.angular_velocities.shape == (0,)
        world.step(DT)
        assert world.energy == Energy(0.0, 0.0, 0.0)

    def test_rows_follow_bodies_after_removals(self):
        world = World(gravity=(0, 0))
        for k in range(100):
            world.add_body(Circle(0.1), position=(k, 0), velocity=(0, k), angle=k)
        for body in world.bodies[1::2]:
            world.remove(body)
        xs = [body.position[0] for body in world.bodies]
        assert xs == list(range(0, 100, 2))
        assert world.positions[:, 0].tolist() == xs
        assert world.velocities[:, 1].tolist() == xs
        assert world.angles.tolist() == xs

    def test_of_before_growth_still_exist(self):
        """They are no longer those of the world, but their memory is."""
        world = World(gravity=(0, 0))
        world.add_body(Circle(1), position=(1, 2))
        old = world.positions
        for k in range(1000):
            world.add_body(Circle(0.1), position=(k, 5))
        gc.collect()
        assert old.tolist() == [[1, 2]]

    def test_outlive_the_world(self):
        world = World()
        world.add_body(Circle(1), position=(1, 2))
        view = world.positions
        del world
        gc.collect()
        assert view.tolist() == [[1, 2]]


class TestArrays:
    def test_awake_and_islands_follow_the_bodies(self):
        world = floor_world()
        assert world.islands.tolist() == [-1]
        pair = [world.add_body(Box(1, 1), position=(0, y)) for y in (0.5, 1.5)]
        alone = world.add_body(Box(1, 1), position=(5, 0.5), can_sleep=False)
        assert world.islands.tolist() == [-1] * 4
        world.step(DT)
        assert world.awake.tolist() == [False, True, True, True]
        islands = world.islands.tolist()
        assert islands[0] == -1
        assert islands[1] == islands[2] != islands[3]
        run(world, 1)
        assert world.awake.tolist() == [False, False, False, True]
        assert world.islands.tolist()[:3] == [-1] * 3
        world.remove(pair[0])
        world.step(DT)
        assert world.awake.tolist() == [False, True, True]
        assert [body.awake for body in world.bodies] == world.awake.tolist()
        assert alone.awake


class TestSetState:
    def test_writes_all_at_once(self):
        world = World(gravity=(0, 0))
        bodies = [world.add_body(Box(1, 1, center=(1, 0))) for _ in range(3)]
        world.set_state(
            positions=[(0, 0), (10, 0), (20, 0)],
            angles=[0, math.pi, 1],
            velocities=np.ones((3, 2)),
            angular_velocities=[1, 2, 3],
        )
        assert [body.position for body in bodies] == [(0, 0), (10, 0), (20, 0)]
        assert bodies[1].center == pytest.approx((9, 0))
        assert world.centers[1] == pytest.approx((9, 0))
        assert [body.angular_velocity for body in bodies] == [1, 2, 3]
        assert world.point_query((9, 0))[0].body is bodies[1]

    @pytest.mark.parametrize(
        "bad",
        [
            {"positions": [(0, 0)]},
            {"positions": [(0, 0), (0, math.nan)]},
            {"positions": [(0, 0), (0, 1e13)]},
            {"angles": [0, math.inf]},
            {"velocities": [(0, 0), (1e308, 0)]},
            {"velocities": [(1, 0), (0, 0)]},
            {"angular_velocities": [[1], [2]]},
            {"angular_velocities": "ab"},
        ],
    )
    def test_is_all_or_nothing(self, bad):
        world = World()
        world.add_static(Circle(1), position=(1, 1))
        world.add_body(Circle(1), position=(5, 5), velocity=(1, 2))
        before = [np.array(view) for view in (world.positions, world.angles, world.velocities)]
        good = {"positions": [(7, 7), (8, 8)], "angles": [1, 1], "velocities": [(0, 0), (9, 9)]}
        with pytest.raises((ValueError, TypeError), match=next(iter(bad))):
            world.set_state(**{**good, **bad})
        for old, new in zip(before, (world.positions, world.angles, world.velocities)):
            assert np.array_equal(old, new)

    def test_of_velocities_alone_moves_nothing_by_a_bit(self):
        world = World()
        body = world.add_body(Box(1, 1, center=(0.1, 0.7)), position=(0.3, 0.9), angle=0.123)
        run(world, 0.1)
        before = world.centers.tobytes(), world.positions.tobytes()
        world.set_state(velocities=[(1, 1)], angular_velocities=[2])
        assert (world.centers.tobytes(), world.positions.tobytes()) == before
        assert body.angular_velocity == 2

    def test_arguments_that_change_the_world_while_they_are_read(self):
        world = World()
        world.add_body(Circle(1))

        class Hostile:
            def __array__(self, dtype=None, copy=None):
                for k in range(200):
                    world.add_body(Circle(1), position=(0, 3 * k))
                return np.zeros((1, 2))

        with pytest.raises(ValueError, match="shape"):
            world.set_state(positions=Hostile())
        assert len(world.bodies) == 201


class TestEnergy:
    def test_closed_form(self):
        world = World(gravity=(3, -10))
        world.add_body(
            Circle(1), mass=2, inertia=3, position=(1, 5), velocity=(3, 4), angular_velocity=2
        )
        world.add_body(Circle(1), mass=1, gravity_scale=2, position=(0, 9))
        world.add_static(Circle(1), position=(50, 50))
        kinetic = 0.5 * 2 * 25 + 0.5 * 3 * 4
        potential = 2 * 10 * 5 - 2 * 3 * 1 + 2 * 10 * 9
        assert world.energy == pytest.approx((kinetic, potential, kinetic + potential))

    def test_is_kept_in_free_fall(self):
        world = World()
        world.add_body(Box(1, 2), velocity=(1, 5), angular_velocity=3)
        start = world.energy.total
        run(world, 2)
        assert world.energy.total == pytest.approx(start, rel=1e-12)


class TestRefusals:
    @pytest.mark.parametrize("bad", [0, -1, math.nan, math.inf, 1e9, "1", None, (1,)])
    def test_step(self, bad):
        world = floor_world()
        with pytest.raises((ValueError, TypeError), match="dt"):
            world.step(bad)
        assert world.time == 0
        assert world.steps == 0

    @pytest.mark.parametrize("bad", [(0, math.nan), 5, (0, 1, 2), (0, 1e308), None])
    def test_gravity(self, bad):
        with pytest.raises((ValueError, TypeError), match="gravity"):
            World(bad)
        world = World((1, 2))
        with pytest.raises((ValueError, TypeError), match="gravity"):
            world.gravity = bad
        assert world.gravity == (1.0, 2.0)

    @pytest.mark.parametrize("bad", ["exact", None, 0])
    def test_solver(self, bad):
        with pytest.raises(ValueError, match="solver"):
            World(solver=bad)

    def test_time_and_steps_are_read_only(self):
        world = World()
        for name in ("time", "steps", "positions", "energy", "bodies", "contacts"):
            with pytest.raises(AttributeError):
                setattr(world, name, 1)

    def test_runaways_are_stopped_and_told(self):
        """No NaN, whatever the force: the step says what it could not do."""
        world = floor_world()
        calm = world.add_body(Box(1, 1), position=(0, 0.5))
        wild = world.add_body(Circle(1), position=(10, 5))
        wild.apply_force((1e308, 1e308))
        with pytest.raises(OverflowError, match="1 bodies"):
            world.step(DT)
        assert wild.position == (10.0, 5.0)
        assert wild.velocity == (0.0, 0.0)
        assert world.steps == 1
        run(world, 1)
        assert np.isfinite(world.positions).all()
        assert calm.position == pytest.approx((0, 0.5), abs=1e-6)

    def test_runaways_in_contact(self):
        for solver in ("direct", "iterative"):
            world = floor_world(solver=solver)
            tower = [world.add_body(Box(1, 1), position=(0, k + 0.5)) for k in range(4)]
            run(world, 0.2)
            tower[0].apply_force((0, 1e308))
            tower[3].apply_torque(1e308)
            with pytest.raises(OverflowError):
                world.step(DT)
            for _ in range(60):
                world.step(DT)
            assert np.isfinite(world.positions).all()
            assert np.isfinite(world.velocities).all()
            assert np.isfinite(world.contacts.arrays["normal_force"]).all()


class TestThreads:
    def test_calls_that_clash_are_refused(self):
        """A step in one thread; whatever another calls works before or after it or is refused."""
        world = floor_world(sleeping=False)
        for k in range(300):
            world.add_body(Box(0.9, 0.9), position=(k % 20 - 10, 0.5 + k // 20))
        body = world.bodies[5]
        snapshot = world.snapshot()
        calls = [
            lambda: world.step(DT),
            lambda: world.remove(world.add_body(Circle(0.1), position=(0, 40))),
            lambda: world.ray_query((-15, 1), (15, 1)),
            lambda: world.ray_query_many(np.zeros((50, 2)), np.ones((50, 2))),
            lambda: world.point_query((0, 0)),
            lambda: list(world.contacts),
            lambda: setattr(body, "position", (0, 30)),
            lambda: body.apply_impulse((0, 1)),
            lambda: world.positions.sum(),
            lambda: world.snapshot(),
            lambda: world.set_state(velocities=np.zeros((len(world.bodies), 2))),
        ]
        problems, refused = [], []
        stop = threading.Event()

        def work(call):
            while not stop.is_set():
                try:
                    call()
                except RuntimeError as error:
                    refused.append(str(error))
                except ValueError as error:  # rows changed between two calls
                    if "shape" not in str(error):
                        problems.append(error)
                except Exception as error:
                    problems.append(error)

        threads = [threading.Thread(target=work, args=(call,)) for call in calls]
        for thread in threads:
            thread.start()
        stop.wait(0.7)
        stop.set()
        for thread in threads:
            thread.join(20)
            assert not thread.is_alive()
        assert not problems
        assert all("under way" in text or "handlers" in text for text in refused)
        world.restore(snapshot)
        world.step(DT)
        assert np.isfinite(world.positions).all()

    def test_worlds_do_not_hear_of_each_other(self):
        """Worlds that step in threads at once end where they end alone, bit for bit."""

        def build():
            world = floor_world()
            for k in range(30):
                world.add_body(Box(0.9, 0.9), position=(0.01 * k, 0.5 + k), angle=0.01 * k)
            return world

        alone = build()
        run(alone, 0.5)
        worlds = [build() for _ in range(4)]
        threads = [threading.Thread(target=run, args=(world, 0.5)) for world in worlds]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for world in worlds:
            assert world.positions.tobytes() == alone.positions.tobytes()


class TestClass:
    def test_can_be_subclassed(self):
        class Game(World):
            def __init__(self, score):
                super().__init__((0, -1))
                self.score = score

        game = Game(3)
        game.add_body(Circle(1))
        game.step(1.0)
        assert (game.score, game.gravity) == (3, (0.0, -1.0))

    def test_one_that_was_not_initialised_is_a_world_without_gravity(self):
        class Careless(World):
            def __init__(self):
                pass

        world = Careless()
        body = world.add_body(Circle(1), velocity=(1, 0))
        world.step(0.5)
        assert body.position == (0.5, 0.0)

    def test_is_collected(self):
        world = World()
        body = world.add_body(Circle(1))
        world.events.on_begin(world.remove)

        class Mark:
            pass

        body.data = Mark()
        gone = weakref.ref(body.data)
        del world, body
        gc.collect()
        assert gone() is None

    def test_stats(self):
        world = floor_world()
        world.add_body(Box(1, 1), position=(0, 0.5))
        world.step(DT)
        stats = world.stats
        assert list(stats["seconds"]) == [
            "edits",
            "broad_phase",
            "narrow_phase",
            "island",
            "solve",
            "event",
        ]
        assert all(seconds >= 0 for seconds in stats["seconds"].values())
        assert (stats["bodies"], stats["pairs"], stats["contacts"], stats["islands"]) == (
            2,
            1,
            2,
            1,
        )
        assert stats["direct_solves"] + stats["sweeps"] > 0

    def test_build_mode(self):
        assert World().build_mode in ("release", "debug", "profile", "trace")

    @pytest.mark.parametrize("name", engine2d.__all__)
    def test_every_public_name_is_there_and_documented(self, name):
        assert getattr(engine2d, name).__doc__

    @pytest.mark.parametrize("kind", [World, Body])
    def test_everything_public_says_what_it_is(self, kind):
        for name, value in vars(kind).items():
            if not name.startswith("_") and (callable(value) or inspect.isdatadescriptor(value)):
                assert value.__doc__ or name in (
                    "time",
                    "steps",
                    "sleeping",
                    "id",
                    "generation",
                    "data",
                ), name


class TestContacts:
    def test_forces_bear_the_weight(self):
        world = floor_world()
        block = world.add_body(Box(1, 3, density=2), position=(0, 1.5))
        run(world, 1)
        contacts = world.contacts
        assert sum(c.normal_force for c in contacts) == pytest.approx(60, rel=1e-9)
        assert all(c.normal_force >= 0 for c in contacts)
        assert {c.body_a for c in contacts} | {c.body_b for c in contacts} == {
            world.bodies[0],
            block,
        }
        # from B into A: up if the block is A
        up = 1 if contacts[0].body_a is block else -1
        assert [c.normal for c in contacts] == [(0.0, up)] * 2
        assert sorted(c.point[0] for c in contacts) == pytest.approx([-0.5, 0.5], abs=1e-6)

    def test_friction_holds_a_block_on_a_slope(self):
        """On a slope of angle a: sum of N = m g cos a, of friction m g sin a."""
        a = 0.3
        world = World((10 * math.sin(a), -10 * math.cos(a)))
        world.add_static(Box(20, 1, friction=0.6), position=(0, -0.5))
        world.add_body(Box(2, 1, friction=0.6), position=(0, 0.5))
        run(world, 1)
        rows = world.contacts.arrays
        tangent = np.stack([-rows["normal"][:, 1], rows["normal"][:, 0]], axis=1)
        on_a = rows["normal"] * rows["normal_force"][:, None]
        on_a += tangent * rows["friction_force"][:, None]
        sign = 1 if rows["body_a"][0] == world.bodies[1].id else -1
        total = sign * on_a.sum(axis=0)
        assert total == pytest.approx((-20 * math.sin(a), 20 * math.cos(a)), rel=1e-6)

    def test_is_a_sequence(self):
        world = floor_world()
        assert len(world.contacts) == 0
        world.add_body(Box(1, 1), position=(0, 0.5))
        world.step(DT)
        contacts = world.contacts
        assert contacts[0] == next(iter(contacts))
        assert contacts[-1] == contacts[1]
        assert contacts[:] == list(contacts)
        assert repr(contacts) == "<2 contacts>"
        with pytest.raises(IndexError):
            contacts[2]
        with pytest.raises(TypeError):
            contacts["gap"]

    def test_keep_their_bodies_when_ids_go_to_others(self):
        world = floor_world()
        old = world.add_body(Box(1, 1), position=(0, 0.5))
        world.step(DT)
        contacts = world.contacts
        world.remove(old)
        assert len(world.contacts) == 0
        world.step(DT)
        new = world.add_body(Circle(1), position=(0, 50))
        assert new.id == old.id
        assert old in (contacts[0].body_a, contacts[0].body_b)


class TestContactsOfABody:
    def test_it_is_a_of_each(self):
        world = World()
        floor = world.add_static(Box(40, 2), position=(0, -1))
        boxes = [world.add_body(Box(1, 1), position=(0, k + 0.5)) for k in range(3)]
        for _ in range(10):
            world.step(1 / 60)
        for k, box in enumerate(boxes):
            assert {c.body_a for c in box.contacts} == {box}
            up = sum(c.normal_force * c.normal.y for c in box.contacts)
            assert up == pytest.approx(9.81, rel=1e-9)
            assert len(box.contacts) == (4 if k < 2 else 2)
            # friction and normal force of each contact, as force on the body
            force = sum(
                (c.normal * c.normal_force + c.normal.perpendicular() * c.friction_force).y
                for c in box.contacts
            )
            assert force == pytest.approx(9.81, rel=1e-9)
        assert {c.shape_b.body for c in floor.contacts} == {boxes[0]}
        assert len(world.contacts) == 6

    def test_forces_on_the_two_are_opposite(self):
        world = World(gravity=(3, -9.81))
        floor = world.add_static(Box(40, 2), position=(0, -1))
        box = world.add_body(Box(1, 1), position=(0, 0.5))
        for _ in range(10):
            world.step(1 / 60)

        def force(body):
            parts = [
                c.normal * c.normal_force + c.normal.perpendicular() * c.friction_force
                for c in body.contacts
            ]
            return sum(parts, start=parts[0] * 0)

        assert force(box) == pytest.approx(-force(floor))
        assert force(box) == pytest.approx((-3, 9.81), rel=1e-9)


def test_time_scale_slows_time_down():
    worlds = [World(), World()]
    worlds[1].time_scale = 0.25
    for world in worlds:
        world.add_body(Circle(0.5), velocity=(1, 2))
    worlds[0].step(1 / 256)
    worlds[1].step(1 / 64)
    assert (worlds[0].positions == worlds[1].positions).all()
    assert worlds[1].time == worlds[0].time
    twin = worlds[1].copy()
    assert twin.time_scale == 0.25
    for wrong in (0, -1, float("nan"), "x"):
        with pytest.raises((ValueError, TypeError), match="time_scale"):
            worlds[0].time_scale = wrong
