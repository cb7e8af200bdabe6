"""Random shots in closed rooms with walls of 5 cm or of lines: does one pass, or stand still?

    python -m tests.fuzz.shots FIRST COUNT [--solver auto|iterative|direct] [--wall KIND]

Rooms are of boxes, segments, polylines and arcs, fixed, turning or loose; shots are of every shape,
20 to 2000 m/s, spinning.
"""

import argparse
import math
import sys
from dataclasses import dataclass

import numpy as np

from engine2d import Box, Path, Segment, World
from engine2d.collide.distance import distance
from tests.fuzz import room_shapes

HALF, THICK = 3.0, 0.05  # m
STEPS = 24
# Share of its way in a step, below which a shot that is fast stands; m/s, that it is fast.
STOOD, FAST = 1e-3, 5.0


def lens(rng, size, **material):
    bulges = rng.uniform(0.15, 0.6, 2).tolist()
    return (Path([(-size / 2, 0.0), (size / 2, 0.0)], bulges, **material),)


def crescent(rng, size, **material):
    outer = rng.uniform(0.4, 0.9)
    return (Path([(-0.4 * size, 0.0), (0.4 * size, 0.0)], [outer, -0.5 * outer], **material),)


SHAPES = (*room_shapes.RICH, lens, lens, crescent)


def box_walls(rng, **material):
    far, wide = HALF + THICK / 2, 2 * (HALF + THICK)
    return [
        Box(wide, THICK, (0.0, -far), **material),
        Box(wide, THICK, (0.0, far), **material),
        Box(THICK, 2 * HALF, (-far, 0.0), **material),
        Box(THICK, 2 * HALF, (far, 0.0), **material),
    ]


def ring_points(rng, n):
    return room_shapes.ring(np.full(n, HALF) * rng.uniform(0.9, 1.0, n), rng.uniform(0, 6))


def segments(rng, **material):
    points = ring_points(rng, int(rng.integers(3, 12)))
    return [Segment(a, b, **material) for a, b in zip(points, points[1:] + points[:1], strict=True)]


def in_two(points, bends, **material):
    """A closed run of edges as two open paths that share their ends."""
    n, half = len(points), len(points) // 2
    runs = [range(half + 1), range(half, n + 1)]
    return [
        Path(
            [points[k % n] for k in run],
            [bends[k % n] for k in run][:-1],
            closed=False,
            **material,
        )
        for run in runs
    ]


def polyline(rng, **material):
    n = int(rng.integers(3, 12))
    return in_two(ring_points(rng, n), [0.0] * n, **material)


def open_arcs(rng, **material):
    """Open paths of arcs, inwards and outwards."""
    n = int(rng.integers(3, 9))
    return in_two(ring_points(rng, n), rng.uniform(-0.35, 0.45, n).tolist(), **material)


def ring(rng, **material):
    """Two half rings of arcs, 5 cm thick."""
    out = []
    for s in (1.0, -1.0):
        far = s * (HALF + THICK)
        points = [(far, 0.0), (-far, 0.0), (-s * HALF, 0.0), (s * HALF, 0.0)]
        out.append(Path(points, [1.0, 0.0, -1.0, 0.0], **material))
    return out


def meeting(rng, **material):
    """One open path whose ends all but meet."""
    n = int(rng.integers(3, 10))
    points = ring_points(rng, n)
    x, y = points[0]
    bends = rng.uniform(-0.3, 0.4, n).tolist() if rng.integers(2) else [0.0] * n
    end = (x + float(rng.choice([1e-9, 1e-6, 1e-3])), y)
    return [Path([*points, end], bends, closed=False, **material)]


WALLS = {"boxes": box_walls, "segments": segments, "polyline": polyline, "arcs": open_arcs}
WALLS |= {"ring": ring}
SOLID = ("boxes", "ring")
KINDS = [*(f"{how}-{wall}" for how in ("fixed", "turning") for wall in WALLS)]
KINDS += [f"loose-{wall}" for wall in SOLID]
# new ones last: rooms are drawn by their number
WALLS["meeting"] = meeting
KINDS += ["fixed-meeting"]


@dataclass
class Shot:
    """passed: it left the room; stood: the most steps in a row in which it stood."""

    kind: str
    seed: int
    name: str = ""
    speed: float = 0.0  # m/s
    passed: int = -1  # in which step
    stood: int = 0
    gained: float = 0.0  # share of the energy, in a step, where nothing turns


