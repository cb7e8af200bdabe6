"""Newton's step of the direct solver."""

from engine2d.solve.direct_system cimport System

# Newton's step of p with the present modes, from the y that `evaluate` has written: a correction of
# what the unknowns lack, so it also refines. False where the modes leave them undetermined.
cdef bint take_step(System* s) noexcept nogil

# A with unit diagonal, from the rows that share a movable body, for Lemke's method.
cdef void assemble(System* s) noexcept nogil
