"""A pyramid of boxes on the ground: many contacts that all bear, and none may move."""

from demos.scenes.scene import Body, Scene
from engine2d import Box

SIDE = 1.0  # m
SPACING = 1.05  # m, between the middles of neighbours: they do not touch
FRICTION = 0.6


def pyramid(base=20, spacing=SPACING):
    """Rows of base, base - 1, ... 1 boxes, each exactly on the ones below."""
    ground = Body((Box(4 * base + 40, 2, friction=FRICTION),), position=(0, -1), kind="static")
    box = Box(SIDE, SIDE, friction=FRICTION)
    boxes = [
        Body((box,), position=(spacing * (k - 0.5 * (base - 1 - row)), SIDE * (row + 0.5)))
        for row in range(base)
        for k in range(base - row)
    ]
    return Scene(f"pyramid {base}", (ground, *boxes), sizes={"stands": True})
