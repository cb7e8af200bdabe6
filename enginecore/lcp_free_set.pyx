"""The free rows of a pivoting method and their Cholesky factor: see lcp_free_set.pxd."""

from libc.math cimport fabs

from enginecore.dense cimport (add_product, cholesky_append, cholesky_backward, cholesky_drop,
                               cholesky_forward, dot, largest_of)

# Noise of w, per unit of the sum of |x| (the diagonal is about 1).
cdef double RESIDUAL_ROUNDING = 2e-15
cdef double DEPENDENT = 5e-14   # a pivot below this (times 1 + |v|^2) is zero: row = sum v_j row_j
cdef double CLEAR_PIVOT = 1e-6  # a pivot above this is independent without asking for v


cdef void exchange_places(Pivoting* s, Py_ssize_t p, Py_ssize_t q) noexcept nogil:
    """Exchange two permuted rows and columns; the factor is the caller's business."""
    cdef Py_ssize_t i, n = s.n
    cdef double* row
    cdef double* other
    if p == q:
        return
    row = s.P + p * n
    other = s.P + q * n
    for i in range(n):
        row[i], other[i] = other[i], row[i]
    for i in range(n):
        row = s.P + i * n
        row[p], row[q] = row[q], row[p]
    s.b[p], s.b[q] = s.b[q], s.b[p]
    s.lo[p], s.lo[q] = s.lo[q], s.lo[p]
    s.hi[p], s.hi[q] = s.hi[q], s.hi[p]
    s.x[p], s.x[q] = s.x[q], s.x[p]
    s.w[p], s.w[q] = s.w[q], s.w[p]
    s.slope[p], s.slope[q] = s.slope[q], s.slope[p]
    s.mark[p], s.mark[q] = s.mark[q], s.mark[p]
    s.index[p], s.index[q] = s.index[q], s.index[p]
    s.place[s.index[p]] = <int>p
    s.place[s.index[q]] = <int>q


cdef double pivot_of(Pivoting* s, Py_ssize_t q) noexcept nogil:
    """Solve L y = column q of the free rows; return the pivot that row q would have."""
    cdef Py_ssize_t r
    cdef const double* row = s.P + q * s.n
    for r in range(s.k):
        s.a[r] = row[s.member[r]]
    return cholesky_forward(s.L, s.n, s.k, s.a, row[q], s.y)


cdef double cleaned_pivot(Pivoting* s, double pivot, Py_ssize_t q) noexcept nogil:
    """The pivot of row q, or 0 when it is rounding: the row depends on the free ones.

    `a` holds v, the row as a sum of free rows; rounding of the free block is felt |v|^2 times.
    """
    cdef double noise = DEPENDENT * (s.P[q * s.n + q] + dot(s.a, s.a, s.k))
    if pivot < -1e6 * noise - 1e-9:
        s.indefinite = True
    return pivot if pivot > noise else 0.0


cdef void refine_sum(Pivoting* s, Py_ssize_t q) noexcept nogil:
    """Improve `a`, row q as a sum of free rows: the factor's rounding makes null vectors leak."""
    cdef Py_ssize_t r
    cdef int _again
    for _again in range(2):
        for r in range(s.k):
            s.slope[s.member[r]] = s.a[r]
        for r in range(s.k):
            s.turns[r] = s.P[q * s.n + s.member[r]] - dot(s.P + s.member[r] * s.n, s.slope, s.k)
        cholesky_forward(s.L, s.n, s.k, s.turns, 0.0, s.y)
        cholesky_backward(s.L, s.n, s.k, s.y)
        for r in range(s.k):
            s.a[r] += s.y[r]


cdef bint add_free(Pivoting* s, Py_ssize_t q) noexcept nogil:
    """Make held row q free; False when it depends on the free rows."""
    cdef Py_ssize_t r
    cdef double pivot = pivot_of(s, q)
    if not pivot > CLEAR_PIVOT * s.P[q * s.n + q]:
        for r in range(s.k):
            s.a[r] = s.y[r]
        cholesky_backward(s.L, s.n, s.k, s.a)
        pivot = cleaned_pivot(s, pivot, q)
        if pivot == 0.0:
            return False
    append_free(s, q, pivot)
    return True


cdef void append_free(Pivoting* s, Py_ssize_t q, double pivot) noexcept nogil:
    """Row q becomes free, with the y and the pivot just computed."""
    cholesky_append(s.L, s.n, s.k, s.y, pivot)
    exchange_places(s, s.k, q)
    s.member[s.k] = <int>s.k
    s.rank[s.k] = <int>s.k
    s.mark[s.k] = 0
    s.k += 1


cdef void leave_place(Pivoting* s, Py_ssize_t j) noexcept nogil:
    """Move free row j behind the free rows; its row of the factor is already gone or marked."""
    s.k -= 1
    if j != s.k:
        exchange_places(s, j, s.k)
        s.rank[j] = s.rank[s.k]
        s.member[s.rank[j]] = <int>j


cdef void drop_free(Pivoting* s, Py_ssize_t j) noexcept nogil:
    """Hold free row j: one row leaves the factor."""
    cdef Py_ssize_t r
    cholesky_drop(s.L, s.n, s.k, s.rank[j], s.turns)
    for r in range(s.rank[j], s.k - 1):
        s.member[r] = s.member[r + 1]
        s.rank[s.member[r]] = <int>r
    leave_place(s, j)


cdef void drop_marked(Pivoting* s) noexcept nogil:
    """Hold all marked free rows; the factor is rebuilt from the first of them on."""
    cdef Py_ssize_t j, r, p, last = s.k, kept = s.k
    for j in range(s.k - 1, -1, -1):
        if s.mark[j]:
            kept = min(kept, <Py_ssize_t>s.rank[j])
            s.member[s.rank[j]] = -1
            leave_place(s, j)
    s.k = kept
    for r in range(kept, last):
        if s.member[r] >= 0:
            p = s.member[r]
            cholesky_append(s.L, s.n, s.k, s.y, max(pivot_of(s, p), DEPENDENT))
            s.member[s.k] = <int>p
            s.rank[p] = <int>s.k
            s.k += 1


cdef double noise_of(const Pivoting* s) noexcept nogil:
    """What rounding can make of a w that should be zero."""
    cdef Py_ssize_t p
    cdef double sum = 1.0
    for p in range(s.n):
        sum += fabs(s.x[p])
    return RESIDUAL_ROUNDING * sum


cdef double solve_free(Pivoting* s) noexcept nogil:
    """Move the free x so that their w vanish, whatever their bounds; the largest |w| before."""
    cdef Py_ssize_t p, r
    for p in range(s.k):
        s.w[p] = s.b[p]
    add_product(s.P, s.n, s.k, s.n, s.x, s.w)
    for r in range(s.k):
        s.a[r] = s.w[s.member[r]]
    cholesky_forward(s.L, s.n, s.k, s.a, 0.0, s.y)
    cholesky_backward(s.L, s.n, s.k, s.y)
    for r in range(s.k):
        s.x[s.member[r]] -= s.y[r]
    return largest_of(s.w, s.k)


cdef void find_held_w(Pivoting* s) noexcept nogil:
    """w of the held rows, from nothing."""
    cdef Py_ssize_t p
    for p in range(s.k, s.n):
        s.w[p] = s.b[p]
    add_product(s.P + s.k * s.n, s.n, s.n - s.k, s.n, s.x, s.w + s.k)
