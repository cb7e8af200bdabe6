"""The numbers of assemblies: the systems of their joints, written, factored and solved.

enginecore.assembly_store has which joints hang together, and the order of their factors.
"""

from libc.stdint cimport int32_t

from enginecore.assembly_store cimport Assembly
from engine2d.body cimport Motion
from engine2d.joint.link cimport Link
from engine2d.solve.row cimport Row

cdef extern from *:
    """
    // A factor of rows that have moved since is kept as long as each solve with it leaves no more
    // than this share of what was wrong; such solves are repeated until so little of the first is
    // left.
    #define ENGINE_KEPT_SHARE 0.03
    #define ENGINE_KEPT_LEAVES 1e-9
    // Systems whose factor is dear are rounded to 2^-40 of what a body's mass makes of them: those
    // of a structure at rest are then the same in every step, bit by bit, and so is the factor.
    // Added and taken away again, so many times a number leaves it rounded.
    #define ENGINE_ROUNDING (1.5 * 4096.0)
    """
    double KEPT_SHARE "ENGINE_KEPT_SHARE"
    double KEPT_LEAVES "ENGINE_KEPT_LEAVES"
    double ROUNDING "ENGINE_ROUNDING"

cdef inline double rounding_of(const Assembly* a) noexcept nogil:
    """What the numbers of a system are rounded by; 0: not at all."""
    return ROUNDING if a.is_dear else 0.0


cdef inline double rounded(double x, double by) noexcept nogil:
    return (x + by) - by

# Where a system is to be written, all zero: diagonal blocks by place to D, couplings to L, at
# `Coupling.at` of a dear one, else where the factor has their blocks. Then factor it, unless it is
# what the factor is of.
cdef void open_system(Assembly* a, double** D, double** L) noexcept nogil
cdef void factor_system(Assembly* a) noexcept nogil

# Give the rows without bounds the impulses that make their y zero: into rows and motions, unless no
# |y| is above `enough` (m/s). Factors A = J M^-1 Jt + soft where no factor will do; link_of: by row
# of the joint, its link. Returns the largest |y| there was.
cdef double solve_assembly(Assembly* a, const int32_t* members, const int32_t* link_of,
                           const Link* links, Row* rows, Motion* motions,
                           double enough) noexcept nogil

# Let the rows of an assembly that are in its factor answer motions `probe` that impulses gave; its
# masses are those of `motions`, with which they are factored if they are not.
cdef void spread_assembly(Assembly* a, const int32_t* members, const int32_t* link_of,
                          const Link* links, const Row* rows, const Motion* motions,
                          Motion* probe) noexcept nogil

# Projected Gauss-Seidel over the rows with bounds, or with `hard` over all of them; returns the
# largest |y| that was corrected.
cdef double sweep_rows(const Link* links, int32_t n, Row* rows, Motion* motions,
                       bint hard) noexcept nogil
