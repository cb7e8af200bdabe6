"""Newton's step; direct_newton.pxd has the contract, docs/maths/solver3d.md why."""

from libc.math cimport sqrt
from libc.string cimport memset

from enginecore.dense cimport lu_factor, lu_solve
from enginecore.row_solver cimport LEAST_PIVOT, dot_range
from engine3d.solve.cone cimport INSIDE, OPEN, STICK, Bounded, Cone
from engine3d.solve.direct_system cimport row_mode, six
from engine3d.solve.solver_direct cimport DirectMemory


cdef bint set_steps(System* s) noexcept nogil:
    """g and G of each contact: dp = g - G du; whether any slides with friction."""
    cdef DirectMemory* m = s.work
    cdef double e = s.pull, gn, gt, k, w, tau, yt, mu, x, z, dt
    cdef double* G
    cdef double* g
    cdef const double* y
    cdef const Bounded* box
    cdef int i, r
    cdef bint slides = False
    memset(m.G, 0, 9 * s.n * sizeof(double))
    memset(m.g, 0, 3 * s.n * sizeof(double))
    for i in range(s.n):
        if m.mode[i] == OPEN:
            continue
        G, g, y = m.G + 9 * i, m.g + 3 * i, m.y + 3 * i
        box = s.cones[i].box
        if box != NULL:
            for r in range(3):
                if row_mode(m.mode[i], r) == INSIDE:
                    G[4 * r] = 1.0 / (e * box.d[r] + box.soft[r])
                    g[r] = -y[r] * G[4 * r]
            continue
        dt = m.d[2 * i + 1]
        gn = 1.0 / (e * m.d[2 * i])
        g[0] = -y[0] * gn
        G[0] = gn
        if m.mode[i] == STICK:
            gt = 1.0 / (e * dt)
            G[4] = G[8] = gt
            g[1], g[2] = -y[1] * gt, -y[2] * gt
            continue
        mu = s.cones[i].mu
        if mu == 0.0:
            continue
        slides = True
        x, z, k = m.slip[3 * i], m.slip[3 * i + 1], m.slip[3 * i + 2]
        w = dt * (1.0 - k + k * e)
        G[3], G[6] = mu * gn * x, mu * gn * z
        G[4], G[8] = k / w * z * z, k / w * x * x
        G[5] = G[7] = -k / w * x * z
        tau = x * m.p[3 * i + 2] - z * m.p[3 * i + 1]
        yt = x * y[2] - z * y[1]
        w = -(k * yt + dt * (1.0 - k) * tau) / w
        g[1] = mu * g[0] * x - w * z
        g[2] = mu * g[0] * z + w * x
    return slides


cdef void add_block(System* s, int i, int from_, int to, const double* GJ) noexcept nogil:
    """J'GJ of contact i between one of its bodies (from_: 0 a, 1 b) and another."""
    cdef const Cone* c = &s.cones[i]
    cdef int row = c.b if from_ else c.a, column = c.b if to else c.a, u, v, ld = 6 * s.m
    cdef double* out
    cdef double j0, j1, j2
    if row >= s.m or column >= s.m or (s.symmetric and column > row):
        return
    for u in range(6):
        out = s.work.M + <Py_ssize_t> (6 * row + u) * ld + 6 * column
        j0, j1, j2 = c.j[0][6 * from_ + u], c.j[1][6 * from_ + u], c.j[2][6 * from_ + u]
        for v in range(6):
            out[v] += (j0 * GJ[6 * to + v] + j1 * GJ[12 + 6 * to + v]
                       + j2 * GJ[24 + 6 * to + v])


