"""Who sleeps and who wakes."""

from libc.stdint cimport int32_t

from enginecore.island cimport IslandStore
from engine3d.contact cimport StepContext
from engine3d.joint.joint cimport JointData
from engine3d.store cimport BodyStore

# Put islands to sleep whose bodies have all been still for long enough. speeds: scratch, by row.
cdef void fall_asleep(StepContext* ctx, IslandStore islands, const JointData* joints,
                      double* speeds) noexcept nogil

# Wake what had contact with something not dynamic that was moved or changed since.
cdef void wake_neighbours(BodyStore store, const StepContext* ctx) noexcept nogil

# Likewise what joints connect with such a body.
cdef void wake_joined(BodyStore store, const JointData* joints, int32_t n) noexcept nogil
