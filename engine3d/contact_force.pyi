from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

BODY_DTYPE: np.dtype[np.void]
CONTACT_DTYPE: np.dtype[np.void]

def assemble(
    mass: Any,
    inertia: Any,
    x: ArrayLike,
    v: ArrayLike,
    w: ArrayLike,
    force: ArrayLike,
    torque: ArrayLike,
    a: Sequence[int] | NDArray[np.int_],
    b: Sequence[int] | NDArray[np.int_],
    point: ArrayLike,
    normal: ArrayLike,
    ea: Any,
    eb: Any,
    vf: Sequence[bool] | NDArray[np.bool_],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A (m x m, 1/kg) and b (m, m/s^2) of the gap accelerations d'' = A f + b.

    Of n bodies: mass (kg), None or inf for immovable ones; inertia tensors in world axes (3 x 3
    each, kg m^2; not looked at for immovable ones); x centre of mass (n x 3, m), v (n x 3, m/s),
    w (n x 3, rad/s); force (n x 3, N) and torque (n x 3, N m) without the contacts. Of m contacts:
    a and b, numbers of bodies; point (m x 3, m); unit normal out of b into a (m x 3); vf: True for
    a vertex of a on a face of b, False for an edge on an edge, which lie along ea (on a) and eb
    (on b; m x 3, not looked at where vf is True).
    """
