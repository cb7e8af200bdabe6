"""Shapes too large, too small or too far off for their corners were refused only after numpy's
warnings, and what they were told named no value."""

import warnings

import pytest

from engine3d import Box, Cylinder


@pytest.mark.parametrize(
    "make",
    [
        lambda: Box(1e300, 1, 1),
        lambda: Box(1e-300, 1e-300, 1),
        lambda: Box(1, 1, 1, center=(1e20, 0, 0)),
        lambda: Box(1, 1, 1, center=(1e200, 1e200, 0)),
        lambda: Cylinder(1e-300, 1),
        lambda: Cylinder(1, 1e155),
    ],
)
def test_shapes_without_digits_are_refused_at_once(make):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(OverflowError, match="must not be so"):
            make()
