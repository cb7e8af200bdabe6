"""Discs let go above the ground, and how high they are at any time."""

import math

from demos.scenes.blocks import ground
from demos.scenes.scene import Body, Scene
from engine2d import Circle

RADIUS = 0.4  # m
HEIGHTS = (1.0, 2.0, 4.0)  # m, of the lowest points


def bounces(heights=HEIGHTS):
    """Discs side by side, let go at those heights."""
    discs = [
        Body((Circle(RADIUS),), position=(2.0 * (k - 0.5 * (len(heights) - 1)), h + RADIUS))
        for k, h in enumerate(heights)
    ]
    return Scene("bounces", (ground(), *discs), sizes={"heights": tuple(heights)})


def bounce_height(h, e, g, time):
    """Height (m) above the ground, a time (s) after something was let go at height h."""
    fall = math.sqrt(2.0 * h / g)
    if time <= fall:
        return h - 0.5 * g * time**2
    left, speed = time - fall, e * g * fall
    # each flight lasts 2 v / g, and the next is e times as fast
    while speed > 1e-9 and left > 2.0 * speed / g:
        left -= 2.0 * speed / g
        speed *= e
    return speed * left - 0.5 * g * left**2 if speed > 1e-9 else 0.0
