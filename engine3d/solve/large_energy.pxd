# distutils: include_dirs = engine3d/solve enginecore
"""What a step gave to a large island, and what is taken back (docs/maths/solver3d.md)."""

from libc.stdint cimport int32_t

from engine3d.contact cimport StepContext
from engine3d.vec3 cimport Vec3

# J: kinetic energy of bodies, and potential energy of what accelerates them, from an origin (m).
cdef double energy_of(const StepContext* ctx, const int32_t* rows, int32_t n,
                      Vec3 origin) noexcept nogil

# Take energy that a step added to what there was before (J) beyond a share of the kinetic one out
# of the motion about the common velocity.
cdef void take_back_gain(StepContext* ctx, const int32_t* rows, int32_t n, const int32_t* pairs,
                         int32_t n_pairs, Vec3 origin, double before) noexcept nogil
