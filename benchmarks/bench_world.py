"""The world against pymunk and Box2D v3: time and quality of the same scenes.

    python -m benchmarks world

60 Hz, gravity -10 m/s^2, friction 0.6 for each pair, restitution 0, sleeping off. Each round makes
the scene anew in every engine and steps it through SECONDS; engines take turns every TURN frames;
CPU time, medians of the rounds; the worst step in medians of all steps. Boxes on terrain are pushed
with other random forces in every step, the same for all engines; "swept" is this engine with
solver="iterative".
The quality is that of the state at the end, measured from poses and velocities by one function for
all (`overlap.gaps`).
"""

import statistics
import time
from functools import partial
from random import Random

import numpy as np

from benchmarks import overlap
from benchmarks.engines import load_engines
from benchmarks.timing import take_turns
from demos.scenes.circles import circles
from demos.scenes.gas import gas
from demos.scenes.pyramid import pyramid
from demos.scenes.scene import Body, Scene
from demos.scenes.stacks import stacks
from demos.scenes.terrain import terrain
from demos.scenes.tumbler import tumbler
from engine2d import Box, Polygon, Segment

TITLE = "World"
HEAD = ("what", "value", "worst step", "over pyb2d3", "remark")
DT = 1 / 60  # s
SECONDS = 6.0
FRAMES = round(SECONDS / DT)
FAMILIES = {
    "pyramid": [partial(pyramid, base) for base in (20, 40, 60)],
    "stacks": [partial(stacks, 20, 10)],
    "circles": [partial(circles, n) for n in (500, 2000, 5000)],
    "tumbler": [partial(tumbler, n) for n in (400, 1600)],
    "fast tumbler": [partial(tumbler, n, 25) for n in (400, 1600)],
    "terrain": [partial(terrain, n) for n in (3, 5)],
    "gas": [gas],
}
GROWING = ("pyramid", "circles", "tumbler", "fast tumbler")
TURN = 20  # frames
ROUNDS = 5


def pushes(scene, frames, seed=0):
    """For each frame, the force (N) and torque (N m) on each body that moves; None: none."""
    if "push" not in scene.sizes:
        return None
    random = Random(seed)
    x, y, turn = scene.sizes["push"]
    return [
        [
            ((random.uniform(-x, x), random.uniform(-y, y)), random.uniform(-turn, turn))
            for _ in scene.moving
        ]
        for _ in range(frames)
    ]


def run(scene, engines, frames):
    """CPU seconds of every step, and the world at the end, of each engine. They take turns every
    TURN frames, so that whatever else the machine does slows all of them down alike."""
    worlds = {name: engine(scene) for name, engine in engines.items()}
    seconds = {name: [] for name in engines}
    pushed = pushes(scene, frames)
    moving = scene.moving
    for begin in range(0, frames, TURN):
        for name, world in worlds.items():
            bodies = [world.bodies[k] for k in moving] if pushed else ()
            for frame in range(begin, min(begin + TURN, frames)):
                for body, (force, torque) in zip(bodies, pushed[frame] if pushed else ()):
                    world.push(body, force, torque)
                start = time.process_time()
                world.step(DT)
                seconds[name].append(time.process_time() - start)
    return seconds, worlds


def measure(scene, engines, rounds=ROUNDS, frames=FRAMES):
    """Of each engine the median of the rounds' mean seconds per step, that of their worst step over
    the median step, and the world at the end."""
    results = [run(scene, engines, frames) for _ in range(rounds)]
    times, worst = {}, {}
    for name in engines:
        of_rounds = [seconds[name] for seconds, _ in results]
        times[name] = statistics.median(statistics.fmean(steps) for steps in of_rounds)
        worst[name] = statistics.median(max(s) / statistics.median(s) for s in of_rounds)
    return times, worst, results[-1][1]


# ---- quality -------------------------------------------------------------------------------------


def quality(scene, world):
    """What the end state is like, as numbers with names."""
    moving = scene.moving
    x, v = world.positions, world.velocities[moving]
    out = {"rms speed": np.sqrt((v**2).sum(axis=1).mean())}
    if not any(isinstance(shape, Segment) for body in scene.bodies for shape in body.shapes):
        depth = np.maximum(-overlap.gaps(scene, x, world.angles), 0.0)
        out["mean depth"] = depth.mean() if depth.size else 0.0
        out["max depth"] = depth.max(initial=0.0)
    start = np.array([scene.bodies[k].position for k in moving])
    if scene.sizes.get("stands"):
        out["shift"] = abs(x[moving, 0] - start[:, 0]).max()
        out["drop"] = (start[:, 1] - x[moving, 1]).max()
    if "inside" in scene.sizes:
        low, high = scene.sizes["inside"]
        out["escaped"] = int(((x[moving] < low) | (x[moving] > high)).any(axis=1).sum())
    return out


