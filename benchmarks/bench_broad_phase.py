"""Broad phases on the motion of the benchmark scenes: time per box and step, growth, rays.

    python -m benchmarks broad_phase

There is no world yet, so the scenes are made up: boxes that fall, rest, tumble or fly as those of
the peers' scenes do. Only `update` is timed. Structures take turns; medians of the rounds.
"""

import statistics
import time

import numpy as np

from enginecore.grid import HashedGrid
from enginecore.sweep import SortAndSweep

TITLE = "Broad phase"
DT = 1 / 60  # s
STEPS = 60
ROUNDS = 5
GRAVITY = 9.81  # m/s^2
MARGIN = 0.05  # m, a tenth of the boxes
NOISE = 1e-4  # m, what a solver leaves of motion at rest
CONTESTANTS = {
    "sweep": lambda: SortAndSweep(2),
    "sweep, fat": lambda: SortAndSweep(2, MARGIN),
    "grid, fat": lambda: HashedGrid(2, MARGIN),
}


# ---- scenes: (low, high) corners, each (steps, n, 2) ---------------------------------------------


def pile(n, rng):
    """Circles of radius 0.25 that fall into a U, layer upon layer, and come to rest; its walls.

    They fall 1 to 2 m however many there are, so that the same share is falling at every size.
    """
    width = max(4, int(n**0.5))
    row, column = np.divmod(np.arange(n), width)
    rest = np.stack([0.5 * column + 0.25 * (row % 2), 0.25 + 0.44 * row], axis=1)
    t = (np.arange(STEPS) * DT)[:, None]
    y = np.maximum(rest[:, 1], rest[:, 1] + 1 + row / row[-1] - 0.5 * GRAVITY * t**2)
    falling = y > rest[:, 1]
    shake = rng.normal(size=(STEPS, n, 2)) * np.where(falling, 0.02, NOISE)[..., None]
    center = np.stack([np.broadcast_to(rest[:, 0], y.shape), y], axis=2) + shake
    top, side = 0.5 * n / width + 5.0, 0.5 * width
    walls = [[(-1, -1), (side + 1, 0)], [(-1, 0), (-0.5, top)], [(side + 0.5, 0), (side + 1, top)]]
    return with_walls(center - 0.25, center + 0.25, np.array(walls, float))


def pyramid(n, rng):
    """Boxes of 0.5 m in a pyramid, at rest but for what a solver leaves; the floor."""
    base = int((2 * n) ** 0.5)
    spots = [(0.55 * (k + 0.5 * row), 0.5 * row) for row in range(base) for k in range(base - row)]
    low = np.array(spots) + rng.normal(size=(STEPS, len(spots), 2)) * NOISE
    return with_walls(low, low + 0.5, np.array([[(-50, -1), (100, 0.0)]]))


def tumbler(n, rng):
    """Boxes of 0.5 m that turn with a drum and slump, all of them always moving; its four walls."""
    side = int(np.ceil(n**0.5))
    spots = np.stack(np.divmod(np.arange(n), side), axis=1) * 0.55 - 0.275 * side
    spots = spots + rng.uniform(-0.02, 0.02, spots.shape)
    angle = 0.6 * DT * np.arange(STEPS)
    cos, sin = np.cos(angle)[:, None], np.sin(angle)[:, None]
    slump = np.cumsum(rng.normal(size=(STEPS, n, 2)) * 0.01, axis=0)
    x, y = spots[:, 0], spots[:, 1]
    center = np.stack([cos * x - sin * y, sin * x + cos * y], axis=2) + slump
    half = 0.25 * (abs(cos) + abs(sin))[..., None]
    far = 0.4 * side
    ends = np.array([[(-far, -far), (far, -far)], [(far, -far), (far, far)]])
    ends = np.concatenate([ends, -ends])
    turn = np.stack([np.stack([cos, sin], -1), np.stack([-sin, cos], -1)], -2)[:, 0]
    walls = np.einsum("wek,skc->swec", ends, turn)
    low = np.concatenate([center - half, walls.min(2) - 0.2], axis=1)
    return low, np.concatenate([center + half, walls.max(2) + 0.2], axis=1)


def gas(n, rng):
    """Boxes of 0.5 m scattered over four times their area, flying at 10 m/s between walls."""
    side = n**0.5
    v = rng.normal(size=(n, 2))
    v *= 10.0 / np.linalg.norm(v, axis=1)[:, None]
    path = rng.uniform(0, side, (n, 2)) + v * (np.arange(STEPS) * DT)[:, None, None]
    center = side - abs(path % (2 * side) - side)
    return center - 0.25, center + 0.25


def with_walls(low, high, walls):
    """The same with boxes (low, high) that stay."""
    still = np.broadcast_to(walls[:, :, None], (len(walls), 2, len(low), 2))
    low = np.concatenate([low, still[:, 0].swapaxes(0, 1)], axis=1)
    return low, np.concatenate([high, still[:, 1].swapaxes(0, 1)], axis=1)


