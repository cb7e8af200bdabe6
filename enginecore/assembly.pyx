"""Systems of joints solved exactly; assembly.pxd has the contract, docs/maths/joints.md why.

The order is that of approximate minimum degree on the quotient graph (Amestoy, Davis and Duff
1996). The graph of an assembly has that form from the start: bodies are its elements, the cliques
of the joints they have. Trees of joints are then factored without fill, in linear time.
"""

import numpy as np

from libc.string cimport memcpy, memset

from enginecore.memory cimport address

# Share of its diagonal below which a pivot is nothing but rounding.
cdef double LEAST_PIVOT = 1e-12
cdef enum:
    MOST_WIDTH = 8      # rows of a block


# ---- order ------------------------------------------------------------------------------------

cdef struct Graph:
    int32_t n             # variables: blocks
    int32_t n_elements    # bodies, then one for each variable that was eliminated
    const int32_t* weight  # n: rows of a block
    int32_t* list_at      # n_elements + n: where the members of an element begin
    int32_t* list_n       # and how many there are
    int32_t* size         # and how many rows they have together
    int32_t* outside      # rows of an element that are not in the one just made
    int32_t* seen         # when `outside` was last written
    int32_t* own_at       # n: where a variable's list of elements begins, in `own`
    int32_t* own_n
    int32_t* own
    int32_t* mark         # n: last element that a variable was put into; -1 - place: eliminated
    int32_t* degree       # n
    int32_t* head         # by degree: first variable of it; -1: none
    int32_t* tail         # and the last one
    int32_t* next
    int32_t* last
    int32_t least         # no variable has a lower degree
    int32_t rows          # of the variables that are left


cdef inline void unlink(Graph* g, int32_t i) noexcept nogil:
    if g.last[i] >= 0:
        g.next[g.last[i]] = g.next[i]
    else:
        g.head[g.degree[i]] = g.next[i]
    if g.next[i] >= 0:
        g.last[g.next[i]] = g.last[i]
    else:
        g.tail[g.degree[i]] = g.last[i]


cdef inline void link(Graph* g, int32_t i, int32_t degree) noexcept nogil:
    """Behind the others of this degree: a chain is then eliminated from both ends in turn, and one
    end does not wait for the numbers of the other."""
    g.degree[i] = degree
    g.next[i] = -1
    g.last[i] = g.tail[degree]
    if g.last[i] >= 0:
        g.next[g.last[i]] = i
    else:
        g.head[degree] = i
    g.tail[degree] = i
    if degree < g.least:
        g.least = degree


cdef int32_t gather(Graph* g, int32_t p, int32_t element, const int32_t* pool,
                    int32_t* out) noexcept nogil:
    """The neighbours of a variable into a new element, whose old ones die; returns how many."""
    cdef int32_t k, i, e, n = 0, rows = 0
    cdef const int32_t* members
    g.mark[p] = element
    for k in range(g.own_n[p]):
        e = g.own[g.own_at[p] + k]
        members = &pool[g.list_at[e]]
        for i in range(g.list_n[e]):
            if g.mark[members[i]] != element:
                g.mark[members[i]] = element
                out[n] = members[i]
                rows += g.weight[members[i]]
                n += 1
        g.list_n[e] = -1
    g.list_n[element], g.size[element] = n, rows
    return n


cdef void update_degrees(Graph* g, int32_t element, const int32_t* members) noexcept nogil:
    """Bring the neighbours of an eliminated variable up to date."""
    cdef int32_t k, i, e, to, u, degree
    cdef int32_t n = g.list_n[element]
    # how much of their other elements is outside of the new one
    for k in range(n):
        i = members[k]
        to = g.own_at[i]
        for u in range(g.own_at[i], g.own_at[i] + g.own_n[i]):
            e = g.own[u]
            if g.list_n[e] < 0:
                continue
            if g.seen[e] != element:
                g.seen[e], g.outside[e] = element, g.size[e]
            g.outside[e] -= g.weight[i]
            g.own[to] = e
            to += 1
        g.own_n[i] = to - g.own_at[i]
    # the new degree; an element that is inside of the new one adds nothing and goes
    for k in range(n):
        i = members[k]
        to = g.own_at[i]
        degree = g.size[element] - g.weight[i]
        for u in range(g.own_at[i], g.own_at[i] + g.own_n[i]):
            e = g.own[u]
            if g.outside[e] > 0:
                degree += g.outside[e]
                g.own[to] = e
                to += 1
        g.own[to] = element
        g.own_n[i] = to + 1 - g.own_at[i]
        unlink(g, i)
        link(g, i, min(degree, g.rows - g.weight[i]))


