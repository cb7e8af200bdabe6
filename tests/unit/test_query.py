"""Questions to a world: points, boxes, rays, overlaps, casts, nearness."""

import math

import numpy as np
import pytest

from engine2d import Box, Circle, Filter, Path, Polygon, Segment, World

NAN, INF = math.nan, math.inf


def row_of_discs(n=5, **options):
    """Discs of radius 0.5 at x = 0, 2, 4, ..."""
    world = World(gravity=(0, 0))
    return world, [world.add_body(Circle(0.5, **options), position=(2 * k, 0)) for k in range(n)]


def ask_all(world, **options):
    """One answer of each kind."""
    return [
        world.point_query((0, 0), **options),
        world.box_query((-1, -1), (1, 1), **options),
        world.overlap_query(Circle(1), **options),
        world.ray_query_all((-5, 0), (5, 0), **options),
        [world.ray_query((-5, 0), (5, 0), **options)],
        [world.cast_query(Circle(0.1), (-5, 0), (10, 0), **options)],
        [world.nearest_query((0.1, 0), **options)],
    ]


def test_an_empty_world_answers_nothing():
    for world in (World(), emptied_world()):
        assert ask_all(world) == [[], [], [], [], [None], [None], [None]]
        rays = world.ray_query_many(np.zeros((3, 2)), np.ones((3, 2)))
        assert rays.body.tolist() == rays.shape.tolist() == [-1, -1, -1]
        assert rays.fraction.tolist() == [INF] * 3
        assert np.isnan(rays.point).all()


def emptied_world():
    world, bodies = row_of_discs()
    for body in bodies:
        world.remove(body)
    return world


class TestPoint:
    def test_finds_what_holds_it(self):
        world, bodies = row_of_discs()
        assert [found.body for found in world.point_query((2.2, 0.1))] == [bodies[1]]
        assert world.point_query((2.2, 0.1))[0].shape.shape == Circle(0.5)
        assert world.point_query((1, 0)) == []

    def test_order_is_that_of_adding(self):
        world = World()
        bodies = [world.add_body(Circle(5 - k), position=(0.1 * k, 0)) for k in range(4)]
        assert [found.body for found in world.point_query((0, 0))] == bodies

    def test_concave_shapes(self):
        world = World()
        world.add_body(Polygon([(0, 0), (3, 0), (3, 3), (2, 3), (2, 1), (0, 1)]))
        assert world.point_query((1, 0.5))
        assert world.point_query((1, 2)) == []
        bowl = World()
        bowl.add_static(Path([(-1, 0), (-0.8, 0), (0.8, 0), (1, 0)], [0, 1, 0, -1]))
        assert bowl.point_query((0, -0.9))
        assert bowl.point_query((0, -0.5)) == []

    @pytest.mark.parametrize(
        "bad", [(NAN, 0), (INF, 0), (1,), (1, 2, 3), None, "ab", 1e13, (1e13, 0)]
    )
    def test_bad_points_are_refused(self, bad):
        world, _ = row_of_discs()
        with pytest.raises((ValueError, TypeError), match="point"):
            world.point_query(bad)
        with pytest.raises((ValueError, TypeError), match="point"):
            world.nearest_query(bad)


class TestBox:
    def test_finds_boxes_that_overlap(self):
        world, bodies = row_of_discs()
        assert [f.body for f in world.box_query((1.6, -9), (3.4, 9))] == [bodies[1]]
        # closed: boxes that touch overlap
        assert [f.body for f in world.box_query((2.5, 0), (3.5, 0))] == bodies[1:3]
        assert [f.body for f in world.box_query((-1e300, -1e300), (1e300, 1e300))] == bodies

    def test_bad_boxes_are_refused(self):
        world, _ = row_of_discs()
        with pytest.raises(ValueError, match="low"):
            world.box_query((1, 0), (0, 1))
        with pytest.raises(ValueError, match="low"):
            world.box_query((NAN, 0), (0, 1))
        with pytest.raises(ValueError, match="high"):
            world.box_query((0, 0), (0, INF))


