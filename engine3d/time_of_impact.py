"""engine3d.collide.time_of_impact under its short name."""

from engine3d.collide.time_of_impact import distance, time_of_impact

__all__ = ["distance", "time_of_impact"]
