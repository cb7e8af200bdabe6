"""Random kinematic presses without room: is something thrown, or driven out of its room?

    python -m tests.fuzz.presses FIRST COUNT [--solver auto|iterative|direct]

Bodies of every shape come to rest in a shaft; a press, from above or from a side, comes down on
them, stops where there is no room left, and goes back.
"""

import argparse
import math
import sys
from dataclasses import dataclass

import numpy as np

from engine2d import Box, World
from tests.fuzz import room_shapes

HALF = 1.0  # m, half the shaft
SETTLE, PRESS = 240, 200  # steps
DT = 1 / 60  # s
# Times the press's speed, besides what falling gives: nothing is faster.
MOST = 2.0


@dataclass
class Squeeze:
    seed: int
    speed: float = 0.0  # m/s, of the press
    thrown: float = 0.0  # the greatest speed (m/s), without what falling gives, over that
    left: int = -1  # in which step something was out of the room


def shaft(world):
    for x, y, width, height in ((0, -1, 6, 2), (-2, 5, 2, 14), (2, 5, 2, 14)):
        world.add_static(Box(width, height), position=(x, y))


def fill(world, rng):
    """Bodies one above the other, of one size or of several."""
    n, size = int(rng.integers(2, 14)), rng.uniform(0.25, 0.7)
    same = rng.random() < 0.5
    which = room_shapes.RICH[rng.integers(len(room_shapes.RICH))]
    y, bodies = 0.0, []
    while len(bodies) < n:
        maker = which if same else room_shapes.RICH[rng.integers(len(room_shapes.RICH))]
        wide = size if same else size * rng.uniform(0.5, 1.0)
        friction = float(rng.choice([0.0, 0.5]))
        try:
            shapes = maker(rng, wide, friction=friction)
        except ValueError:  # a path that meets itself
            continue
        y += wide
        place = (rng.uniform(wide / 2 - HALF, HALF - wide / 2), y - wide / 2)
        bodies.append(world.add_body(*shapes, position=place, angle=rng.uniform(0, 6)))
    return bodies


def add_press(world, rng, bodies, speed):
    """From above, or as a wide plate from a side; where it is, where it stops."""
    top = max(body.center[1] for body in bodies) + 0.75  # no body reaches farther
    if rng.random() < 0.7:
        press = world.add_kinematic(Box(1.9, 1.0), position=(0, top + 0.5), velocity=(0, -speed))
        return press, 1, rng.uniform(0.05, 0.6) * top + 0.5
    press = world.add_kinematic(Box(2.0, 12.0), position=(2.0, 6.01), velocity=(-speed, 0))
    return press, 0, 1.0 - HALF + rng.uniform(0.02, 0.5)


def is_outside(body):
    x, y = body.center
    return abs(x) > HALF or y < 0.0


def squeeze(seed, solver="auto"):
    rng = np.random.default_rng([8_000_009, seed])
    world = World(solver=solver)
    shaft(world)
    bodies = fill(world, rng)
    for _ in range(SETTLE):
        world.step(DT)
    speed = float(rng.choice([0.5, 1.0, 3.0, 10.0]))
    press, axis, stop = add_press(world, rng, bodies, speed)
    result = Squeeze(seed, speed)
    height = max(body.center[1] for body in bodies) + 0.1
    for step in range(PRESS):
        world.step(DT)
        if press.position[axis] < stop:
            press.velocity = (0, 0)
        if step == PRESS * 3 // 4:
            press.velocity = (speed, 0) if axis == 0 else (0, speed)
        for body in bodies:
            falling = math.sqrt(max(0.0, 2 * 9.81 * (height - body.center[1])))
            fast = math.hypot(*body.velocity) - falling
            if axis == 1:  # what a side squeezes may well go up faster
                result.thrown = max(result.thrown, fast / speed)
        if result.left < 0 and any(is_outside(body) for body in bodies):
            result.left = step
    return result


def main(argv=None):
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.presses", description=__doc__)
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--solver", default="auto", choices=["auto", "iterative", "direct"])
    given = parser.parse_args(argv)
    results = [squeeze(k, given.solver) for k in range(given.first, given.first + given.count)]
    bad = [r for r in results if r.left >= 0 or r.thrown > MOST]
    print(
        f"{given.solver} {len(results)} presses: left {sum(r.left >= 0 for r in results)}, "
        f"thrown {sum(r.thrown > MOST for r in results)}, worst "
        f"{max(r.thrown for r in results):.3g}"
    )
    for r in bad:
        print(f"  seed {r.seed} {r.speed} m/s: left {r.left}, thrown {r.thrown:.3g}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
