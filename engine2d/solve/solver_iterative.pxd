# distutils: include_dirs = engine2d/solve enginecore
"""Passes over contacts that push bodies apart little by little (docs/maths/iterative_solver.md).

Contacts of one pair of bodies come as a manifold: one or two points with one normal, and one row of
friction in their middle. Four manifolds make a block, of which no two share a body that moves: the
block is solved at once, in vectors of four numbers. A pass goes through a list of blocks and
changes the velocities of the bodies as it goes (Gauss-Seidel), so the order is part of the answer.
"""

from libc.stdint cimport int32_t, uint8_t

from engine2d.body cimport Motion
from engine2d.vec2 cimport Vec2

# What a sub-step does to a body besides contacts: one cache line.
ctypedef struct Drive:
    Vec2 v0           # m/s, in this sub-step before contacts: the rest is what they gave
    double w0         # rad/s
    double inv_I      # as in Motion, where it stands beside velocities; it never changes
    Vec2 a            # m/s^2, of external forces
    double alpha      # rad/s^2
    double none       # 0

# A body's mass and inertia (kg, kg m^2), 0 for what no impulse moves.
ctypedef struct LineMass:
    double m          # for x
    double m_y        # the same, for y
    double inertia
    double none       # 0

cdef extern from "lanes.h" nogil:
    ctypedef struct BlockPoint "LanePoint":
        double ra[4]      # m, rA x n: what a turn of A does to the gap
        double rb[4]      # m, rB x n
        double mass[4]    # kg, that an impulse along n meets here
        double gap[4]     # m, when the step began
        double now[4]     # m, where bodies are now: a relax pass writes it, a soft pass goes by it
        double p[4]       # N s, normal impulse of this sub-step, >= 0
        double sum[4]     # N s, over all sub-steps

    ctypedef struct Block "LaneBlock":
        int32_t a[4]      # line of the body the normal points into
        int32_t b[4]      # line of the other
        int32_t contact[4]  # its first point's place among the contacts
        uint8_t points[4]   # 1 or 2; 0: an empty lane
        int32_t n_points    # 1 or 2, the same for all
        int32_t is_round    # of one point, whose gap no turning changes: ra, rb are 0 there
        double nx[4]      # unit normal, from B into A
        double ny[4]
        double mu[4]
        double drive[4]   # m/s, along t: how fast A's surface runs against B's
        double inv_ma[4]  # 1/kg
        double inv_mb[4]
        double ra[4]      # m, rA x t with t = z x n, at the middle of the points
        double rb[4]
        double mass[4]    # kg, that an impulse along t meets there
        double p[4]       # N s, friction impulse of this sub-step
        double sum[4]     # N s, over all sub-steps
        BlockPoint point[2]

    # How a penetrating contact is pushed out: as a spring and a damper, solved implicitly.
    ctypedef struct Softness "LaneSoft":
        double rate           # 1/s: penetration times this is the speed asked for
        double mass_scale     # share of the impulse for that speed that is given, and kept
        double deep           # m: overlaps beyond it are pushed out as if rigid


cdef Softness make_soft(double hertz, double damping_ratio, double h) noexcept nogil

# One pass in which overlaps are pushed out as `soft` says, at no more than `fastest` (m/s); h (s)
# is the sub-step. Lines are on cache lines of their own. backwards: from the last block on.
cdef void pass_soft(Motion* lines, Block* blocks, int32_t n, const Softness* soft, double h,
                    double fastest, bint backwards) noexcept nogil

# One pass in which overlaps are left alone: it takes back the speed that the other one added. Adds
# the impulses to the sums.
cdef void pass_rigid(Motion* lines, Block* blocks, int32_t n, double h) noexcept nogil

# n bodies through a sub-step h (s) without contacts; they are given again what contacts gave in the
# last one. share: of scale_lines, which comes first; most often 0.
cdef void drive_lines(Motion* lines, Drive* drives, const LineMass* masses, int32_t n, double h,
                      double share) noexcept nogil

# Move n bodies with the velocities they have; those that contacts gave nothing, in a parabola.
cdef void move_lines(Motion* lines, const Drive* drives, int32_t n, double h) noexcept nogil

# J, that contacts gave to n bodies in this sub-step; forced: W, of external forces on the
# velocities that contacts gave; kinetic: J, of these bodies; along: J, of the impulses that they
# gave times the velocities now: what they had given more if all went twice as fast.
cdef double sum_gain(const Motion* lines, const Drive* drives, const LineMass* masses, int32_t n,
                     double* forced, double* kinetic, double* along) noexcept nogil

# Add a share of their velocities to these of n bodies and to those before contacts, where there is
# a mass or an inertia: what contacts gave stays what it is.
cdef void scale_lines(Motion* lines, Drive* drives, const LineMass* masses, int32_t n,
                      double share) noexcept nogil
