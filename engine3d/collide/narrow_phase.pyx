"""Contact points of two shapes; narrow_phase.pxd has the contracts, docs/maths/contact3d.md why."""

from typing import NamedTuple


from libc.math cimport INFINITY, fabs
from libc.string cimport memset

from enginecore.scalar cimport lesser
from engine3d.arguments cimport read_at_least_zero, read_orientation, read_place
from engine3d.collide.cylinder cimport ball_on_cylinder, cylinder_on_plane
from engine3d.collide.hull cimport collide_hulls, collide_round, keep_four
from engine3d.collide.geometry cimport CYLINDER, HOLLOW, PLANE, ROUND, SEGMENT
from engine3d.pose cimport make_pose, seen_from, to_local, to_world
from engine3d.quat cimport quat
from engine3d.shape cimport Shape
from engine3d.vec3 cimport across, vec3

# Capsules with a smaller sine between them lie along each other.
cdef double PARALLEL_CAPSULES = 1e-3
# Share of the reach: as in collide_hull.
cdef double DEEPER = 1e-3
cdef enum:
    ROOM = 64     # corners of a hull that are looked at on a plane: the nearest ones


cdef int find_contacts(const Geometry* a, const Pose* pose_a, const Geometry* b,
                       const Pose* pose_b, double margin, AxisCache* cache,
                       Touch* out) noexcept nogil:
    cdef int n, k
    cdef Pose rel
    if cache != NULL:
        cache.clear = margin
        cache.beside = -INFINITY
    if a.kind <= b.kind:
        rel = seen_from(pose_b, pose_a)
        n = collide_ordered(a, b, &rel, margin, cache, out)
    else:
        rel = seen_from(pose_a, pose_b)
        n = collide_ordered(b, a, &rel, margin, cache, out)
        for k in range(n):
            exchange(&out[k])
    for k in range(n):
        refresh(&out[k], pose_a, pose_b)
    return n


cdef void exchange(Touch* t) noexcept nogil:
    """The same contact with A and B exchanged."""
    t.c1, t.c2 = t.c2, t.c1
    t.d1, t.d2 = t.d2, t.d1
    t.r1, t.r2 = t.r2, t.r1
    if t.kind == POINT_FACE or t.kind == POINT_LINE or t.kind == RIM_FACE:
        t.kind += 1
    elif t.kind == FACE_POINT or t.kind == LINE_POINT or t.kind == FACE_RIM:
        t.kind -= 1
    t.normal = negated(t.normal)


cdef int collide_ordered(const Geometry* a, const Geometry* b, const Pose* rel, double margin,
                         AxisCache* cache, Touch* out) noexcept nogil:
    """As find_contacts, with the kind of A at most that of B, in B's frame, not refreshed."""
    if b.kind == PLANE:
        if a.kind == CYLINDER:
            return cylinder_on_plane(a, b, rel, margin, out)
        return corners_on_plane(a, b, rel, margin, out) if a.kind < PLANE else 0
    if b.kind == HOLLOW:
        return corners_in_hollow(a, b, rel, margin, out) if a.kind < PLANE else 0
    if b.kind == ROUND:
        return touch_balls(a, b, rel, a.core[0], b.core[0], margin, out)
    if b.kind == SEGMENT:
        return collide_capsules(a, b, rel, margin, out)
    if a.kind == ROUND and b.kind == CYLINDER:
        return ball_on_cylinder(a, b, rel, margin, out)
    if a.kind <= SEGMENT:
        if a.kind == ROUND and b.boxed:
            return ball_on_box(a, b, rel, margin, cache, out)
        return collide_round(a, b, rel, margin, cache, out)
    return collide_hulls(a, b, rel, margin, cache, out)


# ---- balls and capsules -------------------------------------------------------------------------

cdef int touch_balls(const Geometry* a, const Geometry* b, const Pose* rel, Vec3 p, Vec3 q,
                     double margin, Touch* out) noexcept nogil:
    """A ball of A's around p (its frame) and one of B's around q."""
    cdef Vec3 apart = sub(to_world(rel, p), q)
    if length(apart) > a.radius + b.radius + margin:
        return 0
    memset(out, 0, sizeof(Touch))
    out.kind, out.c1, out.c2, out.r1, out.r2 = POINT_POINT, p, q, a.radius, b.radius
    out.normal = vec3(0.0, 0.0, 1.0)
    return 1


