"""Runs of straight edges and circular arcs: measure, bound and check them.

docs/maths/shapes.md has the formulas.
"""

from libc.math cimport M_PI, atan, atan2, cos, fabs, sin, sqrt

from enginecore.scalar cimport greater, lesser
from engine2d.vec2 cimport Vec2, add, cross, dot, length, scaled, sub, vec2

# Gauss and Legendre's 12 nodes and weights on (-1, 1), the positive half: exact to degree 23.
cdef double[6] NODES = [
    0.1252334085114689, 0.3678314989981802, 0.5873179542866175,
    0.7699026741943047, 0.9041172563704749, 0.9815606342467192]
cdef double[6] WEIGHTS = [
    0.2491470458134028, 0.2334925365383548, 0.2031674267230659,
    0.1600783285433462, 0.1069393259953184, 0.0471753363865118]
# Below this half sweep the closed forms cancel and quadrature is exact to rounding.
cdef double SMALL_HALF_SWEEP = 0.7


# The region between an arc and its chord, seen from the middle of the chord.
cdef struct Segment:
    double area    # m^2, negative on the left of the chord
    double lever   # m^3, first moment across the chord, to its right, >= 0
    double second  # m^4, polar, with the sign of the area


cdef Arc arc_between(Vec2 p, Vec2 q, double bulge) noexcept nogil:
    """The arc from p to q; see outline.pxd."""
    cdef Arc arc
    cdef Vec2 chord = sub(q, p)
    # The centre lies on the left of the chord, at (1 - b^2)/(4 b) of its length.
    cdef double offset = (1.0 - bulge * bulge) / (4.0 * bulge)
    cdef Vec2 middle = scaled(0.5, add(p, q))
    arc.c = vec2(middle.x - offset * chord.y, middle.y + offset * chord.x)
    arc.r = length(chord) * (1.0 + bulge * bulge) / (4.0 * fabs(bulge))
    arc.start = atan2(p.y - arc.c.y, p.x - arc.c.x)
    arc.sweep = 4.0 * atan(bulge)
    return arc


cdef Segment measure_segment(double chord, double bulge) noexcept nogil:
    """The region between an arc and its chord of this length."""
    cdef double half = 2.0 * atan(fabs(bulge))
    cdef double sign = 1.0 if bulge > 0.0 else -1.0
    cdef Segment out
    if half < SMALL_HALF_SWEEP:
        out = integrate_segment(chord, half)
    else:
        out = close_segment(chord, half)
    out.area *= sign
    out.second *= sign
    return out


