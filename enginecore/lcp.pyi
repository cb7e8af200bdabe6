"""Linear complementarity problems: exact, fast and honest about failure (docs/maths/lcp.md)."""

from typing import Literal, NamedTuple, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from enginecore.status import Status

class Solution(NamedTuple):
    """What `solve` found.

    x           the answer, inside its bounds
    w           A x + b
    residual    how far x is from an answer, computed by the driver, without a unit: see `residual`
    iterations  pivots (lemke, dantzig), Newton steps (minmap) or sweeps (pgs); 0: the start was it
    status      SOLVED only if `residual` meets the tolerance; MAX_ITERATIONS; NO_SOLUTION when the
                method met a ray (auto: lemke did, and no other method found an answer); SINGULAR
                when it cannot go on (dantzig: A is not semidefinite) or when rounding keeps a
                finished answer from the tolerance
    """

    x: NDArray[np.float64]
    w: NDArray[np.float64]
    residual: float
    iterations: int
    status: Status

@final
class Workspace:
    """Scratch memory for the C function `solve_lcp`; `solve` keeps its own."""

def solve(
    A: ArrayLike,
    b: ArrayLike,
    lo: ArrayLike | None = None,
    hi: ArrayLike | None = None,
    method: Literal["auto", "lemke", "dantzig", "minmap", "pgs"] = "auto",
    tol: float | None = None,
    max_iterations: int | None = None,
    x0: ArrayLike | None = None,
    *,
    friction: tuple[ArrayLike, ArrayLike] | None = None,
    relaxation: float = 1.0,
) -> Solution:
    """Find x with w = A x + b and lo <= x <= hi: w >= 0 at lo, w <= 0 at hi, w = 0 between.

    A, b            n x n and n finite numbers
    lo, hi          n bounds or one for all; None is 0 and inf, the LCP; -inf, inf an equality row
    method          "auto" takes dantzig for symmetric A, then lemke, then minmap, until one solves;
                    all take bounds and friction. dantzig needs a symmetric A, and turns to lemke if
                    friction bounds do not settle
    tol             residual to reach, 1e-10 if None
    max_iterations  of all the methods and starts that are tried, together; None: each its own limit
    x0              a start: dantzig, minmap, pgs use it, and try once without if it leads nowhere;
                    all return it at once if it is an answer
    friction        (normal, mu), n each: row i with normal[i] = j >= 0 has the bounds
                    -+ mu[i] x[j] instead of lo and hi; normal[i] = -1: no friction row
    relaxation      of pgs, between 0 and 2

    Raises ValueError or TypeError (for what is no array of real numbers), naming the argument and
    the value, for anything that is not such a problem.
    """

def residual(
    A: ArrayLike,
    b: ArrayLike,
    x: ArrayLike,
    lo: ArrayLike | None = None,
    hi: ArrayLike | None = None,
    *,
    friction: tuple[ArrayLike, ArrayLike] | None = None,
) -> float:
    """The residual of this x as it is; `solve` clips x to its bounds before it judges.

    The largest |x - mid(lo, x - w, hi)| in units that make the diagonal of A one, over the largest
    of b in those units: the same number for grams and for tonnes. 0 for an exact answer, inf if
    x or w is not finite.
    """

def solve_rows(
    J: ArrayLike,
    bodies: ArrayLike,
    inverse_mass: ArrayLike,
    b: ArrayLike,
    lo: ArrayLike | None = None,
    hi: ArrayLike | None = None,
    tol: float | None = None,
    max_iterations: int | None = None,
    x0: ArrayLike | None = None,
    *,
    friction: tuple[ArrayLike, ArrayLike] | None = None,
    relaxation: float = 1.0,
) -> Solution:
    """Projected Gauss-Seidel for A = J M^-1 J' without forming A.

    J             n x 2 x k: each row's blocks for its two bodies, k = 3 in the plane, 6 in space
    bodies        n x 2 body numbers, -1 for the immovable world
    inverse_mass  bodies x k (diagonal) or bodies x k x k, none negative
    The rest as in `solve`; max_iterations is the number of sweeps. A row of bodies that cannot move
    goes to the bound its b asks for; where there is none, the status is SINGULAR.
    """

def friction_lcp(
    Bnn: ArrayLike, Bnt: ArrayLike, Btt: ArrayLike, mu: ArrayLike
) -> NDArray[np.float64]:
    """The matrix of the friction cone LCP for m contacts with k directions each.

        [ Bnn  Bnt  0 ]      x = [normal (m), t_1 (m), ..., t_k (m), beta (m)]
        [ Bnt' Btt  E ]      b = [Jn v, Jt v, 0]
        [ mu   -E'  0 ]

    Bnn is m x m, Bnt m x km, Btt km x km; mu one number or m. `solve` it with lemke or minmap.
    """
