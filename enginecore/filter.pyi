from typing_extensions import disjoint_base

@disjoint_base
class Filter:
    """Who collides with whom.

    Two shapes of the same non-zero group always collide if it is positive and never if it is
    negative. Otherwise each one's category must have a bit in common with the other's mask.
    """

    def __init__(self, category: int = 1, mask: int = 0xFFFFFFFF, group: int = 0) -> None: ...
    @property
    def category(self) -> int:
        """Bits: what a shape is."""
    @property
    def mask(self) -> int:
        """Bits: what it collides with."""
    @property
    def group(self) -> int:
        """Same group: always (> 0) or never (< 0) collide."""
    def allows(self, other: Filter) -> bool:
        """Whether a shape with this filter and one with the other collide."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
