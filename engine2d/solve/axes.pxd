"""The Jacobians of a contact: how fast its gap opens and its surfaces slide, by two bodies' motion.
"""

from libc.math cimport INFINITY

from engine2d.collide.narrow_phase cimport Touch
from engine2d.pose cimport Pose, rotate
from engine2d.solve.row cimport Row
from engine2d.vec2 cimport Vec2, add, cross, scaled, sub


cdef inline void write_axes(const Touch* at, const Pose* pose_a, Vec2 center_a, const Pose* pose_b,
                            Vec2 center_b, Row* n, Row* t) noexcept nogil:
    """Jacobians of normal and tangent at a contact that is up to date with these poses; centres of
    mass (m) in the frames of the poses.

    Arms are turned from the body's frame, not taken from places in the world: at rest they then
    have the same digits in every step, far from the origin too.
    """
    cdef Vec2 ra, rb, N = at.normal
    # the centres' distance: from the origins', whose digits do not change at rest
    cdef Vec2 apart = sub(add(pose_a.p, rotate(pose_a.q, center_a)),
                          add(pose_b.p, rotate(pose_b.q, center_b)))
    if at.r1 != INFINITY:
        ra = sub(rotate(pose_a.q, sub(at.c1, center_a)), scaled(at.r1 + 0.5 * at.gap, N))
        rb = add(ra, apart)
    else:
        rb = add(rotate(pose_b.q, sub(at.c2, center_b)), scaled(at.r2 + 0.5 * at.gap, N))
        ra = sub(rb, apart)
    n.ja[0], n.ja[1], n.ja[2] = N.x, N.y, cross(ra, N)
    n.jb[0], n.jb[1], n.jb[2] = -N.x, -N.y, -cross(rb, N)
    t.ja[0], t.ja[1], t.ja[2] = -N.y, N.x, ra.x * N.x + ra.y * N.y
    t.jb[0], t.jb[1], t.jb[2] = N.y, -N.x, -(rb.x * N.x + rb.y * N.y)
