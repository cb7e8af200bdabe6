from typing import Any, NamedTuple

from engine3d.shape import Shape

class ContactPoint(NamedTuple):
    """One contact point of two shapes: point (m), normal from b into a, gap (m, < 0: overlap)."""

    point: tuple[float, float, float]
    normal: tuple[float, float, float]
    gap: float

def contact_points(
    shape_a: Shape, pose_a: Any, shape_b: Shape, pose_b: Any, margin: float = 0.0
) -> list[ContactPoint]:
    """Contact points of two shapes with a gap of at most margin (m): a list of ContactPoint.

    A pose is a position (x, y, z) or (position, orientation) of the frame a shape is given in.
    """
