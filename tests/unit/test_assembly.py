"""Block-sparse factors of joint systems against dense solves."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from enginecore import assembly


def system(widths, ends, n_bodies, rng, width=3):
    """A = J M^-1 Jt of random joints between bodies: ends are pairs, -1 the world; and the bodies'
    lists of joints."""
    start = np.concatenate([[0], np.cumsum(widths)])
    J = np.zeros((start[-1], width * n_bodies))
    bodies = [[] for _ in range(n_bodies)]
    for k, pair in enumerate(ends):
        for body in pair:
            if body >= 0:
                J[start[k] : start[k + 1], width * body : width * body + width] = rng.normal(
                    size=(widths[k], width)
                )
                bodies[body].append(k)
    mass = rng.uniform(0.1, 10.0, width * n_bodies)
    return J @ np.diag(1 / mass) @ J.T, bodies


def tree(n, rng):
    """Each body hangs on an earlier one, the first on the world."""
    return [(-1 if k == 0 else int(rng.integers(0, k)), k) for k in range(n)]


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 25), st.integers(0, 2**31), st.booleans())
def test_trees_solve_as_the_dense_system(n, seed, pairs):
    rng = np.random.default_rng(seed)
    widths = [2] * n if pairs else [int(rng.integers(1, 4)) for _ in range(n)]
    A, bodies = system(widths, tree(n, rng), n, rng)
    b = rng.normal(size=len(A))
    found = assembly._solve(widths, bodies, A, b)
    expected = np.linalg.solve(A, b)
    assert found["lost"] == 0
    # the residual, not the error: random assemblies may be ill conditioned
    scale = np.abs(A) @ np.abs(expected) + np.abs(b)
    assert np.all(np.abs(A @ found["x"] - b) <= 1e-9 * scale.max())


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 6), st.integers(2, 6), st.integers(0, 2**31))
def test_nets_with_loops_solve_as_the_dense_system(rows, columns, seed):
    rng = np.random.default_rng(seed)
    ends = []
    for i in range(rows):
        for j in range(columns):
            here = i * columns + j
            if j + 1 < columns:
                ends.append((here, here + 1))
            if i + 1 < rows:
                ends.append((here, here + columns))
    widths = [1] * len(ends)  # fewer rows than freedoms: every row is independent
    A, bodies = system(widths, ends, rows * columns, rng)
    b = rng.normal(size=len(A))
    found = assembly._solve(widths, bodies, A, b)
    assert np.allclose(found["x"], np.linalg.solve(A, b), rtol=1e-6, atol=1e-8)


def test_rows_that_say_the_same_twice_are_solved():
    """Two equal joints between the same bodies: the sum of their impulses is what counts."""
    rng = np.random.default_rng(3)
    A, _ = system([2, 2], [(0, 1), (1, -1)], 2, rng)
    b = rng.normal(size=4)
    twice = np.block([[A[:2, :2], A[:2, :2], A[:2, 2:]], [A[:2, :2], A[:2, :2], A[:2, 2:]],
                      [A[2:, :2], A[2:, :2], A[2:, 2:]]])  # fmt: skip
    right = np.concatenate([b[:2], b[:2], b[2:]])
    found = assembly._solve([2, 2, 2], [[0, 1], [0, 1, 2]], twice, right, shift=1e-9)
    assert np.allclose(twice @ found["x"], right, atol=1e-7)
    assert np.isfinite(found["x"]).all()


def test_a_row_that_nothing_can_move_is_left_out():
    A = np.diag([2.0, 0.0, 4.0])
    found = assembly._solve([2, 1], [[0], [1]], A, [2.0, 5.0, 8.0])
    assert found["lost"] == 1
    assert np.array_equal(found["x"], [1.0, 0.0, 2.0])


@pytest.mark.parametrize("shape", ["chain", "binary tree", "comb"])
def test_trees_have_hardly_any_fill(shape):
    """A body of degree d makes a clique of its d joints; the factor has few other blocks."""
    n = 300
    parent = {
        "chain": lambda k: k - 1,
        "binary tree": lambda k: (k - 1) // 2 if k else -1,
        "comb": lambda k: k - 2 if k % 2 == 0 and k else k - 1,
    }[shape]
    bodies = [[] for _ in range(n)]
    for k in range(n):
        bodies[k].append(k)
        if parent(k) >= 0:
            bodies[parent(k)].append(k)
    cliques = sum(len(body) * (len(body) - 1) // 2 for body in bodies)
    found = assembly._solve([1] * n, bodies, np.eye(n), np.ones(n))
    assert found["blocks"] <= 1.2 * cliques


def test_the_order_depends_on_the_joints_alone():
    rng = np.random.default_rng(0)
    ends = tree(40, rng)
    orders = []
    for _ in range(2):
        A, bodies = system([2] * 40, ends, 40, rng)
        orders.append(assembly._solve([2] * 40, bodies, A, np.ones(80))["order"])
    assert orders[0] == orders[1]
    assert sorted(orders[0]) == list(range(40))


@settings(max_examples=80, deadline=None)
@given(st.integers(2, 8), st.integers(2, 14), st.integers(0, 2**31))
def test_blocks_without_rows_change_nothing(n_bodies, n, seed):
    """Ropes, motors and limits have no rows in the factor; others share their bodies. They once
    made the order count blocks twice, and the factor write beyond its memory."""
    rng = np.random.default_rng(seed)
    ends = [tuple(rng.choice(n_bodies, 2, replace=False).tolist()) for _ in range(n)]
    widths = [int(rng.integers(0, 2)) for _ in range(n)]
    A, bodies = system(widths, ends, n_bodies, rng)
    b = rng.normal(size=len(A))
    found = assembly._solve(widths, bodies, A, b, 1e-9)
    assert sorted(found["order"]) == list(range(n))
    rows = [k for k, w in enumerate(widths) if w]
    if not rows:
        return
    members = [[rows.index(k) for k in body if widths[k]] for body in bodies]
    again = assembly._solve([1] * len(rows), members, A, b, 1e-9)
    assert found["lost"] == again["lost"]
    if not found["lost"] and np.linalg.cond(A) < 1e6:
        assert found["x"] == pytest.approx(again["x"], rel=1e-6, abs=1e-9)
