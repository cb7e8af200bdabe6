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
    body1: Sequence[int] | NDArray[np.int_],
    body2: Sequence[int] | NDArray[np.int_],
    point: ArrayLike,
    normal: ArrayLike,
    r1: Any,
    r2: Any,
    *,
    extra: str = "none",
    dt: float | None = None,
    gap: ArrayLike = 0.0,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A (m x m, 1/kg) and b (m, m/s^2) of the gap accelerations d'' = A f + b.

    Of n bodies: mass (kg) and inertia (kg m^2), None or inf for immovable ones; x centre of mass
    (n x 2, m), v (n x 2, m/s), w (n, rad/s); force (n x 2, N) and torque (n, N m) without the
    contacts. Of m contacts: body1 and body2, numbers of bodies; point (m x 2, m); unit normal out
    of body2 into body1 (m x 2); signed radii of the two edges r1, r2 (m; 0 corner, > 0 convex,
    < 0 concave arc, None or inf straight).

    extra: what is asked for beyond d'' >= 0, over a step dt (s), of the gap's velocity v (m/s)
    and its length gap (m): "none"; "velocity", v/dt is added to b; "velocity_and_distance",
    (2 v dt + gap)/dt^2.
    """

def extra_acceleration(
    extra: str, velocity: ArrayLike, gap: ArrayLike, dt: float | None
) -> NDArray[np.float64]:
    """What to add to b so that residual gap velocities (m/s) and gaps (m) vanish over dt (s).

    extra: "none", "velocity" or "velocity_and_distance", as in assemble.
    """