SCENES = (
    (pile, (2000, 5000)),
    (pyramid, (820, 1830)),
    (tumbler, (400, 1600)),
    (gas, (1000, 5000)),
)
GROWTH_SIZES = (500, 2000, 8000)


# ---- measuring -----------------------------------------------------------------------------------


def run(make, low, high):
    """CPU nanoseconds per box and step, and the broad phase at the end."""
    phase = make()
    phase.add_many(low[0], high[0])
    phase.update()
    start = time.process_time()
    for k in range(1, len(low)):
        phase.update(low[k], high[k])
    return (time.process_time() - start) / ((len(low) - 1) * low.shape[1]) * 1e9, phase


def measure(scene, n, rounds=ROUNDS):
    """Median nanoseconds per box and step of each contestant."""
    low, high = (np.ascontiguousarray(side) for side in scene(n, np.random.default_rng(n)))
    times = {name: [] for name in CONTESTANTS}
    for _ in range(rounds):
        for name, make in CONTESTANTS.items():
            times[name].append(run(make, low, high)[0])
    return {name: statistics.median(values) for name, values in times.items()}


def scene_rows():
    table = []
    for scene, sizes in SCENES:
        for n in sizes:
            times = measure(scene, n)
            for name, ns in times.items():
                ratio = ns / times["grid, fat"]
                remark = f"ns per box and step; {ratio:.2f} times the fat grid"
                table.append((f"{scene.__name__} {n}, {name}", f"{ns:.0f}", remark))
    return table


def growth_rows():
    """Exponents p of a step's time ~ n^p, from the smallest to the largest size."""
    table = []
    for scene, _ in SCENES:
        times = [measure(scene, n, rounds=3) for n in GROWTH_SIZES]
        for name in CONTESTANTS:
            doublings = np.log(GROWTH_SIZES[-1] / GROWTH_SIZES[0])
            p = 1 + np.log(times[-1][name] / times[0][name]) / doublings
            remark = f"exponent of a step's time, {GROWTH_SIZES[0]} to {GROWTH_SIZES[-1]} boxes"
            table.append((f"{scene.__name__}, {name}", f"{p:.2f}", remark))
    return table


def first_rows():
    """The first build, and an update after which nothing is where it was."""
    table = []
    rng = np.random.default_rng(0)
    n = 5000
    low, other = rng.uniform(0, n**0.5, (2, n, 2))
    for name, make in CONTESTANTS.items():
        first, jump = [], []
        for _ in range(ROUNDS):
            phase = make()
            phase.add_many(low, low + 0.5)
            start = time.process_time()
            phase.update()
            middle = time.process_time()
            phase.update(other, other + 0.5)
            first.append(middle - start)
            jump.append(time.process_time() - middle)
        remark = f"ns per box, {n} boxes"
        table.append((f"first build, {name}", f"{statistics.median(first) / n * 1e9:.0f}", remark))
        table.append((f"all teleport, {name}", f"{statistics.median(jump) / n * 1e9:.0f}", remark))
    return table


def ray_rows():
    """Rays in one call: all boxes met, in order; and what the tree costs when boxes move."""
    table = []
    for n in (1000, 10_000):
        rng = np.random.default_rng(1)
        side = n**0.5
        low = rng.uniform(0, side, (n, 2))
        phase = HashedGrid(2, MARGIN)
        phase.add_many(low, low + 0.5)
        phase.update()
        for length in (2.0, 20.0):
            start = rng.uniform(0, side, (20_000, 2))
            v = rng.normal(size=start.shape)
            end = start + length * v / np.linalg.norm(v, axis=1)[:, None]
            met = phase.rays(start, end)[1].size / len(start)
            rate = len(start) / median_time(lambda s=start, e=end, p=phase: p.rays(s, e))
            remark = f"thousand rays per second, {met:.1f} boxes met by each"
            table.append((f"{length:g} m rays at {n} boxes", f"{rate / 1e3:.0f}", remark))
        one = start[:1], end[:1]
        still = median_time(lambda p=phase, o=one: p.rays(*o))
        table.append((f"one ray at {n} boxes, still", f"{still * 1e6:.0f}", "µs"))
        for speed in (0.06, 1.0):
            remark = f"µs; the tree follows boxes that moved {speed} m"
            spent = statistics.median(ray_after_moving(phase, one, low, speed, rng))
            table.append((f"one ray at {n} boxes, all moved", f"{spent * 1e6:.0f}", remark))
    return table


def median_time(call):
    times = []
    for _ in range(2 * ROUNDS + 1):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return statistics.median(times)


def ray_after_moving(phase, ray, low, speed, rng):
    """Seconds that the first ray after an update takes, for some updates in a row."""
    times = []
    for _ in range(2 * ROUNDS + 1):
        low = low + rng.normal(size=low.shape) * speed
        phase.update(low, low + 0.5)
        start = time.process_time()
        phase.rays(*ray)
        times.append(time.process_time() - start)
    return times


def rows():
    """(what, value, remark) for the table."""
    return [*scene_rows(), *growth_rows(), *first_rows(), *ray_rows()]


if __name__ == "__main__":
    for row in rows():
        print(*row, sep=" | ")
