from typing import NamedTuple

from numpy.typing import ArrayLike

from engine2d.shape import Shape

class Hit(NamedTuple):
    """Where a ray meets a shape."""

    t: float
    point: tuple[float, float]
    normal: tuple[float, float]

class Nearness(NamedTuple):
    """How a point lies to a shape's boundary."""

    distance: float
    point: tuple[float, float]
    normal: tuple[float, float]

def cast_ray(shape: Shape, pose: ArrayLike, start: ArrayLike, end: ArrayLike) -> Hit | None:
    """The first Hit of the ray from start to end (m, world) with a shape at a pose, or None."""

def point_distance(shape: Shape, pose: ArrayLike, point: ArrayLike) -> Nearness:
    """How far a point (m, world) is from the boundary of a shape at a pose, as a Nearness."""