class TestRay:
    def test_first_hit(self):
        world, bodies = row_of_discs()
        hit = world.ray_query((-2, 0), (8, 0))
        assert hit.body is bodies[0]
        assert hit.shape.shape == Circle(0.5)
        assert hit.point == pytest.approx((-0.5, 0))
        assert hit.normal == pytest.approx((-1, 0))
        assert hit.fraction == pytest.approx(0.15)
        assert hit.distance == pytest.approx(1.5)

    def test_all_hits_in_order(self):
        world, bodies = row_of_discs()
        hits = world.ray_query_all((9, 0), (-1, 0))
        assert [hit.body for hit in hits] == bodies[::-1]
        assert [hit.distance for hit in hits] == pytest.approx([0.5, 2.5, 4.5, 6.5, 8.5])

    def test_equal_hits_by_id(self):
        world = World()
        bodies = [world.add_body(Circle(1)) for _ in range(20)]
        for _ in range(3):
            assert world.ray_query((-3, 0.2), (3, 0.1)).body is bodies[0]
            hits = world.ray_query_all((-3, 0.2), (3, 0.1))
            assert [hit.body for hit in hits] == bodies
            assert world.nearest_query((-3, 0)).body is bodies[0]
            assert world.cast_query(Circle(0.5), (-3, 0), (6, 0)).body is bodies[0]
            assert world.ray_query_many([(-3, 0.2)], [(3, 0.1)]).body[0] == bodies[0].id
            world.remove(bodies.pop(0))

    def test_leaves_what_it_starts_in_unnoticed(self):
        world, bodies = row_of_discs()
        assert world.ray_query((0, 0), (8, 0)).body is bodies[1]
        assert world.ray_query((0, 0), (0.4, 0)) is None

    def test_of_no_length(self):
        world, _ = row_of_discs()
        for point in ((0, 0), (1, 0), (0.5, 0)):
            hit = world.ray_query(point, point)
            assert hit is None or hit.fraction == 0
            assert len(world.ray_query_all(point, point)) == (hit is not None)
            rays = world.ray_query_many([point], [point])
            assert (rays.body[0] >= 0) == (hit is not None)

    @pytest.mark.parametrize("bad", [(NAN, 0), (0, INF), (1,), "ab", None, (1e13, 0)])
    def test_bad_rays_are_refused(self, bad):
        world, _ = row_of_discs()
        for ask in (world.ray_query, world.ray_query_all, world.ray_query_many):
            with pytest.raises((ValueError, TypeError), match="start"):
                ask(bad, (1, 1))
            with pytest.raises((ValueError, TypeError), match="end"):
                ask((1, 1), bad)

    def test_lines_are_hit_from_both_sides(self):
        world = World()
        world.add_static(Segment((-1, 0), (1, 0)))
        assert world.ray_query((0, 1), (0, -1)).normal == pytest.approx((0, 1))
        assert world.ray_query((0, -1), (0, 1)).normal == pytest.approx((0, -1))


class TestRays:
    def test_are_those_of_one_by_one(self):
        world, _bodies = row_of_discs()
        angles = np.linspace(0, 6, 50)
        ends = 9 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
        rays = world.ray_query_many((1, 0.2), ends)
        for k, end in enumerate(ends):
            hit = world.ray_query((1, 0.2), end)
            if hit is None:
                assert (rays.body[k], rays.shape[k], rays.fraction[k]) == (-1, -1, INF)
                assert np.isnan(rays.point[k]).all()
                assert np.isnan(rays.normal[k]).all()
            else:
                assert world.body(rays.body[k]) is hit.body
                assert tuple(rays.point[k]) == hit.point
                assert tuple(rays.normal[k]) == hit.normal
                assert rays.fraction[k] == hit.fraction

    def test_of_one_point_and_many(self):
        world, bodies = row_of_discs()
        assert world.ray_query_many([(-3, 0), (-3, 1)], (9, 0)).body.shape == (2,)
        assert world.ray_query_many((-3, 0), (9, 0)).body.tolist() == [bodies[0].id]
        assert world.ray_query_many(np.zeros((0, 2)), np.zeros((0, 2))).body.shape == (0,)
        assert world.ray_query_many(np.zeros((0, 2)), (1, 1)).point.shape == (0, 2)

    def test_of_strange_layouts(self):
        world, _ = row_of_discs()
        starts = np.array([(-3.0, 0.0), (-3.0, 0.1), (-3.0, 0.2)])
        plain = world.ray_query_many(starts, (9, 0))
        for same in (
            np.asfortranarray(starts),
            np.repeat(starts, 2, axis=0)[::2],
            starts.tolist(),
            starts[::-1][::-1],
        ):
            assert np.array_equal(world.ray_query_many(same, (9, 0)).fraction, plain.fraction)

    @pytest.mark.parametrize(
        ("starts", "ends"),
        [
            (np.zeros((2, 2)), np.zeros((3, 2))),
            (np.zeros((2, 3)), np.zeros((2, 3))),
            (np.zeros((1, 2, 2)), np.zeros((2, 2))),
            ([(0, NAN)], [(0, 0)]),
            ([(0, 0)], [(0, 1e300)]),
            ("ab", [(0, 0)]),
            (None, [(0, 0)]),
            ([(0, 1j)], [(0, 0)]),
        ],
    )
    def test_bad_ones_are_refused(self, starts, ends):
        world, _ = row_of_discs()
        with pytest.raises((ValueError, TypeError), match=r"starts|ends"):
            world.ray_query_many(starts, ends)


