# distutils: include_dirs = engine3d/solve enginecore
"""The world: bodies, and the step that moves them."""

from libc.stdint cimport int32_t, int64_t

from enginecore.event cimport EventStore
from enginecore.island cimport Edge, IslandStore
from engine3d.contact cimport ContactStore, StepContext
from engine3d.solve.large_step cimport LargeBuffers
from engine3d.joint.joint cimport JointStore
from engine3d.query cimport Query
from engine3d.solve.small_step cimport SmallWorkspace
from engine3d.store cimport BodyInput, BodyStore
from engine3d.vec3 cimport Vec3

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
    cdef BodyStore store
    cdef ContactStore contact_store
    cdef IslandStore island_store
    cdef EventStore event_store
    cdef SmallWorkspace small
    cdef LargeBuffers large
    cdef Query query
    cdef JointStore joint_store
    cdef StepContext ctx
    cdef Edge* edges
    cdef int64_t edge_room
    cdef object edge_array
    cdef Vec3 pull               # m/s^2, gravity
    cdef readonly double unit    # m, the length of a typical body
    cdef double root              # its root
    cdef readonly double time    # s, that was simulated
    cdef readonly int64_t steps
    cdef public bint sleeping    # whether bodies at rest fall asleep
    cdef int solver
    cdef double pace             # simulated seconds to a second that step is told
    cdef object __weakref__
    cdef double[6] seconds       # of the last step's stages
    cdef int64_t seen_edits      # of the store, when pairs were last matched
    cdef bint calling            # handlers of the last step
    cdef object filter           # the user's contact_filter; None: all contacts are
    cdef list passes             # pairs of ids of bodies that pass until they have parted
    cdef int32_t runaways        # bodies that the last step had to stop

    cdef object _add(self, tuple shapes, const BodyInput* given)
    cdef object view(self, str name, int32_t width, int32_t first, int32_t count)
    cdef void point_at_stores(self) noexcept
    cdef int enter(self, str what) except -1
    cdef int begin_joints(self, double whole) except -1
    cdef int step_part(self, double dt) except -1
    cdef int begin_step(self, double dt) except -1
    cdef int find_pairs(self) except -1
    cdef void bound_ways(self) noexcept nogil
    cdef int find_contacts(self) except -1
    cdef void look_at_pairs(self) noexcept nogil
    cdef int filter_contacts(self) except -1
    cdef int build_islands(self) except -1
    cdef void fill_islands(self) noexcept nogil
    cdef int solve(self) except -1
    cdef int look_farther(self) except -1
    cdef int run_islands(self) except -1
    cdef void carry_islands(self) noexcept nogil
    cdef int finish_step(self) except -1
