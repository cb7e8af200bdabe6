"""What happened in a step: shapes that began or ceased to touch, and hits."""

from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy

from enginecore.body_head cimport AWAKE
from enginecore.event cimport Event
from engine3d.collide.narrow_phase cimport refresh
from engine3d.contact cimport SENSING, STRUCK, TOUCHING, Contact, Pair, place_of_blow
from engine3d.vec3 cimport Vec3


cdef bint touches(StepContext* ctx, const Pair* pair, Contact* c) noexcept nogil:
    """Whether a contact bore force in the step, is closed at its end, or was and is in touch."""
    if c.sum_n > 0.0:
        return True
    refresh(&c.at, &ctx.places[pair.a].pose, &ctx.places[pair.b].pose)
    if pair.flags & SENSING:
        return c.at.gap <= 0.0
    return c.at.gap <= (ctx.tol.touch if pair.flags & TOUCHING else ctx.tol.closed)


cdef void look_at_pairs(StepContext* ctx, EventStore out) noexcept nogil:
    """Begins, ends and hits among the pairs there are; marks which touch."""
    cdef int64_t k
    cdef int32_t i
    cdef Pair* pair
    cdef Contact* c
    cdef Event* event
    cdef Vec3 point, normal
    cdef bint now
    for k in range(ctx.n_pairs):
        pair = &ctx.pairs[k]
        if pair.n == 0 and not pair.flags & TOUCHING and pair.gone.sum_n == 0.0:
            continue
        if pair.n > 0 and pair.flags & TOUCHING and not (
                (ctx.heads[pair.a].flags | ctx.heads[pair.b].flags) & AWAKE):
            continue
        now = pair.gone.sum_n > 0.0
        if pair.gone.speed > 0.0:
            event = out.hit.note(pair.body_a, pair.body_b, pair.key)
            memcpy(event.point, &pair.gone.point, 3 * sizeof(double))
            memcpy(event.normal, &pair.gone.normal, 3 * sizeof(double))
            event.speed, event.impulse = pair.gone.speed, pair.gone.sum_n
        for i in range(pair.first, pair.first + pair.n):
            c = &ctx.contacts[i]
            now = touches(ctx, pair, c) or now
            if c.flags & STRUCK:
                event = out.hit.note(pair.body_a, pair.body_b, pair.key)
                place_of_blow(ctx, c, &point, &normal)
                memcpy(event.point, &point, 3 * sizeof(double))
                memcpy(event.normal, &normal, 3 * sizeof(double))
                event.speed, event.impulse = c.hit_speed, c.sum_n
        if now and not pair.flags & TOUCHING:
            pair.flags |= TOUCHING
            out.begin.note(pair.body_a, pair.body_b, pair.key)
        elif not now and pair.flags & TOUCHING:
            pair.flags &= ~<int32_t> TOUCHING
            out.end.note(pair.body_a, pair.body_b, pair.key)


cdef int collect(StepContext* ctx, ContactStore contacts, EventStore out) except -1 nogil:
    out.reserve(<int32_t> contacts.n_pairs + contacts.ended.n,
                <int32_t> (contacts.n_slots + contacts.n_pairs))
    # pairs that are no longer candidates: one went away, or was removed
    out.note_ended(&contacts.ended)
    look_at_pairs(ctx, out)
    return 0
