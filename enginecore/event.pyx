"""What happened in a step: shapes that began or ceased to touch, hits, and joints that ended."""

from typing import NamedTuple

import numpy as np

from libc.string cimport memset

from enginecore.memory cimport address, longer_lines
from enginecore.pair_table cimport high_of, low_of

from enginecore.arguments import read_tag

# How users see an event: its fields in the order of the struct.
cdef list FIELDS = [("body_a", np.int32), ("body_b", np.int32), ("shape_a", np.int32),
                    ("shape_b", np.int32), ("point", np.float64, 3), ("normal", np.float64, 3),
                    ("speed", np.float64), ("impulse", np.float64), ("time", np.float64),
                    ("friction", np.float64), ("loss", np.float64), ("settles", np.float64),
                    ("branch", np.int32), ("unused", np.int32)]
_EVENT = np.dtype(FIELDS)
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

    point (m) and normal (unit, from B into A) at the moment of the blow, of several in the step the
    fastest; speed (m/s) of approach; impulse (N s) of the contact in the whole step.
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


def event_dtype(axes, last):
    """Events of a world with so many axes, up to the field `last`."""
    names = [field[0] for field in FIELDS][:[field[0] for field in FIELDS].index(last) + 1]
    formats = [(np.float64, axes) if name in ("point", "normal") else _EVENT.fields[name][0]
               for name in names]
    return np.dtype({"names": names, "formats": formats, "itemsize": sizeof(Event),
                     "offsets": [_EVENT.fields[name][1] for name in names]})


cdef class EventList:

    def __cinit__(self, dtype not None):
        self.handlers = []
        self.dtype = dtype
        self.reserve(64)

    cdef int reserve(self, int32_t more) except -1 nogil:
        """Make room for that many more events."""
        return self.grow(2 * (self.n + more)) if self.n + more > self.room else 0

    cdef int grow(self, int32_t room) except -1 with gil:
        self.array = longer_lines(self.array, room, sizeof(Event))
        self.events = <Event*> address(self.array)
        self.room = room
        return 0

    cdef object copy(self):
        return self.array[:self.n * sizeof(Event)].copy().view(self.dtype)

    cdef Event* note(self, int32_t body_a, int32_t body_b, int64_t key) noexcept nogil:
        cdef Event* event = &self.events[self.n]
        memset(event, 0, sizeof(Event))
        event.body_a, event.body_b = body_a, body_b
        event.shape_a = low_of(key)
        event.shape_b = high_of(key)
        self.n += 1
        return event


cdef bint is_among(object entry, list entries) except -1:
    """Whether an entry is one of them, itself."""
    for other in entries:
        if other is entry:
            return True
    return False


