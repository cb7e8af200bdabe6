"""The game, played by posted events: a round is won, a round is lost."""

import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pygame
import pytest

from demos.games import sling

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture
def game():
    made = sling.Game()
    pygame.event.clear()
    made.frame()
    return made


def post(kind, **more):
    pygame.event.post(pygame.event.Event(kind, **more))


def pull(game, x, y):
    """Pull the sling to a place (m, from it) and let go."""
    at = game.camera.to_screen((sling.SLING[0] + x, sling.SLING[1] + y))
    pixel = tuple(round(float(v)) for v in at)
    start = tuple(round(float(v)) for v in game.camera.to_screen(sling.SLING))
    post(pygame.MOUSEBUTTONDOWN, button=1, pos=start)
    post(pygame.MOUSEMOTION, pos=pixel, rel=(0, 0), buttons=(1, 0, 0))
    post(pygame.MOUSEBUTTONUP, button=1, pos=pixel)
    game.frame()


def wait(game, state="fly", seconds=8.0):
    """Until the shot is over."""
    for _ in range(round(seconds * sling.FPS)):
        if game.state != state:
            return
        game.frame()
    raise AssertionError(f"still in {state}")


def aim_at(game, target):
    """Where to pull so that the stone goes through a point, at full pull and low."""
    x, y = target[0] - sling.SLING[0], target[1] - sling.SLING[1]
    g, v = -game.world.gravity[1], sling.SPEED * sling.PULL
    rise = (v**2 - math.sqrt(v**4 - g * (g * x**2 + 2 * y * v**2))) / (g * x)
    angle = math.atan(rise)
    return -sling.PULL * math.cos(angle), -sling.PULL * math.sin(angle)


def test_a_round_is_won_by_aiming_at_the_balls(game):
    before = game.score
    while game.state != "won":
        assert game.state == "aim"
        pull(game, *aim_at(game, game.balls[0].position))
        assert game.stone is not None
        wait(game)
    assert game.score >= before + 200
    assert not game.balls
    post(pygame.MOUSEBUTTONDOWN, button=1, pos=(500, 300))
    game.frame()
    assert (game.level, game.state, game.stones) == (1, "aim", sling.STONES)
    assert game.score >= 200


def test_a_round_is_lost_by_shooting_backwards(game):
    for left in (2, 1, 0):
        pull(game, 1.0, 0.0)
        assert game.stones == left
        wait(game)
    assert game.state == "lost"
    assert len(game.balls) == 2
    post(pygame.KEYDOWN, key=pygame.K_SPACE)
    game.frame()
    assert (game.level, game.state, game.stones, game.score) == (0, "aim", sling.STONES, 0)


@pytest.mark.parametrize("level", range(len(sling.LEVELS)))
def test_every_level_stands_until_it_is_shot_at(game, level):
    game.level = level
    game.start()
    before = np.array(game.world.positions)
    for _ in range(120):
        game.frame()
    assert abs(game.world.positions - before).max() < 1e-3
    assert game.state == "aim"


@pytest.mark.parametrize("level", range(len(sling.LEVELS)))
def test_every_level_can_be_won_with_one_stone(game, level):
    game.level = level
    for degrees in np.arange(3.0, 30.0, 1.5):
        game.start()
        angle = math.radians(degrees)
        game.set_aim(-sling.PULL * math.cos(angle), -sling.PULL * math.sin(angle))
        game.shoot()
        while game.state == "fly":
            game.update()
        if game.state == "won":
            return
    raise AssertionError("no shot breaks all")


def test_the_keyboard_aims_and_shoots(game):
    x, y = game.aim
    angle, size = math.atan2(y, x), math.hypot(x, y)
    for key in (pygame.K_UP, pygame.K_UP, pygame.K_DOWN, pygame.K_LEFT):
        post(pygame.KEYDOWN, key=key)
    game.frame()
    assert math.atan2(game.aim[1], game.aim[0]) == pytest.approx(angle + math.radians(1.5))
    assert math.hypot(*game.aim) == pytest.approx(size + 0.05)
    post(pygame.KEYDOWN, key=pygame.K_SPACE)
    game.frame()
    assert game.state == "fly"
    post(pygame.KEYDOWN, key=pygame.K_r)
    game.frame()
    assert (game.state, game.stones) == ("aim", sling.STONES)
    post(pygame.KEYDOWN, key=pygame.K_ESCAPE)
    game.frame()
    assert not game.running


def test_the_dots_are_where_the_stone_will_fly(game):
    dots = game.path()
    game.shoot()
    for k in range(12):
        for _ in range(3):
            game.update()
        assert game.stone.position == pytest.approx(dots[k], abs=1e-9)


def test_it_is_drawn_and_changes(game):
    first = pygame.surfarray.array3d(game.screen)
    assert (first == sling.RED).all(axis=2).sum() > 200
    pull(game, -1.3, -0.3)
    for _ in range(40):
        game.frame()
    assert (pygame.surfarray.array3d(game.screen) != first).any(axis=2).mean() > 0.001


def test_it_is_small():
    assert len(Path(sling.__file__).read_text().splitlines()) <= 200


def test_it_starts_as_a_program_and_ends_when_closed():
    code = "import pygame; from demos.games import sling; sling.Game();"
    code += "pygame.event.post(pygame.event.Event(pygame.QUIT)); sling.main()"
    environment = {**os.environ, "SDL_VIDEODRIVER": "dummy"}
    command = [sys.executable, "-c", code]
    assert subprocess.run(command, cwd=ROOT, env=environment, timeout=60).returncode == 0
