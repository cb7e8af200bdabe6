"""What joints do in the sub-steps of an island: rows beside those of its contacts, blows that they
pass on, places that they hold. Called by solve/small_step and solve/strike."""

from libc.stdint cimport int32_t

from engine3d.impact cimport ImpactInput
from engine3d.solve.cone cimport Cone
from engine3d.solve.sub_step cimport SubStep
from engine3d.vec3 cimport Vec3

# Cones that a joint with so many rows has.
cdef inline int32_t cones_of(int32_t rows) noexcept nogil:
    return (rows + 2) // 3

# List the joints of an island; its sub-step bodies are there, the world's last if it has one.
cdef void gather_links(SubStep* s, const int32_t* joint_rows, int n,
                       const int32_t* local_row, int32_t world) noexcept nogil

# Springs and motors have energy of their own: the island's is not audited.
cdef void mark_driven(SubStep* s) noexcept nogil

# Whether motors or drags of the island may add energy.
cdef bint has_motors(const SubStep* s) noexcept nogil

# J, in the springs of the island.
cdef double spring_energy(const SubStep* s) noexcept nogil

# Sub-steps of a step of dt (s).
cdef int count_sub_steps(const SubStep* s, double dt) noexcept nogil

# Give contacts (the first n cones, written) and joints the impulses of this sub-step: writes s.V.
cdef void solve_links(SubStep* s, int n) noexcept nogil

# Take out of the velocities what joints of a sparse island do not allow: blows were struck as if
# there were none.
cdef void hold_velocities(SubStep* s) noexcept nogil

# Impulses into the joints, and what they did to angular momenta into the sub-step bodies.
cdef void take_links(SubStep* s) noexcept nogil

# The largest error (m, rad) of what joints hold where the sub-step bodies are now.
cdef double link_error(const SubStep* s) noexcept nogil

# Cones that bring places back to what joints hold: y = C + J dx; returns how many.
cdef int position_cones(SubStep* s, Cone* out) noexcept nogil

# A blow at a point between two bodies as the joints of the island let them feel it: writes the two
# bodies of `given` so that they respond as the island does.
cdef void feel_blow(SubStep* s, int32_t a, int32_t b, Vec3 point, ImpactInput* given) noexcept nogil

# The motion that the impulse p of that blow gives the island.
cdef void spread_blow(SubStep* s, Vec3 p) noexcept nogil

# When the step is done: what bodies and joints keep for the next.
cdef void scatter_links(SubStep* s) noexcept nogil
