"""When contacts and swept pairs of a small island meet within a sub-step."""

from libc.stdint cimport int32_t

from engine3d.solve.sub_step cimport SubStep

# When within the sub-step a contact that is apart first meets faster than the threshold (s);
# infinite if none does. Writes the contacts' times.
cdef double find_first_impact(SubStep* s) noexcept nogil

# The same of pairs that are swept, whatever their contacts say.
cdef double find_first_swept(SubStep* s, const int32_t* pair_numbers, int n_pairs,
                             const int32_t* local_row) noexcept nogil

# Contacts of swept pairs that will meet within the sub-step, as they will be then; whether there
# are any.
cdef bint meet_swept(SubStep* s, const int32_t* pair_numbers, int n_pairs,
                     const int32_t* local_row) noexcept nogil

# After the sub-step: contacts up to date with the poses; pairs that were swept or have met are
# looked at anew.
cdef void look_again(SubStep* s, const int32_t* pair_numbers, int n_pairs,
                     const int32_t* local_row, bint is_cut) noexcept nogil
