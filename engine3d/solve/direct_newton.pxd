"""Newton's step of the direct solver."""

from engine3d.solve.direct_system cimport System

# Newton's step of p in the velocities of the bodies, with the present modes; False where the matrix
# has no factor.
cdef bint take_step(System* s) noexcept nogil
