"""LCPs for the tests: contact problems with known physics, and answers by enumeration."""

import itertools

import numpy as np

METHODS = ("auto", "lemke", "dantzig", "minmap", "pgs")
EXACT = ("auto", "lemke", "dantzig", "minmap")


def natural_map(A, b, x, lo=0.0, hi=np.inf):
    """Largest |x - mid(lo, x - w, hi)|, unscaled: zero exactly at an answer."""
    w = A @ x + b
    return np.abs(x - np.clip(x - w, lo, hi)).max(initial=0.0)


def enumerate_answers(A, b):
    """All answers of an LCP that belong to a nonsingular block of A (2^n of them are tried)."""
    n = len(b)
    answers = []
    for size in range(n + 1):
        for rows in itertools.combinations(range(n), size):
            S = list(rows)
            x = np.zeros(n)
            if S:
                block = A[np.ix_(S, S)]
                if np.linalg.matrix_rank(block, tol=1e-9) < size:
                    continue
                x[S] = np.linalg.solve(block, -b[S])
            scale = 1.0 + np.abs(x).max(initial=0.0)
            if natural_map(A, b, x) < 1e-9 * scale:
                answers.append(x)
    return answers


def stack(masses, width=1.0, height=1.0):
    """Boxes on the ground, one on the other, two contacts each: J, bodies, 1/M, normal.

    Rows: for each contact its normal row, then its tangent row; three velocities per box.
    """
    n = len(masses)
    inverse = np.concatenate([[1 / m, 1 / m, 12 / (m * (width**2 + height**2))] for m in masses])
    rows, bodies, normal = [], [], []
    for upper in range(n):
        for side in (-width / 2, width / 2):
            for tangent, direction in enumerate(((0.0, 1.0), (1.0, 0.0))):
                row = np.zeros((2, 3))
                row[0] = [*direction, side * direction[1] + height / 2 * direction[0]]
                row[1] = [
                    -direction[0],
                    -direction[1],
                    -side * direction[1] + height / 2 * direction[0],
                ]
                rows.append(row)
                bodies.append((upper, upper - 1))
                normal.append(len(rows) - 2 if tangent else -1)
    return np.array(rows), np.array(bodies), inverse.reshape(n, 3), np.array(normal)


def assemble(J, bodies, inverse_mass):
    """A = J M^-1 J' and the full J, from block rows."""
    n_bodies, k = inverse_mass.shape[:2]
    full = np.zeros((len(J), n_bodies * k))
    for row, (blocks, pair) in enumerate(zip(J, bodies)):
        for block, body in zip(blocks, pair):
            if body >= 0:
                full[row, body * k : (body + 1) * k] += block
    W = np.zeros((n_bodies * k, n_bodies * k))
    for body, inverse in enumerate(inverse_mass):
        W[body * k : (body + 1) * k, body * k : (body + 1) * k] = (
            np.diag(inverse) if inverse.ndim == 1 else inverse
        )
    A = full @ W @ full.T
    return (A + A.T) / 2, full


def random_contacts(rng, n_bodies, n_contacts, k):
    """Contacts of random bodies in space, k friction directions: Bnn, Bnt, Btt, bn, bt."""
    W = np.zeros((6 * n_bodies, 6 * n_bodies))
    for i in range(n_bodies):
        mass = 10 ** rng.uniform(-1, 1)
        W[6 * i : 6 * i + 3, 6 * i : 6 * i + 3] = np.eye(3) / mass
        W[6 * i + 3 : 6 * i + 6, 6 * i + 3 : 6 * i + 6] = np.diag(rng.uniform(5, 20, 3)) / mass
    J = np.zeros((k + 1, n_contacts, 6 * n_bodies))
    for c in range(n_contacts):
        first, second = rng.integers(n_bodies), rng.integers(n_bodies + 1)
        normal, other = rng.standard_normal((2, 3))
        normal /= np.linalg.norm(normal)
        t = np.cross(normal, other)
        t /= np.linalg.norm(t)
        u = np.cross(normal, t)
        turns = 2 * np.pi * np.arange(k) / k
        for row, direction in enumerate([normal, *(np.cos(a) * t + np.sin(a) * u for a in turns)]):
            for body, sign in ((first, 1.0), (second, -1.0)):
                if body < n_bodies and (sign > 0 or second != first):
                    arm = np.array([0.3, -0.2, 0.1]) * sign
                    J[row, c, 6 * body : 6 * body + 3] += sign * direction
                    J[row, c, 6 * body + 3 : 6 * body + 6] += sign * np.cross(arm, direction)
    Jn, Jt = J[0], J[1:].reshape(k * n_contacts, -1)
    v = rng.standard_normal(6 * n_bodies)
    return Jn @ W @ Jn.T, Jn @ W @ Jt.T, Jt @ W @ Jt.T, Jn @ v, Jt @ v
