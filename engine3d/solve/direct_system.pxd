"""A problem while it is solved directly: what the attempts and Newton's step share."""

from engine3d.solve.cone cimport Cone
from engine3d.solve.solver_direct cimport DirectMemory

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
