"""Random closed rooms in space: does anybody get out, does energy rise, is momentum kept?

    python -m tests.fuzz.rooms3d FAMILY FIRST COUNT [--solver auto|iterative|direct]

FAMILY is a name of FAMILIES, several with commas, or "all". Prints a line for each family and the
seeds that are beyond the bars. A room is six walls of 1 unit around spheres, boxes, polyhedra and
capsules; "isolated" is a group without walls or gravity.
"""

import argparse
import sys
import time
from dataclasses import dataclass

import numpy as np

from engine3d import Box, Capsule, Polyhedron, Sphere, World

GRAVITY = 9.81  # m/s^2
WALL = 1.0  # units: how thick walls are
SECONDS = 4.0
DT = 1 / 60  # s


@dataclass(frozen=True)
class Family:
    """Of the bodies: the unit of lengths (m), greatest speed (m/s), decades of density, sizes
    (units), restitutions to choose from; the bar for a step's gain, as a share of the energy."""

    unit: float = 1.0
    speed: float = 10.0
    density: tuple = (0.0, 0.0)
    sizes: tuple = (0.3, 1.5)
    bounce: tuple = (0.0, 0.0, 0.3, 0.8, 1.0)
    gain: float = 1e-3
    isolated: bool = False


FAMILIES = {
    "calm": Family(speed=0.0, bounce=(0.0, 0.0, 0.3)),
    "mixed": Family(),
    "fast": Family(speed=100.0),
    "ratio": Family(density=(-3.0, 3.0), bounce=(0.0, 0.0, 0.3, 0.8), gain=1e-2),
    "small": Family(unit=0.01, speed=1.0, bounce=(0.0, 0.0, 0.3, 0.8)),
    "sizes": Family(speed=5.0, sizes=(0.05, 3.0), bounce=(0.0, 0.0, 0.3, 0.8)),
    "deadmu": Family(bounce=(0.0,)),
    "isolated": Family(speed=3.0, isolated=True),
}


@dataclass
class Result:
    """Of one room. Shares are of the energy it began with."""

    family: str
    seed: int
    bodies: int = 0
    out: int = 0  # bodies that left it
    worst: float = 0.0  # most that a step gained
    when: int = -1  # in which step
    total: float = 0.0  # most that it was above the start
    momentum: float = 0.0  # most that it was off, as a share of the sum of their sizes
    angular: float = 0.0
    way: float = 0.0  # m, that the common centre of mass was off its way
    error: str = ""

    def doubled(self):
        return self.total > 1.0

    def faults(self):
        """What is beyond the bars, in words."""
        found = [self.error] if self.error else []
        if self.out:
            found.append(f"{self.out} bodies left the room")
        bars = {"worst": FAMILIES[self.family].gain, "total": 5e-3, "momentum": 1e-12}
        bars |= {"angular": 1e-6, "way": 1e-9}
        for name, most in bars.items():
            if not getattr(self, name) <= most:
                found.append(f"{name} {getattr(self, name):.3g} > {most:g}")
        return found


def draw_shape(rng, size, material):
    """A random convex shape about so large (m)."""
    kind = rng.integers(4)
    if kind == 0:
        return Sphere(size / 2, **material)
    if kind == 1:
        return Box(size, size * rng.uniform(0.15, 1), size * rng.uniform(0.15, 1), **material)
    if kind == 2:
        points = rng.normal(size=(int(rng.integers(5, 12)), 3))
        return Polyhedron(size / 2 * points / np.linalg.norm(points, axis=1)[:, None], **material)
    end = (size * 0.35, 0, 0)
    return Capsule((-end[0], 0, 0), end, size * rng.uniform(0.08, 0.2), **material)


def add_walls(world, half, thick, material):
    for axis in range(3):
        for side in (-1, 1):
            size, place = [2 * half + 2 * thick] * 3, [0.0] * 3
            size[axis], place[axis] = thick, side * (half + thick / 2)
            world.add_static(Box(*size, **material), position=place)


def make_room(name, seed, solver="auto", count=None):
    """A world with a random room, its dynamic bodies, and half the width of the room (m)."""
    family = FAMILIES[name]
    rng = np.random.default_rng([seed, 77])
    half = rng.uniform(2, 4) * family.unit
    gravity = 0.0 if family.isolated else -GRAVITY
    world = World(gravity=(0, 0, gravity), solver=solver, unit=family.unit)
    material = {
        "friction": float(rng.choice([0, 0.3, 0.5, 1.0])),
        "restitution": float(rng.choice(family.bounce)),
    }
    if not family.isolated:
        add_walls(world, half, WALL * family.unit, material)
    balls, bodies = [], []
    count = int(rng.integers(5, 40)) if count is None else count
    for _ in range(6 * count):
        if len(bodies) == count:
            break
        size = float(np.exp(rng.uniform(*np.log(family.sizes)))) * family.unit
        place = rng.uniform(-1, 1, 3) * max(half - size, 0)
        if any(np.linalg.norm(place - p) < 0.75 * (size + s) for p, s in balls):
            continue
        own = {
            "friction": float(rng.choice([0, 0.3, 0.5, 1])),
            "restitution": float(rng.choice(family.bounce)),
            "density": float(10 ** rng.uniform(*family.density)),
        }
        velocity = rng.uniform(-1, 1, 3) * family.speed
        if family.isolated:
            # towards each other
            velocity = velocity / 3 - place / half * family.speed
        bodies.append(
            world.add_body(
                draw_shape(rng, size, own),
                position=place,
                orientation=rng.normal(size=4),
                velocity=velocity,
                angular_velocity=rng.uniform(-1, 1, 3) * (10 if family.speed else 0),
            )
        )
        balls.append((place, size))
    return world, bodies, half


