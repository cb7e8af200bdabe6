"""Sort and sweep with coherence: the ends of boxes in sorted lists that hardly change."""

from typing_extensions import disjoint_base

from enginecore.broad_phase import BroadPhase

@disjoint_base
class SortAndSweep(BroadPhase):
    """Pairs from the swaps of an insertion sort along each axis: O(n + swaps) an update.

    Best where boxes keep their order along the axes, or with one axis. docs/maths/broad_phase.md.
    """