def is_clear(shapes, body, pose):
    """Whether a shot begins away from the walls."""
    return all(
        distance(one, (0.0, 0.0, 0.0), other, pose).distance > 0.02
        for one in shapes
        for other in body
    )


def draw_shot(kind, seed, solver="auto"):
    """A world, its room, its shot, and the name of its shape."""
    rng = np.random.default_rng([7_000_003, KINDS.index(kind), seed])
    how, wall = kind.split("-")
    world = World(gravity=(0.0, 0.0 if how == "loose" else -9.81), solver=solver)
    material = {"friction": float(rng.choice([0.0, 0.3, 1.0]))}
    material["restitution"] = float(rng.choice([0.0, 0.3, 0.8, 1.0]))
    while True:
        try:
            shapes = WALLS[wall](rng, **material)
            break
        except ValueError:  # a path that meets itself
            pass
    if how == "loose":
        room = world.add_body(*[shape.replace(density=50.0) for shape in shapes])
    else:
        room = world.add_body(*shapes, kind="static" if how == "fixed" else "kinematic")
    if how == "turning":
        room.angular_velocity = rng.uniform(-12, 12)
        room.velocity = tuple((rng.uniform(-2, 2, 2)).tolist())
    speed = 20 * 100 ** rng.uniform(0, 1)
    way = rng.uniform(0, 2 * math.pi)
    which = SHAPES[rng.integers(len(SHAPES))]
    size = 0.5 * 2 ** rng.uniform(-1, 1)
    friction = float(rng.choice([0.0, 0.3, 1.0]))
    bounce = float(rng.choice([0.0, 0.5, 0.9]))
    while True:
        try:
            body = which(rng, size, friction=friction, restitution=bounce)
            break
        except ValueError:
            pass
    angle = float(rng.uniform(0, 6))
    while True:
        place = tuple(rng.uniform(-0.8, 0.8, 2).tolist())
        if is_clear(shapes, body, (*place, angle)):
            break
    shot = world.add_body(
        *body,
        position=place,
        angle=angle,
        velocity=(speed * math.cos(way), speed * math.sin(way)),
        angular_velocity=float(rng.uniform(-60, 60)),
    )
    return world, room, shot, which.__name__


def is_outside(room, shot):
    x, y = (shot.center[k] - room.position[k] for k in range(2))
    c, s = math.cos(room.angle), math.sin(room.angle)
    x, y = c * x + s * y, c * y - s * x
    return max(abs(x), abs(y)) > 1.25 * HALF


def fly(kind, seed, solver="auto", dt=1 / 60):
    world, room, shot, name = draw_shot(kind, seed, solver)
    result = Shot(kind, seed, name, math.hypot(*shot.velocity))
    standing = 0
    energy = first = world.energy.total
    for step in range(STEPS):
        x, y = shot.center
        angle, w = shot.angle, shot.angular_velocity
        speed = math.hypot(*shot.velocity)
        world.step(dt)
        gain = (world.energy.total - energy) / first
        energy = world.energy.total
        if room.kind != "kinematic":
            result.gained = max(result.gained, gain)
        went = math.hypot(shot.center[0] - x, shot.center[1] - y)
        stands = speed > FAST and went < STOOD * speed * dt
        if stands and abs(shot.angle - angle) >= STOOD * abs(w) * dt > 0.0:
            stands = False
        standing = standing + 1 if stands else 0
        result.stood = max(result.stood, standing)
        if is_outside(room, shot):
            result.passed = step
            break
    return result


def main(argv=None):
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.shots", description=__doc__)
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--solver", default="auto", choices=["auto", "iterative", "direct"])
    parser.add_argument("--wall", default="all", help="one of " + ", ".join(KINDS))
    given = parser.parse_args(argv)
    failed = 0
    for kind in KINDS if given.wall == "all" else given.wall.split(","):
        results = [
            fly(kind, seed, given.solver) for seed in range(given.first, given.first + given.count)
        ]
        bad = [r for r in results if r.passed >= 0 or r.stood > 1 or r.gained > 1e-3]
        failed += len(bad)
        print(
            f"{kind:16s} {given.solver} {len(results)} shots: passed "
            f"{sum(r.passed >= 0 for r in results)}, stood {sum(r.stood > 1 for r in results)}, "
            f"gained {max(r.gained for r in results):.2g}"
        )
        for r in bad:
            print(
                f"  seed {r.seed} {r.name} {r.speed:.0f} m/s: passed {r.passed}, "
                f"stood {r.stood}, gained {r.gained:.2g}"
            )
        sys.stdout.flush()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
