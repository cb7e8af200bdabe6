"""What happened in a step: shapes that began or ceased to touch, and hits."""

from typing import NamedTuple

import numpy as np

from libc.string cimport memset

from enginecore.memory cimport address, longer_lines

_EVENT = np.dtype([("body_a", np.int32), ("body_b", np.int32), ("shape_a", np.int32),
                   ("shape_b", np.int32), ("point", np.float64, 3), ("normal", np.float64, 3),
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

    def __cinit__(self, list bodies not None, list shapes not None):
        self.bodies, self.shapes = bodies, shapes
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
        """The same for every end."""
        return self._add(self.end, handler)

    def on_hit(self, handler):
        """The same for every hit."""
        return self._add(self.hit, handler)

    def _add(self, EventList events, handler):
        if not callable(handler):
            raise TypeError(f"handler must be callable, got {handler!r}")
        events.handlers.append(handler)
        return handler

    def remove_handler(self, handler):
        """Call a handler no more."""
        found = False
        for item in (self.begin, self.end, self.hit):
            if handler in (<EventList> item).handlers:
                (<EventList> item).handlers.remove(handler)
                found = True
        if not found:
            raise ValueError(f"handler must have been added, got {handler!r}")

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
            self.bodies[row["body_a"]], self.bodies[row["body_b"]],
            self.shapes[row["shape_a"]], self.shapes[row["shape_b"]],
            tuple(row["point"].tolist()), tuple(row["normal"].tolist()),
            float(row["speed"]), float(row["impulse"]))
