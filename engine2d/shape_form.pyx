"""What shapes are made of; shape_form.pxd has the contract, docs/maths/shapes.md why."""

import numpy as np

from libc.math cimport M_PI, atan2, fabs, isfinite, sqrt

from enginecore.scalar cimport greater, lesser
from engine2d.collide.geometry cimport HULL, ROUND
from engine2d.collide.outline cimport Arc, arc_between, find_crossing, measure_run
from engine2d.vec2 cimport add, cross, dot, length, scaled, sub, vec2

from enginecore.arguments import as_rows

# An area below this share of the size squared is none.
cdef double NO_AREA = 1e-12
# m. Of points farther out the squares leave the range of doubles, and areas with them.
cdef double FARTHEST_POINT = 1e150
# A bulge of this size sweeps all but 1e-6 of a full turn.
cdef double MOST_BULGE = 4e6
# Bulges below this are taken for 0: such an arc leaves its chord by half of that, less than what
# lies between points that are the same; 1/bulge stays far from the range of doubles.
cdef double NO_BULGE = 1e-10
# rad. A polygon whose inner corners turn by no more than this in all is convex, and edges that turn
# by no more are one: rounding of vertices makes such corners where they should lie on a line.
cdef double STRAIGHT = 1e-10


cdef Moments measure_rounded(Vec2 middle, double w, double h, double r) noexcept nogil:
    cdef Moments out
    out.centroid = middle
    out.area = w * h + 2.0 * r * (w + h) + M_PI * r * r
    # the rectangle, a strip along each side, a quarter disc at each corner
    out.second = (w * h * (w * w + h * h) / 12.0
                  + r * w * ((w * w + r * r) / 6.0 + (h + r) * (h + r) / 2.0)
                  + r * h * ((h * h + r * r) / 6.0 + (w + r) * (w + r) / 2.0)
                  + r * r * (M_PI * (w * w + h * h) / 4.0 + 4.0 / 3.0 * r * (w + h)
                             + M_PI * r * r / 2.0))
    return out


cdef void describe_core(Geometry* g, const Vec2* core, const Vec2* normals, int32_t n,
                        double radius, bint closed, Vec2 middle) noexcept nogil:
    cdef Vec2 low = core[0], high = core[0], out
    cdef double most = 0.0
    cdef int32_t k
    for k in range(n):
        low = vec2(lesser(low.x, core[k].x), lesser(low.y, core[k].y))
        high = vec2(greater(high.x, core[k].x), greater(high.y, core[k].y))
        out = sub(core[k], middle)
        most = greater(most, dot(out, out))
    g.kind = ROUND if n == 1 else HULL
    g.closed = closed
    g.convex = True
    g.radius = radius
    g.n_core = n
    g.n_features = g.n_blocks = 0
    g.flattest = 0.0
    g.core = core
    g.normals = normals
    g.features = NULL
    g.blocks = NULL
    g.box.low = vec2(low.x - radius, low.y - radius)
    g.box.high = vec2(high.x + radius, high.y + radius)
    g.middle = middle
    g.bounding_radius = sqrt(most) + radius


cdef int32_t inset(const Vec2* points, int32_t n, double radius, Vec2* core,
                   Vec2* normals) noexcept nogil:
    cdef Vec2 before
    cdef double size, inwards = 0.0, bend, bent = 0.0, most
    cdef int32_t k, kept = 0
    find_normals(points, n, normals)
    before = normals[n - 1]
    for k in range(n):
        bend = atan2(cross(before, normals[k]), dot(before, normals[k]))
        inwards += greater(-bend, 0.0)
        bent += bend
        if bent > STRAIGHT:
            core[kept] = points[k]
            kept += 1
            bent = 0.0
        before = normals[k]
    if inwards > STRAIGHT or kept < 3:
        return 0
    most = find_normals(core, kept, normals)
    if radius == 0.0:
        return kept
    before = normals[kept - 1]
    for k in range(kept):
        # the centre of the arc between the two edges, radius from either
        size = radius / (1.0 + dot(before, normals[k]))
        core[k] = sub(core[k], scaled(size, add(before, normals[k])))
        before = normals[k]
    return drop_points(core, normals, kept, SAME * most)