cdef inline int32_t next_of(Graph* g) noexcept nogil:
    """A variable of least degree, taken out of the lists."""
    cdef int32_t p
    while g.head[g.least] < 0:
        g.least += 1
    p = g.head[g.least]
    unlink(g, p)
    g.rows -= g.weight[p]
    return p


# ---- structure --------------------------------------------------------------------------------

cdef void write_structure(Factor* f, const int32_t* pool, const int32_t* list_at,
                          const int32_t* list_n) noexcept nogil:
    """Columns and rows of L by place, both ascending, from the elements of the elimination."""
    cdef int32_t k, u, r, at
    # rows first, by walking through the columns in order
    memset(f.head, 0, (f.n + 1) * sizeof(int32_t))
    for k in range(f.n):
        for u in range(list_n[k]):
            f.head[f.place[pool[list_at[k] + u]] + 1] += 1
    for k in range(f.n):
        f.head[k + 1] += f.head[k]
    for k in range(f.n):
        f.map[k] = f.head[k]
    for k in range(f.n):
        for u in range(list_n[k]):
            r = f.place[pool[list_at[k] + u]]
            f.left[f.map[r]] = k
            f.map[r] += 1
    # then columns, by walking through the rows
    f.begin[0] = 0
    for k in range(f.n):
        f.begin[k + 1] = f.begin[k] + list_n[k]
        f.map[k] = f.begin[k]
    for r in range(f.n):
        for u in range(f.head[r], f.head[r + 1]):
            at = f.map[f.left[u]]
            f.below[at] = r
            f.at[u] = at
            f.map[f.left[u]] = at + 1


cdef void write_offsets(Factor* f) noexcept nogil:
    """Where the numbers of all blocks begin."""
    cdef int32_t k, u
    f.start[0] = 0
    f.diagonal[0] = 0
    f.offset[0] = 0
    f.pairs = f.thin = f.triples = f.n > 0
    for k in range(f.n):
        f.start[k + 1] = f.start[k] + f.width[k]
        f.diagonal[k + 1] = f.diagonal[k] + f.width[k] * f.width[k]
        f.pairs = f.pairs and f.width[k] == 2
        f.thin = f.thin and f.begin[k + 1] - f.begin[k] <= 1
        f.triples = f.triples and f.width[k] == 3
        for u in range(f.begin[k], f.begin[k + 1]):
            f.offset[u + 1] = f.offset[u] + f.width[f.below[u]] * f.width[k]
    f.rows = f.start[f.n]
    f.thin = f.thin and f.pairs
    f.path = f.thin and f.n > 2 and f.n_lower == f.n - 1
    for u in range(f.n - 1 if f.path else 0):
        f.path = f.path and f.begin[u] == u and f.below[u] == min(u + 2, f.n - 1)


cdef int32_t find_block(const Factor* f, int32_t i, int32_t j) noexcept nogil:
    """Which block of L couples two blocks; -1: none."""
    cdef int32_t row = max(f.place[i], f.place[j]), column = min(f.place[i], f.place[j])
    cdef int32_t low = f.begin[column], high = f.begin[column + 1], mid
    while low < high:
        mid = (low + high) >> 1
        if f.below[mid] < row:
            low = mid + 1
        else:
            high = mid
    return low if low < f.begin[column + 1] and f.below[low] == row else -1


