"""Contact points of two shapes: which kernel finds them, and the Python face.

docs/maths/shapes.md.
"""

from operator import attrgetter
from typing import NamedTuple

from libc.math cimport isfinite
from libc.stdint cimport int64_t
from libc.string cimport memset

from enginecore.arguments cimport read_number, read_numbers
from engine2d.collide.hull cimport collide_hulls
from engine2d.collide.outlines cimport collide_outlines
from engine2d.collide.geometry cimport OUTLINE, Geometry
from engine2d.pose cimport Pose, make_pose
from engine2d.shape cimport Shape
from engine2d.vec2 cimport vec2
from engine2d.vector cimport as_vector


cdef int find_contacts(const Geometry* a, const Pose* pose_a, const Geometry* b,
                       const Pose* pose_b, double margin, AxisCache* cache, Touch* out,
                       int room) noexcept nogil:
    """Contact points of A and B; see narrow_phase.pxd."""
    if cache != NULL:
        cache.clear = margin
    if a.kind != OUTLINE and b.kind != OUTLINE:
        return collide_hulls(a, pose_a, b, pose_b, margin, cache, out, room)
    return collide_outlines(a, pose_a, b, pose_b, margin, cache, out, room)


# ------------------------------------------------------------------------------ the Python face

class ContactPoint(NamedTuple):
    """Where two shapes touch, or nearly."""

    point: tuple[float, float]
    normal: tuple[float, float]
    gap: float
    r1: float
    r2: float
    id: int


_BY_ID = attrgetter("id")


cdef Pose read_pose(object value, str name) except *:
    """A pose from (x, y), (x, y, angle) or ((x, y), angle) (m, rad)."""
    cdef double[3] out
    try:
        parts = tuple(value)
    except TypeError:
        parts = ()
    if len(parts) == 2 and not isinstance(value, (str, bytes, dict, set)):
        if hasattr(parts[0], "__len__"):
            read_numbers(parts[0], f"the place in {name}", 2, out)
            out[2] = read_number(parts[1], f"the angle in {name}")
        else:
            read_numbers(parts, name, 2, out)
            out[2] = 0.0
    elif len(parts) == 3:
        read_numbers(value, name, 3, out)
    else:
        raise ValueError(f"{name} must be (x, y), (x, y, angle) or ((x, y), angle), got {value!r}")
    if not (isfinite(out[0]) and isfinite(out[1]) and isfinite(out[2])):
        raise ValueError(f"{name} must be finite, got {value!r}")
    return make_pose(vec2(out[0], out[1]), out[2])


cdef const Geometry* read_geometry(object shape, str name) except NULL:
    """What collisions see of a shape, as long as it lives."""
    # a shape of a body stands for its value, which the world keeps
    given = shape if isinstance(shape, Shape) else getattr(shape, "shape", None)
    if not isinstance(given, Shape):
        raise TypeError(f"{name} must be a Shape, got {shape!r}")
    cdef const Geometry* g = &(<Shape> given).geometry
    if g.core == NULL and g.features == NULL:
        raise ValueError(f"{name} must be a finished shape: its __init__ was not called")
    return g


cdef double read_margin(object value) except? -1.0:
    cdef double margin = read_number(value, "margin")
    if not margin >= 0.0:
        raise ValueError(f"margin must be >= 0, got {value!r}")
    return margin


def contact_points(shape_a, pose_a, shape_b, pose_b, margin=0.0):
    """Contact points of two shapes at two poses, as far apart as margin (m), sorted by id.

    A pose is (x, y), (x, y, angle) or ((x, y), angle).
    """
    cdef const Geometry* a = read_geometry(shape_a, "shape_a")
    cdef const Geometry* b = read_geometry(shape_b, "shape_b")
    cdef Pose place_a = read_pose(pose_a, "pose_a"), place_b = read_pose(pose_b, "pose_b")
    cdef double reach = read_margin(margin)
    cdef Touch[MOST_POINTS] found
    cdef int count, k
    with nogil:
        count = find_contacts(a, &place_a, b, &place_b, reach, NULL, found, MOST_POINTS)
    for k in range(count):
        if not isfinite(found[k].gap):
            raise OverflowError(f"pose_a and pose_b must not be so far apart that their distance "
                                f"leaves the range of doubles, got {pose_a!r} and {pose_b!r}")
    return sorted([as_point(&found[k]) for k in range(count)], key=_BY_ID)


cdef object as_point(const Touch* touch):
    return ContactPoint(as_vector(touch.point), as_vector(touch.normal),
                        touch.gap, touch.r1, touch.r2,
                        (<int64_t> touch.f1 << 32) + <int64_t> touch.f2)


def _follow(shape_a, poses_a, shape_b, pose_b, margin, poses_b=None):
    """The contacts at one pose after the other, with what is kept from step to step; for tests."""
    cdef const Geometry* a = read_geometry(shape_a, "shape_a")
    cdef const Geometry* b = read_geometry(shape_b, "shape_b")
    cdef Pose place_a, place_b
    cdef double reach = read_margin(margin)
    cdef Touch[MOST_POINTS] found
    cdef AxisCache cache
    cdef int count, k
    memset(&cache, 0, sizeof(AxisCache))
    steps = []
    for pose_a, other in zip(poses_a, poses_b or [pose_b] * len(poses_a)):
        place_a = read_pose(pose_a, "poses_a")
        place_b = read_pose(other, "pose_b")
        count = find_contacts(a, &place_a, b, &place_b, reach, &cache, found, MOST_POINTS)
        steps.append(sorted([as_point(&found[k]) for k in range(count)], key=_BY_ID))
    return steps


def _repeat(shape_a, pose_a, shape_b, pose_b, margin, Py_ssize_t times, bint keep=True):
    """Find the same contacts so many times, for benchmarks; returns how many were found in all.

    keep: with what is kept from step to step, otherwise from nothing each time.
    """
    cdef const Geometry* a = read_geometry(shape_a, "shape_a")
    cdef const Geometry* b = read_geometry(shape_b, "shape_b")
    cdef Pose place_a = read_pose(pose_a, "pose_a"), place_b = read_pose(pose_b, "pose_b")
    cdef double reach = read_margin(margin)
    cdef Touch[MOST_POINTS] found
    cdef AxisCache cache
    cdef Py_ssize_t _k, total = 0
    memset(&cache, 0, sizeof(AxisCache))
    with nogil:
        for _k in range(times):
            total += find_contacts(a, &place_a, b, &place_b, reach, &cache if keep else NULL,
                                   found, MOST_POINTS)
    return total
