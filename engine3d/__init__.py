"""The same engine in three dimensions, headless."""

from engine3d import contact_force, impact

__all__ = ["contact_force", "impact"]
