"""What a joint looks like: runs of points and dots in the world, for every renderer."""

import math
from typing import Any

# Of a spring: turns, and half its width as a share of its length.
TURNS = 8
WIDTH = 0.06

Point = tuple[float, float]
Run = list[Point]


def runs(joint: Any) -> tuple[list[Run], list[Point]]:
    """The lines of a joint and its dots (m, in the world)."""
    kind = type(joint).__name__
    a, b = joint.point_a, joint.point_b
    if kind in ("Pin", "Weld"):
        return [], [b]
    if kind == "Pulley":
        return [[a, joint.ground_a, joint.ground_b, b]], [a, b, joint.ground_a, joint.ground_b]
    if kind == "Spring":
        return [zigzag(a, b)], [a, b]
    if kind in ("Rod", "Rope", "Drag", "Slider", "Wheel"):
        return [[a, b]], [a, b]
    # angles only: from body to body
    ends = [body.center for body in (joint.body_a, joint.body_b) if body is not None]
    return ([ends] if len(ends) == 2 else []), ends


def zigzag(a: Point, b: Point) -> Run:
    """A spring from a to b."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    if math.hypot(dx, dy) == 0.0:
        return [a, b]
    out = [a]
    for k in range(2 * TURNS):
        share = 0.1 + 0.8 * (k + 0.5) / (2 * TURNS)
        side = WIDTH if k % 2 else -WIDTH
        out.append((a[0] + share * dx - side * dy, a[1] + share * dy + side * dx))
    return [*out, b]
