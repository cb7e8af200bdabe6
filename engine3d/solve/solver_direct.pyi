from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

def solve_contacts(
    J: ArrayLike, bias: Any, mu: Any, v: Any, bodies: Any, start: Any = None
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """The impulses (n x 3, N s) of n contacts of m bodies with isotropic Coulomb friction.

    J (n x 3 x 12): whitened Jacobians, rows normal and two tangents, six columns for each of two
    bodies; bias (n x 3, m/s); mu (n); v (m x 6): whitened velocities without impulses; bodies
    (n x 2): numbers of the bodies, m for what is immovable; start (n x 3): a guess. Returns
    (impulses, velocities after, residual in m/s). For teaching and tests.
    """
