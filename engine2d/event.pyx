"""What happened in a step: shapes that began or ceased to touch, and hits."""

from typing import NamedTuple

import numpy as np

from libc.stdint cimport int64_t
from libc.string cimport memset

from enginecore.cells cimport address
from engine2d.body cimport AWAKE, DYNAMIC
from engine2d.contact cimport SENSING, STRUCK, TOUCHING, Contact, Pair
from engine2d.narrow_phase cimport refresh

_EVENT = np.dtype([("body_a", np.int32), ("body_b", np.int32), ("shape_a", np.int32),
                   ("shape_b", np.int32), ("point", np.float64, 2), ("normal", np.float64, 2),
                   ("speed", np.float64), ("impulse", np.float64)])
if _EVENT.itemsize != sizeof(Event):
    raise ImportError("the layout of Event is not what numpy was told")


class ContactEvent(NamedTuple):
    """What a handler is called with; point, normal, speed and impulse are of hits, else zero."""

    body_a: object
    body_b: object
    shape_a: object
    shape_b: object
    point: tuple
    normal: tuple
    speed: float
    impulse: float


# ---- kernels --------------------------------------------------------------------------------

cdef bint touches(StepContext* ctx, Contact* c, bint sensing) noexcept nogil:
    """Whether a contact bore force in the step, or is closed at its end."""
    if c.sum_n > 0.0:
        return True
    refresh(&c.at, &ctx.places[c.a].pose, &ctx.places[c.b].pose)
    return c.at.gap <= (0.0 if sensing else ctx.tol.touch)


cdef void note(EventList events, BodyStore store, int64_t key) noexcept nogil:
    """Write an event of a pair."""
    cdef Event* event = &events.events[events.n]
    memset(event, 0, sizeof(Event))
    event.shape_a = <int32_t>(key >> 32)
    event.shape_b = <int32_t>(key & 0x7FFFFFFF)
    event.body_a = store.bodies[store.shapes[event.shape_a].body].id
    event.body_b = store.bodies[store.shapes[event.shape_b].body].id
    events.n += 1


cdef void look_at_pairs(StepContext* ctx, ContactStore contacts, EventStore out) noexcept nogil:
    """Begins, ends and hits among the pairs there are; marks which touch."""
    cdef int64_t k
    cdef int32_t i
    cdef Pair* pair
    cdef Contact* c
    cdef Event* event
    cdef bint now
    for k in range(contacts.n_pairs):
        pair = &contacts.pairs[k]
        if pair.n == 0 and not pair.flags & TOUCHING:
            continue
        if (pair.n > 0 and pair.flags & TOUCHING
                and not is_awake(ctx, &contacts.contacts[pair.first])):
            continue
        now = False
        for i in range(pair.first, pair.first + pair.n):
            c = &contacts.contacts[i]
            now = touches(ctx, c, (pair.flags & SENSING) != 0) or now
            if c.flags & STRUCK:
                note(out.hit, out.store, pair.key)
                event = &out.hit.events[out.hit.n - 1]
                event.point, event.normal = c.at.point, c.at.normal
                event.speed, event.impulse = c.hit_speed, c.sum_n
        if now and not pair.flags & TOUCHING:
            pair.flags |= TOUCHING
            note(out.begin, out.store, pair.key)
        elif not now and pair.flags & TOUCHING:
            pair.flags &= ~<int32_t>TOUCHING
            note(out.end, out.store, pair.key)


cdef inline bint is_awake(const StepContext* ctx, const Contact* c) noexcept nogil:
    return ((ctx.bodies[c.a].kind == DYNAMIC and ctx.bodies[c.a].flags & AWAKE)
            or (ctx.bodies[c.b].kind == DYNAMIC and ctx.bodies[c.b].flags & AWAKE))


# ---- the stores -----------------------------------------------------------------------------

