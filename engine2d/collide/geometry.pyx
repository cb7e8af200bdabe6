"""The boundary of a shape as features: edges, arcs and corners with their outward normals.

docs/maths/shapes.md.
"""

import numpy as np

from libc.math cimport M_PI, atan2, fabs

from enginecore.scalar cimport greater, lesser
from engine2d.collide.outline cimport Arc, arc_between, bound_run
from engine2d.vec2 cimport length, sub

# rad. Pieces whose directions differ by less go on smoothly: nothing can catch between them.
cdef double SMOOTH = 1e-9
# A flatter arc is its chord: the sagitta (half of this) is less than what rounding costs a circle
# with so far a centre.
cdef double FLAT_BULGE = 1e-8
# A point nearer to the boundary than this share of the shape's size lies on it.
cdef double ON_BOUNDARY = 1e-13


# A piece of a run, as it goes round what it encloses.
cdef struct Step:
    Vec2 p            # m, where it begins
    Vec2 q            # m, where it ends
    double bulge      # tan(sweep/4); 0: straight
    Vec2 leaving      # unit, direction at p
    Vec2 arriving     # unit, direction at q
    double curvature  # 1/m, > 0 where it turns left


cdef inline Vec2 right_of(Vec2 direction) noexcept nogil:
    """The outward normal of a boundary that runs in this direction."""
    return vec2(direction.y, -direction.x)


