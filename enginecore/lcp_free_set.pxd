"""A problem split into free and held rows, with a Cholesky factor of the free block.

Free: w = 0, x between its bounds, the rows linearly independent. Held: x stays where it is. The
rows are kept permuted, the free ones first, so that every inner loop runs over neighbours; the
factor has an order of its own, so that one row can leave it without moving the others.
"""

cdef struct Pivoting:
    Py_ssize_t n
    Py_ssize_t k            # the free rows are 0 .. k-1
    double* P               # n*n, A with rows and columns permuted
    double* L               # n*n, Cholesky factor of the free block, in the order of `member`
    double* K               # n*n, scratch for the unsymmetric system of slipping rows
    double* b               # from here on in permuted order
    double* lo
    double* hi
    double* x
    double* w
    double* move            # change of x per unit step
    double* slope           # change of w per unit step
    double* a               # scratch in the factor's order
    double* y               # the same
    double* turns           # 2 n, scratch of cholesky_drop
    int* index              # permuted place -> row of the problem
    int* place              # row of the problem -> permuted place
    int* member             # row of the factor -> permuted place
    int* rank               # permuted place of a free row -> row of the factor
    int* mark               # block phase: to be exchanged; pivoting: already done
    int* order              # scratch of lu_factor
    int pivots
    int limit
    bint loose              # pivots need not keep right rows right: see solve_box
    bint indefinite         # a clearly negative pivot was met: A is not positive semidefinite

# Exchange two permuted rows and columns; the factor is the caller's business.
cdef void exchange_places(Pivoting* s, Py_ssize_t p, Py_ssize_t q) noexcept nogil

# Adding a row: its pivot (with y left in `y`), the pivot freed of rounding, a dependent row as a
# sum of free rows (in `a`) freed of it too, and the row itself.
cdef double pivot_of(Pivoting* s, Py_ssize_t q) noexcept nogil
cdef double cleaned_pivot(Pivoting* s, double pivot, Py_ssize_t q) noexcept nogil
cdef void refine_sum(Pivoting* s, Py_ssize_t q) noexcept nogil
cdef void append_free(Pivoting* s, Py_ssize_t q, double pivot) noexcept nogil
# All three at once; False when row q depends on the free rows and stays held.
cdef bint add_free(Pivoting* s, Py_ssize_t q) noexcept nogil

# Holding one free row, or all marked ones.
cdef void drop_free(Pivoting* s, Py_ssize_t j) noexcept nogil
cdef void drop_marked(Pivoting* s) noexcept nogil

# Move the free x so that their w vanish, and return the largest of those w before; w of the held
# rows; what rounding can make of a zero w.
cdef double solve_free(Pivoting* s) noexcept nogil
cdef void find_held_w(Pivoting* s) noexcept nogil
cdef double noise_of(const Pivoting* s) noexcept nogil

# Whether held row p breaks the conditions.
cdef inline bint is_wrong(const Pivoting* s, Py_ssize_t p, double noise) noexcept nogil:
    if s.w[p] < -noise:
        return s.x[p] < s.hi[p]
    return s.w[p] > noise and s.x[p] > s.lo[p]
