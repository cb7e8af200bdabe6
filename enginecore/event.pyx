"""What happened in a step: shapes that began or ceased to touch, and hits."""

from typing import NamedTuple

import numpy as np

from libc.string cimport memset

from enginecore.memory cimport address, longer_lines

from enginecore.tag import in_order, read_tags

_EVENT = np.dtype([("body_a", np.int32), ("body_b", np.int32), ("shape_a", np.int32),
                   ("shape_b", np.int32), ("point", np.float64, 3), ("normal", np.float64, 3),
                   ("speed", np.float64), ("impulse", np.float64)])
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


cdef class EventList:

    def __cinit__(self):
        self.handlers = []
        self.reserve(64)

    cdef int reserve(self, int32_t more) except -1:
        """Make room for that many more events."""
        if self.n + more > self.room:
            self.room = 2 * (self.n + more)
            self.array = longer_lines(self.array, self.room, sizeof(Event))
            self.events = <Event*> address(self.array)
        return 0

    cdef object copy(self):
        return self.array[:self.n * sizeof(Event)].copy().view(_EVENT)

    cdef Event* note(self, int32_t body_a, int32_t body_b, int64_t key) noexcept nogil:
        """A new event of a pair of shapes; there must be room."""
        cdef Event* event = &self.events[self.n]
        memset(event, 0, sizeof(Event))
        event.body_a, event.body_b = body_a, body_b
        event.shape_a = <int32_t> (key >> 32)
        event.shape_b = <int32_t> (key & 0x7FFFFFFF)
        self.n += 1
        return event


cdef class EventStore:
    """The events of the last step, as arrays, and the handlers that are called with them.

    begin, end: two shapes began or ceased to touch. hit: they struck each other. Each is a numpy
    array with the fields body_a, body_b, shape_a, shape_b (ids) and, for hits, point (m), normal
    (from B into A), speed of approach (m/s) and impulse (N s). World.body gives the body of an id.
    """

    def __cinit__(self, list bodies not None, shape_of not None, vector not None):
        self.bodies, self.shape_of, self.vector = bodies, shape_of, vector
        self.begin, self.end, self.hit = EventList(), EventList(), EventList()
        self.joint_end, self.joint_handlers = [], []

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

    @property
    def joint_ends(self):
        """Joints that broke in the last step, or were removed before it: a list of JointEnd."""
        return list(self.joint_end)

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

    def on_joint_end(self, handler):
        """Have handler(JointEnd) called after each step for every joint that is no more."""
        if not callable(handler):
            raise TypeError(f"handler must be callable, got {handler!r}")
        self.joint_handlers.append(handler)
        return handler

    def _add(self, EventList events, handler, tags):
        wanted = None if tags is None else read_tags(tags)
        if handler is None and tags is not None:
            return lambda given: self._add(events, given, tags)
        if not callable(handler):
            raise TypeError(f"handler must be callable, got {handler!r}")
        events.handlers.append((handler, wanted))
        return handler

    def remove_handler(self, handler):
        """Call a handler no more."""
        found = False
        for item in (self.begin, self.end, self.hit):
            handlers = (<EventList> item).handlers
            for entry in [entry for entry in handlers if entry[0] == handler]:
                handlers.remove(entry)
                found = True
        if handler in self.joint_handlers:
            self.joint_handlers.remove(handler)
            found = True
        if not found:
            raise ValueError(f"no such handler: {handler!r}")

    cdef void clear(self) noexcept:
        """Forget the events."""
        self.joint_end.clear()
        self.begin.n = self.end.n = self.hit.n = 0

    cdef list read_calls(self):
        """Whom to call with what, while nothing may interrupt."""
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
        body_a, body_b = self.bodies[row["body_a"]], self.bodies[row["body_b"]]
        who = (body_a, body_b, self.shape_of(row["shape_a"], body_a),
               self.shape_of(row["shape_b"], body_b))
        if not is_hit:
            return ContactEvent(*who)
        return HitEvent(*who, self.vector(row["point"]), self.vector(row["normal"]),
                        float(row["speed"]), float(row["impulse"]))