cdef class EventStore:
    """The events of the last step, as arrays, and the handlers that are called with them.

    begin, end: two shapes began or ceased to touch. hit: they struck each other. Each is a numpy
    array with the fields body_a, body_b, shape_a, shape_b (ids) and, for hits, point (m), normal
    (from B into A), speed of approach (m/s) and impulse (N s). World.body gives the body of an id.
    """

    def __cinit__(self, *args, **kwargs):
        self.prepare([], [], tuple, 3, "impulse")

    def __init__(self, list bodies not None, shapes not None, vector=tuple):
        self.prepare(bodies, shapes, vector, 3, "impulse")

    cdef int prepare(self, list bodies, object shapes, object vector, int axes, str last) except -1:
        dtype = event_dtype(axes, last)
        self.bodies, self.shapes, self.vector = bodies, shapes, vector
        self.begin, self.end, self.hit = EventList(dtype), EventList(dtype), EventList(dtype)
        self.joint_end, self.joint_handlers = [], []
        return 0

    @property
    def begins(self):
        """Shapes that began to touch."""
        self.check_idle()
        return self.begin.copy()

    @property
    def ends(self):
        """Shapes that ceased to touch, or of which one was removed."""
        self.check_idle()
        return self.end.copy()

    @property
    def hits(self):
        """Contacts that struck."""
        self.check_idle()
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
        self.joint_handlers.append((read_handler(handler), None))
        return handler

    def remove_handler(self, handler):
        """Call a handler no more, not for what is left of the last step either."""
        found = False
        for handlers in (self.begin.handlers, self.end.handlers, self.hit.handlers,
                         self.joint_handlers):
            for entry in [entry for entry in handlers if entry[0] == handler]:
                handlers.remove(entry)
                found = True
        if not found:
            raise ValueError(f"no such handler: {handler!r}")

    def _add(self, EventList events, handler, tags):
        wanted = None if tags is None else read_tags(tags)
        if handler is None and tags is not None:
            return lambda given: self._add(events, given, tags)
        events.handlers.append((read_handler(handler), wanted))
        return handler

    cdef int reserve(self, int32_t pairs, int32_t contacts) except -1 nogil:
        self.begin.reserve(pairs)
        self.end.reserve(pairs)
        self.hit.reserve(contacts)
        return 0

    cdef void note_ended(self, EndedList* ended) noexcept nogil:
        cdef int32_t k
        for k in range(ended.n):
            if ended.pairs[k].touched:
                self.end.note(ended.pairs[k].body_a, ended.pairs[k].body_b, ended.pairs[k].key)
        ended.n = 0

    cdef int check_idle(self) except -1:
        return 0

    cdef void clear(self) noexcept:
        """Forget the events."""
        self.joint_end.clear()
        self.begin.n = self.end.n = self.hit.n = self.n_joint_ends = 0

    cdef int begin_step(self) except -1 nogil:
        self.begin.n = self.end.n = self.hit.n = 0
        return self.clear_joint_ends() if self.n_joint_ends > 0 else 0

    cdef int clear_joint_ends(self) except -1 with gil:
        self.joint_end.clear()
        self.n_joint_ends = 0
        return 0

    cdef bint has_handlers(self) noexcept:
        return (len(self.begin.handlers) + len(self.end.handlers) + len(self.hit.handlers)
                + len(self.joint_handlers) > 0)

    cdef list read_calls(self):
        cdef EventList events
        calls = []
        if self.begin.n + self.end.n + self.hit.n == 0 and not self.joint_end:
            return calls
        for item in (self.begin, self.end, self.hit):
            events = item
            if events.handlers and events.n > 0:
                calls.append((events.handlers, [self._told(row, events is self.hit)
                                                for row in events.copy()]))
        if self.joint_handlers and self.joint_end:
            calls.append((self.joint_handlers, list(self.joint_end)))
        return calls

    cdef int call_handlers(self, list calls) except -1:
        """Call all handlers; the first error goes on to the caller once every one was called."""
        error = None
        # those who are added meanwhile are called from the next step on, those removed no more
        for handlers, entries, told in [(live, list(live), told) for live, told in calls]:
            for entry in entries:
                handler, tags = entry
                for event in told if tags is None else self._in_order(told, tags):
                    if not is_among(entry, handlers):
                        break
                    try:
                        handler(event)
                    except Exception as problem:
                        error = problem if error is None else error
        if error is not None:
            raise error
        return 0

    cdef object shape_of_id(self, int32_t id, object body):
        return self.shapes(id, body) if callable(self.shapes) else self.shapes[id]

    def _told(self, row, is_hit):
        """An event as handlers see it."""
        body_a = self.bodies[row["body_a"]] if row["body_a"] >= 0 else None
        body_b = self.bodies[row["body_b"]] if row["body_b"] >= 0 else None
        who = (body_a, body_b, self.shape_of_id(row["shape_a"], body_a),
               self.shape_of_id(row["shape_b"], body_b))
        if not is_hit:
            return ContactEvent(*who)
        return HitEvent(*who, self.vector(row["point"].tolist()),
                        self.vector(row["normal"].tolist()), float(row["speed"]),
                        float(row["impulse"]))

    def _in_order(self, told, tags):
        """The events between shapes of two tags, turned so that A has the first."""
        first, second = tags
        for event in told:
            a = getattr(event.shape_a, "tag", None)
            b = getattr(event.shape_b, "tag", None)
            if (first is None or a == first) and (second is None or b == second):
                yield event
            elif (first is None or b == first) and (second is None or a == second):
                yield event._replace(
                    body_a=event.body_b, body_b=event.body_a, shape_a=event.shape_b,
                    shape_b=event.shape_a, normal=None if event.normal is None else self.vector(
                        [-x for x in event.normal]))


cdef object read_handler(object handler):
    if not callable(handler):
        raise TypeError(f"handler must be callable, got {handler!r}")
    return handler


def read_tags(tags):
    """Two tags at the API boundary; None stands for any."""
    if not isinstance(tags, (tuple, list)) or len(tags) != 2:
        raise ValueError(f"tags must be two tags (a, b), got {tags!r}")
    return tuple([None if tag is None else read_tag(tag) for tag in tags])
