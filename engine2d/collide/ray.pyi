from typing import NamedTuple

from numpy.typing import ArrayLike

from engine2d.shape import Shape
from engine2d.vector import Vec2

class RayEntry(NamedTuple):
    """Where a ray meets a shape."""

    t: float
    point: Vec2
    normal: Vec2

class Nearness(NamedTuple):
    """How a point lies to a shape's boundary."""

    distance: float
    point: Vec2
    normal: Vec2

def cast_ray(shape: Shape, pose: ArrayLike, start: ArrayLike, end: ArrayLike) -> RayEntry | None:
    """Where the ray from start to end (m, world) first enters a shape at a pose, or None."""

def point_distance(shape: Shape, pose: ArrayLike, point: ArrayLike) -> Nearness:
    """How far a point (m, world) is from the boundary of a shape at a pose, as a Nearness."""
