from typing import Any, ClassVar, Literal, overload

from numpy.typing import ArrayLike
from typing_extensions import Self

from enginecore.vector import Vector

class Vec2(Vector[float, float]):
    """A vector or a point of the plane: a tuple (x, y) of floats with arithmetic.

    v + w, v - w, s * v, v / s, -v, abs(v); wherever a vector is wanted, a tuple or a list will do.
    With numpy's arrays numpy's rules hold, and an array comes back.
    """

    __match_args__: ClassVar[tuple[Literal["x"], Literal["y"]]] = ("x", "y")
    @overload
    def __new__(cls, x: float, y: float, /) -> Self: ...
    @overload
    def __new__(cls, numbers: ArrayLike, /) -> Self: ...
    @classmethod
    def polar(cls, length: float, angle: float) -> Self:
        """The vector of a length that points at an angle (rad, anticlockwise from x)."""
    @property
    def x(self) -> float:
        """To the right."""
    @property
    def y(self) -> float:
        """Up."""
    @property
    def angle(self) -> float:
        """Where it points (rad, anticlockwise from x, -pi to pi)."""
    def cross(self, other: Any) -> float:
        """The z component of the vector product with another vector."""
    def perpendicular(self) -> Vec2:
        """This vector turned left by a right angle."""
    def rotated(self, angle: float) -> Vec2:
        """This vector turned by an angle (rad, anticlockwise)."""
