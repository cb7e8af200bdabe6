"""Contacts of convex polyhedra; collide_hull.pxd has the contracts, docs/maths/contact3d.md why.

Everything is in B's frame. An axis n points from B to A; the separation along it is the least of A
less the most of B.
"""

from libc.math cimport INFINITY, fabs
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memset

from enginecore.scalar cimport greater, lesser
from engine3d.collide.cylinder cimport cylinder_on_face
from engine3d.collide.geometry cimport CYLINDER, MOST_SIDES, reach_along, support
from engine3d.collide.gjk cimport Nearest, find_nearest
from engine3d.collide.narrow_phase cimport (
    FACE_POINT, LINE_LINE, LINE_POINT, POINT_FACE, POINT_LINE, POINT_POINT,
)
from engine3d.pose cimport rotate, to_local, to_world, unrotate
from engine3d.vec3 cimport (
    add, add_scaled, cross, dot, length, negated, scaled, sub, unit, vec3,
)

# A's faces are preferred to B's by this share of the smaller reach, faces to edges by more: which
# is taken must not flip while two boxes rest on each other.
cdef double PREFER_A = 5e-4
cdef double PREFER_FACE = 2e-3
cdef double PREFER_SHARE = 0.05     # and by this share of the separation
# Share of the smaller reach: points this much deeper than others always stay in a manifold.
cdef double DEEPER = 1e-3
# Edges with a smaller sine between them are parallel.
cdef double PARALLEL_EDGES = 1e-2
# Faces whose normal is off an axis by a smaller cosine than this are across it.
cdef double ACROSS = 0.7
# 1 - cosine of the angle below which a nearest point's direction is a face's.
cdef double ON_FACE = 1e-10
# Share of its distance by which a capsule may be farther from what is below it in a face than from
# the face's edge, and has contacts with the face: it is tilted by less than the root of twice that.
# More, and a capsule that leans on an edge would be felt beside it.
cdef double LEVEL = 1e-5
# cos and sin of 0.3 rad: no ties at 0, 45 and 90 degrees.
cdef double COS_SKEW = 0.955336489125606
cdef double SIN_SKEW = 0.29552020666133955
cdef enum:
    ROOM = 2 * MOST_SIDES + 8       # of a clipped polygon

# The axis that parts two hulls most.
cdef struct Axis:
    double face          # m, separation along the best face
    int32_t of_b         # it is B's
    int32_t number       # which face
    double edge          # m, along the best pair of edges
    int32_t dir_a
    int32_t dir_b
    Vec3 edge_normal
    double beside        # m, the most along a face's normal across the normal
    Vec3 across

cdef struct Polygon:
    int n
    Vec3 p[ROOM]
    int64_t id[ROOM]


# ---- separating axes --------------------------------------------------------------------------

cdef inline double least_of(const Geometry* a, const Pose* rel, Vec3 n) noexcept nogil:
    """m: where A begins along n."""
    return dot(rel.p, n) - reach_along(a, negated(unrotate(rel, n)))


cdef bint find_axis(const Geometry* a, const Geometry* b, const Pose* rel, double margin,
                    AxisCache* cache, Axis* out) noexcept nogil:
    """The best axis; False if one parts them by more than the margin, which is then the cache."""
    cdef double s, size, scale = lesser(a.bounding_radius, b.bounding_radius)
    cdef Vec3 n, e, apart = sub(to_world(rel, a.middle), b.middle)
    cdef int32_t k, m
    out.face = out.edge = -INFINITY
    out.of_b = out.number = out.dir_a = out.dir_b = 0
    for k in range(a.n_faces):
        n = negated(rotate(rel, a.normals[k]))
        s = dot(rel.p, n) - face_offset(a, k) - reach_along(b, n)
        if s > margin:
            return is_parted(cache, n, s)
        if s > out.face + 0.01 * PREFER_A * scale:
            out.face, out.of_b, out.number = s, False, k
    for k in range(b.n_faces):
        s = least_of(a, rel, b.normals[k]) - face_offset(b, k)
        if s > margin:
            return is_parted(cache, b.normals[k], s)
        if s > out.face + (0.01 if out.of_b else 1.0) * PREFER_A * scale:
            out.face, out.of_b, out.number = s, True, k
    for k in range(a.n_dirs):
        e = rotate(rel, a.dirs[k])
        for m in range(b.n_dirs):
            n = cross(e, b.dirs[m])
            size = length(n)
            if size < PARALLEL_EDGES:
                continue
            n = scaled((1.0 if dot(n, apart) >= 0.0 else -1.0) / size, n)
            s = least_of(a, rel, n) - reach_along(b, n)
            if s > margin:
                return is_parted(cache, n, s)
            if s > out.edge:
                out.edge, out.dir_a, out.dir_b, out.edge_normal = s, k, m, n
    return True


