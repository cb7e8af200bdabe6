"""The same engine in three dimensions, headless."""

from enginecore.built import require_built

require_built("engine3d", "impact")

from engine3d import contact_force, impact
from engine3d.body import Body
from engine3d.narrow_phase import collide
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
from enginecore.filter import Filter

__all__ = [
    "Body",
    "Box",
    "Capsule",
    "Cylinder",
    "Filter",
    "HollowSphere",
    "Plane",
    "Polyhedron",
    "Shape",
    "Sphere",
    "Vec3",
    "World",
    "collide",
    "contact_force",
    "distance",
    "impact",
    "time_of_impact",
]
