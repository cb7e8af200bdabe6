"""engine2d.collide.ray under its short name."""

from engine2d.collide.ray import Nearness, RayEntry, cast_ray, point_distance

__all__ = ["Nearness", "RayEntry", "cast_ray", "point_distance"]
