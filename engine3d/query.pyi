from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine3d.body import Body
from engine3d.body_shape import BodyShape
from engine3d.vector import Vec3

class QueryHit(NamedTuple):
    """A shape that a ray or a moving shape meets, or the nearest to a point."""

    body: Body
    shape: BodyShape
    point: Vec3
    """m, of its boundary."""
    normal: Vec3
    """Unit; out of the shape that is hit, for casts from it into the one that moves."""
    fraction: float
    """Of the way, 0 to 1; 0 for the nearest."""
    distance: float
    """m, along the way; or to the nearest, < 0 inside it."""

class Found(NamedTuple):
    """A shape that holds a point, or overlaps something."""

    body: Body
    shape: BodyShape

class Rays(NamedTuple):
    """First hits of many rays, a row each; where there is none, fraction is inf and ids are -1."""

    body: NDArray[np.int32]
    """Ids; World.body gives the body of one."""
    shape: NDArray[np.int32]
    """Ids, as in events."""
    point: NDArray[np.float64]
    """n x 3, m; 0 where there is none."""
    normal: NDArray[np.float64]
    """n x 3, unit; likewise."""
    fraction: NDArray[np.float64]
    """Of the way, 0 to 1."""
