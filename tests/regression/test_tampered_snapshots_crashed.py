"""Snapshots that were tampered with crashed the process 128 times in 2300; tests/fuzz/state.py."""

import copy
import pickle

import numpy as np
import pytest

from engine2d import Box, Circle, World
from engine2d.snapshot_check import digest_of
from tests.fuzz import state3d
from tests.fuzz.child import run_cases
from tests.fuzz.state import run_case

INT, DOUBLE = np.int32, np.float64


def test_tampered_ones_are_refused_or_good():
    failures, done = run_cases(run_case, range(250))
    assert not failures
    assert done == 250


def test_those_of_space_are_refused_or_good():
    """They were not looked at: what a step takes for an index was written past its array."""
    failures, done = run_cases(state3d.run_case, range(120))
    assert not failures
    assert done == 120


def make_parts():
    """rebuild, version, sizes and state of a world with bodies of two shapes."""
    world = World()
    world.add_static(Box(9, 1), position=(0, -0.5))
    for k in range(4):
        world.add_body(Box(1, 0.4), Circle(0.3, (0, 0.3)), position=(0, 0.2 + 0.9 * k))
    for _ in range(30):
        world.step(1 / 60)
    rebuild, (version, sizes, state) = world.snapshot().__reduce__()
    return rebuild, version, sizes, state


def word(state, name, kind, value, where):
    """Replace every word of an array that is `where(value)`, one after another."""
    array = state[name].view(kind)
    for k in np.flatnonzero(where(array)):
        changed = dict(state)
        changed[name] = array.copy()
        changed[name][k] = value
        changed[name] = changed[name].view(np.uint8)
        yield changed


def swapped(state, name, n):
    """An array of n items with two of them exchanged."""
    rows = state[name].reshape(n, -1).copy()
    rows[[1, 2]] = rows[[2, 1]]
    return {**state, name: rows.reshape(-1)}


def forge(state):
    return {**state, "digest": digest_of(state)}


def test_each_kind_is_refused_behind_the_digest_too():
    rebuild, version, sizes, state = make_parts()
    bodies, shapes = 5, 9
    bad = [
        {**state, "motions": state["motions"][:-64]},
        {**state, "places": np.concatenate([state["places"], state["places"][:64]])},
        {**state, "contacts": state["contacts"][:-8]},
        {**state, "handles": state["handles"][:-1]},
        {**state, "shape_objects": [None] * shapes},
        {**state, "free_ids": [0]},
        {**state, "gone": [0, 0]},
        {**state, "gravity": (0.0, float("nan"))},
        {**state, "time": -1.0},
        {**state, "solver": 7},
        {**state, "boxes": state["boxes"][:5]},
        swapped(state, "entries", bodies),
        swapped(state, "bodies", bodies),
    ]
    for name in ("motions", "places"):
        for value in (np.nan, np.inf, 1e300):
            bad += list(word(state, name, DOUBLE, value, lambda a: a == a))[:24]
    # lists of shapes that come back to themselves, or lead out of the array
    size = len(state["shapes"]) // shapes // 4
    links = state["shapes"].view(INT).reshape(shapes, size)[:, 1]
    assert sorted(links) == [-1] * 5 + sorted(set(links) - {-1})
    for k in range(shapes):
        for value in (k, shapes, -7, 2**31 - 1):
            rows = state["shapes"].view(INT).reshape(shapes, size).copy()
            rows[k, 1] = value
            bad.append({**state, "shapes": rows.reshape(-1).view(np.uint8)})
    for changed in bad:
        with pytest.raises(ValueError, match="snapshot"):
            rebuild(version, sizes, forge(changed))
    rebuild(version, sizes, forge(state))


def test_a_single_bit_is_noticed():
    rebuild, version, sizes, state = make_parts()
    for name in ("motions", "bodies", "contacts", "pairs", "context"):
        for at in range(0, len(state[name]), 97):
            array = state[name].copy()
            array[at] ^= 4
            with pytest.raises(ValueError, match="snapshot"):
                rebuild(version, sizes, {**state, name: array})


def test_what_a_pickle_holds_is_no_part_of_the_snapshot():
    """Whoever changes what __reduce__ gave him changes nothing else."""
    world = World()
    world.add_body(Circle(1), position=(3, 4))
    snapshot = world.snapshot()
    for array in snapshot.__reduce__()[1][2].values():
        if isinstance(array, np.ndarray) and array.size:
            array[:] = 255
    world.restore(snapshot)
    assert world.bodies[0].position == (3.0, 4.0)
    assert copy.deepcopy(snapshot).nbytes == snapshot.nbytes


@pytest.mark.parametrize("kind", [int, None, "World", Circle])
def test_worlds_of_another_kind_are_refused(kind):
    rebuild = World().__reduce__()[0]
    with pytest.raises(ValueError, match="kind"):
        rebuild(kind)


@pytest.mark.parametrize("state", [None, (), (1, 2, 3, 4), {}, (2, (), {}, None)])
def test_states_that_are_none_are_refused_and_change_nothing(state):
    world = World()
    world.add_body(Circle(1), position=(3, 4))
    with pytest.raises(ValueError):
        world.__setstate__(state)
    assert world.bodies[0].position == (3.0, 4.0)
    pickle.loads(pickle.dumps(world))
