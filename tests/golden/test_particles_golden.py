"""Reference cases of the particle method: single events and short runs, to 1e-12."""

import json
from pathlib import Path

import numpy as np
import pytest

from enginecore.particles import Particles, pair_jolt, plane_jolt

GOLDEN = json.loads((Path(__file__).parent / "particles.json").read_text())
TOLERANCE = 1e-12  # relative to max(1, |value|)


def worst_error(found, wanted):
    """Largest difference, relative to max(1, |wanted|)."""
    found, wanted = np.asarray(found), np.asarray(wanted)
    assert found.shape == wanted.shape
    return np.max(np.abs(found - wanted) / np.maximum(1.0, np.abs(wanted)))


def test_the_file_is_complete():
    assert len(GOLDEN["events"]) == 144
    assert len(GOLDEN["runs"]) == 24


@pytest.mark.parametrize("event", GOLDEN["events"], ids=lambda event: event["id"])
def test_event(event):
    kernel = pair_jolt if event["kind"] == "pair" else plane_jolt
    found = kernel(**event["in"])
    if event["out"] is None:
        assert found is None
        return
    assert set(found._fields) == set(event["out"])
    for name, wanted in event["out"].items():
        assert worst_error(getattr(found, name), wanted) <= TOLERANCE, name


@pytest.mark.parametrize("run", GOLDEN["runs"])
def test_run(run):
    options = {name: run[name] for name in ("planes", "e", "mu", "kp", "mode")}
    particles = Particles(run["x"], run["v"], run["r"], run["m"], gravity=run["g"], **options)
    for _ in range(run["steps"]):
        particles.step(run["h"])
        assert particles.stats.rescued == 0  # the no-loss rule must not act in ordinary motion
    assert worst_error(particles.positions, run["x_out"]) <= TOLERANCE
    assert worst_error(particles.velocities, run["v_out"]) <= TOLERANCE
