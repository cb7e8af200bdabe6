# distutils: include_dirs = engine3d/solve enginecore
"""A step of one large island, by sub-steps of a spring-like solver (docs/maths/solver3d.md)."""

from libc.stdint cimport int32_t

from engine3d.body cimport Place
from engine3d.contact cimport StepContext
from engine3d.solve.large_work cimport LargeWorkspace


cdef class LargeBuffers:
    cdef LargeWorkspace work
    cdef dict arrays       # own the memory
    cdef Py_ssize_t most_bodies
    cdef Py_ssize_t most_pairs

    # Room for a world of so many bodies and pairs.
    cdef int reserve(self, Py_ssize_t bodies, Py_ssize_t pairs) except -1 nogil
    cdef int grow(self, Py_ssize_t bodies, Py_ssize_t pairs) except -1 with gil

# Carry an island through ctx.dt: rows of its bodies and numbers of all its pairs, ascending.
# before: places when the step began.
cdef void step_large(StepContext* ctx, const int32_t* rows, int32_t n_rows, const int32_t* pairs,
                     int32_t n_pairs, const Place* before, LargeWorkspace* work) noexcept nogil
