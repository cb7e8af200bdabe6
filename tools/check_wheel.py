"""Prove that a wheel built from the sdist installs and imports outside the source tree."""

import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# What the installed wheel must be able to do, far from the sources.
PROOF = """
import enginecore, engine2d.impact, engine3d.impact, sys
from importlib.metadata import requires, version
from importlib.resources import files
assert "site-packages" in engine2d.__file__, engine2d.__file__
assert enginecore.build_mode == "release", enginecore.build_mode
core = [r for r in requires("engine2d") if "extra ==" not in r]
assert len(core) == 1 and core[0].startswith("numpy"), core
assert all((files(p) / "py.typed").is_file() for p in ("enginecore", "engine2d", "engine3d"))
assert (files("engine2d") / "impact.pxd").is_file() and (files("engine2d") / "impact.pyi").is_file()
ball, wall = (1, 1, (0, -1), (0, -2), 0), (None, None, (0, 0), (0, 0), 0)
hit = engine2d.impact.collide(1, 0, (0, 1), *ball, *wall)
assert hit.vA.tolist() == [0.0, 2.0], hit
print("engine2d", version("engine2d"), "works from", engine2d.__file__)
"""


def run(*command, **options):
    """Run, quietly unless it fails."""
    process = subprocess.run(
        [str(part) for part in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        **options,
    )
    if process.returncode:
        sys.exit(f"failed: {' '.join(map(str, command))}\n{process.stdout}")
    return process.stdout


def main():
    with tempfile.TemporaryDirectory(prefix="engine2d-wheel-") as scratch:
        folder = Path(scratch)
        run(sys.executable, "-m", "build", "--sdist", "--outdir", folder, ROOT)
        (sdist,) = folder.glob("*.tar.gz")
        run(sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", folder, sdist)
        (wheel,) = folder.glob("*.whl")
        if wheel.name.endswith("-none-any.whl"):
            sys.exit(f"failed: {wheel.name} has no compiled modules in it")
        venv.create(folder / "venv", with_pip=True)
        python = folder / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
        run(python, "-m", "pip", "install", wheel)
        print(run(python, "-c", PROOF, cwd=folder).strip())


if __name__ == "__main__":
    main()
