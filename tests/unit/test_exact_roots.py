"""Times of events: secants where they are fast, bisection where nothing else is safe."""

import math

import pytest
from engine2d.exact.roots import root_of


@pytest.mark.parametrize("halving", [False, True])
@pytest.mark.parametrize(
    ("f", "low", "high", "root"),
    [
        (lambda x: 1.0 - x * x, 0.0, 3.0, 1.0),
        (math.cos, 0.0, 3.0, math.pi / 2.0),
        (lambda x: 1e-3 - x**9, 0.0, 2.0, 1e-3 ** (1.0 / 9.0)),
        (lambda x: 1.0 if x < 0.3 else -1.0, 0.0, 1.0, 0.3),
    ],
)
def test_a_fall_is_found_to_rounding(f, low, high, root, halving):
    x, halvings = root_of(f, low, high, halving=halving)
    assert x == pytest.approx(root, abs=1e-14)
    assert f(x) <= 0.0
    assert halvings > 40 or not halving


def test_smooth_functions_need_no_halving():
    calls = []

    def f(x):
        calls.append(x)
        return 2.0 - math.exp(x)

    x, halvings = root_of(f, 0.0, 1.0, width=1e-13)
    assert x == pytest.approx(math.log(2.0), abs=1e-12)
    assert halvings < 20
    assert len(calls) < 40


def test_the_level_can_be_any():
    x, _ = root_of(lambda x: 5.0 - x, 0.0, 10.0, level=2.0)
    assert x == pytest.approx(3.0, abs=1e-14)
