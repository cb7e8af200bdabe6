"""Small islands in and out: the bodies, contacts and joints of a `SubStep`."""

from libc.stdint cimport int32_t

from engine2d.joint.joint cimport JointData
from engine2d.solve.sub_step cimport SubStep

# Bodies and contacts of the island side by side, as they are at this time (s) of the step; bodies
# it only leans on come last. local_row: of every row of the world, -1 in all that are not gathered.
cdef void gather(SubStep* s, const int32_t* body_rows, int n_bodies,
                 const int32_t* contact_indices, int n_contacts, double start,
                 int32_t* local_row) noexcept nogil

# Then the joints of the island (s.n_links), and what they hold on to.
cdef void gather_joints(SubStep* s, JointData* joints, const int32_t* joint_rows, double start,
                        int32_t* local_row) noexcept nogil

# The table of sub-step bodies is empty between the calls.
cdef void forget_rows(SubStep* s, int32_t* local_row) noexcept nogil

# What a body glides onto is flush with what it stands on: its sides and corners are not in the way,
# though they may be a little above where the body has sunk to. Writes s.contacts' hidden.
cdef void hide_seams(SubStep* s) noexcept nogil

# Motions and places of the bodies back into the world.
cdef void scatter(SubStep* s) noexcept nogil
