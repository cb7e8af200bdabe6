"""What users meet first: versions, messages, names."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import engine2d
from engine2d import Box, Segment, World

ROOT = Path(__file__).resolve().parent.parent.parent


def test_the_version_is_that_of_the_distribution():
    text = (ROOT / "pyproject.toml").read_text()
    assert engine2d.__version__ == re.search(r'^version = "(.*)"$', text, re.MULTILINE).group(1)


@pytest.mark.parametrize("package", ["enginecore", "engine2d", "engine3d"])
def test_a_checkout_that_is_not_built_says_so_in_one_sentence(tmp_path, package):
    for name in ("enginecore", "engine2d", "engine3d"):
        (tmp_path / name).mkdir()
        for path in (ROOT / name).glob("*.py*"):
            if path.suffix in (".py", ".pyx", ".pxd", ".pyi"):
                shutil.copy(path, tmp_path / name)
    process = subprocess.run(
        [sys.executable, "-c", f"import {package}"], cwd=tmp_path, capture_output=True, text=True
    )
    assert process.returncode == 1
    last = process.stderr.strip().splitlines()[-1]
    assert last.startswith(f"ImportError: enginecore is not built in {tmp_path}: run 'make build'")


def test_a_world_says_what_is_in_it():
    world = World()
    assert repr(world) == "<World at 0 s: 0 dynamic, 0 static, 0 kinematic bodies, 0 contacts>"
    world.add_static(Segment((-5, 0), (5, 0)))
    world.add_kinematic(Box(1, 1), position=(0, 9))
    gone = world.add_body(Box(1, 1), position=(3, 0.5))
    world.add_body(Box(1, 1), position=(0, 0.5))
    world.remove(gone)
    world.step(1 / 64)
    assert (
        repr(world) == "<World at 0.015625 s: 1 dynamic, 1 static, 1 kinematic bodies, 2 contacts>"
    )

    class Game(World):
        pass

    assert repr(Game()).startswith("<Game at 0 s")


def test_every_public_name_is_there():
    for name in engine2d.__all__:
        assert getattr(engine2d, name) is not None
    for old in ("collide",):
        assert not callable(getattr(engine2d, old, None))
