"""`make` on a machine that lacks something: one clear sentence, exit code 1."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
SCRIPT = ROOT / "tools" / "bootstrap.py"

pytestmark = pytest.mark.skipif(os.name == "nt", reason="make is for Unix")


def clear_environment(**changes):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ENGINE_")}
    return {**kept, **changes}


def run(*command, **environment):
    process = subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        text=True,
        env=clear_environment(**environment),
    )
    return process.returncode, process.stderr.strip()


def test_python_too_old():
    pretend = (
        f"import sys; sys.version_info = (3, 8, 1, 'final', 0); exec(open({str(SCRIPT)!r}).read())"
    )
    code, message = run(sys.executable, "-c", pretend)
    assert code == 1
    assert message == (
        "engine2d: Python 3.10 or newer is needed, this is 3.8; "
        "name a newer one with 'make PYTHON=...'."
    )


def test_the_script_parses_on_old_pythons():
    """Syntax of the last ten years only: no walrus, no positional-only parameters, no match."""
    import ast

    ast.parse(SCRIPT.read_text(), feature_version=(3, 5))


@pytest.fixture
def small_tree(tmp_path):
    """The files the bootstrap needs, with an environment that looks complete."""
    for name in ("pyproject.toml", "setup.py"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "tools", tmp_path / "tools")
    return tmp_path


def fake_environment(tree):
    """A .venv with the stamp of this Python, so that making one is skipped."""
    stamps = tree / ".venv" / "engine2d-stamps"
    stamps.mkdir(parents=True)
    (tree / ".venv" / "bin").mkdir()
    # not a link: a venv's python is found through its own place
    python = tree / ".venv" / "bin" / "python"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    (stamps / "python").write_text(sys.version)
    return stamps


def test_a_venv_of_somebody_else_is_left_alone(small_tree):
    (small_tree / ".venv").mkdir()
    (small_tree / ".venv" / "precious").write_text("mine")
    code, message = run(sys.executable, small_tree / "tools" / "bootstrap.py")
    assert code == 1
    assert message.startswith("engine2d: there is a .venv that 'make' did not make")
    assert (small_tree / ".venv" / "precious").exists()


def test_no_network(small_tree):
    fake_environment(small_tree)
    offline = {
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(small_tree),
        "PIP_CONFIG_FILE": os.devnull,
    }
    pyproject = small_tree / "pyproject.toml"
    pyproject.write_text(pyproject.read_text().replace("numpy>=1.24", "no-such-package-here"))
    code, message = run(sys.executable, small_tree / "tools" / "bootstrap.py", **offline)
    assert code == 1
    assert message.startswith(
        "engine2d: could not install the Python packages: is there a network connection?"
    )
    assert len(message.splitlines()) == 1


def test_no_compiler(small_tree):
    stamps = fake_environment(small_tree)
    core = ["setuptools>=77", "Cython>=3.1,<4", "numpy>=1.24"]
    (stamps / "core").write_text("\n".join(core))
    (stamps / "link").write_text(str(small_tree))
    bootstrap = small_tree / "tools" / "bootstrap.py"
    code, message = run(sys.executable, bootstrap, CC="no-such-compiler -O2")
    assert code == 1
    assert message == (
        "engine2d: no C compiler found ('no-such-compiler' is not a command): install one, for "
        "example gcc or clang, or name it with 'make CC=...'."
    )


def test_no_python():
    if shutil.which("make") is None:
        pytest.skip("needs make")
    process = subprocess.run(
        ["make", "-C", str(ROOT), "--no-print-directory", "build", "PYTHON=no-such-python"],
        capture_output=True,
        text=True,
    )
    assert process.returncode != 0
    assert "engine2d: no Python found ('no-such-python' is not a command)" in process.stdout