cdef inline double within(double s, double low, double high) noexcept nogil:
    return low if s < low else high if s > high else s


cdef int ball_on_line(const Geometry* a, const Geometry* b, const Pose* rel, Vec3 p, int end,
                      double margin, Touch* out) noexcept nogil:
    """A ball of A's around p (its frame) on B's capsule."""
    cdef Vec3 at = to_world(rel, p), way = sub(b.core[1], b.core[0])
    cdef double size = length(way), s = dot(sub(at, b.core[0]), b.axis)
    cdef int n
    if s <= 0.0 or s >= size:
        n = touch_balls(a, b, rel, p, b.core[0 if s <= 0.0 else 1], margin, out)
        if n:
            out.id = 8 + 2 * end + (0 if s <= 0.0 else 1)
        return n
    if length(sub(at, add_scaled(b.core[0], s, b.axis))) > a.radius + b.radius + margin:
        return 0
    memset(out, 0, sizeof(Touch))
    out.kind, out.c1, out.r1, out.r2, out.d2 = POINT_LINE, p, a.radius, b.radius, b.axis
    out.c2 = add_scaled(b.core[0], s, b.axis)
    out.id = 16 + end
    # should they coincide
    out.normal = vec3(0.0, 0.0, 1.0)
    return 1


cdef int collide_capsules(const Geometry* a, const Geometry* b, const Pose* rel, double margin,
                          Touch* out) noexcept nogil:
    cdef Vec3 p, e, apart
    cdef double c, s, t, la, lb, size, q, r
    cdef int k
    if a.n_core == 1:
        return ball_on_line(a, b, rel, a.core[0], 0, margin, out)
    p = to_world(rel, a.core[0])
    e = rotate(rel, a.axis)
    la = length(sub(a.core[1], a.core[0]))
    lb = length(sub(b.core[1], b.core[0]))
    c = dot(e, b.axis)
    size = 1.0 - c * c
    if size < PARALLEL_CAPSULES * PARALLEL_CAPSULES:
        return capsules_along(a, b, rel, margin, out)
    apart = sub(p, b.core[0])
    q, r = dot(e, apart), dot(b.axis, apart)
    # nearest points of two segments (Ericson 5.1.9)
    s = within((c * r - q) / size, 0.0, la)
    t = within(r + c * s, 0.0, lb)
    s = within(c * t - q, 0.0, la)
    if 0.0 < s < la and 0.0 < t < lb:
        if length(sub(add_scaled(p, s, e), add_scaled(b.core[0], t, b.axis))) > (
                a.radius + b.radius + margin):
            return 0
        memset(out, 0, sizeof(Touch))
        out.kind, out.r1, out.r2 = LINE_LINE, a.radius, b.radius
        out.c1, out.c2 = add_scaled(a.core[0], s, a.axis), add_scaled(b.core[0], t, b.axis)
        out.d1, out.d2 = a.axis, b.axis
        apart = sub(add_scaled(p, s, e), out.c2)
        if dot(cross(e, b.axis), apart) < 0.0:
            out.d1 = negated(out.d1)
        out.id = 32
        return 1
    if s <= 0.0 or s >= la:
        k = 0 if s <= 0.0 else 1
        return ball_on_line(a, b, rel, a.core[k], k, margin, out)
    return line_on_ball(a, b, rel, 0 if t <= 0.0 else 1, margin, out)


cdef int line_on_ball(const Geometry* a, const Geometry* b, const Pose* rel, int end,
                      double margin, Touch* out) noexcept nogil:
    """A's capsule on the ball at an end of B's."""
    cdef Vec3 at = to_local(rel, b.core[end])
    cdef double s = within(dot(sub(at, a.core[0]), a.axis), 0.0, length(sub(a.core[1], a.core[0])))
    cdef Vec3 on_a = add_scaled(a.core[0], s, a.axis)
    if length(sub(at, on_a)) > a.radius + b.radius + margin:
        return 0
    memset(out, 0, sizeof(Touch))
    out.kind, out.c1, out.c2, out.d1 = LINE_POINT, on_a, b.core[end], a.axis
    out.r1, out.r2, out.id = a.radius, b.radius, 64 + end
    out.normal = vec3(0.0, 0.0, 1.0)
    return 1