# ---- numbers ----------------------------------------------------------------------------------

cdef void clear_blocks(Factor* f) noexcept nogil:
    memset(f.D, 0, f.diagonal[f.n] * sizeof(double))
    memset(f.L, 0, f.offset[f.n_lower] * sizeof(double))


cdef int32_t invert(const double* D, int w, const double* size, double* out) noexcept nogil:
    """The inverse of a symmetric block by sweeping; rows without a pivot are left out."""
    cdef int i, j, k
    cdef int32_t lost = 0
    cdef double pivot, f
    memcpy(out, D, w * w * sizeof(double))
    for k in range(w):
        pivot = out[k * w + k]
        if not pivot > LEAST_PIVOT * size[k]:
            lost += 1
            for i in range(w):
                out[i * w + k] = out[k * w + i] = 0.0
            continue
        pivot = 1.0 / pivot
        for i in range(w):
            if i == k:
                continue
            f = out[i * w + k] * pivot
            for j in range(w):
                if j != k:
                    out[i * w + j] -= f * out[k * w + j]
            out[i * w + k] = f
        for j in range(w):
            if j != k:
                out[k * w + j] *= pivot
        out[k * w + k] = -pivot
        # swept rows change their sign in what follows
    for i in range(w * w):
        out[i] = -out[i]
    return lost


cdef inline void take_away(double* out, const double* x, const double* y, int rows, int columns,
                           int inner) noexcept nogil:
    """out -= x yt."""
    cdef int i, j, k
    cdef double sum
    for i in range(rows):
        for j in range(columns):
            sum = 0.0
            for k in range(inner):
                sum += x[i * inner + k] * y[j * inner + k]
            out[i * columns + j] -= sum


cdef void take_away_columns(Factor* f, int32_t j) noexcept nogil:
    """What the columns before it take away from column j and its diagonal block."""
    cdef int32_t u, k, a, b
    cdef int w = f.width[j]
    cdef const double* Wa
    for u in range(f.begin[j], f.begin[j + 1]):
        f.map[f.below[u]] = u
    for u in range(f.head[j], f.head[j + 1]):
        k, a = f.left[u], f.at[u]
        Wa = &f.W[f.offset[a]]
        take_away(&f.D[f.diagonal[j]], &f.L[f.offset[a]], Wa, w, w, f.width[k])
        for b in range(a + 1, f.begin[k + 1]):
            take_away(&f.L[f.offset[f.map[f.below[b]]]], &f.L[f.offset[b]], Wa,
                      f.width[f.below[b]], w, f.width[k])


cdef void take_away_pairs(Factor* f, int32_t j) noexcept nogil:
    """`take_away_columns` where every block has two rows."""
    cdef int32_t u, k, a, b
    cdef const double* x
    cdef const double* y
    cdef double* out
    cdef double w0, w1, w2, w3
    for u in range(f.begin[j], f.begin[j + 1]):
        f.map[f.below[u]] = u
    for u in range(f.head[j], f.head[j + 1]):
        k, a = f.left[u], f.at[u]
        y = &f.W[4 * <int64_t>a]
        w0, w1, w2, w3 = y[0], y[1], y[2], y[3]
        x = &f.L[4 * <int64_t>a]
        out = &f.D[4 * <int64_t>j]
        out[0] -= x[0] * w0 + x[1] * w1
        out[1] -= x[0] * w2 + x[1] * w3
        out[2] = out[1]
        out[3] -= x[2] * w2 + x[3] * w3
        for b in range(a + 1, f.begin[k + 1]):
            x = &f.L[4 * <int64_t>b]
            out = &f.L[4 * <int64_t>f.map[f.below[b]]]
            out[0] -= x[0] * w0 + x[1] * w1
            out[1] -= x[0] * w2 + x[1] * w3
            out[2] -= x[2] * w0 + x[3] * w1
            out[3] -= x[2] * w2 + x[3] * w3


