"""Who collides with whom."""

from enginecore.arguments cimport read_flag


cdef class Filter:
    """Who collides with whom.

    Two shapes of the same non-zero group always collide if it is positive and never if it is
    negative. Otherwise each one's category must have a bit in common with the other's mask.
    """

    def __init__(self, category=1, mask=0xFFFFFFFF, group=0):
        self.category = read_bits(category, "category")
        self.mask = read_bits(mask, "mask")
        if isinstance(group, bool) or not isinstance(group, int) or abs(group) > 0x7FFFFFFF:
            raise ValueError(f"group must be an integer of 32 bits, got {group!r}")
        self.group = group

    def allows(self, Filter other not None):
        """Whether a shape with this filter and one with the other collide."""
        cdef FilterBits one = bits_of(self), two = bits_of(other)
        return allowed(&one, &two) != 0

    def __repr__(self):
        return f"Filter(category={self.category:#x}, mask={self.mask:#x}, group={self.group})"

    def __eq__(self, other):
        return isinstance(other, Filter) and self._key() == other._key()

    def __hash__(self):
        return hash(self._key())

    def __reduce__(self):
        return Filter, self._key()

    def _key(self):
        return self.category, self.mask, self.group


cdef unsigned int read_bits(object value, str name) except? 0:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 0xFFFFFFFF:
        raise ValueError(f"{name} must be an integer of 32 bits, not negative, got {value!r}")
    return value


cdef FilterBits bits_of(Filter filter):
    cdef FilterBits out
    out.category, out.mask, out.group = filter.category, filter.mask, filter.group
    return out


cdef Sieve read_sieve(object filter, object sensors) except *:
    cdef Sieve out
    if filter is not None and not isinstance(filter, Filter):
        raise TypeError(f"filter must be a Filter, got {filter!r}")
    out.filter.category = out.filter.mask = 0xFFFFFFFF
    out.filter.group = 0
    if filter is not None:
        out.filter = bits_of(<Filter> filter)
    out.sensors = read_flag(sensors, "sensors")
    return out
