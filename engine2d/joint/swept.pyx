"""Contacts that are swept around joints; swept.pxd has the contract."""

from libc.math cimport M_PI
from libc.stdint cimport int32_t

from enginecore.scalar cimport greater, lesser
from engine2d.collide.narrow_phase cimport refresh
from engine2d.contact cimport OLD, Contact, keep_forces
from engine2d.joint.assembly_step cimport LinkMemory
from engine2d.joint.joint cimport Frame
from engine2d.pose cimport Pose, rotate
from engine2d.solve.books cimport Books, book_normal, net_blows
from engine2d.solve.energy cimport inverse
from engine2d.solve.hit cimport mark_struck
from engine2d.vec2 cimport Vec2, cross, sub, vec2

# Contacts that are swept give as springs of this frequency and damping ratio do, but no faster than
# this share of a sub-step can follow; overlaps are pushed apart no faster than PUSH_SPEED.
cdef double CONTACT_HERTZ = 60.0
cdef double CONTACT_DAMPING = 10.0
cdef double CONTACT_SHARE = 1.5
cdef double PUSH_SPEED = 3.0     # m/s


cdef double rate_at(const Row* row, const Rider* a, const Rider* b) noexcept nogil:
    return (row.ja[0] * a.v.x + row.ja[1] * a.v.y + row.ja[2] * a.w
            + row.jb[0] * b.v.x + row.jb[1] * b.v.y + row.jb[2] * b.w)


cdef inline Pose pose_of(const Frame* frame) noexcept nogil:
    cdef Pose out
    out.q = frame.q
    out.p = sub(frame.x, rotate(frame.q, frame.center))
    return out


cdef void look_at(Linked* s, Swept* t, Row* rows) noexcept nogil:
    cdef Contact* c = &s.ctx.contacts[t.contact]
    cdef Pose pa = pose_of(&s.m.riders[t.a].start), pb = pose_of(&s.m.riders[t.b].start)
    refresh(&c.at, &pa, &pb)
    write_rates(s, t, rows)


cdef inline void write_rates(Linked* s, Swept* t, Row* rows) noexcept nogil:
    """The rates of a contact's two rows, as it was last looked at."""
    cdef const Contact* c = &s.ctx.contacts[t.contact]
    cdef const Rider* a = &s.m.riders[t.a]
    cdef const Rider* b = &s.m.riders[t.b]
    cdef Vec2 ra, rb, N = c.at.normal
    cdef Row* row
    cdef int k
    t.gap = c.at.gap
    ra, rb = sub(c.at.point, a.start.x), sub(c.at.point, b.start.x)
    for k in range(2):
        row = &rows[k]
        row.ja[0], row.ja[1], row.ja[2] = N.x, N.y, cross(ra, N)
        row.jb[0], row.jb[1], row.jb[2] = -N.x, -N.y, -cross(rb, N)
        row.a, row.b, row.mu, row.soft, row.bias = t.a, t.b, c.mu, 0.0, 0.0
        N = vec2(-N.y, N.x)


cdef inline double response(const Row* row, const Motion* a, const Motion* b) noexcept nogil:
    """J M^-1 Jt (1/kg): normals and tangents are unit vectors."""
    return a.inv_m + b.inv_m + a.inv_I * row.ja[2] * row.ja[2] + b.inv_I * row.jb[2] * row.jb[2]


cdef void prepare_contacts(Linked* s, bint first, bint fresh, bint written) noexcept nogil:
    cdef int32_t k
    cdef Swept* t
    cdef Row* rows
    cdef Contact* c
    cdef double gap, w = lesser(2.0 * M_PI * CONTACT_HERTZ, CONTACT_SHARE / s.h)
    cdef double a = s.h * w * (2.0 * CONTACT_DAMPING + s.h * w)
    for k in range(s.n_swept):
        t = &s.m.swept[k]
        c = &s.ctx.contacts[t.contact]
        rows = &s.m.rows[s.n_rows + 2 * k]
        if fresh:
            write_rates(s, t, rows)
        elif not written:
            look_at(s, t, rows)
        gap = t.gap
        if first:
            t.rate = rate_at(&rows[0], &s.m.riders[t.a], &s.m.riders[t.b])
        rows[0].p, rows[1].p = s.h * c.fn, s.h * c.ft
        t.soft = 0.0
        if gap > 0.0:
            rows[0].bias = gap / s.h
        else:
            rows[0].bias = greater(gap * w / (2.0 * CONTACT_DAMPING + s.h * w),
                                   -PUSH_SPEED * s.ctx.root)
            t.soft = 1.0 / a