cdef void take_away_triples(Factor* f, int32_t j) noexcept nogil:
    """`take_away_columns` where every block has three rows."""
    cdef int32_t u, k, a, b
    cdef const double* y
    for u in range(f.begin[j], f.begin[j + 1]):
        f.map[f.below[u]] = u
    for u in range(f.head[j], f.head[j + 1]):
        k, a = f.left[u], f.at[u]
        y = &f.W[9 * <int64_t>a]
        take_away_three(&f.D[9 * <int64_t>j], &f.L[9 * <int64_t>a], y)
        for b in range(a + 1, f.begin[k + 1]):
            take_away_three(&f.L[9 * <int64_t>f.map[f.below[b]]], &f.L[9 * <int64_t>b], y)


cdef inline void take_away_three(double* out, const double* x, const double* y) noexcept nogil:
    """out -= x yt, three by three."""
    cdef double y0 = y[0], y1 = y[1], y2 = y[2], y3 = y[3], y4 = y[4], y5 = y[5]
    cdef double y6 = y[6], y7 = y[7], y8 = y[8]
    out[0] -= x[0] * y0 + x[1] * y1 + x[2] * y2
    out[1] -= x[0] * y3 + x[1] * y4 + x[2] * y5
    out[2] -= x[0] * y6 + x[1] * y7 + x[2] * y8
    out[3] -= x[3] * y0 + x[4] * y1 + x[5] * y2
    out[4] -= x[3] * y3 + x[4] * y4 + x[5] * y5
    out[5] -= x[3] * y6 + x[4] * y7 + x[5] * y8
    out[6] -= x[6] * y0 + x[7] * y1 + x[8] * y2
    out[7] -= x[6] * y3 + x[7] * y4 + x[8] * y5
    out[8] -= x[6] * y6 + x[7] * y7 + x[8] * y8


cdef void divide_column(Factor* f, int32_t j) noexcept nogil:
    """W of column j: its blocks times the inverse of the diagonal block."""
    cdef int32_t u
    cdef int i, k, m, w = f.width[j], rows
    cdef const double* inverse = &f.inverse[f.diagonal[j]]
    cdef const double* x
    cdef double* out
    cdef double sum
    for u in range(f.begin[j], f.begin[j + 1]):
        x, out = &f.L[f.offset[u]], &f.W[f.offset[u]]
        rows = f.width[f.below[u]]
        for i in range(rows):
            for k in range(w):
                sum = 0.0
                for m in range(w):
                    sum += x[i * w + m] * inverse[m * w + k]
                out[i * w + k] = sum


cdef inline int32_t invert_pair(const double* D, const double* size,
                                double* out) noexcept nogil:
    """`invert` of a block of two rows; one that is nearly singular goes the long way."""
    cdef double det
    if D[0] > LEAST_PIVOT * size[0]:
        det = D[3] - D[1] / D[0] * D[1]
        if det > LEAST_PIVOT * size[1]:
            out[3] = 1.0 / det
            out[1] = out[2] = -D[1] / D[0] * out[3]
            out[0] = 1.0 / D[0] - D[1] / D[0] * out[1]
            return 0
    return invert(D, 2, size, out)


cdef void divide_pairs(Factor* f, int32_t j) noexcept nogil:
    """`divide_column` where every block has two rows."""
    cdef int64_t u
    cdef const double* inverse = &f.inverse[4 * <int64_t>j]
    cdef double a = inverse[0], b = inverse[1], d = inverse[3]
    cdef const double* x
    cdef double* out
    for u in range(f.begin[j], f.begin[j + 1]):
        x, out = &f.L[4 * u], &f.W[4 * u]
        out[0], out[1] = x[0] * a + x[1] * b, x[0] * b + x[1] * d
        out[2], out[3] = x[2] * a + x[3] * b, x[2] * b + x[3] * d


