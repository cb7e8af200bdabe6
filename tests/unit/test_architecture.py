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
    source = (ROOT / "enginecore" / "world.pyx").read_text()
    stages = re.search(r"^cdef tuple STAGES = \((.*?)\)", source, re.MULTILINE | re.DOTALL)
    assert named == re.findall(r'"(\w+)"', stages.group(1))


@pytest.mark.parametrize("engine", ["enginecore", "engine2d", "engine3d"])
def test_a_world_is_a_table_of_contents(engine):
    """Its kernels are in their rooms: none is written in world.pyx."""
    source = (ROOT / engine / "world.pyx").read_text()
    assert re.findall(r"^cdef .*\((?:[^()]|\n)*\) noexcept nogil:", source, re.MULTILINE) == []


@pytest.mark.parametrize("engine", ["engine2d", "engine3d"])
def test_a_step_is_one_stretch_without_the_interpreter(engine):
    """Who steps lets go of it once: in no stage again, nor in what the stages keep."""
    face = (ROOT / "enginecore" / "world.pyx").read_text()
    assert face.count("with nogil:") == 1
    for module in ("world", "contact", "island", "event", "broad_phase", "store"):
        text = (ROOT / engine / f"{module}.pyx").read_text()
        assert "with nogil:" not in text, module


CONSTANTS = ["enginecore/constants.pxd", "engine2d/constants.pxd", "engine3d/constants.pxd"]
SHARED = re.compile(r'^\s+(?:double|int|int32_t) (\w+) "', re.MULTILINE)


@pytest.mark.parametrize("constants", CONSTANTS)
def test_a_shared_number_has_one_value(constants):
    """No file gives a name of constants.pxd, which is shared, a value of its own."""
    names = set(SHARED.findall((ROOT / constants).read_text()))
    own = re.compile(r"^cdef (?:double|int|int32_t) (\w+) =", re.MULTILINE)
    for module in MODULES:
        assert not names & set(own.findall((ROOT / module).read_text())), module
    assert names


def test_contributing_names_what_is_there():
    text = (ROOT / "CONTRIBUTING.md").read_text()
    for path in re.findall(r"`((?:engine\w+|demos|benchmarks|tests|docs|tools)/[\w./-]*)`", text):
        if "NAME" not in path:
            assert (ROOT / path).exists(), path


def test_one_version_is_told():
    """pyproject.toml, the packages and the newest dated section of the changelog agree."""
    version = re.search(r'^version = "(.*)"', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    for engine in ("engine2d", "engine3d"):
        assert f'__version__ = "{version[1]}"' in (ROOT / engine / "__init__.py").read_text()
    dated = re.findall(
        r"^## (\d+\.\d+\.\d+) \(\d{4}-\d\d-\d\d\)$",
        (ROOT / "CHANGELOG.md").read_text(),
        re.MULTILINE,
    )
    assert dated[0] == version[1]


# One writer for each value: (what writes it, where that may be). A pattern is searched in every
# line of the engines' kernels, comments aside.
WRITERS = {
    "AWAKE is set by wake alone": (
        r"flags \|= .*\bAWAKE\b|flags = .*\bAWAKE\b",
        {"enginecore/body_head.pxd"},
    ),
    "AWAKE is cleared by put_to_sleep alone": (
        r"flags &= ~.*\bAWAKE\b",
        {"enginecore/sleep.pxd"},
    ),
    "only integrate writes where bodies of the plane are": (
        r"\bplaces?(\[\w+\])?\.(x|angle|pose(\.[pq])?)(\.[xy])? [-+]?= "
        r"|\bplaces\[\w+\] = (?!LANES)",
        # settle closes gaps among the rows; read_shape makes a place of its own
        {"engine2d/solve/integrate.pxd", "engine2d/store.pyx", "engine2d/query.pyx"},
    ),
    "only integrate writes where bodies of space are": (
        r"\bplaces?(\[\w+\])?\.(x|q|pose(\.[pr])?)(\.[xyzw])? [-+]?= "
        r"|\bplaces\[\w+\] = (?!LANES)|\bplace\[0\] = ",
        # carry_row closes gaps among the rows; queries make places of their own
        {"engine3d/solve/integrate.pxd", "engine3d/store.pyx", "engine3d/query.pyx"},
    ),
    "keys of pairs are taken apart in one place": (
        r"\bkeys?(\[\w+\])? (>> 32|& 0x7FFFFFFF)",
        {"enginecore/pair_table.pxd"},
    ),
    "one function begins a contact": (r"\bc\.is_void = False$", {"engine2d/contact_find.pyx"}),
    "one function notes a hit of the plane": (
        r"flags (\|= |= [^~]*\| )STRUCK\b",
        {"engine2d/solve/hit.pxd"},
    ),
    "one function notes a hit of space": (
        r"flags (\|= |= [^~]*\| )STRUCK\b",
        # take_blow hands one on
        {"engine3d/solve/hit.pxd", "engine3d/contact.pyx"},
    ),
    "one function notes an event": (r"\bevents\[\S*\bn\]", {"enginecore/event.pyx"}),
    "one table gives generations of bodies": (
        r"\.generation = (self\.)?generations\b",
        # shapes of space have generations of their own
        {"enginecore/handle_table.pyx", "engine3d/store.pyx"},
    ),
}


@pytest.mark.parametrize("rule", WRITERS)
def test_every_value_has_one_writer(rule):
    pattern, allowed = WRITERS[rule]
    found = set()
    for package in ("enginecore", "engine2d", "engine3d"):
        if (package == "engine3d" and "plane" in rule) or (
            package == "engine2d" and "space" in rule
        ):
            continue
        for path in [*(ROOT / package).rglob("*.pyx"), *(ROOT / package).rglob("*.pxd")]:
            for line in path.read_text().splitlines():
                if re.search(pattern, line.split("#")[0]):
                    found.add(str(path.relative_to(ROOT)))
    assert found <= allowed
    assert found  # a pattern that finds nothing guards nothing
