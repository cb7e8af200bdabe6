"""What happened in a step: shapes that began or ceased to touch, and hits."""

from typing import NamedTuple

import numpy as np

from libc.stdint cimport int64_t
from libc.string cimport memset

from enginecore.memory cimport address
from engine2d.body cimport AWAKE, DYNAMIC
from engine2d.body_shape cimport shape_of
from engine2d.contact cimport IGNORED, SENSING, STRUCK, TOUCHING, VOID, Contact, Pair
from engine2d.solve.crossing cimport was_crossed
from engine2d.collide.facing cimport faces, nearest_gap
from engine2d.collide.narrow_phase cimport refresh
from engine2d.pose cimport Pose

from engine2d.shape import read_tag
from engine2d.vector import Vec2 as Vector

_EVENT = np.dtype([("body_a", np.int32), ("body_b", np.int32), ("shape_a", np.int32),
                   ("shape_b", np.int32), ("point", np.float64, 2), ("normal", np.float64, 2),
                   ("speed", np.float64), ("impulse", np.float64), ("time", np.float64),
                   ("friction", np.float64), ("loss", np.float64), ("settles", np.float64),
                   ("branch", np.int32), ("unused", np.int32)])
# What contacts did under advance: (time, what, body_a, body_b, point); see EventStore.changes.
_CHANGE = np.dtype([("time", np.float64), ("what", "U8"), ("body_a", np.int32),
                    ("body_b", np.int32), ("point", np.float64, 2)])
if _EVENT.itemsize != sizeof(Event):
    raise ImportError("the layout of Event is not what numpy was told")


class ContactEvent(NamedTuple):
    """What handlers of begins and ends are called with; there is no one point to these."""

    body_a: object
    body_b: object
    shape_a: object
    shape_b: object
    point: object = None
    normal: object = None
    speed: float = 0.0
    impulse: float = 0.0


class HitEvent(NamedTuple):
    """What handlers of hits are called with.

    point (m); normal (unit, from B into A); speed (m/s) of approach; impulse (N s) of the contact
    in the whole step.
    """

    body_a: object
    body_b: object
    shape_a: object
    shape_b: object
    point: object
    normal: object
    speed: float
    impulse: float


class JointEnd(NamedTuple):
    """A joint that is no more; reason: removed, body removed or broken."""

    joint: object
    reason: str


# ---- kernels --------------------------------------------------------------------------------

cdef bint touches(StepContext* ctx, Contact* c, bint sensing) noexcept nogil:
    """Whether a contact bore force in the step, or is closed at its end. What closed beyond the
    ends of its features is void, unless others of its shapes are closed."""
    cdef const Pose* pa = &ctx.places[c.a].pose
    cdef const Pose* pb = &ctx.places[c.b].pose
    cdef double most = 0.0 if sensing else ctx.tol.touch
    if c.sum_n > 0.0:
        return True
    refresh(&c.at, pa, pb)
    if c.at.gap > most:
        return False
    c.is_void = 0 if faces(ctx, c, pa, pb) or nearest_gap(ctx, c, pa, pb) <= most else VOID
    return not c.is_void


