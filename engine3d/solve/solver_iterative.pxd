# distutils: include_dirs = engine3d/solve enginecore
"""Passes over contacts that push bodies apart little by little (docs/maths/solver3d.md).

Contacts of one pair of shapes are a manifold: up to four points with one normal, friction in two
directions at their middle and, of more than one point, a twist about the normal. Four manifolds
make a block, of which no two share a body that moves: the block is solved at once, in vectors of
four numbers. Angular velocities are whitened, w' = I^(1/2) R' w, so that no inertia is loaded.
"""

from libc.stdint cimport int32_t

cdef extern from "lanes.h" nogil:
    ctypedef struct Line "LaneLine":
        double v[3]        # m/s
        double inv_m       # 1/kg
        double w[3]        # whitened angular velocity
        double d[3]        # m, since the step began
        double turned[3]   # whitened turn since then

    ctypedef struct BlockPoint "LanePoint":
        double ja[3][4]    # whitened lever of A's line along the normal
        double jb[3][4]
        double mass[4]     # kg, that an impulse along n meets here
        double gap[4]      # m, when the step began
        double now[4]      # m, after the last motion
        double p[4]        # N s, normal impulse of this sub-step, >= 0
        double sum[4]      # N s, over all sub-steps

    ctypedef struct Block "LaneBlock":
        int32_t a[4]       # line of the body the normal points into
        int32_t b[4]       # line of the other
        int32_t pair[4]    # which pair; -1: an empty lane
        int32_t points[4]  # how many it has
        int32_t n_points   # the most of them
        int32_t round      # one point without a lever along the normal: spheres
        double n[3][4]     # unit normal, from B into A
        double t[3][4]     # unit tangents
        double u[3][4]
        double mu[4]
        double jat[3][4]   # whitened levers of friction
        double jbt[3][4]
        double jau[3][4]
        double jbu[3][4]
        double mtt[4]      # kg, inverse of what friction impulses do to the slip
        double mtu[4]
        double muu[4]
        double pt[4]       # N s, friction impulses of this sub-step
        double pu[4]
        double sum_t[4]    # N s, over all sub-steps
        double sum_u[4]
        double drive_t[4]  # m/s, how fast A's surface runs, less B's
        double drive_u[4]
        double ka[3][4]    # whitened lever of the twist
        double kb[3][4]
        double mass_k[4]   # kg m^2
        double pk[4]       # N m s
        double arm[4][4]   # m, of each point from the middle
        # 1/kg: what an impulse at a point does to the speed at another: 00 01 02 03 11 12 .. 33
        double k[10][4]
        double most[4]     # share of a step of all points at once that magnifies nothing
        BlockPoint point[4]

    # How a penetrating contact is pushed out: as a spring and a damper, solved implicitly.
    ctypedef struct Softness "LaneSoft":
        double rate           # 1/s: penetration times this is the speed asked for
        double mass_scale     # share of the impulse for that speed that is given
        double impulse_scale  # share of the impulse so far that is taken back
        # m: shallower overlaps are as hard as gaps. Passes leave gaps of 0: rounding would choose.
        double skin


cdef Softness make_soft(double hertz, double damping_ratio, double h, double skin) noexcept nogil

# One pass. relax: overlaps are left alone, and impulses added to the sums; else overlaps are pushed
# out as `soft` says, at no more than `fastest` (m/s). h (s): the sub-step.
cdef void run_pass(Line* lines, Block* blocks, int32_t n, const Softness* soft, double h,
                   double fastest, bint backwards, bint relax) noexcept nogil
