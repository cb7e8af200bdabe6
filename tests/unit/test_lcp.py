"""The LCP solvers on problems whose answers are known in closed form."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from enginecore import Status
from enginecore.lcp import friction_lcp, residual, solve, solve_rows
from tests.lcp_problems import EXACT, METHODS, assemble, natural_map, random_contacts, stack

INF = np.inf


def least_squares_problem(n, seed=0):
    """A = C'C, b = -C'd: what nonnegative least squares solves."""
    rng = np.random.default_rng(seed)
    C, d = rng.standard_normal((n, n)), rng.standard_normal(n)
    A = C.T @ C
    return (A + A.T) / 2, -C.T @ d


# Small and extreme sizes ---------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("a", "b", "x"),
    [(2.0, -4.0, 2.0), (2.0, 4.0, 0.0), (2.0, 0.0, 0.0), (0.0, 3.0, 0.0), (0.0, 0.0, 0.0)],
)
def test_one_unknown(method, a, b, x):
    solution = solve([[a]], [b], method=method)
    assert solution.status is Status.SOLVED
    assert solution.x[0] == pytest.approx(x, abs=1e-14)
    assert solution.w[0] == pytest.approx(a * x + b, abs=1e-14)


@pytest.mark.parametrize("method", METHODS)
def test_no_unknown(method):
    solution = solve(np.zeros((0, 0)), [], method=method)
    assert solution.status is Status.SOLVED
    assert solution.x.shape == solution.w.shape == (0,)
    assert solution.residual == 0.0


@pytest.mark.parametrize("method", METHODS)
def test_two_unknowns_in_each_of_the_four_quadrants(method):
    A = np.array([[2.0, 1.0], [1.0, 3.0]])
    for b, x in (
        ([1, 1], [0, 0]),
        ([-2, 0], [1, 0]),
        ([1, -3], [0, 1]),
        ([-3, -4], [1, 1]),
    ):
        solution = solve(A, np.array(b, float), method=method)
        np.testing.assert_allclose(solution.x, x, atol=1e-12)


@pytest.mark.parametrize("method", EXACT)
def test_three_hundred_unknowns(method):
    A, b = least_squares_problem(300)
    solution = solve(A, b, method=method)
    assert solution.status is Status.SOLVED
    assert natural_map(A, b, solution.x) < 1e-9


@pytest.mark.parametrize("rank", [60, 150])
@pytest.mark.parametrize("method", ["auto", "lemke", "dantzig"])
def test_three_hundred_unknowns_of_low_rank(method, rank):
    C = np.random.default_rng(rank).standard_normal((rank, 300))
    d = np.random.default_rng(1).standard_normal(rank)
    A, b = C.T @ C, -C.T @ d
    solution = solve((A + A.T) / 2, b, method=method)
    assert solution.status is Status.SOLVED


@pytest.mark.parametrize("method", METHODS)
def test_zero_matrix(method):
    nothing = np.zeros((3, 3))
    assert solve(nothing, [1, 0, 2], method=method).status is Status.SOLVED
    failed = solve(nothing, [1, 0, -2], method=method, max_iterations=200)
    assert failed.status is not Status.SOLVED
    assert failed.residual > 1e-5
    boxed = solve(nothing, [1, 0, -2], hi=[5, 5, 7], method=method)
    assert boxed.status is Status.SOLVED
    assert boxed.x[0] == 0.0
    assert boxed.x[2] == 7.0


@pytest.mark.parametrize("method", METHODS)
def test_nonnegative_b_is_answered_at_once(method):
    A, b = least_squares_problem(20)
    solution = solve(A, np.abs(b), method=method)
    assert solution.iterations == 0
    np.testing.assert_array_equal(solution.x, 0.0)
    np.testing.assert_array_equal(solution.w, np.abs(b))


# Bounds, equality rows, friction -------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_bounds_hold_with_the_right_sign_of_w(method):
    A, b = np.diag([1.0, 2.0, 4.0, 1.0]), np.array([-5.0, 5.0, -2.0, -0.5])
    solution = solve(A, b, lo=[0, -1, 0, 1], hi=[2, 1, 3, 9], method=method)
    np.testing.assert_allclose(solution.x, [2, -1, 0.5, 1], atol=1e-13)
    np.testing.assert_allclose(solution.w, [-3, 3, 0, 0.5], atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_one_number_is_a_bound_for_all_rows(method):
    solution = solve(np.eye(3), [-5.0, 0.2, 5.0], lo=-1, hi=1, method=method)
    np.testing.assert_allclose(solution.x, [1, -0.2, -1], atol=1e-13)


@pytest.mark.parametrize("method", METHODS)
def test_equality_rows_are_a_linear_system(method):
    A, b = least_squares_problem(6, seed=3)
    A += 6 * np.eye(6)
    solution = solve(A, b, lo=-INF, hi=INF, method=method)
    np.testing.assert_allclose(solution.x, np.linalg.solve(A, -b), rtol=1e-9)


@pytest.mark.parametrize("method", ["auto", "lemke", "dantzig", "minmap"])
def test_a_joint_said_twice_is_no_harder(method):
    J = np.array([[1.0, 0.0, 0.5], [0.0, 1.0, -0.5], [1.0, 0.0, 0.5], [1.0, 1.0, 0.0]])
    b = J @ [0.3, -0.7, 0.2]
    solution = solve(J @ J.T, b, lo=-INF, hi=INF, method=method)
    assert solution.status is Status.SOLVED
    np.testing.assert_allclose(solution.w, 0.0, atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("push", "mu"), [(0.2, 0.5), (0.9, 0.5), (-0.9, 0.5), (0.3, 0.0)])
def test_a_point_mass_sticks_below_and_slips_above_mu(method, push, mu):
    m, g = 3.0, 9.81
    A = np.eye(2) / m
    solution = solve(A, [-g, push * g], method=method, friction=([-1, 0], mu))
    assert solution.status is Status.SOLVED
    normal, tangent = solution.x
    assert normal == pytest.approx(m * g, rel=1e-12)
    assert tangent == pytest.approx(-np.clip(push, -mu, mu) * m * g, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_friction_follows_the_normal_force_that_friction_changes(method):
    """A rod's foot: the rows are coupled, so slip puts ft = mu fn into the normal row itself."""
    A, b, mu = np.array([[2.0, -0.6], [-0.6, 1.0]]), np.array([-3.0, 4.0]), 0.3
    solution = solve(A, b, method=method, friction=([-1, 0], mu))
    fn = 3.0 / (2.0 + 0.6 * mu)
    np.testing.assert_allclose(solution.x, [fn, -mu * fn], rtol=1e-11)
    assert solution.w[1] > 0


