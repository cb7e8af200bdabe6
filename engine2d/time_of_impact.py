"""engine2d.collide.time_of_impact under its short name."""

from engine2d.collide.time_of_impact import (
    TimeOfImpact,
    cast_shape_at,
    search_impact,
    time_of_impact,
)

__all__ = ["TimeOfImpact", "cast_shape_at", "search_impact", "time_of_impact"]
