"""Scenes with hinges as data, for any engine: pendulum, chain, bridge, grid, ragdoll."""

import math

import numpy as np

from demos.scenes.scene import Body, Hinge, Scene
from engine2d import Box, Circle, Filter, Segment

APART = Filter(group=-1)
FRICTION = 0.6
HELD = 3  # columns of a grid to both sides of the middle whose first disc is static


def pendulum():
    """A rod of 1 m, released from the horizontal."""
    rod = Body((Box(1, 0.1),), position=(0.5, 0))
    return Scene("pendulum", (rod,), hinges=(Hinge(None, 0, (0, 0)),))


def chain(n=20, ratio=1000.0, link=0.5):
    """n links from the origin to the right with a ball of so many times the mass of a link."""
    box = Box(link, 0.1, filter=APART)
    bodies = [Body((box,), position=((k + 0.5) * link, 0)) for k in range(n)]
    density = ratio * box.area / (math.pi * 0.25)
    bodies.append(Body((Circle(0.5, density=density, filter=APART),), position=(n * link, 0)))
    hinges = [Hinge(k - 1 if k else None, k, (k * link, 0)) for k in range(n + 1)]
    return Scene(f"chain {n}, ball x{ratio:g}", tuple(bodies), hinges=tuple(hinges))


def arc_points(n, slack):
    """n + 1 points 1 m apart on an arc that is `slack` times as long as its span, from the origin
    down and up again, and the angle of the line between each two."""
    low, high = 1e-3, 3.0
    for _ in range(80):
        half = 0.5 * (low + high)
        low, high = (half, high) if half / math.sin(half) < slack else (low, half)
    turns = -low + 2 * low * (np.arange(n) + 0.5) / n
    steps = np.column_stack([np.cos(turns), np.sin(turns)])
    return np.vstack([[0.0, 0.0], np.cumsum(steps, axis=0)]), turns


def bridge(n=200, boxes=20, slack=1.05):
    """n planks of 1 m between two points of the world, boxes 3 m above them."""
    points, turns = arc_points(n, slack)
    plank = Box(1, 0.25, friction=FRICTION)
    bodies = [
        Body((plank,), position=tuple(points[k : k + 2].mean(axis=0).tolist()), angle=float(turn))
        for k, turn in enumerate(turns)
    ]
    for k in range(boxes):
        x, y = points[int(n * (0.3 + 0.4 * k / max(boxes - 1, 1)))].tolist()
        bodies.append(Body((Box(1, 1, friction=FRICTION),), position=(x, y + 3)))
    hinges = [
        Hinge(k - 1 if k else None, k if k < n else None, tuple(points[k].tolist()))
        for k in range(n + 1)
    ]
    return Scene(f"bridge {n}", tuple(bodies), hinges=tuple(hinges))


def grid(n=50):
    """n x n discs with a pin between each two neighbours, held by the middle of the first row: the
    joint grid of Box2D's benchmarks."""
    disc = Circle(0.4, filter=APART)
    bodies, hinges = [], []
    for i in range(n):
        for k in range(n):
            held = i == 0 and abs(k - n // 2) <= HELD
            bodies.append(Body((disc,), position=(k, -i), kind="static" if held else "dynamic"))
            if i:
                hinges.append(Hinge((i - 1) * n + k, i * n + k, (k, -i + 0.5)))
            if k and not (held and abs(k - 1 - n // 2) <= HELD):
                hinges.append(Hinge(i * n + k - 1, i * n + k, (k - 0.5, -i)))
    return Scene(f"joint grid {n} x {n}", tuple(bodies), hinges=tuple(hinges))


# Of a ragdoll: middle, width and height of its parts (m), and which two are joined where, within
# which angles (rad) to both sides.
PARTS = {
    "chest": (0, 0.3, 0.4, 0.5),
    "hips": (0, -0.1, 0.35, 0.25),
    "head": (0, 0.72, 0.25, 0.3),
    "left upper arm": (-0.37, 0.47, 0.32, 0.12),
    "left lower arm": (-0.7, 0.47, 0.32, 0.1),
    "right upper arm": (0.37, 0.47, 0.32, 0.12),
    "right lower arm": (0.7, 0.47, 0.32, 0.1),
    "left thigh": (-0.1, -0.43, 0.15, 0.4),
    "left shin": (-0.1, -0.83, 0.12, 0.4),
    "right thigh": (0.1, -0.43, 0.15, 0.4),
    "right shin": (0.1, -0.83, 0.12, 0.4),
}
JOINTS = (
    ("chest", "hips", 0, 0.03, 0.5),
    ("chest", "head", 0, 0.56, 0.6),
    ("chest", "left upper arm", -0.22, 0.47, 1.5),
    ("left upper arm", "left lower arm", -0.53, 0.47, 1.2),
    ("chest", "right upper arm", 0.22, 0.47, 1.5),
    ("right upper arm", "right lower arm", 0.53, 0.47, 1.2),
    ("hips", "left thigh", -0.1, -0.23, 1.0),
    ("left thigh", "left shin", -0.1, -0.63, 1.3),
    ("hips", "right thigh", 0.1, -0.23, 1.0),
    ("right thigh", "right shin", 0.1, -0.63, 1.3),
)


def ragdoll(x=0.0, y=3.0, angle=0.4, floor=True):
    """Eleven bodies with limits above a floor, turned as a whole."""
    c, s = math.cos(angle), math.sin(angle)

    def at(px, py):
        return x + c * px - s * py, y + s * px + c * py

    bodies = [
        Body((Box(w, h, density=20, friction=FRICTION, filter=APART),), at(px, py), angle)
        for px, py, w, h in PARTS.values()
    ]
    number = {name: k for k, name in enumerate(PARTS)}
    hinges = [Hinge(number[a], number[b], at(px, py), -most, most) for a, b, px, py, most in JOINTS]
    if floor:
        ground = Segment((-20, 0), (20, 0), friction=FRICTION)
        bodies.append(Body((ground,), kind="static"))
    return Scene("ragdoll", tuple(bodies), hinges=tuple(hinges))
