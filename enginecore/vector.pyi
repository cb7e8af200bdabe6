from typing import Any, TypeAlias

from typing_extensions import Self, TypeVarTuple, Unpack

_Components = TypeVarTuple("_Components")
_Numbers: TypeAlias = tuple[Any, ...] | list[Any]

class Vector(tuple[Unpack[_Components]]):
    """What Vec2 and Vec3 share. Vectors never change; sums and products are new ones."""

    __array_priority__: float
    def __add__(self, other: _Numbers) -> Self: ...
    def __radd__(self, other: _Numbers) -> Self: ...
    def __sub__(self, other: _Numbers) -> Self: ...
    def __rsub__(self, other: _Numbers) -> Self: ...
    def __mul__(self, factor: float) -> Self: ...  # type: ignore[override]
    def __rmul__(self, factor: float) -> Self: ...  # type: ignore[override]
    def __truediv__(self, divisor: float) -> Self: ...
    def __neg__(self) -> Self: ...
    def __pos__(self) -> Self: ...
    def __abs__(self) -> float: ...
    def __getnewargs__(self) -> tuple[Unpack[_Components]]: ...
    @property
    def length(self) -> float:
        """Its length: abs(v)."""
    def dot(self, other: Any) -> float:
        """Scalar product with another vector."""
    def distance_to(self, other: Any) -> float:
        """Distance from this point to another."""
    def normalized(self) -> Self:
        """The vector of length 1 in this direction; of zero length it is zero."""

def read_components(kind: type[Vector[Unpack[_Components]]], components: tuple[Any, ...]) -> Any:
    """A vector of a class from its components, or from one thing that has them."""
