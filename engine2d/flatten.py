"""Outlines as chains of short lines, for those who draw: arcs as finely as the eye asks."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine2d.shape import Shape

_Array = NDArray[np.float64]

FLAT = 0.2  # px: how far a drawn chord may be from its arc
MOST_CHORDS = 4096  # to an arc: enough for a radius of a million pixels


def flatten(shape: Shape, scale: float) -> _Array:
    """Points (n x 2, m) along a shape's outline, at most FLAT pixels from it at `scale` px/m."""
    points, bulges = shape.points, shape.bulges
    if not bulges.any():
        return np.array(points)
    n = len(points)
    out = []
    for i in range(n if shape.closed else n - 1):
        out.append(flatten_piece(points[i], points[(i + 1) % n], float(bulges[i]), scale))
    if not shape.closed:
        out.append(points[-1:])
    return np.concatenate(out)


def flatten_piece(start: _Array, end: _Array, bulge: float, scale: float) -> _Array:
    """Points along an arc, its start but not its end."""
    if bulge == 0.0:
        return start[None]
    sweep = 4.0 * math.atan(bulge)
    chord = end - start
    # from the middle of the chord to the centre, to the left
    rise = np.array([-chord[1], chord[0]]) * (1.0 - bulge * bulge) / (4.0 * bulge)
    centre = 0.5 * (start + end) + rise
    arm = start - centre
    radius = float(np.hypot(*arm))
    step = 2.0 * math.acos(max(1.0 - FLAT / max(radius * scale, FLAT), 0.0))
    # two to a half turn however small: the outline of a body has an inside
    least = math.ceil(abs(sweep) / (0.5 * math.pi + 1e-9))
    count = min(max(math.ceil(abs(sweep) / step), least), MOST_CHORDS)
    angles = np.linspace(0.0, sweep, count, endpoint=False)
    c, s = np.cos(angles), np.sin(angles)
    return centre + np.stack([c * arm[0] - s * arm[1], s * arm[0] + c * arm[1]], axis=1)


def cut_off(points: list, low: float, right: float, bottom: float, closed: bool) -> list[list]:
    """The runs of an outline (px) inside the box from (low, low) to (right, bottom)."""
    if not closed:
        pieces = (cut_line(a, b, low, right, bottom) for a, b in pairwise(points))
        return [piece for piece in pieces if piece]
    for axis, limit, sign in ((0, low, 1), (0, right, -1), (1, low, 1), (1, bottom, -1)):
        kept: list = []
        for a, b in zip([points[-1], *points[:-1]], points):
            da, db = sign * (a[axis] - limit), sign * (b[axis] - limit)
            if (da < 0.0) != (db < 0.0):
                t = da / (da - db)
                kept.append([a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])])
            if db >= 0.0:
                kept.append(b)
        points = kept
        if len(points) < 3:
            return []
    return [points]


def cut_line(a: Any, b: Any, low: float, right: float, bottom: float) -> list | None:
    """The part of a line (px) inside the box from (low, low) to (right, bottom), or None."""
    first, last = 0.0, 1.0
    for axis, high in ((0, right), (1, bottom)):
        way = b[axis] - a[axis]
        for gap, rate in ((a[axis] - low, way), (high - a[axis], -way)):
            if rate == 0.0:
                if gap < 0.0:
                    return None
            elif rate > 0.0:
                first = max(first, -gap / rate)
            else:
                last = min(last, -gap / rate)
    if first > last:
        return None
    return [[a[k] + t * (b[k] - a[k]) for k in (0, 1)] for t in (first, last)]