cdef int32_t factor_thin(Factor* f, double shift) noexcept nogil:
    """`factor_blocks` of pairs with at most one block in each column: what a column takes away is
    taken at once from the only diagonal block that it meets."""
    cdef int64_t j, u
    cdef int32_t lost = 0
    cdef double* D
    cdef const double* x
    cdef double* inverse
    cdef double* out
    cdef double a, b, d, det, per, x0, x1, x2, x3, u0, u1, u2, u3, least_0, least_1
    for j in range(f.n):
        D = &f.D[4 * j]
        f.size[2 * j], f.size[2 * j + 1] = D[0], D[3]
        D[0] *= 1.0 + shift
        D[3] *= 1.0 + shift
    for j in range(f.n):
        D, inverse, u = &f.D[4 * j], &f.inverse[4 * j], f.begin[j]
        # the adjugate waits for no division: L adj Lt is there when 1 / det is
        a, b, d = D[3], -D[1], D[0]
        det = a * d - b * b
        least_0, least_1 = LEAST_PIVOT * f.size[2 * j], LEAST_PIVOT * f.size[2 * j + 1]
        per = 1.0
        if d > least_0 and det > least_1 * d:
            per = 1.0 / det
            inverse[0], inverse[1], inverse[2], inverse[3] = a * per, b * per, b * per, d * per
        else:
            lost += invert(D, 2, &f.size[2 * j], inverse)
            a, b, d = inverse[0], inverse[1], inverse[3]
        if u == f.begin[j + 1]:
            continue
        x, out, D = &f.L[4 * u], &f.W[4 * u], &f.D[4 * <int64_t>f.below[u]]
        x0, x1, x2, x3 = x[0], x[1], x[2], x[3]
        u0, u1, u2, u3 = x0 * a + x1 * b, x0 * b + x1 * d, x2 * a + x3 * b, x2 * b + x3 * d
        D[0] -= (x0 * u0 + x1 * u1) * per
        D[1] -= (x0 * u2 + x1 * u3) * per
        D[3] -= (x2 * u2 + x3 * u3) * per
        D[2] = D[1]
        out[0], out[1], out[2], out[3] = u0 * per, u1 * per, u2 * per, u3 * per
    return lost


cdef void solve_path(const Factor* f, double* x) noexcept nogil:
    """`solve_pairs` of a chain that is eliminated from both ends in turn: what the last two places
    of either end were stays at hand."""
    cdef int64_t k, n = f.n
    cdef const double* W = f.W
    cdef const double* inverse = f.inverse
    cdef double y0, y1, w0, w1, z0, z1
    z0, z1, w0, w1 = x[0], x[1], x[2], x[3]
    for k in range(n - 2):
        y0, y1, z0, z1 = z0, z1, w0, w1
        w0 = x[2 * k + 4] - (W[4 * k] * y0 + W[4 * k + 1] * y1)
        w1 = x[2 * k + 5] - (W[4 * k + 2] * y0 + W[4 * k + 3] * y1)
        x[2 * k + 4], x[2 * k + 5] = w0, w1
    # the ends meet: the last but one has its block beside the last
    k = n - 2
    W = &f.W[4 * k]
    w0 -= W[0] * z0 + W[1] * z1
    w1 -= W[2] * z0 + W[3] * z1
    inverse = &f.inverse[4 * k]
    y0, y1 = inverse[4] * w0 + inverse[5] * w1, inverse[6] * w0 + inverse[7] * w1
    w0, w1 = y0, y1
    y0 = inverse[0] * z0 + inverse[1] * z1 - (W[0] * w0 + W[2] * w1)
    y1 = inverse[2] * z0 + inverse[3] * z1 - (W[1] * w0 + W[3] * w1)
    z0, z1 = y0, y1
    x[2 * n - 2], x[2 * n - 1], x[2 * n - 4], x[2 * n - 3] = w0, w1, z0, z1
    # z is that of place k + 1, w that of k + 2
    for k in range(n - 3, -1, -1):
        W, inverse = &f.W[4 * k], &f.inverse[4 * k]
        y0 = inverse[0] * x[2 * k] + inverse[1] * x[2 * k + 1] - (W[0] * w0 + W[2] * w1)
        y1 = inverse[2] * x[2 * k] + inverse[3] * x[2 * k + 1] - (W[1] * w0 + W[3] * w1)
        x[2 * k], x[2 * k + 1] = y0, y1
        w0, w1, z0, z1 = z0, z1, y0, y1


