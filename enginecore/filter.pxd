"""Who collides with whom."""


cdef class Filter:
    cdef readonly unsigned int category  # bits: what this shape is
    cdef readonly unsigned int mask      # bits: what it collides with
    cdef readonly int group              # same group: always (> 0) or never (< 0) collide
