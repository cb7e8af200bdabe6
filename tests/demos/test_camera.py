"""One transform for drawing and for the mouse."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine2d import Box, World
from engine2d.camera import Camera

numbers = st.floats(-1e3, 1e3)
points = st.tuples(numbers, numbers)
scales = st.floats(1e-2, 1e4)


@given(points, points, scales)
def test_there_and_back_is_the_same_point(point, center, scale):
    camera = Camera((960, 720), center, scale)
    assert np.abs(camera.to_world(camera.to_screen(point)) - point).max() <= 1e-9


@given(points, scales)
def test_pixels_come_back_too(center, scale):
    camera = Camera((960, 720), center, scale)
    pixels = np.array([[0.0, 0.0], [960.0, 720.0], [13.25, 700.5]])
    # a pixel is 1 / scale metres, known to the rounding of the centre
    back = camera.to_screen(camera.to_world(pixels))
    assert np.abs(back - pixels).max() <= 1e-9 + 1e-15 * 2e3 * scale


def test_y_is_up_and_the_center_is_in_the_middle():
    camera = Camera((200, 100), center=(3.0, 4.0), scale=10.0)
    assert camera.to_screen((3.0, 4.0)).tolist() == [100.0, 50.0]
    assert camera.to_screen((4.0, 5.0)).tolist() == [110.0, 40.0]


@given(points, scales, st.floats(0.1, 10.0))
def test_zoom_leaves_the_point_under_the_mouse(center, scale, factor):
    camera = Camera((960, 720), center, scale)
    at = (123.0, 456.0)
    before = camera.to_world(at)
    camera.zoom(factor, at)
    assert camera.scale == pytest.approx(scale * factor)
    assert np.abs(camera.to_world(at) - before).max() <= 1e-9 * (1.0 + 1e3 / scale)


def test_pan_drags_the_world_along():
    camera = Camera((960, 720), scale=40.0)
    before = camera.to_screen((1.0, 2.0))
    camera.pan((30.0, -20.0))
    assert camera.to_screen((1.0, 2.0)) - before == pytest.approx([30.0, -20.0])


def test_fit_shows_the_whole_box():
    camera = Camera((960, 720))
    camera.fit((-3.0, -1.0), (5.0, 2.0))
    low, high = camera.bounds
    assert (low < (-3.0, -1.0)).all()
    assert (high > (5.0, 2.0)).all()
    assert camera.center == (1.0, 0.5)


def test_follow_keeps_a_body_in_the_middle():
    world = World()
    body = world.add_body(Box(1, 1), position=(2, 3), velocity=(4, 0))
    camera = Camera((960, 720))
    camera.follow(body)
    world.step(0.1)
    camera.update()
    assert camera.center == body.center
    world.remove(body)
    camera.update()
    assert camera.target is None


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: Camera((0, 10)), "size"),
        (lambda: Camera((10, 10), center=(math.nan, 0)), "center"),
        (lambda: Camera((10, 10), scale=-1.0), "scale"),
        (lambda: Camera((10, 10), scale=math.inf), "scale"),
        (lambda: Camera((10, 10)).zoom(0.0), "factor"),
        (lambda: Camera((10, 10)).pan((1, 2, 3)), "pixels"),
        (lambda: Camera((10, 10)).fit((0, 0), (0, 1)), "high"),
    ],
)
def test_bad_numbers_are_refused_by_name(call, name):
    with pytest.raises(ValueError, match=f"^{name} "):
        call()
