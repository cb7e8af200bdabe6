"""Whatever is not a problem is refused, and the message names the argument and the value."""

import numpy as np
import pytest

from enginecore.lcp import friction_lcp, residual, solve, solve_rows

A = np.array([[2.0, 1.0], [1.0, 2.0]])
B = np.array([-1.0, -1.0])
NAN, INF = float("nan"), float("inf")

BAD = {
    "A not square": ({"A": np.ones((2, 3))}, r"A must be a square matrix, got the shape \(2, 3\)"),
    "A a vector": ({"A": np.ones(4)}, r"A must be a square matrix, got the shape \(4,\)"),
    "A nan": ({"A": [[2, 1], [NAN, 2]]}, r"A must be finite, got A\[1, 0\] = nan"),
    "A inf": ({"A": [[2, INF], [1, 2]]}, r"A must be finite, got A\[0, 1\] = inf"),
    "b short": ({"b": [1.0]}, r"b must have the shape \(2,\), got \(1,\)"),
    "b matrix": ({"b": [[1.0], [2.0]]}, r"b must have the shape \(2,\), got \(2, 1\)"),
    "b nan": ({"b": [1.0, NAN]}, r"b must be finite, got b\[1\] = nan"),
    "b -inf": ({"b": [-INF, 0.0]}, r"b must be finite, got b\[0\] = -inf"),
    "lo long": ({"lo": [0, 0, 0]}, r"lo must have the shape \(2,\), got \(3,\)"),
    "hi long": ({"hi": [1, 1, 1]}, r"hi must have the shape \(2,\), got \(3,\)"),
    "lo above hi": (
        {"lo": [0, 3], "hi": [1, 2]},
        r"lo must be <= hi, got lo\[1\] = 3.0 > hi\[1\] = 2.0",
    ),
    "hi below 0": ({"hi": [1, -2]}, r"lo must be <= hi, got lo\[1\] = 0.0 > hi\[1\] = -2.0"),
    "lo nan": ({"lo": [NAN, 0]}, r"lo must be a number below infinity, got lo\[0\] = nan"),
    "lo inf": ({"lo": INF}, r"lo must be a number below infinity, got lo\[0\] = inf"),
    "hi nan": ({"hi": [1, NAN]}, r"hi must be a number above -infinity, got hi\[1\] = nan"),
    "hi -inf": (
        {"lo": -INF, "hi": -INF},
        r"hi must be a number above -infinity, got hi\[0\] = -inf",
    ),
    "method": ({"method": "newton"}, r"method must be one of auto, .*, pgs, got 'newton'"),
    "tol 0": ({"tol": 0}, r"tol must be finite and > 0, got 0"),
    "tol nan": ({"tol": NAN}, r"tol must be finite and > 0, got nan"),
    "no iterations": (
        {"max_iterations": 0},
        r"max_iterations must be a whole number from 1 to \d+, got 0",
    ),
    "half": (
        {"max_iterations": 1.5},
        r"max_iterations must be a whole number from 1 to \d+, got 1.5",
    ),
    "x0 short": ({"x0": [1.0]}, r"x0 must have the shape \(2,\), got \(1,\)"),
    "x0 nan": ({"x0": [1.0, NAN]}, r"x0 must be finite, got x0\[1\] = nan"),
    "relaxation": ({"relaxation": 2.5}, r"relaxation must be between 0 and 2, got 2.5"),
    "asymmetric": (
        {"A": [[2, 1], [0.5, 2]], "method": "dantzig"},
        r"A must be symmetric for dantzig, got A\[1, 0\] = 0.5 and A\[0, 1\] = 1.0",
    ),
    "friction one": ({"friction": 3}, r"friction must be \(normal, mu\), got 3"),
    "normal short": ({"friction": ([-1], 0.5)}, r"normal must be 2 row numbers or -1"),
    "normal real": ({"friction": ([-1.0, 0.0], 0.5)}, r"normal must be 2 row numbers or -1"),
    "normal itself": ({"friction": ([-1, 1], 0.5)}, r"normal\[1\] must be a row .*, got 1"),
    "normal far": ({"friction": ([-1, 7], 0.5)}, r"normal\[1\] must be a row .*, got 7"),
    "normal friction": (
        {"friction": ([1, 0], 0.5)},
        r"normal\[0\] must be a row that is not friction",
    ),
    "mu": ({"friction": ([-1, 0], [0, -0.1])}, r"mu must be finite and >= 0, got mu\[1\] = -0.1"),
    "mu shape": ({"friction": ([-1, 0], [1, 1, 1])}, r"friction: mu must be one number or 2, got"),
    "pulling normal": (
        {"lo": [-1, 0], "friction": ([-1, 0], 0.5)},
        r"lo of the normal row 0 must be >= 0, got -1.0",
    ),
}


