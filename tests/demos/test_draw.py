"""The renderer puts things where they are, at any zoom, and in time."""

import math
import time

import numpy as np
import pygame
import pytest

from demos.scenes.pyramid import pyramid
from demos.scenes.scene import add_scene
from demos.scenes.shapes import gallery
from engine2d import Box, Circle, Path, Segment, World, draw
from engine2d.draw import PAPER, Camera, Renderer
from engine2d.flatten import FLAT, flatten

SIZE = (400, 300)


def canvas(world, **options):
    surface = pygame.Surface(SIZE)
    camera = Camera(SIZE, scale=options.pop("scale", 40.0), center=options.pop("center", (0, 0)))
    renderer = Renderer(surface, camera, **{"grid": False, "notes": False, **options})
    renderer.draw(world)
    return renderer


def pixels(renderer):
    return pygame.surfarray.array3d(renderer.surface).astype(int)


def drawn(renderer):
    """Where something is on the paper, as columns and rows."""
    return np.nonzero((pixels(renderer) != PAPER).any(axis=2))


def at(renderer, point):
    x, y = renderer.camera.to_screen(point)
    return tuple(renderer.surface.get_at((round(x), round(y))))[:3]


# ---- arcs ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [1.0, 40.0, 3e4])
@pytest.mark.parametrize(("name", "shape"), gallery(), ids=[name for name, _ in gallery()])
def test_chords_keep_to_the_outline(name, shape, scale):
    """The area between chord and arc: at most the flatness times the length."""
    run = flatten(shape, scale)
    if not shape.closed:
        return
    x, y = run.T
    area = 0.5 * float((x * np.roll(y, -1) - y * np.roll(x, -1)).sum())
    length = np.hypot(*(run - np.roll(run, -1, axis=0)).T).sum()
    assert abs(area - shape.area) <= FLAT / scale * length + 1e-12


@pytest.mark.parametrize("scale", [1.0, 40.0, 3e4])
def test_a_circle_is_as_round_as_the_zoom_asks(scale):
    run = flatten(Circle(2.0, center=(1.0, 0.0)), scale)
    middles = 0.5 * (run + np.roll(run, -1, axis=0))
    assert np.hypot(*(run - (1, 0)).T) == pytest.approx(2.0, rel=1e-12)
    assert (2.0 - np.hypot(*(middles - (1, 0)).T)).max() * scale <= FLAT * 1.0001


# ---- places -------------------------------------------------------------------------------------


def test_shapes_are_where_they_are():
    world = World()
    world.add_static(Box(2, 1), position=(-2, 1))
    world.add_body(Circle(0.5), position=(2, -1))
    large = world.add_body(Circle(1.5), position=(2, 2), angle=1.0)
    renderer = canvas(world)
    assert at(renderer, (-2, 1)) == draw.STATIC
    assert at(renderer, (2.2, -1.3)) in draw.FILLS
    assert at(renderer, large.position) in draw.FILLS
    assert at(renderer, (0, 0)) == PAPER
    xs, ys = drawn(canvas(world, shapes=True, scale=20.0))
    low, high = Camera(SIZE, scale=20.0).to_screen([(-3, 3.5), (3.5, -1.5)])
    for found, wanted in ((xs, (low[0], high[0])), (ys, (low[1], high[1]))):
        assert abs(found.min() - wanted[0]) <= 2.0
        assert abs(found.max() - wanted[1]) <= 2.0


def test_a_bowl_is_drawn_as_an_arc():
    world = World()
    world.add_static(Path([(-2, 0), (2, 0)], [1.0], closed=False))
    xs, ys = drawn(canvas(world))
    x, y = Camera(SIZE, scale=40.0).to_world(np.stack([xs, ys], axis=1)).T
    assert np.abs(np.hypot(x, y) - 2.0).max() * 40.0 <= 1.5
    assert len(xs) > 2.0 * math.pi * 40.0


def test_what_is_out_of_view_is_not_drawn():
    world = World()
    world.add_body(Box(1, 1), position=(50, 0))
    world.add_body(Circle(1), position=(0, -50))
    assert len(drawn(canvas(world))[0]) == 0


@pytest.mark.parametrize("scale", [1e-6, 1e-3, 1.0, 1e3, 1e6, 1e9])
def test_any_zoom_is_drawn_and_quickly(scale):
    world = World()
    for k, (_, shape) in enumerate(gallery()):
        add = world.add_body if shape.area > 0.0 else world.add_static
        add(shape, position=(0.1 * k, 0))
    world.add_static(Segment((-1e5, -1), (1e5, -1)))
    world.step(1 / 60)
    flags = dict.fromkeys(Renderer.FLAGS, True)
    start = time.process_time()
    renderer = canvas(world, scale=scale, **flags)
    renderer.draw(world)
    assert time.process_time() - start < 2.0
    assert renderer.camera.scale == scale


def test_the_inside_of_a_large_body_fills_the_view():
    world = World()
    world.add_static(Box(1000, 1000))
    world.add_static(Circle(500), position=(2000, 0))
    assert set(map(tuple, pixels(canvas(world)).reshape(-1, 3))) == {draw.STATIC}
    view = canvas(world, center=(2000.0, 30.0))
    assert set(map(tuple, pixels(view).reshape(-1, 3))) == {draw.STATIC}


# ---- flags --------------------------------------------------------------------------------------


def resting():
    world = World()
    world.add_static(Box(20, 2), position=(0, -1))
    world.add_body(Box(1, 1), position=(-1, 0.5))
    world.add_body(Circle(0.5), position=(2, 2), velocity=(3, 0))
    for _ in range(3):
        world.step(1 / 60)
    return world


