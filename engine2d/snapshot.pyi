from typing import Any

from engine2d.world import World

VERSION: int
"""Of what is written by pickle; a state of another layout is refused."""

class Snapshot:
    """The state of a world (World.snapshot); World.restore gives it back. Can be pickled."""

    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    @property
    def nbytes(self) -> int:
        """Bytes of the arrays it holds."""
    @property
    def time(self) -> float:
        """Simulated time when it was taken (s)."""

def take(world: World) -> Snapshot:
    """The state of a world as a Snapshot."""

def give_back(world: World, snapshot: Snapshot) -> None:
    """Bring a world back to a Snapshot."""
