"""Contact points: nanoseconds per pair, by kind of shapes.

    python -m benchmarks narrow_phase

The loop over pairs runs in the engine without Python. Two shapes stay where they are, so that the
witness of the last call helps as it does for bodies at rest or in steady motion; "from nothing" is
without it. Kinds take turns; medians of the rounds.
"""

import math

import numpy as np

from benchmarks.timing import take_turns
from engine2d import Box, Capsule, Circle, Path, Polygon
from engine2d.collide.narrow_phase import _repeat, contact_points

TITLE = "Narrow phase"
MARGIN = 0.02  # m, of shapes about 1 m large
BUDGET = 0.01  # s, about, that a kind's loop should take each round
FIRST = 200  # pairs, to find out how many that is
HERE = (0.0, 0.0, 0.0)


def gear(n, radius=0.5):
    """A regular polygon."""
    angles = 2 * np.pi * (np.arange(n) + 0.5) / n
    return Polygon(radius * np.column_stack([np.cos(angles), np.sin(angles)]))


def bowl():
    """A block with a half disc of radius 1 taken out of its top, at the origin."""
    points = [(-1.5, -1.5), (1.5, -1.5), (1.5, 0), (1, 0), (-1, 0), (-1.5, 0)]
    return Path(points, [0, 0, 0, -1, 0, 0])


def step():
    """A concave polygon: an L whose inner corner is at the origin."""
    return Polygon([(-1, -1), (2, -1), (2, 0), (0, 0), (0, 2), (-1, 2)])


def terrain(n=1000):
    """An open path of n edges over gentle hills, 0.5 m each."""
    x = 0.5 * (np.arange(n + 1) - n / 2)
    return Path(np.column_stack([x, 0.3 * np.sin(0.7 * x)]), closed=False)


def pairs():
    """name -> (A, pose of A, B, pose of B): B at the origin, A on top of it."""
    disc, box, smooth = Circle(0.5), Box(1, 1), Box(1, 1, radius=0.1)
    pill = Capsule((-0.5, 0), (0.5, 0), 0.25)
    tilt = 0.2
    stand = 0.5 + 0.5 * (math.cos(tilt) + math.sin(tilt))  # centre of a tilted box on another
    ring = math.cos(math.pi / 8)  # height of a regular octagon of radius 0.5, flat on another
    return {
        "disc, disc": (disc, (0.0, 0.99, 0.0), disc, HERE),
        "disc, disc, apart": (disc, (0.8, 0.8, 0.0), disc, HERE),
        "disc on box": (disc, (0.2, 0.99, 0.0), box, HERE),
        "disc on a box's corner": (disc, (0.84, 0.84, 0.0), box, HERE),
        "box flat on box": (box, (0.3, 0.99, 0.0), box, HERE),
        "box tilted on box": (box, (0.0, stand - 0.01, tilt), box, HERE),
        "box, box, apart": (box, (0.3, 1.1, 0.1), box, HERE),
        "capsule flat on box": (pill, (0.1, 0.74, 0.0), box, HERE),
        "octagon flat on octagon": (gear(8), (0.0, ring - 0.01, 0.0), gear(8), HERE),
        "rounded box on box": (smooth, (0.2, 0.99, 0.0), box, HERE),
        "disc in bowl": (disc, (0.1, -0.49, 0.0), bowl(), HERE),
        "capsule in bowl": (pill, (0.0, -0.55, 0.0), bowl(), HERE),
        "box in a concave polygon": (box, (0.49, 0.49, 0.0), step(), HERE),
        "disc on 1000 edges": (disc, (0.0, 0.5, 0.0), terrain(), HERE),
    }


def count_for_budget(pair):
    """How many times a pair fits into the budget; at least a few."""
    seconds = take_turns({"once": lambda: _repeat(*pair, MARGIN, FIRST)}, rounds=3)["once"]
    return int(FIRST * max(1.0, BUDGET / max(seconds, 1e-6)))


def rows():
    """(what, value, remark) for the table."""
    kinds = pairs()
    times = {name: count_for_budget(pair) for name, pair in kinds.items()}
    runs = {}
    for name, pair in kinds.items():
        runs[name] = lambda p=pair, n=times[name]: _repeat(*p, MARGIN, n)
        runs[f"{name} from nothing"] = lambda p=pair, n=times[name]: _repeat(*p, MARGIN, n, False)
    seconds = take_turns(runs)
    table = []
    for name, pair in kinds.items():
        points = len(contact_points(*pair, margin=MARGIN))
        kept, fresh = (
            seconds[which] / times[name] * 1e9 for which in (name, f"{name} from nothing")
        )
        remark = f"ns per pair, {points} point{'s' * (points != 1)}; {fresh:.0f} from nothing"
        table.append((name, f"{kept:.0f}", remark))
    return table


if __name__ == "__main__":
    for row in rows():
        print(*row, sep=" | ")
