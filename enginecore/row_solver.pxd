"""What solvers of small islands go by, in any dimension: rows solved all at once, each attempt
measured by its residual (docs/maths/fixed_step.md, docs/maths/solver3d.md)."""

from enginecore.scalar cimport greater, lesser

cdef extern from *:
    """
    #define ENGINE_PROXIMAL 1e-6
    #define ENGINE_WEAK_PROXIMAL 1e-10
    #define ENGINE_GAIN 0.1
    #define ENGINE_KEPT 1e-10
    #define ENGINE_FIRST 2e-13
    #define ENGINE_WANTED 1e-15
    #define ENGINE_ENOUGH 1e-8
    #define ENGINE_EPSILON 2.220446049250313e-16
    #define ENGINE_SUM_ROUNDING (32 * ENGINE_EPSILON)
    #define ENGINE_LEAST_PIVOT 1e-12
    #define ENGINE_LEAST_SCALE 1e-6
    """
    # Share of the diagonal that holds each impulse at its centre: impulses that the motion does not
    # tell (redundant contacts) stay where they were, and every matrix can be factored.
    double PROXIMAL "ENGINE_PROXIMAL"
    # The same where mass ratios beyond 1e4, or jammed contacts, would make the iteration crawl:
    # where a pass leaves more than the share GAIN of the residual.
    double WEAK_PROXIMAL "ENGINE_WEAK_PROXIMAL"
    double GAIN "ENGINE_GAIN"
    # Residuals relative to the largest of b. Impulses are kept while they are as good as KEPT; what
    # they leave adds up from solve to solve, so they must be as good as FIRST to be kept at first:
    # an impulse that also stopped something is not that of rest. A solve aims at WANTED; ENOUGH is
    # solved, where rounding allows no more.
    double KEPT "ENGINE_KEPT"
    double FIRST "ENGINE_FIRST"
    double WANTED "ENGINE_WANTED"
    double ENOUGH "ENGINE_ENOUGH"
    # What rounding leaves of a sum of terms of size one, and the most that it may.
    double EPSILON "ENGINE_EPSILON"
    double SUM_ROUNDING "ENGINE_SUM_ROUNDING"
    # Pivots of the scaled matrix below this are zero.
    double LEAST_PIVOT "ENGINE_LEAST_PIVOT"
    # m/s, times the root of the unit: below this, b is as good as zero and does not set a scale.
    double LEAST_SCALE "ENGINE_LEAST_SCALE"
cdef enum:
    PASSES = 3            # of the proximal iteration, and so many more as it gains by them
    MOST_PASSES = 12


cdef inline double most_kept(double scale, double size, double drift) noexcept nogil:
    """The residual (m/s) up to which impulses of last time are kept, where b is at most `scale`
    (m/s), the largest term that is summed `size`, and rows at rest moved by at most `drift`."""
    return greater(lesser(KEPT * scale, greater(FIRST * scale, 2.0 * drift)), SUM_ROUNDING * size)


cdef inline double wanted_of(double scale, double size) noexcept nogil:
    """The residual (m/s) to aim at."""
    return greater(WANTED * scale, EPSILON * size)


cdef inline double dot_range(const double* a, const double* b, int low, int high) noexcept nogil:
    """Sum of a[k] b[k] for low <= k < high, in two sums side by side."""
    cdef double s0 = 0.0, s1 = 0.0
    cdef int k = low
    while k + 1 < high:
        s0 += a[k] * b[k]
        s1 += a[k + 1] * b[k + 1]
        k += 2
    if k < high:
        s0 += a[k] * b[k]
    return s0 + s1