class TestOverlap:
    def test_finds_what_touches(self):
        world, bodies = row_of_discs()
        assert [f.body for f in world.overlap_query(Box(2, 2), (1, 0))] == bodies[:2]
        assert world.overlap_query(Circle(0.4), (1, 0)) == []
        assert [f.body for f in world.overlap_query(Circle(0.1), (0, 0))] == bodies[:1]
        assert [f.body for f in world.overlap_query(Circle(50), (0, 0))] == bodies

    def test_poses(self):
        world, _bodies = row_of_discs()
        stick = Box(4, 0.1)
        assert len(world.overlap_query(stick, (2, 0))) == 3
        assert len(world.overlap_query(stick, (2, 0, math.pi / 2))) == 1
        assert len(world.overlap_query(stick, ((2, 0), math.pi / 2))) == 1

    @pytest.mark.parametrize("bad", [(NAN, 0), (0,), None, (0, 0, INF), (1e13, 0), "ab"])
    def test_bad_poses_are_refused(self, bad):
        world, _ = row_of_discs()
        with pytest.raises((ValueError, TypeError), match="pose"):
            world.overlap_query(Circle(1), bad)
        with pytest.raises((ValueError, TypeError), match="pose"):
            world.cast_query(Circle(1), bad, (1, 0))

    @pytest.mark.parametrize(
        "bad", [None, 1, "circle", Circle, Circle.__new__(Circle), Circle(1e20)]
    )
    def test_bad_shapes_are_refused(self, bad):
        world, _ = row_of_discs()
        with pytest.raises((ValueError, TypeError), match="shape"):
            world.overlap_query(bad)
        with pytest.raises((ValueError, TypeError), match="shape"):
            world.cast_query(bad, (0, 0), (1, 0))


class TestCast:
    def test_first_hit(self):
        world, bodies = row_of_discs()
        hit = world.cast_query(Circle(0.25), (-2, 0), (10, 0))
        assert hit.body is bodies[0]
        assert hit.distance == pytest.approx(1.25, abs=1e-6)
        assert hit.fraction == pytest.approx(0.125, abs=1e-7)
        assert hit.point == pytest.approx((-0.5, 0), abs=1e-6)
        assert abs(hit.normal[0]) == pytest.approx(1)

    def test_what_it_starts_in_is_met_at_once_unless_it_leaves_it(self):
        world, bodies = row_of_discs()
        hit = world.cast_query(Circle(0.25), (1.9, 0), (0.5, 0))
        assert (hit.body, hit.fraction, hit.distance) == (bodies[1], 0, 0)
        assert world.cast_query(Circle(0.25), (2.1, 0), (0.5, 0)) is None
        assert world.cast_query(Circle(0.25), (2.1, 0), (5, 0)).body is bodies[2]

    def test_misses(self):
        world, _ = row_of_discs()
        assert world.cast_query(Circle(0.25), (-2, 1), (10, 0)) is None
        assert world.cast_query(Circle(0.25), (-2, 0), (1, 0)) is None
        assert world.cast_query(Circle(0.25), (-2, 0), (0, 0)) is None

    @pytest.mark.parametrize("bad", [(NAN, 0), (0, INF), 1, None, (1e13, 0)])
    def test_bad_ways_are_refused(self, bad):
        with pytest.raises((ValueError, TypeError), match="way"):
            World().cast_query(Circle(1), (0, 0), bad)


class TestNearest:
    def test_outside_and_inside(self):
        world, bodies = row_of_discs()
        hit = world.nearest_query((1.2, 0))
        assert hit.body is bodies[1]
        assert hit.distance == pytest.approx(0.3)
        assert hit.point == pytest.approx((1.5, 0))
        assert hit.fraction == 0
        assert world.nearest_query((2.1, 0)).distance == pytest.approx(-0.4)

    def test_within_a_distance_that_counts_itself(self):
        world = World()
        body = world.add_static(Box(2, 2))
        assert world.nearest_query((3, 0), 1.9) is None
        assert world.nearest_query((3, 0), 2.0).body is body
        assert world.nearest_query((1, 0), 0).body is body
        assert world.nearest_query((0.5, 0), 0).distance == pytest.approx(-0.5)
        assert world.nearest_query((1e12, 0), None).body is body

    @pytest.mark.parametrize("bad", [-1, NAN, INF, "1"])
    def test_bad_distances_are_refused(self, bad):
        with pytest.raises((ValueError, TypeError), match="distance"):
            World().nearest_query((0, 0), bad)


