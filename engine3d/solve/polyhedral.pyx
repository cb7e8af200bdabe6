"""Friction as a polyhedral cone of k directions; polyhedral.pxd has the contract."""

import numpy as np

from engine3d.solve.cone cimport OPEN, STICK

from enginecore import lcp

# Residual relative to b beyond which Lemke's method is asked.
cdef double ENOUGH = 1e-9


cdef void solve_polyhedral(Cone* cones, int n, double* V, int m, int k) noexcept nogil:
    with gil:
        solve(cones, n, V, m, k)


cdef int solve(Cone* cones, int n, double* V, int m, int k) except -1:
    cdef int i, r, c
    J = np.zeros((n, 3, m + 1, 6))
    bias, mu = np.zeros((n, 3)), np.zeros(n)
    v = np.zeros((m + 1, 6))
    for i in range(m):
        for c in range(6):
            v[i, c] = V[6 * i + c]
    for i in range(n):
        mu[i] = cones[i].mu
        for r in range(3):
            bias[i, r] = cones[i].bias[r]
            for c in range(6):
                J[i, r, cones[i].a, c] += cones[i].j[r][c]
                J[i, r, cones[i].b, c] += cones[i].j[r][6 + c]
    J[:, :, m] = 0.0
    J = J.reshape(n, 3, -1)
    turn = 2.0 * np.pi * np.arange(k) / k
    spread = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    normal = J[:, 0]
    tangent = np.einsum("dk,nkc->ndc", spread, J[:, 1:]).reshape(n * k, -1)
    lines = np.concatenate([normal, tangent])
    B = lines @ lines.T
    b = lines @ v.ravel() + np.concatenate([bias[:, 0], (bias[:, 1:] @ spread.T).ravel()])
    system = lcp.friction_lcp(B[:n, :n], B[:n, n:], B[n:, n:], mu)
    right = np.concatenate([b, np.zeros(n)])
    answer = lcp.solve(system, right, method="minmap")
    if not answer.residual <= ENOUGH * max(1.0, np.abs(b).max()):
        answer = lcp.solve(system, right, method="lemke")
    p = answer.x[:n * (k + 1)]
    v = v.ravel() + lines.T @ p
    along = p[n:].reshape(n, k) @ spread
    for i in range(n):
        cones[i].p[0], cones[i].p[1], cones[i].p[2] = p[i], along[i, 0], along[i, 1]
        cones[i].mode = STICK if p[i] > 0.0 else OPEN
    for i in range(m):
        for c in range(6):
            V[6 * i + c] = v[6 * i + c]
    return 0
