from typing_extensions import disjoint_base

__pyx_capi__: dict[str, object]

@disjoint_base
class PairFinder:
    """Finds near pairs for enginecore.particles; of no use from Python."""
