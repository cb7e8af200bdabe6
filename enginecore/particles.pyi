"""Round particles that collide with each other and with planes, in 1, 2 or 3 dimensions."""

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import disjoint_base

_Array: TypeAlias = NDArray[np.float64]

class PairJolt(NamedTuple):
    """Changes of velocity (m/s) and position (m) of the two particles of an impact."""

    dva: _Array
    dvb: _Array
    dxa: _Array
    dxb: _Array

class PlaneJolt(NamedTuple):
    """Changes of velocity (m/s) and position (m) of a particle that strikes a plane."""

    dv: _Array
    dx: _Array

class Energy(NamedTuple):
    """Joules; potential is the sum of -m g.x, zero at the origin."""

    kinetic: float
    potential: float
    total: float

class Stats(NamedTuple):
    """What the last step did."""

    pairs_tested: int
    """Pairs of particles whose distance was looked at."""
    contacts: int
    """Overlaps, of particles and of particles with planes."""
    impacts: int
    """Contacts that approached and were struck."""
    rescued: int
    """Particles put back in front of a plane that they would have passed."""
    searches: int
    """1 if the neighbours of all were searched anew, else 0."""
    strays: int
    """Times that one particle moved so far that its own neighbours were searched anew."""

def pair_jolt(
    xa: ArrayLike,
    xb: ArrayLike,
    va: ArrayLike,
    vb: ArrayLike,
    ra: float,
    rb: float,
    ma: float,
    mb: float,
    e: float,
    mu: float,
    kp: float,
) -> PairJolt | None:
    """What the contact of particles a and b does to them; None unless they overlap and approach.

    x centres (m), v velocities (m/s), r radii (m), m masses (kg); e restitution, 0 to 1; mu
    friction, >= 0; kp share of the overlap that is projected away, 0 to 1.
    """

def plane_jolt(
    x: ArrayLike,
    v: ArrayLike,
    r: float,
    point: ArrayLike,
    n: ArrayLike,
    e: float,
    mu: float,
    kp: float,
) -> PlaneJolt | None:
    """What the contact with a plane does to a particle; None unless it overlaps and approaches.

    The plane goes through `point` (m); its unit normal n points to the free side.
    """

@disjoint_base
class Particles:
    """Round particles that collide by impulses (docs/maths/particles.md).

    positions, velocities: (n, dim), m and m/s; their width, 1 to 3, is the dimension.
    radii, masses: (n,) or one number for all, m and kg, > 0.
    planes: pairs (point, unit normal); the side that the normal points to is free.
    e: restitution, 0 to 1. mu: friction, >= 0. kp: share of an overlap that a step projects
    away, 0 (never) to 1; 0.2 to 0.5 is prudent for "jacobi", where projections add up.
    gravity: (dim,), m/s^2; None means none.
    mode: "sequential" strikes contacts one after another, planes first, then pairs i < j; strikes
    never add kinetic energy, and a step adds none in all unless there are both gravity and planes,
    which lift what they push out (docs/maths/particles.md, 3.1, has the bound). "jacobi" takes all
    from the same state and sums them, so the order of the particles does not matter, but crowded
    particles can gain energy.

    All numbers must be finite and at most 1e100, radii and masses at least 1e-100.
    """

    def __init__(
        self,
        positions: ArrayLike,
        velocities: ArrayLike,
        radii: ArrayLike,
        masses: ArrayLike,
        planes: Iterable[tuple[ArrayLike, ArrayLike]] = (),
        e: float = 0.5,
        mu: float = 0.3,
        kp: float = 0.3,
        gravity: ArrayLike | None = None,
        mode: Literal["sequential", "jacobi"] = "sequential",
    ) -> None: ...
    def step(self, dt: float) -> None:
        """Advance by dt >= 0 seconds: kick dt/2, contacts, drift dt, kick dt/2.

        A centre that is in front of a plane stays in front of it, at any speed. dt = 0 resolves
        contacts and nothing else. OverflowError, with nothing changed, if a number would leave
        the range. The GIL is released; a second step of the same particles meanwhile raises
        RuntimeError.
        """

    def set_state(
        self, positions: ArrayLike | None = None, velocities: ArrayLike | None = None
    ) -> None:
        """Replace positions (m), velocities (m/s) or both."""

    def copy(self) -> Particles:
        """An independent twin that will take the same steps."""

    def __copy__(self) -> Particles: ...
    def __deepcopy__(self, memo: Any) -> Particles: ...
    def __len__(self) -> int: ...
    @property
    def positions(self) -> _Array:
        """(n, dim), m; a read-only view that follows every step."""

    @property
    def velocities(self) -> _Array:
        """(n, dim), m/s; a read-only view that follows every step."""

    @property
    def radii(self) -> _Array:
        """(n,), m; a read-only view."""

    @property
    def masses(self) -> _Array:
        """(n,), kg; a read-only view."""

    @property
    def planes(self) -> list[tuple[_Array, _Array]]:
        """Pairs (point, unit normal)."""

    @property
    def dim(self) -> int:
        """1, 2 or 3."""

    @property
    def e(self) -> float:
        """Restitution."""

    @property
    def mu(self) -> float:
        """Friction coefficient."""

    @property
    def kp(self) -> float:
        """Projection factor."""

    @property
    def gravity(self) -> _Array:
        """(dim,), m/s^2."""

    @property
    def mode(self) -> Literal["sequential", "jacobi"]:
        """How contacts are combined."""

    @property
    def time(self) -> float:
        """Seconds since the start."""

    @property
    def energy(self) -> Energy:
        """Kinetic, potential and total energy, J."""

    @property
    def momentum(self) -> _Array:
        """(dim,), kg m/s."""

    @property
    def stats(self) -> Stats:
        """Counts of the last step."""
