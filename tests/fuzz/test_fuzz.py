"""A minute of the fuzzers: rooms of every family, calls and states, always the same seeds."""

import pytest

from engine2d import World
from tests.fuzz import calls, calls3d, passes, presses, rooms, shots
from tests.fuzz.child import run_cases
from tests.fuzz.room_families import FAMILIES

SEEDS = 1  # rooms of each family and solver; more take longer than a minute
# (family, solver, seed): rooms that are still beyond their bars, and why. Strike one out here to
# hold the engine to it; `python -m tests.fuzz.rooms FAMILY SEED 1` says how far off it is.
KNOWN = {
    ("drum", "iterative", 0): "swept: a step gains 1.8e-3",
    ("netted", "auto", 0): "large: joints that cannot all hold push a body through a wall",
    ("netted", "iterative", 0): "swept: joints that cannot all hold push a body through a wall",
    ("rich-ratio", "iterative", 0): "swept: a body leaves; 2 of 300 rooms of this family leak",
    ("rich-netted", "auto", 0): "large: corrections of jammed joints load springs",
    ("rich-netted", "iterative", 0): "swept: as above, and four bodies get out",
}


@pytest.mark.parametrize("solver", ["auto", "iterative"])
@pytest.mark.parametrize("family", FAMILIES)
def test_rooms(family, solver):
    """Nobody gets out, nothing is gained from nothing, momenta are kept."""
    faults = {}
    for seed in range(SEEDS):
        if (family, solver, seed) not in KNOWN:
            found = rooms.check_room(family, seed, solver).faults()
            if found:
                faults[seed] = found
    assert not faults


@pytest.mark.parametrize("kind", shots.KINDS)
def test_shots(kind):
    """None passes a wall, none stands for more than a step, none gains energy."""
    for seed in range(1000, 1005):
        shot = shots.fly(kind, seed)
        assert shot.passed < 0
        assert shot.stood <= 1
        assert shot.gained < 1e-3


@pytest.mark.parametrize("solver", ["auto", "iterative"])
def test_passes(solver):
    """What does not touch is not deflected, what touches is struck."""
    assert not [found for k in range(30) if (found := passes.fly(k, solver)).is_wrong()]


@pytest.mark.parametrize("solver", ["auto", "iterative"])
def test_presses(solver):
    """Without room bodies stay where they are, and nothing is thrown."""
    for seed in range(4):
        found = presses.squeeze(seed, solver)
        assert found.left < 0
        assert found.thrown < presses.MOST * 1.25


@pytest.mark.parametrize("key", KNOWN, ids=str)
def test_rooms_that_are_known_to_fail(key):
    family, solver, seed = key
    if rooms.check_room(family, seed, solver).faults():
        pytest.xfail(KNOWN[key])


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_calls(first):
    failures, done = run_cases(calls.run_case, range(first, first + 50))
    assert not failures, calls.describe(*failures[0])
    assert done == 50


def test_calls_of_space():
    failures, done = run_cases(calls3d.run_case, range(25))
    assert not failures, calls.describe(*failures[0], calls3d.SPACE)
    assert done == 25


def test_a_failure_is_a_program():
    """What is printed runs, and does what the room did."""
    room = rooms.draw_room("mixed", 1)
    text = rooms.write_program(room).replace("print(w.energy)", "0")
    space = {}
    exec(text, space)
    runner = rooms.Runner(room)
    for step, dt in enumerate(room.dts):
        runner.change(step)
        runner.world.step(dt)
    assert space["w"].positions.tobytes() == runner.world.positions.tobytes()


def test_the_books_notice_energy_from_nothing(monkeypatch):
    """A push that is booked is no gain; the same push behind the books' back is."""
    room = rooms.draw_room("mixed", 1)
    room.edits[30] = [("push", room.bodies[0].key, (50.0, 0.0))]
    assert rooms.run_room(room).worst <= 1e-3

    class Cheat(World):
        def step(self, dt):
            super().step(dt)
            for body in self.bodies:
                if body.kind == "dynamic":
                    body.velocity = (1.01 * body.velocity[0], 1.01 * body.velocity[1])

    monkeypatch.setattr(rooms, "make_world", lambda room, solver: Cheat(solver=solver))
    cheated = rooms.run_room(room)
    assert cheated.worst > 1e-3
    assert cheated.faults()