cdef void weigh_contacts(Linked* s) noexcept nogil:
    cdef LinkMemory* m = s.m
    cdef int32_t k
    cdef Swept* t
    cdef Row* rows
    cdef const Motion* a
    cdef const Motion* b
    for k in range(s.n_swept):
        t, rows = &m.swept[k], &m.rows[s.n_rows + 2 * k]
        a, b = &m.motions[t.a], &m.motions[t.b]
        t.d, t.across = response(&rows[0], a, b), response(&rows[1], a, b)
        rows[0].soft = t.soft * t.d
        t.mass = inverse(t.d + rows[0].soft)
        t.mass_across = inverse(t.across)


cdef double sweep_contacts(Linked* s) noexcept nogil:
    cdef LinkMemory* m = s.m
    cdef int32_t k
    cdef const Swept* c
    cdef Row* n
    cdef Row* t
    cdef Motion* a
    cdef Motion* b
    cdef double p, most, worst = 0.0
    for k in range(s.n_swept):
        c, n, t = &m.swept[k], &m.rows[s.n_rows + 2 * k], &m.rows[s.n_rows + 2 * k + 1]
        if c.heavy >= 0:
            continue
        a, b = &m.motions[c.a], &m.motions[c.b]
        most = n.mu * n.p
        if most > 0.0 or t.p != 0.0:
            p = t.p - slip(t, a, b) * c.mass_across
            worst = greater(worst, change(t, greater(lesser(p, most), -most), c.across, a, b))
        p = n.p - (slip(n, a, b) + n.bias + n.soft * n.p) * c.mass
        worst = greater(worst, change(n, greater(p, 0.0), c.d, a, b))
    return worst


cdef inline double rate_of_motion(const Row* row, const Motion* a,
                                  const Motion* b) noexcept nogil:
    return (row.ja[0] * a.v.x + row.ja[1] * a.v.y + row.ja[2] * a.w
            + row.jb[0] * b.v.x + row.jb[1] * b.v.y + row.jb[2] * b.w)


cdef inline double side_work(const Row* rows, const double* n, const double* t,
                             const Rider* body) noexcept nogil:
    """J, that a contact's impulses do on a body that moves by itself."""
    return (rows[0].p * (n[0] * body.v.x + n[1] * body.v.y + n[2] * body.w)
            + rows[1].p * (t[0] * body.v.x + t[1] * body.v.y + t[2] * body.w))


cdef void take_contact(Linked* s, const Swept* t, const Row* rows) noexcept nogil:
    cdef Contact* c = &s.ctx.contacts[t.contact]
    cdef const Rider* body = &s.m.riders[t.a]
    if not body.movable:
        s.work -= side_work(rows, rows[0].ja, rows[1].ja, body)
    body = &s.m.riders[t.b]
    if not body.movable:
        s.work -= side_work(rows, rows[0].jb, rows[1].jb, body)
    keep_forces(c, rows[0].p, rows[1].p, s.h, s.whole_h)
    c.sum_n += rows[0].p
    c.sum_t += rows[1].p
    if rows[0].p > 0.0 and -t.rate > threshold(s) and not c.flags & OLD:
        mark_struck(s.ctx.hits, c, -t.rate, c.at.point, c.at.normal)


cdef void book_contacts(Linked* s) noexcept nogil:
    cdef LinkMemory* m = s.m
    cdef Books* books = &s.ctx.books
    cdef int32_t k
    cdef double before, after, impacts = books.impacts, normal = books.normal
    cdef const Row* row
    for k in range(2 * s.n_swept):
        row = &m.rows[s.n_rows + k]
        if row.p == 0.0:
            continue
        before = rate_at(row, &m.riders[row.a], &m.riders[row.b])
        after = rate_of_motion(row, &m.motions[row.a], &m.motions[row.b])
        if k % 2 == 0:
            book_normal(books, row.p, before + after, before, after, threshold(s))
        else:
            books.friction += 0.5 * row.p * (before + after)
        if not m.riders[row.a].movable:
            books.driven -= row.p * side_of(row.ja, &m.riders[row.a])
        if not m.riders[row.b].movable:
            books.driven -= row.p * side_of(row.jb, &m.riders[row.b])
    net_blows(books, impacts, normal)


cdef inline double side_of(const double* j, const Rider* body) noexcept nogil:
    return j[0] * body.v.x + j[1] * body.v.y + j[2] * body.w
