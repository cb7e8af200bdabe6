"""Newton's step of the direct solver: direct_newton.pxd has the contract.

Unknowns are the rows whose impulse lies inside its bounds; friction that slides is part of its
normal's column. Where an island is long their matrix is a narrow band.
"""

from libc.math cimport sqrt
from libc.string cimport memset

from enginecore.dense cimport lu_factor_band, lu_solve_band
from enginecore.row_solver cimport LEAST_PIVOT, dot_range
from engine2d.body cimport Motion
from engine2d.solve.direct_system cimport DirectMemory, is_unknown, presses
from engine2d.solve.row cimport INSIDE, Row


cdef inline double coupling(const System* s, int i, int j) noexcept nogil:
    """1/kg: what the body of sides i and j adds to A; a side is 2 row, or 2 row + 1 for body b."""
    cdef const Row* ri = &s.rows[i >> 1]
    cdef const Row* rj = &s.rows[j >> 1]
    cdef const double* x = &ri.jb[0] if i & 1 else &ri.ja[0]
    cdef const double* y = &rj.jb[0] if j & 1 else &rj.ja[0]
    cdef const Motion* body = &s.motions[ri.b if i & 1 else ri.a]
    return body.inv_m * (x[0] * y[0] + x[1] * y[1]) + body.inv_I * x[2] * y[2]


cdef inline bint is_movable(const Motion* body) noexcept nogil:
    return body.inv_m > 0.0 or body.inv_I > 0.0


cdef void list_members(System* s) noexcept nogil:
    """The sides of rows that act on each body, body after body."""
    cdef DirectMemory* m = s.work
    cdef int i, k, total = 0
    memset(m.begin, 0, (s.n_motions + 1) * sizeof(int))
    for i in range(s.n):
        m.begin[s.rows[i].a] += 1
        m.begin[s.rows[i].b] += 1
    for k in range(s.n_motions + 1):
        total += m.begin[k]
        m.begin[k] = total
    # filling backwards leaves begin[k] at the first of body k
    for i in range(2 * s.n - 1, -1, -1):
        k = s.rows[i >> 1].b if i & 1 else s.rows[i >> 1].a
        m.begin[k] -= 1
        m.member[m.begin[k]] = i


cdef void put_in_order(System* s) noexcept nogil:
    """Number the bodies outwards from one end, and the rows by the later of their bodies: those of
    distant bodies are then far apart, and the factor is a narrow band where an island is long."""
    cdef DirectMemory* m = s.work
    cdef int i, k, last = -1, total = 0
    list_members(s)
    for i in range(s.n):
        m.scale[i] = 1.0 / sqrt(m.d[i]) if m.d[i] > 0.0 else 0.0
    for k in range(s.n_motions):
        if is_movable(&s.motions[k]):
            last = k
            break
    if last >= 0:
        # a walk from anywhere ends at an end
        for k in range(s.n_motions):
            m.rank[k] = -1
        walk(s, last, 0)
        for k in range(s.n_motions):
            if m.rank[k] > m.rank[last]:
                last = k
        for k in range(s.n_motions):
            m.rank[k] = -1
        total = walk(s, last, 0)
    for k in range(s.n_motions):
        if m.rank[k] < 0 and is_movable(&s.motions[k]):
            total = walk(s, k, total)
    sort_rows(s, total)
    s.ordered = True


cdef int walk(System* s, int start, int count) noexcept nogil:
    """Rank the movable bodies that rows connect to this one, from `count` on, the nearest first;
    one more than the last rank."""
    cdef DirectMemory* m = s.work
    cdef int head = count, u, k, other
    cdef const Row* row
    m.rank[start] = count
    m.queue[count] = start
    count += 1
    while head < count:
        k = m.queue[head]
        head += 1
        for u in range(m.begin[k], m.begin[k + 1]):
            row = &s.rows[m.member[u] >> 1]
            other = row.a if m.member[u] & 1 else row.b
            if m.rank[other] < 0 and is_movable(&s.motions[other]):
                m.rank[other] = count
                m.queue[count] = other
                count += 1
    return count


