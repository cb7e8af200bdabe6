"""What happened in a step: shapes that began or ceased to touch, hits, and joints that ended."""

from libc.stdint cimport int32_t, int64_t

from enginecore.contact cimport EndedList

# A world of fewer dimensions, or without an exact clock, shows fewer of these.
ctypedef struct Event:
    int32_t body_a     # ids
    int32_t body_b
    int32_t shape_a
    int32_t shape_b
    double point[3]    # m, of hits; in the plane the last is 0
    double normal[3]   # unit, from B into A, of hits
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
    cdef object dtype            # as users see an event
    cdef list handlers           # (handler, tags or None)

    # Make room for that many more events.
    cdef int reserve(self, int32_t more) except -1 nogil
    cdef int grow(self, int32_t room) except -1 with gil
    cdef object copy(self)
    # A new event of a pair of shapes (ids low, high in a key); there must be room.
    cdef Event* note(self, int32_t body_a, int32_t body_b, int64_t key) noexcept nogil


cdef class EventStore:
    cdef EventList begin
    cdef EventList end
    cdef EventList hit
    cdef list joint_end          # JointEnd of the last step
    cdef int32_t n_joint_ends    # how many
    cdef list joint_handlers
    cdef list bodies             # handles by id, of the world: for handlers
    cdef object shapes           # Shapes by id: a list, or f(id, body)
    cdef object vector           # makes the vectors that users see

    # handles and Shapes by id; what makes vectors; axes of points; the last field that users see
    cdef int prepare(self, list bodies, object shapes, object vector, int axes, str last) except -1
    # Make room for the events of so many pairs and contacts.
    cdef int reserve(self, int32_t pairs, int32_t contacts) except -1 nogil
    # Note the ends of pairs that are no longer candidates, and forget these.
    cdef void note_ended(self, EndedList* ended) noexcept nogil
    # RuntimeError while another call on the world is under way; a world's own to say.
    cdef int check_idle(self) except -1
    # The shape of an id as handlers see it.
    cdef object shape_of_id(self, int32_t id, object body)
    # While nothing may interrupt: whom to call with what; then, when the step is over, call them.
    cdef list read_calls(self)
    cdef int call_handlers(self, list calls) except -1
    cdef void clear(self) noexcept
    # Forget the events of the step before; with no list of joints that ended, or with one.
    cdef int begin_step(self) except -1 nogil
    cdef int clear_joint_ends(self) except -1 with gil
    cdef bint has_handlers(self) noexcept
