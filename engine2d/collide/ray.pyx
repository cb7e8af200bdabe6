"""Rays and points against one shape: exact for edges and arcs (docs/maths/shapes.md).

All is done in the shape's frame. A piece of the boundary is met where its two ends lie on
different sides of the ray: neighbours share an end and so its side, and nothing slips between.
"""

from typing import NamedTuple

from libc.math cimport INFINITY, M_PI, fabs, isfinite, sqrt
from libc.stdint cimport int32_t

from enginecore.arguments cimport read_numbers
from enginecore.scalar cimport greater, lesser
from engine2d.collide.geometry cimport (
    BLOCK, HULL, OUTLINE, ROUND, Bounds, Feature, Geometry, has_normal)
from engine2d.collide.narrow_phase cimport read_geometry, read_pose
from engine2d.pose cimport Pose, rotate, to_local, to_world, unrotate
from engine2d.vec2 cimport Vec2, add, cross, dot, length, scaled, sub, vec2
from engine2d.vector cimport as_vector

# Of the lengths that meet in a difference: a few roundings. What comes nearer is touched.
cdef double RAY_ROUNDING = 4e-15
# A ray that meets an edge at a smaller angle (rad) runs along it, and meets its ends.
cdef double ALONG_EDGE = 1e-15
# cos of 60 degrees: corners that turn by less are told apart from smooth ones by their middle.
cdef double NEARLY_SMOOTH = 0.5


# A ray in the shape's frame, and the first hit so far.
cdef struct Ray:
    Vec2 start
    Vec2 u         # unit, its direction
    double length  # m
    double slack   # m, what rounding may do to a side
    bint solid     # what it meets has an inside
    double s       # m, from the start to the hit; infinite: none yet
    Vec2 point
    Vec2 normal


cdef bint cast_ray_at(const Geometry* geometry, const Pose* pose, Vec2 start, Vec2 end,
                      RayHit* out) noexcept nogil:
    """The first hit of a ray with a shape; see ray.pxd."""
    cdef Ray ray
    cdef Vec2 way = unrotate(pose.q, sub(end, start))
    ray.start = to_local(pose, start)
    ray.length = length(way)
    if not ray.length > 0.0:
        return False
    ray.u = scaled(1.0 / ray.length, way)
    ray.slack = RAY_ROUNDING * (length(sub(ray.start, geometry.middle)) + geometry.bounding_radius
                                + length(geometry.middle))
    ray.solid = geometry.closed
    ray.s = INFINITY
    if geometry.kind == ROUND:
        meet_disc(&ray, geometry)
    elif geometry.kind == HULL:
        meet_hull(&ray, geometry)
    else:
        meet_outline(&ray, geometry)
    if ray.s == INFINITY:
        return False
    out.t = lesser(greater(ray.s / ray.length, 0.0), 1.0)
    out.point = to_world(pose, ray.point)
    out.normal = rotate(pose.q, ray.normal)
    return True


cdef inline void consider(Ray* ray, Vec2 point, Vec2 normal) noexcept nogil:
    """Keep a point where the ray meets the boundary if it is the first within its length."""
    cdef double s = dot(sub(point, ray.start), ray.u)
    if s < -ray.slack or s > ray.length + ray.slack or s >= ray.s:
        return
    # A line is not met where the ray starts on it: the ray leaves it, to whichever side.
    if not ray.solid and fabs(s * dot(normal, ray.u)) <= ray.slack:
        return
    ray.s = s
    ray.point = point
    ray.normal = normal


