"""The pictures are drawn, by the program a person starts, and show something."""

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from matplotlib import image

from demos import joint_figures

ROOT = Path(__file__).resolve().parent.parent.parent


def start(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "demos", *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )


def test_the_demo_draws_its_pictures_and_says_where(tmp_path):
    folder = tmp_path / "new" / "pictures"
    process = start("--to", folder)
    assert process.returncode == 0, process.stderr
    drawn = ["exact_ledger.png", "exact_timeline.png"]
    drawn += ["impact3d_phases.png", "impact3d_rays.png", "lcp_one_unknown.png", "lcp_pivots.png"]
    vectors = ["contacts.svg", "shapes.svg", *(name for name, _ in joint_figures.programs())]
    shown = ["demo_arch.png", "demo_bowl.png", "demo_heavy.png", "demo_impact_lab.png", "demos.png"]
    assert sorted(path.name for path in folder.iterdir()) == sorted(drawn + vectors + shown)
    for name in shown:
        pixels = image.imread(folder / name)[..., :3]
        assert 0.02 < (pixels < 0.9).any(axis=2).mean() < 0.5
    for name in vectors:
        assert str(folder / name) in process.stdout
        assert ElementTree.parse(folder / name).getroot().tag.endswith("svg")
    for name in drawn:
        assert str(folder / name) in process.stdout
        pixels = image.imread(folder / name)[..., :3]
        inked = (pixels < 0.9).any(axis=2).mean()
        assert 0.005 < inked < 0.5
        # the two colours that all of them use are both there
        red = (pixels[..., 0] > 0.85) & (pixels[..., 1] < 0.5)
        blue = (pixels[..., 2] > 0.6) & (pixels[..., 0] < 0.35)
        assert red.sum() > 500
        assert blue.sum() > 500


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    process = start("--to", blocked / "pictures")
    assert process.returncode == 1
    assert process.stderr.startswith("engine2d: cannot write pictures to ")
    assert len(process.stderr.strip().splitlines()) == 1


def test_the_programs_of_the_readme_run(capsys):
    text = (ROOT / "README.md").read_text()
    names = {}
    for part in text.split("```python\n")[1:]:
        exec(compile(part.split("```")[0], "README.md", "exec"), names)
    printed = capsys.readouterr().out
    assert "3a/7-/8b" in printed


@pytest.mark.parametrize("page", sorted((ROOT / "docs").rglob("*.md")), ids=lambda p: p.name)
def test_pictures_named_in_the_docs_exist(page):
    for part in page.read_text().split("](")[1:]:
        target = part.split(")")[0]
        assert (page.parent / target).exists(), target
