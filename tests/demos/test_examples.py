"""Each example runs without a window, and prints what is so."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
EXAMPLES = ROOT / "examples"


def run(name, *arguments):
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / f"{name}.py"), *arguments],
        capture_output=True, text=True, timeout=120,
        env={**os.environ, "PYTHONPATH": str(ROOT), "SDL_VIDEODRIVER": "dummy"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def numbers(text):
    return [float(part) for part in re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", text)]


def test_breakout_breaks_bricks_and_keeps_the_speed():
    bricks, speed = numbers(run("breakout"))
    assert bricks >= 10
    assert speed == pytest.approx((9 + 49) ** 0.5, rel=0.6)


def test_the_platformer_stands_on_the_platform_then_falls_through():
    up, down = numbers(run("platformer"))
    assert up == pytest.approx(2.1, abs=0.02)
    assert down == pytest.approx(0.0, abs=0.02)


def test_bumpers_count():
    points, _energy = numbers(run("bumpers"))
    assert points > 10


def test_the_ball_is_itself_again():
    mass, height = numbers(run("growing_ball"))
    assert mass == pytest.approx(3.14159 * 0.25, abs=1e-3)
    assert height < 8


def test_the_gate_sees_the_red_ones():
    seen, bodies = numbers(run("sensors").splitlines()[0])
    assert seen == 20
    assert bodies == 32


def test_the_scale_reads_the_weight():
    readings = numbers(run("newtons"))
    masses = [0.64, 0.64 * 4, 0.64 * 6 + 0.64]
    assert readings[0] == pytest.approx(masses[0], rel=1e-2)
    assert readings == sorted(readings)


def test_each_example_is_tested():
    names = {path.stem for path in EXAMPLES.glob("*.py")} - {"window"}
    text = Path(__file__).read_text()
    assert all(f'run("{name}")' in text for name in names)
    assert len(names) == 6
