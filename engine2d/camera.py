"""The camera: one transform between the world and the pixels of a view, y up."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine2d.vector import Vec2

_Array = NDArray[np.float64]


class Camera:
    """What part of the world is seen: center (m) is in the middle, scale is pixels to a metre.

    One transform, y up, for what is drawn and for the mouse. `follow` a body to keep it in the
    middle.
    """

    LEAST, MOST = 1e-6, 1e9  # px/m

    def __init__(self, size: ArrayLike, center: ArrayLike = (0.0, 0.0), scale: float = 50.0):
        self.size = size
        self.center = center
        self.scale = scale
        self.target: Any = None

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the view (px)."""
        return self._size

    @size.setter
    def size(self, value: ArrayLike) -> None:
        pair = read_pair(value, "size")
        if not (pair >= 1).all():
            raise ValueError(f"size must be at least 1 pixel each way, got {value!r}")
        self._size = int(pair[0]), int(pair[1])

    @property
    def center(self) -> Vec2:
        """The point of the world in the middle of the view (m)."""
        return Vec2(self._center)

    @center.setter
    def center(self, value: ArrayLike) -> None:
        self._center = read_pair(value, "center")

    @property
    def scale(self) -> float:
        """Pixels to a metre."""
        return self._scale

    @scale.setter
    def scale(self, value: float) -> None:
        scale = float(value)
        if not (math.isfinite(scale) and scale > 0.0):
            raise ValueError(f"scale must be finite and > 0, got {value!r}")
        self._scale = min(max(scale, self.LEAST), self.MOST)

    @property
    def bounds(self) -> tuple[_Array, _Array]:
        """The lower left and upper right corner of what is seen (m)."""
        half = 0.5 * np.array(self._size) / self._scale
        return self._center - half, self._center + half

    def to_screen(self, points: ArrayLike) -> _Array:
        """Points of the world (m; one pair, or n x 2) in pixels."""
        away = (np.asarray(points, float) - self._center) * self._scale
        return 0.5 * np.array(self._size) + away * (1.0, -1.0)

    def to_world(self, pixels: ArrayLike) -> _Array:
        """Pixels (one pair, or n x 2) as points of the world (m)."""
        away = np.asarray(pixels, float) - 0.5 * np.array(self._size)
        return self._center + away * (1.0, -1.0) / self._scale

    def pan(self, pixels: ArrayLike) -> None:
        """Drag the world along by so many pixels."""
        dx, dy = read_pair(pixels, "pixels")
        self._center = self._center + np.array([-dx, dy]) / self._scale

    def zoom(self, factor: float, at: ArrayLike | None = None) -> None:
        """Make everything larger by a factor; the point under the pixel `at` stays where it is."""
        if not (math.isfinite(factor) and factor > 0.0):
            raise ValueError(f"factor must be finite and > 0, got {factor!r}")
        pixel = 0.5 * np.array(self._size) if at is None else read_pair(at, "at")
        before = self.to_world(pixel)
        self.scale = self._scale * factor
        self._center = self._center + before - self.to_world(pixel)

    def fit(self, low: ArrayLike, high: ArrayLike, margin: float = 0.05) -> None:
        """Show the box from low to high (m), with a margin that is a share of the view."""
        a, b = read_pair(low, "low"), read_pair(high, "high")
        if not (b > a).all():
            raise ValueError(f"high must be above low both ways, got {low!r} and {high!r}")
        self._center = 0.5 * (a + b)
        self.scale = float((np.array(self._size) * (1.0 - 2.0 * margin) / (b - a)).min())

    def follow(self, body: Any) -> None:
        """Keep a body's centre in the middle; None: stay."""
        self.target = body

    def update(self) -> None:
        """Go after the body that is followed; Renderer.draw does it."""
        if self.target is not None:
            if self.target.removed:
                self.target = None
            else:
                self.center = self.target.center


def read_pair(value: ArrayLike, name: str) -> _Array:
    pair = np.array(value, float)
    if pair.shape != (2,) or not np.isfinite(pair).all():
        raise ValueError(f"{name} must be two finite numbers, got {value!r}")
    return pair