cdef void solve_pairs(const Factor* f, double* x) noexcept nogil:
    """`solve_blocks` where every block has two rows."""
    cdef int64_t k, u
    cdef const double* W
    cdef double* z
    cdef double y0, y1, z0, z1
    if f.path:
        solve_path(f, x)
        return
    for k in range(f.n):
        y0, y1 = x[2 * k], x[2 * k + 1]
        for u in range(f.begin[k], f.begin[k + 1]):
            W, z = &f.W[4 * u], &x[2 * <int64_t>f.below[u]]
            z[0] -= W[0] * y0 + W[1] * y1
            z[1] -= W[2] * y0 + W[3] * y1
    for k in range(f.n - 1, -1, -1):
        W = &f.inverse[4 * k]
        y0 = W[0] * x[2 * k] + W[1] * x[2 * k + 1]
        y1 = W[2] * x[2 * k] + W[3] * x[2 * k + 1]
        for u in range(f.begin[k], f.begin[k + 1]):
            W, z = &f.W[4 * u], &x[2 * <int64_t>f.below[u]]
            z0, z1 = z[0], z[1]
            y0 -= W[0] * z0 + W[2] * z1
            y1 -= W[1] * z0 + W[3] * z1
        x[2 * k], x[2 * k + 1] = y0, y1


cdef int32_t factor_blocks(Factor* f, double shift) noexcept nogil:
    cdef int32_t j, lost = 0
    cdef int i, w
    cdef double* D
    if f.thin:
        return factor_thin(f, shift)
    for j in range(f.n):
        D = &f.D[f.diagonal[j]]
        w = f.width[j]
        for i in range(w):
            f.size[f.start[j] + i] = D[i * w + i]
            D[i * w + i] *= 1.0 + shift
    for j in range(f.n):
        if f.pairs:
            take_away_pairs(f, j)
            lost += invert_pair(&f.D[4 * <int64_t>j], &f.size[2 * j], &f.inverse[4 * <int64_t>j])
            divide_pairs(f, j)
            continue
        elif f.triples:
            take_away_triples(f, j)
        else:
            take_away_columns(f, j)
        lost += invert(&f.D[f.diagonal[j]], f.width[j], &f.size[f.start[j]],
                       &f.inverse[f.diagonal[j]])
        divide_column(f, j)
    return lost


cdef void solve_blocks(Factor* f, double* x) noexcept nogil:
    cdef int32_t k, u
    cdef int i, m, w, rows
    cdef const double* W
    cdef const double* inverse
    cdef double* y
    cdef double* z
    cdef double[MOST_WIDTH] mine
    if f.pairs:
        solve_pairs(f, x)
        return
    for k in range(f.n):
        w, y = f.width[k], &x[f.start[k]]
        for u in range(f.begin[k], f.begin[k + 1]):
            W, z, rows = &f.W[f.offset[u]], &x[f.start[f.below[u]]], f.width[f.below[u]]
            for i in range(rows):
                for m in range(w):
                    z[i] -= W[i * w + m] * y[m]
    for k in range(f.n - 1, -1, -1):
        w, y, inverse = f.width[k], &x[f.start[k]], &f.inverse[f.diagonal[k]]
        for i in range(w):
            mine[i] = 0.0
            for m in range(w):
                mine[i] += inverse[i * w + m] * y[m]
        for u in range(f.begin[k], f.begin[k + 1]):
            W, z, rows = &f.W[f.offset[u]], &x[f.start[f.below[u]]], f.width[f.below[u]]
            for i in range(rows):
                for m in range(w):
                    mine[m] -= W[i * w + m] * z[i]
        for i in range(w):
            y[i] = mine[i]


# ---- memory -----------------------------------------------------------------------------------

