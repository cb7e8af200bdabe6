"""What every broad phase shares: boxes with ids, their pairs, and queries about them."""

from collections.abc import Iterable
from typing import NamedTuple, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import disjoint_base

class Stats(NamedTuple):
    """What there is, and what the last update did."""

    boxes: int
    pairs: int
    begun: int
    """Pairs that began."""
    ended: int
    """Pairs that ended."""
    moved: int
    """Boxes that left their fat box, were added or were removed."""
    swaps: int
    """Ends of boxes that changed places in a sorted list (SortAndSweep)."""
    tested: int
    """Pairs of boxes that were compared in the search for begun pairs."""
    rebuilds: int
    """1 if so much had moved that all was sorted anew (SortAndSweep), else 0."""

@disjoint_base
class BroadPhase:
    """Which of many boxes with sides along the axes overlap; make a SortAndSweep or a HashedGrid.

    axes: 1, 2 or 3. margin: m, >= 0. Pairs are those of fat boxes: a fat box is the box plus the
    margin on each side, and stays where it is until the box leaves it (or until it has become more
    than four margins too large). With margin 0 it is the box itself.

    Boxes are closed: those that touch, in a face, an edge or a corner, overlap. All coordinates
    must be finite and at most 1e100 m in size. An error leaves everything as it was.
    """

    def __init__(self, axes: int = 2, margin: float = 0.0) -> None: ...
    def add(self, low: ArrayLike, high: ArrayLike) -> int:
        """Add a box, low corner to high corner (m), and return its id.

        Questions know it at once, pairs from the next update on.
        """

    def add_many(self, lows: ArrayLike, highs: ArrayLike) -> NDArray[np.int32]:
        """Add a box for each row (n, axes) and return their ids."""

    def remove(self, id: SupportsIndex) -> None:
        """Remove a box: from queries at once, from pairs with the next update.

        After that update the id may be given out again.
        """

    def update(
        self,
        lows: ArrayLike | None = None,
        highs: ArrayLike | None = None,
        ids: Iterable[SupportsIndex] | None = None,
    ) -> None:
        """Move boxes and bring the pairs up to date.

        lows, highs: (n, axes), m, a row for each of `ids`, which are all boxes, ascending, unless
        given. Without arguments only what was added and removed is dealt with.
        """

    def pairs(self) -> NDArray[np.int32]:
        """(n, 2): all pairs i < j of overlapping fat boxes as of the last update, sorted."""

    @property
    def begun(self) -> NDArray[np.int32]:
        """(n, 2): the pairs that the last update began, sorted."""

    @property
    def ended(self) -> NDArray[np.int32]:
        """(n, 2): the pairs that the last update ended, sorted; ids may be of removed boxes."""

    @property
    def stats(self) -> Stats:
        """Counts of the last update."""

    def overlapping(self, low: ArrayLike, high: ArrayLike) -> NDArray[np.int32]:
        """Ids of the boxes (as given, not fat) that overlap a box, ascending."""

    def ray(
        self, start: ArrayLike, end: ArrayLike
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Ids of the boxes (as given) that the line from start to end (m) meets, and t of each.

        The line enters the box at start + t (end - start); t is 0 if it starts inside. Sorted by
        t, then id. A box that the line grazes within rounding is met.
        """

    def rays(
        self, starts: ArrayLike, ends: ArrayLike
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
        """Many rays at once (n, axes): first, ids, t. Without the GIL.

        Ray k meets ids[first[k]:first[k + 1]], as `ray` would say; first has n + 1 numbers.
        """

    def sweep_box(
        self, low: ArrayLike, high: ArrayLike, way: ArrayLike
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Ids of the boxes (as given) that a box meets while it moves by `way` (m), and t of each.

        It touches the box first when it has gone t way, 0 to 1. Sorted by t, then id.
        """

    def near(
        self, point: ArrayLike, distance: float
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Ids of the boxes (as given) within a distance (m) of a point, and how far each is (m).

        0 for boxes that hold the point. Sorted by distance, then id.
        """

    def box(self, id: SupportsIndex) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Low and high corner (m) of a box as it was given."""

    def fat_box(self, id: SupportsIndex) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Low and high corner (m) of the fat box."""

    @property
    def ids(self) -> NDArray[np.int32]:
        """Ids of all boxes, ascending."""

    @property
    def axes(self) -> int:
        """1, 2 or 3."""

    @property
    def margin(self) -> float:
        """How much larger than its box a new fat box is on each side, m."""

    def __len__(self) -> int:
        """How many boxes there are."""
