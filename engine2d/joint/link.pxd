"""Joints within a sub-step: their rows for the solver, and what tension makes stiff.

docs/maths/joints.md has the terms. Both solvers, direct and block-sparse, take the same rows.
"""

from libc.math cimport cos, sin
from libc.stdint cimport int32_t

from engine2d.body cimport Motion
from engine2d.joint.joint cimport MOST_ROWS, PIN, Frame, JointData, JointRow
from engine2d.solve.books cimport Books
from engine2d.solve.row cimport Row
from engine2d.vec2 cimport Vec2, vec2

cdef extern from *:
    """
    // The bias c is so much of the change of J in the second half of a sub-step, and the rest of
    // that in the first: with the second half alone a free chain that spins gains energy.
    #define ENGINE_LATE (5.0 / 6.0)
    #define ENGINE_SERIES 0.1
    """
    double LATE "ENGINE_LATE"
    double SERIES "ENGINE_SERIES"  # rad, up to which `turn_of` is one

# A body as its joints see it within a sub-step.
ctypedef struct Rider:
    # what loops over bodies ask for comes first
    Vec2 v               # m/s, when the sub-step begins
    double w             # rad/s
    double last_w        # rad/s, one sub-step before
    double inv_m         # 1/kg; 0: no impulse moves it
    double inv_I         # 1/(kg m^2)
    double stiffness     # N m/rad, of turning it under the forces of its joints
    double m             # kg; 0: no impulse moves it
    double inertia       # kg m^2, likewise
    double twist         # rad/s^2, of the user's torque
    Vec2 pull            # m/s^2, of gravity and the user
    Vec2 half            # cosine and sine of how far it turns from start to mid, and mid to end
    int32_t row          # of the body in the world; -1: the world
    bint movable
    bint joined          # a joint of the island holds it
    bint through         # has no time left: stands, with its velocity
    Frame start          # where it is when the sub-step begins
    Frame mid            # halfway, and at the end, with the velocity it has then
    Frame end
    double[6] felt       # velocity that unit impulses (x, then y) of a blow give it: scratch

# A joint within a sub-step.
ctypedef struct Link:
    JointData* joint
    int32_t a            # riders
    int32_t b
    int32_t first        # its rows among those of the solver
    int32_t n
    # A pin and nothing else: all there is to know is in its two rows; `at`, `old_rate` and what
    # follows are not written. Set by whoever writes the rows.
    bint plain
    double worked        # J, JointData.work when the piece began
    double[MOST_ROWS] old_rate  # m/s, of the rows at mid-step with the velocities of the start
    JointRow[MOST_ROWS] at      # the rows at mid-step, C of the start
    double[MOST_ROWS] turning   # m/s, of soft rows: what J turns by, the bias c
    # m or rad: where its rule has a stiff spring, C + h u', and the share of it in the rule; bodies
    # that move by the mean of old and new velocity, or for a part of the time, are elsewhere.
    # Written by take_links; the first position_rows takes it, and leaves a share of 0
    double[MOST_ROWS] goal
    double[MOST_ROWS] implicit

# Whether a joint is a pin and nothing else.
cdef inline bint is_plain(const Link* link) noexcept nogil:
    return link.n == 2 and link.joint.head.kind == PIN

# Cosine and sine of an angle (rad): for what turns in a sub-step a series, exact to rounding.
cdef inline Vec2 turn_of(double angle) noexcept nogil:
    cdef double t = angle * angle
    if t > SERIES * SERIES:
        return vec2(cos(angle), sin(angle))
    return vec2(1.0 + t * (-0.5 + t * (1.0 / 24.0 + t * (
        -1.0 / 720.0 + t * (1.0 / 40320.0 - t * (1.0 / 3628800.0))))),
        angle + angle * t * (-1.0 / 6.0 + t * (1.0 / 120.0 + t * (
            -1.0 / 5040.0 + t * (1.0 / 362880.0)))))

# Where riders are at the middle and the end of a sub-step of h seconds if nothing acts on them.
cdef void predict(Rider* riders, int32_t n, double h) noexcept nogil

# Write the rows of links for a sub-step of h seconds: rates at mid-step, c terms, springs. Gaps of
# stops up to `touch` (m) are closed. Riders must be predicted. Returns the largest rate (m/s) at
# which rows that hold have moved.
cdef double prepare_links(Link* links, int32_t n, const Rider* riders, double h, double touch,
                          Row* rows) noexcept nogil

# The inertia that tension adds, from the present impulses of the rows: into motions and rows
# across lines. Returns the largest relative change of any.
cdef double stiffen(Link* links, int32_t n, Rider* riders, int32_t n_riders, double h, Row* rows,
                    Motion* motions) noexcept nogil

# Its last part: the inertias of riders, from their stiffness. What is added to a share of inertia
# and taken away again, `rounding`, leaves it rounded.
cdef double stiffen_riders(const Rider* riders, int32_t n_riders, double h, double rounding,
                           Motion* motions) noexcept nogil

# Rows that hold give a little: after this those of redundant joints (a rod between welded bodies)
# can be solved directly, too.
cdef void loosen(const Link* links, int32_t n, const Rider* riders, Row* rows) noexcept nogil

# Share of its turning that a stiff body loses against the last sub-step, before the solve.
cdef void calm(const Rider* riders, int32_t n, double h, Motion* motions) noexcept nogil

# The impulses and the work of links as if nothing had been solved in this piece.
cdef void forget_piece(Link* links, int32_t n) noexcept nogil

# Whether the vector force of a drag is beyond its bound; then its rows get bounds that hold it.
cdef bint cap_drags(const Link* links, int32_t n, double h, Row* rows) noexcept nogil

# Forces of the solved rows of a sub-step of h seconds into the joints, and what they bore into
# their sums (N s, J). Returns the work (J) of motors and bodies that move by themselves on those
# that are pushed. Books what the joints did; threshold: m/s, of strikes.
cdef double take_links(Link* links, int32_t n, const Rider* riders, const Motion* motions,
                       const Row* rows, double h, double threshold,
                       Books* books) noexcept nogil

# J, that the springs of links hold where their riders are.
cdef double spring_energy(const Link* links, int32_t n, const Rider* riders) noexcept nogil

# J, of the inertia that the rule of springs takes away in sub-steps of h seconds for their periods
# to be the true ones: so much more than what they held do they give, and take again.
cdef double swing_energy(const Link* links, int32_t n, const Rider* riders,
                         double h) noexcept nogil

# Rows that bring places back to what joints hold: y = C + J dx. Returns the largest error of what
# is held, m or rad; `rows` may be NULL.
cdef double position_rows(Link* links, int32_t n, const Rider* riders, Row* rows) noexcept nogil
