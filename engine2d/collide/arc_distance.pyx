"""How far an arc, taken as a curve with two sides, is from a convex shape or another piece.

The least distance of two pieces is at an end of one, where both have the same normal, or where they
cross. All in the frame of the arc.
"""

from libc.math cimport INFINITY, fabs, sqrt
from libc.stdint cimport int32_t

from enginecore.scalar cimport greater
from engine2d.collide.geometry cimport OUTLINE, has_normal
from engine2d.pose cimport rotate, seen_from, to_world
from engine2d.vec2 cimport add, cross, dot, length, scaled, sub, vec2


# The arc, and the nearest points so far.
cdef struct Nearest:
    const Feature* arc
    Vec2 p, q
    double gap     # m, between arc and the other's core
    Vec2 x         # m, of the arc
    Vec2 y         # m, of the other's core
    Vec2 normal    # unit, from y to x


cdef void measure_arc(const Feature* arc, Vec2 p, Vec2 q, const Pose* pose, const Geometry* other,
                      const Pose* other_pose, ArcGap* out) noexcept nogil:
    """How far an arc is from another shape; see arc_distance.pxd."""
    cdef Pose seen = seen_from(pose, other_pose)
    cdef Nearest best
    cdef int32_t k, n = other.n_core
    cdef double radius = 0.0
    best.arc = arc
    best.p = p
    best.q = q
    best.gap = INFINITY
    if other.kind == OUTLINE:
        near_pieces(&best, other, &seen)
    else:
        radius = other.radius
        near_point(&best, to_world(&seen, other.core[0]))
        for k in range(n if n > 2 else n - 1):
            near_edge(&best, to_world(&seen, other.core[k]),
                      to_world(&seen, other.core[k + 1 if k + 1 < n else 0]))
    out.gap = best.gap - radius
    out.normal = rotate(pose.q, best.normal)
    # halfway between x and the surface around y
    out.point = to_world(pose, scaled(0.5, add(best.x, add(best.y, scaled(radius, best.normal)))))


cdef void near_pieces(Nearest* best, const Geometry* other, const Pose* seen) noexcept nogil:
    """All pieces of an outline; of an open path those of the way forth."""
    cdef int32_t count = other.n_features // 2 if other.closed else other.n_features // 4
    cdef int32_t k, after
    cdef Vec2 a, b
    cdef Feature turned
    for k in range(count):
        after = 2 * k + 2 if 2 * k + 2 < other.n_features else 0
        a = to_world(seen, other.features[2 * k].c)
        b = to_world(seen, other.features[after].c)
        if other.features[2 * k + 1].r == INFINITY:
            near_edge(best, a, b)
        else:
            turned = other.features[2 * k + 1]
            turned.c = to_world(seen, turned.c)
            turned.low = rotate(seen.q, turned.low)
            turned.high = rotate(seen.q, turned.high)
            near_arc(best, &turned, a, b)


cdef inline void keep(Nearest* best, double gap, Vec2 x, Vec2 y, Vec2 normal) noexcept nogil:
    if gap < best.gap:
        best.gap = gap
        best.x = x
        best.y = y
        best.normal = normal


cdef inline bint faces(const Feature* arc, Vec2 direction) noexcept nogil:
    """Whether the arc has a point in this unit direction from its centre."""
    return has_normal(arc, direction if arc.r > 0.0 else scaled(-1.0, direction), 0.0)


cdef void near_point(Nearest* best, Vec2 y) noexcept nogil:
    """A point of the other against the arc."""
    cdef const Feature* arc = best.arc
    cdef Vec2 d = sub(y, arc.c), u
    cdef double size = length(d), r = fabs(arc.r)
    keep_ends(best, best.p, best.q, y, False)
    if size > 0.0:
        u = scaled(1.0 / size, d)
        if faces(arc, u):
            keep(best, fabs(size - r), add(arc.c, scaled(r, u)), y,
                 u if size < r else scaled(-1.0, u))
    else:
        u = arc.low if arc.r > 0.0 else scaled(-1.0, arc.low)
        keep(best, r, add(arc.c, scaled(r, u)), y, u)