@pytest.mark.parametrize(
    "flag", ["contacts", "normals", "forces", "labels", "velocities", "bounds", "grid", "notes"]
)
def test_each_flag_adds_something(flag):
    world = resting()
    needs = {"labels": {"forces": True}, "notes": {"forces": True}}.get(flag, {})
    without = pixels(canvas(world, **needs))
    assert (pixels(canvas(world, **needs, **{flag: True})) != without).any()


def test_forces_are_arrows_of_so_many_pixels_to_a_newton():
    world = resting()
    plain, arrows = pixels(canvas(world)), pixels(canvas(world, forces=True, force_scale=4.0))
    xs, ys = np.nonzero((plain != arrows).any(axis=2))
    # half of the weight at each corner, upwards from the ground
    length = 4.0 * 0.5 * 9.81
    foot = Camera(SIZE, scale=40.0).to_screen((-1, 0))[1]
    assert abs((foot - ys.min()) - length) <= 2.0
    assert ys.max() <= foot + 2.0
    assert len(set(xs[xs < 160].tolist()) & set(xs[xs >= 160].tolist())) == 0


def test_sleepers_are_pale_and_islands_have_colours():
    world = resting()
    renderer = canvas(world)
    awake = at(renderer, (-1.2, 0.3))
    world.add_static(Box(1, 1), position=(50, 50))
    for _ in range(60):
        world.step(1 / 60)
    renderer.draw(world)
    asleep = at(renderer, (-1.2, 0.3))
    assert sum(asleep) > sum(awake)
    renderer.sleep = False
    renderer.draw(world)
    assert at(renderer, (-1.2, 0.3)) == awake
    renderer.islands = True
    renderer.draw(world)
    assert at(renderer, (-1.2, 0.3)) == draw.STATIC


def test_trails_show_where_bodies_were():
    world = World(gravity=(0, 0))
    body = world.add_body(Circle(0.2), position=(-3, 0), velocity=(6, 0))
    renderer = canvas(world, trails=True)
    for _ in range(30):
        world.step(1 / 60)
        renderer.draw(world)
    assert at(renderer, (-2.0, 0.0)) != PAPER
    renderer.forget_trails()
    renderer.draw(world)
    assert at(renderer, (-2.0, 0.0)) == PAPER
    assert body.position[0] == pytest.approx(0.0)


def test_paint_and_removed_bodies():
    world = resting()
    body = world.bodies[1]
    renderer = canvas(world)
    renderer.paint[body] = (1, 2, 3)
    renderer.draw(world)
    assert at(renderer, (-1.2, 0.3)) == (1, 2, 3)
    world.remove(body)
    renderer.draw(world)
    assert at(renderer, (-1.2, 0.3)) == PAPER


@pytest.mark.parametrize(
    ("surface", "camera", "name"),
    [(None, Camera((10, 10)), "surface"), (pygame.Surface((10, 10)), (10, 10), "camera")],
)
def test_bad_arguments_are_named(surface, camera, name):
    with pytest.raises(TypeError, match=f"^{name} "):
        Renderer(surface, camera)


def test_an_empty_world_and_an_empty_text():
    renderer = canvas(World(), **dict.fromkeys(Renderer.FLAGS, True))
    renderer.write("", (10, 10))


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0 N"), (5e3, "5 kN"), (-2.0, "-2 N"), (1.5e-3, "1.5 mN"), (9.81, "9.81 N")],
)
def test_numbers_with_units(value, text):
    assert draw.with_unit(value, "N") == text


@pytest.mark.slow
def test_a_thousand_bodies_are_drawn_sixty_times_a_second():
    world = World()
    add_scene(world, pyramid(45))
    world.step(1 / 60)
    surface = pygame.Surface((960, 720))
    camera = Camera((960, 720))
    camera.fit((-25, -2), (25, 46))
    renderer = Renderer(surface, camera)
    times = []
    for _ in range(30):
        start = time.process_time()
        renderer.draw(world)
        times.append(time.process_time() - start)
    assert len(world.bodies) > 1000
    assert sorted(times)[10] < 1 / 60


def test_the_picture_is_the_same_to_the_eye_without_what_only_pygame_ce_has(monkeypatch):
    """The classic pygame has no aacircle, no wide aaline and no fblits."""
    if not draw.IS_CE:
        pytest.skip("this is the classic pygame")
    world = World()
    add_scene(world, pyramid(4))
    world.add_body(Circle(3), position=(-2, 6))
    world.add_body(Circle(0.4), position=(2, 6))
    for _ in range(3):
        world.step(1 / 60)
    pictures = []
    for is_ce in (True, False):
        monkeypatch.setattr(draw, "IS_CE", is_ce)
        renderer = canvas(world, forces=True, velocities=True, scale=25.0, grid=True, notes=True)
        renderer.discs([(0, 0), (1, 3)], [3.1, 0.2], [(200, 30, 30), (30, 30, 200)])
        renderer.line([(-3, -3), (3, 1)], width=2)
        pictures.append(pixels(renderer))
    # The eye does not see whether an edge has its shade in this pixel or in the next: means over
    # 5 x 5 pixels.
    off = (pictures[0] - pictures[1]).astype(float)
    for axis in (0, 1):
        off = sum(np.roll(off, k, axis) for k in range(-2, 3)) / 5.0
    assert np.abs(off).max() < 100
    assert np.abs(off).mean() < 1.0
