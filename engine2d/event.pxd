"""What happened in a step: shapes that began or ceased to touch, and hits."""

from libc.stdint cimport int32_t

from engine2d.contact cimport ContactStore
from engine2d.step_context cimport StepContext
from engine2d.store cimport BodyStore
from engine2d.vec2 cimport Vec2

ctypedef struct Event:
    int32_t body_a     # ids
    int32_t body_b
    int32_t shape_a
    int32_t shape_b
    Vec2 point         # m, of hits
    Vec2 normal        # unit, from B into A, of hits
    double speed       # m/s, of approach, of hits
    double impulse     # N s, of the contact in the whole step, of hits


cdef class EventList:
    """Events of one kind."""

    cdef Event* events
    cdef int32_t n
    cdef int32_t room
    cdef object array            # numpy array of bytes: it owns the memory
    cdef list handlers

    cdef int reserve(self, int32_t more) except -1
    cdef object copy(self)


cdef class EventStore:
    cdef BodyStore store
    cdef EventList begin
    cdef EventList end
    cdef EventList hit

    # The stage: read what the step did to the pairs, and note it. Gaps must be up to date.
    cdef int collect(self, StepContext* ctx, ContactStore contacts) except -1
    cdef int call_handlers(self) except -1
    cdef void clear(self) noexcept