cdef inline void keep_ends(Nearest* best, Vec2 p, Vec2 q, Vec2 z, bint ours) noexcept nogil:
    """The two ends of a piece against one point: `ours` if the point belongs to the arc."""
    cdef Vec2 d, e = p
    cdef double size
    cdef int _k
    for _k in range(2):
        d = sub(z, e)
        size = length(d)
        # Ends that coincide have no direction: that to or from the centre is as good as any.
        if not size > 0.0:
            d = sub(best.arc.c, z)
            size = -length(d) if ours else length(d)
        d = scaled(1.0 / size, d)
        if ours:
            keep(best, length(sub(z, e)), z, e, d)
        else:
            keep(best, length(sub(z, e)), e, z, scaled(-1.0, d))
        e = q


cdef void near_edge(Nearest* best, Vec2 a, Vec2 b) noexcept nogil:
    """An edge of the other from a to b."""
    cdef const Feature* arc = best.arc
    cdef Vec2 along = sub(b, a), u, foot
    cdef double size = length(along), s, h, half, r = fabs(arc.r)
    cdef int _k
    near_point(best, a)
    near_point(best, b)
    if not size > 0.0:
        return
    u = scaled(1.0 / size, along)
    end_on_edge(best, best.p, a, u, size)
    end_on_edge(best, best.q, a, u, size)
    s = dot(u, sub(arc.c, a))
    h = cross(u, sub(arc.c, a))
    # where the edge is square to a radius
    if 0.0 <= s <= size:
        near_point(best, add(a, scaled(s, u)))
    # where it crosses the circle
    if fabs(h) < r:
        half = sqrt((r - fabs(h)) * (r + fabs(h)))
        for _k in range(2):
            half = -half
            if 0.0 <= s + half <= size:
                foot = add(a, scaled(s + half, u))
                near_point(best, foot)


cdef inline void end_on_edge(Nearest* best, Vec2 x, Vec2 a, Vec2 u, double size) noexcept nogil:
    """An end of the arc over an edge."""
    cdef Vec2 d = sub(x, a)
    cdef double s = dot(u, d), h = cross(u, d)
    if 0.0 <= s <= size:
        keep(best, fabs(h), x, add(a, scaled(s, u)),
             vec2(-u.y, u.x) if h >= 0.0 else vec2(u.y, -u.x))


cdef void near_arc(Nearest* best, const Feature* other, Vec2 a, Vec2 b) noexcept nogil:
    """An arc of the other from a to b."""
    cdef const Feature* arc = best.arc
    cdef double r1 = fabs(arc.r), r2 = fabs(other.r), size, along, half
    cdef Vec2 d = sub(other.c, arc.c), u
    near_point(best, a)
    near_point(best, b)
    end_on_arc(best, best.p, other)
    end_on_arc(best, best.q, other)
    size = length(d)
    if not size > 0.0:
        # about one centre they run side by side: nearest at an end, or everywhere
        return
    u = scaled(1.0 / size, d)
    on_line(best, other, u)
    on_line(best, other, scaled(-1.0, u))
    # where the circles cross
    if fabs(r1 - r2) < size < r1 + r2:
        along = 0.5 * (size + (r1 - r2) * (r1 + r2) / size)
        half = sqrt(greater(r1 * r1 - along * along, 0.0))
        d = add(arc.c, scaled(along, u))
        on_circle(best, other, add(d, scaled(half, vec2(-u.y, u.x))))
        on_circle(best, other, add(d, scaled(half, vec2(u.y, -u.x))))


cdef inline void on_line(Nearest* best, const Feature* other, Vec2 u) noexcept nogil:
    """The point of the other arc in direction u from its centre, along the line of centres."""
    if faces(other, u):
        near_point(best, add(other.c, scaled(fabs(other.r), u)))


cdef inline void on_circle(Nearest* best, const Feature* other, Vec2 y) noexcept nogil:
    """A point where both circles meet, if the other arc has it."""
    cdef Vec2 d = sub(y, other.c)
    if faces(other, scaled(1.0 / length(d), d)):
        near_point(best, y)


cdef void end_on_arc(Nearest* best, Vec2 x, const Feature* other) noexcept nogil:
    """An end of the arc against the other arc."""
    cdef Vec2 d = sub(x, other.c), u
    cdef double size = length(d), r = fabs(other.r)
    if size > 0.0:
        u = scaled(1.0 / size, d)
        if faces(other, u):
            keep(best, fabs(size - r), x, add(other.c, scaled(r, u)),
                 u if size >= r else scaled(-1.0, u))
