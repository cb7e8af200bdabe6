"""Random solid shapes of a given size for the rooms: convex, concave, with arcs, compound.

Each maker takes a random generator, a size (m, the diameter of a disc around it all) and the
material, and returns the shapes of one body.
"""

import math

import numpy as np

from engine2d import Box, Capsule, Circle, Path, Polygon


def ring(radii, turn=0.0):
    """Corners around the origin, one for each radius (m)."""
    angles = turn + 2 * np.pi * np.arange(len(radii)) / len(radii)
    return np.column_stack([radii * np.cos(angles), radii * np.sin(angles)]).tolist()


# ---- convex ----------------------------------------------------------------------------------


def disc(rng, size, **material):
    return (Circle(size / 2, **material),)


def box(rng, size, **material):
    slim = rng.uniform(0.15, 1.0)
    width = size / math.hypot(1.0, slim)
    return (Box(width, slim * width, **material),)


def polygon(rng, size, **material):
    n = int(rng.integers(3, 8))
    angles = 2 * np.pi * (np.arange(n) + rng.uniform(0, 0.5, n)) / n
    corners = size / 2 * np.column_stack([np.cos(angles), np.sin(angles)])
    return (Polygon(corners.tolist(), **material),)


def capsule(rng, size, **material):
    radius = size * rng.uniform(0.08, 0.2)
    half = size / 2 - radius
    return (Capsule((-half, 0.0), (half, 0.0), radius, **material),)


# ---- concave, with arcs, of several shapes ----------------------------------------------------


def star(rng, size, **material):
    n = int(rng.integers(4, 8))
    return (Polygon(ring(size / 2 * rng.uniform(0.35, 1.0, n)), **material),)


def angle_iron(rng, size, **material):
    a, t = 0.35 * size, size * rng.uniform(0.1, 0.25)
    corners = [(-a, -a), (a, -a), (a, t - a), (t - a, t - a), (t - a, a), (-a, a)]
    return (Polygon(corners, **material),)


def half_disc(rng, size, **material):
    return (Path([(-size / 2, 0.0), (size / 2, 0.0)], [1.0, 0.0], **material),)


def bowl(rng, size, **material):
    a, mouth = 0.35 * size, size * rng.uniform(0.15, 0.28)
    depth = float(rng.choice([0.3, 0.6, 1.0]))
    points = [(-a, -a), (a, -a), (a, 0.0), (mouth, 0.0), (-mouth, 0.0), (-a, 0.0)]
    return (Path(points, [0, 0, 0, -depth, 0, 0], **material),)


def sector(rng, size, **material):
    outer, inner = size / 2, size * rng.uniform(0.15, 0.35)
    sweep = rng.uniform(0.5, 5.0)
    bulge, c, s = math.tan(sweep / 4), math.cos(sweep), math.sin(sweep)
    points = [(outer, 0.0), (outer * c, outer * s), (inner * c, inner * s), (inner, 0.0)]
    return (Path(points, [bulge, 0, -bulge, 0], **material),)


def blob(rng, size, **material):
    n = int(rng.integers(3, 8))
    bends = rng.uniform(-0.4, 0.4, n) * rng.integers(0, 2, n)
    return (Path(ring(size / 2 * rng.uniform(0.45, 0.9, n)), bends.tolist(), **material),)


def dumbbell(rng, size, **material):
    radius, half = size * rng.uniform(0.1, 0.2), 0.3 * size
    bar = Box(2 * half, radius * rng.uniform(0.4, 1.2), **material)
    ends = [Circle(radius, (x, 0.0), **material) for x in (-half, half)]
    return (bar, *ends)


def cross(rng, size, **material):
    thick = size * rng.uniform(0.08, 0.2)
    return (Box(0.95 * size, thick, **material), Box(thick, 0.95 * size, **material))


def hammer(rng, size, **material):
    head = Box(0.3 * size, 0.6 * size, (0.3 * size, 0.0), **material)
    return (Capsule((-0.4 * size, 0.0), (0.25 * size, 0.0), 0.06 * size, **material), head)


CONVEX = (disc, box, polygon, capsule)
RICH = (*CONVEX, star, angle_iron, half_disc, bowl, sector, blob, dumbbell, cross, hammer)


def make(rng, kinds, size, **material):
    """The shapes of one body; outlines that meet themselves are drawn again."""
    while True:
        try:
            return kinds[rng.integers(len(kinds))](rng, size, **material)
        except ValueError:
            pass