cdef inline void meet_edge(Ray* ray, Vec2 p, Vec2 q, Vec2 normal) noexcept nogil:
    """The edge from p to q, if the ray comes from the side its normal points to."""
    cdef double side_p, side_q, share
    if dot(normal, ray.u) > -ALONG_EDGE:
        return
    # Seen along the ray, p is on its left and q on its right.
    side_p = cross(ray.u, sub(p, ray.start))
    side_q = cross(ray.u, sub(q, ray.start))
    if side_p < -ray.slack or side_q > ray.slack:
        return
    if side_p > side_q:
        share = lesser(greater(side_p / (side_p - side_q), 0.0), 1.0)
    else:
        share = 0.0 if dot(sub(q, p), ray.u) > 0.0 else 1.0
    # Between the ends, so that the point is on the edge however small the angle is.
    consider(ray, vec2(p.x + share * (q.x - p.x), p.y + share * (q.y - p.y)), normal)


cdef void meet_arc(Ray* ray, const Feature* arc, Vec2 low_end, Vec2 high_end) noexcept nogil:
    """An arc whose boundary ends, where its normals are low and high, are given."""
    cdef Vec2 to_c = sub(arc.c, ray.start), normal
    cdef double h = cross(ray.u, to_c), size = fabs(arc.r), half, aside
    if fabs(h) > size + ray.slack:
        return
    # In the axes of the ray the point is at (-half, -h) from a convex arc's centre.
    half = sqrt(greater((size - fabs(h)) * (size + fabs(h)), 0.0)) / size
    aside = lesser(greater(h / arc.r, -1.0), 1.0)
    normal = vec2(-half * ray.u.x + aside * ray.u.y, -half * ray.u.y - aside * ray.u.x)
    if has_normal(arc, normal, 0.0):
        consider(ray, add(arc.c, scaled(arc.r, normal)), normal)
    # Where rounding puts that point beyond an end, the end itself is met.
    meet_end(ray, low_end, arc.low)
    meet_end(ray, high_end, arc.high)


cdef inline void meet_end(Ray* ray, Vec2 point, Vec2 normal) noexcept nogil:
    """A point of the boundary with this normal, if the ray goes through it and comes from there."""
    if (dot(normal, ray.u) < -ALONG_EDGE
            and fabs(cross(ray.u, sub(point, ray.start))) <= ray.slack):
        consider(ray, point, normal)


cdef void meet_disc(Ray* ray, const Geometry* geometry) noexcept nogil:
    cdef Feature arc
    arc.c = geometry.core[0]
    arc.r = geometry.radius
    arc.low = arc.high = scaled(-1.0, ray.u)
    arc.sweep = 2.0 * M_PI
    meet_arc(ray, &arc, add(arc.c, scaled(arc.r, arc.low)), add(arc.c, scaled(arc.r, arc.low)))


cdef void meet_hull(Ray* ray, const Geometry* geometry) noexcept nogil:
    """Edges, and the arcs around corners if there is a radius; a ray enters but once."""
    cdef int32_t n = geometry.n_core, k, after, before = n - 1
    cdef double r = geometry.radius
    cdef Vec2 a, b, normal
    for k in range(n):
        after = k + 1 if k + 1 < n else 0
        a = geometry.core[k]
        b = geometry.core[after]
        normal = geometry.normals[k]
        if r > 0.0:
            meet_round_corner(ray, a, r, geometry.normals[before], normal, n == 2)
            a = vec2(a.x + r * normal.x, a.y + r * normal.y)
            b = vec2(b.x + r * normal.x, b.y + r * normal.y)
        meet_edge(ray, a, b, normal)
        if ray.s != INFINITY:
            return
        before = k
    if n == 2 and r == 0.0:
        # A line seen from its end.
        meet_end(ray, geometry.core[0], scaled(-1.0, ray.u))
        meet_end(ray, geometry.core[1], scaled(-1.0, ray.u))


cdef inline void meet_round_corner(Ray* ray, Vec2 c, double r, Vec2 low, Vec2 high,
                                   bint is_end) noexcept nogil:
    cdef Feature arc
    arc.c = c
    arc.r = r
    arc.low = low
    arc.high = high
    arc.sweep = M_PI if is_end else 0.5 * M_PI   # all that matters: not more than half a turn
    meet_arc(ray, &arc, vec2(c.x + r * low.x, c.y + r * low.y),
             vec2(c.x + r * high.x, c.y + r * high.y))


