"""The direct solver's answers satisfy the laws of contact, whatever the island."""

import numpy as np
import pytest
from engine2d.solve.solver_direct import _solve
from hypothesis import example, given, settings
from hypothesis import strategies as st

from enginecore.lcp import solve

H = 1 / 120


class Island:
    """Rows of contacts and joints between bodies of random mass; the last body never moves."""

    def __init__(self, rng, n_bodies, ratio=1.0, gravity=10.0, speed=0.0):
        mass = np.exp(rng.uniform(-np.log(ratio) / 2, np.log(ratio) / 2, n_bodies))
        self.inverse_mass = np.vstack([np.column_stack([1 / mass, 8 / mass]), [[0, 0]]])
        self.velocities = np.zeros((n_bodies + 1, 3))
        self.velocities[:-1] = speed * rng.normal(size=(n_bodies, 3))
        self.velocities[:-1, 1] -= gravity * H
        self.centers = rng.uniform(-1, 1, (n_bodies + 1, 2))
        self.J, self.bodies, self.normal, self.mu = [], [], [], []
        self.lo, self.hi, self.bias = [], [], []

    def add_row(self, a, b, point, direction, lo, hi, normal=-1, mu=0.0, bias=0.0):
        blocks = []
        for sign, body in ((1.0, a), (-1.0, b)):
            r = point - self.centers[body]
            blocks.append([*(sign * direction), sign * (r[0] * direction[1] - r[1] * direction[0])])
        self.J.append(blocks)
        self.bodies.append((a, b))
        self.lo.append(lo)
        self.hi.append(hi)
        self.normal.append(normal)
        self.mu.append(mu)
        self.bias.append(bias)

    def add_contact(self, a, b, point, normal, mu):
        tangent = np.array([-normal[1], normal[0]])
        self.add_row(a, b, point, normal, 0.0, np.inf)
        self.add_row(a, b, point, tangent, 0.0, 0.0, normal=len(self.J) - 1, mu=mu)

    def solve(self, **start):
        return _solve(self.J, self.bodies, self.inverse_mass, self.velocities, self.bias, self.lo,
                      self.hi, self.normal, self.mu, **start)  # fmt: skip

    def matrices(self):
        """A and b of the whole problem, dense and by definition."""
        n = len(self.J)
        full = np.zeros((n, len(self.velocities) * 3))
        for i, (row, pair) in enumerate(zip(self.J, self.bodies)):
            for block, body in zip(row, pair):
                full[i, 3 * body : 3 * body + 3] += block
        W = np.column_stack([self.inverse_mass[:, [0, 0]], self.inverse_mass[:, 1]]).ravel()
        return (full * W) @ full.T, full @ self.velocities.ravel() + self.bias

    def residual(self, p):
        """Largest natural-map residual as a velocity, over the largest of b."""
        A, b = self.matrices()
        y, d = A @ p + b, np.diag(A)
        lo, hi = np.array(self.lo), np.array(self.hi)
        for i, n in enumerate(self.normal):
            if n >= 0:
                hi[i] = self.mu[i] * max(p[n], 0.0)
                lo[i] = -hi[i]
        return np.abs((p - np.clip(p - y / d, lo, hi)) * d).max() / max(np.abs(b).max(), 1e-6)

    def energy(self, velocities):
        mass = 1 / self.inverse_mass[:-1]
        v = velocities[:-1]
        return 0.5 * np.sum(mass[:, 0] * (v[:, 0] ** 2 + v[:, 1] ** 2) + mass[:, 1] * v[:, 2] ** 2)


