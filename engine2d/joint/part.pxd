"""The parts that rows of joints are made of: point, axis, line, angle; stops, motors, springs."""

from libc.math cimport INFINITY
from libc.string cimport memset

from engine2d.joint.joint cimport (
    ACROSS, DRIVE, RIGID, SOFT, STOP, Frame, JointData, JointRow)
from engine2d.pose cimport rotate
from engine2d.vec2 cimport Vec2, add, cross, dot, length, scaled, sub, vec2

# m: a line shorter than this has no direction of its own.
cdef extern from *:
    """
    #define ENGINE_NO_LENGTH 1e-9
    """
    double NO_LENGTH "ENGINE_NO_LENGTH"

# The two anchors in the world.
ctypedef struct Ends:
    Vec2 da    # m, from the centres of mass to the anchors
    Vec2 db
    Vec2 d     # m, from the anchor of a to that of b


cdef inline Ends ends_of(const JointData* joint, const Frame* a, const Frame* b) noexcept nogil:
    cdef Ends out
    out.da = rotate(a.q, sub(joint.anchor_a, a.center))
    out.db = rotate(b.q, sub(joint.anchor_b, b.center))
    out.d = sub(add(b.x, out.db), add(a.x, out.da))
    return out


cdef inline double distance_of(const JointData* joint, const Frame* a,
                               const Frame* b) noexcept nogil:
    """m, from anchor to anchor."""
    cdef Ends at = ends_of(joint, a, b)
    return length(at.d)


cdef inline void clear_row(JointRow* row, int kind) noexcept nogil:
    memset(row, 0, sizeof(JointRow))
    row.kind = kind
    row.most = INFINITY


cdef inline void point_rows(const Ends* at, JointRow* rows) noexcept nogil:
    """Two rows: the anchors are one point."""
    clear_row(&rows[0], RIGID)
    clear_row(&rows[1], RIGID)
    rows[0].ja[0], rows[0].ja[2] = -1.0, at.da.y
    rows[0].jb[0], rows[0].jb[2] = 1.0, -at.db.y
    rows[0].C, rows[0].ha, rows[0].hb = at.d.x, at.da.x, -at.db.x
    rows[1].ja[1], rows[1].ja[2] = -1.0, -at.da.x
    rows[1].jb[1], rows[1].jb[2] = 1.0, at.db.x
    rows[1].C, rows[1].ha, rows[1].hb = at.d.y, at.da.y, -at.db.y


cdef inline void axis_row(const Ends* at, Vec2 n, int kind, JointRow* row) noexcept nogil:
    """How far the anchor of b is from that of a along n, a direction that turns with a."""
    cdef Vec2 arm = add(at.da, at.d)
    clear_row(row, kind)
    row.ja[0], row.ja[1], row.ja[2] = -n.x, -n.y, -cross(arm, n)
    row.jb[0], row.jb[1], row.jb[2] = n.x, n.y, cross(at.db, n)
    row.C = dot(n, at.d)
    row.ha, row.hb = -dot(n, arm), -dot(n, at.db)


cdef inline void angle_row(const Frame* a, const Frame* b, int kind, JointRow* row) noexcept nogil:
    """How far b is turned against a; turns count."""
    clear_row(row, kind)
    row.ja[2], row.jb[2] = -1.0, 1.0
    row.C = b.angle - a.angle


cdef inline double line_rows(const Ends* at, int kind, JointRow* rows) noexcept nogil:
    """The distance of the anchors, and the way across; returns the distance. C is that distance."""
    cdef double long = length(at.d)
    cdef Vec2 u = scaled(1.0 / long, at.d) if long > NO_LENGTH else vec2(1.0, 0.0), n
    n = vec2(-u.y, u.x)
    clear_row(&rows[0], kind)
    rows[0].ja[0], rows[0].ja[1], rows[0].ja[2] = -u.x, -u.y, -cross(at.da, u)
    rows[0].jb[0], rows[0].jb[1], rows[0].jb[2] = u.x, u.y, cross(at.db, u)
    rows[0].C = long
    rows[0].ha, rows[0].hb = dot(u, at.da), -dot(u, at.db)
    clear_row(&rows[1], ACROSS)
    rows[1].ja[0], rows[1].ja[1], rows[1].ja[2] = -n.x, -n.y, -cross(at.da, n)
    rows[1].jb[0], rows[1].jb[1], rows[1].jb[2] = n.x, n.y, cross(at.db, n)
    rows[1].ha = 1.0 / long if long > NO_LENGTH else 0.0
    return long


cdef inline void reverse_row(JointRow* row) noexcept nogil:
    """The same condition with the other sign."""
    cdef int k
    for k in range(3):
        row.ja[k] = -row.ja[k]
        row.jb[k] = -row.jb[k]
    row.C, row.ha, row.hb = -row.C, -row.ha, -row.hb


cdef inline int stop_rows(const JointData* joint, const JointRow* along,
                          JointRow* rows) noexcept nogil:
    """The limits of what `along` measures; returns how many there are."""
    cdef int n = 0
    if joint.head.low > -INFINITY:
        rows[n] = along[0]
        rows[n].kind = STOP
        rows[n].C -= joint.head.low
        n += 1
    if joint.head.high < INFINITY:
        rows[n] = along[0]
        reverse_row(&rows[n])
        rows[n].kind = STOP
        rows[n].C += joint.head.high
        n += 1
    return n


cdef inline int drive_rows(const JointData* joint, const JointRow* along,
                           JointRow* rows) noexcept nogil:
    """The motor of what `along` measures, and its friction; returns how many there are."""
    cdef int n = 0
    if joint.head.most > 0.0:
        rows[n] = along[0]
        rows[n].kind = DRIVE
        rows[n].rate, rows[n].most = joint.head.rate, joint.head.most
        n += 1
    if joint.head.friction > 0.0:
        rows[n] = along[0]
        rows[n].kind = DRIVE
        rows[n].rate, rows[n].most = 0.0, joint.head.friction
        n += 1
    return n


cdef inline int spring_row(const JointData* joint, const JointRow* along,
                           JointRow* row) noexcept nogil:
    """The spring of what `along` measures; returns how many there are: 0 or 1."""
    if joint.head.stiffness <= 0.0 and joint.head.damping <= 0.0:
        return 0
    row[0] = along[0]
    row.kind = SOFT
    row.stiffness, row.damping = joint.head.stiffness, joint.head.damping
    return 1


cdef inline int extra_rows(const JointData* joint, const JointRow* along,
                           JointRow* rows) noexcept nogil:
    """Spring, limits, motor and friction of what `along` measures; returns how many there are."""
    cdef int n = spring_row(joint, along, rows)
    n += stop_rows(joint, along, &rows[n])
    return n + drive_rows(joint, along, &rows[n])
