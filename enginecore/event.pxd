"""What happened in a step: shapes that began or ceased to touch, and hits."""

from libc.stdint cimport int32_t, int64_t

ctypedef struct Event:
    int32_t body_a     # ids
    int32_t body_b
    int32_t shape_a
    int32_t shape_b
    double point[3]    # m, of hits; in the plane the last is 0
    double normal[3]   # unit, from B into A, of hits
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
    cdef Event* note(self, int32_t body_a, int32_t body_b, int64_t key) noexcept nogil


cdef class EventStore:
    cdef EventList begin
    cdef EventList end
    cdef EventList hit
    cdef list bodies             # handles by id, of the world: for handlers
    cdef object shape_of         # f(id, body): the handle of a shape
    cdef object vector           # the class that points and normals are given as
    cdef list joint_end          # JointEnd of the last step
    cdef list joint_handlers

    # While nothing may interrupt: whom to call with what; then, when the step is over, call them.
    cdef list read_calls(self)
    cdef int call_handlers(self, list calls) except -1
    cdef void clear(self) noexcept