cdef void meet_outline(Ray* ray, const Geometry* geometry) noexcept nogil:
    """Pieces in blocks that the ray meets, and the ends of an open path."""
    cdef int32_t block, k, last
    cdef const Feature* piece
    for block in range(geometry.n_blocks):
        if passes_by(ray, &geometry.blocks[block]):
            continue
        last = BLOCK * (block + 1)
        if last > geometry.n_features:
            last = geometry.n_features
        for k in range(BLOCK * block + 1, last, 2):
            piece = &geometry.features[k]
            if not passes_by(ray, &piece.box):
                meet_piece(ray, geometry, k)
    if not geometry.closed:
        # The way back begins in the middle, at the other end.
        meet_end(ray, geometry.features[0].c, scaled(-1.0, ray.u))
        meet_end(ray, geometry.features[geometry.n_features // 2].c, scaled(-1.0, ray.u))


cdef inline void meet_piece(Ray* ray, const Geometry* geometry, int32_t k) noexcept nogil:
    cdef const Feature* piece = &geometry.features[k]
    cdef Vec2 p = geometry.features[k - 1].c
    cdef Vec2 q = geometry.features[k + 1 if k + 1 < geometry.n_features else 0].c
    if piece.r == INFINITY:
        meet_edge(ray, p, q, piece.low)
    elif piece.r > 0.0:
        meet_arc(ray, piece, p, q)
    else:
        # along a concave arc the normals turn the other way
        meet_arc(ray, piece, q, p)


cdef inline bint passes_by(const Ray* ray, const Bounds* box) noexcept nogil:
    """Whether a box has nothing of the ray up to its first hit."""
    cdef Vec2 half = scaled(0.5, sub(box.high, box.low))
    cdef Vec2 d = sub(add(box.low, half), ray.start)
    cdef double along = dot(ray.u, d), ux = fabs(ray.u.x), uy = fabs(ray.u.y)
    cdef double reach = half.x * ux + half.y * uy + ray.slack
    return (fabs(cross(ray.u, d)) > half.x * uy + half.y * ux + ray.slack
            or along < -reach or along - reach > lesser(ray.length, ray.s))


# ----------------------------------------------------------------------------- points

# The nearest point of the boundary so far, in the shape's frame.
cdef struct Nearest:
    double size     # m, how far
    double value    # m, with its sign
    Vec2 point
    Vec2 normal


cdef double signed_distance_to(const Geometry* geometry, const Pose* pose, Vec2 point,
                               Vec2* nearest, Vec2* normal) noexcept nogil:
    """How far a point is from the boundary; see ray.pxd."""
    cdef Vec2 x = to_local(pose, point)
    cdef Nearest best
    best.size = INFINITY
    if geometry.kind == ROUND:
        near_circle(&best, geometry.core[0], geometry.radius, x, vec2(1.0, 0.0))
    elif geometry.kind == HULL:
        near_hull(&best, geometry, x)
    else:
        near_outline(&best, geometry, x)
    if not geometry.closed and best.value < 0.0:
        best.value = -best.value
        best.normal = scaled(-1.0, best.normal)
    nearest[0] = to_world(pose, best.point)
    normal[0] = rotate(pose.q, best.normal)
    return best.value


cdef inline void keep_nearest(Nearest* best, double value, Vec2 point, Vec2 normal) noexcept nogil:
    if fabs(value) <= best.size:
        best.size = fabs(value)
        best.value = value
        best.point = point
        best.normal = normal


cdef inline void near_circle(Nearest* best, Vec2 c, double r, Vec2 x, Vec2 fallback) noexcept nogil:
    """A circle of signed radius; the fallback is the normal at its centre."""
    cdef Vec2 d = sub(x, c), normal = fallback
    cdef double size = length(d), sign = 1.0 if r >= 0.0 else -1.0
    if size > 0.0:
        normal = scaled(sign / size, d)
    keep_nearest(best, sign * size - r, add(c, scaled(r, normal)), normal)


cdef void near_hull(Nearest* best, const Geometry* geometry, Vec2 x) noexcept nogil:
    """Inside the core the nearest edge's line, outside the nearest edge or corner."""
    cdef int32_t n = geometry.n_core, k, top = 0
    cdef double height, highest = -INFINITY, r = geometry.radius, along
    cdef Vec2 normal, a, d
    for k in range(n):
        height = dot(geometry.normals[k], sub(x, geometry.core[k]))
        if height > highest:
            highest = height
            top = k
    if highest <= 0.0 and n > 2:
        normal = geometry.normals[top]
        keep_nearest(best, highest - r, sub(x, scaled(highest - r, normal)), normal)
        return
    for k in range(n):
        normal = geometry.normals[k]
        a = geometry.core[k]
        d = sub(x, a)
        height = dot(normal, d)
        if height < 0.0:
            continue
        along = -normal.y * d.x + normal.x * d.y
        d = sub(geometry.core[k + 1 if k + 1 < n else 0], a)
        if along <= 0.0:
            near_corner(best, a, r, x, normal)
        elif along * along >= dot(d, d):
            near_corner(best, add(a, d), r, x, normal)
        elif height - r <= best.value or best.size == INFINITY:
            best.size = best.value = height - r
            best.point = sub(x, scaled(height - r, normal))
            best.normal = normal


cdef inline void near_corner(Nearest* best, Vec2 c, double r, Vec2 x, Vec2 fallback) noexcept nogil:
    """A corner of a core seen from outside the core: the least value, which may be < 0."""
    cdef Vec2 d = sub(x, c)
    cdef double size = length(d)
    if best.size == INFINITY or size - r < best.value:
        best.normal = scaled(1.0 / size, d) if size > 0.0 else fallback
        best.size = best.value = size - r
        best.point = add(c, scaled(r, best.normal))


cdef void near_outline(Nearest* best, const Geometry* geometry, Vec2 x) noexcept nogil:
    """The nearest of all pieces and corners; blocks farther off are left out."""
    cdef int32_t block, k, last
    for block in range(geometry.n_blocks):
        if distance_to_box(&geometry.blocks[block], x) > best.size:
            continue
        last = BLOCK * (block + 1)
        if last > geometry.n_features:
            last = geometry.n_features
        for k in range(BLOCK * block, last, 2):
            near_outline_corner(best, &geometry.features[k], x)
            near_piece(best, &geometry.features[k + 1], x)


cdef inline double distance_to_box(const Bounds* box, Vec2 x) noexcept nogil:
    cdef double dx = greater(greater(box.low.x - x.x, x.x - box.high.x), 0.0)
    cdef double dy = greater(greater(box.low.y - x.y, x.y - box.high.y), 0.0)
    return sqrt(dx * dx + dy * dy)


cdef void near_piece(Nearest* best, const Feature* piece, Vec2 x) noexcept nogil:
    """An edge or arc, if the point stands over it."""
    cdef Vec2 d = sub(x, piece.c)
    cdef double along, height, size, sign
    if piece.r == INFINITY:
        along = -piece.low.y * d.x + piece.low.x * d.y
        if 0.0 <= along <= piece.length:
            height = dot(piece.low, d)
            keep_nearest(best, height, sub(x, scaled(height, piece.low)), piece.low)
        return
    size = length(d)
    sign = 1.0 if piece.r > 0.0 else -1.0
    if size == 0.0 or has_normal(piece, scaled(sign / size, d), 0.0):
        near_circle(best, piece.c, piece.r, x, piece.low)


cdef void near_outline_corner(Nearest* best, const Feature* corner, Vec2 x) noexcept nogil:
    """A corner: what is nearest to an outer one is outside, to an inner one inside; one that is
    all but smooth has its two sides."""
    cdef Vec2 d = sub(x, corner.c), middle = add(corner.low, corner.high)
    cdef double size = length(d), sign = 1.0 if corner.sweep >= 0.0 else -1.0
    if not size < best.size:
        return
    if dot(corner.low, corner.high) > NEARLY_SMOOTH:
        sign = 1.0 if dot(d, middle) >= 0.0 else -1.0
    best.size = size
    best.value = sign * size
    best.point = corner.c
    best.normal = scaled(sign / size, d) if size > 0.0 else corner.low


# ------------------------------------------------------------------------- how far it reaches

cdef Vec2 support_of(const Geometry* geometry, Vec2 u) noexcept nogil:
    """The farthest point along a unit vector; see ray.pxd."""
    cdef int32_t k, best = 0
    cdef double height, highest = -INFINITY
    cdef const Feature* piece
    cdef Vec2 out, x
    if geometry.kind != OUTLINE:
        for k in range(geometry.n_core):
            height = dot(u, geometry.core[k])
            if height > highest:
                highest = height
                best = k
        return add(geometry.core[best], scaled(geometry.radius, u))
    out = geometry.features[0].c
    for k in range(0, geometry.n_features, 2):
        x = geometry.features[k].c
        height = dot(u, x)
        if height > highest:
            highest = height
            out = x
        piece = &geometry.features[k + 1]
        if 0.0 < piece.r < INFINITY and has_normal(piece, u, 0.0):
            x = add(piece.c, scaled(piece.r, u))
            height = dot(u, x)
            if height > highest:
                highest = height
                out = x
    return out


# ----------------------------------------------------------------------------- the Python face

class RayEntry(NamedTuple):
    """Where a ray meets a shape."""

    t: float
    point: tuple[float, float]
    normal: tuple[float, float]


class Nearness(NamedTuple):
    """How a point lies to a shape's boundary."""

    distance: float
    point: tuple[float, float]
    normal: tuple[float, float]


def cast_ray(shape, pose, start, end):
    """Where the ray from start to end (m, world) first enters a shape at a pose, or None.

    t goes from 0 at the start to 1 at the end. A ray hits a solid where it enters it: one that
    starts inside goes out unnoticed, and one that starts on the surface and heads inwards hits at
    once. A Segment without radius and an open Path are hit from both sides, but not where the ray
    starts on them. A ray of no length hits nothing.
    """
    cdef const Geometry* geometry = read_geometry(shape, "shape")
    cdef Pose at = read_pose(pose, "pose")
    cdef Vec2 p = read_point(start, "start"), q = read_point(end, "end")
    cdef RayHit hit
    if not isfinite(length(sub(q, p)) + length(sub(p, at.p))):
        raise OverflowError(f"start, end and pose are too far apart: {start!r}, {end!r}, {pose!r}")
    if not cast_ray_at(geometry, &at, p, q, &hit):
        return None
    return RayEntry(hit.t, as_vector(hit.point), as_vector(hit.normal))


def point_distance(shape, pose, point):
    """How far a point (m, world) is from the boundary of a shape at a pose, as a Nearness.

    Negative inside; never for a Segment without radius and an open Path. With the nearest point of
    the boundary, and the outward normal there.
    """
    cdef const Geometry* geometry = read_geometry(shape, "shape")
    cdef Pose at = read_pose(pose, "pose")
    cdef Vec2 x = read_point(point, "point"), nearest, normal
    cdef double value
    if not isfinite(length(sub(x, at.p))):
        raise OverflowError(f"point and pose are too far apart: {point!r}, {pose!r}")
    value = signed_distance_to(geometry, &at, x, &nearest, &normal)
    return Nearness(value, as_vector(nearest), as_vector(normal))


cdef Vec2 read_point(object value, str name) except *:
    cdef Vec2 out
    read_numbers(value, name, 2, &out.x)
    if not (isfinite(out.x) and isfinite(out.y)):
        raise ValueError(f"{name} must be two finite numbers, got {value!r}")
    return out
