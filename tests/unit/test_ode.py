"""The Runge-Kutta stepper: its order, its error control, its door."""

import math

import numpy as np
import pytest

from enginecore import SolverError
from enginecore.ode import integrate


def oscillator(t, y):
    return [y[1], -y[0]]


@pytest.mark.parametrize("tol", [1e-5, 1e-8, 1e-11])
def test_the_error_follows_the_tolerance(tol):
    y, _ = integrate(oscillator, [1.0, 0.0], 0.0, 20.0, tol=tol)
    assert np.abs(y - (math.cos(20.0), -math.sin(20.0))).max() <= 10.0 * tol


def test_the_order_is_eight():
    """A thousandth of the tolerance costs 1000^(1/8) = 2.37 times the work."""
    work = [integrate(oscillator, [1.0, 0.0], 0.0, 200.0, tol=tol)[1] for tol in (1e-6, 1e-12)]
    assert work[1] / work[0] == pytest.approx(10.0 ** (6 / 8), rel=0.15)


def test_polynomials_of_degree_eight_are_exact():
    y, _ = integrate(lambda t, y: [8.0 * t**7], [0.0], 0.0, 2.0)
    assert y[0] == pytest.approx(256.0, rel=1e-14)


def test_slopes_that_depend_on_time_and_state():
    """y' = -2 t y^2 has y = 1/(1 + t^2)."""
    for tol in (1e-6, 1e-12):
        y, evaluations = integrate(lambda t, y: [-2.0 * t * y[0] ** 2], [1.0], 0.0, 3.0, tol=tol)
        assert y[0] == pytest.approx(0.1, abs=10.0 * tol)
        assert evaluations < 500


def test_time_runs_backwards_too():
    y, _ = integrate(lambda t, y: [y[0]], [math.e], 1.0, 0.0)
    assert y[0] == pytest.approx(1.0, abs=1e-9)


def test_nothing_to_do():
    assert integrate(oscillator, [1.0, 2.0], 3.0, 3.0)[0].tolist() == [1.0, 2.0]
    assert integrate(oscillator, [], 0.0, 1.0)[0].size == 0


def test_an_error_in_f_is_raised():
    with pytest.raises(ZeroDivisionError):
        integrate(lambda t, y: [1 / 0], [0.0], 0.0, 1.0)
    with pytest.raises(ZeroDivisionError):
        integrate(lambda t, y: [1 / 0], [0.0], 0.0, 0.0)
    with pytest.raises(ValueError, match=r"f\(t, y\) must be finite"):
        integrate(lambda t, y: [math.nan], [0.0], 0.0, 1.0)
    with pytest.raises(ValueError, match=r"f\(t, y\) must have 1 rows"):
        integrate(lambda t, y: [1.0, 2.0], [0.0], 0.0, 1.0)


def test_an_interruption_stops_at_once():
    calls = []

    def interrupted(t, y):
        calls.append(t)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        integrate(interrupted, [0.0], 0.0, 1.0)
    assert len(calls) == 1


def test_a_singularity_is_reported():
    with pytest.raises(SolverError, match="no end after 500 steps"):
        integrate(lambda t, y: [y[0] ** 2], [1.0], 0.0, 2.0, max_steps=500)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.0], 0.0, math.inf), "t0 and t1"),
        (([0.0], -1e308, 1e308), "t0 and t1"),
        (([math.nan], 0.0, 1.0), "y0 must be"),
        (([[0.0]], 0.0, 1.0), "y0 must"),
    ],
)
def test_bad_input_is_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        integrate(oscillator, *arguments)
    for steps in (0, -5, 2.5, True):
        with pytest.raises(ValueError, match="max_steps must be"):
            integrate(oscillator, [1.0, 0.0], 0.0, 1.0, max_steps=steps)
    with pytest.raises(TypeError, match="t0 must be a number, got '0'"):
        integrate(oscillator, [1.0, 0.0], "0", 1.0)
    with pytest.raises(ValueError, match="tol must be"):
        integrate(oscillator, [1.0, 0.0], 0.0, 1.0, tol=0.0)