cdef bint is_parted(AxisCache* cache, Vec3 n, double s) noexcept nogil:
    if cache != NULL:
        cache.known = 1
        cache.axis = n
        cache.clear = s
    return False


cdef void look_beside(const Geometry* a, const Geometry* b, const Pose* rel, Vec3 normal,
                      AxisCache* cache) noexcept nogil:
    """How far apart two hulls are along faces' normals across the normal of their contact."""
    cdef double s
    cdef Vec3 n
    cdef int32_t k
    cache.beside = -INFINITY
    cache.across = vec3(0.0, 0.0, 0.0)
    for k in range(a.n_faces):
        n = negated(rotate(rel, a.normals[k]))
        if fabs(dot(n, normal)) < ACROSS:
            s = dot(rel.p, n) - face_offset(a, k) - reach_along(b, n)
            if s > cache.beside:
                cache.beside, cache.across = s, n
    for k in range(b.n_faces):
        n = b.normals[k]
        if fabs(dot(n, normal)) < ACROSS:
            s = least_of(a, rel, n) - face_offset(b, k)
            if s > cache.beside:
                cache.beside, cache.across = s, n


cdef int collide_hulls(const Geometry* a, const Geometry* b, const Pose* rel, double margin,
                       AxisCache* cache, Touch* out) noexcept nogil:
    cdef Axis axis
    cdef double s, scale = lesser(a.bounding_radius, b.bounding_radius)
    cdef Vec3 n
    cdef int count
    # what parted them last time mostly does so again
    if cache != NULL and cache.known:
        s = least_of(a, rel, cache.axis) - reach_along(b, cache.axis)
        if s > margin:
            cache.clear = s
            return 0
    if not find_axis(a, b, rel, margin, cache, &axis):
        return 0
    count = 0
    if axis.edge > axis.face + PREFER_SHARE * fabs(axis.face) + PREFER_FACE * scale:
        n = axis.edge_normal
        count = cross_edges(a, b, rel, &axis, margin, out)
    if count == 0:
        n = b.normals[axis.number] if axis.of_b else negated(rotate(rel, a.normals[axis.number]))
        if axis.of_b and a.kind == CYLINDER:
            count = cylinder_on_face(b, a, rel, axis.number, True, margin, out)
        elif not axis.of_b and b.kind == CYLINDER:
            count = cylinder_on_face(a, b, rel, axis.number, False, margin, out)
    if count == 0:
        if axis.of_b:
            count = clip_faces(b, a, rel, axis.number, True, margin, out)
        else:
            count = clip_faces(a, b, rel, axis.number, False, margin, out)
        if count == 0 and not (
                (a.kind == CYLINDER or b.kind == CYLINDER)
                and are_apart(a, b, rel, margin, &count, out)) and (
                greater(axis.face, axis.edge) <= 0.0):
            count = touch_deepest(a, b, rel, n, out)
    if cache != NULL:
        cache.known = 1
        cache.axis = n
        cache.clear = greater(axis.face, axis.edge)
        look_beside(a, b, rel, n, cache)
    return count


