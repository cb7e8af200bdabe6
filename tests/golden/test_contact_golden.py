"""A and b of resting contact against finite differences of the gap, case by case."""

import numpy as np
import pytest

from engine2d import contact_force as contact_force_2d
from engine3d import contact_force as contact_force_3d
from tests.support import load_golden

PLANAR, SPATIAL = load_golden("contact2d")["cases"], load_golden("contact3d")["cases"]
TOLERANCE = 1e-9


def columns(rows, *names):
    return [[row[name] for row in rows] for name in names]


def agree(found, wanted):
    return np.abs(found - wanted).max() <= TOLERANCE * max(1.0, np.abs(wanted).max())


@pytest.mark.parametrize("case", PLANAR, ids=lambda case: case["id"])
def test_planar_contacts_with_curved_edges(case):
    bodies = columns(case["bodies"], "m", "I", "x", "v", "w", "force", "torque")
    contacts = columns(case["contacts"], "b1", "b2", "p", "n", "r1", "r2")
    A, b = contact_force_2d.assemble(*bodies, *contacts)
    assert agree(A, np.array(case["A"]))
    assert agree(b, np.array(case["b"]))


@pytest.mark.parametrize("case", SPATIAL, ids=lambda case: case["id"])
def test_spatial_contacts(case):
    bodies = columns(case["bodies"], "m", "I", "x", "v", "w", "force", "torque")
    contacts = columns(case["contacts"], "a", "b", "p", "n", "ea", "eb")
    vf = [contact["kind"] == "vertex/face" for contact in case["contacts"]]
    A, b = contact_force_3d.assemble(*bodies, *contacts, vf)
    assert agree(A, np.array(case["A"]))
    assert agree(b, np.array(case["b"]))
