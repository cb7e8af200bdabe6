from typing import Any, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine3d.impact_ray import Ray as Ray
from engine3d.impact_ray import diverging_ray as diverging_ray
from engine3d.impact_ray import sliding_rays as sliding_rays

NAMES: tuple[str, ...]
PATH_TABLE: NDArray[np.object_]

class Impact(NamedTuple):
    """What an impact leaves behind; from collide_many each field is an array with n rows.

    vA, wA, vB, wB: velocities after it (m/s, rad/s). p: impulse on A in world axes (N s).
    Wc, Wd: work of the normal force in compression and in decompression (J).
    path: "slide", "stable_stick" or "unstable_stick" by how the contact slipped at its end;
    "separating" if the bodies were already moving apart and nothing happened.
    """

    vA: NDArray[np.float64]
    wA: NDArray[np.float64]
    vB: NDArray[np.float64]
    wB: NDArray[np.float64]
    p: NDArray[np.float64]
    Wc: Any
    Wd: Any
    path: Any

class ImpactTrace(NamedTuple):
    """An impact as it went on, in n points, in the contact frame (z along the normal).

    p_z: normal impulse (N s). u: n x 3, velocity of A relative to B at the contact (m/s).
    Wc, Wd: work of the normal force so far (J). phase: 0, 2, ... in compression, 1, 3, ... in
    decompression; a point with u_z = 0 between two phases counts to the later one.
    frame: 3 x 3, the frame's axes as rows, so that frame @ (world vector) is in the frame.
    evaluations: how often the method evaluated the right-hand side du/dp_z.
    """

    p_z: NDArray[np.float64]
    u: NDArray[np.float64]
    Wc: NDArray[np.float64]
    Wd: NDArray[np.float64]
    phase: NDArray[np.intc]
    frame: NDArray[np.float64]
    evaluations: int

@overload
def collide(
    e: float,
    mu: float,
    f: ArrayLike,
    mA: float | None,
    IA: Any,
    rA: ArrayLike,
    vA: ArrayLike,
    wA: ArrayLike,
    mB: float | None,
    IB: Any,
    rB: ArrayLike,
    vB: ArrayLike,
    wB: ArrayLike,
    *,
    method: Literal["adaptive", "euler"] = "adaptive",
    tol: float = 1e-10,
    step: float | None = None,
    trace: Literal[False] = False,
) -> Impact: ...
@overload
def collide(
    e: float,
    mu: float,
    f: ArrayLike,
    mA: float | None,
    IA: Any,
    rA: ArrayLike,
    vA: ArrayLike,
    wA: ArrayLike,
    mB: float | None,
    IB: Any,
    rB: ArrayLike,
    vB: ArrayLike,
    wB: ArrayLike,
    *,
    method: Literal["adaptive", "euler"] = "adaptive",
    tol: float = 1e-10,
    step: float | None = None,
    trace: Literal[True],
) -> tuple[Impact, ImpactTrace]: ...
@overload
def collide(
    e: float,
    mu: float,
    f: ArrayLike,
    mA: float | None,
    IA: Any,
    rA: ArrayLike,
    vA: ArrayLike,
    wA: ArrayLike,
    mB: float | None,
    IB: Any,
    rB: ArrayLike,
    vB: ArrayLike,
    wB: ArrayLike,
    *,
    method: Literal["adaptive", "euler"] = "adaptive",
    tol: float = 1e-10,
    step: float | None = None,
    trace: bool,
) -> Impact | tuple[Impact, ImpactTrace]: ...
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
    *,
    method: Literal["adaptive", "euler"] = "adaptive",
    tol: float = 1e-10,
    step: float | None = None,
) -> Impact:
    """Strike n pairs, each as collide would, bit for bit; returns an Impact of arrays.

    Each argument has n rows, or no row dimension if it is the same for all. Runs without the GIL.
    """
