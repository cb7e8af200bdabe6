"""The distance of two convex cores, by Gilbert, Johnson and Keerthi's method; gjk.pxd."""

from libc.math cimport sqrt

from enginecore.scalar cimport greater
from engine3d.collide.geometry cimport CYLINDER, support
from engine3d.pose cimport to_world, unrotate
from engine3d.vec3 cimport add_scaled, cross, dot, length, negated, scaled, sub, vec3

# Share of the squared distance that the next corner must gain.
cdef double GAIN = 1e-14
# Share of the size squared below which the distance is none.
cdef double NONE = 1e-24
# Share of its size that the height of a tetrahedron must have for it to have an inside.
cdef double FLAT_SIMPLEX = 1e-9
cdef enum:
    MOST_STEPS = 64

# Up to four corners of A - B, with the weights of their nearest point to the origin.
cdef struct Simplex:
    int n
    Vec3 w[4]         # m, corner of A less corner of B
    Vec3 p[4]         # m, corner of A, B's frame
    int32_t i[4]      # corners of A and B
    int32_t j[4]
    double share[4]


cdef inline Vec3 farthest(const Geometry* g, Vec3 d, int32_t* which) noexcept nogil:
    """The point of a core farthest along d, in its own frame."""
    cdef Vec3 e
    cdef double along, size
    if g.kind == CYLINDER:
        which[0] = -1
        along = dot(g.axis, d)
        e = sub(d, scaled(along, g.axis))
        size = length(e)
        d = add_scaled(g.middle, g.offset if along > 0.0 else -g.offset, g.axis)
        return add_scaled(d, g.radius / size, e) if size > 0.0 else d
    which[0] = support(g, d)
    return g.core[which[0]]


cdef void find_nearest(const Geometry* a, const Geometry* b, const Pose* rel, Vec3 start,
                       Nearest* out) noexcept nogil:
    cdef Simplex s, before
    cdef Vec3 v = start, w, p, q, old = start
    cdef double v2, size = 0.0, last = 1e300
    cdef int32_t i, j
    cdef int _step
    if v.x == 0.0 and v.y == 0.0 and v.z == 0.0:
        v = sub(to_world(rel, a.middle), b.middle)
        if v.x == 0.0 and v.y == 0.0 and v.z == 0.0:
            v = vec3(1.0, 0.0, 0.0)
    s.n = 0
    for _step in range(MOST_STEPS):
        p = to_world(rel, farthest(a, negated(unrotate(rel, v)), &i))
        q = farthest(b, v, &j)
        w = sub(p, q)
        v2 = dot(v, v)
        if s.n > 0 and not v2 < last:
            # rounding: the last one was as near
            s, v = before, old
            break
        if s.n > 0 and (v2 - dot(v, w) <= GAIN * v2 or has_corner(&s, w)):
            break
        last = v2 if s.n > 0 else 1e300
        before, old = s, v
        s.w[s.n], s.p[s.n], s.i[s.n], s.j[s.n] = w, p, i, j
        s.n += 1
        size = dot(w, w) if dot(w, w) > size else size
        v = nearest_of(&s)
        if s.n == 4 or dot(v, v) <= NONE * size:
            out.distance = 0.0
            out.n_a = out.n_b = 0
            return
    write_nearest(&s, v, out)


cdef inline bint has_corner(const Simplex* s, Vec3 w) noexcept nogil:
    cdef int k
    for k in range(s.n):
        if s.w[k].x == w.x and s.w[k].y == w.y and s.w[k].z == w.z:
            return True
    return False


cdef void write_nearest(const Simplex* s, Vec3 v, Nearest* out) noexcept nogil:
    """Points and corners of what the search ended with."""
    cdef int k, m
    out.distance = sqrt(dot(v, v))
    out.normal = scaled(1.0 / out.distance, v)
    out.on_a = vec3(0.0, 0.0, 0.0)
    out.n_a = out.n_b = 0
    for k in range(s.n):
        out.on_a = add_scaled(out.on_a, s.share[k], s.p[k])
        m = 0
        while m < out.n_a and out.a[m] != s.i[k]:
            m += 1
        if m == out.n_a and s.i[k] >= 0:
            out.a[m] = s.i[k]
            out.n_a += 1
        m = 0
        while m < out.n_b and out.b[m] != s.j[k]:
            m += 1
        if m == out.n_b and s.j[k] >= 0:
            out.b[m] = s.j[k]
            out.n_b += 1
    out.on_b = sub(out.on_a, v)


# ---- the nearest point of a simplex to the origin (Ericson, Real-Time Collision Detection, 5.1) --

cdef void keep(Simplex* s, int a, double ta, int b, double tb, int c, double tc,
               int n) noexcept nogil:
    """Keep n corners, with their shares."""
    cdef Simplex old = s[0]
    cdef int[3] which
    cdef double[3] t
    cdef int k
    which[0], which[1], which[2] = a, b, c
    t[0], t[1], t[2] = ta, tb, tc
    s.n = n
    for k in range(n):
        s.w[k], s.p[k] = old.w[which[k]], old.p[which[k]]
        s.i[k], s.j[k] = old.i[which[k]], old.j[which[k]]
        s.share[k] = t[k]


