"""Snapshots that were tampered with: refused with a ValueError, or good for a world to go on from.

    python -m tests.fuzz.state FIRST COUNT

Half of them are given the digest of what they hold, so that the checks behind it are met too.
"""

import copy
import pickle
import sys

import numpy as np

from engine2d import Box, Circle, Filter, Path, Polygon, Segment, World
from engine2d.snapshot_check import digest_of
from tests.fuzz.child import run_cases

ARRAYS = ("motions", "places", "bodies", "entries", "shapes", "contacts", "pairs")
SINGLE = ("context",)
LISTS = ("handles", "free_ids", "gone", "shape_objects")
INTEGERS = (-(2**31), -2, -1, 0, 1, 2, 3, 63, 64, 1000, 2**20, 2**31 - 1)
DOUBLES = (np.nan, np.inf, -np.inf, 1e300, -1e300, 1e-300, 0.0, -0.0, -1.0, 1e12, 3.0)
ODD = (None, -1, 2**40, 1.5, "x", b"", [], (), {}, np.zeros(3), World)


# ---- worlds to take snapshots of ---------------------------------------------------------


def draw_shape(rng):
    kind = rng.integers(6)
    if kind == 0:
        return Circle(rng.uniform(0.1, 0.5), restitution=float(rng.choice([0, 0.5])))
    if kind == 1:
        return Box(*rng.uniform(0.2, 0.9, 2), sensor=bool(rng.integers(8) == 0))
    if kind == 2:
        return Polygon([(-0.3, -0.3), (0.4, -0.2), (0.0, 0.4)], filter=Filter(group=1))
    if kind == 3:
        return Polygon([(-0.4, -0.3), (0.4, -0.3), (0.4, 0.4), (0.0, 0.0), (-0.4, 0.4)])
    if kind == 4:
        return Path([(-0.4, 0.0), (0.4, 0.0)], [0, 1])
    return Box(0.6, 0.4, radius=0.1)


def draw_world(rng):
    """A world in the middle of its life: in motion, at rest, with edits that no step has seen."""
    world = World((0, -10), solver=str(rng.choice(["auto", "iterative", "direct"])))
    world.add_static(Segment((-20, 0), (20, 0)))
    world.add_static(Path([(-5, 6), (-4, 0.1), (4, 0.1), (5, 6)], [0.1, 0, 0], closed=False))
    world.add_kinematic(Box(1, 0.2), position=(0, 1), velocity=(0.1, 0), angular_velocity=1)
    bodies = []
    for _ in range(rng.integers(0, 14)):
        shapes = [draw_shape(rng) for _ in range(rng.choice([1, 1, 2, 3]))]
        bodies.append(
            world.add_body(*shapes, position=rng.uniform((-3, 1), (3, 5)), angle=rng.uniform(0, 6))
        )
    for _ in range(rng.choice([0, 1, 20, 90])):
        world.step(1 / 60)
    for body in bodies:
        fate = rng.integers(12)
        if fate == 0:
            world.remove(body)
        elif fate == 1:
            body.position = rng.uniform((-3, 1), (3, 5))
        elif fate == 2:
            body.data = ["a", {"other": bodies[0]}, world]
    for _ in range(rng.integers(0, 2)):
        world.add_body(draw_shape(rng), position=(0, 4))
    if rng.integers(3) == 0:
        world.step(1 / 60)
    return world


# ---- tampering ---------------------------------------------------------------------------


def size_of(name):
    """Bytes of an item of an array, from the state of a world with one of each."""
    world = World()
    world.add_static(Box(4, 1))
    world.add_body(Circle(0.5), position=(0, 0.9))
    world.step(1 / 60)
    state = world.snapshot().__reduce__()[1][2]
    count = {"motions": 2, "places": 2, "bodies": 2, "entries": 2, "shapes": 2}.get(name, 1)
    return state[name].nbytes // count


SIZES = {name: size_of(name) for name in (*ARRAYS, *SINGLE)}


