"""What happened in a step: shapes that began or ceased to touch, and hits."""

from libc.stdint cimport int32_t

from enginecore.event cimport Event, EventList, EventStore as Events
from engine2d.contact cimport ContactStore
from engine2d.solve.crossing cimport WayLog
from engine2d.solve.step_context cimport StepContext
from engine2d.store cimport BodyStore


cdef class EventStore(Events):
    cdef BodyStore store
    cdef public object changes     # of contacts under advance, in the order of time

    # The stage: read what the step did to the pairs, and note it. Gaps must be up to date.
    cdef int collect(self, StepContext* ctx, ContactStore contacts, WayLog log) except -1 nogil