@pytest.mark.parametrize(("change", "message"), BAD.values(), ids=BAD.keys())
def test_bad_input_is_named(change, message):
    with pytest.raises(ValueError, match=message):
        solve(**{"A": A, "b": B, **change})


def test_asymmetry_is_only_refused_where_symmetry_is_needed():
    for method in ("auto", "lemke", "minmap", "pgs"):
        assert solve([[2, 1], [0.5, 2]], B, method=method).status == 0


def test_rounding_is_not_asymmetry():
    nearly = A + np.array([[0.0, 1e-13], [0.0, 0.0]])
    assert solve(nearly, B, method="dantzig").status == 0
    with pytest.raises(ValueError, match="A must be symmetric for dantzig"):
        solve(A + np.array([[0.0, 1e-6], [0.0, 0.0]]), B, method="dantzig")


@pytest.mark.parametrize("method", ["auto", "dantzig"])
@pytest.mark.parametrize("size", [1e160, 1e-170])
def test_asymmetry_is_seen_in_any_unit(method, size):
    A = size * np.array([[1.0, 0.5], [0.0, 1.0]])
    if method == "dantzig":
        with pytest.raises(ValueError, match="A must be symmetric for dantzig"):
            solve(A, B, method=method)
    else:
        np.testing.assert_allclose(solve(A, size * B).x, [0.5, 1.0])


@pytest.mark.parametrize(
    "value", [[1j, 0], ["1", "-2"], "ab", None, {}, [None, 1.0], np.ma.masked_array([1.0, 2.0])]
)
@pytest.mark.parametrize("name", ["b", "x0", "lo", "hi", "mu"])
def test_only_real_numbers_are_taken(name, value):
    change = {name: value} if name != "mu" else {"friction": ([-1, 0], value)}
    if value is None and name in ("x0", "lo", "hi"):
        return
    with pytest.raises(TypeError, match=f"{name} must be an array of real numbers, got"):
        solve(**{"A": A, "b": B, **change})


@pytest.mark.parametrize("value", [A + 1j, [["2", "1"], ["1", "2"]], np.ma.masked_array(A), None])
def test_only_real_matrices_are_taken(value):
    with pytest.raises(TypeError, match="A must be an array of real numbers, got"):
        solve(value, B)
    with pytest.raises(TypeError, match="A must be an array of real numbers, got"):
        residual(value, B, B)
    for place, name in enumerate(("Bnn", "Bnt", "Btt")):
        blocks = [A, A, A]
        blocks[place] = value
        with pytest.raises(TypeError, match=f"{name} must be an array of real numbers, got"):
            friction_lcp(*blocks, 0.5)


def test_ragged_rows_are_refused():
    with pytest.raises(TypeError, match="A must be an array of real numbers, got"):
        solve([[2, 1], [1]], B)


def test_a_scalar_is_no_vector():
    with pytest.raises(ValueError, match=r"b must have the shape \(1,\), got \(\)"):
        solve([[1.0]], -1.0)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"max_iterations": "a"}, TypeError, "max_iterations must be a number, got 'a'"),
        ({"max_iterations": INF}, ValueError, "max_iterations must be a whole number .* got inf"),
        ({"max_iterations": NAN}, ValueError, "max_iterations must be a whole number .* got nan"),
        ({"max_iterations": 2**31}, ValueError, "max_iterations must be .* got 2147483648"),
        ({"tol": "a"}, TypeError, "tol must be a number, got 'a'"),
        ({"relaxation": "a"}, TypeError, "relaxation must be a number, got 'a'"),
        ({"relaxation": None}, TypeError, "relaxation must be a number, got None"),
        ({"method": ["auto"]}, ValueError, "method must be one of"),
    ],
)
def test_bad_options_are_named(change, error, message):
    with pytest.raises(error, match=message):
        solve(A, B, **change)


