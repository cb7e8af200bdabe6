"""Round particles that collide with impulses, in 1, 2 or 3 dimensions: the fields."""

from enginecore.cells cimport Ball, PairFinder
from enginecore.grains cimport Counts, Cursor, Grain, Jolt, Law, Plane, Vec

cdef class Particles:
    """Round particles and planes; see particles.pyi."""

    cdef Py_ssize_t n
    cdef int axes                   # 1, 2 or 3
    cdef bint sequential
    cdef bint busy                  # a step is under way, perhaps in another thread
    cdef Law law
    cdef Vec g                      # gravity, m/s^2
    cdef Counts counts
    cdef double elapsed             # s
    cdef double typical_radius      # m, the median
    cdef PairFinder finder

    # numpy arrays that own the memory, and the pointers into them
    cdef object x_array             # (n, dim) m; the state, untouched until a step has succeeded
    cdef object v_array             # (n, dim) m/s
    cdef object r_array             # (n,) m
    cdef object m_array             # (n,) kg
    cdef object plane_array         # (planes, 6): point, normal
    cdef object scratch             # arrays behind the pointers below
    cdef double* x
    cdef double* v
    cdef const double* r
    cdef const double* m
    cdef Plane* walls               # n_planes
    cdef Py_ssize_t n_planes
    cdef Grain* grains              # n
    cdef Ball* balls                # n: where each particle was when neighbours were searched last
    cdef Jolt* jolts                # n: sums, jacobi only

    cdef void allocate(self)
    cdef void strike_in_turn(self)
    cdef void strike_at_once(self)
    cdef void refresh_neighbours(self)
    cdef void follow(self, Py_ssize_t i, Cursor at)
    cdef void forget_neighbours(self)
