from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self, disjoint_base

from enginecore.filter import Filter

@disjoint_base
class Shape:
    """What all shapes share; make a Sphere, Box, Capsule, Cylinder, Polyhedron, Plane or
    HollowSphere."""

    density: float
    """kg/m^3"""
    friction: float
    restitution: float
    rolling: float
    """m, lever arm of the resistance to rolling."""
    spinning: float
    """m, lever arm of the resistance to spin about the normal."""
    sensor: bool
    filter: Filter
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    @property
    def volume(self) -> float:
        """m^3; 0 for a Plane or HollowSphere."""
    @property
    def mass(self) -> float:
        """kg: density times volume."""
    @property
    def centroid(self) -> tuple[float, float, float]:
        """Centre of the volume (m)."""
    @property
    def inertia(self) -> NDArray[np.float64]:
        """Inertia tensor about the centroid (3 x 3, kg m^2)."""
    @property
    def bounds(self) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
        """Least box along the axes: ((x, y, z) low, (x, y, z) high) (m)."""
    def replace(self, **changes: Any) -> Self:
        """The same shape with some arguments changed."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@disjoint_base
class Sphere(Shape):
    """A ball: radius (m) and centre (m, in the body's frame)."""

    radius: float
    def __init__(
        self, radius: float, center: ArrayLike = (0.0, 0.0, 0.0), **material: Any
    ) -> None: ...
    @property
    def center(self) -> tuple[float, float, float]:
        """Centre (m)."""

@disjoint_base
class Box(Shape):
    """A box with sides x, y, z (m), its middle at center (m), turned by orientation (w, x, y,
    z)."""

    x: float
    y: float
    z: float
    def __init__(
        self,
        x: float,
        y: float,
        z: float,
        center: ArrayLike = (0.0, 0.0, 0.0),
        orientation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
        **material: Any,
    ) -> None: ...
    @property
    def center(self) -> tuple[float, float, float]:
        """Its middle (m)."""
    @property
    def orientation(self) -> tuple[float, float, float, float]:
        """Unit quaternion (w, x, y, z) that turns its sides."""

@disjoint_base
class Capsule(Shape):
    """All points within radius (m) of the segment from a to b (m)."""

    radius: float
    def __init__(self, a: ArrayLike, b: ArrayLike, radius: float, **material: Any) -> None: ...
    @property
    def a(self) -> tuple[float, float, float]:
        """Centre of one end (m)."""
    @property
    def b(self) -> tuple[float, float, float]:
        """Centre of the other end (m)."""

@disjoint_base
class Cylinder(Shape):
    """A cylinder of radius and height (m) along z, its middle at center (m), turned by
    orientation."""

    radius: float
    height: float
    def __init__(
        self,
        radius: float,
        height: float,
        center: ArrayLike = (0.0, 0.0, 0.0),
        orientation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
        **material: Any,
    ) -> None: ...
    @property
    def center(self) -> tuple[float, float, float]:
        """Its middle (m)."""
    @property
    def orientation(self) -> tuple[float, float, float, float]:
        """Unit quaternion (w, x, y, z) that turns its axis from z."""

@disjoint_base
class Polyhedron(Shape):
    """The convex hull of points (n x 3, m)."""

    def __init__(self, points: ArrayLike, **material: Any) -> None: ...
    @property
    def points(self) -> NDArray[np.float64]:
        """Corners of the hull (n x 3, m); read-only."""
    @property
    def faces(self) -> list[tuple[int, ...]]:
        """Corner numbers of each face, anticlockwise as seen from outside."""

class Plane(Shape):
    """The half space below a plane: all x with normal . x <= offset (m). It has no mass."""

    def __init__(self, normal: ArrayLike, offset: float = 0.0, **material: Any) -> None: ...
    @property
    def normal(self) -> tuple[float, float, float]:
        """Unit vector out of the half space."""
    @property
    def offset(self) -> float:
        """Distance of the plane from the origin, along the normal (m)."""

@disjoint_base
class HollowSphere(Shape):
    """All of space but the inside of a sphere: a container of radius and center (m), without
    mass."""

    radius: float
    def __init__(
        self, radius: float, center: ArrayLike = (0.0, 0.0, 0.0), **material: Any
    ) -> None: ...
    @property
    def center(self) -> tuple[float, float, float]:
        """Centre (m)."""

def rebuild(kind: type[Shape], arguments: dict[str, Any]) -> Shape:
    """Make a shape again, for pickle and copy."""
