from typing import Any

from engine3d.shape import Shape

def distance(shape_a: Shape, pose_a: Any, shape_b: Shape, pose_b: Any) -> float:
    """The distance of two shapes (m); where they overlap, less than 0: minus the depth.

    A pose is a position (x, y, z) or (position, orientation) of the frame a shape is given in.
    """

def time_of_impact(
    shape_a: Shape,
    pose_a: Any,
    velocity_a: Any,
    shape_b: Shape,
    pose_b: Any,
    velocity_b: Any,
    duration: float,
) -> float | None:
    """When two moving shapes first touch (s), or None if they do not within the duration.

    A velocity is (v) or (v, w): of the shape's centroid (m/s), and of turning (rad/s).
    """
