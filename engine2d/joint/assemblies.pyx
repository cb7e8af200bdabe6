"""Assemblies and their factors; assemblies.pxd has the contract, docs/maths/joints.md why."""

from libc.math cimport fabs
from libc.stdint cimport int64_t
from libc.string cimport memcmp, memset

from enginecore.assembly cimport Factor, clear_blocks, factor_blocks, solve_blocks
from enginecore.assembly_store cimport EARLIER, NO_FACTOR, PRESENT, Coupling
from enginecore.scalar cimport greater, lesser
from engine2d.joint.joint cimport MOST_ROWS

# Share of the diagonal that makes systems of redundant joints regular; a solve that corrects what
# it left takes it out again.
cdef double SHIFT = 1e-9
# ---- numbers ----------------------------------------------------------------------------------

cdef inline int hard_rows(const Link* link, int* out) noexcept nogil:
    """The rows of a joint that are in the factor; returns how many."""
    cdef int i, n = 0
    for i in range(link.n):
        if link.joint.head.hard & (1 << i):
            out[n] = link.first + i
            n += 1
    return n


cdef inline void couple(const Row* rows, const int* of_i, int n_i, bint side_i, const int* of_j,
                        int n_j, bint side_j, const Motion* body, double rounding,
                        double* out) noexcept nogil:
    """Add what rows i and j have in common through a body."""
    cdef int r, s
    cdef const double* x
    cdef const double* y
    cdef double m = body.inv_m, I = body.inv_I, by = rounding * m
    for r in range(n_i):
        x = &rows[of_i[r]].jb[0] if side_i else &rows[of_i[r]].ja[0]
        for s in range(n_j):
            y = &rows[of_j[s]].jb[0] if side_j else &rows[of_j[s]].ja[0]
            out[r * n_j + s] += rounded(m * (x[0] * y[0] + x[1] * y[1]) + I * x[2] * y[2], by)


cdef inline void couple_pins(const Row* i, bint side_i, const Row* j, bint side_j,
                             const Motion* body, double rounding, double* out) noexcept nogil:
    """`couple` of two plain pins."""
    cdef double by = rounding * body.inv_m
    cdef double m = body.inv_m if side_i == side_j else -body.inv_m
    cdef double x = body.inv_I * (i[0].jb[2] if side_i else i[0].ja[2])
    cdef double y = body.inv_I * (i[1].jb[2] if side_i else i[1].ja[2])
    cdef double u = j[0].jb[2] if side_j else j[0].ja[2]
    cdef double v = j[1].jb[2] if side_j else j[1].ja[2]
    out[0] += rounded(m + x * u, by)
    out[1] += rounded(x * v, by)
    out[2] += rounded(y * u, by)
    out[3] += rounded(m + y * v, by)


cdef void write_blocks(const Assembly* a, const int32_t* members, const int32_t* link_of,
                       const Link* links, const Row* rows, const Motion* motions, double* D,
                       double* L) noexcept nogil:
    """A = J M^-1 Jt + soft of the rows without bounds: diagonal blocks are added to D, couplings to
    L, each where the factor has its block or, of a dear one, one after the other."""
    cdef const Factor* f = a.f
    cdef int32_t k, u
    cdef int n_i, n_j, r
    cdef const Link* link
    cdef const Link* other
    cdef const Row* row
    cdef const Coupling* c
    cdef int[MOST_ROWS] of_i, of_j
    cdef double* out
    cdef double by = rounding_of(a)
    for k in range(a.n):
        link = &links[link_of[members[a.first + k]]]
        out = &D[f.diagonal[f.place[k]]]
        if link.plain:
            row = &rows[link.first]
            couple_pins(row, False, row, False, &motions[link.a], by, out)
            couple_pins(row, True, row, True, &motions[link.b], by, out)
            continue
        n_i = hard_rows(link, of_i)
        couple(rows, of_i, n_i, False, of_i, n_i, False, &motions[link.a], by, out)
        couple(rows, of_i, n_i, True, of_i, n_i, True, &motions[link.b], by, out)
        for r in range(n_i):
            out[r * n_i + r] += rows[of_i[r]].soft
    for u in range(a.n_couplings):
        c = &a.couplings[u]
        link = &links[link_of[members[a.first + c.i]]]
        other = &links[link_of[members[a.first + c.j]]]
        out = &L[c.at if a.is_dear else f.offset[c.block]]
        if link.plain and other.plain:
            couple_pins(&rows[link.first], c.side_i, &rows[other.first], c.side_j,
                        &motions[link.b if c.side_i else link.a], by, out)
            continue
        n_i = hard_rows(link, of_i)
        n_j = hard_rows(other, of_j)
        couple(rows, of_i, n_i, c.side_i, of_j, n_j, c.side_j,
               &motions[link.b if c.side_i else link.a], by, out)


