"""The window does what its keys, its mouse and its sliders say."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pygame
import pytest

from demos import shows
from demos.app import SLOW, App

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture
def app(tmp_path):
    made = App("flat_drops", folder=tmp_path)
    pygame.event.clear()
    made.frame()
    return made


def press(app, key, up=True):
    pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=key))
    if up:
        pygame.event.post(pygame.event.Event(pygame.KEYUP, key=key))
    app.frame()


def mouse(kind, at, **more):
    at = tuple(round(float(x)) for x in at)
    pygame.event.post(pygame.event.Event(kind, pos=at, **more))


def test_space_pauses_and_a_full_stop_steps(app):
    press(app, pygame.K_SPACE)
    stopped = app.demo.time
    app.frame()
    assert app.demo.time == stopped
    press(app, pygame.K_PERIOD)
    assert app.demo.time == pytest.approx(stopped + app.demo.dt)
    press(app, pygame.K_SPACE)
    assert app.demo.time > stopped + 1.5 * app.demo.dt


def test_r_starts_again(app):
    for _ in range(5):
        app.frame()
    press(app, pygame.K_r)
    assert app.demo.time == pytest.approx(app.demo.dt)


def test_tab_and_arrows_go_round(app):
    names = shows.NAMES
    here = names.index("flat_drops")
    press(app, pygame.K_TAB)
    assert app.name == names[here + 1]
    press(app, pygame.K_LEFT)
    assert app.name == "flat_drops"
    app.show(names[-1])
    press(app, pygame.K_RIGHT)
    assert app.name == names[0]
    press(app, pygame.K_UP)
    assert app.name == names[-1]


def test_slow_motion(app):
    before = app.demo.time
    press(app, pygame.K_s)
    assert app.demo.time - before == pytest.approx(app.demo.dt / SLOW)


def test_rewind_is_exact(app):
    states = []
    for _ in range(6):
        states.append((app.demo.time, np.array(app.demo.world.positions)))
        app.frame()
    press(app, pygame.K_z, up=False)
    app.frame()
    when, where = states[-2]
    assert app.demo.time == when
    assert (app.demo.world.positions == where).all()
    pygame.event.post(pygame.event.Event(pygame.KEYUP, key=pygame.K_z))
    app.frame()
    assert app.demo.time > when


def test_rewinding_past_the_start_stays_there(app):
    press(app, pygame.K_z, up=False)
    for _ in range(5):
        app.frame()
    assert app.demo.time == 0.0


def test_rewind_after_a_slider_was_moved_does_not_fail(app):
    app.frame()
    app.demo.sliders["solver"].set(1)
    app.demo.tuned("solver")
    press(app, pygame.K_z, up=False)
    app.frame()


def test_a_body_is_dragged_to_the_mouse(app):
    body = app.demo.blocks[1]
    mouse(pygame.MOUSEBUTTONDOWN, app.camera.to_screen(body.center), button=1)
    target = app.camera.to_world((300, 200))
    mouse(pygame.MOUSEMOTION, (300, 200), rel=(1, 1), buttons=(1, 0, 0))
    for _ in range(150):
        app.frame()
    # a soft spring: the weight hangs a little below the mouse
    assert np.hypot(*(np.array(body.center) - target)) < 0.2
    mouse(pygame.MOUSEBUTTONUP, (300, 200), button=1)
    app.frame()
    assert app.held is None
    height = body.center[1]
    for _ in range(10):
        app.frame()
    assert body.center[1] < height


def test_the_ground_drags_the_view_and_the_wheel_zooms(app):
    before, scale = app.camera.center, app.camera.scale
    mouse(pygame.MOUSEBUTTONDOWN, (20, 20), button=1)
    mouse(pygame.MOUSEMOTION, (70, 40), rel=(50, 20), buttons=(1, 0, 0))
    mouse(pygame.MOUSEBUTTONUP, (70, 40), button=1)
    app.frame()
    assert app.camera.center[0] == pytest.approx(before[0] - 50 / scale)
    point = app.camera.to_world((70, 40))
    pygame.event.post(pygame.event.Event(pygame.MOUSEWHEEL, x=0, y=2))
    app.frame()
    assert app.camera.scale == pytest.approx(scale * 1.15**2)
    assert app.camera.to_world((70, 40)) == pytest.approx(point)


def test_a_right_click_follows_a_body(app):
    body = app.demo.blocks[1]
    mouse(pygame.MOUSEBUTTONDOWN, app.camera.to_screen(body.center), button=3)
    for _ in range(3):
        app.frame()
    assert app.camera.center == body.center
    mouse(pygame.MOUSEBUTTONDOWN, (5, 5), button=3)
    app.frame()
    assert app.camera.target is None


def test_sliders_change_the_world(app):
    tracks = dict(app.panel.tracks)
    mouse(pygame.MOUSEBUTTONDOWN, tracks["gravity"].midleft, button=1)
    app.frame()
    assert app.demo.world.gravity == (0.0, 0.0)
    mouse(pygame.MOUSEMOTION, tracks["gravity"].midright, rel=(9, 0), buttons=(1, 0, 0))
    app.frame()
    assert app.demo.world.gravity == (0.0, -20.0)
    mouse(pygame.MOUSEBUTTONUP, tracks["gravity"].midright, button=1)
    for name in ("e", "mu", "solver"):
        mouse(pygame.MOUSEBUTTONDOWN, tracks[name].midright, button=1)
        mouse(pygame.MOUSEBUTTONUP, tracks[name].midright, button=1)
    app.frame()
    shape = app.demo.blocks[0].shapes[0]
    assert (shape.restitution, shape.friction) == (1.0, 1.5)
    assert app.demo.sliders["solver"].text == "iterative"


def test_a_slider_moved_while_running_goes_on_from_the_same_state():
    app = App("stack")
    for _ in range(5):
        app.frame()
    positions = np.array(app.demo.world.positions)
    when = app.demo.time
    app.demo.sliders["mu"].set(0.9)
    app.demo.tuned("mu")
    assert (app.demo.world.positions == positions).all()
    assert app.demo.time == when
    assert app.demo.bodies[1].shapes[0].friction == 0.9


def test_keys_of_the_demo_itself():
    app = App("upright")
    press(app, pygame.K_k)
    assert app.demo.speed() > 0.1


@pytest.mark.parametrize("key", "cfnvbitl")
def test_letters_switch_what_is_drawn(app, key):
    from demos.app import SWITCHES

    code = pygame.key.key_code(key)
    before = getattr(app.renderer, SWITCHES[code])
    press(app, code)
    assert getattr(app.renderer, SWITCHES[code]) is not before


def test_help_is_shown_and_goes(app):
    press(app, pygame.K_SPACE)
    before = pygame.surfarray.array3d(app.view)
    press(app, pygame.K_F1)
    assert (pygame.surfarray.array3d(app.view) != before).any()
    press(app, pygame.K_F1)
    assert (pygame.surfarray.array3d(app.view) == before).all()


def test_a_screenshot_is_what_is_seen(app, tmp_path):
    press(app, pygame.K_SPACE)
    seen = pygame.surfarray.array3d(app.view)
    press(app, pygame.K_p)
    (path,) = tmp_path.glob("flat_drops-*.png")
    saved = pygame.surfarray.array3d(pygame.image.load(path))
    assert (saved[: seen.shape[0]] == seen).all()


def test_g_records_and_stops(app, tmp_path):
    press(app, pygame.K_g)
    app.frame()
    press(app, pygame.K_g)
    assert app.recorder is None
    (path,) = tmp_path.glob("flat_drops-*.mp4")
    assert path.stat().st_size > 1000


def test_a_folder_that_cannot_be_written_is_a_message(app, tmp_path):
    (tmp_path / "file").write_text("")
    app.folder = tmp_path / "file"
    for key in (pygame.K_p, pygame.K_g):
        app.message = ""
        press(app, key)
        assert app.message.startswith("cannot write ")


def test_escape_ends_it(app):
    press(app, pygame.K_ESCAPE)
    assert not app.running


def test_the_menu_leads_to_a_demo_and_back(monkeypatch):
    from demos import menu

    monkeypatch.setattr(menu, "picture", lambda name: pygame.Surface(menu.PICTURE))
    app = App()
    app.frame()
    press(app, pygame.K_RIGHT)
    press(app, pygame.K_RETURN)
    assert app.name == shows.NAMES[1]
    press(app, pygame.K_ESCAPE)
    assert app.running
    assert app.menu is not None
    box = app.menu.cells.get(shows.NAMES[2]) or (app.frame(), app.menu.cells[shows.NAMES[2]])[1]
    mouse(pygame.MOUSEBUTTONDOWN, box.center, button=1)
    app.frame()
    assert app.name == shows.NAMES[2]
    press(app, pygame.K_ESCAPE)
    press(app, pygame.K_ESCAPE)
    assert not app.running


def test_the_menu_has_a_picture_of_a_demo():
    from demos import menu

    image = pygame.surfarray.array3d(menu.picture("upright"))
    assert len(np.unique(image.reshape(-1, 3), axis=0)) > 20


def test_other_sizes_of_window(app):
    for size in ((1600, 900), (640, 480), (200, 150)):
        app.screen = pygame.display.set_mode(size, pygame.RESIZABLE)
        pygame.event.post(pygame.event.Event(pygame.VIDEORESIZE, size=size, w=size[0], h=size[1]))
        app.frame()
        assert app.camera.size == app.view_box.size


@pytest.mark.skipif(shutil.which("Xvfb") is None, reason="there is no Xvfb")
def test_a_real_window(tmp_path):
    display = f":{90 + os.getpid() % 900}"
    server = subprocess.Popen(["Xvfb", display, "-screen", "0", "1400x800x24"])
    try:
        time.sleep(1.0)
        environment = {**os.environ, "DISPLAY": display, "SDL_VIDEODRIVER": "x11"}
        picture = tmp_path / "window.png"
        process = subprocess.run(
            [sys.executable, "-m", "demos", "heavy", "--seconds", "0.5", "--record", picture],
            cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        assert process.returncode == 0, process.stderr
        assert picture.stat().st_size > 5000
    finally:
        server.terminate()
        server.wait()
