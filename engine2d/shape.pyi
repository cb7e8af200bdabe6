from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self, disjoint_base

@disjoint_base
class Filter:
    """Who collides with whom.

    Two shapes of the same non-zero group always collide if it is positive and never if it is
    negative. Otherwise each one's category must have a bit in common with the other's mask.
    """

    category: int
    mask: int
    group: int
    def __init__(self, category: int = 1, mask: int = 0xFFFFFFFF, group: int = 0) -> None: ...
    def allows(self, other: Filter) -> bool:
        """Whether a shape with this filter and one with the other collide."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@disjoint_base
class Shape:
    """What all shapes share; make a Circle, Box, Polygon, Capsule, Segment or Path."""

    density: float
    """kg/m^2"""
    friction: float
    restitution: float
    sensor: bool
    filter: Filter
    closed: bool
    @property
    def points(self) -> NDArray[np.float64]:
        """Corners of the outline (n x 2, m), anticlockwise; read-only."""
    @property
    def bulges(self) -> NDArray[np.float64]:
        """tan(sweep/4) of the piece from each point to the next (n); 0: straight; read-only."""
    @property
    def area(self) -> float:
        """m^2; 0 for what encloses nothing."""
    @property
    def mass(self) -> float:
        """kg: density times area."""
    @property
    def centroid(self) -> tuple[float, float]:
        """Centre of the area (m); of the bounds for what encloses none."""
    @property
    def inertia(self) -> float:
        """Moment of inertia about the centroid (kg m^2)."""
    @property
    def bounds(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Least box with sides along the axes: ((x, y) low, (x, y) high) (m)."""
    def replace(self, **changes: Any) -> Self:
        """The same shape with some arguments changed."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@disjoint_base
class Circle(Shape):
    """A disc: radius (m) and centre (m, in the body's frame)."""

    radius: float
    @property
    def center(self) -> tuple[float, float]:
        """Centre (m)."""
    def __init__(self, radius: float, center: ArrayLike = (0.0, 0.0), **material: Any) -> None: ...

@disjoint_base
class Box(Shape):
    """A rectangle, width by height (m), its middle at center (m), turned by angle (rad).

    radius (m) rounds the corners off inside these measures.
    """

    width: float
    height: float
    angle: float
    radius: float
    @property
    def center(self) -> tuple[float, float]:
        """Middle (m)."""
    def __init__(
        self,
        width: float,
        height: float,
        center: ArrayLike = (0.0, 0.0),
        angle: float = 0.0,
        radius: float = 0.0,
        **material: Any,
    ) -> None: ...

@disjoint_base
class Polygon(Shape):
    """A polygon, convex or not, by its vertices (n x 2, m), either way round.

    radius (m) rounds its corners off, inner and outer ones, between the edges.
    """

    radius: float
    @property
    def vertices(self) -> NDArray[np.float64]:
        """Its corners before rounding (n x 2, m), anticlockwise."""
    def __init__(self, vertices: ArrayLike, radius: float = 0.0, **material: Any) -> None: ...

@disjoint_base
class _Stretched(Shape):
    """What a Capsule and a Segment share: a line from a to b, and a radius around it."""

    radius: float
    @property
    def a(self) -> tuple[float, float]:
        """One end (m)."""
    @property
    def b(self) -> tuple[float, float]:
        """The other end (m)."""

class Capsule(_Stretched):
    """All points within radius (m) of the line from a to b (m)."""

    def __init__(self, a: ArrayLike, b: ArrayLike, radius: float, **material: Any) -> None: ...

class Segment(_Stretched):
    """The line from a to b (m), for walls and floors; both sides collide.

    With radius (m) it is as thick as a Capsule; without, it has no area and no mass of its own.
    """

    def __init__(
        self, a: ArrayLike, b: ArrayLike, radius: float = 0.0, **material: Any
    ) -> None: ...

class Path(Shape):
    """A run of straight edges and circular arcs through points (n x 2, m).

    bulges: tan(sweep/4) of the piece from each point to the next, positive where it turns left, 0
    where it is straight; n of them, or n - 1 if the run is open; None: all straight. Closed (the
    default), it is a solid body, either way round; open, it is a line such as terrain.
    """

    def __init__(
        self,
        points: ArrayLike,
        bulges: ArrayLike | None = None,
        closed: bool = True,
        **material: Any,
    ) -> None: ...

def rebuild(kind: type[Shape], arguments: dict[str, Any]) -> Shape:
    """Make a shape again, for pickle and copy."""
