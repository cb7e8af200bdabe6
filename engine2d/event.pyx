"""What happened in a step: shapes that began or ceased to touch, and hits."""

import numpy as np

from libc.math cimport INFINITY
from libc.stdint cimport int64_t
from libc.string cimport memcpy

from enginecore.hit cimport Hit
from enginecore.pair_table cimport high_of, low_of
from engine2d.body cimport AWAKE, DYNAMIC
from enginecore.body_shape cimport shape_of
from engine2d.contact cimport ASLEEP, IGNORED, SENSING, STRUCK, TOUCHING, VOID, Contact, Pair
from engine2d.solve.crossing cimport was_crossed
from engine2d.collide.facing cimport faces, nearest_gap
from engine2d.collide.narrow_phase cimport Touch, refresh
from engine2d.pose cimport Pose, rotate
from engine2d.vec2 cimport Vec2, add, dot, sub

from enginecore.event import ContactEvent, HitEvent, JointEnd  # no-cython-lint
from engine2d.vector import Vec2 as Vector

# Of a squared distance: what rounding may change of it.
cdef double APART = 1e-12

# What contacts did under advance: (time, what, body_a, body_b, point); see EventStore.changes.
_CHANGE = np.dtype([("time", np.float64), ("what", "U8"), ("body_a", np.int32),
                    ("body_b", np.int32), ("point", np.float64, 2)])


# ---- kernels --------------------------------------------------------------------------------

cdef inline bint are_apart(const Touch* at, const Pose* pa, const Pose* pb,
                           double most) noexcept nogil:
    """Whether two outer circles are farther apart than `most` (m) beyond rounding: no more has to
    be known of them."""
    cdef Vec2 apart
    cdef double reach = at.r1 + at.r2 + most
    if not (at.r1 >= 0.0 and at.r2 >= 0.0 and reach < INFINITY):
        return False
    apart = add(sub(pa.p, pb.p), sub(rotate(pa.q, at.c1), rotate(pb.q, at.c2)))
    return dot(apart, apart) > (1.0 + APART) * reach * reach


cdef bint touches(StepContext* ctx, Contact* c, bint sensing) noexcept nogil:
    """Whether a contact bore force in the step, or is closed at its end. What closed beyond the
    ends of its features is void, unless others of its shapes are closed."""
    cdef const Pose* pa = &ctx.places[c.a].pose
    cdef const Pose* pb = &ctx.places[c.b].pose
    cdef double most = 0.0 if sensing else ctx.tol.touch
    if c.sum_n > 0.0:
        return True
    if are_apart(&c.at, pa, pb, most):
        return False
    refresh(&c.at, pa, pb)
    if c.at.gap > most:
        return False
    c.is_void = 0 if faces(ctx, c, pa, pb) or nearest_gap(ctx, c, pa, pb) <= most else VOID
    return not c.is_void


cdef void look_at_pairs(StepContext* ctx, ContactStore contacts, WayLog log,
                        EventStore out) noexcept nogil:
    """Begins, ends and hits among the pairs there are; marks which touch."""
    cdef int64_t k
    cdef int32_t i
    cdef Pair* pair
    cdef Contact* c
    cdef Event* event
    cdef bint now
    for k in range(contacts.n_pairs):
        pair = &contacts.pairs[k]
        if pair.n == 0 and not pair.flags & (TOUCHING | SENSING):
            continue
        if (pair.n > 0 and pair.flags & TOUCHING
                and (pair.flags & SENSING or contacts.contacts[pair.first].flags & ASLEEP)
                and not is_awake(ctx, &contacts.contacts[pair.first])):
            # others were looked at because somebody was awake, and woke whom they push
            continue
        now = False
        for i in range(pair.first, pair.first + pair.n):
            c = &contacts.contacts[i]
            now = touches(ctx, c, (pair.flags & SENSING) != 0) or now
            if c.flags & STRUCK:
                event = note(out.hit, out.store, pair.key)
                tell_hit(ctx, c, event)
        if not now and pair.flags & SENSING and not pair.flags & (IGNORED | TOUCHING):
            now = was_crossed(ctx, log, &out.store.shapes[low_of(pair.key)],
                              &out.store.shapes[high_of(pair.key)])
        if now and not pair.flags & TOUCHING:
            pair.flags |= TOUCHING
            note(out.begin, out.store, pair.key)
        elif not now and pair.flags & TOUCHING:
            pair.flags &= ~<int32_t>TOUCHING
            note(out.end, out.store, pair.key)


cdef inline void tell_hit(const StepContext* ctx, const Contact* c, Event* event) noexcept nogil:
    """Where and how fast a contact was struck; without a note of it, where it is now."""
    cdef const Hit* hit
    event.impulse = c.sum_n
    if not 0 < c.hit <= ctx.hits.n:
        memcpy(event.point, &c.at.point, 2 * sizeof(double))
        memcpy(event.normal, &c.at.normal, 2 * sizeof(double))
        return
    hit = &ctx.hits.hits[c.hit - 1]
    memcpy(event.point, hit.point, 2 * sizeof(double))
    memcpy(event.normal, hit.normal, 2 * sizeof(double))
    event.speed = hit.speed


cdef inline bint is_awake(const StepContext* ctx, const Contact* c) noexcept nogil:
    return ((ctx.bodies[c.a].kind == DYNAMIC and ctx.bodies[c.a].flags & AWAKE)
            or (ctx.bodies[c.b].kind == DYNAMIC and ctx.bodies[c.b].flags & AWAKE))


cdef inline Event* note(EventList events, BodyStore store, int64_t key) noexcept nogil:
    """Write an event of a pair."""
    return events.note(store.bodies[store.shapes[low_of(key)].body].id,
                       store.bodies[store.shapes[high_of(key)].body].id, key)


# ---- the store ------------------------------------------------------------------------------

cdef class EventStore(Events):
    """The events of the last step, as arrays, and the handlers that are called with them.

    begin, end: two shapes began or ceased to touch. hit: they struck each other. Each is a numpy
    array with the fields body_a, body_b, shape_a, shape_b (ids) and, for hits, point (m), normal
    (from B into A), speed of approach (m/s) and impulse (N s). World.body gives the body of an id.
    """

    def __cinit__(self, BodyStore store not None):
        self.prepare(store.table.handles, store.shape_objects, Vector, 2, "branch")
        self.store = store
        self.changes = np.zeros(0, _CHANGE)

    def __init__(self, store):
        pass

    cdef int check_idle(self) except -1:
        return self.store.check_idle("events")

    cdef object shape_of_id(self, int32_t id, object body):
        return shape_of(self.store, id, body)

    cdef int collect(self, StepContext* ctx, ContactStore contacts, WayLog log) except -1 nogil:
        self.reserve(<int32_t>contacts.n_pairs + contacts.ended.n, contacts.n)
        # pairs that are no longer candidates: one went away, or was removed
        self.note_ended(&contacts.ended)
        look_at_pairs(ctx, contacts, log, self)
        return 0

    cdef void clear(self) noexcept:
        Events.clear(self)
        if len(self.changes) > 0:
            self.changes = self.changes[:0]
