"""Resting contact by hand, extra acceleration, and the doors of both engines."""

import numpy as np
import pytest

from engine2d.contact_force import assemble, extra_acceleration
from engine3d.contact_force import assemble as assemble_3d

# A disc of radius 0.5 and mass 2 on a floor, body 0; it rolls and slides to the right.
DISC = {
    "mass": [None, 2.0],
    "inertia": [None, 0.25],
    "x": [(0, 0), (0, 0.5)],
    "v": [(0, 0), (3, 0)],
    "w": [0.0, -6.0],
    "force": [(0, 0), (0, -20)],
    "torque": [0.0, 0.0],
    "body1": [1],
    "body2": [0],
    "point": [(0, 0)],
    "normal": [(0, 1)],
    "r1": [0.5],
    "r2": [None],
}


def test_a_disc_on_a_floor_bears_its_weight_however_it_spins():
    """Without the curvature terms the spin of the point of contact would look like lift-off."""
    for w in (0.0, -6.0, 40.0):
        A, b = assemble(**{**DISC, "w": [0.0, w]})
        assert A.tolist() == [[0.5]]
        assert b == pytest.approx([-10.0], abs=1e-12)
        assert -b / A[0] == pytest.approx([20.0])


def test_a_disc_in_a_bowl_bears_the_centripetal_force_too():
    """At the bottom of a bowl of radius 2.5, the centre moves on a circle of radius 2."""
    _, b = assemble(**{**DISC, "r2": [-2.5]})
    assert b == pytest.approx([-10.0 - 3.0**2 / 2.0])


def test_a_disc_over_a_hump_is_lighter():
    _, b = assemble(**{**DISC, "r2": [1.5]})
    assert b == pytest.approx([-10.0 + 3.0**2 / 2.0])


def test_extra_acceleration():
    falling = {**DISC, "v": [(0, 0), (0, -0.2)], "w": [0.0, 0.0]}
    assert assemble(**falling)[1] == pytest.approx([-10.0])
    assert assemble(**falling, extra="velocity", dt=0.1)[1] == pytest.approx([-12.0])
    b = assemble(**falling, extra="velocity_and_distance", dt=0.1, gap=-0.01)[1]
    assert b == pytest.approx([-10.0 + (2 * -0.2 * 0.1 - 0.01) / 0.01])
    # the request is met: a = -v/dt beyond gravity stops the fall within dt
    A, b = assemble(**falling, extra="velocity", dt=0.1)
    force = -b / A[0]
    assert -0.2 + 0.1 * (force / 2.0 - 10.0) == pytest.approx(0.0, abs=1e-15)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mass": [None, 0.0]}, "mass must be 2 numbers > 0"),
        ({"mass": [1.0]}, "mass must be 2"),
        ({"mass": [1.0, np.nan]}, "mass must be"),
        ({"inertia": [None, -1.0]}, "inertia must be"),
        ({"x": [(0, 0), (0, np.nan)]}, "x must be finite"),
        ({"v": [(0, 0)]}, "v must have 2 rows"),
        ({"w": [0.0, np.inf]}, "w must be finite"),
        ({"force": [(0, 0, 0)] * 2}, "force must have shape"),
        ({"torque": 3.0}, "torque must have 2 rows"),
        ({"body1": [2]}, "body1 must be from 0 to 1"),
        ({"body1": [-1]}, "body1 must be from 0 to 1"),
        ({"body2": [0.5]}, "body2 must be 1 integers"),
        ({"body2": [1]}, "body1 and body2 of contact 0 are the same body"),
        ({"normal": [(0, 2)]}, "normal must be unit vectors"),
        ({"r1": [np.nan]}, "r1 must be 1 radii"),
        ({"r1": [None]}, "two straight edges"),
        ({"r1": [0.0], "r2": [0.0]}, "add up to 0"),
        ({"extra": "spring"}, "extra must be"),
        ({"extra": "velocity"}, "dt must be"),
        ({"extra": "velocity", "dt": -1.0}, "dt must be"),
        ({"extra": "velocity_and_distance", "dt": 1.0, "gap": np.nan}, "gap must be finite"),
    ],
)
def test_bad_input_is_named(change, message):
    with pytest.raises(ValueError, match=message):
        assemble(**{**DISC, **change})


def test_no_contacts():
    empty = {"body1": [], "body2": [], "point": np.zeros((0, 2)), "normal": np.zeros((0, 2))}
    A, b = assemble(**{**DISC, **empty, "r1": [], "r2": []})
    assert A.shape == (0, 0)
    assert b.shape == (0,)
    assert extra_acceleration("none", np.zeros(3), 0.0, None).tolist() == [0.0] * 3


# Two crossed bars, the upper one turning about the vertical over the lower one, body 0.
BARS = {
    "mass": [None, 3.0],
    "inertia": [None, np.diag([0.1, 1.0, 1.0])],
    "x": [(0, 0, 0), (0, 0, 0.2)],
    "v": [(0, 0, 0), (0, 0, 0)],
    "w": [(0, 0, 0), (0, 0, 5)],
    "force": [(0, 0, 0), (0, 0, -30)],
    "torque": [(0, 0, 0), (0, 0, 0)],
    "a": [1],
    "b": [0],
    "point": [(0, 0, 0.1)],
    "normal": [(0, 0, 1)],
    "ea": [(1, 0, 0)],
    "eb": [(0, 1, 0)],
    "vf": [False],
}


def test_crossed_bars_bear_the_weight_whichever_way_their_edges_point():
    for ea in ((1, 0, 0), (-2, 0, 0)):
        A, b = assemble_3d(**{**BARS, "ea": [ea]})
        assert A[0, 0] == pytest.approx(1 / 3)
        assert b == pytest.approx([-10.0])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mass": [None, -1.0]}, "mass must be"),
        ({"inertia": [None]}, "inertia must be 2 tensors"),
        ({"inertia": [None, -np.eye(3)]}, "inertia must be symmetric and positive definite"),
        ({"inertia": [None, np.eye(2)]}, "inertia must have shape"),
        ({"w": [(0, 0, 0), (0, 0, np.nan)]}, "w must be finite"),
        ({"a": [5]}, "a must be from 0 to 1"),
        ({"b": [1]}, "are the same body"),
        ({"normal": [(0, 0, 1.1)]}, "normal must be unit"),
        ({"eb": [(1, 0, 0)]}, "ea and eb of contact 0 must be at right angles"),
        ({"eb": [(0, 1, 1)]}, "ea and eb of contact 0 must be at right angles"),
        ({"ea": []}, "ea must have 1 rows"),
        ({"vf": ["yes"]}, "vf must be 1 truth values"),
    ],
)
def test_bad_spatial_input_is_named(change, message):
    with pytest.raises(ValueError, match=message):
        assemble_3d(**{**BARS, **change})
