"""Pairs of shapes of every family by a plain random generator: thousands in a second, always the
same for a seed."""

import math
from itertools import combinations

import numpy as np

from engine2d import Box, Capsule, Circle, Path, Polygon, Segment


def at_angle(angle, radius=1.0):
    return radius * np.array([math.cos(angle), math.sin(angle)])


def round_points(radii):
    """Points around the origin, one for each radius."""
    angles = 2 * np.pi * np.arange(len(radii)) / len(radii)
    return np.column_stack([radii * np.cos(angles), radii * np.sin(angles)])


def make_line(rng, kind, radius):
    reach, shift = at_angle(rng.uniform(0, np.pi), rng.uniform(0.1, 1)), (rng.uniform(-0.5, 0.5), 0)
    return kind(shift - reach, shift + reach, radius)


def make_polygon(rng, radius):
    n = rng.integers(3, 9)
    angles = 2 * np.pi * (np.arange(n) + rng.uniform(0, 2 / 3, n)) / n
    points = np.column_stack([np.cos(angles), rng.uniform(0.4, 1) * np.sin(angles)])
    return Polygon(points, radius=radius)


def make_bowl(rng):
    half, depth = rng.uniform(0.3, 0.9), rng.choice([0.3, 0.6, 1.0])
    points = [(-1, -0.8), (1, -0.8), (1, 0.3), (half, 0.3), (-half, 0.3), (-1, 0.3)]
    return Path(points, [0, 0, 0, -depth, 0, 0])


def make_cam(rng):
    large, apart = rng.uniform(0.4, 0.8), 1.0
    small = large * rng.uniform(0.2, 0.9)
    lean = math.asin((large - small) / apart)
    c, s = math.cos(lean), math.sin(lean)
    points = [(-large * c, large * s), (large * c, large * s)]
    points += [(small * c, apart + small * s), (-small * c, apart + small * s)]
    return Path(points, [math.tan((np.pi + 2 * lean) / 4), 0, math.tan((np.pi - 2 * lean) / 4), 0])


def make_sector(rng):
    inner, outer, sweep = rng.uniform(0.3, 0.8), rng.uniform(0.9, 1.3), rng.uniform(0.3, 5.5)
    bulge, end = math.tan(sweep / 4), at_angle(sweep)
    return Path([(outer, 0), outer * end, inner * end, (inner, 0)], [bulge, 0, -bulge, 0])


def make_slot(rng):
    half, depth = rng.uniform(0.1, 0.4), rng.uniform(-0.3, 0.3)
    mouth, rim = math.sqrt(1 - half * half), math.tan((2 * np.pi - 2 * math.asin(half)) / 4)
    points = [(-half, mouth), (half, mouth), (half, -depth), (-half, -depth)]
    return Path(points, [rim, 0, -1, 0])


def make_bends(rng, n, size):
    """Bulges: half of the pieces are straight."""
    return rng.uniform(-size, size, n) * rng.integers(0, 2, n)


def make_blob(rng):
    n = rng.integers(3, 8)
    return Path(round_points(rng.uniform(0.5, 1.2, n)), make_bends(rng, n, 0.5))


def make_terrain(rng):
    n = rng.integers(2, 7)
    points = np.column_stack([np.linspace(-1.5, 1.5, n), rng.uniform(-0.4, 0.4, n)])
    return Path(points, make_bends(rng, n - 1, 0.6), closed=False)


def make_box(rng, share):
    w, h = rng.uniform(0.2, 2, 2)
    return Box(w, h, angle=rng.uniform(-1, 1), radius=share * min(w, h))


MAKERS = {
    "circle": lambda rng: Circle(rng.uniform(0.05, 1), center=(rng.uniform(-0.5, 0.5), 0)),
    "box": lambda rng: make_box(rng, 0.0),
    "rounded box": lambda rng: make_box(rng, rng.uniform(0.05, 0.5)),
    "convex polygon": lambda rng: make_polygon(rng, 0.0),
    "rounded convex polygon": lambda rng: make_polygon(rng, 0.05),
    "concave polygon": lambda rng: Polygon(round_points(rng.uniform(0.3, 1.2, rng.integers(4, 8)))),
    "rounded concave polygon": lambda rng: Polygon(
        round_points(rng.uniform(0.3, 1.2, rng.integers(4, 8))), radius=0.02
    ),
    "capsule": lambda rng: make_line(rng, Capsule, rng.uniform(0.05, 0.5)),
    "segment": lambda rng: make_line(rng, Segment, 0.0),
    "thick segment": lambda rng: make_line(rng, Segment, rng.uniform(0.02, 0.2)),
    "half disc": lambda rng: Path(rng.uniform(0.2, 1) * np.array([(-1, 0), (1, 0)]), [1, 0]),
    "bowl": make_bowl,
    "cam": make_cam,
    "annular sector": make_sector,
    "slotted disc": make_slot,
    "blob": make_blob,
    "terrain": make_terrain,
}


def make_shape(rng, kinds=tuple(MAKERS)):
    """A shape of one of these families."""
    while True:
        try:
            return MAKERS[kinds[rng.integers(len(kinds))]](rng)
        except ValueError:  # it meets itself
            pass


def make_pose(rng, size):
    return (*rng.uniform(-size, size, 2), rng.uniform(-np.pi, np.pi))


def move(pose, way):
    """A pose moved by a complex number."""
    return (pose[0] + way.real, pose[1] + way.imag, pose[2])


def least_push(contacts, beyond=1e-7):
    """The shortest way of A (array) after which all contacts are `beyond` (m) apart, or None."""
    n = np.array([contact.normal for contact in contacts])
    d = np.array([beyond - contact.gap for contact in contacts])
    ways = list(n * d[:, None])
    for i, j in combinations(range(len(n)), 2):
        if abs(n[i, 0] * n[j, 1] - n[i, 1] * n[j, 0]) > 1e-6:
            ways.append(np.linalg.solve(n[[i, j]], d[[i, j]]))
    ways = [way for way in ways if (n @ way >= d - 1e-9).all()]
    return min(ways, key=lambda way: math.hypot(*way), default=None)
