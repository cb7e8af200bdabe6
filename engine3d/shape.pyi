from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self, disjoint_base

from engine3d.vector import Vec3
from enginecore.filter import Filter

@disjoint_base
class Shape:
    """What all shapes share; make a Sphere, Box, Capsule, Cylinder, Polyhedron, Plane or
    HollowSphere.

    density (kg/m^3), friction (Coulomb's), restitution (0 to 1). rolling_resistance and
    spin_resistance: torques that resist rolling, and spin about the normal, at most these times the
    radius times the normal force. surface_velocity (m/s, in the body's frame): how fast the surface
    runs, as on a conveyor. one_way (a direction, in the body's frame): met from that side only,
    passed through from others. boost: share of the speed of approach that a blow gives besides, as
    a bumper does. sensor: reports overlaps, pushes nothing. filter: a Filter, who
    collides with whom; None: everything with everything. tag: a name or a small integer, for
    handlers of events.
    """

    @property
    def density(self) -> float:
        """kg/m^3"""
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
    def spin_resistance(self) -> float:
        """Share of the radius at which the normal force resists spin about the normal."""
    @property
    def surface_velocity(self) -> Vec3:
        """How fast its surface runs over it (m/s, body's frame): of a conveyor."""
    @property
    def one_way(self) -> Vec3 | None:
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
    def _arguments(self) -> dict[str, Any]: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    @property
    def volume(self) -> float:
        """m^3; 0 for a Plane or HollowSphere."""
    @property
    def mass(self) -> float:
        """kg: density times volume."""
    @property
    def centroid(self) -> Vec3:
        """Centre of the volume (m)."""
    @property
    def inertia(self) -> NDArray[np.float64]:
        """Inertia tensor about the centroid (3 x 3, kg m^2)."""
    @property
    def bounds(self) -> tuple[Vec3, Vec3]:
        """Least box along the axes: ((x, y, z) low, (x, y, z) high) (m)."""
    def replace(self, **changes: Any) -> Self:
        """The same shape with some arguments changed."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@disjoint_base
class Sphere(Shape):
    """A ball: radius (m) and centre (m, in the body's frame)."""

    @property
    def radius(self) -> float: ...
    def __init__(
        self,
        radius: float,
        center: ArrayLike = (0.0, 0.0, 0.0),
        *,
        density: float = 1.0,
        friction: float = 0.5,
        restitution: float = 0.0,
        rolling_resistance: float = 0.0,
        spin_resistance: float = 0.0,
        surface_velocity: ArrayLike = (0.0, 0.0, 0.0),
        one_way: ArrayLike | None = None,
        boost: float = 0.0,
        sensor: bool = False,
        filter: Filter | None = None,
        tag: int | str | None = None,
    ) -> None: ...
    @property
    def center(self) -> Vec3:
        """Centre (m)."""

@disjoint_base
class Box(Shape):
    """A box with sides x, y, z (m), its middle at center (m), turned by orientation (w, x, y,
    z)."""

    @property
    def x(self) -> float: ...
    @property
    def y(self) -> float: ...
    @property
    def z(self) -> float: ...
    def __init__(
        self,
        x: float,
        y: float,
        z: float,
        center: ArrayLike = (0.0, 0.0, 0.0),
        orientation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
        *,
        density: float = 1.0,
        friction: float = 0.5,
        restitution: float = 0.0,
        rolling_resistance: float = 0.0,
        spin_resistance: float = 0.0,
        surface_velocity: ArrayLike = (0.0, 0.0, 0.0),
        one_way: ArrayLike | None = None,
        boost: float = 0.0,
        sensor: bool = False,
        filter: Filter | None = None,
        tag: int | str | None = None,
    ) -> None: ...
    @property
    def center(self) -> Vec3:
        """Its middle (m)."""
    @property
    def orientation(self) -> tuple[float, float, float, float]:
        """Unit quaternion (w, x, y, z) that turns its sides."""

@disjoint_base
class Capsule(Shape):
    """All points within radius (m) of the segment from a to b (m)."""

    @property
    def radius(self) -> float: ...
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
        spin_resistance: float = 0.0,
        surface_velocity: ArrayLike = (0.0, 0.0, 0.0),
        one_way: ArrayLike | None = None,
        boost: float = 0.0,
        sensor: bool = False,
        filter: Filter | None = None,
        tag: int | str | None = None,
    ) -> None: ...
    @property
    def a(self) -> Vec3:
        """Centre of one end (m)."""
    @property
    def b(self) -> Vec3:
        """Centre of the other end (m)."""

