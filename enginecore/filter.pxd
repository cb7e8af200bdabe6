"""Who collides with whom."""

from enginecore.mix cimport FilterBits, allowed

# Which shapes a query is about.
ctypedef struct Sieve:
    FilterBits filter   # those that one with this filter would collide with
    bint sensors        # and sensors among them


cdef class Filter:
    cdef readonly unsigned int category  # bits: what this shape is
    cdef readonly unsigned int mask      # bits: what it collides with
    cdef readonly int group              # same group: always (> 0) or never (< 0) collide


cdef inline bint lets_through(const Sieve* sieve, const FilterBits* filter,
                              bint is_sensor) noexcept nogil:
    """Whether a query with this sieve is about a shape."""
    return (sieve.sensors or not is_sensor) and allowed(&sieve.filter, filter)


cdef FilterBits bits_of(Filter filter)
# Which shapes a filter lets through; None: all.
cdef Sieve read_sieve(object filter, object sensors) except *
