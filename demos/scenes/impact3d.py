"""The 3D impacts of Baber's text: the example of section 1.2 and the trajectories of figure 4."""

import numpy as np

# Section 1.2: a body of mass 1 strikes an immovable one and is compressed twice.
EXAMPLE = {
    "e": 0.9,
    "mu": 0.5,
    "f": (0.0, 0.0, 1.0),
    "mA": 1.0,
    "IA": np.linalg.inv([[9.0, 6.0, -6.0], [6.0, 6.0, -2.0], [-6.0, -2.0, 9.0]]),
    "rA": (1.0, 1.0, 1.0),
    "vA": (630.0, -780.0, -0.22),
    "wA": (0.0, 0.0, 0.0),
    "mB": None,
    "IB": None,
    "rB": (0.0, 0.0, 0.0),
    "vB": (0.0, 0.0, 0.0),
    "wB": (0.0, 0.0, 0.0),
}

# Figure 4: friction and collision matrix (1/kg) of sixteen impacts that differ in their slip.
FIGURE_4_MU = 0.7
FIGURE_4_K = np.array([[20.0, 0.0, 1.0], [0.0, 4.0, 6.0], [1.0, 6.0, 10.0]])


def body_with_collision_matrix(K):
    """Mass, inertia and r of a body that has the collision matrix K against an immovable one.

    K = 1/m + [r]^T I^-1 [r] with [r] the matrix of r x. The least eigenvalue of K is 1/m, its
    eigenvector r; what is left of K then gives I^-1.
    """
    values, vectors = np.linalg.eigh(K)
    r = vectors[:, 0]
    rest = K - values[0] * np.eye(3)
    cross = np.cross(np.eye(3), r).T
    inverse_inertia = cross @ rest @ cross.T + np.outer(r, r)
    return 1.0 / values[0], np.linalg.inv(inverse_inertia), r


def figure_4_impacts(slip=1.0, approach=20.0):
    """The arguments of the sixteen impacts, slip starting at n/16 of a full turn (m/s).

    The approach is fast enough for slip to end, or not, before the impact does.
    """
    mass, inertia, r = body_with_collision_matrix(FIGURE_4_K)
    impacts = []
    for n in range(16):
        angle = 2.0 * np.pi * n / 16
        u = (slip * np.cos(angle), slip * np.sin(angle), -approach)
        body = {"mA": mass, "IA": inertia, "rA": r, "vA": u, "wA": np.zeros(3)}
        impacts.append({**EXAMPLE, **body, "e": 0.5, "mu": FIGURE_4_MU})
    return impacts
