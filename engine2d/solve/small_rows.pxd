"""A sub-step of a small island before the solve: what bodies will feel, and the rows."""

from engine2d.solve.sub_step cimport SubStep

# External accelerations, and those expected for the ways: of a body that bears load steadily, what
# it felt last time.
cdef void predict(SubStep* s) noexcept nogil

# Rows of all contacts at mid-step, with their c and gap terms; then those of joints.
cdef void prepare_rows(SubStep* s) noexcept nogil

# Bring struck bodies to their own time, and give all the external acceleration of the rest. Damping
# is exact for a constant force: v' = a - c v.
cdef void accelerate(SubStep* s) noexcept nogil
