"""A 2D rigid-body engine for games, for teaching and for research."""

from engine2d import contact_force, impact
from engine2d.body import Body
from engine2d.distance import distance
from engine2d.narrow_phase import collide
from engine2d.shape import Box, Capsule, Circle, Filter, Path, Polygon, Segment, Shape
from engine2d.time_of_impact import time_of_impact
from engine2d.world import World

__all__ = [
    "Body",
    "Box",
    "Capsule",
    "Circle",
    "Filter",
    "Path",
    "Polygon",
    "Segment",
    "Shape",
    "World",
    "collide",
    "contact_force",
    "distance",
    "impact",
    "time_of_impact",
]
