"""Random bodies that fly past another, or graze it: what does not touch is not deflected, what
touches is struck.

    python -m tests.fuzz.passes FIRST COUNT [--solver auto|iterative|direct]

The way of free bodies is known; where the two are nearest on it is looked up in small steps.
"""

import argparse
import math
import sys
from dataclasses import dataclass

import numpy as np

from engine2d import World
from engine2d.collide.distance import distance
from tests.fuzz import room_shapes

DT = 1 / 60  # s
NEAR = 0.01  # m: what comes no nearer passes, what comes deeper than this hits
START, FINE = 3.0, 0.01  # m: how far away they begin, and how far they go between two looks


@dataclass
class Pass:
    seed: int
    speed: float
    nearest: float  # m, on the way without a blow
    hits: int  # events, begins and hits
    off: float  # most that the velocity was changed, over the speed

    def is_wrong(self):
        """Whether it was struck without touching, or touched without being struck."""
        if self.nearest > NEAR:
            return self.hits > 0 or self.off > 1e-9
        return self.nearest < -NEAR and self.hits == 0


def draw(rng):
    """Shapes of one body about its centre, and its reach (m)."""
    while True:
        try:
            maker = room_shapes.RICH[rng.integers(len(room_shapes.RICH))]
            return maker(rng, rng.uniform(0.3, 1.2), friction=0.3)
        except ValueError:  # a path that meets itself
            continue


def nearest(world, one, other, time):
    """The least distance (m) of two bodies on straight ways for a time (s)."""
    x, y = np.array(one.center), np.array(other.center)
    v, w, turn = np.array(one.velocity), one.angular_velocity, other.angular_velocity
    count = int(time * (np.hypot(*v) + 0.8 * (abs(w) + abs(turn))) / FINE) + 1
    least = math.inf
    for t in np.linspace(0.0, time, min(count, 4000)):
        if np.hypot(*(x + t * v - y)) > 2.5:
            continue
        poses = [pose_after(body, t) for body in (one, other)]
        for a in one.shapes:
            for b in other.shapes:
                least = min(least, distance(a.shape, poses[0], b.shape, poses[1]).distance)
    return least


def pose_after(body, t):
    """Where a free body's frame is after a time t."""
    turned = t * body.angular_velocity
    arm = np.array(body.position) - np.array(body.center)
    c, s = math.cos(turned), math.sin(turned)
    x, y = np.array(body.center) + t * np.array(body.velocity)
    return (x + c * arm[0] - s * arm[1], y + s * arm[0] + c * arm[1], body.angle + turned)


def fly(seed, solver="auto"):
    rng = np.random.default_rng([9_000_011, seed])
    world = World(gravity=(0, 0), solver=solver, sleeping=False)
    speed, way = float(10 ** rng.uniform(0, 3.3)), rng.uniform(0, 2 * math.pi)
    spin = rng.uniform(-10, 10, 2) * rng.integers(0, 2, 2)
    along = np.array([math.cos(way), math.sin(way)])
    kind = "dynamic" if rng.integers(2) else "static"
    other = world.add_body(*draw(rng), angle=rng.uniform(0, 6), kind=kind)
    if kind == "dynamic":
        other.angular_velocity = spin[1]
    aside = rng.uniform(-1.2, 1.2) * np.array([-along[1], along[0]])
    body = world.add_body(
        *draw(rng),
        position=aside - START * along,
        angle=rng.uniform(0, 6),
        velocity=speed * along,
        angular_velocity=spin[0],
    )
    least = nearest(world, body, other, 2 * START / speed)
    first = np.array([*body.velocity, *other.velocity])
    hits, off = 0, 0.0
    for _ in range(math.ceil(2 * START / speed / DT)):
        world.step(DT)
        hits += len(world.events.hits) + len(world.events.begins)
        off = max(off, np.abs(np.array([*body.velocity, *other.velocity]) - first).max() / speed)
    return Pass(seed, speed, least, hits, off)


def main(argv=None):
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.passes", description=__doc__)
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--solver", default="auto", choices=["auto", "iterative", "direct"])
    given = parser.parse_args(argv)
    results = [fly(k, given.solver) for k in range(given.first, given.first + given.count)]
    past = sum(r.nearest > NEAR for r in results)
    grazing = sum(r.nearest < -NEAR for r in results)
    wrong = [r for r in results if r.is_wrong()]
    print(f"{given.solver}: {past} pass, {grazing} hit; {len(wrong)} wrong")
    for r in wrong:
        print(f"  {r}")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
