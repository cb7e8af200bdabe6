"""The signed distance of two shapes, from their contact points."""

from typing import NamedTuple

from libc.math cimport INFINITY, isfinite
from libc.stdint cimport int32_t

from engine2d.collide.arc_distance cimport ArcGap, measure_arc
from engine2d.collide.geometry cimport HULL, OUTLINE
from engine2d.collide.narrow_phase cimport MOST_POINTS, find_contacts, read_geometry, read_pose
from engine2d.pose cimport to_world
from engine2d.collide.ray cimport RayHit, cast_ray_at
from engine2d.vec2 cimport Vec2, add, length, scaled, sub
from engine2d.vector cimport as_vector

# Of the shapes' size: rounding of a distance that is 0.
cdef double CROSSING = 1e-14
cdef int32_t NO_FEATURE = -1


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
    # Lines enclose nothing that could overlap, so contact points do not tell that they cross.
    if not a.closed and not b.closed and out.gap > 0.0:
        find_crossing(a, pose_a, b, pose_b, out)
    return out.gap


cdef void find_crossing(const Geometry* a, const Pose* pose_a, const Geometry* b,
                        const Pose* pose_b, Touch* out) noexcept nogil:
    """Where two lines cross, if they do: there the gap is 0, and the normal one of B's."""
    cdef int32_t count = a.n_core - 1 if a.kind == HULL else a.n_features // 4, k
    cdef RayHit hit
    cdef ArcGap arc
    cdef Vec2 p, q
    for k in range(count):
        p = a.core[k] if a.kind == HULL else a.features[2 * k].c
        q = a.core[k + 1] if a.kind == HULL else a.features[2 * k + 2].c
        if a.kind == OUTLINE and a.features[2 * k + 1].r != INFINITY:
            measure_arc(&a.features[2 * k + 1], p, q, pose_a, b, pose_b, &arc)
            if arc.gap > CROSSING * (a.bounding_radius + b.bounding_radius):
                continue
            out.point = arc.point
            out.normal = scaled(-1.0, arc.normal)
        elif cast_ray_at(b, pose_b, to_world(pose_a, p), to_world(pose_a, q), &hit):
            out.point = hit.point
            out.normal = hit.normal
        else:
            continue
        out.gap = out.r1 = out.r2 = 0.0
        out.f1 = out.f2 = NO_FEATURE
        return


# ----------------------------------------------------------------------------- the Python face

class Distance(NamedTuple):
    """How far two shapes are apart, and where."""

    distance: float
    point_a: tuple[float, float]
    point_b: tuple[float, float]
    normal: tuple[float, float]


def distance(shape_a, pose_a, shape_b, pose_b):
    """The signed distance (m) of two shapes at poses (x, y, angle), as a Distance.

    Where they overlap it is minus the depth: how far A must move along the normal to be free; of
    shapes that are not convex, to be free there.
    point_a and point_b (m, world) are where they are nearest, or deepest in each other; normal is a
    unit vector from B into A, and point_a - point_b = distance * normal. An open path that
    crosses another, or a segment without radius, has no depth: the distance is 0.
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
        as_vector(add(at.point, scaled(half, at.normal))),
        as_vector(sub(at.point, scaled(half, at.normal))),
        as_vector(at.normal))
