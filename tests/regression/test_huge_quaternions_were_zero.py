"""An orientation whose size left the range of doubles was taken, as the quaternion 0."""

import numpy as np
import pytest

from engine3d import Box, World


@pytest.mark.parametrize("size", [1.7e308, 1e200, 1.0, 1e-200, 5e-324])
def test_any_quaternion_is_made_a_unit_one(size):
    body = World().add_body(Box(1, 1, 1), orientation=(size, size, 0, size))
    assert np.allclose(body.orientation, np.array((1, 1, 0, 1)) / np.sqrt(3), rtol=0, atol=1e-15)
