"""Roots of a function of time on an interval."""

from libc.stdint cimport int64_t

# A function of x; context is the caller's.
ctypedef double (*Function)(double x, void* context) noexcept nogil

# Where f falls to `level` between low (f > level) and high (f <= level): a point at which
# f <= level, within `width` (or rounding) of one at which it is above. Secants with the Illinois
# rule, and halvings where these are slow, which are counted in bisections.
cdef double find_root(Function f, void* context, double low, double f_low, double high,
                      double f_high, double level, double width, int64_t* bisections) noexcept nogil

# The same by halving alone: the safe way, also for functions that jump.
cdef double bisect(Function f, void* context, double low, double high, double level, double width,
                   int64_t* bisections) noexcept nogil
