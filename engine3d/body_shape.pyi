from typing import Any

from numpy.typing import ArrayLike

from engine3d.body import Body
from engine3d.shape import Shape
from engine3d.vector import Vec3
from enginecore.filter import Filter

class BodyShape:
    """A shape of a body: it can be changed at any time, and contacts and mass follow.

    Whatever the shape itself has can be read from it: radius, points, volume and so on. Once it is
    removed it can still be read, but not changed. `shape` is the value it stands for.
    """

    @property
    def id(self) -> int:
        """Its number in the world, free again when it is removed."""
    @property
    def generation(self) -> int:
        """Tells it from others that had the number."""
    @property
    def body(self) -> Body:
        """The body it is a shape of."""
    @property
    def removed(self) -> bool:
        """Whether it is no longer on its body."""
    @property
    def shape(self) -> Shape:
        """What it is, as a value; give it another, and contacts and mass follow."""
    @shape.setter
    def shape(self, value: Shape | BodyShape) -> None: ...
    @property
    def friction(self) -> float:
        """Coulomb's."""
    @friction.setter
    def friction(self, value: float) -> None: ...
    @property
    def restitution(self) -> float:
        """0 to 1."""
    @restitution.setter
    def restitution(self, value: float) -> None: ...
    @property
    def rolling_resistance(self) -> float:
        """Share of the radius at which the normal force resists rolling."""
    @rolling_resistance.setter
    def rolling_resistance(self, value: float) -> None: ...
    @property
    def spin_resistance(self) -> float:
        """Share of the radius at which the normal force resists spin about the normal."""
    @spin_resistance.setter
    def spin_resistance(self, value: float) -> None: ...
    @property
    def surface_velocity(self) -> Vec3:
        """How fast its surface runs over it (m/s, body's frame): of a conveyor."""
    @surface_velocity.setter
    def surface_velocity(self, value: ArrayLike) -> None: ...
    @property
    def one_way(self) -> Vec3 | None:
        """The side (a direction, body's frame) from which it is met; None: from all."""
    @one_way.setter
    def one_way(self, value: ArrayLike | None) -> None: ...
    @property
    def boost(self) -> float:
        """Share of the speed of approach that a blow gives besides."""
    @boost.setter
    def boost(self, value: float) -> None: ...
    @property
    def density(self) -> float:
        """kg/m^3; the body's mass follows, unless it was given."""
    @density.setter
    def density(self, value: float) -> None: ...
    @property
    def filter(self) -> Filter:
        """Who it collides with: a Filter."""
    @filter.setter
    def filter(self, value: Filter | None) -> None: ...
    @property
    def sensor(self) -> bool:
        """Whether it reports overlaps and pushes nothing."""
    @sensor.setter
    def sensor(self, value: bool) -> None: ...
    @property
    def tag(self) -> int | str | None:
        """Its user's name for it."""
    @tag.setter
    def tag(self, value: int | str | None) -> None: ...
    def remove(self) -> None:
        """Take it off its body, whose mass follows."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __getattr__(self, name: str) -> Any: ...