cdef Vec3 sum_of(const Simplex* s) noexcept nogil:
    cdef Vec3 out = vec3(0.0, 0.0, 0.0)
    cdef int k
    for k in range(s.n):
        out = add_scaled(out, s.share[k], s.w[k])
    return out


cdef Vec3 nearest_of(Simplex* s) noexcept nogil:
    """Reduce the simplex to the corners around its nearest point, and return that; four corners
    stay if they hold the origin."""
    if s.n == 1:
        s.share[0] = 1.0
        return s.w[0]
    if s.n == 2:
        reduce_line(s)
    elif s.n == 3:
        reduce_triangle(s)
    else:
        reduce_tetrahedron(s)
        if s.n == 4:
            return vec3(0.0, 0.0, 0.0)
    return sum_of(s)


cdef void reduce_line(Simplex* s) noexcept nogil:
    cdef Vec3 d = sub(s.w[1], s.w[0])
    cdef double t = -dot(s.w[0], d), size = dot(d, d)
    if t <= 0.0 or size <= 0.0:
        keep(s, 0, 1.0, 0, 0.0, 0, 0.0, 1)
    elif t >= size:
        keep(s, 1, 1.0, 0, 0.0, 0, 0.0, 1)
    else:
        keep(s, 0, 1.0 - t / size, 1, t / size, 0, 0.0, 2)


cdef void reduce_triangle(Simplex* s) noexcept nogil:
    cdef Vec3 a = s.w[0], b = s.w[1], c = s.w[2], ab = sub(b, a), ac = sub(c, a)
    cdef double d1 = -dot(ab, a), d2 = -dot(ac, a), d3 = -dot(ab, b), d4 = -dot(ac, b)
    cdef double d5 = -dot(ab, c), d6 = -dot(ac, c), va, vb, vc, t
    if d1 <= 0.0 and d2 <= 0.0:
        keep(s, 0, 1.0, 0, 0.0, 0, 0.0, 1)
        return
    if d3 >= 0.0 and d4 <= d3:
        keep(s, 1, 1.0, 0, 0.0, 0, 0.0, 1)
        return
    if d6 >= 0.0 and d5 <= d6:
        keep(s, 2, 1.0, 0, 0.0, 0, 0.0, 1)
        return
    vc = d1 * d4 - d3 * d2
    if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        t = d1 / (d1 - d3)
        keep(s, 0, 1.0 - t, 1, t, 0, 0.0, 2)
        return
    vb = d5 * d2 - d1 * d6
    if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        t = d2 / (d2 - d6)
        keep(s, 0, 1.0 - t, 2, t, 0, 0.0, 2)
        return
    va = d3 * d6 - d5 * d4
    if va <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        t = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        keep(s, 1, 1.0 - t, 2, t, 0, 0.0, 2)
        return
    t = 1.0 / (va + vb + vc)
    keep(s, 0, va * t, 1, vb * t, 2, vc * t, 3)


cdef void reduce_tetrahedron(Simplex* s) noexcept nogil:
    """The nearest of its faces; all four corners if the origin is beyond none of them."""
    cdef Simplex best, face
    cdef double least = 1e300, d, size = 0.0
    cdef int[4][4] sides
    cdef int k, m
    cdef bint inside = True
    cdef Vec3 n, v
    sides[0][0], sides[0][1], sides[0][2], sides[0][3] = 0, 1, 2, 3
    sides[1][0], sides[1][1], sides[1][2], sides[1][3] = 0, 2, 3, 1
    sides[2][0], sides[2][1], sides[2][2], sides[2][3] = 0, 3, 1, 2
    sides[3][0], sides[3][1], sides[3][2], sides[3][3] = 1, 3, 2, 0
    best.n = 0
    for k in range(4):
        size = greater(size, dot(s.w[k], s.w[k]))
    for k in range(4):
        n = cross(sub(s.w[sides[k][1]], s.w[sides[k][0]]), sub(s.w[sides[k][2]], s.w[sides[k][0]]))
        d = dot(n, sub(s.w[sides[k][3]], s.w[sides[k][0]]))
        # on the same side as the fourth corner; of a flat tetrahedron that cannot be told
        if not (-dot(n, s.w[sides[k][0]]) * d > 0.0
                and d * d > FLAT_SIMPLEX * FLAT_SIMPLEX * dot(n, n) * size):
            inside = False
        face.n = 3
        for m in range(3):
            face.w[m], face.p[m] = s.w[sides[k][m]], s.p[sides[k][m]]
            face.i[m], face.j[m] = s.i[sides[k][m]], s.j[sides[k][m]]
        reduce_triangle(&face)
        v = sum_of(&face)
        if dot(v, v) < least:
            least = dot(v, v)
            best = face
    if not inside:
        s[0] = best
