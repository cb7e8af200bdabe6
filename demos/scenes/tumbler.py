"""A box that turns, with small boxes tumbling in it: nothing ever rests."""

import math

from demos.scenes.scene import Body, Scene
from engine2d import Box

SIDE = 0.5  # m, of the small boxes
SPACING = 0.55  # m, between them at the start
WALL = 1.0  # m, thickness
ROOM = 1.2  # width of the drum over that of the boxes in it
FRICTION = 0.6


def tumbler(count=400, degrees=10):
    """`count` boxes in rows in the middle of a kinematic drum that turns by so much a second."""
    columns = math.ceil(math.sqrt(count))
    half = 0.5 * ROOM * SPACING * columns
    wide, off = 2 * half + 2 * WALL, half + 0.5 * WALL
    drum = (
        Box(wide, WALL, center=(0, -off), friction=FRICTION),
        Box(wide, WALL, center=(0, off), friction=FRICTION),
        Box(WALL, 2 * half, center=(-off, 0), friction=FRICTION),
        Box(WALL, 2 * half, center=(off, 0), friction=FRICTION),
    )
    box = Box(SIDE, SIDE, friction=FRICTION)
    boxes = []
    for k in range(count):
        row, column = divmod(k, columns)
        middle = 0.5 * (columns - 1)
        boxes.append(Body((box,), position=(SPACING * (column - middle), SPACING * (row - middle))))
    frame = Body(drum, kind="kinematic", angular_velocity=math.radians(degrees))
    return Scene(f"tumbler {count} at {degrees:g} deg/s", (frame, *boxes))
