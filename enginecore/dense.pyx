"""Small dense linear algebra: see dense.pxd for the contracts."""

from libc.math cimport fabs, sqrt


cdef void add_product(const double* matrix, Py_ssize_t ld, Py_ssize_t rows, Py_ssize_t columns,
                      const double* x, double* y) noexcept nogil:
    """y[i] += row i of matrix . x; four rows at a time, so that x is read once for the four."""
    cdef Py_ssize_t i = 0, j
    cdef const double* a
    cdef const double* b
    cdef const double* c
    cdef const double* d
    cdef double a0, a1, b0, b1, c0, c1, d0, d1
    cdef Py_ssize_t even = columns & ~<Py_ssize_t>1
    while i + 4 <= rows:
        a = matrix + i * ld
        b = a + ld
        c = b + ld
        d = c + ld
        a0 = a1 = b0 = b1 = c0 = c1 = d0 = d1 = 0.0
        for j in range(0, even, 2):
            a0 += a[j] * x[j]
            a1 += a[j + 1] * x[j + 1]
            b0 += b[j] * x[j]
            b1 += b[j + 1] * x[j + 1]
            c0 += c[j] * x[j]
            c1 += c[j + 1] * x[j + 1]
            d0 += d[j] * x[j]
            d1 += d[j + 1] * x[j + 1]
        if even < columns:
            a0 += a[even] * x[even]
            b0 += b[even] * x[even]
            c0 += c[even] * x[even]
            d0 += d[even] * x[even]
        y[i] += a0 + a1
        y[i + 1] += b0 + b1
        y[i + 2] += c0 + c1
        y[i + 3] += d0 + d1
        i += 4
    while i < rows:
        y[i] += dot(matrix + i * ld, x, columns)
        i += 1


cdef double cholesky_forward(const double* L, Py_ssize_t ld, Py_ssize_t k, const double* a,
                             double diagonal, double* y) noexcept nogil:
    cdef Py_ssize_t i
    cdef const double* row
    for i in range(k):
        row = L + i * ld
        y[i] = (a[i] - dot(row, y, i)) / row[i]
    return diagonal - dot(y, y, k)


cdef void cholesky_backward(const double* L, Py_ssize_t ld, Py_ssize_t k, double* z) noexcept nogil:
    cdef Py_ssize_t i
    cdef const double* row
    for i in range(k - 1, -1, -1):
        row = L + i * ld
        z[i] /= row[i]
        axpy(-z[i], row, z, i)


cdef void cholesky_append(double* L, Py_ssize_t ld, Py_ssize_t k, const double* y,
                          double pivot) noexcept nogil:
    cdef Py_ssize_t i
    cdef double* row = L + k * ld
    for i in range(k):
        row[i] = y[i]
    row[k] = sqrt(pivot)


cdef void cholesky_drop(double* L, Py_ssize_t ld, Py_ssize_t k, Py_ssize_t r,
                        double* turns) noexcept nogil:
    """Turn the columns right of r, two by two, so that the rows moved up are triangular again."""
    cdef Py_ssize_t i, j
    cdef double* row
    cdef double* above
    cdef double carried, entry, length
    for i in range(r + 1, k):
        row = L + i * ld
        above = row - ld
        for j in range(r):
            above[j] = row[j]
        # the rotations that the rows before have made
        carried = row[r]
        for j in range(r, i - 1):
            entry = row[j + 1]
            above[j] = turns[2 * j] * carried + turns[2 * j + 1] * entry
            carried = turns[2 * j] * entry - turns[2 * j + 1] * carried
        # its own, which makes the new diagonal
        entry = row[i]
        length = sqrt(carried * carried + entry * entry)
        above[i - 1] = length
        turns[2 * (i - 1)] = carried / length
        turns[2 * (i - 1) + 1] = entry / length


cdef bint cholesky_factor(double* A, Py_ssize_t ld, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    cdef double pivot
    for i in range(n):
        pivot = cholesky_forward(A, ld, i, A + i * ld, A[i * ld + i], A + i * ld)
        if not pivot > 0.0:
            return False
        A[i * ld + i] = sqrt(pivot)
    return True


cdef bint lu_factor(double* A, Py_ssize_t ld, Py_ssize_t n, double smallest,
                    int* order) noexcept nogil:
    cdef Py_ssize_t i, j, best
    cdef double* top
    cdef double* row
    cdef double factor
    for j in range(n):
        # the largest entry of the column becomes the pivot
        best = j
        for i in range(j + 1, n):
            if fabs(A[i * ld + j]) > fabs(A[best * ld + j]):
                best = i
        order[j] = <int>best
        top = A + j * ld
        if best != j:
            row = A + best * ld
            for i in range(n):
                factor = top[i]
                top[i] = row[i]
                row[i] = factor
        if not fabs(top[j]) > smallest:
            return False
        # eliminate below it
        for i in range(j + 1, n):
            row = A + i * ld
            if row[j] != 0.0:
                factor = row[j] / top[j]
                row[j] = factor
                axpy(-factor, top + j + 1, row + j + 1, n - j - 1)
    return True


cdef void lu_solve(const double* LU, Py_ssize_t ld, Py_ssize_t n, const int* order,
                   double* x) noexcept nogil:
    cdef Py_ssize_t i
    cdef double swap
    for i in range(n):
        swap = x[i]
        x[i] = x[order[i]]
        x[order[i]] = swap
    for i in range(n):
        x[i] -= dot(LU + i * ld, x, i)
    for i in range(n - 1, -1, -1):
        x[i] = (x[i] - dot(LU + i * ld + i + 1, x + i + 1, n - i - 1)) / LU[i * ld + i]


cdef bint lu_factor_band(double* A, Py_ssize_t ld, Py_ssize_t n, Py_ssize_t band, double smallest,
                         int* order) noexcept nogil:
    """Exchanges leave the factors to the left where they are: the solve makes them in turn."""
    cdef Py_ssize_t i, j, best, low, right
    cdef double* top
    cdef double* row
    cdef double factor
    for j in range(n):
        low = min(j + band + 1, n)
        right = min(j + 2 * band + 1, n)
        best = j
        for i in range(j + 1, low):
            if fabs(A[i * ld + j]) > fabs(A[best * ld + j]):
                best = i
        order[j] = <int>best
        top = A + j * ld
        if best != j:
            row = A + best * ld
            for i in range(j, right):
                factor = top[i]
                top[i] = row[i]
                row[i] = factor
        if not fabs(top[j]) > smallest:
            return False
        for i in range(j + 1, low):
            row = A + i * ld
            if row[j] != 0.0:
                factor = row[j] / top[j]
                row[j] = factor
                axpy(-factor, top + j + 1, row + j + 1, right - j - 1)
    return True


cdef void lu_solve_band(const double* LU, Py_ssize_t ld, Py_ssize_t n, Py_ssize_t band,
                        const int* order, double* x) noexcept nogil:
    cdef Py_ssize_t i, j, last
    cdef double swap
    for j in range(n):
        swap = x[j]
        x[j] = x[order[j]]
        x[order[j]] = swap
        for i in range(j + 1, min(j + band + 1, n)):
            x[i] -= LU[i * ld + j] * x[j]
    for i in range(n - 1, -1, -1):
        last = min(i + 2 * band + 1, n)
        x[i] = (x[i] - dot(LU + i * ld + i + 1, x + i + 1, last - i - 1)) / LU[i * ld + i]
