"""Large islands that joints hold: joints exactly, by the factors of their assemblies; contacts and
rows with bounds swept around them. docs/maths/joints3d.md."""

from libc.stdint cimport int32_t, int64_t

from engine3d.joint.link cimport LinkMemory
from engine3d.solve.cone cimport Cone

# Whether an island is solved this way. n_slots: room for its contacts; n_cones: of its joints;
# is_bounded: some row of these has bounds, or there are pairs.
cdef bint needs_assemblies(int32_t n_bodies, int32_t n_slots, int32_t n_cones,
                           bint is_bounded) noexcept nogil

# As solve_cones: n contacts, then the cones of the island's joints. V: whitened velocities without
# impulses, in and out. Sweeps that change no rate by more than `least` (m/s) are the last. Returns
# how many there were.
cdef int64_t solve_swept(Cone* cones, int32_t n, LinkMemory* m, double* V,
                         double least) noexcept nogil

# Give rigid rows of joints (cones of position_cones, without bias) the impulses that let V move
# none of them; anew: the rows are not those of the last call.
cdef void hold_rigid(Cone* cones, LinkMemory* m, double* V, bint anew) noexcept nogil
