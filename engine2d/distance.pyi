from typing import NamedTuple

from numpy.typing import ArrayLike

from engine2d.shape import Shape

class Distance(NamedTuple):
    """How far two shapes are apart, and where."""

    distance: float
    point_a: tuple[float, float]
    point_b: tuple[float, float]
    normal: tuple[float, float]

def distance(shape_a: Shape, pose_a: ArrayLike, shape_b: Shape, pose_b: ArrayLike) -> Distance:
    """The signed distance (m) of two shapes at poses (x, y, angle), as a Distance."""
