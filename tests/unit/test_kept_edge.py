"""Two boxes that lean on each other, pose after pose: contact points are where both boxes are."""

import pytest

from engine2d import Box
from engine2d.collide.narrow_phase import _follow


@pytest.mark.parametrize("lean", [1e-4, 5e-4, 2e-3])
def test_points_lie_on_both_edges_whichever_edge_was_kept(lean):
    """One box half on the other, sunk in by half a millimetre, leaning first one way, then the
    other: the deepest corner of the lower box's edge may be one far from the upper box."""
    upper, lower = Box(1, 1), Box(1, 1)
    angles = [0.0, lean, -lean, lean, -lean, 0.0]
    poses = [(0.525, 0.9995, angle) for angle in angles]
    for points in _follow(upper, poses, lower, (0.0, 0.0, 0.0), 0.01):
        assert len(points) == 2
        for contact in points:
            assert 0.02 <= contact.point[0] <= 0.501