@pytest.mark.parametrize("value", [NAN, INF])
@pytest.mark.parametrize("place", [0, 1, 2, 3])
def test_friction_lcp_takes_finite_blocks_only(place, value):
    blocks = [np.eye(2), np.ones((2, 4)), np.eye(4), np.ones(2)]
    blocks[place].flat[1] = value
    with pytest.raises(ValueError, match=("Bnn", "Bnt", "Btt", "mu")[place]):
        friction_lcp(*blocks)


def test_residual_checks_its_arguments():
    with pytest.raises(ValueError, match=r"x must have the shape \(2,\)"):
        residual(A, B, [1.0])
    with pytest.raises(ValueError, match=r"A must be finite, got A\[0, 0\] = nan"):
        residual([[NAN, 0], [0, 1]], B, [1.0, 0.0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.eye(2), np.ones((2, 3)), np.eye(4), 0.5), r"Bnt must have the shape \(2, 4\)"),
        ((np.eye(2), np.ones((2, 3)), np.eye(3), 0.5), r"Btt must have k rows for each of the 2"),
        ((np.ones((2, 3)), np.ones((2, 4)), np.eye(4), 0.5), r"Bnn must be a square matrix"),
        ((np.eye(2), np.ones((2, 4)), np.eye(4), -1), r"mu must be one number >= 0 or 2"),
        ((np.eye(2), np.ones((2, 4)), np.eye(4), [1, 2, 3]), r"mu must be one number >= 0 or 2"),
    ],
)
def test_friction_lcp_checks_its_blocks(arguments, message):
    with pytest.raises(ValueError, match=message):
        friction_lcp(*arguments)


ROWS = {"J": np.ones((1, 2, 3)), "bodies": [[0, -1]], "inverse_mass": np.ones((1, 3)), "b": [-1.0]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"J": np.ones((1, 6))}, r"J must have the shape \(rows, 2, velocities of a body\)"),
        ({"J": np.full((1, 2, 3), NAN)}, r"J must be finite, got J\[0\] = nan"),
        ({"bodies": [[0]]}, r"bodies must have the shape \(1, 2\)"),
        (
            {"bodies": [[0, 1]]},
            r"bodies must name two different bodies.*got bodies\[0\] = \(0, 1\)",
        ),
        ({"bodies": [[0, 0]]}, r"bodies must name two different bodies"),
        ({"inverse_mass": np.ones((1, 2))}, r"inverse_mass must have 3 numbers"),
        ({"inverse_mass": np.full((1, 3), INF)}, r"inverse_mass must be finite"),
        ({"inverse_mass": [[1.0, -1.0, 1.0]]}, r"inverse_mass must be >= 0, got -1.0"),
        ({"inverse_mass": [-np.eye(3)]}, r"inverse_mass must be >= 0, got -1.0"),
        ({"b": [NAN]}, r"b must be finite, got b\[0\] = nan"),
        ({"x0": [1.0, 2.0]}, r"x0 must have the shape \(1,\)"),
        ({"lo": 2.0, "hi": 1.0}, r"lo must be <= hi"),
    ],
)
def test_block_rows_check_their_arguments(change, message):
    with pytest.raises(ValueError, match=message):
        solve_rows(**{**ROWS, **change})


@pytest.mark.parametrize("name", ["J", "inverse_mass", "b"])
def test_block_rows_take_real_numbers_only(name):
    value = np.asarray(ROWS[name])
    for wrong in (value + 1j, value.astype(str), np.ma.masked_array(value)):
        with pytest.raises(TypeError, match=f"{name} must be an array of real numbers"):
            solve_rows(**{**ROWS, name: wrong})
