from typing import Any, ClassVar, Literal, overload

from numpy.typing import ArrayLike
from typing_extensions import Self

from enginecore.vector import Vector

class Vec3(Vector[float, float, float]):
    """A vector or a point of space: a tuple (x, y, z) of floats with arithmetic.

    v + w, v - w, s * v, v / s, -v, abs(v); wherever a vector is wanted, a tuple or a list will do.
    With numpy's arrays numpy's rules hold, and an array comes back.
    """

    __match_args__: ClassVar[tuple[Literal["x"], Literal["y"], Literal["z"]]] = (
        "x",
        "y",
        "z",
    )
    @overload
    def __new__(cls, x: float, y: float, z: float, /) -> Self: ...
    @overload
    def __new__(cls, numbers: ArrayLike, /) -> Self: ...
    @property
    def x(self) -> float:
        """The first component."""
    @property
    def y(self) -> float:
        """The second component."""
    @property
    def z(self) -> float:
        """The third component: up."""
    def cross(self, other: Any) -> Vec3:
        """The vector product with another vector."""
    def rotated(self, axis: ArrayLike, angle: float) -> Vec3:
        """This vector turned about an axis by an angle (rad, right-handed)."""
