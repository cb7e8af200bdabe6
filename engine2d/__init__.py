"""A 2D rigid-body engine for games, for teaching and for research."""

from engine2d import contact_force, impact
from engine2d.shape import Box, Capsule, Circle, Filter, Path, Polygon, Segment, Shape

__all__ = [
    "Box",
    "Capsule",
    "Circle",
    "Filter",
    "Path",
    "Polygon",
    "Segment",
    "Shape",
    "contact_force",
    "impact",
]