cdef bint are_apart(const Geometry* a, const Geometry* b, const Pose* rel, double margin,
                    int* count, Touch* out) noexcept nogil:
    """Whether two hulls are apart though no axis says so, since the rims of cylinders have normals
    that no face and no edges have; writes the contact of their nearest points and the count."""
    cdef Nearest near
    find_nearest(a, b, rel, vec3(0.0, 0.0, 0.0), &near)
    if not near.distance > 0.0:
        return False
    if near.distance <= margin:
        touch_points(rel, &near, 0.0, 0.0, out)
        count[0] = 1
    return True


cdef void touch_points(const Pose* rel, const Nearest* near, double radius_a, double radius_b,
                       Touch* out) noexcept nogil:
    memset(out, 0, sizeof(Touch))
    out.kind, out.r1, out.d2 = POINT_FACE, radius_a, near.normal
    out.c1, out.c2 = to_local(rel, near.on_a), add_scaled(near.on_b, radius_b, near.normal)
    out.id = <int64_t> 1 << 57


cdef int touch_deepest(const Geometry* a, const Geometry* b, const Pose* rel, Vec3 n,
                       Touch* out) noexcept nogil:
    """Of hulls that overlap though their faces do not: A's deepest corner, on B's plane there."""
    cdef int32_t k = support(a, negated(unrotate(rel, n)))
    cdef Vec3 p = to_world(rel, a.core[k])
    memset(out, 0, sizeof(Touch))
    out.kind, out.c1, out.d2 = POINT_FACE, a.core[k], n
    out.c2 = add_scaled(p, reach_along(b, n) - dot(p, n), n)
    out.id = (<int64_t> 3 << 61) | k
    return 1


# ---- edges ------------------------------------------------------------------------------------

cdef int32_t edge_along(const Geometry* g, Vec3 dir, Vec3 n) noexcept nogil:
    """The edge with a direction (its own frame) that is farthest along n; -1: none."""
    cdef int32_t k, best = -1
    cdef double most = -INFINITY, at
    cdef Vec3 p, q
    for k in range(g.n_edges):
        p = g.core[g.edges[4 * k]]
        q = g.core[g.edges[4 * k + 1]]
        at = 0.5 * (dot(p, n) + dot(q, n))
        if at > most and length(cross(sub(q, p), dir)) < 1e-6 * length(sub(q, p)):
            most = at
            best = k
    return best


cdef inline bint is_along_side(const Geometry* g, Vec3 dir) noexcept nogil:
    """Whether a direction of edges is that of a cylinder's axis."""
    return g.kind == CYLINDER and fabs(dot(dir, g.axis)) > 1.0 - 1e-9


cdef int cross_edges(const Geometry* a, const Geometry* b, const Pose* rel, const Axis* axis,
                     double margin, Touch* out) noexcept nogil:
    """The contact of two edges; none if they do not cross each other where they are edges."""
    cdef Vec3 n = axis.edge_normal, local = negated(unrotate(rel, n)), pa, pb, e, f, apart
    cdef int32_t i = edge_along(a, a.dirs[axis.dir_a], local), j = edge_along(
        b, b.dirs[axis.dir_b], n)
    cdef double c, p, q, size, sa, sb, la, lb
    if i < 0 or j < 0:
        return 0
    memset(out, 0, sizeof(Touch))
    out.kind = LINE_LINE
    pa = a.core[a.edges[4 * i]]
    e = sub(a.core[a.edges[4 * i + 1]], pa)
    pb = b.core[b.edges[4 * j]]
    f = sub(b.core[b.edges[4 * j + 1]], pb)
    # across the side of a cylinder that is its axis, with its radius
    if is_along_side(a, a.dirs[axis.dir_a]):
        pa, e = add_scaled(a.middle, -a.offset, a.axis), scaled(2.0 * a.offset, a.axis)
        out.r1 = a.radius
    if is_along_side(b, b.dirs[axis.dir_b]):
        pb, f = add_scaled(b.middle, -b.offset, b.axis), scaled(2.0 * b.offset, b.axis)
        out.r2 = b.radius
    la, lb = length(e), length(f)
    out.c1, out.c2 = pa, pb
    out.d1, out.d2 = scaled(1.0 / la, e), scaled(1.0 / lb, f)
    e, f = rotate(rel, out.d1), out.d2
    if dot(cross(e, f), n) < 0.0:
        out.d1, e = negated(out.d1), negated(e)
        out.c1 = add_scaled(out.c1, -la, out.d1)
    apart = sub(to_world(rel, out.c1), pb)
    c, p, q = dot(e, f), dot(e, apart), dot(f, apart)
    size = 1.0 - c * c
    sa = (c * q - p) / size
    sb = (q - c * p) / size
    if not (0.0 <= sa <= la and 0.0 <= sb <= lb):
        return 0
    # the points that meet now, so that levers are theirs
    out.c1 = add_scaled(out.c1, sa, out.d1)
    out.c2 = add_scaled(out.c2, sb, out.d2)
    out.id = (<int64_t> 1 << 62) | (<int64_t> i << 24) | j
    return 1