class TestFilters:
    def test_let_through_what_would_collide(self):
        world = World()
        filters = [
            Filter(),
            Filter(category=2),
            Filter(category=2, mask=4),
            Filter(group=-1),
            Filter(group=5),
            Filter(category=8, mask=0),
        ]
        for filter in filters:
            world.add_static(Circle(1, filter=filter))
        for asked in (*filters, Filter(category=4, mask=2), Filter(category=4, mask=2, group=5)):
            wanted = [asked.allows(filter) for filter in filters]
            expected = [body for body, good in zip(world.bodies, wanted) if good]
            for answer in ask_all(world, filter=asked)[:4]:
                assert [found.body for found in answer] == expected
            for (first,) in ask_all(world, filter=asked)[4:]:
                assert (first and first.body) == (expected[0] if expected else None)

    def test_none_lets_everything_through(self):
        world = World()
        world.add_static(Circle(1, filter=Filter(category=8, mask=4, group=-3)))
        assert all(answer not in ([], [None]) for answer in ask_all(world))
        assert all(answer in ([], [None]) for answer in ask_all(world, filter=Filter()))

    def test_sensors_are_asked_for(self):
        world = World()
        world.add_static(Circle(1, sensor=True))
        assert all(answer in ([], [None]) for answer in ask_all(world))
        assert all(answer not in ([], [None]) for answer in ask_all(world, sensors=True))

    @pytest.mark.parametrize("bad", [1, "all", 0xFF])
    def test_bad_ones_are_refused(self, bad):
        with pytest.raises(TypeError, match="filter"):
            ask_all(World(), filter=bad)


class TestChanges:
    """Answers are of the world as it is now, whatever was done since the last step."""

    def test_setters(self):
        world, bodies = row_of_discs()
        assert world.point_query((0, 0))
        bodies[0].position = (0, 50)
        assert world.point_query((0, 0)) == []
        assert [f.body for f in world.point_query((0, 50))] == [bodies[0]]
        stick = world.add_static(Box(10, 0.1), position=(0, 100))
        assert world.point_query((4, 100))
        stick.angle = math.pi / 2
        assert world.point_query((4, 100)) == []
        assert world.ray_query((-1, 104), (1, 104)).body is stick

    def test_steps(self):
        world, bodies = row_of_discs()
        bodies[0].velocity = (0, 60)
        world.step(0.5)
        assert world.point_query((0, 0)) == []
        assert world.ray_query((-5, 30), (5, 30)).body is bodies[0]
        # the boxes are those of the shapes, not of what they swept
        assert world.box_query((-1, 5), (1, 29)) == []

    def test_removals_and_additions(self):
        world, bodies = row_of_discs()
        for body in bodies[:3]:
            world.remove(body)
        assert world.ray_query((-5, 0), (9, 0)).body is bodies[3]
        late = world.add_body(Circle(0.5), position=(-3, 0))
        assert world.ray_query((-5, 0), (9, 0)).body is late
        assert world.ray_query_many([(-5, 0)], [(9, 0)]).body.tolist() == [late.id]
        assert world.nearest_query((0, 0)).body is late

    def test_kinds(self):
        world, bodies = row_of_discs()
        bodies[0].kind = "static"
        bodies[0].position = (0, 9)
        assert world.point_query((0, 9))
        bodies[0].kind = "kinematic"
        bodies[0].velocity = (0, 1)
        world.step(1.0)
        assert world.point_query((0, 10))

    def test_asking_changes_nothing(self):
        """Bit for bit the same world, whether or not it is asked between steps."""

        def build():
            world = World((0, -10))
            world.add_static(Segment((-20, 0), (20, 0)))
            for k in range(30):
                world.add_body(Box(0.8, 0.8), position=(0.1 * (k % 7), 0.5 + 0.9 * k))
            return world

        plain, asked = build(), build()
        for _ in range(60):
            plain.step(1 / 60)
            asked.step(1 / 60)
            asked.ray_query((-5, 1), (5, 1))
            asked.point_query((0, 1))
        assert plain.positions.tobytes() == asked.positions.tobytes()
        assert plain.velocities.tobytes() == asked.velocities.tobytes()

    def test_arguments_that_change_the_world_while_they_are_read(self):
        world, bodies = row_of_discs()

        class Hostile:
            def __init__(self, x, y):
                self.point = float(x), float(y)

            def __iter__(self):
                for k in range(200):
                    world.add_body(Circle(0.1), position=(5 * k, 60))
                return iter(self.point)

        assert world.ray_query((-5, 0), Hostile(5, 0)).body is bodies[0]
        assert world.ray_query_all(Hostile(-5, 0), (0, 0))[0].body is bodies[0]
        assert world.nearest_query(Hostile(0, 0)).body is bodies[0]
        assert world.cast_query(Circle(0.1), (-5, 0), Hostile(9, 0)).body is bodies[0]
        assert world.point_query(Hostile(0, 0))[0].body is bodies[0]
