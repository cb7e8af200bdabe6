"""Speed of enginecore.particles, and how its cost per particle grows with their number.

    python -m benchmarks.bench_particles

Every figure is CPU time, the median of five repeats after a warm-up. Each size runs the same
scene at the same density through the same steps; small sizes run several scenes in turn so that
each repeat lasts long enough to be measured, and sizes take turns.
"""

import sys
import time

import numpy as np

from enginecore.particles import Particles

TITLE = "Particles"
SIZES = (1_000, 10_000, 100_000)
WARM_UP = 60  # steps
STEPS = 20  # steps of one repeat
REPEATS = 5
AT_LEAST = 20_000  # particles in the scenes of one size together
KINDS = (("random", "sequential"), ("lattice", "sequential"), ("random", "jacobi"))


def lattice(shape, spacing):
    """Points of a square or cubic lattice, and the size of the box around them (m)."""
    points = np.stack(np.meshgrid(*map(np.arange, shape), indexing="ij"), axis=-1)
    return (points.reshape(-1, len(shape)) + 0.5) * spacing, np.array(shape) * spacing


def box(size):
    """Planes around a box with one corner in the origin."""
    planes = []
    for axis, length in enumerate(size):
        normal = np.eye(len(size))[axis]
        planes += [(np.zeros(len(size)), normal), (normal * length, -normal)]
    return planes


def gas(n, dim, rng):
    """Elastic particles of radius 1 in a box that they fill to 31 % (2D) or 19 % (3D)."""
    side = int(np.ceil(n ** (1 / dim)))
    x, size = lattice((side,) * dim, 3.2 if dim == 2 else 2.8)
    x = x[:n] + rng.uniform(-0.3, 0.3, (n, dim))
    v = rng.normal(size=x.shape)
    return x, v, box(size), {"e": 1.0, "mu": 0.0, "kp": 0.3}, 0.05


def settled(n, dim, rng):
    """A bed ten particles deep, at rest on the floor under its own weight."""
    depth = 10
    side = int(np.ceil((n / depth) ** (1 / (dim - 1))))
    x, size = lattice((side,) * (dim - 1) + (depth,), 1.999)
    x = x[:n] + rng.uniform(-0.01, 0.01, (n, dim))
    size[-1] *= 2
    law = {"e": 0.2, "mu": 0.3, "kp": 0.3, "gravity": [0.0] * (dim - 1) + [-9.81]}
    return x, np.zeros_like(x), box(size), law, 0.01


def make(scene, n, dim, seed, order="random", mode="sequential"):
    """Particles of a scene, in random order or the lattice's own, and its time step (s)."""
    rng = np.random.default_rng(seed)
    x, v, planes, law, dt = scene(n, dim, rng)
    rows = rng.permutation(n) if order == "random" else np.arange(n)
    return Particles(x[rows], v[rows], 1.0, 1.0, planes, mode=mode, **law), dt


def measure(scenes):
    """CPU nanoseconds per particle and step of one repeat over scenes of one size."""
    start = time.process_time()
    for particles, dt in scenes:
        for _ in range(STEPS):
            particles.step(dt)
    return (time.process_time() - start) / (STEPS * sum(len(p) for p, _ in scenes)) * 1e9


def costs(scene, dim, order="random", mode="sequential", sizes=SIZES):
    """Nanoseconds per particle and step for each size, and how much the last costs of the first.

    The sizes take turns within each repeat, and the growth is the median of the repeats' ratios:
    a machine that is slower for a while slows all sizes alike.
    """
    groups = [
        [make(scene, n, dim, seed, order, mode) for seed in range(max(1, AT_LEAST // n))]
        for n in sizes
    ]
    for scenes in groups:
        for particles, dt in scenes:
            for _ in range(WARM_UP):
                particles.step(dt)
    table = np.array([[measure(scenes) for scenes in groups] for _ in range(REPEATS)])
    return np.median(table, axis=0), float(np.median(table[:, -1] / table[:, 0]))


def odd_sizes(n, seed=0):
    """One particle a hundred times larger than the other n - 1, and two far away, as (name, ns)."""
    rng = np.random.default_rng(seed)
    x, v = rng.uniform(0, 3 * n**0.5, (n, 2)), rng.normal(size=(n, 2))
    one_big = np.ones(n)
    one_big[n // 2] = 100.0
    far = x.copy()
    far[:2] = [[1e9, 1e9], [-1e9, 1e9]]
    results = []
    for name, place, radii in (("one 100 times larger", x, one_big), ("two at 1e9 m", far, 1.0)):
        particles = Particles(place, v, radii, np.square(radii), e=1.0, mu=0.0)
        particles.step(0.01)
        repeats = []
        for _ in range(REPEATS):
            start = time.process_time()
            for _ in range(STEPS):
                particles.step(0.01)
            repeats.append((time.process_time() - start) / (STEPS * n) * 1e9)
        results.append((name, float(np.median(repeats))))
    return results


def energy_gains(mode, cases=300, n=25, dim=2):
    """In how many random crowds one step of contacts adds energy, and the largest factor."""
    gains, largest = 0, 1.0
    for seed in range(cases):
        rng = np.random.default_rng(seed)
        x, v = rng.uniform(0, 7, (n, dim)), rng.normal(size=(n, dim))
        particles = Particles(x, v, rng.uniform(0.3, 1.5, n), 1.0, e=0.5, kp=0.0, mode=mode)
        before = particles.energy.kinetic
        particles.step(0.0)
        factor = particles.energy.kinetic / before
        gains += factor > 1.0 + 1e-12
        largest = max(largest, factor)
    return gains, largest


def rows():
    """(what, value, unit or remark) for a table."""
    table = []
    growth_remark = f"times the cost per particle, {SIZES[0]} to {SIZES[-1]}"
    for scene in (gas, settled):
        for dim in (2, 3):
            for order, mode in KINDS:
                what = f"{scene.__name__} {dim}D, {order} order, {mode}"
                times, growth = costs(scene, dim, order, mode)
                for n, ns in zip(SIZES, times):
                    remark = f"million particle steps per second ({ns:.0f} ns each)"
                    table.append((f"{what}, {n} particles", f"{1e3 / ns:.1f}", remark))
                table.append((what, f"{growth:.2f}", growth_remark))
    for n in SIZES:
        for name, ns in odd_sizes(n):
            table.append((f"{n} particles 2D, {name}", f"{ns:.0f}", "ns per particle and step"))
    for mode in ("sequential", "jacobi"):
        gains, largest = energy_gains(mode)
        remark = f"of 300 random crowds gain energy, at most {largest:.2f} times"
        table.append((f"{mode} contacts", str(gains), remark))
    return table


def main():
    for what, value, remark in rows():
        print(f"{what:60} {value:>6} {remark}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