# ---- faces ------------------------------------------------------------------------------------

cdef int32_t face_against(const Geometry* g, Vec3 n) noexcept nogil:
    """The face whose normal goes most against n."""
    cdef int32_t k, best = 0
    cdef double least = INFINITY, at
    for k in range(g.n_faces):
        at = dot(g.normals[k], n)
        if at < least - 1e-9:
            least = at
            best = k
    return best


cdef void clip(Polygon* from_, Polygon* to, Vec3 side, double offset, int64_t mark) noexcept nogil:
    """What of a polygon has side.x <= offset."""
    cdef int k, m
    cdef double here, there
    to.n = 0
    for k in range(from_.n):
        m = k + 1 if k + 1 < from_.n else 0
        here = dot(side, from_.p[k]) - offset
        there = dot(side, from_.p[m]) - offset
        if here <= 0.0 and to.n < ROOM:
            to.p[to.n], to.id[to.n] = from_.p[k], from_.id[k]
            to.n += 1
        if ((here < 0.0 and there > 0.0) or (here > 0.0 and there < 0.0)) and to.n < ROOM:
            to.p[to.n] = add_scaled(from_.p[k], here / (here - there), sub(from_.p[m], from_.p[k]))
            # the corner it came from and the side that cut it
            to.id[to.n] = mark | (<int64_t> 1 << 60 if here > 0.0 else 0) | (
                (from_.id[k] if here < 0.0 else from_.id[m]) & 0xFFFF)
            to.n += 1


cdef int clip_faces(const Geometry* reference, const Geometry* other, const Pose* rel,
                    int32_t face, bint of_b, double margin, Touch* out) noexcept nogil:
    """Contacts of a reference face with the face of the other hull that goes most against it.

    of_b: the reference is B's, and rel the pose of `other` in its frame; else it is A's, and rel
    its own pose. In the reference's frame all the way.
    """
    cdef Polygon[2] room
    cdef double[ROOM] gaps
    cdef Vec3[ROOM] feet
    cdef Polygon* now = &room[0]
    cdef Polygon* then = &room[1]
    cdef Polygon* swap
    cdef Vec3 n = reference.normals[face], u, p, side
    cdef int32_t i, k, corner, next_one, first = reference.first[face]
    cdef int32_t last = reference.first[face + 1]
    cdef int m = 0
    cdef double gap
    i = face_against(other, unrotate(rel, n) if of_b else rotate(rel, n))
    now.n = other.first[i + 1] - other.first[i]
    for k in range(now.n):
        corner = other.corners[other.first[i] + k]
        p = other.core[corner]
        now.p[k] = to_world(rel, p) if of_b else to_local(rel, p)
        now.id[k] = corner
    u = sub(reference.core[reference.corners[first + 1]], reference.core[reference.corners[first]])
    for k in range(first, last):
        corner = reference.corners[k]
        next_one = reference.corners[k + 1 if k + 1 < last else first]
        side = cross(sub(reference.core[next_one], reference.core[corner]), n)
        clip(now, then, side, dot(side, reference.core[corner]),
             (<int64_t> (k - first + 1)) << 16)
        swap = now
        now = then
        then = swap
        if now.n == 0:
            return 0
    for k in range(now.n):
        gap = dot(n, now.p[k]) - reference.offsets[face]
        if gap <= margin:
            then.p[m], then.id[m], gaps[m] = now.p[k], now.id[k], gap
            feet[m] = now.p[k]
            m += 1
    return write_faces(reference, other, rel, face, i, of_b, then, feet, gaps, m, n, unit(u), out)


