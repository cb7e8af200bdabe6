"""How a pair's friction and restitution come from those of its shapes, and who may meet whom."""

from libc.math cimport sqrt
from libc.stdint cimport int32_t, uint32_t

from enginecore.scalar cimport greater, lesser

cdef enum MixRule:
    MIX_GEOMETRIC = 0   # sqrt(a b)
    MIX_MAXIMUM = 1
    MIX_MINIMUM = 2
    MIX_AVERAGE = 3
    MIX_PRODUCT = 4


cdef inline double mix(int rule, double a, double b) noexcept nogil:
    """One number of a pair from those of its two shapes."""
    if rule == MIX_GEOMETRIC:
        return sqrt(a * b)
    if rule == MIX_MAXIMUM:
        return greater(a, b)
    if rule == MIX_MINIMUM:
        return lesser(a, b)
    if rule == MIX_AVERAGE:
        return 0.5 * (a + b)
    return a * b


# The bits of a Filter.
ctypedef struct FilterBits:
    uint32_t category
    uint32_t mask
    int32_t group


cdef inline bint allowed(const FilterBits* a, const FilterBits* b) noexcept nogil:
    """Whether the filters of two shapes let them collide."""
    if a.group == b.group and a.group != 0:
        return a.group > 0
    return (a.category & b.mask) != 0 and (b.category & a.mask) != 0
