"""A grid over fat boxes: hashed cells of several sizes, no bound on space."""

from typing_extensions import disjoint_base

from enginecore.broad_phase import BroadPhase

@disjoint_base
class HashedGrid(BroadPhase):
    """Pairs from the cells around each box that left its fat box: O(moved + pairs) an update.

    Give it a margin of some tenths of a typical box. docs/maths/broad_phase.md.
    """