cdef Segment integrate_segment(double chord, double half) noexcept nogil:
    """By quadrature over the angle t: x = r sin t along the chord, y = r (cos t - cos half)."""
    cdef double r = chord / (2.0 * sin(half)), t, x, y, weight
    cdef Segment out
    cdef int i
    out.area = out.lever = out.second = 0.0
    # Even in t: twice the integral over (0, half), mapped to (-1, 1).
    for i in range(12):
        t = 0.5 * half * (1.0 + (NODES[i // 2] if i % 2 else -NODES[i // 2]))
        weight = half * WEIGHTS[i // 2] * r * cos(t)
        x = r * sin(t)
        y = 2.0 * r * sin(0.5 * (half - t)) * sin(0.5 * (half + t))
        out.area += weight * y
        out.lever += weight * y * y / 2.0
        out.second += weight * (x * x * y + y * y * y / 3.0)
    return out


cdef Segment close_segment(double chord, double half) noexcept nogil:
    """By the closed forms for a circular segment, moved from the centre to the chord's middle."""
    cdef double s = sin(half), c = cos(half), r = chord / (2.0 * s), depth = r * c
    cdef double about_centre = 2.0 / 3.0 * r * r * r * s * s * s
    cdef Segment out
    out.area = r * r * (half - s * c)
    out.lever = about_centre - out.area * depth
    out.second = (r * r * r * r * (0.5 * (half - s * c) + s * s * s * c / 3.0)
                  - 2.0 * depth * about_centre + depth * depth * out.area)
    return out


cdef Moments measure_run(const Vec2* points, const double* bulges, Py_ssize_t n) noexcept nogil:
    """Area, centroid and second moment of a closed run; see outline.pxd."""
    cdef Moments out
    cdef Vec2 origin = points[0], p, q, chord, middle, right, moment = vec2(0.0, 0.0)
    cdef double twice, area = 0.0, second = 0.0, size
    cdef Segment segment
    cdef Py_ssize_t i
    for i in range(n):
        # triangles from the first point, so that a shape far from the origin loses nothing
        p = sub(points[i], origin)
        q = sub(points[i + 1 if i + 1 < n else 0], origin)
        twice = cross(p, q)
        area += twice / 2.0
        moment = add(moment, scaled(twice / 6.0, add(p, q)))
        second += twice / 12.0 * (dot(p, p) + dot(p, q) + dot(q, q))
        if bulges[i] != 0.0:
            chord = sub(q, p)
            size = length(chord)
            segment = measure_segment(size, bulges[i])
            middle = scaled(0.5, add(p, q))
            right = vec2(chord.y / size, -chord.x / size)
            area += segment.area
            moment = add(moment, add(scaled(segment.area, middle), scaled(segment.lever, right)))
            second += (segment.second + 2.0 * segment.lever * dot(middle, right)
                       + segment.area * dot(middle, middle))
    out.area = area
    out.centroid = scaled(1.0 / area, moment) if area != 0.0 else vec2(0.0, 0.0)
    out.second = second - area * dot(out.centroid, out.centroid)
    out.centroid = add(out.centroid, origin)
    return out


# ----------------------------------------------------------------------------------- bounds

cdef Bounds bound_run(const Vec2* points, const double* bulges, Py_ssize_t n,
                      Py_ssize_t pieces) noexcept nogil:
    """The least box around a run; see outline.pxd."""
    cdef Bounds out, box
    cdef Py_ssize_t i
    out.low = out.high = points[0]
    for i in range(pieces):
        box = bound_piece(points[i], points[i + 1 if i + 1 < n else 0], bulges[i])
        out.low = vec2(lesser(out.low.x, box.low.x), lesser(out.low.y, box.low.y))
        out.high = vec2(greater(out.high.x, box.high.x), greater(out.high.y, box.high.y))
    return out


cdef Bounds bound_piece(Vec2 p, Vec2 q, double bulge) noexcept nogil:
    cdef Bounds out
    cdef Arc arc
    out.low = vec2(lesser(p.x, q.x), lesser(p.y, q.y))
    out.high = vec2(greater(p.x, q.x), greater(p.y, q.y))
    if bulge != 0.0:
        arc = arc_between(p, q, bulge)
        # the circle's extreme points that lie on the arc
        if covers(&arc, 0.0):
            out.high.x = reach(p, q, bulge, &arc, vec2(1.0, 0.0))
        if covers(&arc, 0.5 * M_PI):
            out.high.y = reach(p, q, bulge, &arc, vec2(0.0, 1.0))
        if covers(&arc, M_PI):
            out.low.x = -reach(p, q, bulge, &arc, vec2(-1.0, 0.0))
        if covers(&arc, 1.5 * M_PI):
            out.low.y = -reach(p, q, bulge, &arc, vec2(0.0, -1.0))
    return out


cdef double reach(Vec2 p, Vec2 q, double bulge, const Arc* arc, Vec2 u) noexcept nogil:
    """How far along the unit vector u the circle reaches; seen from the chord if the arc is flat,
    where the centre is far away and its digits are worth little."""
    cdef Vec2 chord = sub(q, p), middle = scaled(0.5, add(p, q))
    cdef double size = length(chord), across, along, depth
    if fabs(bulge) >= 1.0:
        return dot(arc.c, u) + arc.r
    # the sagitta, and what the circle rises beyond it where u is not square to the chord
    along = dot(chord, u) / size
    across = fabs(cross(chord, u)) / size
    depth = size * (1.0 - bulge * bulge) / (4.0 * fabs(bulge))
    return (dot(middle, u) + size * fabs(bulge) / 2.0
            + depth * along * along / (1.0 + across))


cdef bint covers(const Arc* arc, double angle) noexcept nogil:
    """Whether the ray from the centre at this angle meets the arc."""
    cdef double along = angle - arc.start if arc.sweep > 0.0 else arc.start - angle
    while along < 0.0:
        along += 2.0 * M_PI
    while along >= 2.0 * M_PI:
        along -= 2.0 * M_PI
    return along <= fabs(arc.sweep)


# --------------------------------------------------------------------------------- crossings

# A piece with what is needed again and again.
cdef struct Piece:
    Vec2 p, q
    double bulge
    Arc arc       # where bulge != 0
    Bounds box


cdef bint find_crossing(const Vec2* points, const double* bulges, Py_ssize_t n, Py_ssize_t pieces,
                        double gap, Py_ssize_t* i, Py_ssize_t* j) noexcept nogil:
    """The first two pieces that meet where they should not; see outline.pxd."""
    cdef Piece a, b
    cdef Py_ssize_t first, second
    for first in range(pieces):
        a = make_piece(points, bulges, n, first)
        for second in range(first + 1, pieces):
            b = make_piece(points, bulges, n, second)
            if are_apart(&a, &b, gap):
                continue
            if pieces_meet(&a, &b, second == first + 1, n == pieces and second - first == n - 1,
                           gap):
                i[0] = first
                j[0] = second
                return True
    return False


cdef Piece make_piece(const Vec2* points, const double* bulges, Py_ssize_t n,
                      Py_ssize_t i) noexcept nogil:
    cdef Piece out
    out.p = points[i]
    out.q = points[i + 1 if i + 1 < n else 0]
    out.bulge = bulges[i]
    if out.bulge != 0.0:
        out.arc = arc_between(out.p, out.q, out.bulge)
    out.box = bound_piece(out.p, out.q, out.bulge)
    return out


cdef bint are_apart(const Piece* a, const Piece* b, double gap) noexcept nogil:
    return (a.box.low.x > b.box.high.x + gap or b.box.low.x > a.box.high.x + gap
            or a.box.low.y > b.box.high.y + gap or b.box.low.y > a.box.high.y + gap)


cdef bint pieces_meet(const Piece* a, const Piece* b, bint joined, bint closes,
                      double gap) noexcept nogil:
    """Whether a and b come nearer than gap, other than at the ends they share.

    joined: a.q is b.p. closes: b.q is a.p. The least distance is at an end, at a crossing, or where
    the two run side by side; of these only ends and crossings are points where they meet.
    """
    cdef Vec2 spots[2]
    cdef int count, k
    # ends of one on the other
    if not joined and (distance_to(b, a.q) <= gap or distance_to(a, b.p) <= gap):
        return True
    if not closes and (distance_to(b, a.p) <= gap or distance_to(a, b.q) <= gap):
        return True
    # crossings and points of touch
    count = find_common(a, b, gap, spots)
    for k in range(count):
        if joined and length(sub(spots[k], a.q)) <= SHARED_END * gap:
            continue
        if closes and length(sub(spots[k], a.p)) <= SHARED_END * gap:
            continue
        return True
    return False


# A crossing this many gaps from a shared end is that end.
cdef double SHARED_END = 100.0


cdef double distance_to(const Piece* piece, Vec2 x) noexcept nogil:
    """Distance of a point from a piece."""
    cdef Vec2 d, along
    cdef double t
    if piece.bulge == 0.0:
        along = sub(piece.q, piece.p)
        d = sub(x, piece.p)
        t = lesser(greater(dot(d, along) / dot(along, along), 0.0), 1.0)
        return length(sub(d, scaled(t, along)))
    d = sub(x, piece.arc.c)
    if covers(&piece.arc, atan2(d.y, d.x)):
        return fabs(length(d) - piece.arc.r)
    return lesser(length(sub(x, piece.p)), length(sub(x, piece.q)))


cdef int find_common(const Piece* a, const Piece* b, double gap, Vec2* spots) noexcept nogil:
    """Points, at most two, that both pieces come within gap of; returns how many."""
    cdef Vec2 found[2]
    cdef int count, kept = 0, k
    if a.bulge == 0.0 and b.bulge == 0.0:
        count = cross_lines(a, b, found)
    elif a.bulge == 0.0:
        count = cross_line_circle(a, &b.arc, gap, found)
    elif b.bulge == 0.0:
        count = cross_line_circle(b, &a.arc, gap, found)
    else:
        count = cross_circles(&a.arc, &b.arc, gap, found)
    for k in range(count):
        if distance_to(a, found[k]) <= gap and distance_to(b, found[k]) <= gap:
            spots[kept] = found[k]
            kept += 1
    return kept


cdef int cross_lines(const Piece* a, const Piece* b, Vec2* spots) noexcept nogil:
    """Where the lines cross; parallel ones meet at ends only, which are looked at elsewhere."""
    cdef Vec2 u = sub(a.q, a.p), v = sub(b.q, b.p), d = sub(b.p, a.p)
    cdef double det = cross(u, v)
    if fabs(det) <= 1e-14 * length(u) * length(v):
        return 0
    spots[0] = add(a.p, scaled(cross(d, v) / det, u))
    return 1


cdef int cross_line_circle(const Piece* line, const Arc* arc, double gap,
                           Vec2* spots) noexcept nogil:
    """Where the line meets the circle; where it nearly touches, the point nearest the centre."""
    cdef Vec2 u = sub(line.q, line.p), d = sub(arc.c, line.p)
    cdef double size = length(u)
    cdef Vec2 along = scaled(1.0 / size, u)
    cdef double foot = dot(d, along), height = cross(along, d), half
    if fabs(height) > arc.r + gap:
        return 0
    half = sqrt(greater((arc.r - height) * (arc.r + height), 0.0))
    spots[0] = add(line.p, scaled(foot - half, along))
    spots[1] = add(line.p, scaled(foot + half, along))
    return 2


cdef int cross_circles(const Arc* a, const Arc* b, double gap, Vec2* spots) noexcept nogil:
    """Where the circles meet; where they nearly touch, the point of touch."""
    cdef Vec2 d, n
    cdef double size, along, half
    # seen from the centre of the smaller circle: a flat arc's is far away
    if a.r > b.r:
        a, b = b, a
    d = sub(b.c, a.c)
    size = length(d)
    # equal circles meet at ends only, which are looked at elsewhere
    if size <= gap or size > a.r + b.r + gap or size < fabs(a.r - b.r) - gap:
        return 0
    n = scaled(1.0 / size, d)
    along = ((size - b.r) * (size + b.r) + a.r * a.r) / (2.0 * size)
    half = sqrt(greater((a.r - along) * (a.r + along), 0.0))
    spots[0] = add(add(a.c, scaled(along, n)), scaled(half, vec2(-n.y, n.x)))
    spots[1] = add(add(a.c, scaled(along, n)), scaled(-half, vec2(-n.y, n.x)))
    return 2