cdef double find_normals(const Vec2* points, int32_t n, Vec2* normals) noexcept nogil:
    cdef Vec2 along
    cdef double size, most = 0.0
    cdef int32_t k
    for k in range(n):
        along = sub(points[k + 1 if k + 1 < n else 0], points[k])
        size = length(along)
        most = greater(most, size)
        normals[k] = vec2(along.y / size, -along.x / size)
    return most


cdef int32_t drop_points(Vec2* core, Vec2* normals, int32_t n, double none) noexcept nogil:
    """Drop edges no longer than `none`, which arcs have used up; returns how many are left."""
    cdef Vec2 first = core[0], along
    cdef double size
    cdef int32_t k, kept = 0
    for k in range(n):
        if length(sub(core[k + 1] if k + 1 < n else first, core[k])) > none:
            core[kept] = core[k]
            normals[kept] = normals[k]
            kept += 1
    if kept == 2:
        along = sub(core[1], core[0])
        size = length(along)
        normals[0] = vec2(along.y / size, -along.x / size)
        normals[1] = scaled(-1.0, normals[0])
    return kept if kept > 1 else 1


cdef double farthest(const Vec2* points, const double* bulges, Py_ssize_t n, Py_ssize_t pieces,
                     Vec2 middle) noexcept nogil:
    cdef double most = 0.0, side, size
    cdef Vec2 p, q, out, tip
    cdef Arc arc
    cdef Py_ssize_t k
    for k in range(pieces):
        p = points[k]
        q = points[k + 1 if k + 1 < n else 0]
        most = greater(most, greater(length(sub(p, middle)), length(sub(q, middle))))
        if bulges[k] == 0.0:
            continue
        # the far side of the circle, if that is on the arc's side of the chord
        arc = arc_between(p, q, bulges[k])
        out = sub(arc.c, middle)
        size = length(out)
        out = scaled(1.0 / size, out) if size > 0.0 else vec2(1.0, 0.0)
        tip = add(arc.c, scaled(arc.r, out))
        side = cross(sub(q, p), sub(tip, p))
        if size == 0.0 or (side <= 0.0) == (bulges[k] > 0.0):
            most = greater(most, size + arc.r)
    return most


# ------------------------------------------------------------------------------------ outlines

cdef tuple thicken(Vec2 a, Vec2 b, double radius):
    cdef Vec2 along = sub(b, a)
    cdef Vec2 right = scaled(radius / length(along), vec2(along.y, -along.x))
    points = np.array([(a.x + right.x, a.y + right.y), (b.x + right.x, b.y + right.y),
                       (b.x - right.x, b.y - right.y), (a.x - right.x, a.y - right.y)])
    return points, np.array([0.0, 1.0, 0.0, 1.0])


cdef double extent(object points) except? -1.0:
    """The longer side (m) of the box around points."""
    cdef const double[:, ::1] p = points
    cdef Vec2 low, high
    cdef Py_ssize_t k
    if p.shape[0] == 0:
        return 0.0
    low = high = vec2(p[0, 0], p[0, 1])
    for k in range(1, p.shape[0]):
        low = vec2(lesser(low.x, p[k, 0]), lesser(low.y, p[k, 1]))
        high = vec2(greater(high.x, p[k, 0]), greater(high.y, p[k, 1]))
    return greater(high.x - low.x, high.y - low.y)


cdef bint has_doubles(object points, bint closed, double none) except -1:
    """Whether a run has a piece no longer than `none`."""
    cdef const double[:, ::1] p = points
    cdef Py_ssize_t k, n = p.shape[0], after
    for k in range(n if closed else n - 1):
        after = k + 1 if k + 1 < n else 0
        if not length(vec2(p[after, 0] - p[k, 0], p[after, 1] - p[k, 1])) > none:
            return True
    return False


cdef tuple without_doubles(points, bulges, bint closed):
    cdef double none = SAME * extent(points)
    if not has_doubles(points, closed, none):
        return points, bulges
    keep = np.hypot(*(np.roll(points, -1, axis=0) - points).T) > none
    if not closed:
        keep[len(keep) - 1] = True
    return np.ascontiguousarray(points[keep]), np.ascontiguousarray(bulges[keep])


