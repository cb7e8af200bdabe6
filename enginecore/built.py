"""Whether the compiled modules of a package are there; a source checkout begins without them."""

from __future__ import annotations

import importlib.util
from pathlib import Path


def require_built(package: str, module: str) -> None:
    """ImportError in one sentence if a compiled module of a package is not there."""
    if importlib.util.find_spec(f"{package}.{module}") is not None:
        return
    place = importlib.util.find_spec(package)
    folder = Path(place.origin).parent.parent if place is not None and place.origin else "?"
    raise ImportError(
        f"{package} is not built in {folder}: run 'make build' or 'pip install .' there, or start "
        "Python in another folder to use an installed one"
    )