cdef void open_system(Assembly* a, double** D, double** L) noexcept nogil:
    if a.is_dear:
        memset(a.system, 0, a.n_system * sizeof(double))
        D[0], L[0] = a.system, &a.system[a.f.diagonal[a.f.n]]
    else:
        clear_blocks(a.f)
        D[0], L[0] = a.f.D, a.f.L


cdef void factor_system(Assembly* a) noexcept nogil:
    a.age = PRESENT
    if a.is_dear:
        if memcmp(a.system, a.factored, a.n_system * sizeof(double)) == 0:
            return
        a.system, a.factored = a.factored, a.system
        spread_system(a)
    factor_blocks(a.f, SHIFT)


cdef void spread_system(Assembly* a) noexcept nogil:
    """Put a system that was written apart where it is factored."""
    cdef Factor* f = a.f
    cdef int32_t u
    cdef int64_t k, n = f.diagonal[f.n]
    cdef const Coupling* c
    cdef double* out
    clear_blocks(f)
    for k in range(n):
        f.D[k] = a.factored[k]
    for u in range(a.n_couplings):
        c = &a.couplings[u]
        out = &f.L[f.offset[c.block]]
        for k in range(f.offset[c.block + 1] - f.offset[c.block]):
            out[k] += a.factored[n + c.at + k]


cdef void factor_assembly(Assembly* a, const int32_t* members, const int32_t* link_of,
                          const Link* links, const Row* rows,
                          const Motion* motions) noexcept nogil:
    """Factor A of the present rows, unless it is what the factor is of."""
    cdef double* D
    cdef double* L
    open_system(a, &D, &L)
    write_blocks(a, members, link_of, links, rows, motions, D, L)
    factor_system(a)


cdef inline double rate(const Row* row, const Motion* a, const Motion* b) noexcept nogil:
    return (row.ja[0] * a.v.x + row.ja[1] * a.v.y + row.ja[2] * a.w
            + row.jb[0] * b.v.x + row.jb[1] * b.v.y + row.jb[2] * b.w)


cdef inline void push(const Row* row, double p, Motion* a, Motion* b) noexcept nogil:
    """Apply the impulse p of a row."""
    cdef double la = a.inv_m * p, lb = b.inv_m * p
    a.v.x += la * row.ja[0]
    a.v.y += la * row.ja[1]
    a.w += a.inv_I * p * row.ja[2]
    b.v.x += lb * row.jb[0]
    b.v.y += lb * row.jb[1]
    b.w += b.inv_I * p * row.jb[2]


cdef double rates_of(const Assembly* a, const int32_t* members, const int32_t* link_of,
                     const Link* links, const Row* rows, const Motion* motions) noexcept nogil:
    """-y of all rows in the factor into a.x; returns the largest |y| (m/s)."""
    cdef const Factor* f = a.f
    cdef int32_t k
    cdef int n, r
    cdef const Link* link
    cdef const Row* row
    cdef const Motion* one
    cdef const Motion* two
    cdef int[MOST_ROWS] of
    cdef double* x
    cdef double worst = 0.0
    for k in range(a.n):
        link = &links[link_of[members[a.first + k]]]
        x = &a.x[f.start[f.place[k]]]
        one, two = &motions[link.a], &motions[link.b]
        if link.plain:
            row = &rows[link.first]
            x[0] = one.v.x - two.v.x - row[0].ja[2] * one.w - row[0].jb[2] * two.w - row[0].bias
            x[1] = one.v.y - two.v.y - row[1].ja[2] * one.w - row[1].jb[2] * two.w - row[1].bias
            worst = greater(worst, greater(fabs(x[0]), fabs(x[1])))
            continue
        n = hard_rows(link, of)
        for r in range(n):
            row = &rows[of[r]]
            x[r] = -(rate(row, one, two) + row.bias + row.soft * row.p)
            worst = greater(worst, fabs(x[r]))
    return worst


