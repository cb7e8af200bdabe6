"""Convex hulls: corners, flat faces as polygons, edges with the faces on both sides.

Made once for a shape, so in plain Python: incremental, the farthest points first.
"""

from typing import NamedTuple

import numpy as np

# Points nearer to a plane than this share of the size lie in it.
FLAT = 1e-10
# Faces whose normals differ by less than this (rad) are one.
SAME_NORMAL = 1e-7


class Hull(NamedTuple):
    """corners (n x 3, m); faces: tuples of corner numbers, anticlockwise as seen from outside."""

    corners: np.ndarray
    faces: list


def convex_hull(points):
    """The hull of points (n x 3, m); ValueError if they all lie in a plane."""
    points = np.unique(points, axis=0)
    origin = points.mean(axis=0)
    local = points - origin
    size = float(np.abs(local).max(initial=0.0))
    if len(points) < 4 or not size > 0.0:
        raise ValueError(f"points must be at least 4 that do not lie in a plane, got {len(points)}")
    local /= size
    faces = _merge(local, _triangles(local))
    used = sorted({corner for face in faces for corner in face})
    number = {corner: k for k, corner in enumerate(used)}
    return Hull(points[used], [tuple(number[corner] for corner in face) for face in faces])


def _first_tetrahedron(p):
    """Four points that do not lie in a plane, the farthest from each other."""
    a = int(np.argmax((p * p).sum(axis=1)))
    b = int(np.argmax(((p - p[a]) ** 2).sum(axis=1)))
    along = (p[b] - p[a]) / np.linalg.norm(p[b] - p[a])
    off = np.cross(p - p[a], along)
    c = int(np.argmax((off * off).sum(axis=1)))
    normal = np.cross(p[b] - p[a], p[c] - p[a])
    size = np.linalg.norm(normal)
    heights = (p - p[a]) @ normal / size if size > FLAT else np.zeros(len(p))
    d = int(np.argmax(np.abs(heights)))
    if not abs(heights[d]) > 1e-9:
        raise ValueError("points must not all lie in a plane")
    return (a, b, c, d) if heights[d] < 0.0 else (a, c, b, d)


def _plane(p, face):
    """Outward unit normal and offset of a triangle; the normal of a needle is 0."""
    a, b, c = (p[k] for k in face)
    normal = np.cross(b - a, c - a)
    size = np.linalg.norm(normal)
    normal = normal / size if size > 1e-14 else np.zeros(3)
    return (*normal, normal @ a)


def _triangles(p):
    """Faces of the hull as triangles: the farthest point beyond any face comes next."""
    a, b, c, d = _first_tetrahedron(p)
    faces = [(a, b, c), (a, d, b), (b, d, c), (c, d, a)]
    planes = np.array([_plane(p, face) for face in faces])
    left = np.array([k for k in range(len(p)) if k not in (a, b, c, d)], dtype=int)
    far = (p * p).sum(axis=1)
    while len(left):
        heights = p[left] @ planes[:, :3].T - planes[:, 3]
        beyond = heights.max(axis=1)
        left = left[beyond > FLAT]
        if not len(left):
            break
        beyond = beyond[beyond > FLAT]
        # of points at the same height the outermost: a corner, not what lies on an edge
        top = left[beyond >= beyond.max() - FLAT]
        apex = int(top[np.argmax(far[top])])
        seen = p[apex] @ planes[:, :3].T - planes[:, 3] > FLAT
        edges = {(f[k], f[(k + 1) % 3]) for f, s in zip(faces, seen) if s for k in range(3)}
        rim = [(i, j) for i, j in edges if (j, i) not in edges]
        new = [(i, j, apex) for i, j in sorted(rim)]
        faces = [f for f, s in zip(faces, seen) if not s] + new
        planes = np.vstack([planes[~seen], [_plane(p, face) for face in new]])
        left = left[left != apex]
    return faces


def _merge(p, triangles):
    """Triangles in one plane as one polygon, without corners on straight edges."""
    normals = np.array([_plane(p, face)[:3] for face in triangles])
    owner = {(f[k], f[(k + 1) % 3]): i for i, f in enumerate(triangles) for k in range(3)}
    group = list(range(len(triangles)))

    def root(i):
        while group[i] != i:
            i = group[i]
        return i

    for (i, j), one in sorted(owner.items()):
        other = owner[(j, i)]
        needle = not normals[one].any() or not normals[other].any()
        if needle or np.linalg.norm(normals[one] - normals[other]) < SAME_NORMAL:
            group[root(other)] = root(one)
    polygons = []
    for label in sorted({root(i) for i in range(len(triangles))}):
        follows = {}
        for i, f in enumerate(triangles):
            if root(i) != label:
                continue
            for k in range(3):
                if root(owner[(f[(k + 1) % 3], f[k])]) != label:
                    follows[f[k]] = f[(k + 1) % 3]
        start = min(follows)
        loop, at = [start], follows[start]
        while at != start:
            loop.append(at)
            at = follows[at]
        polygons.append(loop)
    # a corner of fewer than three faces is none
    count = {}
    for loop in polygons:
        for corner in loop:
            count[corner] = count.get(corner, 0) + 1
    return [tuple(c for c in loop if count[c] > 2) for loop in polygons]


def edges_of(faces):
    """(corner, corner, face on the left, face on the right) of each edge, each once."""
    left = {}
    for number, loop in enumerate(faces):
        for k, corner in enumerate(loop):
            left[(corner, loop[(k + 1) % len(loop)])] = number
    return [(i, j, number, left[(j, i)]) for (i, j), number in sorted(left.items()) if i < j]
