"""Small islands solved exactly, all contacts at once, friction isotropic (solver3d.md)."""

cimport cython
from libc.stdint cimport int64_t

from engine3d.solve.cone cimport Cone
from engine3d.solve.direct_system cimport DirectMemory

# What happened, for world.stats.
ctypedef struct DirectCounters:
    int64_t direct_solves     # problems given
    int64_t direct_kept       # of these: last impulses still held
    int64_t direct_fallbacks  # Newton did not settle at once, the ladder of proximal problems ran
    int64_t direct_failures   # nothing did to 1e-8: the best found was used


@cython.final
cdef class DirectWorkspace:
    """Memory for the largest problem it was asked to reserve room for; it never shrinks."""
    cdef DirectMemory memory
    cdef list _arrays
    cdef int reserve(self, int n_cones, int n_bodies) except -1
    cdef void* allocate(self, Py_ssize_t size) except NULL

# Find the impulses of n contacts of m bodies. V: 6 (m + 1) whitened velocities without impulses, in
# and out; those after the last body are 0. drift (m/s): how fast contacts at rest move: impulses of
# last time are kept if they leave no more. Returns the residual (m/s).
cdef double solve_cones(Cone* cones, int n, double* V, int m, double drift, DirectMemory* memory,
                        DirectCounters* counters) noexcept nogil
