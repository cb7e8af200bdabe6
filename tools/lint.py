"""Everything `make lint` checks, one line each; exits 1 if anything is wrong."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("enginecore", "engine2d", "engine3d")
PYTHON_CODE = [
    name
    for name in ("setup.py", *PACKAGES, "demos", "examples", "tests", "benchmarks", "tools")
    if (ROOT / name).exists()
]
TEXT = [*PYTHON_CODE, "docs", *(path.name for path in ROOT.glob("*.md"))]
# The table of C functions that Cython gives each module is not part of its face.
STUB_OPTIONS = ("--concise", "--allowlist", "tools/stubtest_allow.txt", "--ignore-unused-allowlist")
# Marks in what Cython prints when a kernel would need the GIL after all.
GIL_HINTS = ("require the GIL", "requires the GIL", "performance hint")


def stubbed_modules():
    """Every module with a .pyi, by name."""
    stubs = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.pyi"))
    return [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in stubs]


def run(title, command, forbidden=()):
    """Run a checker from the root; True if it is content and printed nothing forbidden."""
    # Checkers call each other by name: let them find those of this environment.
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    process = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    wrong = process.returncode != 0 or any(text in process.stdout for text in forbidden)
    print(f"{'FAILED' if wrong else 'ok':7}{title}", flush=True)
    if wrong:
        print(process.stdout)
    return not wrong


def write_programs():
    """The guide's programs and the examples as files to be checked; returns their names."""
    text = (ROOT / "docs" / "guide.md").read_text()
    programs = [part.split("```")[0] for part in text.split("```python\n")[1:]]
    folder = ROOT / "build" / "typed"
    folder.mkdir(parents=True, exist_ok=True)
    # one after another on the page, so one program here
    (folder / "guide.py").write_text("\n\n".join(programs))
    return [str(folder / "guide.py"), *sorted(map(str, (ROOT / "examples").glob("*.py")))]


def has_pyright():
    """Whether pyright can start: what pip installs fetches the rest from npm the first time."""
    try:
        command = [sys.executable, "-m", "pyright", "--version"]
        return subprocess.run(command, cwd=ROOT, capture_output=True, timeout=300).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def main():
    python = sys.executable
    programs = write_programs()
    kernels = sorted(str(p) for package in PACKAGES for p in (ROOT / package).rglob("*.pyx"))
    headers = sorted(str(p) for package in PACKAGES for p in (ROOT / package).rglob("*.pxd"))
    checks = [
        ("ruff check", [python, "-m", "ruff", "check", *PYTHON_CODE], ()),
        ("ruff format", [python, "-m", "ruff", "format", "--check", *PYTHON_CODE], ()),
        ("cython-lint", ["cython-lint", *kernels, *headers], ()),
        ("codespell", [python, "-m", "codespell_lib", *TEXT], ()),
        (
            "mypy, as users see it",
            [python, "-m", "mypy", "--strict", "--follow-imports=silent", *programs],
            (),
        ),
        ("stubs", [python, "-m", "mypy.stubtest", *STUB_OPTIONS, *stubbed_modules()], ()),
        ("no GIL in kernels", [python, "tools/cythonize_all.py"], GIL_HINTS),
    ]
    if has_pyright():
        command = [python, "-m", "pyright", "--pythonpath", python, *programs]
        checks.append(("pyright, as users see it", command, ()))
    else:
        print("skipped pyright: it could not be fetched", flush=True)
    results = [run(*check) for check in checks]
    if not all(results):
        sys.exit(1)


if __name__ == "__main__":
    main()
