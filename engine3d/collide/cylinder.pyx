"""Contacts of cylinders as round things; cylinder.pxd has the contracts."""

from libc.math cimport fabs, sqrt
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memset

from enginecore.scalar cimport greater, lesser
from engine3d.collide.geometry cimport CYLINDER
from engine3d.collide.narrow_phase cimport (
    FACE_POINT, FACE_RIM, POINT_FACE, POINT_LINE, POINT_POINT, RIM_FACE)
from engine3d.pose cimport rotate, to_local, to_world, unrotate
from engine3d.vec3 cimport (
    Vec3, across, add, add_scaled, cross, dot, length, negated, scaled, sub)

# A cylinder's axis within this sine of a plane's normal stands on its end.
cdef double UPRIGHT = 2e-2
# Within this sine it stands still: its four points are those of its own frame. Tilted more, the
# lowest point of its rim is one of them.
cdef double LEVEL = 1e-4
cdef enum:
    ENDS = 2        # of a cylinder's faces the first two are its ends
    STANDING = 16   # in ids: a point of an end
    UPPER = 8       # of the upper one
    TILTED = 32     # counted from the lowest


cdef int end_points(const Geometry* g, Vec3 n, Vec3* out) noexcept nogil:
    """Four points of the rim (m, the cylinder's frame) of the end that is nearest to a face with
    the outward normal n (its frame); returns their id."""
    cdef double along = dot(n, g.axis), tilt
    cdef Vec3 e = sub(scaled(along, g.axis), n), f
    cdef Vec3 center = add_scaled(g.middle, g.offset if along < 0.0 else -g.offset, g.axis)
    cdef bint tilted
    cdef int k
    tilt = length(e)
    tilted = tilt > LEVEL
    e = scaled(1.0 / tilt, e) if tilted else across(g.axis)
    f = cross(g.axis, e)
    for k in range(4):
        out[k] = add_scaled(center, g.radius if k < 2 else -g.radius, e if k & 1 else f)
    return STANDING | (<int> UPPER if along < 0.0 else 0) | (<int> TILTED if tilted else 0)


cdef int cylinder_on_plane(const Geometry* a, const Geometry* b, const Pose* rel, double margin,
                           Touch* out) noexcept nogil:
    cdef Vec3[4] points
    cdef Vec3 n = b.axis, axis = rotate(rel, a.axis), center, p
    cdef double along = dot(n, axis), tilt = sqrt(greater(0.0, 1.0 - along * along)), gap
    cdef int k, id, count = 0
    if tilt < UPRIGHT:
        id = end_points(a, unrotate(rel, n), points)
        for k in range(4):
            p = to_world(rel, points[k])
            gap = dot(n, p) - b.offset
            if gap <= margin:
                memset(&out[count], 0, sizeof(Touch))
                out[count].kind, out[count].c1, out[count].d2 = POINT_FACE, points[k], n
                out[count].c2 = add_scaled(p, -gap, n)
                out[count].id = id + k
                count += 1
        return count
    for k in range(2):
        center = add_scaled(a.middle, a.offset if k else -a.offset, a.axis)
        gap = dot(n, to_world(rel, center)) - b.offset - a.radius * tilt
        if gap <= margin:
            memset(&out[count], 0, sizeof(Touch))
            out[count].kind, out[count].c1, out[count].d1 = RIM_FACE, center, a.axis
            out[count].r1, out[count].d2, out[count].c2 = a.radius, n, scaled(b.offset, n)
            out[count].id = 1 + k
            count += 1
    return count


# ---- on faces ----------------------------------------------------------------------------------

cdef bint clip_to_face(const Geometry* g, int face, Vec3 p, Vec3 q, double* low,
                       double* high) noexcept nogil:
    """Which shares of the way from p to q are above a face; whether any."""
    cdef Vec3 n = g.normals[face], side, corner
    cdef double here, there
    cdef int32_t k, first = g.first[face], last = g.first[face + 1]
    low[0], high[0] = 0.0, 1.0
    for k in range(first, last):
        corner = g.core[g.corners[k]]
        side = cross(sub(g.core[g.corners[k + 1 if k + 1 < last else first]], corner), n)
        here = dot(side, sub(p, corner))
        there = dot(side, sub(q, corner))
        if here > 0.0 and there > 0.0:
            return False
        if here > 0.0:
            low[0] = greater(low[0], here / (here - there))
        elif there > 0.0:
            high[0] = lesser(high[0], here / (here - there))
    return low[0] <= high[0]