cdef int write_faces(const Geometry* reference, const Geometry* other, const Pose* rel,
                     int32_t face, int32_t incident, bint of_b, const Polygon* found,
                     const Vec3* points, const double* gaps, int n, Vec3 normal, Vec3 u,
                     Touch* out) noexcept nogil:
    """Touches of the clipped corners: a point of the other hull, and the reference's plane."""
    cdef Touch[ROOM] all_of
    cdef Touch* t
    cdef Vec3 foot, body
    cdef int k
    for k in range(n):
        t = &all_of[k]
        memset(t, 0, sizeof(Touch))
        foot = add_scaled(points[k], -gaps[k], normal)
        body = to_local(rel, points[k]) if of_b else to_world(rel, points[k])
        t.id = (found.id[k] | (<int64_t> of_b << 58) | (<int64_t> face << 40)
                | (<int64_t> incident << 24))
        if of_b:
            t.kind, t.c1, t.c2, t.d2 = POINT_FACE, body, foot, normal
        else:
            t.kind, t.c1, t.d1, t.c2 = FACE_POINT, foot, normal, body
    n = keep_four(all_of, points, gaps, n, normal, u, DEEPER * lesser(reference.bounding_radius,
                                                                      other.bounding_radius))
    for k in range(n):
        out[k] = all_of[k]
    return n


cdef int keep_four(Touch* touches, const Vec3* points, const double* gaps, int n, Vec3 normal,
                   Vec3 u, double near) noexcept nogil:
    cdef int[5] kept
    cdef Vec3[4] ways
    cdef Vec3 v = cross(normal, u)
    cdef Touch[4] held
    cdef int k, m = 0, q, best, deepest = 0, nearest
    cdef double most, at, least = INFINITY
    cdef bint there
    if n <= 4:
        return n
    for k in range(n):
        if gaps[k] < least:
            least, deepest = gaps[k], k
    ways[0] = add(scaled(COS_SKEW, u), scaled(SIN_SKEW, v))
    ways[1] = sub(scaled(COS_SKEW, v), scaled(SIN_SKEW, u))
    ways[2], ways[3] = negated(ways[0]), negated(ways[1])
    for q in range(4):
        best, most = 0, -INFINITY
        for k in range(n):
            # what is higher than the deepest by more than `near` counts less
            at = dot(sub(points[k], points[0]), ways[q])
            at -= 20.0 * greater(0.0, gaps[k] - least - near)
            if at > most + 1e-9 * near:
                best, most = k, at
        there = False
        for k in range(m):
            there = there or kept[k] == best
        if not there:
            kept[m] = best
            m += 1
    # the deepest joins if it is deeper than what was chosen
    there, at = False, INFINITY
    for k in range(m):
        there = there or kept[k] == deepest
        at = lesser(at, gaps[kept[k]])
    if not there and least < at - near:
        nearest = m
        if m == 4:
            nearest, most = 0, INFINITY
            for k in range(4):
                at = length(sub(points[kept[k]], points[deepest]))
                if at < most:
                    nearest, most = k, at
        else:
            m += 1
        kept[nearest] = deepest
    for k in range(m):
        held[k] = touches[kept[k]]
    for k in range(m):
        touches[k] = held[k]
    return m


# ---- balls and capsules ------------------------------------------------------------------------

