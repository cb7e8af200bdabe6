"""Contact points of two shapes: where, along which normal, how far apart (docs/maths/shapes.md).

A contact is two features in the frames of their bodies. `refresh` says for any poses where it is:
exactly, and with two gap functions for everything. A is body 1 and B is body 2 of
docs/maths/contact_force.md: normals point from B into A.
"""

from libc.math cimport INFINITY, fabs
from libc.stdint cimport int32_t

from engine2d.collide.geometry cimport Geometry
from engine2d.pose cimport Pose, rotate
from engine2d.vec2 cimport Vec2, add, dot, length, scaled, sub, vec2

# Shapes of any kind give at most this many contact points; two convex ones give at most two.
cdef enum:
    MOST_POINTS = 32

ctypedef struct Touch:
    Vec2 point    # m, world: halfway between the two surfaces
    Vec2 normal   # unit, world, from B into A
    double gap    # m, < 0 where they overlap
    double r1     # m, signed radius of A's feature: corner 0, convex > 0, concave < 0, edge inf
    double r2     # m, of B's
    Vec2 c1       # m, A's frame: centre of its circle; a point of its edge
    Vec2 c2       # m, B's frame
    Vec2 n        # unit, outward normal of the edge, in its body's frame; unused between circles
    int32_t f1    # A's feature
    int32_t f2    # B's

# What a pair keeps from step to step. Zeroes to begin with.
ctypedef struct AxisCache:
    int32_t known      # 0: nothing is known yet; else what find_contacts wrote
    int32_t feature    # the edge that parted them, or that they rested on
    Vec2 axis          # a direction that parted them, in B's frame
    bint ahead         # in: edges that go on behind a shallow inner corner are contacts too
    double clear       # m, if no contact was found: they are at least this far apart, >= margin


cdef inline void refresh(Touch* contact, const Pose* a, const Pose* b) noexcept nogil:
    """Bring point, normal and gap of a contact up to date with these poses, exactly."""
    cdef Vec2 u1 = rotate(a.q, contact.c1), u2 = rotate(b.q, contact.c2)
    cdef Vec2 c1 = add(a.p, u1), c2 = add(b.p, u2)
    # The places first: far from the world's origin c1 - c2 would lose digits.
    cdef Vec2 apart = add(sub(a.p, b.p), sub(u1, u2))
    cdef double s, size, sign
    if contact.r2 == INFINITY:
        # circle on edge: d = N.(C1 - Q) - r1
        contact.normal = rotate(b.q, contact.n)
        contact.gap = dot(contact.normal, apart) - contact.r1
        s = contact.r1 + 0.5 * contact.gap
        contact.point = vec2(c1.x - s * contact.normal.x, c1.y - s * contact.normal.y)
    elif contact.r1 == INFINITY:
        # edge on circle: the same with the roles exchanged, N pointing into A
        contact.normal = scaled(-1.0, rotate(a.q, contact.n))
        contact.gap = dot(contact.normal, apart) - contact.r2
        s = contact.r2 + 0.5 * contact.gap
        contact.point = vec2(c2.x + s * contact.normal.x, c2.y + s * contact.normal.y)
    else:
        # circle on circle: d = sign(s) (|D| - |s|); where D is 0 the last normal stays
        s = contact.r1 + contact.r2
        size = length(apart)
        sign = -1.0 if s < 0.0 or (s == 0.0 and (contact.r1 < 0.0 or contact.r2 < 0.0)) else 1.0
        if size > 0.0:
            contact.normal = scaled(sign / size, apart)
        contact.gap = sign * size - s
        s = contact.r1 + 0.5 * contact.gap
        contact.point = vec2(c1.x - s * contact.normal.x, c1.y - s * contact.normal.y)


# Contact points of A and B with a gap of at most `margin`, at most `room` of them, the deepest if
# there are more; returns how many. Each has its features, and has been refreshed. The cache may
# be NULL.
cdef int find_contacts(const Geometry* a, const Pose* pose_a, const Geometry* b,
                       const Pose* pose_b, double margin, AxisCache* cache, Touch* out,
                       int room) noexcept nogil

# A pose at the API boundary, from (x, y), (x, y, angle) or ((x, y), angle); errors name it.
cdef Pose read_pose(object value, str name) except *

# A Shape's geometry at the API boundary, for as long as the shape lives; errors name the argument.
cdef const Geometry* read_geometry(object shape, str name) except NULL
