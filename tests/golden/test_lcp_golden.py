"""Every reference LCP, by every method that applies to its kind, to 1e-10."""

import json
from pathlib import Path

import numpy as np
import pytest

from enginecore import Status
from enginecore.lcp import friction_lcp, solve
from tests.lcp_problems import METHODS, natural_map

CASES = json.loads(Path(__file__).with_name("lcp.json").read_text())["cases"]
TOL = 1e-10
# The cone LCP is not symmetric and has zeros on its diagonal: not for dantzig, not for pgs.
FRICTIONAL_METHODS = ("auto", "lemke", "minmap")


def methods_for(case):
    return FRICTIONAL_METHODS if case["kind"] == "frictional" else METHODS


PAIRS = [pytest.param(case, m, id=f"{case['id']}-{m}") for case in CASES for m in methods_for(case)]


@pytest.mark.parametrize(("case", "method"), PAIRS)
def test_reference_case(case, method):
    A, b = np.array(case["A"]), np.array(case["b"])
    solution = solve(A, b, method=method)
    assert solution.status is Status.SOLVED
    assert solution.residual <= TOL
    assert natural_map(A, b, solution.x) <= TOL
    np.testing.assert_array_equal(solution.x >= 0, True)
    if case["x_unique"]:
        np.testing.assert_allclose(solution.x, case["x"], rtol=0, atol=TOL)
    if case["w_unique"]:
        np.testing.assert_allclose(solution.w, case["w"], rtol=0, atol=TOL)


@pytest.mark.parametrize(
    "case", [c for c in CASES if c["kind"] == "frictional"], ids=lambda c: c["id"]
)
def test_friction_lcp_assembles_the_reference_matrix(case):
    A, m, k = np.array(case["A"]), case["m"], case["k"]
    n, t = slice(0, m), slice(m, m + k * m)
    np.testing.assert_array_equal(friction_lcp(A[n, n], A[n, t], A[t, t], case["mu"]), A)


def test_the_reference_set_has_every_kind_and_every_cone():
    kinds = {case["kind"] for case in CASES}
    assert kinds == {"pd", "psd", "degenerate", "box_on_floor", "frictional"}
    assert {case["k"] for case in CASES if case["kind"] == "frictional"} == {4, 6, 8}
