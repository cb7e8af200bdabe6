"""Small islands in and out: the bodies, contacts and joints of a `SubStep`."""

from libc.stdint cimport int32_t

from engine3d.solve.sub_step cimport SubStep

# Bodies of the island side by side; those it only leans on come last. local_row: of every row of
# the world, -1 in all that are not gathered.
cdef void gather(SubStep* s, const int32_t* body_rows, int n_bodies, const int32_t* pair_numbers,
                 int n_pairs, int32_t* local_row) noexcept nogil

# Then the island's joints, with what else they hold: bodies it leans on, and the world.
cdef void join(SubStep* s, const int32_t* joint_rows, int n, int32_t* local_row) noexcept nogil

# Then external accelerations, and the threshold that follows from them. whole: s, of a sub-step
# that nothing cuts.
cdef void set_forces(SubStep* s, double whole) noexcept nogil

# The contacts of all pairs; each is up to date with the sub-step bodies' poses.
cdef void list_contacts(SubStep* s, const int32_t* pair_numbers, int n_pairs,
                        const int32_t* local_row) noexcept nogil

# Motions and places of the bodies back into the world; local_row is empty again.
cdef void scatter(SubStep* s, int32_t* local_row) noexcept nogil
