"""A sub-step of a small island before the solve: what bodies will feel, and the rows."""

from engine3d.solve.cone cimport Cone
from engine3d.solve.sub_step cimport SubContact, SubStep

# Poses halfway and at the end if all goes on as it does, and velocities without contacts.
cdef void predict(SubStep* s) noexcept nogil

# Rows of all contacts halfway, with their c and gap terms; those that close fast are out.
cdef void prepare_cones(SubStep* s) noexcept nogil

# Then the velocities V (kg^(1/2) m/s) of all bodies without contacts, less what resistance to
# rolling and spin takes.
cdef void whiten_velocities(SubStep* s) noexcept nogil

# Whitened Jacobians of a contact halfway through the sub-step; what immovable bodies do is bias.
cdef void write_rows(const SubStep* s, const SubContact* m, Cone* out) noexcept nogil
