"""How deep bodies sit in each other, from their poses alone: one measure for all engines.

Discs and rectangles only. The gap of two discs, or of a disc and a rectangle, is their distance;
that of two rectangles is the greatest separation along any of their four axes, which is minus the
depth where they overlap.
"""

import numpy as np
from scipy.spatial import cKDTree

from engine2d import Circle

TOUCH = 1e-3  # m: pairs nearer than this count as touching


def gaps(scene, positions, angles):
    """Gaps (m) of all pairs of shapes nearer than TOUCH that belong to two bodies."""
    pieces, owners, moving = [], [], []
    for k, body in enumerate(scene.bodies):
        c, s = np.cos(angles[k]), np.sin(angles[k])
        turn = np.array([[c, -s], [s, c]])
        for shape in body.shapes:
            pieces.append((shape, positions[k] + turn @ shape.center, turn))
            owners.append(k)
            moving.append(body.kind == "dynamic")
    owners, moving = np.array(owners), np.array(moving)
    fixed = np.flatnonzero(~moving)
    small = np.flatnonzero(moving)
    centers = np.array([piece[1] for piece in pieces])
    reach = np.array([reach_of(piece[0]) for piece in pieces])
    near = cKDTree(centers[small]).query_pairs(
        2 * reach[small].max() + TOUCH, output_type="ndarray"
    )
    first, second = small[near[:, 0]], small[near[:, 1]]
    for k in fixed:
        first = np.concatenate([first, np.full(small.size, k)])
        second = np.concatenate([second, small])
    apart = owners[first] != owners[second]
    found = pair_gaps(pieces, first[apart], second[apart])
    return found[found < TOUCH]


def reach_of(shape):
    return shape.radius if isinstance(shape, Circle) else 0.5 * np.hypot(shape.width, shape.height)


def pair_gaps(pieces, first, second):
    """Gaps of pairs of pieces, each kind of pair at once."""
    round_ = np.array([isinstance(piece[0], Circle) for piece in pieces])
    center = np.array([piece[1] for piece in pieces])
    turn = np.array([piece[2] for piece in pieces])
    half = np.array(
        [
            (p[0].radius,) * 2 if isinstance(p[0], Circle) else (p[0].width / 2, p[0].height / 2)
            for p in pieces
        ]
    )
    swap = round_[first] & ~round_[second]
    a, b = np.where(swap, second, first), np.where(swap, first, second)
    both, one = round_[a] & round_[b], ~round_[a] & round_[b]
    none = ~round_[a] & ~round_[b]
    out = np.empty(a.size)
    out[both] = discs(center[a[both]], half[a[both], 0], center[b[both]], half[b[both], 0])
    out[one] = box_disc(center[a[one]], half[a[one]], turn[a[one]], center[b[one]], half[b[one], 0])
    i, j = a[none], b[none]
    out[none] = boxes(center[i], half[i], turn[i], center[j], half[j], turn[j])
    return out


def discs(a, radius_a, b, radius_b):
    return np.linalg.norm(a - b, axis=1) - radius_a - radius_b


def box_disc(a, half, turn, b, radius):
    """Signed distance of the disc's middle from the rectangle, less the radius."""
    local = np.einsum("nij,ni->nj", turn, b - a)
    beyond = abs(local) - half
    outside = np.linalg.norm(np.maximum(beyond, 0.0), axis=1)
    return outside + np.minimum(beyond.max(axis=1), 0.0) - radius


def boxes(a, half_a, turn_a, b, half_b, turn_b):
    """Greatest separation along the axes of both (separating axes)."""
    out = np.full(len(a), -np.inf)
    for axes in (turn_a, turn_b):
        for k in (0, 1):
            axis = axes[:, :, k]
            far = abs(np.einsum("ni,ni->n", axis, b - a))
            width_a = (abs(np.einsum("ni,nij->nj", axis, turn_a)) * half_a).sum(axis=1)
            width_b = (abs(np.einsum("ni,nij->nj", axis, turn_b)) * half_b).sum(axis=1)
            out = np.maximum(out, far - width_a - width_b)
    return out
