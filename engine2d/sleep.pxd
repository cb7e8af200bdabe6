"""Who sleeps and who wakes."""

from engine2d.contact cimport ContactStore
from engine2d.island cimport IslandStore
from engine2d.joint.joint cimport JointData
from engine2d.solve.step_context cimport StepContext
from engine2d.store cimport BodyStore

# Put islands to sleep whose bodies have all been still for long enough.
cdef void fall_asleep(StepContext* ctx, IslandStore islands,
                      const JointData* joints) noexcept nogil

# Wake what had contact with something not dynamic that was moved or changed since.
cdef void wake_neighbours(BodyStore store, ContactStore contacts) noexcept nogil