cdef bint part_above(const Geometry* a, const Geometry* b, const Pose* rel, int32_t face,
                     double* low, double* high) noexcept nogil:
    """Which part of a segment is above a face of B, as shares of its length, and whether any is."""
    cdef Vec3 n = b.normals[face], p = to_world(rel, a.core[0]), q = to_world(rel, a.core[1]), side
    cdef double here, there
    cdef int32_t k, first = b.first[face], last = b.first[face + 1], corner, next_one
    low[0], high[0] = 0.0, 1.0
    for k in range(first, last):
        corner = b.corners[k]
        next_one = b.corners[k + 1 if k + 1 < last else first]
        side = cross(sub(b.core[next_one], b.core[corner]), n)
        here = dot(side, sub(p, b.core[corner]))
        there = dot(side, sub(q, b.core[corner]))
        if here > 0.0 and there > 0.0:
            # beside the face altogether: the nearer end
            low[0] = high[0] = 0.0 if here <= there else 1.0
            return False
        if here > 0.0:
            low[0] = greater(low[0], here / (here - there))
        elif there > 0.0:
            high[0] = lesser(high[0], here / (here - there))
    return low[0] < high[0]


cdef bint lies_on(const Geometry* a, const Geometry* b, const Pose* rel, int32_t face,
                  double distance) noexcept nogil:
    """Whether a capsule's core that is so far from B is as near to what a face has below it. Where
    it crosses the face's edge, that may be the nearest by rounding alone."""
    cdef Vec3 n = b.normals[face]
    cdef double low, high, here, there
    if a.n_core < 2 or not part_above(a, b, rel, face, &low, &high):
        return False
    here = dot(n, to_world(rel, a.core[0])) - b.offsets[face]
    there = dot(n, to_world(rel, a.core[1])) - b.offsets[face]
    return (here + (low if there >= here else high) * (there - here)
            <= (1.0 + LEVEL) * distance)


cdef int clip_segment(const Geometry* a, const Geometry* b, const Pose* rel, int32_t face,
                      double margin, Touch* out) noexcept nogil:
    """Contacts of a sphere or capsule with a face of B: the ends of what is above the face."""
    cdef Vec3 n = b.normals[face], p = to_world(rel, a.core[0]), way, point
    cdef double low = 0.0, high = 1.0, t, gap
    cdef int count = 0, end
    way = sub(to_world(rel, a.core[a.n_core - 1]), p)
    if a.n_core == 2:
        part_above(a, b, rel, face, &low, &high)
    if low > high:
        low = high = 0.5 * (low + high)
    for end in range(2):
        t = high if end else low
        if end and (a.n_core == 1 or high == low):
            break
        point = add_scaled(p, t, way)
        gap = dot(n, point) - b.offsets[face] - a.radius
        if gap <= margin:
            memset(&out[count], 0, sizeof(Touch))
            out[count].kind, out[count].r1 = POINT_FACE, a.radius
            out[count].c1 = to_local(rel, point)
            out[count].c2 = add_scaled(point, -(gap + a.radius), n)
            out[count].d2 = n
            out[count].id = (<int64_t> face << 24) | (1 + end)
            count += 1
    return count


cdef int32_t face_along(const Geometry* g, Vec3 n) noexcept nogil:
    """The face whose normal goes most along n."""
    cdef int32_t k, best = 0
    cdef double most = -INFINITY, at
    for k in range(g.n_faces):
        at = dot(g.normals[k], n)
        if at > most:
            most = at
            best = k
    return best


cdef int touch_corners(const Geometry* a, const Geometry* b, const Pose* rel,
                       const Nearest* near, Touch* out) noexcept nogil:
    """The contact of corners and edges that are nearest to each other."""
    cdef Vec3 e = vec3(0.0, 0.0, 0.0), f = e
    memset(out, 0, sizeof(Touch))
    out.r1 = a.radius
    out.c1, out.c2 = to_local(rel, near.on_a), near.on_b
    out.id = (<int64_t> 1 << 61) | (<int64_t> near.b[0] << 20)
    if near.n_b == 2:
        f = unit(sub(b.core[near.b[1]], b.core[near.b[0]]))
        out.d2 = f
        out.id |= <int64_t> (near.b[1] + 1) << 40
    if near.n_a == 2:
        e = unit(sub(a.core[1], a.core[0]))
        out.d1 = e
        out.id |= 4
    else:
        out.id |= 1 + near.a[0]
    if near.n_a == 2 and near.n_b == 2 and length(cross(rotate(rel, e), f)) > PARALLEL_EDGES:
        out.kind = LINE_LINE
        if dot(cross(rotate(rel, e), f), near.normal) < 0.0:
            out.d1 = negated(e)
    elif near.n_b == 2:
        out.kind = POINT_LINE
    elif near.n_a == 2:
        out.kind = LINE_POINT
    else:
        out.kind = POINT_POINT
    return 1


