"""engine2d.collide.distance under its short name."""

from engine2d.collide.distance import Distance, distance

__all__ = ["Distance", "distance"]
