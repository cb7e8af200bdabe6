"""ARCHITECTURE.md names what is there, all of it and nothing else."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
TEXT = (ROOT / "ARCHITECTURE.md").read_text()
NAMED = sorted(
    set(re.findall(r"`((?:engine\w+|demos|benchmarks|tests|docs|tools)/[\w./-]*)`", TEXT))
)
MODULES = sorted(
    str(path.relative_to(ROOT))
    for package in ("enginecore", "engine2d", "engine3d")
    for path in [*(ROOT / package).rglob("*.pyx"), *(ROOT / package).rglob("*.pxd")]
    if path.stem != "__init__" and (path.suffix == ".pyx" or not path.with_suffix(".pyx").exists())
)


@pytest.mark.parametrize("path", NAMED)
def test_every_path_it_names_exists(path):
    assert (ROOT / path).exists()


@pytest.mark.parametrize("module", MODULES)
def test_every_module_is_named(module):
    assert f"`{module}`" in TEXT


def imports_of(path):
    return re.findall(r"^\s*(?:from|import|cimport)\s+(\w+)", path.read_text(), re.MULTILINE)


@pytest.mark.parametrize("module", MODULES)
def test_imports_go_one_way(module):
    package = module.split("/")[0]
    allowed = {"enginecore", package}
    ours = {"enginecore", "engine2d", "engine3d", "demos", "benchmarks", "tests"}
    assert {name for name in imports_of(ROOT / module) if name in ours} <= allowed


def test_the_stages_of_a_step_are_those_of_the_world():
    section = TEXT.split("## A step, top to bottom")[1].split("\n## ")[0]
    named = re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)
    source = (ROOT / "engine2d" / "world.pyx").read_text()
    stages = re.search(r"^cdef tuple STAGES = \((.*?)\)", source, re.MULTILINE | re.DOTALL)
    assert named == re.findall(r'"(\w+)"', stages.group(1))
