"""Where shapes overlap a little elsewhere, contacts up to a tenth of a nanometre beyond the margin
were listed, so that an impact was told with a gap of 1.1e-9 m for a tolerance of 1e-9 m."""

import numpy as np
import pytest

from engine2d import Path, Polygon
from engine2d.collide.narrow_phase import contact_points
from engine2d.collide.time_of_impact import search_impact

BOWL = Path([(-1, 0.2), (1, 0.2)], [0.8], closed=False)
STAR = Polygon(
    [
        (r * np.cos(k * np.pi / 20), r * np.sin(k * np.pi / 20))
        for k in range(40)
        for r in [1.0 if k % 2 else 0.6]
    ]
)
PLACE, TURN = (-0.25, 0.0), -0.6
RADIUS = 1.025  # m, of the bowl's arc, whose centre is at (0, 0.425)


def bowl_at(angle):
    return (*PLACE, angle)


def gap_of_the_corner(angle):
    """Of corner 37 of the star inside the arc, by hand."""
    centre = np.add(PLACE, 0.425 * np.array([-np.sin(angle), np.cos(angle)]))
    corner = (np.cos(37 * np.pi / 20) - 0.275, np.sin(37 * np.pi / 20))
    return RADIUS - np.hypot(*np.subtract(corner, centre))


@pytest.mark.parametrize("tolerance", [1e-9, 1e-8, 1e-5])
def test_the_gap_is_within_the_tolerance_and_the_true_one(tolerance):
    found, _, finished = search_impact(
        BOWL, bowl_at(TURN), (0, 0, 1), STAR, (-0.275, 0, 0), (0, 0, 0), 1.0, tolerance
    )
    assert finished
    assert 0.0 < found.gap <= tolerance
    assert found.gap == pytest.approx(gap_of_the_corner(TURN + found.time), abs=1e-15)


@pytest.mark.parametrize("margin", [1e-9, 1e-6, 1e-3])
def test_contacts_end_at_the_margin(margin):
    """The corner comes as near as the margin says, to a thousandth of it, from either side."""
    low, high = TURN, TURN + 0.02
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if gap_of_the_corner(middle) > margin else (low, middle)
    slope = (gap_of_the_corner(low) - gap_of_the_corner(low + 1e-6)) / 1e-6
    for share, count in ((1.001, 0), (0.999, 1)):
        angle = low - (share - 1.0) * margin / slope
        contacts = contact_points(BOWL, bowl_at(angle), STAR, (-0.275, 0, 0), margin)
        assert min(contact.gap for contact in contacts) < -1e-3
        assert sum(contact.gap > 0.0 for contact in contacts) == count
