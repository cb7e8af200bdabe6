"""LCP solvers beside scipy.optimize.nnls and lemkelcp: `python -m benchmarks.bench_lcp`.

The problem is nonnegative least squares, min |C x - d|, with C Gaussian: nnls takes C and d, the
others A = C'C and b = -C'd. CPU time of one call from Python, engines taking turns, median.
"""

import statistics
import time
from functools import partial

import numpy as np

from enginecore.lcp import friction_lcp, residual, solve

TITLE = "LCP solvers"
SIZES = (10, 30, 100, 300)
METHODS = ("lemke", "dantzig", "minmap", "pgs")
REPEATS = 7
BATCH_SECONDS = 0.02  # of calls between two looks at the clock
MANY_SECONDS = 0.2  # an engine slower than this is only measured three times
LEMKE_SIZE = 50  # where lemke is compared with lemkelcp
CONES = 20  # of each kind
LOW_RANK = 2  # n / rank of the problem with redundant rows


def problem(n, rank=None, seed=0):
    """C, d and the same problem as an LCP."""
    rng = np.random.default_rng(seed)
    C, d = rng.standard_normal((rank or n, n)), rng.standard_normal(rank or n)
    A = C.T @ C
    return C, d, (A + A.T) / 2, -C.T @ d


def peers():
    """Functions of (C, d, A, b) that return x; only those whose package is installed."""
    found = {}
    try:
        from scipy.optimize import nnls

        found["scipy nnls"] = lambda C, d, A, b: nnls(C, d)[0]
    except ImportError:
        pass
    try:
        from lemkelcp.lemkelcp import lemketableau

        found["lemkelcp"] = lambda C, d, A, b: run_lemkelcp(lemketableau, A, b)
    except ImportError:
        pass
    return found


def run_lemkelcp(lemketableau, A, b):
    """lemkelcp 0.1 assigns into a `range`, an error since Python 3: give it the lists it meant."""
    tableau = lemketableau(A, b, 100 * len(b))
    tableau.wPos, tableau.zPos = list(tableau.wPos), list(tableau.zPos)
    return tableau.lemkeAlgorithm()[0]


def seconds_per_call(functions):
    """Median CPU seconds of each function, all taking turns."""
    batches, repeats = [], []
    for function in functions:
        start = time.thread_time()
        function()
        once = max(time.thread_time() - start, 1e-6)
        batches.append(max(1, int(BATCH_SECONDS / once)))
        repeats.append(REPEATS if once < MANY_SECONDS else 3)
    times = [[] for _ in functions]
    for turn in range(REPEATS):
        for function, count, limit, record in zip(functions, batches, repeats, times):
            if turn < limit:
                start = time.thread_time()
                for _ in range(count):
                    function()
                record.append((time.thread_time() - start) / count)
    return [statistics.median(record) for record in times]


def compare(n, rank=None, methods=METHODS):
    """Rows of the table for one size."""
    C, d, A, b = problem(n, rank)
    names, functions, remarks = [], [], []
    for name, call in peers().items():
        x = call(C, d, A, b)
        names.append(name)
        functions.append(lambda call=call: call(C, d, A, b))
        remarks.append(f"residual {residual(A, b, x):.0e}" if x is not None else "failed")
    for method in methods:
        cold = solve(A, b, method=method)
        near = solve(A, 1.01 * b, method=method, x0=cold.x)
        names += [f"{method} cold", f"{method} warm", f"{method} warm, b 1 % larger"]
        functions += [
            lambda m=method: solve(A, b, method=m),
            lambda m=method, x0=cold.x: solve(A, b, method=m, x0=x0),
            lambda m=method, x0=cold.x: solve(A, 1.01 * b, method=m, x0=x0),
        ]
        remarks += [describe(cold), "the start is the answer: checked, returned", describe(near)]
    times = seconds_per_call(functions)
    label = f"n = {n}" if rank is None else f"n = {n}, rank {rank}"
    fastest = dict(zip(names, times)).get("scipy nnls")
    table = []
    for name, seconds, remark in zip(names, times, remarks):
        ratio = f", {fastest / seconds:.1f} x nnls" if fastest and name.endswith("cold") else ""
        table.append((f"{label}: {name}", f"{1e6 * seconds:.1f}", f"us, {remark}{ratio}"))
    return table


def describe(solution):
    return (
        f"{solution.status.name}, {solution.iterations} iterations, "
        f"residual {solution.residual:.0e}"
    )


def lemke_against_lemkelcp():
    """The ratio at n = 50, over five problems."""
    call = peers().get("lemkelcp")
    if call is None:
        return [(f"n = {LEMKE_SIZE}: lemkelcp / lemke", "-", "lemkelcp is not installed")]
    ratios = []
    for seed in range(5):
        arguments = problem(LEMKE_SIZE, seed=seed)
        theirs, ours = seconds_per_call(
            [partial(call, *arguments), partial(solve, *arguments[2:], method="lemke")]
        )
        ratios.append(theirs / ours)
    spread = f"x faster, median of 5 problems ({min(ratios):.0f} to {max(ratios):.0f})"
    return [(f"n = {LEMKE_SIZE}: lemkelcp / lemke", f"{statistics.median(ratios):.0f}", spread)]


def random_cone(rng, contacts, k):
    """The friction cone LCP of random contacts between half as many bodies in space."""
    J, U, V = rng.standard_normal((3, contacts, 6 * max(1, contacts // 2)))
    turns = 2 * np.pi * np.arange(k) / k
    T = np.concatenate([np.cos(a) * U + np.sin(a) * V for a in turns])
    A = friction_lcp(J @ J.T, J @ T.T, T @ T.T, rng.uniform(0, 1, contacts))
    v = rng.standard_normal(J.shape[1])
    return A, np.concatenate([J @ v, T @ v, np.zeros(contacts)])


def solved_cones():
    """How many random cones each method for them solves, and how fast."""
    table = []
    for contacts in (2, 5, 10):
        rng = np.random.default_rng(contacts)
        cones = [random_cone(rng, contacts, k) for k in (4, 6, 8) for _ in range(CONES)]
        for method in ("lemke", "minmap"):
            start = time.thread_time()
            solved = sum(solve(A, b, method=method).status == 0 for A, b in cones)
            mean = (time.thread_time() - start) / len(cones)
            what = f"cones of {contacts} contacts, k = 4, 6, 8: {method}"
            table.append((what, f"{1e6 * mean:.1f}", f"us, {solved} of {len(cones)} solved"))
    return table


def rows():
    """(what, value, unit and remark) for the table of `make bench`."""
    table = [row for n in SIZES for row in compare(n)]
    for n in (100, 300):
        redundant = compare(n, rank=n // LOW_RANK, methods=("lemke", "dantzig"))
        table += [row for row in redundant if "warm" not in row[0]]
    return table + lemke_against_lemkelcp() + solved_cones()


if __name__ == "__main__":
    for what, value, remark in rows():
        print(f"{what:46} {value:>10} {remark}")