cdef void build_features(const Vec2* points, const double* bulges, Py_ssize_t n, bint closed,
                         Feature* features, Bounds* blocks) noexcept nogil:
    """Write the features of a run and the bounds of their blocks; see geometry.pxd."""
    cdef Py_ssize_t steps = n if closed else 2 * (n - 1), k
    cdef Step before = take_step(points, bulges, n, closed, steps - 1), here
    cdef Bounds* great
    cdef bint is_end
    for k in range(steps):
        here = take_step(points, bulges, n, closed, k)
        is_end = not closed and (k == 0 or k == n - 1)
        write_corner(&before, &here, is_end, &features[2 * k])
        write_piece(&here, &features[2 * k + 1])
        before = here
    for k in range(2 * steps):
        if k % BLOCK == 0:
            blocks[k // BLOCK] = features[k].box
        else:
            widen(&blocks[k // BLOCK], features[k].box)
    great = &blocks[(2 * steps + BLOCK - 1) // BLOCK]
    for k in range((2 * steps + BLOCK - 1) // BLOCK):
        if k % (GREAT_BLOCK // BLOCK) == 0:
            great[k * BLOCK // GREAT_BLOCK] = blocks[k]
        else:
            widen(&great[k * BLOCK // GREAT_BLOCK], blocks[k])


cdef Step take_step(const Vec2* points, const double* bulges, Py_ssize_t n, bint closed,
                    Py_ssize_t k) noexcept nogil:
    """Piece k of a closed run, or of an open one on its way forth and back."""
    cdef Step out
    cdef Py_ssize_t back
    cdef Vec2 chord
    cdef double size, c, s, b
    if closed or k < n - 1:
        out.p = points[k]
        out.q = points[k + 1 if k + 1 < n else 0]
        out.bulge = bulges[k]
    else:
        back = 2 * (n - 1) - k
        out.p = points[back]
        out.q = points[back - 1]
        out.bulge = -bulges[back - 1]
    if fabs(out.bulge) < FLAT_BULGE:
        out.bulge = 0.0
    chord = sub(out.q, out.p)
    size = length(chord)
    chord = scaled(1.0 / size, chord)
    # The ends lie half the sweep to either side of the chord; sweep/2 = 2 atan(b).
    b = out.bulge
    c = (1.0 - b * b) / (1.0 + b * b)
    s = 2.0 * b / (1.0 + b * b)
    out.leaving = vec2(c * chord.x + s * chord.y, c * chord.y - s * chord.x)
    out.arriving = vec2(c * chord.x - s * chord.y, c * chord.y + s * chord.x)
    out.curvature = 2.0 * s / size
    return out


cdef void write_corner(const Step* before, const Step* here, bint is_end,
                       Feature* out) noexcept nogil:
    """The corner where one piece ends and the next begins; no normals if it points inwards."""
    cdef double turn = atan2(cross(before.arriving, here.leaving),
                             dot(before.arriving, here.leaving))
    out.c = here.p
    out.r = 0.0
    out.low = right_of(before.arriving)
    out.high = right_of(here.leaving)
    out.length = 0.0
    out.box.low = out.box.high = here.p
    if is_end:
        turn = M_PI
    elif M_PI - fabs(turn) < SMOOTH:
        # A cusp points outwards where the two pieces bend away from what lies between them.
        turn = M_PI if before.curvature + here.curvature < 0.0 else -M_PI
    # Negative where nothing touches; an inner corner keeps its turn.
    out.sweep = turn if fabs(turn) >= SMOOTH else -0.5 * SMOOTH


cdef void write_piece(const Step* step, Feature* out) noexcept nogil:
    """The edge or arc of a piece."""
    cdef Vec2 ends[2]
    cdef Arc arc
    ends[0] = step.p
    ends[1] = step.q
    out.box = bound_run(ends, &step.bulge, 2, 1)
    out.low = right_of(step.leaving)
    out.high = right_of(step.arriving)
    if step.bulge == 0.0:
        out.c = step.p
        out.r = INFINITY
        out.high = out.low
        out.sweep = 0.0
        out.length = length(sub(step.q, step.p))
        return
    arc = arc_between(step.p, step.q, step.bulge)
    out.c = arc.c
    out.r = arc.r
    out.sweep = fabs(arc.sweep)
    out.length = 0.0
    if step.bulge < 0.0:
        # Along a concave arc the normals, which point to its centre, turn clockwise.
        out.r = -arc.r
        out.low = right_of(step.arriving)
        out.high = right_of(step.leaving)


cdef bint turn_one_way(const Feature* features, int32_t n) noexcept nogil:
    """Whether a closed run is convex; see geometry.pxd."""
    cdef int32_t k
    for k in range(n):
        if features[k].r < 0.0 or features[k].sweep <= -SMOOTH:
            return False
    return True


cdef inline void widen(Bounds* box, Bounds other) noexcept nogil:
    box.low = vec2(lesser(box.low.x, other.low.x), lesser(box.low.y, other.low.y))
    box.high = vec2(greater(box.high.x, other.high.x), greater(box.high.y, other.high.y))


# ----------------------------------------------------------------------------- features of any

cdef int32_t count_features(const Geometry* geometry) noexcept nogil:
    """How many features there are; see geometry.pxd."""
    if geometry.kind == ROUND:
        return 1
    return 2 * geometry.n_core if geometry.kind == HULL else geometry.n_features


cdef void feature_at(const Geometry* geometry, int32_t k, Feature* out) noexcept nogil:
    """Feature k of a geometry of any kind; see geometry.pxd."""
    if geometry.kind == OUTLINE:
        out[0] = geometry.features[k]
    elif geometry.kind == ROUND:
        write_disc(geometry, out)
    elif k % 2 == 0:
        write_hull_corner(geometry, k // 2, out)
    else:
        write_hull_edge(geometry, k // 2, out)


cdef void write_disc(const Geometry* geometry, Feature* out) noexcept nogil:
    out.c = geometry.core[0]
    out.r = geometry.radius
    out.low = out.high = vec2(1.0, 0.0)
    out.sweep = 2.0 * M_PI
    out.length = 0.0
    out.box = geometry.box


cdef void write_hull_corner(const Geometry* geometry, int32_t k, Feature* out) noexcept nogil:
    cdef double r = geometry.radius
    out.c = geometry.core[k]
    out.r = r
    out.low = geometry.normals[k - 1 if k > 0 else geometry.n_core - 1]
    out.high = geometry.normals[k]
    out.length = 0.0
    # A line's ends have half a turn, whichever way its two normals are rounded.
    if geometry.n_core == 2:
        out.sweep = M_PI
    else:
        out.sweep = greater(atan2(cross(out.low, out.high), dot(out.low, out.high)), 0.0)
    out.box.low = vec2(out.c.x - r, out.c.y - r)
    out.box.high = vec2(out.c.x + r, out.c.y + r)


cdef void write_hull_edge(const Geometry* geometry, int32_t k, Feature* out) noexcept nogil:
    cdef Vec2 normal = geometry.normals[k], end
    cdef Vec2 a = geometry.core[k], b = geometry.core[k + 1 if k + 1 < geometry.n_core else 0]
    out.c = add(a, scaled(geometry.radius, normal))
    out.r = INFINITY
    out.low = out.high = normal
    out.sweep = 0.0
    out.length = length(sub(b, a))
    end = add(b, scaled(geometry.radius, normal))
    out.box.low = vec2(lesser(out.c.x, end.x), lesser(out.c.y, end.y))
    out.box.high = vec2(greater(out.c.x, end.x), greater(out.c.y, end.y))


cdef bint has_normal(const Feature* feature, Vec2 normal, double slack) noexcept nogil:
    """Whether an outward unit normal belongs to a feature, to within `slack` (rad)."""
    cdef bint after_low = cross(feature.low, normal) >= -slack
    cdef bint before_high = cross(normal, feature.high) >= -slack
    if feature.sweep < 0.0:
        return False
    if feature.sweep > M_PI:
        return after_low or before_high or feature.sweep + 2.0 * slack >= 2.0 * M_PI
    # The last test is for narrow sectors, which the first two cannot tell from their opposites.
    return (after_low and before_high
            and dot(feature.low, normal) + dot(feature.high, normal) >= -2.0 * slack)


# ------------------------------------------------------------------------------- what is inside

cdef bint contains(const Geometry* geometry, Vec2 point) noexcept nogil:
    """Whether a point lies inside the shape or on its boundary; see geometry.pxd."""
    cdef double slack = ON_BOUNDARY * (geometry.bounding_radius + length(geometry.middle))
    if (not geometry.closed
            or point.x < geometry.box.low.x - slack or point.x > geometry.box.high.x + slack
            or point.y < geometry.box.low.y - slack or point.y > geometry.box.high.y + slack):
        return False
    if geometry.kind == ROUND:
        return length(sub(point, geometry.core[0])) <= geometry.radius + slack
    if geometry.kind == HULL:
        return hull_contains(geometry, point, slack)
    return outline_contains(geometry, point, slack)


cdef bint hull_contains(const Geometry* geometry, Vec2 point, double slack) noexcept nogil:
    """Whether a point is in the core or within the radius of one of its edges."""
    cdef bint in_core = geometry.n_core > 2
    cdef double most = geometry.radius + slack, height, t, size
    cdef Vec2 a, b, d
    cdef int32_t k
    for k in range(geometry.n_core):
        a = geometry.core[k]
        b = sub(geometry.core[k + 1 if k + 1 < geometry.n_core else 0], a)
        d = sub(point, a)
        height = dot(geometry.normals[k], d)
        in_core = in_core and height <= 0.0
        if fabs(height) <= most:
            size = length(b)
            t = lesser(greater(dot(edge_along(geometry.normals[k]), d), 0.0), size)
            if length(sub(d, scaled(t / size, b))) <= most:
                return True
    return in_core


cdef bint outline_contains(const Geometry* geometry, Vec2 point, double slack) noexcept nogil:
    """By the parity of what a ray to the right meets: the polygon of all chords, and the regions
    between arcs and their chords. Both ask the same question of a chord, so that a point near one
    is counted right whatever rounding does to that question."""
    cdef int32_t block, k, last
    cdef bint inside = False
    cdef const Feature* piece
    for block in range(geometry.n_blocks):
        if misses(&geometry.blocks[block], point, slack):
            continue
        last = BLOCK * (block + 1)
        if last > geometry.n_features:
            last = geometry.n_features
        for k in range(BLOCK * block + 1, last, 2):
            piece = &geometry.features[k]
            if misses(&piece.box, point, slack):
                continue
            if on_piece(geometry, k, point, slack):
                return True
            inside ^= changes_side(geometry, k, point)
    return inside


cdef inline bint misses(const Bounds* box, Vec2 point, double slack) noexcept nogil:
    """Whether a ray from the point to the right passes a box by."""
    return (point.y < box.low.y - slack or point.y > box.high.y + slack
            or point.x > box.high.x + slack)


cdef bint on_piece(const Geometry* geometry, int32_t k, Vec2 point, double slack) noexcept nogil:
    """Whether a point lies on a piece, to within slack."""
    cdef const Feature* piece = &geometry.features[k]
    cdef Vec2 d = sub(point, geometry.features[k - 1].c)
    cdef double along, size
    if length(d) <= slack:
        return True
    if piece.r == INFINITY:
        along = dot(edge_along(piece.low), d)
        return fabs(dot(piece.low, d)) <= slack and 0.0 <= along <= piece.length
    d = sub(point, piece.c)
    size = length(d)
    return (fabs(size - fabs(piece.r)) <= slack
            and has_normal(piece, scaled((1.0 if piece.r > 0.0 else -1.0) / size, d), 0.0))


cdef inline bint lies_left(Vec2 p, Vec2 q, Vec2 point) noexcept nogil:
    """Whether a point lies left of the line from p to q; on it, whether it would a little above,
    for the ray counts ends at its own height as below it."""
    cdef double side = cross(sub(q, p), sub(point, p))
    return side > 0.0 or (side == 0.0 and q.x > p.x)


cdef bint changes_side(const Geometry* geometry, int32_t k, Vec2 point) noexcept nogil:
    """Whether the chord of a piece is met by the ray, and whether the point lies between them."""
    cdef const Feature* piece = &geometry.features[k]
    cdef Vec2 p = geometry.features[k - 1].c
    cdef Vec2 q = geometry.features[k + 1 if k + 1 < geometry.n_features else 0].c
    cdef bint left, out = False
    # Asked from the lower end, so that a chord gives the same answer both ways.
    if q.y < p.y or (q.y == p.y and q.x < p.x):
        left = not lies_left(q, p, point)
    else:
        left = lies_left(p, q, point)
    if p.y <= point.y < q.y:
        out = left
    elif q.y <= point.y < p.y:
        out = not left
    # Convex arcs lie to the right of their chords.
    if piece.r != INFINITY and left == (piece.r < 0.0):
        out ^= length(sub(point, piece.c)) <= fabs(piece.r)
    return out


# ---------------------------------------------------------------------- what tests see of a run

def features_of_run(points, bulges, closed):
    """The features of a run, as dicts with the fields of Feature."""
    features, _ = allocate_features(points, bulges, closed)
    cdef const unsigned char[::1] view = features
    cdef const Feature* f = <const Feature*> &view[0]
    cdef Py_ssize_t k
    return [{"c": (f[k].c.x, f[k].c.y), "r": f[k].r, "low": (f[k].low.x, f[k].low.y),
             "high": (f[k].high.x, f[k].high.y), "sweep": f[k].sweep, "length": f[k].length,
             "box": ((f[k].box.low.x, f[k].box.low.y), (f[k].box.high.x, f[k].box.high.y))}
            for k in range(len(features) // sizeof(Feature))]


def run_contains(points, bulges, places):
    """Whether each of these places lies in a closed run."""
    features, blocks = allocate_features(points, bulges, True)
    cdef const unsigned char[::1] feature_view = features
    cdef const unsigned char[::1] block_view = blocks
    cdef Geometry geometry
    cdef Py_ssize_t k
    geometry.kind = OUTLINE
    geometry.closed = True
    geometry.n_features = len(features) // sizeof(Feature)
    geometry.n_blocks = (geometry.n_features + BLOCK - 1) // BLOCK
    geometry.features = <const Feature*> &feature_view[0]
    geometry.blocks = <const Bounds*> &block_view[0]
    geometry.box = geometry.blocks[0]
    for k in range(1, geometry.n_blocks):
        widen(&geometry.box, geometry.blocks[k])
    geometry.middle = scaled(0.5, add(geometry.box.low, geometry.box.high))
    geometry.bounding_radius = length(sub(geometry.box.high, geometry.middle))
    return [bool(contains(&geometry, vec2(x, y))) for x, y in places]


cdef tuple allocate_features(points, bulges, bint closed):
    """Features and blocks of a run, each as an array of bytes."""
    cdef const double[:, ::1] p = np.ascontiguousarray(points, dtype=np.float64)
    cdef const double[::1] b = np.ascontiguousarray(bulges, dtype=np.float64)
    cdef Py_ssize_t n = p.shape[0], count = 2 * n if closed else 4 * (n - 1)
    features = np.zeros(count * sizeof(Feature), np.uint8)
    blocks = np.zeros(count_boxes(count) * sizeof(Bounds), np.uint8)
    cdef unsigned char[::1] feature_view = features
    cdef unsigned char[::1] block_view = blocks
    build_features(<const Vec2*> &p[0, 0], &b[0], n, closed, <Feature*> &feature_view[0],
                   <Bounds*> &block_view[0])
    return features, blocks