@pytest.mark.parametrize("method", ["auto", "lemke", "dantzig"])
@pytest.mark.parametrize("drag", [0.0, 0.05, 0.1])
def test_stack_with_a_top_ten_thousand_times_heavier(method, drag):
    masses = [1.0, 1.0, 1.0, 1.0, 1e4]
    J, bodies, inverse, normal = stack(masses)
    A, full = assemble(J, bodies, inverse)
    v = np.tile([drag * 0.1635, -0.1635, 0.0], len(masses))
    solution = solve(A, full @ v, method=method, friction=(normal, 0.6))
    assert solution.status is Status.SOLVED
    below = np.array([sum(masses[i:]) for i in range(len(masses))]) * 0.1635
    forces = solution.x[normal < 0].reshape(-1, 2).sum(axis=1)
    np.testing.assert_allclose(forces, below, rtol=1e-9)
    np.testing.assert_allclose(solution.w, 0.0, atol=1e-8)


@pytest.mark.parametrize("method", METHODS)
def test_box_on_four_corners_and_a_duplicated_contact(method):
    """Six contacts, rank three: forces are not unique, what they add up to is."""
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1], [1, 1], [0, 0]], float)
    J = np.column_stack([np.ones(6), corners])
    A, b = J @ np.diag([0.5, 3.0, 3.0]) @ J.T, np.full(6, -9.81)
    solution = solve(A, b, method=method)
    assert solution.status is Status.SOLVED
    np.testing.assert_allclose(J.T @ solution.x, [2 * 9.81, 0, 0], atol=1e-9)