def flip(rng, array):
    """A bit of an array, or a word of it, is another."""
    raw = array.view(np.uint8)
    if raw.size < 8:
        return "nothing"
    how = rng.integers(3)
    if how == 0:
        at = int(rng.integers(raw.size))
        raw[at] ^= 1 << int(rng.integers(8))
        return f"bit of byte {at}"
    width, values, kind = (4, INTEGERS, np.int32) if how == 1 else (8, DOUBLES, np.float64)
    at = int(rng.integers(raw.size // width)) * width
    value = values[rng.integers(len(values))]
    raw[at : at + width] = np.array([value], kind).view(np.uint8)
    return f"{value!r} at byte {at}"


def recut(rng, array, size):
    """An array with items missing, doubled, exchanged, or cut in the middle."""
    n = array.size // size
    rows = array[: n * size].reshape(n, size)
    how = rng.integers(5)
    if how == 0 or n == 0:
        return array[: int(rng.integers(array.size + 1))].copy()
    if how == 1:
        return np.delete(rows, rng.integers(n), 0).reshape(-1)
    if how == 2:
        return np.concatenate([rows, rows[rng.integers(n)][None]]).reshape(-1)
    rows = rows.copy()
    i, j = rng.integers(n, size=2)
    if how == 3:
        rows[[i, j]] = rows[[j, i]]
    else:
        rows[i] = rows[j]
    return rows.reshape(-1)


def tamper_list(rng, values):
    """A list with an item missing, doubled, exchanged or odd."""
    values = list(values)
    how = rng.integers(4)
    at = int(rng.integers(len(values))) if values else 0
    if how == 0 and values:
        del values[at]
    elif how == 1 and values:
        values.append(values[at])
    elif how == 2 and len(values) > 1:
        values[at], values[at - 1] = values[at - 1], values[at]
    else:
        values[at : at + 1] = [ODD[rng.integers(len(ODD))]]
    return values


def tamper_boxes(rng, boxes):
    boxes = list(boxes)
    at = int(rng.integers(6))
    if at < 4:
        boxes[at] = boxes[at].copy()
        if rng.integers(4) == 0:
            boxes[at] = recut(rng, boxes[at], 6 if at < 3 else 1)
            return tuple(boxes), f"boxes[{at}] cut anew"
        return tuple(boxes), f"boxes[{at}]: {flip(rng, boxes[at])}"
    boxes[at] = tuple(tamper_list(rng, boxes[at]))
    return tuple(boxes), f"boxes[{at}] = {boxes[at]!r}"


def tamper(rng, state, arrays=ARRAYS, single=SINGLE, lists=LISTS, sizes=None):
    """Change one thing; says what. The names are those of the parts of a state."""
    how = rng.integers(10)
    if how < 5:
        name = str(rng.choice([*arrays, *arrays, *single]))
        state[name] = state[name].copy()
        return f"{name}: {flip(rng, state[name])}"
    if how == 5:
        name = str(rng.choice([*arrays, *single]))
        state[name] = recut(rng, state[name], (sizes or SIZES)[name])
        return f"{name} cut anew"
    if how == 6:
        name = str(rng.choice(lists))
        state[name] = tamper_list(rng, state[name])
        return f"{name} = {state[name]!r}"
    if how == 7:
        state["boxes"], what = tamper_boxes(rng, state["boxes"])
        return what
    name = str(rng.choice(list(state)))
    if how == 8:
        del state[name]
        return f"no {name}"
    state[name] = ODD[rng.integers(len(ODD))]
    return f"{name} = {state[name]!r}"


# ---- a case ------------------------------------------------------------------------------


def use(world):
    """Whatever a user may do with a world that he was given."""
    for _ in range(3):
        try:
            world.step(1 / 60)
        except OverflowError:  # speeds out of bounds, as a step says
            break
    world.point_query((0, 0.5))
    world.box_query((-3, -3), (3, 3), sensors=True)
    world.ray_query((-9, 0.5), (9, 0.5))
    world.ray_query_all((-9, 2), (9, 0.2))
    world.cast_query(Circle(0.3), (0, 8, 0), (0, -9))
    world.nearest_query((1, 1))
    list(world.contacts)
    assert len(world.events.begins) >= 0
    for body in world.bodies:
        assert body.shapes is not None
        assert repr(body)
    assert np.isfinite(world.positions).all()
    if world.bodies:
        world.remove(world.bodies[-1])
    world.add_body(Circle(0.4), position=(0, 7))
    pickle.loads(pickle.dumps(world)).step(1 / 60)


def run_case(seed):
    """Tamper with a snapshot and give it back; a text if that did anything but what it should."""
    rng = np.random.default_rng([7, seed])
    world = draw_world(rng)
    rebuild, (version, sizes, state) = world.snapshot().__reduce__()
    whole = digest_of(state)
    state = dict(state)
    said = []
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        try:
            said.append(tamper(rng, state))
        except (AttributeError, KeyError, IndexError, TypeError):  # what was there is gone by now
            break
    forged = bool(rng.integers(2))
    try:
        if forged:
            state["digest"] = digest_of(state)
        same = digest_of(state) == whole and state.get("digest") == whole
    except Exception:  # what is not even a state has no digest
        forged = same = False
    target = World() if rng.integers(2) else world
    try:
        target.restore(rebuild(version, sizes, state))
    except ValueError:
        return None
    if not (forged or same):
        return f"{said}: accepted, though its digest is another"
    use(target)
    use(copy.deepcopy(target))
    return None


def main(argv):
    first, count = int(argv[0]), int(argv[1])
    failures, done = run_cases(run_case, range(first, first + count))
    for seed, text in failures:
        print(f"# {text.strip()}\nfrom tests.fuzz.state import run_case\nprint(run_case({seed}))\n")
    print(f"{done} tampered snapshots, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
