"""What happened in a step: shapes that began or ceased to touch, and hits."""

from libc.stdint cimport int32_t

from engine2d.contact cimport ContactStore
from engine2d.solve.crossing cimport WayLog
from engine2d.joint.joint cimport JointStore
from engine2d.solve.step_context cimport StepContext
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
    double impulse     # N s, of the contact in the whole step, of hits; under advance of the blow
    # of hits under advance:
    double time        # s, in the world's time
    double friction    # N s, impulse on A along z x normal
    double loss        # J
    double settles     # s, when endless bouncing is over that this blow cut short; NaN: was none
    # of the closed form (engine2d.impact); -1: solved together; -2: an impulse without collision
    int32_t branch
    int32_t unused


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
    cdef public object changes     # of contacts under advance, in the order of time
    cdef list joint_end          # JointEnd of the last step
    cdef list joint_handlers
    cdef JointStore joint_store

    # The stage: read what the step did to the pairs, and note it. Gaps must be up to date.
    cdef int collect(self, StepContext* ctx, ContactStore contacts, WayLog log) except -1
    # Note the joints that broke, or were removed since the last step.
    cdef int collect_joints(self, JointStore joints) except -1
    # While nothing may interrupt: whom to call with what; then, when the step is over, call them.
    cdef list read_calls(self)
    cdef int call_handlers(self, list calls) except -1
    cdef void clear(self) noexcept
