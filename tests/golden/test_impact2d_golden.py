"""2D impacts against an independent implementation, case by case."""

import numpy as np
import pytest

from engine2d.impact import collide
from tests.support import load_golden, outcome

CASES = load_golden("impact2d")["cases"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_velocities_impulse_and_path(case):
    given, wanted = case["in"], case["out"]
    impact = collide(**given)
    expected = np.concatenate([np.ravel(wanted[k]) for k in ("vA", "wA", "vB", "wB")])
    tolerance = 1e-12 * max(1.0, np.abs(expected).max())
    assert np.abs(outcome(impact) - expected).max() <= tolerance
    # The file has the impulse in the contact frame: along the surface, along the normal.
    f = np.array(given["f"])
    contact_frame = np.array([[f[1], -f[0]], f])
    size = max(1.0, np.abs(wanted["p"]).max())
    assert np.abs(contact_frame @ impact.p - wanted["p"]).max() <= 1e-12 * size
    assert impact.path == case["branch"]
