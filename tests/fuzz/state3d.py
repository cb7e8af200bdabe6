"""Snapshots of space that were tampered with: refused with a ValueError, or good to go on from.

    python -m tests.fuzz.state3d FIRST COUNT

Half of them are given the digest of what they hold, so that the checks behind it are met too.
"""

import copy
import pickle
import sys

import numpy as np

from engine3d import (
    Ball,
    Box,
    Capsule,
    Cylinder,
    Filter,
    Hinge,
    Plane,
    Polyhedron,
    Rope,
    Sphere,
    Spring,
    World,
)
from engine3d.snapshot_check import digest_of
from tests.fuzz.child import run_cases
from tests.fuzz.state import tamper

ARRAYS = (
    "heads",
    "motions",
    "places",
    "bodies",
    "entries",
    "shapes",
    "contacts",
    "pairs",
    "joints",
)
SINGLE = ("context",)
LISTS = ("handles", "free_ids", "gone", "shape_objects", "joint_handles")


def draw_shape(rng):
    kind = rng.integers(6)
    if kind == 0:
        return Sphere(rng.uniform(0.1, 0.5), restitution=float(rng.choice([0, 0.5])))
    if kind == 1:
        return Box(*rng.uniform(0.2, 0.9, 3), sensor=bool(rng.integers(8) == 0))
    if kind == 2:
        return Polyhedron(rng.normal(size=(8, 3)) * 0.3, filter=Filter(group=1))
    if kind == 3:
        return Capsule((-0.3, 0, 0), (0.3, 0, 0), 0.2)
    if kind == 4:
        return Cylinder(0.3, 0.5, rolling_resistance=0.01)
    return Box(0.6, 0.4, 0.3, surface_velocity=(1, 0, 0), one_way=(0, 0, 1))


def draw_world(rng):
    """A world in the middle of its life: in motion, at rest, with edits that no step has seen."""
    world = World(solver=str(rng.choice(["auto", "iterative", "direct"])))
    world.add_static(Plane((0, 0, 1)))
    world.add_static(Box(4, 4, 1), position=(0, 0, -0.4))
    world.add_kinematic(Box(1, 1, 0.2), position=(0, 0, 1), velocity=(0.1, 0, 0))
    bodies = []
    for _ in range(rng.integers(0, 14)):
        shapes = [Sphere(0.2), *(draw_shape(rng) for _ in range(rng.choice([1, 1, 2])))]
        place = rng.uniform((-2, -2, 1), (2, 2, 4))
        bodies.append(world.add_body(*shapes, position=place, orientation=rng.normal(size=4)))
    for a, b in zip(bodies[::3], bodies[1::3]):
        ends = {"anchor_a": a.position, "anchor_b": b.position}
        middle = 0.5 * (np.array(a.position) + np.array(b.position))
        kind = rng.integers(4)
        if kind == 0:
            world.add_joint(Ball(a, b, anchor=middle))
        elif kind == 1:
            world.add_joint(Hinge(a, b, anchor=middle, axis=(0, 0, 1), low=-0.5, high=0.5))
        elif kind == 2:
            world.add_joint(Rope(a, b, **ends, length=3.0))
        else:
            world.add_joint(Spring(a, b, **ends, stiffness=50.0, length=1.0))
    for _ in range(rng.choice([0, 1, 20, 90])):
        world.step(1 / 60)
    for body in bodies:
        fate = rng.integers(12)
        if fate == 0:
            world.remove(body)
        elif fate == 1:
            body.position = rng.uniform((-2, -2, 1), (2, 2, 4))
        elif fate == 2:
            body.data = ["a", {"other": 1}]
    for _ in range(rng.integers(0, 2)):
        world.add_body(Sphere(0.1), draw_shape(rng), position=(0, 0, 4))
    if rng.integers(3) == 0:
        world.step(1 / 60)
    return world


def size_of(name):
    """Bytes of an item of an array, from the state of a world whose numbers of them are known."""
    world = World()
    a = world.add_body(Box(1, 1, 1), position=(0, 0, 0.4))
    world.add_joint(Ball(None, a, anchor=(0, 0, 0)))
    world.add_static(Plane((0, 0, 1)))
    world.step(1 / 60)
    state = world.snapshot().__reduce__()[1][2]
    count = {"pairs": 1, "joints": 1, "context": 1, "contacts": 4}.get(name, 2)
    return state[name].nbytes // count


SIZES = {name: size_of(name) for name in (*ARRAYS, *SINGLE)}


def use(world):
    """Whatever a user may do with a world that he was given."""
    for _ in range(3):
        try:
            world.step(1 / 60)
        except OverflowError:  # speeds out of bounds, as a step says
            break
    world.point_query((0, 0, 0.5))
    world.box_query((-3, -3, -3), (3, 3, 3), sensors=True)
    world.ray_query((-9, 0, 0.5), (9, 0, 0.5))
    world.ray_query_all((-9, 0, 2), (9, 0, 0.2))
    world.cast_query(Sphere(0.3), (0, 0, 8), (0, 0, -9))
    world.nearest_query((1, 1, 1))
    list(world.contacts)
    assert len(world.events.begins) >= 0
    for body in world.bodies:
        assert body.shapes is not None
        assert repr(body)
    for joint in world.joints:
        assert repr(joint)
        assert joint.force is not None
    assert np.isfinite(world.positions).all()
    if world.bodies:
        world.remove(world.bodies[-1])
    world.add_body(Sphere(0.4), position=(0, 0, 7))
    pickle.loads(pickle.dumps(world)).step(1 / 60)


def run_case(seed):
    """Tamper with a snapshot and give it back; a text if that did anything but what it should."""
    rng = np.random.default_rng([9, seed])
    world = draw_world(rng)
    rebuild, (version, sizes, state) = world.snapshot().__reduce__()
    whole = digest_of(state)
    if seed % 20 == 0:
        # what nobody touched is good
        World().restore(rebuild(version, sizes, state))
        return None
    state = dict(state)
    said = []
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        try:
            said.append(tamper(rng, state, ARRAYS, SINGLE, LISTS, SIZES))
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
    try:
        use(target)
        use(copy.deepcopy(target))
    except Exception as error:
        return f"{said}: {error!r}"
    return None


def main(argv):
    first, count = int(argv[0]), int(argv[1])
    failures, done = run_cases(run_case, range(first, first + count))
    for seed, text in failures:
        print(
            f"# {text.strip()}\nfrom tests.fuzz.state3d import run_case\nprint(run_case({seed}))\n"
        )
    print(f"{done} tampered snapshots, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
