"""Round particles that collide with impulses, in 1, 2 or 3 dimensions: the fields."""

from enginecore.cells cimport PairFinder
from enginecore.grains cimport Cursor, Step


cdef class Particles:
    """Round particles and planes; see particles.pyi."""

    cdef Step s                     # sizes, law and pointers into the arrays below
    cdef PairFinder finder
    cdef double elapsed             # s
    cdef bint busy                  # a step is under way, perhaps in another thread

    # numpy owns the memory
    cdef object x_array             # (n, dim) m; the state, untouched until a step has succeeded
    cdef object v_array             # (n, dim) m/s
    cdef object r_array             # (n,) m
    cdef object m_array             # (n,) kg
    cdef object plane_array         # (planes, 6): point, normal
    cdef object scratch             # arrays of grains, balls and sums

    cdef void allocate(self)
    cdef void strike_in_turn(self, bint stale)
    cdef void strike_at_once(self, bint stale)
    cdef void refresh_neighbours(self, bint stale)
    cdef void forget_neighbours(self)
    cdef void follow(self, Py_ssize_t i, Cursor at)