cdef class BlockFactor:

    def __cinit__(self):
        self.arrays = {}
        memset(&self.f, 0, sizeof(Factor))

    cdef int32_t* ints(self, str name, Py_ssize_t n) except NULL:
        self.arrays[name] = np.zeros(max(n, 1), np.int32)
        return <int32_t*> address(self.arrays[name])

    cdef double* reals(self, str name, Py_ssize_t n) except NULL:
        self.arrays[name] = np.zeros(max(n, 1))
        return <double*> address(self.arrays[name])

    cdef int64_t* longs(self, str name, Py_ssize_t n) except NULL:
        self.arrays[name] = np.zeros(max(n, 1), np.int64)
        return <int64_t*> address(self.arrays[name])

    cdef int plan(self, int32_t n, const int32_t* width, int32_t n_bodies, const int32_t* first,
                  const int32_t* member) except -1:
        cdef Factor* f = &self.f
        cdef int32_t k
        f.n = n
        f.order, f.place = self.ints("order", n), self.ints("place", n)
        f.width, f.start = self.ints("width", n), self.ints("start", n + 1)
        f.begin, f.head = self.ints("begin", n + 1), self.ints("head", n + 1)
        f.map = self.ints("map", n)
        f.diagonal = self.longs("diagonal", n + 1)
        pool, list_at, list_n = self.eliminate(width, n_bodies, first, member)
        f.n_lower = int(list_n.sum())
        f.below, f.left = self.ints("below", f.n_lower), self.ints("left", f.n_lower)
        f.at = self.ints("at", f.n_lower)
        f.offset = self.longs("offset", f.n_lower + 1)
        for k in range(n):
            f.width[k] = width[f.order[k]]
        write_structure(f, <int32_t*> address(pool), <int32_t*> address(list_at),
                        <int32_t*> address(list_n))
        write_offsets(f)
        f.D, f.inverse = self.reals("D", f.diagonal[n]), self.reals("inverse", f.diagonal[n])
        f.L = self.reals("L", f.offset[f.n_lower])
        f.W = self.reals("W", f.offset[f.n_lower])
        f.size = self.reals("size", f.rows)
        return 0

    cdef object eliminate(self, const int32_t* width, int32_t n_bodies, const int32_t* first,
                          const int32_t* member):
        """Write order and place; returns the columns: a pool, where each begins, its length."""
        cdef Graph g
        cdef int32_t n = self.f.n, k, u, p, e, used, total = 0
        cdef int32_t* pool
        cdef int32_t* room
        # a block without rows counts as one: elements whose rows are all in another one are taken
        # to be inside of it
        weights = np.maximum(np.array(<int32_t[:n]> <int32_t*> width, np.int32), 1)
        g.n, g.n_elements, g.weight = n, n_bodies + n, <int32_t*> address(weights)
        for k in range(n):
            total += g.weight[k]
        work = np.zeros(7 * (n + 1) + 5 * (n_bodies + n + 1) + first[n_bodies] + 2 * (total + 1),
                        np.int32)
        room = <int32_t*> address(work)
        g.own_at = room
        g.own_n, g.mark, g.degree = room + (n + 1), room + 2 * (n + 1), room + 3 * (n + 1)
        g.next, g.last = room + 4 * (n + 1), room + 5 * (n + 1)
        room += 7 * (n + 1)
        g.list_at = room
        g.list_n, g.size = room + g.n_elements, room + 2 * g.n_elements
        g.outside, g.seen = room + 3 * g.n_elements, room + 4 * g.n_elements
        room += 5 * g.n_elements
        g.own = room
        g.head = room + first[n_bodies]
        g.tail = g.head + (total + 1)
        used = first[n_bodies]
        lists = np.zeros(4 * used + 4 * n + 16, np.int32)
        pool = <int32_t*> address(lists)
        memcpy(pool, member, used * sizeof(int32_t))
        g.rows, g.least = total, total
        begin_graph(&g, n_bodies, first, member, total)
        columns_at, columns_n = np.zeros(n + 1, np.int32), np.zeros(n + 1, np.int32)
        cdef int32_t[::1] at_view = columns_at, n_view = columns_n
        for k in range(n):
            if used + n > len(lists):
                lists = np.concatenate([lists, np.zeros(len(lists) + n, np.int32)])
                pool = <int32_t*> address(lists)
            p = next_of(&g)
            e = n_bodies + k
            g.list_at[e] = used
            u = gather(&g, p, e, pool, &pool[used])
            self.f.order[k], self.f.place[p] = p, k
            at_view[k], n_view[k] = used, u
            update_degrees(&g, e, &pool[used])
            used += u
        return lists, columns_at, columns_n


