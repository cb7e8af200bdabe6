from typing import NamedTuple

from numpy.typing import ArrayLike

class Ray(NamedTuple):
    """A ray of constant sliding: its angle (rad, anticlockwise from x, in [0, 2 pi)) and its kind,
    "converging", "stationary" or "diverging", by whether slip shrinks, stays or grows on it."""

    angle: float
    kind: str

def diverging_ray(K: ArrayLike, mu: float) -> float | None:
    """The angle (rad, in [0, 2 pi)) of the diverging ray, or None where sticking is stable.

    K: collision matrix (3 x 3, 1/kg), normal along z. mu: friction, >= 0.
    """

def sliding_rays(K: ArrayLike, mu: float) -> list[Ray]:
    """All rays of constant sliding, by the quartic of the text, in order of angle.

    K: collision matrix (3 x 3, 1/kg), normal along z. mu: friction, > 0.
    """