cdef tuple anticlockwise(points, bulges, str name, str hint=""):
    cdef const double[:, ::1] p = points
    cdef const double[::1] b = bulges
    cdef double area = measure_run(<const Vec2*> &p[0, 0], &b[0], p.shape[0]).area
    cdef double size = extent(points)
    if not fabs(area) > NO_AREA * size * size:
        raise ValueError(f"{name} enclose no area, or as much one way round as the other{hint}")
    if area > 0.0:
        return points, bulges
    # The piece from i to i + 1 becomes the one from n - 2 - i, turned the other way.
    # 0 - x, not -x: a straight piece stays 0.0, so that a copy is the same to the bit
    return np.ascontiguousarray(points[::-1]), 0.0 - np.roll(bulges[::-1], -1)


cdef int check_crossings(points, bulges, bint closed, str name, str hint="") except -1:
    cdef const double[:, ::1] p = points
    cdef const double[::1] b = bulges
    cdef Py_ssize_t n = p.shape[0], i = 0, j = 0
    cdef double gap = SAME * extent(points)
    cdef bint crosses
    with nogil:
        crosses = find_crossing(<const Vec2*> &p[0, 0], &b[0], n, n if closed else n - 1, gap,
                                &i, &j)
    if crosses:
        def describe(k):
            start, end = points[k].tolist(), points[(k + 1) % n].tolist()
            return f"{'arc' if bulges[k] else 'edge'} from {tuple(start)} to {tuple(end)}"
        raise ValueError(f"{name} make an outline that meets itself: the {describe(i)} and the "
                         f"{describe(j)}{hint if greater(i, j) == n - 1 else ''}")
    return 0


cdef tuple round_off(points, double radius):
    before = points - np.roll(points, 1, axis=0)
    after = np.roll(points, -1, axis=0) - points
    edges = np.hypot(*after.T)
    turns = np.arctan2(before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0],
                       (before * after).sum(axis=1))
    # An arc that turns by `turn` begins radius tan(turn/2) before the corner.
    cuts = radius * np.abs(np.tan(turns / 2.0))
    if (cuts + np.roll(cuts, -1) > edges * (1.0 + SAME)).any():
        raise ValueError(f"radius must leave room for the arcs along every edge, got {radius!r}")
    starts = points - before / np.roll(edges, 1)[:, None] * cuts[:, None]
    ends = points + after / edges[:, None] * cuts[:, None]
    outline = np.stack([starts, ends], axis=1).reshape(-1, 2)
    bulges = np.stack([np.tan(turns / 4.0), np.zeros(len(turns))], axis=1).reshape(-1)
    return without_doubles(np.ascontiguousarray(outline), bulges, True)


# --------------------------------------------------------------------------- the API boundary

cdef object read_points(object value, str name):
    cdef const double[:, ::1] rows
    cdef Py_ssize_t k
    points = as_rows(name, value, (2,)).copy()
    if points.ndim != 2:
        raise ValueError(f"{name} must be a list of points, got {value!r}")
    rows = points
    for k in range(rows.shape[0]):
        if not (isfinite(rows[k, 0]) and isfinite(rows[k, 1])):
            raise ValueError(f"{name} must be finite, got {points[k].tolist()} at {k}")
        if fabs(rows[k, 0]) > FARTHEST_POINT or fabs(rows[k, 1]) > FARTHEST_POINT:
            raise OverflowError(f"{name} must be within {FARTHEST_POINT:g} m, got "
                                f"{points[k].tolist()} at {k}")
    return points


cdef object read_bulges(object value, Py_ssize_t count):
    if value is None:
        return np.zeros(count)
    bulges = as_rows("bulges", value, ())
    if bulges.shape != (count,):
        raise ValueError(f"bulges must be {count} numbers, one for each piece, got {value!r}")
    if not (np.abs(bulges) <= MOST_BULGE).all():
        raise ValueError(f"bulges must be finite and sweep less than a full turn, got {value!r}")
    return np.where(np.abs(bulges) < NO_BULGE, 0.0, bulges)
