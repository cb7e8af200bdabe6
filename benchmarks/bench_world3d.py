"""The world in space against PyBullet (maximal coordinates) and MuJoCo (CG): time and quality.

    python -m benchmarks world3d

240 Hz, friction 0.5 for each pair, restitution 0, sleeping off. Spheres begin settled (by this
engine), boxes stacked. Engines take turns every TURN frames; CPU time, medians of the turns after
the first WARM_UP frames. Quality is that of the end state, measured by one function for all.
MuJoCo is not given scenes it needs more than SLOW bodies for.
"""

import statistics
import time
from functools import partial
from itertools import combinations

import numpy as np

import engine2d
import engine3d
from benchmarks import scenes3d
from benchmarks.engines3d import load_engines
from benchmarks.timing import take_turns
from engine3d import Box

TITLE = "World in space"
DT = 1 / 240  # s
WARM_UP = 60  # frames
TURN = 10  # frames
TURNS = 12
SCENES = {
    "spheres 100": partial(scenes3d.spheres, 100),
    "spheres 500": partial(scenes3d.spheres, 500),
    "spheres 2000": partial(scenes3d.spheres, 2000),
    "wall": scenes3d.wall,
    "pyramid": scenes3d.pyramid,
    "stacks": scenes3d.stacks,
}
SLOW = {"mujoco": 600}


def measure(scene, engines):
    """Median CPU seconds of a step, and the world at the end, of each engine."""
    worlds = {name: engine(scene, DT) for name, engine in engines.items()}
    for world in worlds.values():
        for _ in range(WARM_UP):
            world.step()
    seconds = {name: [] for name in worlds}
    for _ in range(TURNS):
        for name, world in worlds.items():
            start = time.process_time()
            for _ in range(TURN):
                world.step()
            seconds[name].append((time.process_time() - start) / TURN)
    return {name: statistics.median(spent) for name, spent in seconds.items()}, worlds


# ---- quality -------------------------------------------------------------------------------------


def near_pairs(x, reach):
    """Pairs of bodies whose circumscribed spheres overlap, by their cells in a grid."""
    cell = 2 * reach.max()
    cells = {}
    for k, at in enumerate(np.floor(x / cell).astype(int)):
        cells.setdefault(tuple(at), []).append(k)
    for (i, j, k), here in cells.items():
        yield from combinations(here, 2)
        for other in [(a, b, c) for a in (-1, 0, 1) for b in (-1, 0, 1) for c in (-1, 0, 1)]:
            there = (i + other[0], j + other[1], k + other[2])
            if other > (0, 0, 0) and there in cells:
                yield from ((a, b) for a in here for b in cells[there])


def depths(scene, x, q):
    """m, of all pairs that overlap and all points below planes."""
    items = scene.items
    reach = np.array([i.size if i.is_sphere else np.linalg.norm(i.size) for i in items])
    shapes = [None if i.is_sphere else Box(*(2 * h for h in i.size)) for i in items]
    found = []
    for a, b in near_pairs(x, reach):
        apart = np.linalg.norm(x[a] - x[b])
        if apart > reach[a] + reach[b]:
            continue
        if shapes[a] is None:
            found.append(reach[a] + reach[b] - apart)
        else:
            touches = engine3d.contact_points(shapes[a], (x[a], q[a]), shapes[b], (x[b], q[b]))
            found += [-t.gap for t in touches]
    for normal, offset in scene.planes:
        for k, item in enumerate(items):
            found.append(offset + reach_down(item, q[k], normal) - x[k] @ normal)
    found = np.array(found)
    return found[found > 0]


def reach_down(item, q, normal):
    """m: how far a body reaches from its centre against a normal."""
    return item.size if item.is_sphere else np.abs(rotation_of(q).T @ normal) @ item.size


def rotation_of(q):
    """The rotation of a unit quaternion."""
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def quality(scene, world):
    """rms speed (m/s), greatest and mean depth (m)."""
    v = world.velocities
    deep = depths(scene, world.positions, world.orientations)
    return {
        "rms speed": float(np.sqrt((v**2).sum(axis=1).mean())),
        "max depth": float(deep.max(initial=0.0)),
        "mean depth": float(deep.mean()) if deep.size else 0.0,
    }


def describe(found):
    return (
        f"rms {found['rms speed']:.1e} m/s, max depth {1e3 * found['max depth']:.3f} mm, "
        f"mean {1e3 * found['mean depth']:.3f} mm"
    )


# ---- tables --------------------------------------------------------------------------------------


def scene_rows(engines, names=tuple(SCENES)):
    table, times = [], {}
    for key in names:
        scene = SCENES[key]()
        n = len(scene.items)
        able = {name: e for name, e in engines.items() if n <= SLOW.get(name, n)}
        times[key], worlds = measure(scene, able)
        for name, spent in times[key].items():
            ratio = times[key].get("pybullet", float("nan")) / spent
            remark = f"{ratio:.2f} x pybullet; {describe(quality(scene, worlds[name]))}"
            table.append((f"{scene.name}, {name}", f"{1e3 * spent:.3f} ms", remark))
    if "spheres 100" in times and "spheres 2000" in times:
        for name in times["spheres 2000"]:
            ratio = times["spheres 2000"][name] / times["spheres 100"][name]
            p = np.log(ratio) / np.log(20)
            table.append((f"growth of spheres, {name}", f"{p:.2f}", "exponent, 100 to 2000 bodies"))
    return table


def many_rows(steps=500, rounds=5):
    """World-steps per CPU-second of 15 spheres: a plain loop over world.step, and MuJoCo's own."""
    scene = scenes3d.spheres(15)
    world = engine3d.World(gravity=scene.gravity, sleeping=False)
    scenes3d.add_scene(world, scene)

    def ours():
        for _ in range(steps):
            world.step(DT)

    calls = {"engine3d, a loop": ours}
    try:
        import mujoco
        from mujoco import rollout

        from benchmarks.engines3d.mujoco_model import make_data, make_model

        model = make_model(scene, DT, "Newton")
        data = make_data(model, scene)
        size = mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
        state = np.empty(size)
        mujoco.mj_getState(model, data, state, mujoco.mjtState.mjSTATE_FULLPHYSICS)
        calls["mujoco.rollout"] = lambda: rollout.rollout(model, data, state[None], nstep=steps)
    except ImportError:
        pass
    spent = take_turns(calls, rounds=rounds)
    return [
        (f"15 spheres, {name}", f"{steps / s / 1e3:.1f}", "thousand world-steps per CPU-second")
        for name, s in spent.items()
    ]


def empty_rows(steps=5000, rounds=7):
    """A step of a world without bodies, beside that of the plane."""
    worlds = {"engine3d": engine3d.World(), "engine2d": engine2d.World()}

    def run(world):
        for _ in range(steps):
            world.step(DT)

    spent = take_turns({name: partial(run, w) for name, w in worlds.items()}, rounds=rounds)
    ratio = spent["engine3d"] / spent["engine2d"]
    return [
        (f"empty world, {name}", f"{1e6 * s / steps:.2f}", f"us a step; space/plane {ratio:.2f}")
        for name, s in spent.items()
    ]


def rows():
    """(what, value, remark) for the table."""
    return [*scene_rows(load_engines()), *many_rows(), *empty_rows()]
