"""Small islands solved exactly, all contacts at once, friction isotropic (solver3d.md)."""

cimport cython
from libc.stdint cimport int64_t

from engine3d.solve.cone cimport Cone

# What happened, for world.stats.
ctypedef struct DirectCounters:
    int64_t direct_solves     # problems given
    int64_t direct_kept       # of these: last impulses still held
    int64_t direct_fallbacks  # Newton did not settle at once, the ladder of proximal problems ran
    int64_t direct_failures   # nothing did to 1e-8: the best found was used

# Scratch, never allocated inside. n cones, m bodies and one for all that is immovable.
ctypedef struct DirectMemory:
    int n_cones
    int n_bodies
    double least      # m/s: below this b is as good as zero and sets no scale; the caller writes it
    double* d         # 2 n, 1/kg: diagonal of A, normal and mean of the tangents
    double* b         # 3 n, m/s: y without impulses
    double* y         # 3 n, m/s
    double* p         # 3 n, N s
    double* center    # 3 n, N s: where the proximal term pulls to
    double* best      # 3 n
    double* tried     # 3 n
    double* g         # 3 n, N s: Newton's step without the bodies' motion
    double* G         # 9 n, kg: its change with their velocities
    double* slip      # 3 n: direction of sliding (2) and share kappa
    double* V         # 6 (m + 1): whitened velocities
    double* free_V    # 6 (m + 1)
    double* x         # 6 m
    double* M         # (6 m)^2
    int* mode         # n
    int* best_mode    # n
    int* tried_mode   # n
    int* order        # 6 m: row exchanges
    int* first        # 6 m: where rows of M begin


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
