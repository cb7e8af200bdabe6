from typing import NamedTuple

from numpy.typing import ArrayLike

from engine2d.shape import Shape
from engine2d.vector import Vec2

class TimeOfImpact(NamedTuple):
    """When and where two moving shapes meet."""

    time: float
    point: Vec2
    normal: Vec2
    gap: float

def time_of_impact(
    shape_a: Shape,
    pose_a: ArrayLike,
    velocity_a: ArrayLike,
    shape_b: Shape,
    pose_b: ArrayLike,
    velocity_b: ArrayLike,
    duration: float = 1.0,
    *,
    tolerance: float = 1e-9,
) -> TimeOfImpact | None:
    """The first TimeOfImpact of two moving shapes within a duration (s), or None if they miss."""

def cast_shape_at(
    shape_a: Shape,
    pose_a: ArrayLike,
    way: ArrayLike,
    shape_b: Shape,
    pose_b: ArrayLike,
    *,
    tolerance: float = 1e-9,
) -> TimeOfImpact | None:
    """The first TimeOfImpact of A carried along a way (x, y) (m) while B stays, or None."""

def search_impact(
    shape_a: Shape,
    pose_a: ArrayLike,
    velocity_a: ArrayLike,
    shape_b: Shape,
    pose_b: ArrayLike,
    velocity_b: ArrayLike,
    duration: float,
    tolerance: float,
    center_a: ArrayLike = (0.0, 0.0),
    center_b: ArrayLike = (0.0, 0.0),
) -> tuple[TimeOfImpact | None, int, bool]:
    """What time_of_impact returns, how many distances it measured, whether it ended."""