cdef void begin_graph(Graph* g, int32_t n_bodies, const int32_t* first, const int32_t* member,
                      int32_t total) noexcept nogil:
    """Variables with their bodies as elements, linked by a first guess of their degrees."""
    cdef int32_t k, u, e, degree
    for k in range(g.n_elements):
        g.seen[k] = -1
    for k in range(total + 1):
        g.head[k] = g.tail[k] = -1
    for u in range(first[n_bodies]):
        g.own_n[member[u]] += 1
    g.own_at[0] = 0
    for k in range(g.n):
        g.own_at[k + 1] = g.own_at[k] + g.own_n[k]
        g.own_n[k] = 0
        g.mark[k] = -1
    for e in range(n_bodies):
        g.list_at[e], g.list_n[e] = first[e], first[e + 1] - first[e]
        for u in range(first[e], first[e + 1]):
            k = member[u]
            g.size[e] += g.weight[k]
            g.own[g.own_at[k] + g.own_n[k]] = e
            g.own_n[k] += 1
    for k in range(g.n):
        degree = 0
        for u in range(g.own_n[k]):
            degree += g.size[g.own[g.own_at[k] + u]] - g.weight[k]
        link(g, k, min(degree, total - g.weight[k]))


# ---- for tests --------------------------------------------------------------------------------

def _solve(widths, bodies, A, b, shift=0.0):
    """Plan, factor and solve a system given as a dense matrix, its blocks in the order of `widths`;
    bodies: lists of the blocks that couple. A dict of x, blocks of L, rows lost, the order."""
    cdef BlockFactor factor = BlockFactor()
    cdef int32_t i, j, u, r, s, x, y
    cdef int32_t[::1] width = np.array(widths, np.int32)
    cdef int32_t[::1] first = np.cumsum([0, *(len(body) for body in bodies)]).astype(np.int32)
    cdef int32_t[::1] member = np.array([k for body in bodies for k in body] or [0], np.int32)
    cdef int32_t n = len(widths)
    factor.plan(n, &width[0], len(bodies), &first[0], &member[0])
    cdef Factor* f = &factor.f
    cdef double[:, ::1] dense = np.ascontiguousarray(A, np.float64)
    cdef int32_t[::1] begin = np.concatenate([[0], np.cumsum(widths)]).astype(np.int32)
    clear_blocks(f)
    for i in range(n):
        x, y = begin[i], begin[i]
        for r in range(width[i]):
            for s in range(width[i]):
                f.D[f.diagonal[f.place[i]] + r * width[i] + s] = dense[x + r, y + s]
        for j in range(n):
            u = find_block(f, i, j) if f.place[i] > f.place[j] else -1
            if u >= 0:
                y = begin[j]
                for r in range(width[i]):
                    for s in range(width[j]):
                        f.L[f.offset[u] + r * width[j] + s] = dense[x + r, y + s]
    answer = np.zeros(f.rows)
    cdef double[::1] view = answer
    rows = np.concatenate([np.arange(begin[f.order[k]], begin[f.order[k] + 1]) for k in range(n)])
    answer[:] = np.asarray(b)[rows]
    lost = factor_blocks(f, shift)
    solve_blocks(f, &view[0])
    out = np.zeros(f.rows)
    out[rows] = answer
    return {"x": out, "blocks": f.n_lower, "lost": lost,
            "order": [f.order[k] for k in range(n)]}
