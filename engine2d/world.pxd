"""The world: bodies, and the step that moves them."""

from libc.stdint cimport int32_t, uint8_t

from enginecore.hit cimport HitLog
from enginecore.world cimport World as Face
from engine2d.contact cimport ContactStore
from engine2d.solve.crossing cimport WayLog
from engine2d.event cimport EventStore
from engine2d.island cimport IslandStore
from engine2d.solve.island_step cimport SizeRule
from engine2d.joint.assembly_step cimport LinkWorkspace
from engine2d.joint.joint cimport JointStore
from engine2d.solve.large_step cimport LargeBuffers
from engine2d.query cimport Query
from engine2d.solve.small_step cimport SmallWorkspace
from engine2d.solve.step_context cimport StepContext
from engine2d.store cimport BodyStore
from engine2d.vec2 cimport Vec2

cdef class World(Face):
    cdef BodyStore store
    cdef ContactStore contact_store
    cdef JointStore joint_store
    cdef LinkWorkspace linked
    cdef IslandStore island_store
    cdef EventStore event_store
    cdef Query query
    cdef SmallWorkspace small
    cdef LargeBuffers large
    cdef WayLog log
    cdef HitLog hits
    cdef tuple clocks            # numpy arrays that own the next three
    cdef double* clock_left      # room for ctx.left
    cdef int32_t* clock_moved    # and for ctx.moved
    cdef uint8_t* clock_glides   # and for ctx.glides
    cdef int32_t clock_room      # bodies that there is room for
    cdef StepContext ctx
    cdef Vec2 pull               # m/s^2, gravity
    cdef double last_dt
    cdef object _ledger          # Ledger, of all that step and advance did
    cdef double* booked          # its accounts, as Books has them
    cdef double held             # J, that springs held when the step began
    cdef double kinetic          # J, of bodies that were awake then
    cdef object exact_counts     # of the last advance, for stats; None: the last was a step
    cdef str _extra              # of contacts that rest in a wide band, under advance
    cdef object _resting_gap     # m, and m/s; None: as tight as the tolerance
    cdef object _resting_speed

    cdef void point_at_stores(self) noexcept nogil
    cdef int grow_clocks(self, int32_t n) except -1 with gil
    cdef int filter_contacts(self, int32_t first) except -1 nogil
    cdef int ask_about(self, int32_t first) except -1 with gil
    cdef int reserve_linked(self) except -1 nogil
    cdef SizeRule size_rule(self) noexcept nogil
    cdef int go_once(self) except -1 nogil
    cdef int go_on(self) except -1 nogil
    cdef void open_books(self) noexcept nogil
    cdef void close_books(self) noexcept nogil
    cdef void write_ledger(self) noexcept nogil
