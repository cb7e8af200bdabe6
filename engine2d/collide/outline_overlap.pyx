"""Whether solids overlap."""

from libc.math cimport INFINITY, fabs, sqrt

from engine2d.collide.geometry cimport edge_along
from engine2d.collide.outline_pairs cimport (
    NUDGE, Placed, Search, boxes_apart, faces, in_a, in_b, move_a, some_point, visit_pairs,
)
from engine2d.pose cimport Pose, to_world
from engine2d.vec2 cimport Vec2, add, dot, length, scaled, sub, vec2

# A way out may be this much longer than contacts say.
cdef double OVERSHOOT = 1.25


cdef bint pieces_cross(Search* s, const Placed* x, const Placed* y) noexcept nogil:
    """Whether an edge or arc of A crosses one of B. Where one begins or ends on the other (to
    rounding) that is a crossing too: else a boundary that goes through a corner would cross
    neither of its pieces. Only touching alongside is none."""
    if x.r == 0.0 or y.r == 0.0:
        return False
    if x.r == INFINITY and y.r == INFINITY:
        return edges_cross(x, y, s.noise)
    if x.r == INFINITY:
        return edge_crosses_arc(x, y, s.noise)
    if y.r == INFINITY:
        return edge_crosses_arc(y, x, s.noise)
    return arcs_cross(x, y, s.noise)


cdef inline bint on_both_sides(double p, double q, double noise) noexcept nogil:
    """Whether heights are of different signs, or one of them is 0; two zeroes are not."""
    return ((p <= noise and q >= -noise or p >= -noise and q <= noise)
            and (fabs(p) > noise or fabs(q) > noise))


cdef bint edges_cross(const Placed* x, const Placed* y, double noise) noexcept nogil:
    cdef Vec2 d = sub(y.c, x.c), u = scaled(x.length, edge_along(x.low))
    cdef Vec2 v = scaled(y.length, edge_along(y.low))
    return (on_both_sides(dot(y.low, d), dot(y.low, sub(d, u)), noise)
            and on_both_sides(dot(x.low, d), dot(x.low, add(d, v)), noise))


cdef inline bint on_arc(const Placed* arc, Vec2 point, double noise) noexcept nogil:
    """Whether a point of its circle lies on an arc."""
    return faces(arc, scaled(1.0 / arc.r, sub(point, arc.c)), noise / fabs(arc.r),
                 noise / fabs(arc.r))


cdef bint edge_crosses_arc(const Placed* edge, const Placed* arc, double noise) noexcept nogil:
    cdef Vec2 d = sub(arc.c, edge.c), along = edge_along(edge.low)
    cdef double height = dot(edge.low, d), foot = dot(along, d)
    cdef double half = (fabs(arc.r) - height) * (fabs(arc.r) + height)
    if half <= 0.0:
        return False
    half = sqrt(half)
    return ((-noise <= foot - half <= edge.length + noise
             and on_arc(arc, add(edge.c, scaled(foot - half, along)), noise))
            or (-noise <= foot + half <= edge.length + noise
                and on_arc(arc, add(edge.c, scaled(foot + half, along)), noise)))


cdef bint arcs_cross(const Placed* x, const Placed* y, double noise) noexcept nogil:
    cdef Vec2 d, n, foot, spot
    cdef double size, along, half
    # seen from the centre of the smaller circle: a flat arc's is far away
    if fabs(x.r) > fabs(y.r):
        x, y = y, x
    d = sub(y.c, x.c)
    size = length(d)
    if size == 0.0:
        return False
    n = scaled(1.0 / size, d)
    along = 0.5 * ((size - fabs(y.r)) * (size + fabs(y.r)) + x.r * x.r) / size
    half = (fabs(x.r) - along) * (fabs(x.r) + along)
    if half <= 0.0:
        return False
    foot = add(x.c, scaled(along, n))
    n = scaled(sqrt(half), vec2(-n.y, n.x))
    spot = add(foot, n)
    if on_arc(x, spot, noise) and on_arc(y, spot, noise):
        return True
    spot = sub(foot, n)
    return on_arc(x, spot, noise) and on_arc(y, spot, noise)


cdef bint overlap(Search* s) noexcept nogil:
    """Whether the shapes overlap: their boundaries cross, or one lies in the other."""
    if boxes_apart(&s.box_a, &s.b.box, 0.0) or boxes_apart(&s.a.box, &s.box_b, 0.0):
        return False
    return (visit_pairs(s, s.noise, s.noise, False, pieces_cross)
            or in_b(s, to_world(&s.pose, some_point(s.a)))
            or in_a(s, some_point(s.b), vec2(0.0, 0.0)))


cdef bint overlap_after(Search* s, Vec2 way) noexcept nogil:
    """Whether the shapes overlap after A has been moved."""
    cdef Pose pose = s.pose
    cdef bint out
    move_a(s, add(pose.p, way))
    out = overlap(s)
    move_a(s, pose.p)
    return out


cdef bint leads_out(Search* s, Vec2 way) noexcept nogil:
    """Whether the shapes are apart after A has been moved by `way`, or a little farther: round
    parts turn away from the way, and may touch elsewhere."""
    cdef double size = length(way)
    if not overlap_after(s, way):
        return True
    return size > 0.0 and not overlap_after(s, scaled(OVERSHOOT + NUDGE * s.small / size, way))
