# distutils: include_dirs = engine3d/solve enginecore
"""The world: bodies, and the step that moves them."""

from libc.stdint cimport int64_t

from enginecore.event cimport EventStore
from enginecore.hit cimport HitLog
from enginecore.island cimport Edge, IslandStore
from enginecore.world cimport World as Face
from engine3d.contact cimport ContactStore, StepContext
from engine3d.solve.large_step cimport LargeBuffers
from engine3d.joint.joint cimport JointStore
from engine3d.query cimport Query
from engine3d.solve.small_step cimport SmallWorkspace
from engine3d.store cimport BodyStore
from engine3d.vec3 cimport Vec3

cdef class World(Face):
    cdef BodyStore store
    cdef ContactStore contact_store
    cdef IslandStore island_store
    cdef EventStore event_store
    cdef SmallWorkspace small
    cdef LargeBuffers large
    cdef HitLog hits
    cdef Query query
    cdef JointStore joint_store
    cdef StepContext ctx
    cdef Edge* edges
    cdef int64_t edge_room
    cdef object edge_array
    cdef Vec3 pull               # m/s^2, gravity

    cdef void point_at_stores(self) noexcept nogil
    cdef int filter_contacts(self) except -1 nogil
    cdef int ask_about_contacts(self) except -1 with gil
    cdef int grow_edges(self, int64_t room) except -1 with gil
    cdef int look_farther(self) except -1 nogil
    cdef int run_islands(self) except -1 nogil