def redundant_contacts(seed):
    """Random planar contacts, more rows than velocities, with friction."""
    rng = np.random.default_rng(seed)
    contacts = int(rng.integers(2, 7))
    J = rng.standard_normal((2 * contacts, 3 * max(1, contacts // 2)))
    normal = np.tile([-1, 0], contacts)
    normal[1::2] = np.arange(0, 2 * contacts, 2)
    A = J @ J.T
    return (A + A.T) / 2, J @ rng.standard_normal(J.shape[1]), normal


@pytest.mark.parametrize("seed", [41, 112, 115, 234, 276, 305, 349, 1131, 1205, 1432])
def test_minmap_leaves_the_local_minimum_it_runs_into(seed):
    """From x = 0 alone these end where the merit is stationary and H is not zero."""
    A, b, normal = redundant_contacts(seed)
    assert solve(A, b, method="minmap", friction=(normal, 0.8)).status is Status.SOLVED


@pytest.mark.parametrize("mu", [0.5, 1.5])
def test_slipping_rows_are_solved_together_with_their_normal_rows(mu):
    """At mu = 1.5 updating one after the other diverges; together it takes one step."""
    A, b = [[1.0, -0.9], [-0.9, 1.0]], [-1.0, 2.0]
    solution = solve(A, b, method="dantzig", friction=([-1, 0], mu))
    assert solution.iterations <= 2
    np.testing.assert_allclose(solution.x, np.array([1.0, -mu]) / (1 + 0.9 * mu), rtol=1e-12)


@pytest.mark.parametrize("n", [3, 5, 7])
def test_lemke_does_not_cycle_where_all_ratios_are_equal(n):
    """Kostreva's matrices: every ratio ties, and the first-index rule goes round in circles."""
    A = np.eye(n) + 2 * np.roll(np.eye(n), 1, axis=1)
    solution = solve(A, -np.ones(n), method="lemke")
    np.testing.assert_allclose(solution.x, 1 / 3, rtol=1e-12)
    assert solution.iterations == n + 1


# Statuses ------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["auto", "lemke", "dantzig"])
def test_a_ray_is_no_solution(method):
    """Two opposite walls approach: no force keeps both gaps open."""
    A, b = np.array([[1.0, -1.0], [-1.0, 1.0]]), np.array([-1.0, -1.0])
    solution = solve(A, b, method=method)
    assert solution.status is Status.NO_SOLUTION
    assert solution.residual > 0.1


@pytest.mark.parametrize("method", ["minmap", "pgs"])
def test_iterative_methods_only_say_that_they_did_not_arrive(method):
    A, b = np.array([[1.0, -1.0], [-1.0, 1.0]]), np.array([-1.0, -1.0])
    solution = solve(A, b, method=method, max_iterations=500)
    assert solution.status is Status.MAX_ITERATIONS
    assert solution.residual > 1e-10


@pytest.mark.parametrize(
    ("A", "b"),
    [
        ([[-1.0, 1.5], [1.5, -1.0]], [-2.0, 0.5]),
        ([[-3.0, 3.0], [2.0, -2.0]], [3.0, -2.0]),
        ([[1.0, 0.0, 3.0], [-2.0, 0.0, 3.0], [2.0, 1.0, -3.0]], [-7.0, -4.0, 3.0]),
    ],
)
def test_auto_goes_on_after_a_ray_that_proves_nothing(A, b):
    solution = solve(A, b)
    assert solution.status is Status.SOLVED
    assert natural_map(np.array(A), np.array(b), solution.x) < 1e-9


def test_auto_says_no_solution_from_where_lemke_stopped():
    """Far out on the ray, where minmap runs to, the residual is small and x says nothing."""
    solution = solve([[1.0, -1.0], [-1.0, 1.0]], [-1.0, -1.0])
    assert solution.status is Status.NO_SOLUTION
    assert np.abs(solution.x).max() < 10


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("limit", [1, 3, 20])
def test_max_iterations_bounds_what_is_tried_together(method, limit):
    """Too hard for so few, so auto would come to its last method."""
    rng = np.random.default_rng(0)
    A, b = rng.standard_normal((60, 60)), -np.ones(60)
    A = A + A.T if method == "dantzig" else A
    for x0 in (None, np.ones(60)):
        solution = solve(A, b, method=method, max_iterations=limit, x0=x0)
        assert solution.iterations <= limit


def test_contradicting_equality_rows_are_no_solution():
    A = np.ones((2, 2))
    for method in ("auto", "lemke", "dantzig"):
        assert solve(A, [1.0, 2.0], -INF, INF, method=method).status is Status.NO_SOLUTION


def test_an_indefinite_matrix_is_singular_for_dantzig_and_solved_by_auto():
    A, b = np.array([[1.0, 2.0], [2.0, 1.0]]), np.array([-1.0, -1.0])
    assert solve([[-1.0]], [-1.0], method="dantzig").status is Status.SINGULAR
    assert solve(A, b).status is Status.SOLVED
    assert solve([[1.0, 3.0], [3.0, 1.0]], [-1.0, -2.0], lo=-1, hi=1).status is Status.SOLVED


@pytest.mark.parametrize("method", METHODS)
def test_too_few_iterations_are_never_solved(method):
    A, b = least_squares_problem(60, seed=5)
    solution = solve(A, b, method=method, max_iterations=1)
    if solution.status is not Status.SOLVED:
        assert solution.status is Status.MAX_ITERATIONS
        assert solution.residual > 1e-10
    if method in ("lemke", "minmap", "pgs"):
        assert solution.status is Status.MAX_ITERATIONS


@pytest.mark.parametrize("method", METHODS)
def test_an_answer_that_misses_the_tolerance_is_not_solved(method):
    A, b = least_squares_problem(40, seed=2)
    solution = solve(A, b, method=method, tol=1e-300, max_iterations=2000)
    assert solution.residual > 0
    assert solution.status is not Status.SOLVED


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("tol", [1e-3, 1e-6, 1e-12])
def test_solved_means_that_the_residual_meets_tol(method, tol):
    A, b = least_squares_problem(25, seed=4)
    solution = solve(A, b, method=method, tol=tol)
    assert solution.status is Status.SOLVED
    assert solution.residual == pytest.approx(residual(A, b, solution.x), rel=1e-3, abs=1e-15)
    assert solution.residual <= tol


@pytest.mark.parametrize("factor", [1e-6, 1e6])
@pytest.mark.parametrize("method", METHODS)
def test_scaling_a_and_b_changes_no_status(method, factor):
    problems = [
        least_squares_problem(12),
        (np.array([[1.0, -1.0], [-1.0, 1.0]]), np.array([-1.0, -1.0])),
        (np.zeros((2, 2)), np.array([-1.0, 1.0])),
        (np.ones((3, 3)), np.array([-1.0, -1.0, 2.0])),
    ]
    for A, b in problems:
        plain = solve(A, b, method=method, max_iterations=500)
        for scaled in (
            solve(factor * A, factor * b, method=method, max_iterations=500),
            solve(factor * A, b, method=method, max_iterations=500),
            solve(A, factor * b, method=method, max_iterations=500),
        ):
            assert scaled.status is plain.status
            if plain.status is Status.SOLVED:
                assert scaled.residual < 1e-10


@pytest.mark.parametrize("method", ["auto", "lemke", "minmap"])
@pytest.mark.parametrize("k", [4, 6, 8])
def test_grams_and_tonnes_are_solved_alike(method, k):
    """Only the B blocks of the cone LCP carry 1/mass: its rows must be scaled one by one."""
    Bnn, Bnt, Btt, bn, bt = random_contacts(np.random.default_rng(k), 3, 5, k)
    b = np.concatenate([bn, bt, np.zeros(5)])
    plain = solve(friction_lcp(Bnn, Bnt, Btt, 0.5), b, method=method)
    assert plain.status is Status.SOLVED
    for mass in (1e-6, 1e6):
        scaled = solve(friction_lcp(Bnn / mass, Bnt / mass, Btt / mass, 0.5), b, method=method)
        assert scaled.status is Status.SOLVED
        assert scaled.residual < 1e-12


@pytest.mark.parametrize("factor", [1e-6, 1e6])
@pytest.mark.parametrize("method", METHODS)
def test_scaling_changes_no_status_of_rows_that_act_on_nothing(method, factor):
    zero, mixed = np.zeros((1, 1)), np.diag([1.0, 0.0])
    for A, b, lo, hi in (
        (zero, [-1e-6], 1.0, None),
        (zero, [-1e-6], 1.0, 2.0),
        (mixed, [-1.0, -1e-6], [0.0, 1e3], None),
        (mixed, [-1.0, 1.0], [0.0, 1e3], None),
    ):
        b = np.array(b)
        plain = solve(A, b, lo, hi, method=method, max_iterations=200)
        scaled = solve(factor * A, factor * b, lo, hi, method=method, max_iterations=200)
        assert scaled.status is plain.status
        assert scaled.residual == pytest.approx(plain.residual, rel=1e-6, abs=1e-12)


# The residual --------------------------------------------------------------------------------


def test_residual_is_the_documented_formula():
    A, b = least_squares_problem(9, seed=7)
    x = np.abs(np.random.default_rng(0).standard_normal(9))
    d = 1 / np.sqrt(np.diag(A))
    natural = np.abs(np.minimum(x / d, d * (A @ x + b))).max()
    unit = np.abs(d * b).max()
    unit = max(unit, min(np.abs(x / d).max(), 1e4 * unit))
    assert residual(A, b, x) == pytest.approx(natural / unit, rel=1e-12)


def test_residual_is_the_same_in_every_unit():
    A, b = least_squares_problem(9, seed=7)
    x = np.abs(np.random.default_rng(0).standard_normal(9))
    plain = residual(A, b, x)
    for mass, length in ((1e-6, 1.0), (1e6, 1.0), (1.0, 1e3), (1e-9, 1e-3)):
        scaled = residual(A / mass, b * length, x * mass * length)
        assert scaled == pytest.approx(plain, rel=1e-12)


def test_residual_of_friction_uses_the_bounds_of_this_x():
    A, b, friction = np.eye(2), np.array([-1.0, 5.0]), (np.array([-1, 0]), 0.5)
    assert residual(A, b, [1.0, -0.5], friction=friction) == 0.0
    assert residual(A, b, [1.0, -0.6], friction=friction) == pytest.approx(0.1 / 5)
    assert residual(A, b, [0.5, -0.5], friction=friction) > 0.04


def test_residual_of_nonsense_is_not_small():
    A, b = np.eye(2), np.array([-1.0, -1.0])
    assert residual(A, b, [np.nan, 1.0]) == INF
    assert residual(A, b, [1.0, -1.0]) >= 1.0
    # far out on a null vector b weighs nothing beside x; the unit must not grow with it
    assert residual([[1.0, -1.0], [-1.0, 1.0]], b, [1e20, 1e20]) > 1e-5


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("value", [np.nan, INF, -INF])
def test_residual_finds_what_is_not_finite_in_any_row(value, place):
    x = np.ones(3)
    x[place] = value
    assert residual(np.eye(3), [-1.0, 0.0, 0.0], x) == INF


def test_residual_does_not_forget_a_row_that_overflows():
    """w[0] is inf - inf; the row after it is an answer."""
    assert residual([[1e200, -1e200], [0.0, 1.0]], [0.0, -1e299], [1e200, 1e299]) == INF


def test_a_small_w_counts_beside_a_large_x():
    """x - mid(lo, x - w, hi), taken as it stands, is 0 where w is below the rounding of x."""
    assert residual([[0.0]], [-2.0], [1e17], lo=-INF) > 1e-5
    assert residual([[1.0, -1.0], [-1.0, 1.0]], [-1.0, -1.0], [1e17, 1e17]) > 1e-5
    assert residual([[0.0]], [-2.0], [1e17], hi=1e17) == 0.0


@pytest.mark.parametrize("method", METHODS)
def test_a_huge_start_hides_no_error(method):
    solution = solve([[5, 0], [0, 0]], [-3, -2], x0=[1e20, 1e20], method=method, max_iterations=500)
    assert solution.status is not Status.SOLVED
    assert solution.w[1] == -2.0
    assert solution.residual > 1e-5


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("x0", [None, [0.5, 0.25]])
def test_the_residual_is_that_of_the_x_returned(method, x0):
    for A, b in (
        ([[1.0, -2.0], [-2.0, 1.0]], [-1.0, -1.0]),
        ([[1.0, -1.0], [-1.0, 1.0]], [-1.0, -1.0]),
        ([[1.0, -3.0], [-2.0, 1.0]], [-1.0, 0.5]),
    ):
        if method == "dantzig" and A[0][1] != A[1][0]:
            continue
        solution = solve(A, b, method=method, x0=x0, max_iterations=3000)
        assert np.isfinite(solution.x).all()
        assert solution.residual == pytest.approx(residual(A, b, solution.x), rel=1e-12)
        np.testing.assert_allclose(solution.w, np.array(A) @ solution.x + b, rtol=1e-12)


def test_minmap_survives_sweeps_that_diverge():
    """Gauss-Seidel overflows here; NaN then made rows look tied to a normal row there is not."""
    A = [[1, -400, -300], [-700, 0.1, 800], [-800, -600, 0.01]]
    solution = solve(A, [0, -1, -1], [0, 0, -INF], [INF, 1, INF], method="minmap")
    assert np.isfinite(solution.x).all()
    assert np.isfinite(solution.residual)
    normal = [-1, -1, 0]
    solution = solve(A, [0, -1, -1], [0, 0, -INF], [INF, 1, INF], "minmap", friction=(normal, 0.5))
    assert np.isfinite(solution.x).all()


# Warm starts ---------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_the_answer_as_start_costs_nothing(method):
    A, b = least_squares_problem(50)
    cold = solve(A, b, method=method)
    warm = solve(A, b, method=method, x0=cold.x)
    assert warm.iterations == 0
    np.testing.assert_array_equal(warm.x, cold.x)


def test_dantzig_keeps_the_free_set_of_the_start():
    """A new b with the same free rows: the one factorisation of the start, and no pivot."""
    A, b = least_squares_problem(80)
    cold = solve(A, b, method="dantzig")
    warm = solve(A, 1.001 * b, method="dantzig", x0=cold.x)
    assert warm.iterations == 0
    np.testing.assert_allclose(warm.x, 1.001 * cold.x, atol=1e-12)


def test_dantzig_keeps_the_free_set_with_friction():
    J, bodies, inverse, normal = stack([1.0, 2.0, 1.0])
    A, full = assemble(J, bodies, inverse)
    b = full @ np.tile([0.01, -0.2, 0.0], 3)
    cold = solve(A, b, method="dantzig", friction=(normal, 0.5))
    warm = solve(A, 1.01 * b, method="dantzig", friction=(normal, 0.5), x0=1.01 * cold.x)
    assert warm.iterations == 0
    assert warm.status is Status.SOLVED


@pytest.mark.parametrize("method", ["minmap", "pgs"])
def test_a_near_start_saves_iterations(method):
    A, b = least_squares_problem(40, seed=1)
    cold = solve(A, b, method=method)
    warm = solve(A, b * (1 + 1e-9), method=method, x0=cold.x, tol=1e-12)
    assert warm.iterations < cold.iterations


def test_a_start_outside_the_bounds_is_brought_inside():
    solution = solve(np.eye(2), [-1.0, 1.0], x0=[5.0, -7.0])
    np.testing.assert_allclose(solution.x, [1.0, 0.0], atol=1e-14)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("b", [[0.0, 0.0], [0.0, 1.0]])
def test_nonnegative_b_is_answered_at_once_from_any_start(method, b):
    for A in ([[2.0, 1.0], [1.0, 2.0]], [[1.0, -2.0], [-2.0, 13.0]]):
        solution = solve(A, b, method=method, x0=[0.3, 0.7])
        assert solution.status is Status.SOLVED
        assert solution.iterations == 0
        np.testing.assert_array_equal(solution.x, 0.0)


@pytest.mark.parametrize(
    ("method", "A", "b", "x0"),
    [
        ("dantzig", [[2, 2, -1], [2, 0, 2], [-1, 2, 2]], [-6, -8, -6], [0, 4, 0]),
        ("minmap", [[-1, 1], [1, 0]], [2, -1], [0, 2]),
        ("minmap", [[0, 3, 0], [3, -3, 1], [2, 0, -1]], [-3, 0, -1], [4, 2, 4]),
    ],
)
def test_a_start_that_leads_nowhere_is_dropped(method, A, b, x0):
    assert solve(A, b, method=method).status is Status.SOLVED
    assert solve(A, b, method=method, x0=x0).status is Status.SOLVED


@pytest.mark.parametrize("method", METHODS)
def test_a_start_better_than_what_was_found_is_kept(method):
    A, b = np.array([[1.0, -1.0], [-1.0, 1.0]]), np.array([-1.0, -1.0])
    x0 = [1e3, 1e3]
    solution = solve(A, b, method=method, x0=x0, max_iterations=2)
    assert solution.status is not Status.SOLVED
    assert solution.residual <= residual(A, b, x0)


# Behaviour -----------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_same_bits_whatever_was_solved_before(method):
    A, b = least_squares_problem(30, seed=8)
    first = solve(A, b, method=method)
    for other in METHODS:
        solve(*least_squares_problem(45, seed=9), method=other)
    again = solve(A, b, method=method)
    assert again.x.tobytes() == first.x.tobytes()
    assert again.iterations == first.iterations


def test_threads_do_not_disturb_each_other():
    problems = [least_squares_problem(40, seed=s) for s in range(8)]
    alone = [solve(A, b).x.tobytes() for A, b in problems]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda p: solve(*p).x.tobytes(), problems * 5))
    assert together == alone * 5


@pytest.mark.parametrize("method", METHODS)
def test_arguments_are_not_written_to(method):
    A, b = least_squares_problem(10)
    x0, lo = np.ones(10), np.zeros(10)
    for array in (A, b, x0, lo):
        array.flags.writeable = False
    before = A.copy()
    solution = solve(A, b, lo=lo, method=method, x0=x0)
    np.testing.assert_array_equal(A, before)
    np.testing.assert_array_equal(x0, 1.0)
    assert solution.x is not x0


def test_any_memory_layout_is_taken():
    A, b = least_squares_problem(10)
    solution = solve(np.asfortranarray(A), np.repeat(b, 2)[::2])
    np.testing.assert_array_equal(solution.x, solve(A.tolist(), b.tolist()).x)


def test_a_solution_unpacks():
    x, w, error, iterations, status = solve([[1.0]], [-1.0])
    assert (x[0], w[0], error, status) == (1.0, 0.0, 0.0, Status.SOLVED)
    assert iterations >= 0


# Sparse block rows ---------------------------------------------------------------------------


def test_block_rows_in_the_plane_solve_the_dense_problem():
    J, bodies, inverse, normal = stack([1.0, 2.0, 0.5])
    A, full = assemble(J, bodies, inverse)
    b = full @ np.tile([0.02, -0.2, 0.01], 3)
    sparse = solve_rows(J, bodies, inverse, b, friction=(normal, 0.5))
    dense = solve(A, b, method="dantzig", friction=(normal, 0.5))
    assert sparse.status is Status.SOLVED
    np.testing.assert_allclose(sparse.w, A @ sparse.x + b, atol=1e-13)
    np.testing.assert_allclose(sparse.w, dense.w, atol=1e-9)
    assert sparse.residual == pytest.approx(
        residual(A, b, sparse.x, friction=(normal, 0.5)), abs=1e-14
    )


def test_block_rows_in_space_take_full_inertia_tensors():
    rng = np.random.default_rng(2)
    bodies = np.array([[0, -1], [1, 0], [-1, 1], [1, 0]])
    J = rng.standard_normal((4, 2, 6))
    inverse = np.array([M @ M.T + np.eye(6) for M in rng.standard_normal((2, 6, 6))])
    A, full = assemble(J, bodies, inverse)
    b = full @ rng.standard_normal(12)
    for lo, hi in ((None, None), (-0.02, 0.02), (-INF, INF)):
        sparse = solve_rows(J, bodies, inverse, b, lo, hi)
        dense = solve(A, b, lo, hi)
        np.testing.assert_allclose(sparse.x, dense.x, atol=1e-9)


def test_block_rows_start_warm_and_relaxed():
    J, bodies, inverse, _ = stack([1.0, 2.0, 0.5])
    b = assemble(J, bodies, inverse)[1] @ np.tile([0.0, -0.2, 0.0], 3)
    lo = np.where(np.arange(len(b)) % 2, -INF, 0.0)
    cold = solve_rows(J, bodies, inverse, b, lo)
    warm = solve_rows(J, bodies, inverse, b, lo, x0=cold.x)
    fast = solve_rows(J, bodies, inverse, b, lo, relaxation=1.3)
    assert warm.iterations <= 3 < cold.iterations
    assert fast.iterations < cold.iterations
    few = solve_rows(J, bodies, inverse, b, lo, max_iterations=2)
    assert few.status is Status.MAX_ITERATIONS
    assert few.iterations == 2
    assert few.residual > 1e-10


def test_block_rows_see_a_small_w_beside_a_large_x():
    """Two opposite walls: no answer, and far out J M^-1 J' x is rounding."""
    J = np.zeros((2, 2, 3))
    J[0, 0, 0], J[1, 0, 0] = 1, -1
    solution = solve_rows(J, [[0, -1]] * 2, np.ones((1, 3)), [-1, -1], x0=[1e17, 1e17])
    assert solution.status is not Status.SOLVED
    many = np.random.default_rng(3).standard_normal((2, 2, 3))
    many[1] = -many[0]
    solution = solve_rows(many, [[0, 1]] * 2, np.ones((2, 3)), [-1, -1], x0=[1e17, 1e17])
    assert solution.status is not Status.SOLVED


def test_block_rows_of_what_cannot_move_go_to_their_bound():
    rows = np.ones((1, 2, 3)), [[0, -1]], np.zeros((1, 3))
    at_bound = solve_rows(*rows, [-1], hi=5)
    assert at_bound.status is Status.SOLVED
    assert at_bound.x[0] == 5.0
    endless = solve_rows(*rows, [-1])
    assert endless.status is Status.SINGULAR
    assert endless.x[0] == 0.0
    assert endless.residual == 1.0


def test_block_rows_are_answered_at_once():
    J, bodies, inverse, _ = stack([1.0, 2.0, 0.5])
    n = len(J)
    for x0 in (None, np.ones(n)):
        resting = solve_rows(J, bodies, inverse, np.arange(n), x0=x0)
        assert resting.iterations == 0
        np.testing.assert_array_equal(resting.x, 0.0)
        np.testing.assert_array_equal(resting.w, np.arange(n))
    answer = solve_rows(J, bodies, inverse, -np.ones(n), -INF, hi=1.0)
    again = solve_rows(J, bodies, inverse, -np.ones(n), -INF, hi=1.0, x0=answer.x)
    assert again.iterations == 0
    assert again.residual == answer.residual


def test_no_block_rows():
    nothing = solve_rows(np.zeros((0, 2, 3)), np.zeros((0, 2), int), np.ones((1, 3)), [])
    assert nothing.status is Status.SOLVED


def test_relaxation_changes_the_path_not_the_answer():
    A, b = least_squares_problem(20, seed=6)
    plain, over = solve(A, b, method="pgs"), solve(A, b, method="pgs", relaxation=1.5)
    assert over.iterations < plain.iterations
    np.testing.assert_allclose(over.x, plain.x, atol=1e-9)