cdef int collide_round(const Geometry* a, const Geometry* b, const Pose* rel, double margin,
                       AxisCache* cache, Touch* out) noexcept nogil:
    cdef Nearest near
    cdef Axis axis
    cdef Vec3 start = cache.axis if cache != NULL and cache.known else vec3(0.0, 0.0, 0.0)
    cdef int32_t face
    if cache != NULL:
        cache.beside = -INFINITY
        cache.across = vec3(0.0, 0.0, 0.0)
    find_nearest(a, b, rel, start, &near)
    if near.distance > margin + a.radius:
        is_parted(cache, near.normal, near.distance - a.radius)
        return 0
    if near.distance > 1e-12 * a.radius:
        if cache != NULL:
            cache.known, cache.axis = 1, near.normal
            cache.clear = near.distance - a.radius
        face = face_along(b, near.normal)
        if (near.n_b >= 3 or dot(b.normals[face], near.normal) > 1.0 - ON_FACE
                or lies_on(a, b, rel, face, near.distance)):
            return clip_segment(a, b, rel, face, margin, out)
        return touch_corners(a, b, rel, &near, out)
    # the core is inside: the face it is least below, or edges that cross
    find_axis_of_core(a, b, rel, &axis)
    if cache != NULL:
        cache.known = 0
        cache.clear = 0.0
    if axis.edge > axis.face + PREFER_SHARE * fabs(axis.face):
        if cross_edges_of_core(a, b, rel, &axis, out):
            return 1
    return clip_segment(a, b, rel, axis.number, margin, out)


cdef void find_axis_of_core(const Geometry* a, const Geometry* b, const Pose* rel,
                            Axis* out) noexcept nogil:
    """The best axis of a core of one or two corners that is inside B."""
    cdef double s, size
    cdef Vec3 n, e, apart = sub(to_world(rel, a.middle), b.middle)
    cdef Vec3 p = to_world(rel, a.core[0]), q = to_world(rel, a.core[a.n_core - 1])
    cdef int32_t k
    out.face = out.edge = -INFINITY
    out.number = out.dir_a = out.dir_b = 0
    for k in range(b.n_faces):
        s = lesser(dot(p, b.normals[k]), dot(q, b.normals[k])) - b.offsets[k]
        if s > out.face:
            out.face, out.number = s, k
    if a.n_core < 2:
        return
    e = sub(q, p)
    for k in range(b.n_dirs):
        n = cross(e, b.dirs[k])
        size = length(n)
        if size < PARALLEL_EDGES * length(e):
            continue
        n = scaled((1.0 if dot(n, apart) >= 0.0 else -1.0) / size, n)
        s = dot(p, n) - reach_along(b, n)
        if s > out.edge:
            out.edge, out.dir_b, out.edge_normal = s, k, n


cdef int cross_edges_of_core(const Geometry* a, const Geometry* b, const Pose* rel,
                             const Axis* axis, Touch* out) noexcept nogil:
    """A capsule's core across an edge of B that it is below."""
    cdef int32_t j = edge_along(b, b.dirs[axis.dir_b], axis.edge_normal)
    cdef Vec3 e, f
    if j < 0:
        return 0
    memset(out, 0, sizeof(Touch))
    out.kind, out.r1 = LINE_LINE, a.radius
    out.c1, out.c2 = a.middle, b.core[b.edges[4 * j]]
    out.d1 = unit(sub(a.core[1], a.core[0]))
    f = unit(sub(b.core[b.edges[4 * j + 1]], out.c2))
    e = rotate(rel, out.d1)
    out.d2 = f
    if dot(cross(e, f), axis.edge_normal) < 0.0:
        out.d1 = negated(out.d1)
    out.id = (<int64_t> 1 << 62) | j
    return 1
