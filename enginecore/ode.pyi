from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

def integrate(
    f: Callable[[float, NDArray[np.float64]], ArrayLike],
    y0: ArrayLike,
    t0: float,
    t1: float,
    tol: float = 1e-10,
    max_steps: int = 100_000,
) -> tuple[NDArray[np.float64], int]:
    """Integrate dy/dt = f(t, y) from t0 to t1; returns (y at t1, number of evaluations of f).

    The error of each step is kept below tol (1 + |y|) in each component. This is the stepper of
    the engine's own kernels, for checking and for teaching. Raises SolverError after max_steps,
    and what f raises.
    """