cdef void note(EventList events, BodyStore store, int64_t key) noexcept nogil:
    """Write an event of a pair."""
    cdef Event* event = &events.events[events.n]
    memset(event, 0, sizeof(Event))
    event.shape_a = <int32_t>(key >> 32)
    event.shape_b = <int32_t>(key & 0x7FFFFFFF)
    event.body_a = store.bodies[store.shapes[event.shape_a].body].id
    event.body_b = store.bodies[store.shapes[event.shape_b].body].id
    events.n += 1


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
        if not now and pair.flags & SENSING and not pair.flags & (IGNORED | TOUCHING):
            now = was_crossed(ctx, log, &out.store.shapes[pair.key >> 32],
                              &out.store.shapes[pair.key & 0x7FFFFFFF])
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
        self.joint_end, self.joint_handlers = [], []
        self.changes = np.zeros(0, _CHANGE)

    @property
    def begins(self):
        """Shapes that began to touch."""
        self.store.check_idle("events")
        return self.begin.copy()

    @property
    def ends(self):
        """Shapes that ceased to touch, or of which one was removed."""
        self.store.check_idle("events")
        return self.end.copy()

    @property
    def hits(self):
        """Contacts that struck."""
        self.store.check_idle("events")
        return self.hit.copy()

    @property
    def joint_ends(self):
        """Joints that broke in the last step, or were removed before it: a list of JointEnd."""
        return list(self.joint_end)

    def on_joint_end(self, handler):
        """Have handler(JointEnd) called after each step for every joint that is no more."""
        if not callable(handler):
            raise TypeError(f"handler must be callable, got {handler!r}")
        self.joint_handlers.append(handler)
        return handler

    def on_begin(self, handler=None, *, tags=None):
        """Have handler(ContactEvent) called after each step for every begin; returns handler.

        tags=(a, b): only for shapes with these tags, A and B in this order; None: any shape.
        """
        return self._add(self.begin, handler, tags)

    def on_end(self, handler=None, *, tags=None):
        """The same for ends; a removed body's handle is given as it was."""
        return self._add(self.end, handler, tags)

    def on_hit(self, handler=None, *, tags=None):
        """The same for hits, with a HitEvent."""
        return self._add(self.hit, handler, tags)

    def remove_handler(self, handler):
        """Call a handler no more."""
        found = False
        for events in (self.begin, self.end, self.hit):
            handlers = (<EventList> events).handlers
            for entry in [entry for entry in handlers if entry[0] == handler]:
                handlers.remove(entry)
                found = True
        if handler in self.joint_handlers:
            self.joint_handlers.remove(handler)
            found = True
        if not found:
            raise ValueError(f"no such handler: {handler!r}")

    def _add(self, EventList events, handler, tags):
        wanted = None if tags is None else read_tags(tags)
        if handler is None and tags is not None:
            return lambda given: self._add(events, given, tags)
        if not callable(handler):
            raise TypeError(f"handler must be callable, got {handler!r}")
        events.handlers.append((handler, wanted))
        return handler

    cdef int collect(self, StepContext* ctx, ContactStore contacts, WayLog log) except -1:
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
            look_at_pairs(ctx, contacts, log, self)
        return 0

    cdef int collect_joints(self, JointStore joints) except -1:
        for joint, reason in joints.ended:
            self.joint_end.append(JointEnd(joint, reason))
        joints.ended.clear()
        self.joint_store = joints
        return 0

    cdef void clear(self) noexcept:
        """Forget the events."""
        self.joint_end.clear()
        self.begin.n = self.end.n = self.hit.n = 0
        if len(self.changes) > 0:
            self.changes = self.changes[:0]

    cdef list read_calls(self):
        """Whom to call with what; the ids of removed bodies are free from here on."""
        cdef EventList events
        calls = []
        for item in (self.begin, self.end, self.hit):
            events = item
            if events.handlers and events.n > 0:
                calls.append((list(events.handlers), [self._told(row, events is self.hit)
                                                      for row in events.copy()]))
        if self.joint_handlers and self.joint_end:
            calls.append(([(handler, None) for handler in self.joint_handlers],
                          list(self.joint_end)))
        self.store.table.forget()
        if self.joint_store is not None:
            self.joint_store.table.forget()
        return calls

    cdef int call_handlers(self, list calls) except -1:
        """Call all handlers; the first error goes on to the caller once every one was called."""
        error = None
        for handlers, told in calls:
            for handler, tags in handlers:
                for event in told if tags is None else in_order(told, tags):
                    try:
                        handler(event)
                    except Exception as problem:
                        error = problem if error is None else error
        if error is not None:
            raise error
        return 0

    def _told(self, row, is_hit):
        """An event as handlers see it."""
        body_a, body_b = self._body(row["body_a"]), self._body(row["body_b"])
        who = (body_a, body_b, self._shape(row["shape_a"], body_a),
               self._shape(row["shape_b"], body_b))
        if not is_hit:
            return ContactEvent(*who)
        return HitEvent(*who, Vector(row["point"]), Vector(row["normal"]), float(row["speed"]),
                        float(row["impulse"]))

    def _body(self, id):
        return self.store.table.handles[id] if id >= 0 else None

    def _shape(self, id, body):
        return shape_of(self.store, id, body)


def read_tags(tags):
    """Two tags at the door; None stands for any."""
    if not isinstance(tags, (tuple, list)) or len(tags) != 2:
        raise ValueError(f"tags must be two tags (a, b), got {tags!r}")
    return tuple([None if tag is None else read_tag(tag) for tag in tags])


def in_order(told, tags):
    """The events between shapes of two tags, turned so that A has the first."""
    first, second = tags
    for event in told:
        a, b = event.shape_a.tag, event.shape_b.tag
        if (first is None or a == first) and (second is None or b == second):
            yield event
        elif (first is None or b == first) and (second is None or a == second):
            yield event._replace(
                body_a=event.body_b, body_b=event.body_a, shape_a=event.shape_b,
                shape_b=event.shape_a, normal=None if event.normal is None else -event.normal)
