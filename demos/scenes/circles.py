"""Discs that fall into a U and come to rest as a heap."""

import math

from demos.scenes.scene import Body, Scene
from engine2d import Box, Circle

RADIUS = 0.25  # m
SPACING = 0.55  # m, between neighbours at the start
WALL = 1.0  # m, thickness
FRICTION = 0.6


def circles(count=2000):
    """Discs in rows, every other row half a space to the side, above a floor between two walls."""
    columns = max(4, round(math.sqrt(count)))
    rows = -(-count // columns)
    half = 0.5 * SPACING * (columns + 0.5)
    tall = SPACING * rows + 4.0
    walls = (
        Box(2 * half + 2 * WALL, WALL, center=(0, -0.5 * WALL), friction=FRICTION),
        Box(WALL, tall, center=(-half - 0.5 * WALL, 0.5 * tall), friction=FRICTION),
        Box(WALL, tall, center=(half + 0.5 * WALL, 0.5 * tall), friction=FRICTION),
    )
    disc = Circle(RADIUS, friction=FRICTION)
    discs = []
    for k in range(count):
        row, column = divmod(k, columns)
        x = SPACING * (column + 0.5 * (row % 2) + 0.5) - half
        discs.append(Body((disc,), position=(x, RADIUS + 0.05 + SPACING * row)))
    inside = ((-half, 0.0), (half, tall))
    return Scene(f"circles {count}", (Body(walls, kind="static"), *discs), sizes={"inside": inside})