def random_island(seed, ratio=1.0, mu_most=1.0, speed=0.1, size=6):
    """Contacts between random pairs and with the ground, normals mostly upward."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, size + 1))
    island = Island(rng, n, ratio, speed=speed)
    for _ in range(int(rng.integers(1, 3 * n + 2))):
        a = int(rng.integers(n))
        b = int(rng.integers(n + 1))
        if a == b:
            b = n
        angle = rng.uniform(0, np.pi)
        middle = (island.centers[a] + island.centers[b]) / 2 + rng.uniform(-0.3, 0.3, 2)
        island.add_contact(a, b, middle, np.array([np.cos(angle), np.sin(angle)]),
                           rng.choice([0.0, rng.uniform(0, mu_most)]))  # fmt: skip
    return island


def stacked(ratio, levels, seed=0, mu=0.6, points=2):
    """Boxes of side 1, one on the other, masses within `ratio`; `points` > 2: redundant."""
    rng = np.random.default_rng(seed)
    island = Island(rng, levels, ratio)
    island.centers = np.column_stack([np.zeros(levels + 1), np.arange(levels + 1) + 0.5])
    island.centers[-1] = (0.0, -0.5)
    for level in range(levels):
        for x in np.linspace(-0.5, 0.5, points):
            below = level - 1 if level else levels
            island.add_contact(level, below, np.array([x, level]), np.array([0.0, 1.0]), mu)
    return island


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**6))
@example(343702)  # jammed: a second pass needs pivoting as the first did
@example(355139)
@example(121656)  # redundant: the proximal pull is too strong to converge by
@example(47379)
def test_normal_and_friction_laws_hold_together(seed):
    island = random_island(seed)
    answer = island.solve()
    assert answer["solved"]
    p = answer["p"]
    assert island.residual(p) < 1e-8
    normal, friction = p[0::2], p[1::2]
    assert np.all(normal >= 0)
    assert np.all(np.abs(friction) <= np.array(island.mu[1::2]) * normal)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10**6))
def test_contact_and_friction_never_add_energy(seed):
    island = random_island(seed, speed=2.0)
    answer = island.solve()
    before = island.energy(island.velocities)
    assert island.energy(answer["velocities"]) <= before * (1 + 1e-9)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6))
def test_mass_ratios_to_a_million(seed):
    island = random_island(seed, ratio=1e6, mu_most=0.5, size=4)
    answer = island.solve()
    assert island.residual(answer["p"]) < 1e-6
    assert np.all(np.isfinite(answer["velocities"]))


@pytest.mark.parametrize("ratio", [1.0, 1e2, 1e4, 1e6])
@pytest.mark.parametrize("points", [2, 5])
@pytest.mark.parametrize("levels", [1, 3, 10])
def test_a_stack_stands_and_the_ground_bears_its_weight(ratio, points, levels):
    island = stacked(ratio, levels, points=points)
    answer = island.solve()
    weight = 10 * H / island.inverse_mass[:-1, 0]
    # from nothing; the next solves start here and end at rounding
    assert np.abs(answer["velocities"]).max() < 1e-4 * 10 * H
    again = island.solve(p=answer["p"], mode=answer["mode"])
    assert np.abs(again["velocities"]).max() < 1e-7
    assert again["p"][0 : 2 * points : 2].sum() == pytest.approx(weight.sum(), rel=1e-8)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6))
def test_equality_rows_hold_beside_contacts(seed):
    island = random_island(seed, speed=0.5)
    rng = np.random.default_rng(seed)
    a = int(rng.integers(len(island.velocities) - 1))
    pin = rng.uniform(-1, 1, 2)
    for direction in np.eye(2):
        island.add_row(a, len(island.velocities) - 1, pin, direction, -np.inf, np.inf)
    answer = island.solve()
    if answer["solved"]:
        A, b = island.matrices()
        assert np.abs((A @ answer["p"] + b)[-2:]).max() < 1e-8 * np.abs(b).max()
        assert island.residual(answer["p"]) < 1e-8
    else:
        # a pinned body can be wedged in so that no motion is allowed; nothing may blow up
        assert np.all(np.isfinite(answer["p"]))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6))
def test_motions_agree_with_the_general_lcp_solver(seed):
    """Impulses of redundant contacts differ, velocities do not where friction is absent."""
    island = random_island(seed)
    island.mu = [0.0] * len(island.mu)
    answer = island.solve()
    A, b = island.matrices()
    rows = np.arange(0, len(b), 2)
    other = solve(A[np.ix_(rows, rows)], b[rows])
    y = A @ answer["p"] + b
    scale = np.abs(b).max()
    assert np.abs(y[rows] - other.w).max() < 1e-7 * scale
