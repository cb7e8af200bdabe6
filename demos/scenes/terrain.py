"""Boxes in a valley that somebody pushes about: a few contacts, another problem in every step."""

import math
from itertools import pairwise

from demos.scenes.scene import Body, Scene
from engine2d import Box, Segment

FRICTION = 0.6
PIECE = 0.8  # m, across, of the ground's edges
PUSH = (8.0, 4.0, 1.0)  # N, N, N m: the most that each box is pushed and turned with


def height(x):
    """m, of the ground at x (m): bumps in a wide valley."""
    return 0.35 * math.sin(0.9 * x) + 0.15 * math.cos(2.3 * x) + 0.02 * x * x


def terrain(count=3):
    """`count` boxes dropped on top of each other onto a path of 30 edges."""
    xs = [PIECE * (k - 15) for k in range(31)]
    points = [(x, height(x)) for x in xs]
    # what moves is on the left of the path
    edges = tuple(Segment(a, b, friction=FRICTION) for a, b in pairwise(points))
    box = Box(1.0, 0.6, friction=FRICTION)
    boxes = [
        Body((box,), position=(-1 + 0.35 * k, 2 + 0.9 * k), angle=0.1 * k) for k in range(count)
    ]
    name = f"{count} boxes on terrain"
    return Scene(name, (Body(edges, kind="static"), *boxes), sizes={"push": PUSH})
