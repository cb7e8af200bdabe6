"""A problem while it is solved directly: what the attempts and Newton's step share."""

from engine3d.solve.cone cimport Cone

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

# n cones between m bodies, and the present guess in `work`.
ctypedef struct System:
    Cone* cones
    int n
    int m                 # bodies
    DirectMemory* work
    double scale          # m/s, the largest of b
    double size           # m/s, the largest term that is summed: what rounding is relative to
    double pull           # share of the diagonal, or 0 for the problem itself
    bint factored         # M is the factor of the present modes
    bint symmetric        # it is a Cholesky factor


cdef inline double six(const double* a, const double* b) noexcept nogil:
    """Their product, of a body."""
    return ((a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3])
            + (a[4] * b[4] + a[5] * b[5]))


cdef inline int row_mode(int mode, int r) noexcept nogil:
    """The RowMode of a row of a joint, from those of its three rows."""
    return (mode >> (2 * r)) & 3
