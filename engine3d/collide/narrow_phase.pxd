"""Contact points of two shapes: where, along which normal, how far apart (docs/maths/contact3d.md).

A contact is two features in the frames of their bodies. `refresh` says for any poses where it is,
exactly. Normals point from B into A.
"""

from libc.stdint cimport int32_t, int64_t

from engine3d.collide.geometry cimport Geometry
from engine3d.pose cimport Pose, rotate
from engine3d.vec3 cimport (
    Vec3, add, add_scaled, cross, dot, length, negated, scaled, sub,
)

cdef enum:
    MOST_POINTS = 4     # of two shapes

cdef enum TouchKind:      # feature of A, feature of B
    POINT_POINT = 0       # two balls; a hollow one has a radius below 0
    POINT_FACE = 1        # a ball or corner on a face
    FACE_POINT = 2
    POINT_LINE = 3        # a ball or corner on an edge, which may have a radius
    LINE_POINT = 4
    LINE_LINE = 5         # two edges that cross
    RIM_FACE = 6          # the rim of a cylinder on a face
    FACE_RIM = 7

ctypedef struct Touch:
    Vec3 point      # m, world: halfway between the two surfaces
    Vec3 normal     # unit, world, from B into A
    double gap      # m, < 0 where they overlap
    Vec3 c1         # m, A's frame: centre of a ball, a point of an edge or a face, of a rim
    Vec3 c2         # m, B's frame
    Vec3 d1         # unit, A's frame: outward normal of a face, direction of an edge, axis of a rim
    Vec3 d2         # unit, B's frame; of two edges d1 x d2 points from B into A
    double r1       # m: of a ball or an edge; of a rim its radius across the axis
    double r2       # m
    int64_t id      # which features: the same from step to step
    int32_t kind    # TouchKind
    int32_t unused

# What a pair keeps from step to step. Zeroes to begin with.
ctypedef struct AxisCache:
    int32_t known   # 0: nothing is known; 1: `axis` is there
    Vec3 axis       # unit, B's frame: parted them, or was the normal of their contact
    double clear    # m, if no contact was found: they are at least this far apart, >= margin
    double beside   # m, how far apart they are along some axis across the normal; < 0: they overlap
    Vec3 across     # unit, B's frame: that axis


cdef inline void place_touch(Touch* t, Vec3 u1, Vec3 u2, const Pose* a,
                             Vec3 apart) noexcept nogil:
    """Point of a contact with a ball on A, or of B's ball: from the normal and the gap."""
    cdef double s
    if t.kind == FACE_POINT or t.kind == FACE_RIM or t.kind == LINE_POINT:
        s = (0.0 if t.kind == FACE_RIM else t.r2) + 0.5 * t.gap
        # B's centre, reached from A's so that one place alone gives the digits
        t.point = add_scaled(sub(add(a.p, u1), apart), s, t.normal)
    else:
        s = (0.0 if t.kind == RIM_FACE else t.r1) + 0.5 * t.gap
        t.point = add_scaled(add(a.p, u1), -s, t.normal)


cdef inline void refresh(Touch* t, const Pose* a, const Pose* b) noexcept nogil:
    """Bring point, normal and gap of a contact up to date with these poses, exactly."""
    cdef Vec3 u1 = rotate(a, t.c1), u2 = rotate(b, t.c2), e, f
    # the places first: far from the world's origin c1 - c2 would lose digits
    cdef Vec3 apart = add(sub(a.p, b.p), sub(u1, u2))
    cdef double s, size, sign
    if t.kind == POINT_FACE:
        t.normal = rotate(b, t.d2)
        t.gap = dot(t.normal, apart) - t.r1
    elif t.kind == FACE_POINT:
        t.normal = negated(rotate(a, t.d1))
        t.gap = dot(t.normal, apart) - t.r2
    elif t.kind == LINE_LINE:
        e = rotate(a, t.d1)
        f = rotate(b, t.d2)
        apart_of_lines(t, e, f, add(a.p, u1), apart)
        return
    elif t.kind == RIM_FACE:
        t.normal = rotate(b, t.d2)
        e = rotate(a, t.d1)
        e = sub(t.normal, scaled(dot(t.normal, e), e))
        size = length(e)
        if size > 0.0:
            e = scaled(-t.r1 / size, e)
        u1 = add(u1, e)
        apart = add(apart, e)
        t.gap = dot(t.normal, apart)
    elif t.kind == FACE_RIM:
        t.normal = negated(rotate(a, t.d1))
        e = rotate(b, t.d2)
        e = sub(t.normal, scaled(dot(t.normal, e), e))
        size = length(e)
        if size > 0.0:
            e = scaled(t.r2 / size, e)
        apart = sub(apart, e)
        t.gap = dot(t.normal, apart)
    else:
        e = apart
        if t.kind == POINT_LINE:
            f = rotate(b, t.d2)
            e = sub(apart, scaled(dot(apart, f), f))
        elif t.kind == LINE_POINT:
            f = rotate(a, t.d1)
            e = sub(apart, scaled(dot(apart, f), f))
        # where the distance is 0 the last normal stays
        s = t.r1 + t.r2
        size = length(e)
        sign = -1.0 if t.r1 < 0.0 or t.r2 < 0.0 else 1.0
        if size > 0.0:
            t.normal = scaled(sign / size, e)
        t.gap = sign * size - s
    place_touch(t, u1, u2, a, apart)


cdef inline void apart_of_lines(Touch* t, Vec3 e, Vec3 f, Vec3 on_a, Vec3 apart) noexcept nogil:
    """Normal, gap and point of two edges with directions e and f; `apart` from B's point to A's."""
    cdef Vec3 n = cross(e, f)
    cdef double size = length(n), c = dot(e, f), p = dot(e, apart), q = dot(f, apart), s = 0.0
    if size > 1e-9:
        t.normal = scaled(1.0 / size, n)
        s = (c * q - p) / (size * size)
    t.gap = dot(t.normal, apart) - t.r1 - t.r2
    # the nearest point of A's line
    t.point = add_scaled(add_scaled(on_a, s, e), -(t.r1 + 0.5 * t.gap), t.normal)


# Contact points of A and B with a gap of at most `margin`, at most MOST_POINTS, the same ones from
# step to step while the shapes stay about where they are; returns how many. Each has been
# refreshed. The cache may be NULL.
cdef int find_contacts(const Geometry* a, const Pose* pose_a, const Geometry* b,
                       const Pose* pose_b, double margin, AxisCache* cache,
                       Touch* out) noexcept nogil

# A pose at the API boundary: (position) or (position, orientation); errors name the argument.
cdef Pose read_pose(object value, str name) except *

# A Shape's geometry at the API boundary, for as long as the shape lives.
cdef const Geometry* read_geometry(object shape, str name) except NULL
