"""Assemblies: bodies that joints connect, and the factors their joints are solved with.

Order, structure and schedule depend on the joints alone: contacts come and go around them.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t

from enginecore.assembly cimport BlockFactor, Factor
from engine2d.body cimport Motion
from engine2d.joint.joint cimport JointStore
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

# Two joints that share a body: which block their coupling is added to.
ctypedef struct Coupling:
    int32_t block        # of L
    int32_t i            # joints of the assembly; i is eliminated after j
    int32_t j
    uint8_t side_i       # 0: the shared body is a, 1: b
    uint8_t side_j
    int64_t at           # where its numbers begin among those of all couplings

cdef enum FactorAge:
    NO_FACTOR = 0        # of an earlier step
    EARLIER = 1          # of rows that were there earlier in the step
    PRESENT = 2          # of the present rows

# What kernels see of an assembly.
ctypedef struct Assembly:
    Factor* f            # NULL: not planned; blocks are the joints, in their order
    int32_t first        # its joints in `AssemblyStore.members`
    int32_t n
    Coupling* couplings
    int32_t n_couplings
    double* x            # rows of the factor: right side and solution
    bint is_dear         # the factor costs far more than a solve: kept while its system is the same
    int64_t n_system     # numbers of a dear system
    double* system       # the present one
    double* factored     # the one that the factor is of
    # Of which rows the factor is: FactorAge. Rows that are written anew make it older, the step of
    # its island begins without one: what a step does never depends on those before it
    int age
    int32_t base         # of its hinges among those of the island (hinges.pxd)
    int32_t listed       # how many of them are there


cdef class AssemblyStore:
    cdef Assembly* assemblies
    cdef int32_t n
    cdef int32_t* of_joint       # by row of the joint: its assembly; -1: no body of it is dynamic
    cdef int32_t* members        # rows of joints, assembly after assembly, ascending
    cdef dict plans              # by the joints of an assembly: what is planned for it
    cdef dict arrays
    cdef int64_t seen_joints     # edits of the stores when assemblies were last listed
    cdef int64_t seen_bodies
    cdef int room

    cdef int refresh(self, JointStore store) except -1
    cdef int plan(self, int32_t k, JointStore store) except -1

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
