"""Kinematics of links: gaps, their rates and velocity terms, rows, and where features end."""

from libc.stdint cimport int32_t

from engine2d.exact.run cimport Run, RunBody, RunLink, RunPair, RunRow
from engine2d.vec2 cimport Vec2, add, turn

# Margins of a link, as bits of `watched` and places of an array: how far (m) it is from the first
# and the last end of A's feature, then of B's.
cdef enum:
    A_FIRST = 0
    A_LAST = 1
    B_FIRST = 2
    B_LAST = 3
    N_MARGINS = 4


cdef inline Vec2 velocity_at(const RunBody* body, Vec2 arm) noexcept nogil:
    """Velocity of the body's point at `arm` from its centre of mass."""
    return add(body.v, turn(body.w, arm))


# Take the bodies' places and velocities from a state.
cdef void load_state(Run* run, const double* y) noexcept nogil

# Give a link features f1 of A and f2 of B; False if these two kinds can never touch.
cdef bint set_features(const RunPair* pair, int32_t f1, int32_t f2, RunLink* link) noexcept nogil

# Bring a link up to date with the loaded state: place, gap, vn, vt, bias_n, bias_t.
cdef void measure_link(Run* run, RunLink* link) noexcept nogil

# How far (m) a link is from the four ends of its features, and at which rates (m/s; may be NULL).
# A full circle has no ends: INFINITY. The link must have been measured.
cdef void find_margins(const Run* run, const RunLink* link, double* margins,
                       double* rates) noexcept nogil

# Write the row of a link's normal, or of its slip; push is the same as test.
cdef void write_normal_row(const Run* run, const RunLink* link, RunRow* row) noexcept nogil
cdef void write_slip_row(const Run* run, const RunLink* link, RunRow* row) noexcept nogil

# The row of what resists rolling: the unknown is a force (N) at the distance of link.round.
cdef void write_roll_row(const Run* run, const RunLink* link, RunRow* row) noexcept nogil