@disjoint_base
class Cylinder(Shape):
    """A cylinder of radius and height (m) along z, its middle at center (m), turned by
    orientation."""

    @property
    def radius(self) -> float: ...
    @property
    def height(self) -> float: ...
    def __init__(
        self,
        radius: float,
        height: float,
        center: ArrayLike = (0.0, 0.0, 0.0),
        orientation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
        *,
        density: float = 1.0,
        friction: float = 0.5,
        restitution: float = 0.0,
        rolling_resistance: float = 0.0,
        spin_resistance: float = 0.0,
        surface_velocity: ArrayLike = (0.0, 0.0, 0.0),
        one_way: ArrayLike | None = None,
        boost: float = 0.0,
        sensor: bool = False,
        filter: Filter | None = None,
        tag: int | str | None = None,
    ) -> None: ...
    @property
    def center(self) -> Vec3:
        """Its middle (m)."""
    @property
    def orientation(self) -> tuple[float, float, float, float]:
        """Unit quaternion (w, x, y, z) that turns its axis from z."""

@disjoint_base
class Polyhedron(Shape):
    """The convex hull of points (n x 3, m)."""

    def __init__(
        self,
        points: ArrayLike,
        *,
        density: float = 1.0,
        friction: float = 0.5,
        restitution: float = 0.0,
        rolling_resistance: float = 0.0,
        spin_resistance: float = 0.0,
        surface_velocity: ArrayLike = (0.0, 0.0, 0.0),
        one_way: ArrayLike | None = None,
        boost: float = 0.0,
        sensor: bool = False,
        filter: Filter | None = None,
        tag: int | str | None = None,
    ) -> None: ...
    @property
    def points(self) -> NDArray[np.float64]:
        """Corners of the hull (n x 3, m); read-only."""
    @property
    def faces(self) -> list[tuple[int, ...]]:
        """Corner numbers of each face, anticlockwise as seen from outside."""

class Plane(Shape):
    """The half space below a plane: all x with normal . x <= offset (m). It has no mass."""

    def __init__(
        self,
        normal: ArrayLike,
        offset: float = 0.0,
        *,
        density: float = 1.0,
        friction: float = 0.5,
        restitution: float = 0.0,
        rolling_resistance: float = 0.0,
        spin_resistance: float = 0.0,
        surface_velocity: ArrayLike = (0.0, 0.0, 0.0),
        one_way: ArrayLike | None = None,
        boost: float = 0.0,
        sensor: bool = False,
        filter: Filter | None = None,
        tag: int | str | None = None,
    ) -> None: ...
    @property
    def normal(self) -> Vec3:
        """Unit vector out of the half space."""
    @property
    def offset(self) -> float:
        """Distance of the plane from the origin, along the normal (m)."""

@disjoint_base
class HollowSphere(Shape):
    """All of space but the inside of a sphere: a container of radius and center (m), without
    mass."""

    @property
    def radius(self) -> float: ...
    def __init__(
        self,
        radius: float,
        center: ArrayLike = (0.0, 0.0, 0.0),
        *,
        density: float = 1.0,
        friction: float = 0.5,
        restitution: float = 0.0,
        rolling_resistance: float = 0.0,
        spin_resistance: float = 0.0,
        surface_velocity: ArrayLike = (0.0, 0.0, 0.0),
        one_way: ArrayLike | None = None,
        boost: float = 0.0,
        sensor: bool = False,
        filter: Filter | None = None,
        tag: int | str | None = None,
    ) -> None: ...
    @property
    def center(self) -> Vec3:
        """Centre (m)."""

def rebuild(kind: type[Shape], arguments: dict[str, Any]) -> Shape:
    """Make a shape again, for pickle and copy."""