cdef int capsules_along(const Geometry* a, const Geometry* b, const Pose* rel, double margin,
                        Touch* out) noexcept nogil:
    """Two capsules that lie along each other: the ends of where they do."""
    cdef double lb = length(sub(b.core[1], b.core[0])), la = length(sub(a.core[1], a.core[0])), s
    cdef int n = 0, k
    for k in range(2):
        s = dot(sub(to_world(rel, a.core[k]), b.core[0]), b.axis)
        if 0.0 <= s <= lb:
            n += ball_on_line(a, b, rel, a.core[k], k, margin, &out[n])
    for k in range(2):
        s = dot(sub(to_local(rel, b.core[k]), a.core[0]), a.axis)
        if 0.0 < s < la and n < 2:
            n += line_on_ball(a, b, rel, k, margin, &out[n])
    if n == 0:
        # end to end
        s = dot(sub(to_world(rel, a.middle), b.middle), b.axis)
        k = 0 if (s > 0.0) == (dot(rotate(rel, a.axis), b.axis) > 0.0) else 1
        n = touch_balls(a, b, rel, a.core[k], b.core[1 if s > 0.0 else 0], margin, out)
        out.id = 128 + k
    return n


cdef int ball_on_box(const Geometry* a, const Geometry* b, const Pose* rel, double margin,
                     AxisCache* cache, Touch* out) noexcept nogil:
    """A sphere outside a box without a search; inside, as any hull."""
    cdef Vec3 at = to_world(rel, a.core[0]), d = sub(at, b.middle), foot, off
    cdef double[3] local
    cdef double[3] half
    cdef int k, outside = 0, last = 0, inside = 0
    cdef int64_t id = 0
    local[0] = b.frame.x.x * d.x + b.frame.y.x * d.y + b.frame.z.x * d.z
    local[1] = b.frame.x.y * d.x + b.frame.y.y * d.y + b.frame.z.y * d.z
    local[2] = b.frame.x.z * d.x + b.frame.y.z * d.y + b.frame.z.z * d.z
    half[0], half[1], half[2] = b.half.x, b.half.y, b.half.z
    for k in range(3):
        if fabs(local[k]) > half[k]:
            outside += 1
            last = k
            local[k] = half[k] if local[k] > 0.0 else -half[k]
            id |= (2 if local[k] > 0.0 else 1) << (2 * k)
        else:
            inside = k
    if outside == 0:
        return collide_round(a, b, rel, margin, NULL, out)
    foot = add(b.middle, vec3(dot(b.frame.x, vec3(local[0], local[1], local[2])),
                              dot(b.frame.y, vec3(local[0], local[1], local[2])),
                              dot(b.frame.z, vec3(local[0], local[1], local[2]))))
    off = sub(at, foot)
    if dot(off, off) > (a.radius + margin) * (a.radius + margin):
        if cache != NULL:
            cache.clear = length(off) - a.radius
        return 0
    memset(out, 0, sizeof(Touch))
    out.c1, out.c2, out.r1, out.id = a.core[0], foot, a.radius, id
    if outside == 1:
        out.kind = POINT_FACE
        out.d2 = vec3((&b.frame.x.x)[last], (&b.frame.y.x)[last], (&b.frame.z.x)[last])
        if local[last] < 0.0:
            out.d2 = negated(out.d2)
    elif outside == 2:
        out.kind = POINT_LINE
        out.d2 = vec3((&b.frame.x.x)[inside], (&b.frame.y.x)[inside], (&b.frame.z.x)[inside])
    else:
        out.kind = POINT_POINT
    return 1


# ---- half spaces and hollow spheres --------------------------------------------------------------

