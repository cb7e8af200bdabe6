"""Joints under the exact clock: their rows as holds, with modes that are locked between events."""

from libc.stdint cimport int32_t

from engine2d.exact.run cimport Flag, Run, RunHold, RunJoint, RunRow

# Bring all holds up to date with the loaded state: rates, velocity terms, forces of springs.
cdef void measure_joints(Run* run) noexcept nogil

# Add the accelerations of springs and of motors that push with all they have.
cdef void add_joint_forces(Run* run) noexcept nogil

# Rows of holds behind the m rows there are; each returns how many there are then. locked: all that
# bears, with the forces borne last as a start. open: all that may bear, with bounds, for an LCP.
# held: all that bears, for projection of places (with errors in run.errors) or of rates.
# stiff: what is held by any force, for blows, and with `stops` the limits that are met too.
cdef int32_t add_locked_rows(Run* run, int32_t m) noexcept nogil
cdef int32_t add_open_rows(Run* run, int32_t m) noexcept nogil
cdef int32_t add_held_rows(Run* run, int32_t m, bint rates) noexcept nogil
cdef int32_t add_stiff_rows(Run* run, int32_t m, bint stops) noexcept nogil

# Rows of impulses of a micro-step of h seconds, with their right sides in run.b.
cdef int32_t add_micro_rows(Run* run, int32_t m, double h) noexcept nogil

# Whether a blow must act on joints: what is held moves, or a limit that is met is being passed.
cdef bint is_struck(const Run* run) noexcept nogil

# Take forces from the solved rows.
cdef void take_joint_forces(Run* run) noexcept nogil

# Choose modes from the solution of the LCP; `least` (m/s^2): less is none.
cdef void choose_hold_modes(Run* run, double least) noexcept nogil

# m/s^2: the most that a motor of limited force, or the friction of a joint, could give.
cdef double strongest_motor(const Run* run) noexcept nogil

# C'' of all holds from the bodies' accelerations.
cdef void find_hold_accelerations(Run* run) noexcept nogil

# Flag what holds have done in the step of h seconds whose end is loaded and solved.
cdef void check_holds(Run* run) noexcept nogil

# What a flag of a hold watches: >= 0 as long as it lasts. In the loaded state; `solved` if forces
# must be those of this state.
cdef bint needs_forces(const Flag* flag) noexcept nogil
cdef double hold_limit(Run* run, const Flag* flag) noexcept nogil
cdef double stop_rate(Run* run, const Flag* flag) noexcept nogil

# What an event of a hold changes at once: a pawl drops, a joint breaks.
cdef void take_event(Run* run, const Flag* flag) noexcept nogil

# J, of all springs in the loaded state; what a drag pulls at is the user's.
cdef double spring_energy(Run* run) noexcept nogil

# Add to the powers (W) of the accounts, and write those of each joint's motor and friction.
cdef void add_joint_powers(const Run* run, double* powers, double* of_joints) noexcept nogil

# Work (J) of kinematic bodies that a row's impulse p does, by which dynamic ones gain.
cdef double driven_work(const Run* run, const RunRow* row, double p) noexcept nogil

# Book the work of motors of any force whose rows have the impulses run.f; returns it (J).
cdef double book_motors(Run* run) noexcept nogil

# Force and torque of all joints on their second bodies, from the holds.
cdef void sum_joint_forces(Run* run) noexcept nogil