cdef inline int rank_of(const System* s, int i) noexcept nogil:
    """The later of the ranks of row i's bodies; 0 where neither is movable."""
    return max(max(s.work.rank[s.rows[i].a], s.work.rank[s.rows[i].b]), 0)


cdef void sort_rows(System* s, int n_ranks) noexcept nogil:
    """m.sorted: the rows by rank, those of the same rank as they come."""
    cdef DirectMemory* m = s.work
    cdef int i, k, total = 0
    memset(m.queue, 0, (n_ranks + 1) * sizeof(int))
    for i in range(s.n):
        m.queue[rank_of(s, i)] += 1
    for k in range(n_ranks + 1):
        total += m.queue[k]
        m.queue[k] = total
    for i in range(s.n - 1, -1, -1):
        k = rank_of(s, i)
        m.queue[k] -= 1
        m.sorted[m.queue[k]] = i


cdef void assemble(System* s) noexcept nogil:
    """A with unit diagonal, from the rows that share a movable body, for Lemke's method."""
    cdef DirectMemory* m = s.work
    cdef int n = s.n, k, u, v, i, j
    cdef double value
    if not s.ordered:
        put_in_order(s)
    memset(m.A, 0, <size_t>n * n * sizeof(double))
    for k in range(s.n_motions):
        if is_movable(&s.motions[k]):
            for u in range(m.begin[k], m.begin[k + 1]):
                i = m.member[u] >> 1
                for v in range(m.begin[k], u):
                    j = m.member[v] >> 1
                    value = coupling(s, m.member[u], m.member[v]) * m.scale[i] * m.scale[j]
                    m.A[i * n + j] += value
                    m.A[j * n + i] += value
    for i in range(n):
        m.A[i * n + i] = 1.0
    s.assembled = True


cdef inline bint slides(const System* s, int i) noexcept nogil:
    """Whether row i is friction that slides on a normal row that is an unknown."""
    return s.rows[i].normal >= 0 and s.work.mode[i] != INSIDE and presses(s, i)


cdef void number_unknowns(System* s) noexcept nogil:
    """Places of the unknowns, in the order of the rows; how far apart those of one body are."""
    cdef DirectMemory* m = s.work
    cdef int i, j, k = 0, u, low, high
    s.symmetric = True
    for j in range(s.n):
        i = m.sorted[j]
        m.place[i] = -1
        if is_unknown(s, i):
            m.place[i] = k
            k += 1
        elif slides(s, i):
            s.symmetric = s.symmetric and s.rows[i].mu == 0.0
    s.unknowns = k
    s.band = 0
    for k in range(s.n_motions):
        if not is_movable(&s.motions[k]):
            continue
        low, high = s.n, -1
        for u in range(m.begin[k], m.begin[k + 1]):
            i = m.place[m.member[u] >> 1]
            if i >= 0:
                low, high = min(low, i), max(high, i)
        s.band = max(s.band, high - low)


