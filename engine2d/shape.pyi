from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self, disjoint_base

from engine2d.vector import Vec2
from enginecore.filter import Filter as Filter

@disjoint_base
class Shape:
    """What all shapes share; make a Circle, Box, Polygon, Capsule, Segment or Path.

    density (kg/m^2), friction (Coulomb's), restitution (0 to 1). rolling_resistance: a torque that
    resists rolling, at most this times the radius times the normal force. surface_velocity (m/s, in
    the body's frame): how fast the surface runs, as on a conveyor. one_way (a direction, in the
    body's frame): met from that side only, passed through from others. boost: share of the speed of
    approach that a blow gives besides, as a bumper does: its work is booked. sensor: reports
    overlaps, pushes nothing. filter: a Filter, who collides with whom; None: everything with
    everything. tag: a name or a small integer, for handlers of events.
    """

    @property
    def density(self) -> float:
        """kg/m^2"""
    @property
    def friction(self) -> float:
        """Coulomb's."""
    @property
    def restitution(self) -> float:
        """0 to 1."""
    @property
    def rolling_resistance(self) -> float:
        """Share of the radius at which the normal force resists rolling."""
    @property
    def surface_velocity(self) -> Vec2:
        """How fast its surface runs over it (m/s, body's frame): of a conveyor."""
    @property
    def one_way(self) -> Vec2 | None:
        """The side (a direction, body's frame) from which it is met; None: from all."""
    @property
    def boost(self) -> float:
        """Share of the speed of approach that a blow gives besides."""
    @property
    def sensor(self) -> bool:
        """Whether it reports overlaps and pushes nothing."""
    @property
    def filter(self) -> Filter:
        """Who it collides with."""
    @property
    def tag(self) -> int | str | None:
        """Its user's name for it."""
    @property
    def closed(self) -> bool:
        """Whether it encloses an area."""
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
    def centroid(self) -> Vec2:
        """Centre of the area (m); of the bounds for what encloses none."""
    @property
    def inertia(self) -> float:
        """Moment of inertia about the centroid (kg m^2)."""
    @property
    def bounds(self) -> tuple[Vec2, Vec2]:
        """Least box with sides along the axes: ((x, y) low, (x, y) high) (m)."""
    def _arguments(self) -> dict[str, Any]: ...
    def replace(self, **changes: Any) -> Self:
        """The same shape with some arguments changed."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@disjoint_base
class Circle(Shape):
    """A disc: radius (m) and centre (m, in the body's frame)."""

    @property
    def radius(self) -> float:
        """m"""
    @property
    def center(self) -> Vec2:
        """Centre (m)."""
    def __init__(
        self,
        radius: float,
        center: ArrayLike = (0.0, 0.0),
        *,
        density: float = 1.0,
        friction: float = 0.5,
        restitution: float = 0.0,
        rolling_resistance: float = 0.0,
        surface_velocity: ArrayLike = (0.0, 0.0),
        one_way: ArrayLike | None = None,
        boost: float = 0.0,
        sensor: bool = False,
        filter: Filter | None = None,
        tag: int | str | None = None,
    ) -> None: ...

@disjoint_base
class Box(Shape):
    """A rectangle, width by height (m), its middle at center (m), turned by angle (rad).

    radius (m) rounds the corners off inside these measures.
    """

    @property
    def width(self) -> float:
        """m"""
    @property
    def height(self) -> float:
        """m"""
    @property
    def angle(self) -> float:
        """rad"""
    @property
    def radius(self) -> float:
        """m"""
    @property
    def center(self) -> Vec2:
        """Middle (m)."""
    def __init__(
        self,
        width: float,
        height: float,
        center: ArrayLike = (0.0, 0.0),
        angle: float = 0.0,
        radius: float = 0.0,
        *,
        density: float = 1.0,
        friction: float = 0.5,
        restitution: float = 0.0,
        rolling_resistance: float = 0.0,
        surface_velocity: ArrayLike = (0.0, 0.0),
        one_way: ArrayLike | None = None,
        boost: float = 0.0,
        sensor: bool = False,
        filter: Filter | None = None,
        tag: int | str | None = None,
    ) -> None: ...

@disjoint_base
class Polygon(Shape):
    """A polygon, convex or not, by its vertices (n x 2, m), either way round.

    radius (m) rounds its corners off, inner and outer ones, between the edges.
    """

    @property
    def radius(self) -> float:
        """m"""
    @property
    def vertices(self) -> NDArray[np.float64]:
        """Its corners before rounding (n x 2, m), anticlockwise."""
    def __init__(
        self,
        vertices: ArrayLike,
        radius: float = 0.0,
        *,
        density: float = 1.0,
        friction: float = 0.5,
        restitution: float = 0.0,
        rolling_resistance: float = 0.0,
        surface_velocity: ArrayLike = (0.0, 0.0),
        one_way: ArrayLike | None = None,
        boost: float = 0.0,
        sensor: bool = False,
        filter: Filter | None = None,
        tag: int | str | None = None,
    ) -> None: ...

@disjoint_base
class _Stretched(Shape):
    """What a Capsule and a Segment share: a line from a to b, and a radius around it."""

    @property
    def radius(self) -> float:
        """m"""
    @property
    def a(self) -> Vec2:
        """One end (m)."""
    @property
    def b(self) -> Vec2:
        """The other end (m)."""

class Capsule(_Stretched):
    """All points within radius (m) of the line from a to b (m)."""

    def __init__(
        self,
        a: ArrayLike,
        b: ArrayLike,
        radius: float,
        *,
        density: float = 1.0,
        friction: float = 0.5,
        restitution: float = 0.0,
        rolling_resistance: float = 0.0,
        surface_velocity: ArrayLike = (0.0, 0.0),
        one_way: ArrayLike | None = None,
        boost: float = 0.0,
        sensor: bool = False,
        filter: Filter | None = None,
        tag: int | str | None = None,
    ) -> None: ...

class Segment(_Stretched):
    """The line from a to b (m), for walls and floors; both sides collide.

    With radius (m) it is as thick as a Capsule; without, it has no area and no mass of its own.
    """

    def __init__(
        self,
        a: ArrayLike,
        b: ArrayLike,
        radius: float = 0.0,
        *,
        density: float = 1.0,
        friction: float = 0.5,
        restitution: float = 0.0,
        rolling_resistance: float = 0.0,
        surface_velocity: ArrayLike = (0.0, 0.0),
        one_way: ArrayLike | None = None,
        boost: float = 0.0,
        sensor: bool = False,
        filter: Filter | None = None,
        tag: int | str | None = None,
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
        *,
        density: float = 1.0,
        friction: float = 0.5,
        restitution: float = 0.0,
        rolling_resistance: float = 0.0,
        surface_velocity: ArrayLike = (0.0, 0.0),
        one_way: ArrayLike | None = None,
        boost: float = 0.0,
        sensor: bool = False,
        filter: Filter | None = None,
        tag: int | str | None = None,
    ) -> None: ...

FORMS: frozenset[type[Shape]]
MATERIALS: tuple[str, ...]

def rebuild(kind: type[Shape], arguments: dict[str, Any]) -> Shape:
    """Make a shape again, for pickle and copy."""
