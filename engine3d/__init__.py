"""The same engine in three dimensions, headless."""

from enginecore.built import require_built

require_built("engine3d", "impact")

from engine3d import contact_force, impact
from engine3d.body import Body
from engine3d.body_shape import BodyShape
from engine3d.joint import Ball, Drag, Hinge, Joint, Rod, Rope, Slider, Spring, Weld
from engine3d.narrow_phase import contact_points
from engine3d.shape import (
    Box,
    Capsule,
    Cylinder,
    HollowSphere,
    Plane,
    Polyhedron,
    Shape,
    Sphere,
)
from engine3d.time_of_impact import distance, time_of_impact
from engine3d.vector import Vec3
from engine3d.world import World
from enginecore.event import ContactEvent, HitEvent
from enginecore.filter import Filter

__version__ = "0.1.0"

__all__ = [
    "Ball",
    "Body",
    "BodyShape",
    "Box",
    "Capsule",
    "ContactEvent",
    "Cylinder",
    "Drag",
    "Filter",
    "Hinge",
    "HitEvent",
    "HollowSphere",
    "Joint",
    "Plane",
    "Polyhedron",
    "Rod",
    "Rope",
    "Shape",
    "Slider",
    "Sphere",
    "Spring",
    "Vec3",
    "Weld",
    "World",
    "__version__",
    "contact_force",
    "contact_points",
    "distance",
    "impact",
    "time_of_impact",
]
