from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from engine2d.shape import Shape
from engine2d.vector import Vec2

_Pose: TypeAlias = Sequence[float] | tuple[Sequence[float], float]

class ContactPoint(NamedTuple):
    """Where two shapes touch, or nearly."""

    point: Vec2
    """m, halfway between the two surfaces"""
    normal: Vec2
    """unit, from B into A"""
    gap: float
    """m, < 0 where they overlap"""
    r1: float
    """m, signed radius of A's feature: corner 0, convex > 0, concave < 0, edge infinite"""
    r2: float
    """m, of B's"""
    id: int
    """which features touch"""

def contact_points(
    shape_a: Shape, pose_a: _Pose, shape_b: Shape, pose_b: _Pose, margin: float = 0.0
) -> list[ContactPoint]:
    """Contact points of two shapes at two poses, as far apart as margin (m), sorted by id.

    A pose is (x, y), (x, y, angle) or ((x, y), angle).
    """
