"""A half-round arch of stones without mortar."""

import math

from demos.scenes.scene import Body, Scene
from engine2d import Box, Polygon

RADIUS = 4.0  # m, of the middle of the stones
LEAST = 0.1075  # thickness over radius below which none stands (Milankovitch 1907)


def arch(thickness=0.15, count=15):
    """Wedges side by side from the ground to the ground; thickness is a share of the radius."""
    inner, outer = RADIUS * (1.0 - 0.5 * thickness), RADIUS * (1.0 + 0.5 * thickness)
    step = math.pi / count
    stones = []
    for k in range(count):
        a, b = k * step, (k + 1) * step
        corners = [
            (r * math.cos(t), r * math.sin(t))
            for r, t in ((inner, a), (outer, a), (outer, b), (inner, b))
        ]
        middle = tuple(sum(c[i] for c in corners) / 4.0 for i in (0, 1))
        local = [(x - middle[0], y - middle[1]) for x, y in corners]
        stones.append(Body((Polygon(local, density=2000.0),), position=middle))
    ground = Body((Box(20.0, 8.0),), position=(0.0, -4.0), kind="static")
    return Scene("arch", (ground, *stones), sizes={"thickness": thickness})