cdef int corners_on_plane(const Geometry* a, const Geometry* b, const Pose* rel, double margin,
                          Touch* out) noexcept nogil:
    cdef Touch[ROOM] found
    cdef Vec3[ROOM] points
    cdef double[ROOM] gaps
    cdef Vec3 p
    cdef double gap, low = INFINITY
    cdef int32_t k
    cdef int n = 0
    for k in range(a.n_core):
        p = to_world(rel, a.core[k])
        gap = dot(b.axis, p) - b.offset - a.radius
        if gap > margin or n == ROOM:
            continue
        memset(&found[n], 0, sizeof(Touch))
        found[n].kind, found[n].c1, found[n].r1, found[n].id = POINT_FACE, a.core[k], a.radius, k
        found[n].c2, found[n].d2 = add_scaled(p, -(gap + a.radius), b.axis), b.axis
        points[n], gaps[n] = p, gap
        low = lesser(low, gap)
        n += 1
    n = keep_four(found, points, gaps, n, b.axis, across(b.axis), DEEPER * a.bounding_radius)
    for k in range(n):
        out[k] = found[k]
    return n


cdef int corners_in_hollow(const Geometry* a, const Geometry* b, const Pose* rel, double margin,
                           Touch* out) noexcept nogil:
    """The outermost corners of a shape in a hollow sphere, at most four."""
    cdef double[4] gaps
    cdef Vec3 p
    cdef double gap, radius = 0.0 if a.kind == CYLINDER else a.radius
    cdef int32_t k
    cdef int n = 0, i, worst
    for k in range(a.n_core):
        p = sub(to_world(rel, a.core[k]), b.middle)
        gap = b.radius - radius - length(p)
        if gap > margin:
            continue
        i = n
        if n == 4:
            worst = 0
            for i in range(1, 4):
                if gaps[i] > gaps[worst]:
                    worst = i
            i = worst
            if gap >= gaps[i]:
                continue
        else:
            n += 1
        gaps[i] = gap
        memset(&out[i], 0, sizeof(Touch))
        out[i].kind, out[i].c1, out[i].c2 = POINT_POINT, a.core[k], b.middle
        out[i].r1, out[i].r2, out[i].id = radius, -b.radius, k
        out[i].normal = vec3(0.0, 0.0, 1.0)
    return n


# ---- the face ---------------------------------------------------------------------------------

class ContactPoint(NamedTuple):
    """One contact point of two shapes: point (m), normal from b into a, gap (m, < 0: overlap)."""

    point: tuple
    normal: tuple
    gap: float


cdef Pose read_pose(object value, str name) except *:
    try:
        items = list(value)
    except TypeError:
        raise ValueError(f"{name} must be a position, or (position, orientation), "
                         f"got {value!r}") from None
    if len(items) == 2:
        return make_pose(read_place(items[0], name), read_orientation(items[1], name))
    return make_pose(read_place(value, name), quat(1.0, 0.0, 0.0, 0.0))


cdef const Geometry* read_geometry(object shape, str name) except NULL:
    if not isinstance(shape, Shape):
        raise TypeError(f"{name} must be a shape such as Sphere(0.5), got {shape!r}")
    if (<Shape> shape).filter is None:
        raise ValueError(f"{name} must be finished: its __init__ was not called")
    return &(<Shape> shape).geometry


def contact_points(shape_a, pose_a, shape_b, pose_b, margin=0.0):
    """Contact points of two shapes with a gap of at most margin (m): a list of ContactPoint.

    A pose is a position (x, y, z) or (position, orientation) of the frame a shape is given in.
    """
    cdef const Geometry* a = read_geometry(shape_a, "shape_a")
    cdef const Geometry* b = read_geometry(shape_b, "shape_b")
    cdef Pose pa = read_pose(pose_a, "pose_a"), pb = read_pose(pose_b, "pose_b")
    cdef Touch[MOST_POINTS] found
    cdef int n, k
    n = find_contacts(a, &pa, b, &pb, read_at_least_zero(margin, "margin"), NULL, found)
    return [ContactPoint((found[k].point.x, found[k].point.y, found[k].point.z),
                         (found[k].normal.x, found[k].normal.y, found[k].normal.z), found[k].gap)
            for k in range(n)]
