"""The pivoting methods where rounding, far bounds, absurd starts or short limits mislead them."""

import numpy as np
import pytest

from enginecore import Status
from enginecore.lcp import solve
from tests.lcp_problems import natural_map

INF = np.inf
PIVOTING = ("auto", "lemke", "dantzig")


def boxes_between_walls(masses):
    """J and A of boxes side by side on a floor, touching each other and a wall on each side."""
    count = len(masses)
    contacts = []
    for box in range(count):
        for side in (-0.5, 0.5):
            contacts.append((box, box - 1, (-0.5, side), (0.5, side), (1.0, 0.0)))
            contacts.append((box, -1, (side, -0.5), (0.0, 0.0), (0.0, 1.0)))
    for side in (-0.5, 0.5):
        contacts.append((count - 1, -1, (0.5, side), (0.0, 0.0), (-1.0, 0.0)))
    J = np.zeros((len(contacts), 3 * count))
    for row, (i, j, p, q, d) in zip(J, contacts, strict=True):
        row[3 * i : 3 * i + 3] = [*d, p[0] * d[1] - p[1] * d[0]]
        if j >= 0:
            row[3 * j : 3 * j + 3] = [-d[0], -d[1], -(q[0] * d[1] - q[1] * d[0])]
    inverse = np.repeat(1 / np.asarray(masses), 3) * np.tile([1, 1, 6], count)
    A = J * inverse @ J.T
    return J, (A + A.T) / 2


def definite(rng, n, condition):
    """A symmetric matrix with eigenvalues from 1/condition to 1."""
    Q = np.linalg.qr(rng.standard_normal((n, n)))[0]
    values = condition ** -rng.random(n)
    values[0], values[-1] = 1.0, 1 / condition
    A = Q * values @ Q.T
    return (A + A.T) / 2


