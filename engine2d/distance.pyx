"""The signed distance of two shapes, from their contact points."""

from typing import NamedTuple

from libc.math cimport INFINITY, isfinite

from engine2d.narrow_phase cimport MOST_POINTS, find_contacts, read_geometry, read_pose
from engine2d.vec2 cimport length, sub


cdef double measure_distance(const Geometry* a, const Pose* pose_a, const Geometry* b,
                             const Pose* pose_b, Touch* out) noexcept nogil:
    """Where A and B are nearest; see distance.pxd."""
    cdef Touch found[MOST_POINTS]
    cdef int count = find_contacts(a, pose_a, b, pose_b, INFINITY, NULL, found, MOST_POINTS)
    cdef int k, best = 0
    for k in range(1, count):
        if found[k].gap < found[best].gap:
            best = k
    out[0] = found[best]
    return out.gap


# ----------------------------------------------------------------------------- the Python face

class Distance(NamedTuple):
    """How far two shapes are apart, and where."""

    distance: float
    point_a: tuple[float, float]
    point_b: tuple[float, float]
    normal: tuple[float, float]


def distance(shape_a, pose_a, shape_b, pose_b):
    """The signed distance (m) of two shapes at poses (x, y, angle), as a Distance.

    Where they overlap it is minus the depth: how far A must move along the normal to be free.
    point_a and point_b (m, world) are where they are nearest, or deepest in each other; normal is a
    unit vector from B into A, and point_a - point_b = distance * normal.
    """
    cdef const Geometry* ga = read_geometry(shape_a, "shape_a")
    cdef const Geometry* gb = read_geometry(shape_b, "shape_b")
    cdef Pose a = read_pose(pose_a, "pose_a"), b = read_pose(pose_b, "pose_b")
    cdef Touch at
    cdef double half
    if not isfinite(length(sub(a.p, b.p))):
        raise OverflowError(f"pose_a and pose_b are too far apart: {pose_a!r}, {pose_b!r}")
    half = 0.5 * measure_distance(ga, &a, gb, &b, &at)
    return Distance(
        at.gap,
        (at.point.x + half * at.normal.x, at.point.y + half * at.normal.y),
        (at.point.x - half * at.normal.x, at.point.y - half * at.normal.y),
        (at.normal.x, at.normal.y))
