"""Shapes of every kind, their boundaries as points, and shapely's view of them."""

import numpy as np
import shapely

from engine2d import Box, Capsule, Circle, Path, Polygon, Segment

QUARTER = np.tan(np.pi / 8)  # bulge of a quarter turn

SOLIDS = {
    "disc": Circle(0.7, center=(0.2, -0.1)),
    "box": Box(2.0, 1.0),
    "round box": Box(1.5, 1.0, angle=0.3, radius=0.2),
    "pentagon": Polygon([(-1, -0.5), (0.5, -0.8), (1.1, 0.1), (0.3, 0.9), (-0.8, 0.6)]),
    "round triangle": Polygon([(-1, -0.6), (1, -0.6), (0, 0.9)], radius=0.15),
    "capsule": Capsule((-0.7, -0.2), (0.6, 0.3), 0.25),
    "L": Polygon([(-1, -1), (1, -1), (1, -0.4), (-0.3, -0.4), (-0.3, 0.8), (-1, 0.8)]),
    "round L": Polygon(
        [(-1, -1), (1, -1), (1, -0.4), (-0.3, -0.4), (-0.3, 0.8), (-1, 0.8)], radius=0.1
    ),
    "half disc": Path([(-1, 0), (1, 0)], [0, 1]),
    "cam": Path([(-0.4, 0.3), (-0.2, -0.6), (0.9, -0.1), (0.5, 0.5)], [0.5, 0.2, 0.6, 0.1]),
    "bowl": Path([(-1, 0), (-0.8, 0), (0.8, 0), (1, 0)], [0, 1, 0, -1]),
    "slot": Path(
        [(-1, -0.5), (1, -0.5), (1, 0.5), (0.4, 0.5), (-0.4, 0.5), (-1, 0.5)], [0, 0, 0, -0.8, 0, 0]
    ),
    "star": Polygon(
        [
            (r * np.cos(k * np.pi / 20), r * np.sin(k * np.pi / 20))
            for k in range(40)
            for r in [1.0 if k % 2 else 0.6]
        ]
    ),
}
LINES = {
    "segment": Segment((-0.9, -0.1), (0.8, 0.3)),
    "terrain": Path(
        [(-2, 0), (-1, 0.1), (0, 0.1), (0.7, -0.2), (1.2, 0.3), (2, 0.3)],
        [0, 0.3, 0, -0.5, 0],
        closed=False,
    ),
    "open bowl": Path([(-1, 0.2), (1, 0.2)], [0.8], closed=False),
}
SHAPES = {**SOLIDS, **LINES}


def turned(angle, points):
    c, s = np.cos(angle), np.sin(angle)
    return np.asarray(points) @ np.array([[c, s], [-s, c]])


def placed(pose, points):
    """Points of a shape's frame in the world."""
    return turned(pose[2], points) + np.array(pose[:2])


def boundary_points(shape, shares):
    """Points of the boundary, at these shares (0 to 1) of each of its pieces."""
    p = shape.points
    q = np.roll(p, -1, axis=0)
    b = shape.bulges
    if not shape.closed:
        p, q, b = p[:-1], q[:-1], b[:-1]
    out = []
    for start, end, bulge in zip(p, q, b):
        # By the angle at the start between the chord and the way to the point.
        sweep = 4 * np.arctan(bulge)
        chord = end - start
        for share in shares:
            if bulge == 0.0:
                out.append(start + share * chord)
                continue
            ratio = np.sin(share * sweep / 2) / np.sin(sweep / 2)
            out.append(start + ratio * turned((share - 1) * sweep / 2, [chord])[0])
    return np.array(out)


def as_shapely(shape, pose, per_piece=256):
    """A fine polygon or line; arcs of radius r are off by r (sweep/per_piece)^2/8."""
    points = boundary_points(shape, np.arange(per_piece) / per_piece)
    if shape.closed:
        return shapely.Polygon(placed(pose, points))
    return shapely.LineString(placed(pose, np.vstack([points, shape.points[-1:]])))