def without_answer(rng):
    """A and b with a v >= 0 for which A v = 0 and b.v < 0."""
    n = int(rng.integers(2, 20))
    G = rng.standard_normal((n, max(1, n // 2)))
    v = np.maximum(rng.standard_normal(n), 0.0)
    v[0] = 1.0
    G -= np.outer(v, v @ G) / (v @ v)
    A, b = G @ G.T, rng.standard_normal(n)
    return (A + A.T) / 2, b - v * (b @ v + 0.1) / (v @ v)


# Proofs ------------------------------------------------------------------------------------------


def test_frictionless_contacts_between_walls_always_have_an_answer():
    J, A = boxes_between_walls([1e6, 1.0])
    rng = np.random.default_rng(0)
    motions = [np.array([0.6, 0.4, 0.5, 0.5, 0.7, -0.2])]
    motions += [rng.uniform(-1, 1, 6).round(1) for _ in range(300)]
    for v in motions:
        for method in ("auto", "dantzig"):
            assert solve(A, J @ v, method=method).status is Status.SOLVED
        assert solve(A, J @ v, method="lemke").status is not Status.NO_SOLUTION


def test_three_boxes_of_any_masses_between_walls():
    rng = np.random.default_rng(1)
    for _ in range(200):
        J, A = boxes_between_walls(10.0 ** rng.integers(0, 8, 3))
        b = J @ rng.uniform(-1, 1, 9).round(1)
        assert solve(A, b, method="dantzig").status is Status.SOLVED


@pytest.mark.parametrize("condition", [1e12, 1e13])
@pytest.mark.parametrize("method", PIVOTING)
def test_definite_problems_are_never_called_unsolvable(method, condition):
    rng = np.random.default_rng(2)
    for _ in range(200):
        n = int(rng.integers(2, 9))
        A, b = definite(rng, n, condition), rng.standard_normal(n)
        assert solve(A, b, method=method).status is not Status.NO_SOLUTION


@pytest.mark.parametrize("seed", [888, 1000, 1616, 2094, 2935])
def test_dantzig_refines_what_a_poor_factor_gives(seed):
    rng = np.random.default_rng([12, seed])
    n = int(rng.integers(2, 9))
    A, b = definite(rng, n, 1e12), rng.standard_normal(n)
    assert solve(A, b, method="dantzig").status is Status.SOLVED


@pytest.mark.parametrize("method", PIVOTING)
def test_what_has_no_answer_is_still_proved(method):
    rng = np.random.default_rng(3)
    proved = 0
    for _ in range(100):
        status = solve(*without_answer(rng), method=method).status
        assert status is not Status.SOLVED
        proved += status is Status.NO_SOLUTION
    assert proved >= 95


@pytest.mark.parametrize("seed", [51, 100, 116, 197])
def test_dantzig_proves_it_where_the_factor_alone_is_too_coarse(seed):
    A, b = without_answer(np.random.default_rng([11, seed]))
    assert solve(A, b, method="dantzig").status is Status.NO_SOLUTION


@pytest.mark.parametrize("method", PIVOTING)
def test_no_proof_without_a_direction_that_runs_for_ever(method):
    A = np.array([[1.0, -1.0], [-1.0, 1.0]])
    b = [-1.0, 0.5]
    assert solve(A, b, method=method).status is Status.NO_SOLUTION
    assert solve(A, b, 0.0, [INF, 7.0], method=method).status is Status.SOLVED


# Far bounds --------------------------------------------------------------------------------------


@pytest.mark.parametrize("far", [1e3, 1e4, 1e6, 1e9, 1e12])
def test_lemke_with_bounds_far_away(far):
    assert solve([[1.0]], [-0.3], -far, far, method="lemke").x[0] == pytest.approx(0.3)
    A = [[3.3, -3.0], [-3.0, 6.7]]
    assert solve(A, [0.9, -0.3], -far, far, method="lemke").status is Status.SOLVED
    rng = np.random.default_rng(4)
    for trial in range(100):
        n = int(rng.integers(1, 21))
        G, b = rng.standard_normal((n, n)), rng.standard_normal(n)
        A = G @ G.T + 0.01 * np.eye(n)
        lo, hi = [(-far, far), (0.0, far), (-far, INF), (-INF, far)][trial % 4]
        solution = solve(A, b, lo, hi, method="lemke")
        assert solution.status is Status.SOLVED
        assert natural_map(A, b, solution.x, lo, hi) < 1e-9 * max(1, abs(solution.x).max())


@pytest.mark.parametrize("far", [1e3, 1e6])
def test_lemke_reaches_far_bounds_where_nothing_else_stops_x(far):
    A = [[1.0, 1.0], [1.0, 1.0]]
    solution = solve(A, [-1.0, 1.0], -far, far, method="lemke")
    assert solution.status is Status.SOLVED
    np.testing.assert_allclose(solution.x, [far, -far], rtol=1e-9)


def test_lemke_takes_the_same_path_to_bounds_at_any_distance():
    rng = np.random.default_rng(7)
    for _ in range(20):
        G, b = rng.standard_normal((10, 5)), rng.standard_normal(10)
        near, far = (solve(G @ G.T, b, -f, f, method="lemke") for f in (2.0**17, 2.0**22))
        assert near.iterations == far.iterations
        assert near.status is far.status is Status.SOLVED


def test_lemke_brings_back_only_the_far_bounds_that_count():
    A = np.diag([1e-4, 1.0])
    solution = solve(A, [-1e-2, 0.3], [-1e3, -1e12], [50.0, 1e12], method="lemke")
    assert solution.status is Status.SOLVED
    np.testing.assert_allclose(solution.x, [50.0, -0.3], rtol=1e-12)


# Starts ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1e4, 1e8, 1e10, 1e155])
def test_dantzig_forgets_absurd_starts(size):
    solution = solve(np.eye(5) + 0.1, -np.arange(1.0, 6.0), method="dantzig", x0=np.full(5, size))
    assert solution.status is Status.SOLVED
    rng = np.random.default_rng(5)
    for _ in range(100):
        n = int(rng.integers(2, 20))
        G = rng.standard_normal((n, max(1, n // 2)))
        A = G @ G.T
        A = (A + A.T) / 2
        b = -A @ np.maximum(rng.standard_normal(n), 0.0)
        x0 = size * abs(rng.standard_normal(n))
        assert solve(A, b, method="dantzig", x0=x0).status is Status.SOLVED


@pytest.mark.parametrize("seed", [682, 1066, 1694, 1852, 2882])
def test_dantzig_keeps_nothing_of_a_start_on_rows_that_depend_on_others(seed):
    rng = np.random.default_rng([11, seed])
    n = int(rng.integers(2, 20))
    G = rng.standard_normal((n, max(1, n // 2)))
    A = G @ G.T
    A = (A + A.T) / 2
    b = -A @ np.maximum(rng.standard_normal(n), 0.0)
    x0 = abs(b).max() * 10.0 ** rng.uniform(4, 5.8) * abs(rng.standard_normal(n))
    assert solve(A, b, -1e9, 1e9, method="dantzig", x0=x0).status is Status.SOLVED


# Limits and ways out of dead ends -----------------------------------------------------------------


def test_lemke_counts_the_pivots_of_all_its_paths_against_one_limit():
    J, A = boxes_between_walls([1.0, 2.0, 3.0])
    b = J @ np.array([-1, -1, 0.3, 0.5, -1, 0, 1, -1, 0.2])
    enough = solve(A, b, method="lemke").iterations
    for limit in range(1, enough):
        solution = solve(A, b, method="lemke", max_iterations=limit)
        assert solution.iterations == limit
        assert solution.status is Status.MAX_ITERATIONS
    bounded = solve(A, b, -1e-3, 1e9, method="lemke", max_iterations=3)
    assert bounded.iterations <= 3


@pytest.mark.parametrize(
    ("A", "b"),
    [([[-1, 3], [-2, 2]], [-1, 1]), ([[1, 2, 2], [2, 0, -1], [1, -2, 1]], [-3, 2, -3])],
)
def test_lemke_tries_another_path_after_a_ray(A, b):
    assert solve(np.array(A, float), np.array(b, float), method="lemke").status is Status.SOLVED


@pytest.mark.parametrize(
    ("A", "b"),
    [
        ([[-2, 3], [1, -1]], [1, -1]),
        ([[2, 2, 1], [0, -3, -2], [3, 1, 1]], [-2, 1, -3]),
        ([[0, 0, -3], [2, -2, 3], [-1, 2, 1]], [2, 0, -2]),
    ],
)
def test_lemke_looks_around_the_end_of_its_paths(A, b):
    assert solve(np.array(A, float), np.array(b, float), method="lemke").status is Status.SOLVED


def test_dantzig_finishes_by_the_strict_rule_when_the_loose_one_has_used_its_half():
    solved = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        G = rng.standard_normal((30, 20)) + 3
        A, b = G @ G.T, rng.standard_normal(30)
        lo, hi = -rng.random(30), rng.random(30)
        needed = solve((A + A.T) / 2, b, lo, hi, method="dantzig").iterations
        short = solve((A + A.T) / 2, b, lo, hi, method="dantzig", max_iterations=needed + 2)
        solved += short.status is Status.SOLVED
    assert solved >= 30


@pytest.mark.parametrize("method", ["lemke", "dantzig"])
def test_numbers_that_overflow_are_not_called_an_answer(method):
    A = np.array([[1.0, 1e200], [1e200, 1.0]])
    solution = solve(A, [-1.0, -1.0], method=method)
    assert np.all(np.isfinite(solution.x))
    assert (solution.status is Status.SOLVED) == (solution.residual <= 1e-10)
