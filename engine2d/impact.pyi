from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

NAMES: tuple[str, ...]
PATH_TABLE: NDArray[np.object_]

class Impact(NamedTuple):
    """What an impact leaves behind; from collide_many each field is an array with n rows.

    vA, wA, vB, wB: velocities after it (m/s, rad/s). p: impulse on A in world axes (N s).
    Wc, Wd: work of the normal force in compression and in decompression (J).
    path: the steps of the text that were taken, such as "3b-conv/4b/6/8b"; "separating" if the
    bodies were already moving apart and nothing happened.
    """

    vA: NDArray[np.float64]
    wA: Any
    vB: NDArray[np.float64]
    wB: Any
    p: NDArray[np.float64]
    Wc: Any
    Wd: Any
    path: Any

def collide(
    e: float,
    mu: float,
    f: ArrayLike,
    mA: float | None,
    IA: float | None,
    rA: ArrayLike,
    vA: ArrayLike,
    wA: float,
    mB: float | None,
    IB: float | None,
    rB: ArrayLike,
    vB: ArrayLike,
    wB: float,
) -> Impact:
    """Strike bodies A and B together at one point and return an Impact.

    e: restitution, 0 to 1 (Stronge: work regained is e^2 times work spent). mu: friction, >= 0.
    f: unit normal from B into A. For each body: m mass (kg; inf or None: immovable, and I is not
    looked at), I moment of inertia about the centre of mass (kg m^2), r from the centre of mass
    to the contact (m), v velocity of the centre of mass (m/s), w angular velocity (rad/s).

    A bad value raises ValueError naming the argument; numbers too large for doubles OverflowError.
    """

def collide_many(
    e: ArrayLike,
    mu: ArrayLike,
    f: ArrayLike,
    mA: Any,
    IA: Any,
    rA: ArrayLike,
    vA: ArrayLike,
    wA: ArrayLike,
    mB: Any,
    IB: Any,
    rB: ArrayLike,
    vB: ArrayLike,
    wB: ArrayLike,
) -> Impact:
    """Strike n pairs, each as collide would, bit for bit; returns an Impact of arrays.

    Each argument has n rows, or no row dimension if it is the same for all. Runs without the GIL.
    """
