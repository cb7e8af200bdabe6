"""Booking a sub-step of a small island; small_books.pxd has the contract."""

from engine2d.body cimport BodyData
from engine2d.contact cimport ROLLING, Pair
from engine2d.solve.books cimport Books, book_normal, net_blows
from engine2d.solve.energy cimport inverse
from engine2d.solve.row cimport Row
from engine2d.solve.small_energy cimport kinematic_work
from engine2d.solve.sub_step cimport SubBody, SubContact
from engine2d.vec2 cimport Vec2, add, dot, scaled, sub


cdef inline double old_rate(const Row* row, const SubBody* a, const SubBody* b) noexcept nogil:
    return (row.ja[0] * a.old_v.x + row.ja[1] * a.old_v.y + row.ja[2] * a.old_w
            + row.jb[0] * b.old_v.x + row.jb[1] * b.old_v.y + row.jb[2] * b.old_w)


cdef inline double new_rate(const Row* row, const SubBody* a, const SubBody* b) noexcept nogil:
    return (row.ja[0] * a.v.x + row.ja[1] * a.v.y + row.ja[2] * a.w
            + row.jb[0] * b.v.x + row.jb[1] * b.v.y + row.jb[2] * b.w)


cdef void book_contact(SubStep* s, const SubContact* m, const Row* n, const Row* t) noexcept nogil:
    """The work of a contact's impulses on the motion of A against B."""
    cdef Books* books = &s.ctx.books
    cdef const SubBody* a = &s.bodies[m.a]
    cdef const SubBody* b = &s.bodies[m.b]
    cdef double before = old_rate(n, a, b), after = new_rate(n, a, b)
    # rows are those of mid-step: at its ends what turns them is part of the rate
    book_normal(books, n.p, before + after, before - m.turn_n, after + m.turn_n, s.threshold)
    books.friction += t.p * (0.5 * (old_rate(t, a, b) + new_rate(t, a, b)) + t.bias - m.turn_t)


cdef void book_rolling(SubStep* s, const SubContact* m) noexcept nogil:
    """The work of what resists the turning of A against B."""
    cdef const Pair* pair = &s.ctx.pairs[s.ctx.contacts[m.contact].pair]
    cdef const SubBody* a = &s.bodies[m.a]
    cdef const SubBody* b = &s.bodies[m.b]
    if pair.flags & ROLLING and pair.first == m.contact:
        s.ctx.books.friction += 0.5 * s.h * pair.roll * (a.w - b.w + a.old_w - b.old_w)


cdef void book_damping(SubStep* s, const SubBody* body, const BodyData* data) noexcept nogil:
    """The work of a body's damping: what its free velocity lacks."""
    cdef double left = 0.0 if body.waits else s.h - body.consumed
    cdef Vec2 dv = sub(body.free_v, add(body.old_v, scaled(left, body.outer)))
    cdef double dw = body.free_w - body.old_w - left * body.outer_turn
    s.ctx.books.damping += 0.5 * (
        inverse(body.inv_m) * dot(dv, add(body.old_v, body.v))
        + inverse(body.inv_I) * dw * (body.old_w + body.w))


cdef void book_way_to_blow(SubStep* s, const SubBody* body, bint damped) noexcept nogil:
    """What else than external forces accelerated a body before its blow: damping, or, as it was
    foreseen, the friction that it felt."""
    cdef double t = body.consumed
    cdef Vec2 felt = sub(body.a, body.outer)
    cdef double work = t * (
        inverse(body.inv_m) * dot(felt, sub(body.old_v, scaled(0.5 * t, body.a)))
        + inverse(body.inv_I) * (body.alpha - body.outer_turn) * (
            body.old_w - 0.5 * t * body.alpha))
    if damped:
        s.ctx.books.damping += work
    else:
        s.ctx.books.friction += work


cdef void book_short_way(SubStep* s, const SubBody* body) noexcept nogil:
    """Where something closed, bodies go by their new velocity: external forces work on less than
    the mean of both, and the blow took that."""
    cdef double left = 0.0 if body.waits else s.h - body.consumed
    s.ctx.books.impacts -= 0.5 * left * inverse(body.inv_m) * dot(
        body.outer, sub(body.v, body.old_v))


cdef void book_sub_step(SubStep* s, bint sinks) noexcept nogil:
    cdef int k
    cdef const SubBody* body
    cdef const BodyData* data
    cdef bint damped
    cdef double impacts = s.ctx.books.impacts, normal = s.ctx.books.normal
    for k in range(s.n_contacts):
        if s.rows[2 * k].p != 0.0 or s.rows[2 * k + 1].p != 0.0:
            book_contact(s, &s.contacts[k], &s.rows[2 * k], &s.rows[2 * k + 1])
        if s.ctx.has_rules:
            book_rolling(s, &s.contacts[k])
    net_blows(&s.ctx.books, impacts, normal)
    if s.ctx.has_rules or s.n_bodies > s.n_movable:
        s.ctx.books.driven += kinematic_work(s)
    for k in range(s.n_movable):
        body = &s.bodies[k]
        data = &s.ctx.bodies[body.row]
        damped = data.linear_damping > 0.0 or data.angular_damping > 0.0
        if damped:
            book_damping(s, body, data)
        if sinks:
            book_short_way(s, body)
        if body.consumed > 0.0:
            book_way_to_blow(s, body, damped)
