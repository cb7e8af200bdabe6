"""Rays of constant sliding: the directions of slip that an impact does not turn.

Two ways to the diverging ray: the one positive root lambda of |N^-1 (K13, K23)| = 1 with
N = lambda 1 + mu M, which is monotone in lambda and what the engine uses; and the quartic in
tan(theta/2) whose roots are all the rays. docs/maths/impact3d.md, section 4.
"""

from typing import NamedTuple

import numpy as np

from libc.math cimport INFINITY, hypot, sqrt

from enginecore.arguments cimport read_number
from enginecore.scalar cimport greater

from enginecore.arguments import as_rows

# Newton's method doubles the digits from below; this many steps are never needed.
cdef int MOST_STEPS = 100


cdef void find_diverging_ray(double mu, double Mxx, double Mxy, double Myy, double kx, double ky,
                             double* dx, double* dy) noexcept nogil:
    """Solve |x| = 1, x = (lambda 1 + mu M)^-1 k, for lambda > 0; x is the direction."""
    cdef double k = hypot(kx, ky)
    cdef double half = 0.5 * (Mxx - Myy)
    cdef double m_max = 0.5 * (Mxx + Myy) + hypot(half, Mxy)
    # |x| >= |k|/(lambda + mu m_max), so the root is not below this; |x| - 1 >= 0 here.
    cdef double root = greater(0.0, k - mu * m_max), before = -1.0
    cdef double a, b, d, det, x, y, xx, slope
    cdef int _i
    for _i in range(MOST_STEPS):
        a = root + mu * Mxx
        b = mu * Mxy
        d = root + mu * Myy
        det = a * d - b * b
        x = (d * kx - b * ky) / det
        y = (a * ky - b * kx) / det
        xx = x * x + y * y
        # Newton on 1/|x| - 1, which is concave: iterates rise towards the root and never pass it.
        slope = (x * (d * x - b * y) + y * (a * y - b * x)) / det
        if root <= before:
            break
        before = root
        root += (sqrt(xx) - 1.0) * xx / slope
    xx = sqrt(xx)
    dx[0] = x / xx
    dy[0] = y / xx


# ------------------------------------------------------------------------------- the Python face

class Ray(NamedTuple):
    """A ray of constant sliding: its angle (rad, anticlockwise from x, in [0, 2 pi)) and its kind,
    "converging", "stationary" or "diverging", by whether slip shrinks, stays or grows on it."""

    angle: float
    kind: str


def diverging_ray(K, mu):
    """The angle (rad, in [0, 2 pi)) of the diverging ray, or None where sticking is stable.

    K: collision matrix (3 x 3, 1/kg), normal along z. mu: friction, >= 0.
    """
    cdef double m = read_mu(mu), dx = 0.0, dy = 0.0
    matrix = read_matrix(K)
    tangential, coupling = matrix[:2, :2], matrix[:2, 2]
    if np.linalg.norm(np.linalg.solve(tangential, coupling)) <= m:
        return None
    find_diverging_ray(m, matrix[0, 0], matrix[0, 1], matrix[1, 1], matrix[0, 2], matrix[1, 2],
                       &dx, &dy)
    return float(np.arctan2(dy, dx) % (2.0 * np.pi))


def sliding_rays(K, mu):
    """All rays of constant sliding, by the quartic of the text, in order of angle.

    K: collision matrix (3 x 3, 1/kg), normal along z. mu: friction, > 0.
    """
    m = read_mu(mu)
    if m == 0.0:
        raise ValueError("mu must be > 0 for rays of constant sliding, got 0")
    matrix = read_matrix(K)
    (k11, k12, k13), (_, k22, k23) = matrix[0], matrix[1]
    coefficients = np.array([
        m * k12 + k23,
        2.0 * (k13 + m * (k11 - k22)),
        -6.0 * m * k12,
        2.0 * (k13 + m * (k22 - k11)),
        m * k12 - k23,
    ])
    size = np.abs(coefficients).max()
    if size == 0.0:
        raise ValueError("every direction is a ray of constant sliding: K has M = c 1 and k = 0")
    angles = [2.0 * np.arctan(root.real) for root in np.roots(coefficients)
              if abs(root.imag) <= 1e-6 * max(1.0, abs(root))]
    if abs(coefficients[0]) <= 1e-14 * size:
        angles.append(np.pi)
    angles = sorted({_polish(matrix, m, angle) for angle in angles})
    return [Ray(angle, _kind_of(matrix, m, angle)) for angle in _unique_angles(angles)]


def _polish(matrix, mu, angle):
    """Newton steps on the cross product of slip and its change, from a root of the quartic."""
    for _ in range(8):
        c, s = np.cos(angle), np.sin(angle)
        direction, across = np.array([c, s]), np.array([-s, c])
        g = matrix[:2, 2] - mu * matrix[:2, :2] @ direction
        turn = across @ g
        slope = -direction @ g - mu * across @ matrix[:2, :2] @ across
        if slope == 0.0 or abs(turn) <= 1e-16 * np.abs(matrix).max():
            break
        step = turn / slope
        if abs(step) > 0.1:
            break
        angle -= step
    return float(angle % (2.0 * np.pi))


def _kind_of(matrix, mu, angle):
    """Whether slip grows along the ray."""
    direction = np.array([np.cos(angle), np.sin(angle)])
    growth = direction @ (matrix[:2, 2] - mu * matrix[:2, :2] @ direction)
    if abs(growth) <= 1e-13 * np.abs(matrix).max():
        return "stationary"
    return "diverging" if growth > 0.0 else "converging"


def _unique_angles(angles):
    """Sorted angles without those that are the same to rounding, also across 2 pi."""
    kept = []
    for angle in angles:
        if all(min(abs(angle - other), 2.0 * np.pi - abs(angle - other)) > 1e-9 for other in kept):
            kept.append(angle)
    return kept


cdef double read_mu(object mu) except? -1.0:
    cdef double m = read_number(mu, "mu")
    if not 0.0 <= m < INFINITY:
        raise ValueError(f"mu must be finite and >= 0, got {mu!r}")
    return m


cdef object read_matrix(object K):
    matrix = as_rows("K", K, (3, 3))
    if matrix.ndim != 2 or not np.isfinite(matrix).all():
        raise ValueError(f"K must be 3 x 3 finite numbers, got {K!r}")
    size = np.abs(matrix).max()
    if np.abs(matrix - matrix.T).max() > 1e-9 * size or np.linalg.eigvalsh(matrix)[0] <= 0.0:
        raise ValueError(f"K must be symmetric and positive definite, got {K!r}")
    return matrix / 2.0 ** np.frexp(size)[1]  # rays do not depend on the scale of K
