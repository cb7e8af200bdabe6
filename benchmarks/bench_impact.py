"""Impacts: time each, and what the adaptive integrator saves over Euler's method."""

import numpy as np

from benchmarks.impact_cases import random_impacts
from benchmarks.timing import take_turns
from engine2d import impact as impact2d
from engine3d import impact as impact3d

TITLE = "Impacts"
N_2D = 100_000
N_3D = 5_000
N_EULER = 200


def rows():
    """(what, value, remark) for the table."""
    return [*time_rows(), *evaluation_rows()]


def time_rows():
    flat, deep = random_impacts(N_2D, 2), random_impacts(N_3D, 3)
    square = np.linspace(1.0, 2.0, N_2D)
    seconds = take_turns(
        {
            "2d": lambda: impact2d.collide_many(**flat),
            "3d 1e-6": lambda: impact3d.collide_many(**deep, tol=1e-6),
            "3d 1e-10": lambda: impact3d.collide_many(**deep, tol=1e-10),
            "yardstick": lambda: np.hypot(square, square),
        }
    )
    return [
        (
            "2D impact in collide_many",
            f"{seconds['2d'] / N_2D * 1e9:.0f} ns",
            f"{N_2D} mixed impacts",
        ),
        (
            "3D impact, tol 1e-6",
            f"{seconds['3d 1e-6'] / N_3D * 1e6:.1f} µs",
            f"{N_3D} mixed impacts",
        ),
        ("3D impact, tol 1e-10", f"{seconds['3d 1e-10'] / N_3D * 1e6:.1f} µs", "the default"),
        (
            "yardstick: numpy.hypot",
            f"{seconds['yardstick'] / N_2D * 1e9:.1f} ns",
            "an element, same run",
        ),
    ]


def evaluation_rows():
    """Evaluations of the right-hand side, adaptive and Euler, at the same median error.

    Euler's error falls with the step, so the steps it would need follow from one run of it.
    """
    cases = split(random_impacts(N_EULER, 3, seed=2))
    exact = [impact3d.collide(**case, tol=1e-14) for case in cases]
    euler_steps, euler_error = measure(cases, exact, method="euler")
    table = []
    for tol in (1e-6, 1e-10):
        evaluations, error = measure(cases, exact, tol=tol)
        needed = euler_steps * euler_error / error
        table.append(
            (
                f"evaluations, tol {tol:.0e}",
                f"{evaluations:.0f}",
                f"mean; median error {error:.0e}, for which Euler would need {needed:.0e}",
            )
        )
    return table


def split(arguments):
    """One dict of arguments for each impact."""
    n = len(arguments["e"])
    return [{name: values[i] for name, values in arguments.items()} for i in range(n)]


def measure(cases, exact, **options):
    """Mean number of evaluations, and median error relative to the greatest speed."""
    evaluations, errors = [], []
    for case, right in zip(cases, exact):
        impact, trace = impact3d.collide(**case, trace=True, **options)
        size = max(np.abs(getattr(right, name)).max() for name in ("vA", "wA", "vB", "wB"))
        errors.append(
            max(
                np.abs(getattr(impact, n) - getattr(right, n)).max()
                for n in ("vA", "wA", "vB", "wB")
            )
            / size
        )
        evaluations.append(trace.evaluations)
    return np.mean(evaluations), np.median(errors)


if __name__ == "__main__":
    for row in rows():
        print(*row, sep=" | ")
