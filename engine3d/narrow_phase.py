"""engine3d.collide.narrow_phase under its short name."""

from engine3d.collide.narrow_phase import ContactPoint, contact_points

__all__ = ["ContactPoint", "contact_points"]