cdef inline void push_pin(Row* rows, const double* p, Motion* a, Motion* b) noexcept nogil:
    """Apply an impulse to the two rows of a plain pin."""
    rows[0].p += p[0]
    rows[1].p += p[1]
    a.v.x -= a.inv_m * p[0]
    a.v.y -= a.inv_m * p[1]
    a.w += a.inv_I * (rows[0].ja[2] * p[0] + rows[1].ja[2] * p[1])
    b.v.x += b.inv_m * p[0]
    b.v.y += b.inv_m * p[1]
    b.w += b.inv_I * (rows[0].jb[2] * p[0] + rows[1].jb[2] * p[1])


cdef void correct(Assembly* a, const int32_t* members, const int32_t* link_of, const Link* links,
                  Row* rows, Motion* motions) noexcept nogil:
    """Solve for the impulses of a.x by the factor there is, and apply them."""
    cdef const Factor* f = a.f
    cdef int32_t k
    cdef int n, r
    cdef const Link* link
    cdef int[MOST_ROWS] of
    cdef const double* x
    solve_blocks(a.f, a.x)
    for k in range(a.n):
        link = &links[link_of[members[a.first + k]]]
        x = &a.x[f.start[f.place[k]]]
        if link.plain:
            push_pin(&rows[link.first], x, &motions[link.a], &motions[link.b])
            continue
        n = hard_rows(link, of)
        for r in range(n):
            rows[of[r]].p += x[r]
            push(&rows[of[r]], x[r], &motions[link.a], &motions[link.b])


cdef double solve_assembly(Assembly* a, const int32_t* members, const int32_t* link_of,
                           const Link* links, Row* rows, Motion* motions,
                           double enough) noexcept nogil:
    cdef double first = rates_of(a, members, link_of, links, rows, motions), worst = first, left
    if worst <= enough:
        return first
    # a factor of a tree takes no longer than the solve that would tell whether it is too old
    if a.age == NO_FACTOR or a.age == EARLIER and not a.is_dear:
        factor_assembly(a, members, link_of, links, rows, motions)
    while a.age == EARLIER:
        correct(a, members, link_of, links, rows, motions)
        left = rates_of(a, members, link_of, links, rows, motions)
        if left <= enough or left <= KEPT_LEAVES * first:
            return first
        if left > KEPT_SHARE * worst:
            factor_assembly(a, members, link_of, links, rows, motions)
        worst = left
    correct(a, members, link_of, links, rows, motions)
    return first


cdef void spread_assembly(Assembly* a, const int32_t* members, const int32_t* link_of,
                          const Link* links, const Row* rows, const Motion* motions,
                          Motion* probe) noexcept nogil:
    cdef int32_t k
    cdef int n, r
    cdef const Link* link
    cdef int[MOST_ROWS] of
    cdef double* x
    if a.age == NO_FACTOR or a.age == EARLIER and not a.is_dear:
        factor_assembly(a, members, link_of, links, rows, motions)
    for k in range(a.n):
        link = &links[link_of[members[a.first + k]]]
        n, x = hard_rows(link, of), &a.x[a.f.start[a.f.place[k]]]
        for r in range(n):
            x[r] = -rate(&rows[of[r]], &probe[link.a], &probe[link.b])
    solve_blocks(a.f, a.x)
    for k in range(a.n):
        link = &links[link_of[members[a.first + k]]]
        n, x = hard_rows(link, of), &a.x[a.f.start[a.f.place[k]]]
        for r in range(n):
            push(&rows[of[r]], x[r], &probe[link.a], &probe[link.b])


cdef double sweep_rows(const Link* links, int32_t n, Row* rows, Motion* motions,
                       bint hard) noexcept nogil:
    cdef int32_t k
    cdef int i
    cdef const Link* link
    cdef Row* row
    cdef Motion* a
    cdef Motion* b
    cdef double d, y, p, worst = 0.0
    for k in range(n):
        link = &links[k]
        a, b = &motions[link.a], &motions[link.b]
        for i in range(link.n):
            if link.joint.head.hard & (1 << i) and not hard:
                continue
            row = &rows[link.first + i]
            d = (a.inv_m * (row.ja[0] * row.ja[0] + row.ja[1] * row.ja[1])
                 + a.inv_I * row.ja[2] * row.ja[2]
                 + b.inv_m * (row.jb[0] * row.jb[0] + row.jb[1] * row.jb[1])
                 + b.inv_I * row.jb[2] * row.jb[2] + row.soft)
            if not d > 0.0:
                continue
            y = rate(row, a, b) + row.bias + row.soft * row.p
            p = greater(lesser(row.p - y / d, row.hi), row.lo)
            worst = greater(worst, fabs(p - row.p) * d)
            push(row, p - row.p, a, b)
            row.p = p
    return worst
