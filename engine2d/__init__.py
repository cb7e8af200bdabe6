"""A 2D rigid-body engine for games, for teaching and for research."""

from enginecore.built import require_built

require_built("engine2d", "world")

from engine2d import contact_force, impact
from engine2d.body import Body
from engine2d.body_shape import BodyShape
from engine2d.distance import distance
from engine2d.event import ContactEvent, HitEvent
from engine2d.joint import (
    AngleLimit,
    Drag,
    Gear,
    Joint,
    Motor,
    Pin,
    Pulley,
    Ratchet,
    Rod,
    Rope,
    RotarySpring,
    Slider,
    Spring,
    Weld,
    Wheel,
)
from engine2d.narrow_phase import contact_points
from engine2d.shape import Box, Capsule, Circle, Filter, Path, Polygon, Segment, Shape
from engine2d.time_of_impact import time_of_impact
from engine2d.vector import Vec2
from engine2d.world import World

__version__ = "0.1.0"

__all__ = [
    "AngleLimit",
    "Body",
    "BodyShape",
    "Box",
    "Capsule",
    "Circle",
    "ContactEvent",
    "Drag",
    "Filter",
    "Gear",
    "HitEvent",
    "Joint",
    "Motor",
    "Path",
    "Pin",
    "Polygon",
    "Pulley",
    "Ratchet",
    "Rod",
    "Rope",
    "RotarySpring",
    "Segment",
    "Shape",
    "Slider",
    "Spring",
    "Vec2",
    "Weld",
    "Wheel",
    "World",
    "__version__",
    "contact_force",
    "contact_points",
    "distance",
    "impact",
    "time_of_impact",
]