class Books:
    """Energy and momenta of a world's dynamic bodies."""

    def __init__(self, world, bodies, half):
        self.world, self.half = world, half
        rows = {body: k for k, body in enumerate(world.bodies)}
        self.rows = np.array([rows[body] for body in bodies])
        self.m = np.array([body.mass for body in bodies])
        self.gravity = -world.gravity[2]

    def energy(self):
        """J, 0 at rest on the floor."""
        lift = self.m * (self.world.centers[self.rows, 2] + self.half)
        return self.world.energy.kinetic + self.gravity * float(lift.sum())

    def momenta(self):
        p = self.m[:, None] * self.world.velocities[self.rows]
        turn = np.cross(self.world.centers[self.rows], p) + self.world.angular_momenta[self.rows]
        return p.sum(0), turn.sum(0)

    def sizes(self):
        p = np.linalg.norm(self.m[:, None] * self.world.velocities[self.rows], axis=1)
        arms = np.linalg.norm(self.world.centers[self.rows], axis=1)
        spins = np.linalg.norm(self.world.angular_momenta[self.rows], axis=1)
        return float(p.sum()), float((p * arms + spins).sum())

    def middle(self):
        return (self.m[:, None] * self.world.centers[self.rows]).sum(0) / self.m.sum()


def run_room(name, seed, solver="auto", count=None, seconds=SECONDS):
    """Run a room and keep its books; returns a Result."""
    family = FAMILIES[name]
    world, bodies, half = make_room(name, seed, solver, count)
    books = Books(world, bodies, half)
    result = Result(name, seed, len(bodies))
    first = energy = books.energy()
    p, turn = books.momenta()
    p_size, turn_size = books.sizes()
    middle, drift = books.middle(), p / books.m.sum()
    out = set()
    for step in range(round(seconds / DT)):
        try:
            world.step(DT)
        except Exception as error:  # whatever it is, it is a finding
            result.error, result.when = f"{type(error).__name__}: {error}", step
            break
        now = books.energy()
        if not np.isfinite(now):
            result.error, result.when = "a number that is not finite", step
            break
        if (now - energy) / first > result.worst:
            result.worst, result.when = (now - energy) / first, step
        result.total = max(result.total, now / first - 1)
        energy = now
        if family.isolated:
            q, spin = books.momenta()
            way = middle + drift * world.time
            result.momentum = max(result.momentum, np.linalg.norm(q - p) / p_size)
            result.angular = max(result.angular, np.linalg.norm(spin - turn) / turn_size)
            result.way = max(result.way, np.linalg.norm(books.middle() - way))
        else:
            far = np.abs(world.centers[books.rows]).max(1)
            out.update(np.nonzero(far > half + 0.5 * WALL * family.unit)[0].tolist())
    result.out = len(out)
    return result


def summary(results, seconds):
    """A line about rooms of one family."""
    gains = np.array([r.worst for r in results])
    text = (
        f"{results[0].family:9s} {len(results)} rooms: leak {sum(r.out > 0 for r in results)} "
        f"({sum(r.out for r in results)} bodies), doubled {sum(r.doubled() for r in results)}, "
        f"errors {sum(bool(r.error) for r in results)}, step gains > 0.1 %: "
        f"{(gains > 1e-3).sum()}, > 1 %: {(gains > 1e-2).sum()}, worst {gains.max():.3g}, "
        f"above start {max(r.total for r in results):.3g}"
    )
    if FAMILIES[results[0].family].isolated:
        for key in ("momentum", "angular", "way"):
            text += f", {key} {max(getattr(r, key) for r in results):.1g}"
    return f"{text}; {seconds:.1f} s"


def main(argv=None):
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.rooms3d", description=__doc__)
    parser.add_argument("family", help="name, several with commas, or 'all'")
    parser.add_argument("first", type=int, help="first seed")
    parser.add_argument("count", type=int, nargs="?", default=1, help="how many seeds")
    parser.add_argument("--solver", default="auto", choices=["auto", "iterative", "direct"])
    given = parser.parse_args(argv)
    failed = 0
    for name in list(FAMILIES) if given.family == "all" else given.family.split(","):
        start = time.process_time()
        results = [
            run_room(name, seed, given.solver)
            for seed in range(given.first, given.first + given.count)
        ]
        print(summary(results, time.process_time() - start))
        for result in results:
            if result.faults():
                failed += 1
                print(f"  seed {result.seed} step {result.when}: {'; '.join(result.faults())}")
        sys.stdout.flush()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