def describe(found):
    """The same in words: m/s and mm."""
    words = [f"rms {found['rms speed']:.1e} m/s"]
    for name in ("mean depth", "max depth", "shift", "drop"):
        if name in found:
            words.append(f"{name} {1e3 * found[name]:.2f} mm")
    if "escaped" in found:
        words.append(f"{found['escaped']} escaped")
    return ", ".join(words)


# ---- tables --------------------------------------------------------------------------------------


def scene_rows(engines):
    """Time and quality of each scene in each engine, and how time grows with size."""
    table, growth = [], []
    for family, makers in FAMILIES.items():
        points = []
        for make in makers:
            scene = make()
            racing = dict(engines)
            if "push" in scene.sizes:
                racing["engine2d swept"] = partial(engines["engine2d"], solver="iterative")
            times, worst, worlds = measure(scene, racing)
            points.append((len(scene.moving), times))
            for name, spent in times.items():
                remark = f"{times.get('pymunk', np.nan) / spent:.2f} x pymunk; "
                remark += describe(quality(scene, worlds[name]))
                over = f"{times['pyb2d3'] / spent:.2f}" if "pyb2d3" in times else ""
                what = f"{scene.name}, {name}"
                table.append(
                    (what, f"{1e3 * spent:.4g} ms", f"{worst[name]:.1f} medians", over, remark)
                )
        if family in GROWING:
            (few, fast), (many, slow) = points[0], points[-1]
            for name in engines:
                p = np.log(slow[name] / fast[name]) / np.log(many / few)
                remark = f"exponent of a step's time, {few} to {many} bodies"
                growth.append((f"growth of {family}, {name}", f"{p:.2f}", "", "", remark))
    return table + growth


def scattered(n, make, seed=0):
    """n bodies of one shape, far apart."""
    side = int(np.ceil(np.sqrt(n)))
    angles = np.random.default_rng(seed).uniform(0, 6, n)
    bodies = [
        Body((make,), position=(2.0 * (k % side), 2.0 * (k // side)), angle=float(angles[k]))
        for k in range(n)
    ]
    return Scene("scattered", tuple(bodies), gravity=(0.0, 0.0))


def python_rows(engines):
    """What Python code around the engine costs: creating, reading, asking."""
    table = []
    n = 5000
    scene = scattered(n, Box(1, 1, friction=0.6))
    spent = take_turns({name: partial(engine, scene) for name, engine in engines.items()}, rounds=5)
    remark = "thousand boxes created per second"
    table += [
        (f"create {n} boxes, {name}", f"{n / s / 1e3:.0f}", remark) for name, s in spent.items()
    ]
    worlds = {name: engine(scene) for name, engine in engines.items()}
    reads = {name: partial(read_each, world) for name, world in worlds.items()}
    for name, s in take_turns(reads, rounds=5).items():
        table.append((f"body.position, {name}", f"{s / n * 1e9:.0f}", "ns"))
    for name, s in take_turns({k: w.read_all for k, w in worlds.items()}, rounds=15).items():
        table.append((f"all positions, {name}", f"{s / n * 1e9:.2f}", f"ns a body, {n} bodies"))
    return table + ray_rows(engines)


def read_each(world):
    for body in world.bodies:
        world.read_one(body)


def ray_rows(engines, n=1000, count=5000):
    """Rays against polygons, one call after the other, and all in one call where there is one."""
    angles = np.linspace(0, 2 * np.pi, 6)[:-1]
    scene = scattered(n, Polygon(0.5 * np.column_stack([np.cos(angles), np.sin(angles)])))
    rng = np.random.default_rng(1)
    ends = rng.uniform(0, 2 * np.sqrt(n), (count, 2, 2))
    rays = [(tuple(a), tuple(b)) for a, b in ends.tolist()]
    worlds = {name: engine(scene) for name, engine in engines.items()}
    for world in worlds.values():
        world.step(DT)
    calls = {name: partial(cast_all, world, rays) for name, world in worlds.items()}
    for name, world in worlds.items():
        if hasattr(world, "hits_of"):
            calls[f"{name} in one call"] = partial(world.hits_of, ends[:, 0], ends[:, 1])
    spent = take_turns(calls, rounds=5)
    table = []
    for name, s in spent.items():
        hits = calls[name]()
        remark = f"thousand rays per second, {hits} of {count} hit"
        table.append((f"rays at {n} polygons, {name}", f"{count / s / 1e3:.0f}", remark))
    return table


def cast_all(world, rays):
    return sum(world.first_hit(start, end) for start, end in rays)


def rows():
    """(what, value, worst step, over pyb2d3, remark) for the table."""
    engines = load_engines()
    asked = [(what, value, "", "", remark) for what, value, remark in python_rows(engines)]
    return [*scene_rows(engines), *asked]
