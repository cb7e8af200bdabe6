"""One of each kind of shape, laid out in rows, with a name for each."""

import math

import numpy as np

from engine2d import Box, Capsule, Circle, Path, Polygon, Segment


def star(x, y, points=5, outer=1.0, inner=0.45):
    """Vertices of a star."""
    angles = np.pi / 2 + np.arange(2 * points) * np.pi / points
    radii = np.where(np.arange(2 * points) % 2, inner, outer)
    return np.column_stack([x + radii * np.cos(angles), y + radii * np.sin(angles)])


def bowl(x, y):
    """A block with a half disc taken out of its top."""
    points = [(-1, -1), (1, -1), (1, 0.4), (0.75, 0.4), (-0.75, 0.4), (-1, 0.4)]
    return Path(np.array(points) + (x, y), [0, 0, 0, -1, 0, 0])


def cam(x, y):
    """A large arc and a small one, joined by straight flanks."""
    large, small, apart = 0.65, 0.25, 1.0
    lean = math.asin((large - small) / apart)
    c, s = math.cos(lean), math.sin(lean)
    points = [(-large * c, large * s), (large * c, large * s)]
    points += [(small * c, apart + small * s), (-small * c, apart + small * s)]
    bulges = [math.tan((math.pi + 2 * lean) / 4), 0, math.tan((math.pi - 2 * lean) / 4), 0]
    return Path(np.array(points) + (x, y - 0.3), bulges)


def slotted(x, y):
    """A disc with a slot cut to its middle."""
    half, depth = 0.2, 0.1
    mouth = math.sqrt(1 - half * half)
    points = [(-half, mouth), (half, mouth), (half, -depth), (-half, -depth)]
    rim = math.tan((2 * math.pi - 2 * math.asin(half)) / 4)
    return Path(np.array(points) + (x, y), [rim, 0, -1, 0])


def hills(x, y):
    """Open terrain of arcs that run smoothly into each other."""
    points = [(-1, 0), (-0.4, 0), (0.3, 0), (1, 0)]
    return Path(np.array(points) + (x, y), [-0.5, 0.5, -0.5], closed=False)


def gallery():
    """(name, shape) of each kind, three metres apart."""
    places = [(3.0 * (i % 4), -3.0 * (i // 4)) for i in range(12)]
    makers = [
        ("Circle", lambda x, y: Circle(1, center=(x, y))),
        ("Box", lambda x, y: Box(2, 1.2, center=(x, y), angle=0.2)),
        ("Box with radius", lambda x, y: Box(2, 1.2, center=(x, y), radius=0.4)),
        ("Polygon", lambda x, y: Polygon(star(x, y))),
        ("Polygon with radius", lambda x, y: Polygon(star(x, y), radius=0.12)),
        ("Capsule", lambda x, y: Capsule((x - 0.6, y - 0.3), (x + 0.6, y + 0.3), 0.4)),
        ("Segment", lambda x, y: Segment((x - 1, y - 0.3), (x + 1, y + 0.3))),
        ("Path: half disc", lambda x, y: Path([(x - 1, y + 0.4), (x + 1, y + 0.4)], [1, 0])),
        ("Path: bowl", bowl),
        ("Path: cam", cam),
        ("Path: slotted disc", slotted),
        ("Path: open, terrain", hills),
    ]
    return [(name, make(*place)) for (name, make), place in zip(makers, places)]
