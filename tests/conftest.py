"""Hypothesis profiles: repeatable in CI, exploring on a developer's machine.

Where only numpy, pytest and hypothesis are installed (`make test-core`), test modules that import
anything else are left out, and the first line of the report says which.
"""

import functools
import importlib.util
import os
import re
from pathlib import Path

from hypothesis import HealthCheck, settings

common = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("explore", max_examples=200, **common)
settings.register_profile("ci", max_examples=200, derandomize=True, **common)
settings.load_profile("ci" if os.environ.get("CI") else "explore")

ROOT = Path(__file__).resolve().parent.parent
EXTRAS = ("shapely", "pymunk", "scipy", "pygame", "matplotlib", "msgspec", "imageio", "PIL", "rich")
MISSING = frozenset(name for name in EXTRAS if importlib.util.find_spec(name) is None)
# Folders whose tests are about what the extras are for.
ABOUT_EXTRAS = ("demos", "peers")


def imported(path):
    """The modules that a file imports before anything runs."""
    text = path.read_text(encoding="utf-8")
    for package, names in re.findall(r"^from ([\w.]+) import \(?([\w ,]*)", text, re.MULTILINE):
        yield package
        yield from (f"{package}.{name.split()[0]}" for name in names.split(",") if name.split())
    yield from re.findall(r"^import ([\w.]+)", text, re.MULTILINE)


@functools.cache
def imports_of(path):
    """The top names that a module imports, and the files of the tests that it imports."""
    names = list(imported(path))
    helpers = {ROOT / (n.replace(".", "/") + ".py") for n in names if n.startswith("tests.")}
    return {n.split(".")[0] for n in names}, {helper for helper in helpers if helper.exists()}


def needs_missing(path):
    """Whether a module cannot be imported here, itself or by what it imports of the tests; these
    may import each other."""
    seen, left = set(), {path}
    while left:
        seen.add(path := left.pop())
        names, helpers = imports_of(path)
        if names & MISSING:
            return True
        left |= helpers - seen
    return False


def is_left_out(path):
    return bool(MISSING) and (
        path.relative_to(ROOT / "tests").parts[0] in ABOUT_EXTRAS or needs_missing(path)
    )


collect_ignore = [
    str(path) for path in sorted((ROOT / "tests").rglob("test_*.py")) if is_left_out(path)
]


def pytest_report_header():
    if not MISSING:
        return None
    return f"without {', '.join(sorted(MISSING))}: {len(collect_ignore)} test modules left out"
