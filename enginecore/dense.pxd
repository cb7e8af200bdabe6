"""Small dense linear algebra on row-major blocks: vectors, an updatable Cholesky factor, LU.

A matrix is a pointer and `ld`, the distance between rows. Sums are taken in two or four interleaved
parts, always in the same order: the compiler can use vector registers and the bits never change.
"""

from libc.math cimport fabs

cdef inline double dot(const double* a, const double* b, Py_ssize_t n) noexcept nogil:
    """Sum of a[i] b[i]."""
    cdef double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0
    cdef Py_ssize_t i, whole = n & ~<Py_ssize_t>3
    for i in range(0, whole, 4):
        s0 += a[i] * b[i]
        s1 += a[i + 1] * b[i + 1]
        s2 += a[i + 2] * b[i + 2]
        s3 += a[i + 3] * b[i + 3]
    for i in range(whole, n):
        s0 += a[i] * b[i]
    return (s0 + s2) + (s1 + s3)

cdef inline void axpy(double c, const double* x, double* y, Py_ssize_t n) noexcept nogil:
    """y += c x."""
    cdef Py_ssize_t i
    for i in range(n):
        y[i] += c * x[i]

cdef inline double largest_of(const double* values, Py_ssize_t count) noexcept nogil:
    """The largest magnitude."""
    cdef double m0 = 0.0, m1 = 0.0
    cdef Py_ssize_t i, whole = count & ~<Py_ssize_t>1
    for i in range(0, whole, 2):
        m0 = fabs(values[i]) if fabs(values[i]) > m0 else m0
        m1 = fabs(values[i + 1]) if fabs(values[i + 1]) > m1 else m1
    if whole < count and fabs(values[whole]) > m0:
        m0 = fabs(values[whole])
    return m1 if m1 > m0 else m0

# y += rows x: the product of `rows` rows of a matrix with one vector.
cdef void add_product(const double* matrix, Py_ssize_t ld, Py_ssize_t rows, Py_ssize_t columns,
                      const double* x, double* y) noexcept nogil

# Cholesky L L' of a growing and shrinking set of rows; L is lower triangular, row-major.
# Forward: solve L y = a for the first k rows; return `diagonal - y.y`, the pivot of a new row.
cdef double cholesky_forward(const double* L, Py_ssize_t ld, Py_ssize_t k, const double* a,
                             double diagonal, double* y) noexcept nogil
# Backward: solve L' z = y in place.
cdef void cholesky_backward(const double* L, Py_ssize_t ld, Py_ssize_t k, double* z) noexcept nogil
# Append row k, given the y and the pivot > 0 that the forward solve returned.
cdef void cholesky_append(double* L, Py_ssize_t ld, Py_ssize_t k, const double* y,
                          double pivot) noexcept nogil
# Drop row r of k; rows below move up. `turns` is scratch for 2 k numbers.
cdef void cholesky_drop(double* L, Py_ssize_t ld, Py_ssize_t k, Py_ssize_t r,
                        double* turns) noexcept nogil
# Factor a symmetric positive definite matrix in place (lower triangle); False when it is not.
cdef bint cholesky_factor(double* A, Py_ssize_t ld, Py_ssize_t n) noexcept nogil

# LU with partial pivoting, in place; `order` receives the row exchanges. False when a pivot is
# not above `smallest`.
cdef bint lu_factor(double* A, Py_ssize_t ld, Py_ssize_t n, double smallest,
                    int* order) noexcept nogil
cdef void lu_solve(const double* LU, Py_ssize_t ld, Py_ssize_t n, const int* order,
                   double* x) noexcept nogil

# The same of a band matrix, `band` entries to either side of the diagonal: entry (i, j) is
# A[i * ld + j], with room for 2 band entries right of the diagonal. With ld = 3 band and A a place
# `band` entries into its memory, rows lie close together and n (3 band + 1) numbers are enough.
cdef bint lu_factor_band(double* A, Py_ssize_t ld, Py_ssize_t n, Py_ssize_t band, double smallest,
                         int* order) noexcept nogil
cdef void lu_solve_band(const double* LU, Py_ssize_t ld, Py_ssize_t n, Py_ssize_t band,
                        const int* order, double* x) noexcept nogil
