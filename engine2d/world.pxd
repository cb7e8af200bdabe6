"""The world: bodies, and the step that moves them."""

from libc.stdint cimport int32_t, int64_t

from engine2d.contact cimport ContactStore, Scene
from engine2d.solve.crossing cimport WayLog
from engine2d.event cimport EventStore
from engine2d.island cimport IslandStore
from engine2d.solve.island_step cimport SizeRule
from engine2d.joint.assemblies cimport AssemblyStore
from engine2d.joint.assembly_step cimport LinkWorkspace
from engine2d.joint.joint cimport JointStore
from engine2d.solve.large_step cimport LargeBuffers
from engine2d.query cimport Query
from engine2d.solve.small_step cimport SmallWorkspace
from engine2d.solve.step_context cimport StepContext
from engine2d.store cimport BodyInput, BodyStore
from engine2d.vec2 cimport Vec2

# The stages of a step that world.stats times, in their order.
cdef enum Stage:
    STAGE_EDITS = 0
    STAGE_BROAD_PHASE = 1
    STAGE_NARROW_PHASE = 2
    STAGE_ISLAND = 3
    STAGE_SOLVE = 4
    STAGE_EVENT = 5
    N_STAGES = 6


cdef class World:
    cdef object __weakref__
    cdef BodyStore store
    cdef ContactStore contact_store
    cdef JointStore joint_store
    cdef AssemblyStore assemblies
    cdef LinkWorkspace linked
    cdef IslandStore island_store
    cdef EventStore event_store
    cdef Query query
    cdef SmallWorkspace small
    cdef LargeBuffers large
    cdef WayLog log
    cdef tuple clocks            # numpy arrays that own the next two
    cdef double* clock_left      # room for ctx.left
    cdef int32_t* clock_moved    # and for ctx.moved
    cdef int32_t clock_room      # bodies that there is room for
    cdef StepContext ctx
    cdef Scene scene
    cdef Vec2 pull               # m/s^2, gravity
    cdef readonly double time    # s, that was simulated
    cdef readonly int64_t steps
    cdef public bint sleeping    # whether bodies at rest fall asleep
    cdef int solver
    cdef object filter           # the user's contact_filter; None: all contacts are
    cdef list passes             # pairs of ids of bodies that pass until they have parted
    cdef double pace             # simulated seconds to one that step is told
    cdef double[6] seconds       # of the last step's stages
    cdef int64_t seen_edits      # of the store, when pairs were last matched
    cdef double last_dt
    cdef bint calling            # handlers of the last step
    cdef int32_t runaways        # bodies that the last step had to stop
    cdef object _ledger          # Ledger, of all that step and advance did
    cdef double* booked          # its accounts, as Books has them
    cdef double held             # J, that springs held when the step began
    cdef double kinetic          # J, of bodies that were awake then
    cdef object exact_counts     # of the last advance, for stats; None: the last was a step
    cdef str _extra              # of contacts that rest in a wide band, under advance
    cdef object _resting_gap     # m, and m/s; None: as tight as the tolerance
    cdef object _resting_speed

    cdef object _add(self, tuple shapes, const BodyInput* given)
    cdef object view(self, str name, int32_t first, int32_t count)
    cdef void point_at_stores(self) noexcept
    cdef int enter(self, str what) except -1
    cdef int begin_step(self, double whole) except -1
    cdef int step_part(self, double dt) except -1
    cdef int begin_part(self, double dt) except -1
    cdef int reserve_clocks(self, int32_t n) except -1
    cdef int find_pairs(self) except -1
    cdef int find_contacts(self) except -1
    cdef int filter_contacts(self, int32_t first) except -1
    cdef int match_pairs(self) except -1
    cdef int build_islands(self) except -1
    cdef void fill_islands(self) noexcept nogil
    cdef int reserve_linked(self) except -1
    cdef SizeRule size_rule(self) noexcept
    cdef int solve(self) except -1
    cdef void carry_islands(self, const SizeRule* rule) noexcept nogil
    cdef int go_on(self) except -1
    cdef int finish_part(self) except -1
    cdef int finish_step(self) except -1
    cdef void open_books(self) noexcept nogil
    cdef void close_books(self) noexcept nogil
    cdef void write_ledger(self) noexcept nogil
