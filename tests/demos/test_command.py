"""python -m demos, as a person starts it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from demos import shows

ROOT = Path(__file__).resolve().parent.parent.parent


def start(*arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", "demos", *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, "SDL_VIDEODRIVER": "dummy", **environment},
        capture_output=True,
        text=True,
    )


def sentence(process):
    """What it says when it gives up: one line."""
    assert process.returncode == 1
    (line,) = process.stderr.strip().splitlines()
    assert line.startswith("engine2d: ")
    return line


def test_a_demo_goes_to_a_file_with_a_progress_bar(tmp_path):
    import imageio

    path = tmp_path / "heavy.mp4"
    process = start("heavy", "--seconds", "0.25", "--record", path, "--headless")
    assert process.returncode == 0, process.stderr
    assert str(path) in process.stdout
    assert "15/15" in process.stderr
    with imageio.get_reader(path) as film:
        assert sum(1 for _ in film) == 15


def test_the_names_are_listed():
    assert start("--list").stdout.split() == list(shows.NAMES)


def test_an_unknown_demo_is_one_sentence():
    assert "did you mean 'cradle'?" in sentence(start("cradel"))
    assert "there are: stack, " in sentence(start("xyzzy"))


def test_an_unwritable_path_is_one_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    path = tmp_path / "file" / "a.png"
    assert str(path) in sentence(start("heavy", "--record", path, "--seconds", "0.1"))
    assert "must end in" in sentence(start("heavy", "--record", "a.avi", "--seconds", "0.1"))


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "1e9"])
def test_bad_seconds_are_one_sentence(seconds):
    assert "--seconds must be" in sentence(start("heavy", f"--seconds={seconds}"))


def test_a_missing_pygame_is_one_sentence(tmp_path):
    (tmp_path / "pygame.py").write_text("raise ImportError('No module named pygame')")
    line = sentence(start("heavy", PYTHONPATH=str(tmp_path)))
    assert "needs pygame" in line
    assert "pip install 'engine2d[demo]'" in line


def test_nothing_else_in_the_package_imports_pygame():
    code = "import engine2d, engine3d, enginecore, engine2d.camera, engine2d.svg, sys;"
    code += "sys.exit('pygame' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0


@pytest.mark.slow
def test_without_a_display_the_menu_goes_to_files():
    process = start("--seconds", "0.1")
    assert process.returncode == 0, process.stderr
    paths = [Path(line.strip()) for line in process.stdout.splitlines()[1:]]
    assert [path.name for path in paths] == ["menu.png", "tour.mp4"]
    assert all(path.stat().st_size > 10000 for path in paths)
