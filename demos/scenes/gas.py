"""Discs that fly fast in a box and lose nothing: all that happens are impacts."""

import math
from random import Random

from demos.scenes.scene import Body, Scene
from engine2d import Box, Circle

HALF = 12.0  # m, of the room
WALL = 1.0  # m, thickness
RADIUS = 0.3  # m
SPACING = 2.8  # m, between the discs at the start


def gas(count=60, speed=40.0, seed=1):
    """`count` discs of a speed (m/s) in random directions, without friction and gravity."""
    random = Random(seed)
    off, wide = HALF + 0.5 * WALL, 2 * HALF + 2 * WALL
    walls = [((0, off), wide, WALL), ((0, -off), wide, WALL), ((off, 0), WALL, wide)]
    walls.append(((-off, 0), WALL, wide))
    bodies = [
        Body((Box(w, h, friction=0.0, restitution=1.0),), position=x, kind="static")
        for x, w, h in walls
    ]
    disc = Circle(RADIUS, friction=0.0, restitution=1.0)
    across = math.floor(2 * (HALF - 1.5) / SPACING) + 1
    for k in range(count):
        row, column = divmod(k, across)
        angle = random.uniform(0.0, 2 * math.pi)
        bodies.append(
            Body(
                (disc,),
                position=(1.5 - HALF + SPACING * column, 1.5 - HALF + SPACING * row),
                velocity=(speed * math.cos(angle), speed * math.sin(angle)),
            )
        )
    return Scene(f"gas of {count} discs at {speed:g} m/s", tuple(bodies), gravity=(0.0, 0.0))
