"""Discs in a row that touch, and one or more that come in: a cradle without strings."""

from demos.scenes.scene import Body, Scene
from engine2d import Box, Circle

RADIUS = 0.5  # m
SPEED = 2.0  # m/s
GAP = 1.0  # m, between those that come in and the row


def cradle(count=5, moving=1, half=7.0, gap=GAP):
    """`count` discs without gravity between two walls, the first `moving` of them coming in."""
    resting = count - moving
    left = -RADIUS * (resting - 1)
    discs = [Body((Circle(RADIUS),), position=(left + 2 * RADIUS * k, 0)) for k in range(resting)]
    first = left - gap - 2 * RADIUS
    coming = [
        Body((Circle(RADIUS),), position=(first - 2 * RADIUS * k, 0), velocity=(SPEED, 0))
        for k in reversed(range(moving))
    ]
    walls = tuple(Box(1.0, 4.0, center=(side * (half + 0.5), 0)) for side in (-1, 1))
    bodies = (Body(walls, kind="static"), *coming, *discs)
    return Scene("cradle", bodies, gravity=(0.0, 0.0), sizes={"moving": moving, "speed": SPEED})
