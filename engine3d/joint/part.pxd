"""The parts that rows of joints are made of: points, axes, lines, angles; stops, motors, springs.
"""

from libc.math cimport INFINITY, M_PI, atan2, round
from libc.string cimport memset

from engine3d.joint.joint cimport (
    ACROSS, DRIVE, RIGID, SOFT, STOP, Frame, JointData, JointRow)
from engine3d.quat cimport Quat, conjugate, product
from engine3d.vec3 cimport (
    Vec3, across, add, add_scaled, apply, cross, dot, length, negated, scaled, sub, vec3)

# m: a line shorter than this has no direction of its own.
cdef extern from *:
    """
    #define ENGINE_NO_LENGTH 1e-9
    """
    double NO_LENGTH "ENGINE_NO_LENGTH"

# The two anchors in the world.
ctypedef struct Ends:
    Vec3 da    # m, from the centres of mass to the anchors
    Vec3 db
    Vec3 d     # m, from the anchor of a to that of b


cdef inline Ends ends_of(const JointData* joint, const Frame* a, const Frame* b) noexcept nogil:
    cdef Ends out
    out.da = apply(&a.r, sub(joint.anchor_a, a.center))
    out.db = apply(&b.r, sub(joint.anchor_b, b.center))
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


cdef inline void put(double* j, Vec3 push, Vec3 turn) noexcept nogil:
    j[0], j[1], j[2] = push.x, push.y, push.z
    j[3], j[4], j[5] = turn.x, turn.y, turn.z


cdef inline void along_row(const Ends* at, Vec3 n, int kind, JointRow* row) noexcept nogil:
    """How far the anchor of b is from that of a along n, a direction of the world."""
    clear_row(row, kind)
    put(row.ja, negated(n), negated(cross(at.da, n)))
    put(row.jb, n, cross(at.db, n))
    row.C = dot(n, at.d)
    row.arm_a, row.arm_b = at.da, at.db


cdef inline void point_rows(const Ends* at, JointRow* rows) noexcept nogil:
    """Three rows: the anchors are one point."""
    along_row(at, vec3(1.0, 0.0, 0.0), RIGID, &rows[0])
    along_row(at, vec3(0.0, 1.0, 0.0), RIGID, &rows[1])
    along_row(at, vec3(0.0, 0.0, 1.0), RIGID, &rows[2])


cdef inline void axis_row(const Ends* at, Vec3 n, int kind, JointRow* row) noexcept nogil:
    """How far the anchor of b is from that of a along n, a direction that turns with a."""
    along_row(at, n, kind, row)
    row.arm_a = add(at.da, at.d)
    put(row.ja, negated(n), negated(cross(row.arm_a, n)))


cdef inline Quat turn_of(const JointData* joint, const Frame* a, const Frame* b) noexcept nogil:
    """How b is turned against a, in the frame of a, from what counts as none."""
    return product(product(conjugate(a.q), b.q), conjugate(joint.turn))


cdef inline void turn_rows(const JointData* joint, const Frame* a, const Frame* b, int kind,
                           JointRow* rows) noexcept nogil:
    """Three rows: b is not turned against a. C is twice the vector part of the quaternion."""
    cdef Quat q = turn_of(joint, a, b)
    cdef Vec3 v = vec3(q.x, q.y, q.z), e, g
    cdef double w = q.w
    cdef int k
    if w < 0.0:
        w, v = -w, negated(v)
    for k in range(3):
        e = vec3(1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
        g = apply(&a.r, add(scaled(w, e), cross(v, e)))
        clear_row(&rows[k], kind)
        put(rows[k].ja, vec3(0.0, 0.0, 0.0), negated(g))
        put(rows[k].jb, vec3(0.0, 0.0, 0.0), g)
        rows[k].C = 2.0 * dot(v, e)


cdef inline void tilt_rows(const JointData* joint, const Frame* a, const Frame* b,
                           JointRow* rows) noexcept nogil:
    """Two rows: the axis of b is along that of a."""
    cdef Vec3 u = apply(&b.r, joint.axis_b), n, g
    cdef int k
    for k in range(2):
        n = across(joint.axis)
        if k == 1:
            n = cross(joint.axis, n)
        n = apply(&a.r, n)
        g = cross(u, n)
        clear_row(&rows[k], RIGID)
        put(rows[k].ja, vec3(0.0, 0.0, 0.0), negated(g))
        put(rows[k].jb, vec3(0.0, 0.0, 0.0), g)
        rows[k].C = dot(n, u)


cdef inline double twist_row(const JointData* joint, const Frame* a, const Frame* b, int kind,
                             JointRow* row) noexcept nogil:
    """How far b is turned against a about the axis; turns count. Returns that angle (rad)."""
    cdef Quat q = turn_of(joint, a, b)
    cdef Vec3 v = vec3(q.x, q.y, q.z), n = joint.axis, g
    cdef double s = dot(v, n), size = q.w * q.w + s * s, angle = 2.0 * atan2(s, q.w)
    if size > 1e-20:
        g = scaled(1.0 / size, add_scaled(scaled(q.w, add(scaled(q.w, n), cross(v, n))), s, v))
    else:
        g = n
    g = apply(&a.r, g)
    clear_row(row, kind)
    put(row.ja, vec3(0.0, 0.0, 0.0), negated(g))
    put(row.jb, vec3(0.0, 0.0, 0.0), g)
    angle += 2.0 * M_PI * round((joint.head.held - angle) / (2.0 * M_PI))
    row.C = angle
    return angle


cdef inline double line_rows(const Ends* at, int kind, JointRow* rows) noexcept nogil:
    """The distance of the anchors, and two ways across; returns the distance. C is that distance.
    """
    cdef double long = length(at.d)
    cdef Vec3 u = scaled(1.0 / long, at.d) if long > NO_LENGTH else vec3(1.0, 0.0, 0.0), n
    cdef int k
    along_row(at, u, kind, &rows[0])
    rows[0].C = long
    n = across(u)
    for k in range(1, 3):
        along_row(at, n, ACROSS, &rows[k])
        rows[k].C = 0.0
        rows[k].bend = 1.0 / long if long > NO_LENGTH else 0.0
        n = cross(u, n)
    return long


cdef inline void reverse_row(JointRow* row) noexcept nogil:
    """The same condition with the other sign."""
    cdef int k
    for k in range(6):
        row.ja[k] = -row.ja[k]
        row.jb[k] = -row.jb[k]
    row.C = -row.C


cdef inline int extra_rows(const JointData* joint, const JointRow* along,
                           JointRow* rows) noexcept nogil:
    """Spring, limits, motor and friction of what `along` measures; returns how many there are."""
    cdef int n = 0
    if joint.head.stiffness > 0.0 or joint.head.damping > 0.0:
        rows[n] = along[0]
        rows[n].kind = SOFT
        rows[n].stiffness, rows[n].damping = joint.head.stiffness, joint.head.damping
        n += 1
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
