"""Sensors are swept: what passes one within a step is noticed (docs/maths/time_of_impact.md)."""

from libc.stdint cimport int32_t

from engine2d.solve.step_context cimport StepContext
from engine2d.store cimport ShapeData
from engine2d.vec2 cimport Vec2

# Where a body was within a step when its way was bent.
ctypedef struct Waypoint:
    double time      # s of the step
    Vec2 x           # m, centre of mass
    double angle     # rad
    int32_t row


cdef class WayLog:
    """The bends in the ways of bodies through a step, in the order of time for each body."""

    cdef Waypoint* points
    cdef int32_t n
    cdef int32_t room
    cdef object array            # owns the memory

    cdef int reserve(self, int32_t more) except -1 nogil
    cdef int grow(self, int32_t room) except -1 with gil
    # Note where bodies are that moved in this round and have time left, or all that moved.
    cdef void note(self, const StepContext* ctx, bint all_of_them) noexcept nogil

# Whether a shape has met a sensor, or a sensor it, on their ways through the step.
cdef bint was_crossed(const StepContext* ctx, WayLog log, const ShapeData* a,
                      const ShapeData* b) noexcept nogil
