"""Forces of links: solved linearly while their modes are locked, by an LCP where these change."""

from libc.stdint cimport int32_t

from engine2d.exact.run cimport Run, RunRow

# dy/dt with the modes as they are, for enginecore.ode; context is the Run. Leaves the bodies'
# accelerations and the links' forces in the run.
cdef void find_slopes(double t, const double* y, double* dy, void* context) noexcept nogil

# Take the forces of this state for those that redundant links stay near to.
cdef void keep_forces(Run* run) noexcept nogil

# Choose the modes of all links for the loaded state; False if no forces were found.
cdef bint find_modes(Run* run) noexcept nogil

# Whether the loaded accelerations are out of all proportion: friction wedges bodies, and only an
# impulse can resolve that.
cdef bint is_jammed(const Run* run) noexcept nogil

# Bring gaps and rates of what bears back to where they are held, in y; adds to run.projection.
cdef void project(Run* run, double* y) noexcept nogil

# Bring links to rest that would rise less than some tolerances before they close again: takes their
# rates, with those of what bears, to 0 in y. True if there were any: modes must be found again.
cdef bint capture(Run* run, double* y) noexcept nogil

# Gap accelerations of all links, from the bodies' accelerations.
cdef void find_gap_accelerations(Run* run) noexcept nogil

# J, of all dynamic bodies in the loaded state.
cdef double find_energy(Run* run) noexcept nogil

# How fast (m/s) anything is, and from it what counts as no speed at all.
cdef void find_slow(Run* run) noexcept nogil

# A[i, j] = test_i M^-1 push_j of the run's rows.
cdef void assemble(Run* run) noexcept nogil

# Solve w = A f + b with the bounds of the rows; f is start and answer. False if that failed.
cdef bint solve_bounded(Run* run) noexcept nogil

# The same by sweeps from no start, for what nothing else solves: near the answer, and it never adds
# energy to what the impulses f act on.
cdef bint sweep(Run* run) noexcept nogil

# Push what has sunk in out again, places only; adds to run.projection.
cdef void push_out(Run* run, double* y) noexcept nogil

# test . velocity of a row in the loaded state, with surfaces that run.
cdef double row_rate(const Run* run, const RunRow* row) noexcept nogil

# test . acceleration + bias of a row.
cdef double row_acceleration(const Run* run, const RunRow* row) noexcept nogil

# Solve A f = -b from the start f; of several solutions the one nearest to the start. A must have
# been assembled. False if that failed.
cdef bint solve_soft(Run* run) noexcept nogil

# Accelerations of bodies that no contact pushes, joints hold as they do now.
cdef void find_free_accelerations(Run* run) noexcept nogil
