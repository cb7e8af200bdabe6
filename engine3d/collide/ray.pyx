"""Rays and points against one shape. A convex shape is entered where a line has entered all that it
is the intersection of, and left where it has left any."""

from libc.math cimport INFINITY, fabs, sqrt

from enginecore.scalar cimport greater, lesser
from engine3d.collide.geometry cimport CYLINDER, HOLLOW, HULL, PLANE, ROUND, SEGMENT
from engine3d.pose cimport rotate, to_local
from engine3d.vec3 cimport add_scaled, dot, length, negated, scaled, sub, vec3

# A stretch of a line that is inside something.
cdef struct Stretch:
    double enter
    double leave
    Vec3 normal      # where it is entered


cdef bint cast_ray_at(const Geometry* g, const Pose* pose, Vec3 start, Vec3 end,
                      RayHit* hit) noexcept nogil:
    cdef Vec3 p = to_local(pose, start), d = sub(to_local(pose, end), p)
    cdef Stretch s
    cdef bint found
    s.enter, s.leave = -INFINITY, INFINITY
    s.normal = vec3(0.0, 0.0, 0.0)
    if g.kind == ROUND:
        found = cut_ball(p, d, g.core[0], g.radius, &s)
    elif g.kind == SEGMENT:
        found = cut_capsule(g, p, d, &s)
    elif g.kind == HULL:
        found = cut_hull(g, p, d, &s)
    elif g.kind == CYLINDER:
        found = (cut_tube(p, d, g.middle, g.axis, g.radius, &s)
                 and cut_half_space(p, d, g.axis, dot(g.axis, g.middle) + g.offset, &s)
                 and cut_half_space(p, d, negated(g.axis),
                                    g.offset - dot(g.axis, g.middle), &s))
    elif g.kind == PLANE:
        found = cut_half_space(p, d, g.axis, g.offset, &s)
    else:
        # out of the hollow: entered where its inside is left
        found = cut_ball(p, d, g.core[0], g.radius, &s) and s.enter <= 0.0
        if found:
            s.enter = s.leave
            s.normal = sub(g.core[0], add_scaled(p, s.enter, d))
            s.normal = scaled(1.0 / g.radius, s.normal)
    if not found or not 0.0 <= s.enter <= 1.0 or (s.enter == 0.0 and dot(s.normal, d) >= 0.0):
        return False
    hit.t = s.enter
    hit.point = add_scaled(start, s.enter, sub(end, start))
    hit.normal = rotate(pose, s.normal)
    return True


cdef bint meet(Stretch* s, double enter, double leave, Vec3 normal) noexcept nogil:
    """Keep what two stretches have in common; whether that is anything."""
    if enter > s.enter:
        s.enter, s.normal = enter, normal
    s.leave = lesser(s.leave, leave)
    return s.enter <= s.leave


cdef bint cut_half_space(Vec3 p, Vec3 d, Vec3 n, double offset, Stretch* s) noexcept nogil:
    cdef double above = dot(n, p) - offset, rate = dot(n, d)
    if rate == 0.0:
        return above <= 0.0
    if rate < 0.0:
        return meet(s, -above / rate, INFINITY, n)
    return meet(s, -INFINITY, -above / rate, n)


cdef bint cut_hull(const Geometry* g, Vec3 p, Vec3 d, Stretch* s) noexcept nogil:
    cdef int k
    for k in range(g.n_faces):
        if not cut_half_space(p, d, g.normals[k], g.offsets[k], s):
            return False
    return True


cdef bint cut_ball(Vec3 p, Vec3 d, Vec3 center, double radius, Stretch* s) noexcept nogil:
    cdef Vec3 o = sub(p, center), n
    cdef double a = dot(d, d), b = dot(o, d), root, t
    if a == 0.0:
        return False
    # the distance of the line, not a difference of squares: far away digits would be lost
    n = add_scaled(o, -b / a, d)
    root = radius * radius - dot(n, n)
    if root < 0.0:
        return False
    root = sqrt(root / a)
    t = -b / a - root
    return meet(s, t, -b / a + root, scaled(1.0 / radius, add_scaled(o, t, d)))


cdef bint cut_tube(Vec3 p, Vec3 d, Vec3 center, Vec3 axis, double radius,
                   Stretch* s) noexcept nogil:
    """An endless cylinder."""
    cdef Vec3 o = sub(p, center)
    cdef Vec3 across = sub(d, scaled(dot(d, axis), axis))
    o = sub(o, scaled(dot(o, axis), axis))
    if length(across) <= 1e-12 * length(d):
        return length(o) <= radius
    return cut_ball(o, across, vec3(0.0, 0.0, 0.0), radius, s)


cdef bint cut_capsule(const Geometry* g, Vec3 p, Vec3 d, Stretch* s) noexcept nogil:
    """The first of its tube and its two balls."""
    cdef Stretch part
    cdef int k
    cdef bint found = False
    s.enter, s.leave = INFINITY, -INFINITY
    for k in range(3):
        part.enter, part.leave = -INFINITY, INFINITY
        part.normal = vec3(0.0, 0.0, 0.0)
        if k < 2:
            if not cut_ball(p, d, g.core[k], g.radius, &part):
                continue
        elif not (cut_tube(p, d, g.middle, g.axis, g.radius, &part)
                  and cut_half_space(p, d, g.axis, dot(g.axis, g.core[1]), &part)
                  and cut_half_space(p, d, negated(g.axis), -dot(g.axis, g.core[0]), &part)):
            continue
        found = True
        if part.enter < s.enter:
            s.enter, s.normal = part.enter, part.normal
        s.leave = greater(s.leave, part.leave)
    return found


cdef bint contains(const Geometry* g, Vec3 point) noexcept nogil:
    cdef Vec3 d
    cdef double along
    cdef int k
    if g.kind == PLANE:
        return dot(g.axis, point) <= g.offset
    if g.kind == HOLLOW:
        return length(sub(point, g.core[0])) >= g.radius
    if g.kind == HULL:
        for k in range(g.n_faces):
            if dot(g.normals[k], point) > g.offsets[k]:
                return False
        return True
    if g.kind == CYLINDER:
        d = sub(point, g.middle)
        along = dot(d, g.axis)
        return fabs(along) <= g.offset and length(sub(d, scaled(along, g.axis))) <= g.radius
    along = 0.0
    if g.kind == SEGMENT:
        along = dot(sub(point, g.core[0]), g.axis)
        along = greater(0.0, lesser(along, length(sub(g.core[1], g.core[0]))))
    return length(sub(point, add_scaled(g.core[0], along, g.axis))) <= g.radius