cdef bint factor(System* s) noexcept nogil:
    """M = 1 + J'GJ and its factor; False where it has none."""
    cdef DirectMemory* m = s.work
    cdef const double* G
    cdef const Cone* c
    cdef double[36] GJ
    cdef int i, r, k, ld = 6 * s.m
    memset(m.M, 0, <size_t> ld * ld * sizeof(double))
    for k in range(ld):
        m.M[<Py_ssize_t> k * ld + k] = 1.0
    for i in range(s.n):
        if m.mode[i] == OPEN:
            continue
        c = &s.cones[i]
        G = m.G + 9 * i
        for r in range(3):
            for k in range(12):
                GJ[12 * r + k] = (G[3 * r] * c.j[0][k] + G[3 * r + 1] * c.j[1][k]
                                  + G[3 * r + 2] * c.j[2][k])
        add_block(s, i, 0, 0, GJ)
        add_block(s, i, 0, 1, GJ)
        add_block(s, i, 1, 0, GJ)
        add_block(s, i, 1, 1, GJ)
    if s.symmetric:
        return factor_profile(m.M, ld, m.first)
    return lu_factor(m.M, ld, ld, LEAST_PIVOT, m.order)


cdef bint factor_profile(double* M, int n, int* first) noexcept nogil:
    """Cholesky of the lower triangle from each row's first entry on; the diagonal is inverted."""
    cdef int i, j, low
    cdef double* row
    cdef double pivot
    for i in range(n):
        row = M + <Py_ssize_t> i * n
        low = 0
        while low < i and row[low] == 0.0:
            low += 1
        first[i] = low
        for j in range(low, i):
            row[j] = (row[j] - dot_range(row, M + <Py_ssize_t> j * n, max(low, first[j]), j)) * (
                M[<Py_ssize_t> j * n + j])
        pivot = row[i] - dot_range(row, row, low, i)
        if not pivot > 0.0:
            return False
        row[i] = 1.0 / sqrt(pivot)
    return True


cdef void solve_profile(const double* M, int n, const int* first, double* x) noexcept nogil:
    cdef int i, k
    cdef const double* row
    for i in range(n):
        row = M + <Py_ssize_t> i * n
        x[i] = (x[i] - dot_range(row, x, first[i], i)) * row[i]
    for i in range(n - 1, -1, -1):
        row = M + <Py_ssize_t> i * n
        x[i] *= row[i]
        for k in range(first[i], i):
            x[k] -= x[i] * row[k]


cdef bint take_step(System* s) noexcept nogil:
    cdef DirectMemory* m = s.work
    cdef const Cone* c
    cdef const double* G
    cdef double[3] u
    cdef double q
    cdef int i, r, k
    cdef bint slides = set_steps(s)
    if not s.factored or slides:
        s.symmetric = not slides
        s.factored = factor(s)
        if not s.factored:
            return False
    memset(m.x, 0, 6 * s.m * sizeof(double))
    for i in range(s.n):
        if m.mode[i] == OPEN:
            continue
        c = &s.cones[i]
        for r in range(3):
            q = m.g[3 * i + r]
            for k in range(6):
                if c.a < s.m:
                    m.x[6 * c.a + k] += q * c.j[r][k]
                if c.b < s.m:
                    m.x[6 * c.b + k] += q * c.j[r][6 + k]
    if s.symmetric:
        solve_profile(m.M, 6 * s.m, m.first, m.x)
    else:
        lu_solve(m.M, 6 * s.m, 6 * s.m, m.order, m.x)
    for i in range(s.n):
        if m.mode[i] == OPEN:
            continue
        c = &s.cones[i]
        G = m.G + 9 * i
        for r in range(3):
            u[r] = 0.0
            if c.a < s.m:
                u[r] += six(c.j[r], m.x + 6 * c.a)
            if c.b < s.m:
                u[r] += six(c.j[r] + 6, m.x + 6 * c.b)
        if m.mode[i] == STICK or c.box != NULL:
            # one difference: two large numbers nearly cancel
            for r in range(3):
                m.p[3 * i + r] += (-m.y[3 * i + r] - u[r]) * G[4 * r]
        else:
            for r in range(3):
                m.p[3 * i + r] += m.g[3 * i + r] - (
                    G[3 * r] * u[0] + G[3 * r + 1] * u[1] + G[3 * r + 2] * u[2])
    return True
