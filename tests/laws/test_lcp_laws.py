"""Laws of the LCP solvers on random problems, checked against enumeration of all bases (n <= 8)."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from enginecore import Status
from enginecore.lcp import friction_lcp, residual, solve
from tests.lcp_problems import EXACT, METHODS, enumerate_answers, natural_map, random_contacts

INF = np.inf
FEW = settings(max_examples=150, deadline=None, derandomize=True)
FEWER = settings(max_examples=60, deadline=None, derandomize=True)


@st.composite
def matrices(draw, rows, columns):
    """Small whole numbers and halves: ties, zeros and dependent rows come often."""
    entries = draw(st.lists(st.integers(-4, 4), min_size=rows * columns, max_size=rows * columns))
    return np.array(entries, float).reshape(rows, columns) / 2


@st.composite
def definite(draw):
    n = draw(st.integers(1, 7))
    C = draw(matrices(n, n))
    return C @ C.T + 0.5 * np.eye(n), draw(matrices(1, n))[0]


@st.composite
def semidefinite(draw):
    """Any b: some have an answer, some none."""
    n = draw(st.integers(1, 7))
    C = draw(matrices(n, draw(st.integers(1, n))))
    return C @ C.T, draw(matrices(1, n))[0]


@st.composite
def degenerate(draw):
    """An answer with x_i = w_i = 0 in many rows, and repeated rows."""
    n = draw(st.integers(2, 7))
    C = draw(matrices(n, n))
    C[-1] = C[0]
    A = C @ C.T
    x = np.array(draw(st.lists(st.sampled_from([0, 0, 1, 2]), min_size=n, max_size=n)), float)
    w = np.where(x > 0, 0, draw(st.lists(st.sampled_from([0, 0, 1]), min_size=n, max_size=n)))
    return A, w - A @ x


@st.composite
def copositive(draw):
    """Nonnegative with a positive diagonal, not symmetric: there is always an answer."""
    n = draw(st.integers(1, 6))
    return np.abs(draw(matrices(n, n))) + 0.5 * np.eye(n), draw(matrices(1, n))[0]


@st.composite
def bounded(draw):
    """Bounds of every kind, and an answer to exist."""
    n = draw(st.integers(1, 8))
    C = draw(matrices(n, draw(st.integers(1, n))))
    A = C @ C.T
    kinds = st.sampled_from(
        [(0.0, INF), (-INF, INF), (-INF, 0.5), (-1.0, 1.0), (0.5, 2.0), (1.0, 1.0)]
    )
    lo, hi = np.array(draw(st.lists(kinds, min_size=n, max_size=n))).T
    x = np.clip(draw(matrices(1, n))[0], lo, hi)
    push = np.abs(draw(matrices(1, n))[0])
    w = np.where(x == lo, push, np.where(x == hi, -push, 0.0))
    return A, w - A @ x, lo, hi


def is_answer(A, b, x, lo=0.0, hi=INF):
    return natural_map(A, b, x, lo, hi) <= 1e-9 * (
        1 + np.abs(x).max(initial=0) + np.abs(b).max(initial=0)
    )


@FEW
@given(definite())
def test_positive_definite_has_one_answer_and_all_find_it(problem):
    A, b = problem
    (expected,) = unique(enumerate_answers(A, b))
    for method in METHODS:
        solution = solve(A, b, method=method)
        assert solution.status is Status.SOLVED
        np.testing.assert_allclose(solution.x, expected, atol=1e-8 * (1 + np.abs(expected).max()))


@FEW
@given(semidefinite())
def test_semidefinite_is_solved_if_and_only_if_it_can_be(problem):
    A, b = problem
    answers = enumerate_answers(A, b)
    for method in EXACT:
        solution = solve(A, b, method=method)
        if answers:
            assert solution.status is Status.SOLVED
            assert is_answer(A, b, solution.x)
            np.testing.assert_allclose(solution.w, A @ answers[0] + b, atol=1e-8)
        elif method == "minmap":
            assert solution.status is Status.MAX_ITERATIONS
        else:
            assert solution.status is Status.NO_SOLUTION


@FEW
@given(degenerate())
def test_degenerate_problems_do_not_cycle(problem):
    A, b = problem
    w = A @ enumerate_answers(A, b)[0] + b
    for method in EXACT:
        solution = solve(A, b, method=method)
        assert solution.status is Status.SOLVED
        assert solution.iterations < 400
        np.testing.assert_allclose(solution.w, w, atol=1e-8)


@FEW
@given(copositive())
def test_copositive_problems_are_solved_by_an_enumerated_answer(problem):
    A, b = problem
    answers = enumerate_answers(A, b)
    for method in ("auto", "lemke", "minmap"):
        solution = solve(A, b, method=method)
        assert solution.status is Status.SOLVED
        assert is_answer(A, b, solution.x)
        if method == "lemke" and np.all(np.abs(np.maximum(solution.x, solution.w)) > 1e-9):
            assert min(np.abs(solution.x - x).max() for x in answers) < 1e-7


@FEW
@given(bounded())
def test_bounds_of_every_kind(problem):
    A, b, lo, hi = problem
    for method in EXACT:
        solution = solve(A, b, lo, hi, method=method)
        assert solution.status is Status.SOLVED
        assert np.all(solution.x >= lo)
        assert np.all(solution.x <= hi)
        assert is_answer(A, b, solution.x, lo, hi)


@FEW
@given(bounded(), st.sampled_from([1e-6, 1e6]), st.sampled_from(EXACT))
def test_scaling_changes_no_status(problem, factor, method):
    A, b, lo, hi = problem
    plain = solve(A, b, lo, hi, method=method)
    assert solve(factor * A, factor * b, lo, hi, method=method).status is plain.status
    assert solve(factor * A, b, lo / factor, hi / factor, method=method).status is plain.status


@FEW
@given(bounded(), st.lists(st.integers(-8, 8), min_size=8, max_size=8))
def test_units_of_each_row_change_no_status(problem, powers):
    """Row i in its own unit: forces in grams here, in tonnes there."""
    A, b, lo, hi = problem
    d = 10.0 ** np.array(powers[: len(b)])
    solution = solve(A * np.outer(d, d), b * d, lo / d, hi / d)
    assert solution.status is Status.SOLVED


@FEW
@given(st.one_of(semidefinite(), copositive(), definite()), st.sampled_from(METHODS))
def test_solved_if_and_only_if_the_residual_says_so(problem, method):
    A, b = problem
    assume(method != "dantzig" or np.array_equal(A, A.T))
    solution = solve(A, b, method=method, max_iterations=50)
    assert (solution.status is Status.SOLVED) == (solution.residual <= 1e-10)
    assert solution.residual == pytest.approx(residual(A, b, solution.x), rel=1e-6, abs=1e-14)
    np.testing.assert_allclose(
        solution.w, A @ solution.x + b, rtol=1e-12, atol=1e-12 * max(1, abs(solution.x).max())
    )
    assert np.all(solution.x >= 0)


@FEW
@given(bounded(), st.sampled_from(EXACT))
def test_warm_start_from_the_answer_needs_no_iteration(problem, method):
    A, b, lo, hi = problem
    cold = solve(A, b, lo, hi, method=method)
    warm = solve(A, b, lo, hi, method=method, x0=cold.x)
    assert warm.iterations == 0
    assert warm.status is Status.SOLVED


@FEW
@given(bounded(), matrices(1, 8), st.sampled_from(METHODS))
def test_any_start_leads_to_an_answer(problem, start, method):
    A, b, lo, hi = problem
    solution = solve(A, b, lo, hi, method=method, x0=start[0, : len(b)])
    if method != "pgs":
        assert solution.status is Status.SOLVED
    assert (solution.status is Status.SOLVED) == (solution.residual <= 1e-10)


@FEWER
@given(st.integers(0, 10**6), st.integers(1, 4), st.sampled_from([4, 6, 8]), st.floats(0, 1.5))
def test_friction_cones_are_solved_by_lemke_and_by_minmap(seed, contacts, k, mu):
    rng = np.random.default_rng(seed)
    Bnn, Bnt, Btt, bn, bt = random_contacts(rng, max(1, contacts // 2), contacts, k)
    A = friction_lcp(Bnn, Bnt, Btt, mu)
    b = np.concatenate([bn, bt, np.zeros(contacts)])
    for method in ("lemke", "minmap"):
        solution = solve(A, b, method=method)
        assert solution.status is Status.SOLVED
        normal = solution.x[:contacts]
        tangent = solution.x[contacts:-contacts].reshape(k, contacts)
        assert np.all(tangent.sum(axis=0) <= mu * normal + 1e-9 * (1 + normal.max()))
        # friction takes energy out, never puts any in: f.(v + w)/2 over the tangents
        w = solution.w[contacts:-contacts].reshape(k, contacts) - solution.x[-contacts:]
        v = bt.reshape(k, contacts)
        assert np.sum(tangent * (v + w)) + np.sum(normal * (bn + solution.w[:contacts])) <= 1e-8


@FEWER
@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(0, 2), st.floats(0, 1.2))
def test_friction_rows_obey_coulomb_with_their_own_normal_force(seed, contacts, joints, mu):
    """Random contacts and joints: |f| <= mu n with the n of the same answer, and f against w."""
    rng = np.random.default_rng(seed)
    n = 2 * contacts + joints
    J = rng.standard_normal((n, 3 * max(2, contacts)))
    normal = np.array([-1, 0] * contacts + [-1] * joints)
    normal[1 : 2 * contacts : 2] = np.arange(0, 2 * contacts, 2)
    lo = np.array([0.0] * 2 * contacts + [-INF] * joints)
    A, b = J @ J.T, J @ rng.standard_normal(J.shape[1])
    A = (A + A.T) / 2
    for method in ("auto", "lemke", "dantzig"):
        solution = solve(A, b, lo, method=method, friction=(normal, mu))
        assert solution.status is Status.SOLVED
        x, w = solution.x, solution.w
        scale = 1e-8 * (1 + np.abs(x).max())
        for f in range(1, 2 * contacts, 2):
            bound = mu * x[f - 1]
            assert abs(x[f]) <= bound * (1 + 1e-12)
            if w[f] > scale:
                assert x[f] == pytest.approx(-bound, abs=scale)
            elif w[f] < -scale:
                assert x[f] == pytest.approx(bound, abs=scale)
        np.testing.assert_allclose(w[2 * contacts :], 0.0, atol=scale)


def unique(answers):
    """Enumerated answers without repetition."""
    kept = []
    for x in answers:
        if all(np.abs(x - y).max() > 1e-7 for y in kept):
            kept.append(x)
    return kept
