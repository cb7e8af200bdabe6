from typing import NamedTuple

from numpy.typing import ArrayLike

from engine2d.shape import Shape
from engine2d.vector import Vec2

class Distance(NamedTuple):
    """How far two shapes are apart, and where."""

    distance: float
    point_a: Vec2
    point_b: Vec2
    normal: Vec2

def distance(shape_a: Shape, pose_a: ArrayLike, shape_b: Shape, pose_b: ArrayLike) -> Distance:
    """The signed distance (m) of two shapes at poses (x, y, angle), as a Distance."""