cdef int cylinder_on_face(const Geometry* reference, const Geometry* cylinder, const Pose* rel,
                          int face, bint of_b, double margin, Touch* out) noexcept nogil:
    cdef Vec3[4] points
    cdef Vec3[4] feet
    cdef Vec3 n = reference.normals[face], axis, middle, down
    cdef double along, tilt, low, high, s
    cdef int k, id, count = 0
    if reference.kind == CYLINDER and face >= ENDS:
        return 0
    axis = rotate(rel, cylinder.axis) if of_b else unrotate(rel, cylinder.axis)
    along = dot(n, axis)
    tilt = sqrt(greater(0.0, 1.0 - along * along))
    if tilt < UPRIGHT:
        id = end_points(cylinder, unrotate(rel, n) if of_b else rotate(rel, n), points)
        for k in range(4):
            feet[k] = to_world(rel, points[k]) if of_b else to_local(rel, points[k])
            if not clip_to_face(reference, face, feet[k], feet[k], &low, &high):
                return 0
        for k in range(4):
            count += write_touch(reference, face, of_b, points[k], feet[k], cylinder.axis, 0.0,
                                 False, id + k, margin, &out[count])
        return count
    # the line of its side that is nearest to the face
    middle = to_world(rel, cylinder.middle) if of_b else to_local(rel, cylinder.middle)
    down = scaled(cylinder.radius / tilt, sub(scaled(along, axis), n))
    feet[0] = add(add_scaled(middle, -cylinder.offset, axis), down)
    feet[1] = add(add_scaled(middle, cylinder.offset, axis), down)
    if not clip_to_face(reference, face, feet[0], feet[1], &low, &high):
        return 0
    for k in range(2):
        s = high if k else low
        if k and high - low < 1e-9:
            break
        points[k] = add_scaled(cylinder.middle, (2.0 * s - 1.0) * cylinder.offset, cylinder.axis)
        count += write_touch(reference, face, of_b, points[k],
                             add_scaled(feet[0], s, sub(feet[1], feet[0])), cylinder.axis,
                             cylinder.radius, True, 1 + k, margin, &out[count])
    return count


cdef int write_touch(const Geometry* reference, int face, bint of_b, Vec3 point, Vec3 lowest,
                     Vec3 axis, double radius, bint is_rim, int id, double margin,
                     Touch* out) noexcept nogil:
    """The touch of a point or rim of a cylinder (its frame) with a face, if it is near; `lowest`:
    the nearest point, in the frame of the face."""
    cdef Vec3 n = reference.normals[face], foot
    cdef double gap = dot(n, lowest) - reference.offsets[face]
    if gap > margin:
        return 0
    memset(out, 0, sizeof(Touch))
    foot = add_scaled(lowest, -gap, n)
    if of_b:
        out.kind = RIM_FACE if is_rim else POINT_FACE
        out.c1, out.c2, out.d2 = point, foot, n
        if is_rim:
            out.d1, out.r1 = axis, radius
    else:
        out.kind = FACE_RIM if is_rim else FACE_POINT
        out.c1, out.d1, out.c2 = foot, n, point
        if is_rim:
            out.d2, out.r2 = axis, radius
    out.id = ((<int64_t> 1 << 59) | (<int64_t> of_b << 58) | (<int64_t> face << 40) | id)
    return 1


# ---- balls ---------------------------------------------------------------------------------------

cdef int ball_on_cylinder(const Geometry* a, const Geometry* b, const Pose* rel, double margin,
                          Touch* out) noexcept nogil:
    """A sphere on a cylinder: on its side, on an end, or on a rim."""
    cdef Vec3 d = sub(to_world(rel, a.core[0]), b.middle), beside, foot
    cdef double along = dot(d, b.axis), r
    cdef bint past = fabs(along) > b.offset
    beside = sub(d, scaled(along, b.axis))
    r = length(beside)
    memset(out, 0, sizeof(Touch))
    out.c1, out.r1 = a.core[0], a.radius
    if not past and r <= b.radius:
        # inside: out by the nearer of side and end
        past = b.offset - fabs(along) < b.radius - r
        if r == 0.0:
            past = True
    if past and r <= b.radius:
        out.kind = POINT_FACE
        out.d2 = b.axis if along > 0.0 else negated(b.axis)
        out.c2 = add_scaled(b.middle, b.offset, out.d2)
        out.id = 1 if along > 0.0 else 2
        return 1 if fabs(along) - b.offset - a.radius <= margin else 0
    if not past:
        out.kind, out.r2, out.d2, out.id = POINT_LINE, b.radius, b.axis, 3
        out.c2 = add_scaled(b.middle, along, b.axis)
        return 1 if r - b.radius - a.radius <= margin else 0
    foot = add_scaled(add_scaled(b.middle, b.radius / r, beside),
                      b.offset if along > 0.0 else -b.offset, b.axis)
    out.kind, out.c2, out.id = POINT_POINT, foot, 4 if along > 0.0 else 5
    return 1 if length(sub(add(d, b.middle), foot)) - a.radius <= margin else 0
