"""The programs of docs/joints.md run, are short, and there is one for each kind."""

import pytest

from demos import joint_figures
from engine2d import joint

PROGRAMS = dict(joint_figures.programs())
KINDS = {name for name in joint.__all__ if name != "Joint"}


def test_there_is_one_for_each_kind():
    used = {kind for kind in KINDS for text in PROGRAMS.values() if f"{kind}(" in text}
    assert used == KINDS
    assert len(PROGRAMS) == len(KINDS)


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_runs_holds_and_can_be_drawn(name, capsys):
    program = PROGRAMS[name]
    assert len(program.splitlines()) <= 30
    names = {}
    exec(program, names)
    assert max(joint.error for joint in names["world"].joints) < 1e-6
    assert joint_figures.draw(program).startswith("<svg")
