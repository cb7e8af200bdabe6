# distutils: include_dirs = engine2d/solve enginecore
"""Large islands through a step, by sub-steps of a spring-like solver.

docs/maths/iterative_solver.md.
"""

from libc.stdint cimport int32_t

from engine2d.solve.large_work cimport LargeWorkspace
from engine2d.solve.step_context cimport StepContext

cdef class LargeBuffers:
    cdef LargeWorkspace work
    cdef dict arrays       # own the memory

    # Room for a world of so many bodies and contacts.
    cdef int reserve(self, Py_ssize_t bodies, Py_ssize_t contacts) except -1 nogil
    cdef int grow(self, Py_ssize_t bodies, Py_ssize_t contacts) except -1 with gil

# Add an island to those that the next call of step_large carries: rows of its bodies, and the
# indices of all its contacts, ascending.
cdef void add_island(const int32_t* rows, int32_t n_rows, const int32_t* touching,
                     int32_t n_touching, LargeWorkspace* work) noexcept nogil

# Whether bodies of an island were put into each other: it is then to be carried alone, `overlaps`.
cdef bint has_overlaps(const StepContext* ctx, const int32_t* touching, int32_t n) noexcept nogil

# Whether masses of an island differ so much that it is to be carried alone, `uneven`.
cdef bint is_uneven(const StepContext* ctx, const int32_t* rows, int32_t n) noexcept nogil

# Carry the islands added through work.dt. Writes motions, places, contacts and counters.
cdef void step_large(StepContext* ctx, LargeWorkspace* work, bint overlaps,
                     bint uneven) noexcept nogil