cdef void gather_matrix(System* s) noexcept nogil:
    """M: rows and columns of the unknowns; friction that slides is part of its normal's column."""
    cdef DirectMemory* m = s.work
    cdef int k, u, v, i, j
    cdef double* row
    s.ld = s.band if s.symmetric else 3 * s.band
    s.M = m.M + s.band
    if not s.symmetric and s.ld >= s.unknowns:
        s.ld = s.unknowns
        s.M = m.M
        memset(m.M, 0, <size_t>s.unknowns * s.unknowns * sizeof(double))
    else:
        memset(m.M, 0, <size_t>s.unknowns * (s.ld + 1) * sizeof(double))
    for k in range(s.n_motions):
        if not is_movable(&s.motions[k]):
            continue
        for u in range(m.begin[k], m.begin[k + 1]):
            i = m.place[m.member[u] >> 1]
            if i < 0:
                continue
            row = s.M + <Py_ssize_t>i * s.ld
            for v in range(m.begin[k], m.begin[k + 1]):
                if u == v:
                    continue
                j = m.place[m.member[v] >> 1]
                if s.symmetric:
                    if 0 <= j < i:
                        row[j] += scaled_coupling(s, m.member[u], m.member[v])
                elif j >= 0:
                    row[j] += scaled_coupling(s, m.member[u], m.member[v])
                elif slides(s, m.member[v] >> 1):
                    row[m.place[s.rows[m.member[v] >> 1].normal]] += (
                        slope(s, m.member[v] >> 1) * scaled_coupling(s, m.member[u], m.member[v]))
    for i in range(s.unknowns):
        s.M[<Py_ssize_t>i * s.ld + i] += 1.0 + s.proximal


cdef inline double scaled_coupling(const System* s, int i, int j) noexcept nogil:
    return coupling(s, i, j) * s.work.scale[i >> 1] * s.work.scale[j >> 1]


cdef inline double slope(const System* s, int i) noexcept nogil:
    """Scaled friction per scaled normal impulse of a row that slides."""
    return (s.work.mode[i] * s.rows[i].mu * s.work.scale[s.rows[i].normal] / s.work.scale[i]
            if s.work.scale[i] > 0.0 else 0.0)


cdef bint factor_profile(double* M, Py_ssize_t ld, int k, int band, int* first) noexcept nogil:
    """Cholesky, from the first entry of each row on: rows of distant bodies do not meet."""
    cdef int i, j
    cdef double* row
    cdef const double* other
    cdef double pivot
    for i in range(k):
        row = M + i * ld
        j = max(i - band, 0)
        while row[j] == 0.0:
            j += 1
        first[i] = j
        for j in range(first[i], i):
            other = M + j * ld
            row[j] = (row[j] - dot_range(row, other, max(first[i], first[j]), j)) / other[j]
        pivot = row[i] - dot_range(row, row, first[i], i)
        if not pivot > 0.0:
            return False
        row[i] = sqrt(pivot)
    return True


cdef void solve_profile(const double* L, Py_ssize_t ld, int k, const int* first,
                        double* x) noexcept nogil:
    cdef int i, j
    cdef const double* row
    for i in range(k):
        row = L + i * ld
        x[i] = (x[i] - dot_range(row, x, first[i], i)) / row[i]
    for i in range(k - 1, -1, -1):
        row = L + i * ld
        x[i] /= row[i]
        for j in range(first[i], i):
            x[j] -= x[i] * row[j]


cdef bint factor(System* s) noexcept nogil:
    """The factor of the present modes; False if they leave the unknowns undetermined."""
    if not s.ordered:
        put_in_order(s)
    number_unknowns(s)
    gather_matrix(s)
    s.factors += 1
    if s.symmetric:
        s.factored = factor_profile(s.M, s.ld, s.unknowns, s.band, s.work.first)
    else:
        s.factored = lu_factor_band(s.M, s.ld, s.unknowns, s.band, LEAST_PIVOT, s.work.order)
    return s.factored


cdef bint take_step(System* s) noexcept nogil:
    cdef DirectMemory* m = s.work
    cdef int i
    if not s.factored and not factor(s):
        return False
    # in scaled units
    for i in range(s.n):
        if m.place[i] >= 0:
            m.x[m.place[i]] = -m.y[i] * m.scale[i]
    if s.symmetric:
        solve_profile(s.M, s.ld, s.unknowns, m.first, m.x)
    else:
        lu_solve_band(s.M, s.ld, s.unknowns, s.band, m.order, m.x)
    for i in range(s.n):
        if m.place[i] >= 0:
            m.p[i] += m.x[m.place[i]] * m.scale[i]
    return True
