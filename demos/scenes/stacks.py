"""Stacks of boxes side by side: many small islands."""

from demos.scenes.scene import Body, Scene
from engine2d import Box

SIDE = 1.0  # m
FRICTION = 0.6


def stacks(count=20, height=10):
    """`count` stacks of `height` boxes each, two metres apart."""
    ground = Body((Box(2 * count + 40, 2, friction=FRICTION),), position=(0, -1), kind="static")
    box = Box(SIDE, SIDE, friction=FRICTION)
    boxes = [
        Body((box,), position=(2.0 * SIDE * (k - 0.5 * (count - 1)), SIDE * (row + 0.5)))
        for k in range(count)
        for row in range(height)
    ]
    return Scene(f"{count} stacks of {height}", (ground, *boxes), sizes={"stands": True})
