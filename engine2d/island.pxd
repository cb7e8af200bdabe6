"""Islands: bodies that push each other, and the contacts through which they do."""

from libc.stdint cimport int32_t, uint8_t

from engine2d.joint.joint cimport JointData
from engine2d.solve.energy cimport Momentum
from engine2d.solve.step_context cimport Island, StepContext


cdef class IslandStore:
    """The islands of a step, as slices of two lists."""

    cdef Island* islands
    cdef int32_t n
    cdef int32_t* bodies         # rows, by island, ascending
    cdef int32_t* contacts       # indices, by island, ascending
    cdef int32_t* joints         # rows, by island, ascending
    cdef uint8_t* is_large       # by island: solved by sweeps
    cdef double* piece           # by island: s that it goes at once; 0: done
    cdef double* gone            # by island: s that it went in this round
    cdef double* met             # by island: s of its piece when two met that passed; < 0: none
    cdef double* given           # by row: s that a body was given back in this round, by CCD
    cdef Momentum* ahead         # by island: of one that floats, as it will be; else without mass
    cdef double* start           # by island: s of the step that it has gone by
    cdef double* held            # by island with joints: J when its piece began; see held_energy
    cdef int32_t* movers         # by contact: a dynamic body that it pushes; -1: pushes nothing
    cdef int32_t* rows           # bodies that may belong to an island of this round, ascending
    cdef int32_t n_rows
    cdef int32_t* parent         # by row: union and find
    cdef int32_t* number         # by row: its island; -1: none
    cdef int32_t* first_of       # by island of the round before: one of its rows
    cdef int32_t* begin          # by row: where its neighbours begin, for find_band
    cdef int32_t* end            # and where they end
    cdef int32_t* rank           # by row: its number along its island
    cdef int32_t* queue          # rows, by rank
    cdef int32_t* neighbour      # rows, two a contact
    cdef int32_t room_bodies
    cdef int32_t room_contacts
    cdef int32_t room_joints
    cdef object arrays           # numpy arrays by name: they own the memory

    cdef int reserve(self, int32_t n_bodies, int32_t n_contacts, int32_t n_joints) except -1 nogil
    cdef int grow(self, int32_t n_bodies, int32_t n_contacts, int32_t n_joints) except -1 with gil
    # The islands of all bodies, contacts and joints.
    cdef void build(self, StepContext* ctx, const JointData* joints,
                    int32_t n_joints) noexcept nogil
    # The islands of a later round: bodies with time left, what they touch by the contacts from
    # `first` on, and what joints hold to these; who was in one island stays in one.
    cdef void build_again(self, StepContext* ctx, int32_t first, const JointData* joints,
                          int32_t n_joints) noexcept nogil
    cdef void join_contacts(self, StepContext* ctx, int32_t first) noexcept nogil
    cdef void join_linked(self, StepContext* ctx, const JointData* joints,
                          int32_t n_joints) noexcept nogil
    cdef bint is_listed(self, StepContext* ctx, int32_t row) noexcept nogil
    cdef void fill(self, StepContext* ctx, int32_t first) noexcept nogil
    cdef void list_joints(self, StepContext* ctx, const JointData* joints,
                          int32_t n_joints) noexcept nogil
    # How many contacts lie between those of any one body, at most, when the bodies of an island are
    # numbered from one end of it to the other: 4 of a column of boxes, however tall it is.
    cdef int32_t find_band(self, const StepContext* ctx, const Island* island) noexcept nogil
    cdef int32_t walk(self, int32_t start, int32_t count) noexcept nogil
