"""The programs in docs/guide.md run, and print what the page says."""

from pathlib import Path

import pygame

GUIDE = Path(__file__).resolve().parent.parent.parent / "docs" / "guide.md"


def test_the_programs_run(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)  # what they save is not left in the tree
    programs = [part.split("```")[0] for part in GUIDE.read_text().split("```python\n")[1:]]
    assert len(programs) >= 14
    calls = []

    def events():
        """A click, then some frames, then the window is closed."""
        calls.append(1)
        if len(calls) == 1:
            return [pygame.event.Event(pygame.MOUSEBUTTONDOWN, pos=(300, 200), button=1)]
        return [pygame.event.Event(pygame.QUIT)] if len(calls) > 3 else []

    monkeypatch.setattr(pygame.event, "get", events)
    names = {}
    for program in programs:
        exec(compile(program, str(GUIDE), "exec"), names)
    printed = capsys.readouterr().out
    assert "hit at " in printed
    force = float(printed.split(" N on the ground")[0].splitlines()[-1])
    assert abs(force - 1004 * 9.81) < 1e-6 * force
    assert len(names["world"].bodies) == 3
    assert names["screen"].get_at((480, 360))[:3] != (0, 0, 0)
