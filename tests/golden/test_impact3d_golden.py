"""3D impacts against an independent implementation, case by case."""

import numpy as np
import pytest

from engine3d.impact import collide
from tests.support import load_golden, outcome

CASES = load_golden("impact3d")["cases"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_velocities_impulse_work_and_phases(case):
    given, wanted = case["in"], case["out"]
    impact, trace = collide(**given, trace=True)
    expected = np.concatenate([np.ravel(wanted[k]) for k in ("vA", "wA", "vB", "wB")])
    tolerance = 1e-9 * max(1.0, case["sensitivity"])
    assert np.abs(outcome(impact) - expected).max() <= tolerance * max(1.0, np.abs(expected).max())
    assert np.abs(impact.p - wanted["impulse"]).max() <= tolerance * max(
        1.0, np.abs(wanted["impulse"]).max()
    )
    work = max(1.0, abs(wanted["Wc"]))
    assert abs(impact.Wc - wanted["Wc"]) <= tolerance * work
    assert abs(impact.Wd - wanted["Wd"]) <= tolerance * work
    assert impact.path == wanted["end"]
    if wanted["end"] == "separating":
        assert len(trace.p_z) == 0
        return
    assert (trace.phase[-1] + 1) // 2 == wanted["compressions"]
    # where u_z changes sign while the contact slides
    turns = np.flatnonzero(np.diff(trace.phase)) + 1
    sliding = np.hypot(*trace.u[turns, :2].T) > 1e-9 * np.abs(trace.u).max()
    roots = trace.p_z[turns][: len(wanted["uz_roots"])]
    assert sliding[: len(wanted["uz_roots"])].all()
    assert np.allclose(roots, wanted["uz_roots"], rtol=tolerance, atol=tolerance)