cdef class EventList:

    def __cinit__(self):
        self.handlers = []
        self.reserve(64)

    cdef int reserve(self, int32_t more) except -1:
        """Make room for that many more events."""
        cdef int32_t room = self.n + more
        if room > self.room:
            new = np.zeros(2 * room * sizeof(Event), np.uint8)
            if self.n > 0:
                new[:self.n * sizeof(Event)] = self.array[:self.n * sizeof(Event)]
            self.array = new
            self.events = <Event*> address(self.array)
            self.room = 2 * room
        return 0

    cdef object copy(self):
        return self.array[:self.n * sizeof(Event)].view(_EVENT).copy()


cdef class EventStore:
    """The events of the last step, as arrays, and the handlers that are called with them.

    begin, end: two shapes began or ceased to touch. hit: they struck each other. Each is a numpy
    array with the fields body_a, body_b, shape_a, shape_b (ids) and, for hits, point (m), normal
    (from B into A), speed of approach (m/s) and impulse (N s). World.body gives the body of an id.
    """

    def __cinit__(self, BodyStore store not None):
        self.store = store
        self.begin, self.end, self.hit = EventList(), EventList(), EventList()

    @property
    def begins(self):
        """Shapes that began to touch."""
        return self.begin.copy()

    @property
    def ends(self):
        """Shapes that ceased to touch, or of which one was removed."""
        return self.end.copy()

    @property
    def hits(self):
        """Contacts that struck."""
        return self.hit.copy()

    def on_begin(self, handler):
        """Have handler(ContactEvent) called after each step for every begin; returns handler."""
        return self._add(self.begin, handler)

    def on_end(self, handler):
        """The same for ends; a removed body's handle is given as it was."""
        return self._add(self.end, handler)

    def on_hit(self, handler):
        """The same for hits."""
        return self._add(self.hit, handler)

    def remove_handler(self, handler):
        """Call a handler no more."""
        found = False
        for events in (self.begin, self.end, self.hit):
            handlers = (<EventList> events).handlers
            if handler in handlers:
                handlers.remove(handler)
                found = True
        if not found:
            raise ValueError(f"no such handler: {handler!r}")

    def _add(self, EventList events, handler):
        if not callable(handler):
            raise TypeError(f"handler must be callable, got {handler!r}")
        events.handlers.append(handler)
        return handler

    cdef int collect(self, StepContext* ctx, ContactStore contacts) except -1:
        cdef Event* event
        cdef int32_t room = <int32_t>contacts.n_pairs + len(contacts.ended)
        for events in (self.begin, self.end):
            (<EventList> events).reserve(room)
        self.hit.reserve(contacts.n)
        # pairs that are no longer candidates: one went away, or was removed
        for key, touching, body_a, body_b in contacts.ended:
            if touching:
                event = &self.end.events[self.end.n]
                memset(event, 0, sizeof(Event))
                event.shape_a, event.shape_b = key >> 32, key & 0x7FFFFFFF
                event.body_a, event.body_b = body_a, body_b
                self.end.n += 1
        contacts.ended.clear()
        with nogil:
            look_at_pairs(ctx, contacts, self)
        return 0

    cdef void clear(self) noexcept:
        """Forget the events."""
        self.begin.n = self.end.n = self.hit.n = 0

    cdef int call_handlers(self) except -1:
        """Call all handlers; the first error goes on to the caller once every one was called."""
        cdef EventList events
        error = None
        calls = []
        for item in (self.begin, self.end, self.hit):
            events = item
            if events.handlers and events.n > 0:
                calls.append((list(events.handlers), [self._told(row) for row in events.copy()]))
        self.store.forget()
        for handlers, told in calls:
            for handler in handlers:
                for event in told:
                    try:
                        handler(event)
                    except Exception as problem:
                        error = problem if error is None else error
        if error is not None:
            raise error
        return 0

    def _told(self, row):
        """An event as handlers see it."""
        return ContactEvent(
            self._body(row["body_a"]), self._body(row["body_b"]),
            self._shape(row["shape_a"]), self._shape(row["shape_b"]),
            tuple(row["point"].tolist()), tuple(row["normal"].tolist()),
            float(row["speed"]), float(row["impulse"]))

    def _body(self, id):
        return self.store.handles[id] if id >= 0 else None

    def _shape(self, id):
        return self.store.shape_objects[id]
