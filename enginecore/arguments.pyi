from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

def as_rows(
    name: str, value: Any, tail: tuple[int, ...] = (), none: Any = None
) -> NDArray[np.float64]:
    """The value as a float64 array of shape tail or (n, *tail), C-contiguous."""

def as_floats(name: str, value: Any, none: Any) -> NDArray[np.float64]:
    """The value as a contiguous float64 array; TypeError if it is anything but real numbers."""

def stretch_rows(
    arrays: Mapping[str, NDArray[np.float64]], tails: Mapping[str, tuple[int, ...]]
) -> tuple[int, dict[str, NDArray[np.float64]]]:
    """All arrays with one common leading length n, which each has or lacks; returns (n, arrays)."""

def finite_rows(
    name: str, value: Any, tail: tuple[int, ...] = (), n: int | None = None
) -> NDArray[np.float64]:
    """An array (n, *tail) of finite numbers, with any number of rows if n is None."""

def unit_rows(
    name: str, value: Any, width: int, n: int | None = None, tolerance: float = 1e-6
) -> NDArray[np.float64]:
    """An array (n, width) of unit vectors, each normalised if it is one to within the tolerance."""

def row_numbers(name: str, value: Any, count: int, rows: int) -> NDArray[np.int_]:
    """An array of `count` integers that each number one of so many rows."""

def refuse(name: str, value: Any, wanted: Mapping[str, str], where: str = "") -> NoReturn:
    """Raise ValueError: what the argument must be, what was given, and where if it has rows."""

def read_tag(value: Any) -> int | str:
    """A tag at the API boundary: a small integer or a short string."""
