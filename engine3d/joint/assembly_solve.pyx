"""Large islands that joints hold; assembly_solve.pxd has the contract, joints3d.md says why."""

from libc.math cimport fabs, sqrt

from enginecore.assembly cimport Factor, clear_blocks, factor_blocks, solve_blocks
from enginecore.assembly_store cimport Assembly, Coupling
from enginecore.scalar cimport greater, lesser
from engine3d.joint.joint cimport MOST_HARD
from engine3d.joint.link cimport Link
from engine3d.solve.cone cimport BOUNDED, OPEN, SLIDE, STICK, Bounded

# Share of the diagonal that makes systems of redundant joints regular; a second solve takes out
# what it left.
cdef double SHIFT = 1e-9
# Bodies and cones up to which an island is solved directly, all rows at once; where no row has
# bounds both ways are exact, and the factor is faster from the other number on.
cdef enum:
    DIRECT_BODIES = 32
    DIRECT_CONES = 96
    FREE_BODIES = 6
    SWEEPS = 24


cdef bint needs_assemblies(int32_t n_bodies, int32_t n_slots, int32_t n_cones,
                           bint is_bounded) noexcept nogil:
    if not is_bounded:
        return n_bodies > FREE_BODIES
    return n_bodies > DIRECT_BODIES or n_slots + n_cones > DIRECT_CONES


# ---- rows -------------------------------------------------------------------------------------

cdef inline double six(const double* a, const double* b) noexcept nogil:
    return ((a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3])
            + (a[4] * b[4] + a[5] * b[5]))


cdef inline double rate(const Cone* c, int r, const double* V) noexcept nogil:
    return c.bias[r] + six(c.j[r], V + 6 * c.a) + six(c.j[r] + 6, V + 6 * c.b)


cdef inline double response(const Cone* c, int r) noexcept nogil:
    return six(c.j[r], c.j[r]) + six(c.j[r] + 6, c.j[r] + 6)


cdef inline void push(const Cone* c, int r, double q, double* V) noexcept nogil:
    """Apply the impulse q of row r."""
    cdef double* a = V + 6 * c.a
    cdef double* b = V + 6 * c.b
    cdef int k
    for k in range(6):
        a[k] += q * c.j[r][k]
        b[k] += q * c.j[r][6 + k]


cdef inline int hard_rows(const Link* link, int* out) noexcept nogil:
    """The rows of a joint that are in the factor; returns how many."""
    cdef int i, n = 0
    for i in range(link.n):
        if link.joint.head.hard & (1 << i):
            out[n] = i
            n += 1
    return n


# ---- joints, exactly --------------------------------------------------------------------------

cdef inline const Link* member(const Assembly* a, const LinkMemory* m, int32_t k) noexcept nogil:
    return &m.links[m.link_of[m.members[a.first + k]]]


cdef void couple(const Cone* of_i, const int* rows_i, int n_i, bint side_i, const Cone* of_j,
                 const int* rows_j, int n_j, bint side_j, double* out) noexcept nogil:
    """Add what rows of two joints have in common through a body."""
    cdef int r, s, i, j
    cdef const double* x
    for r in range(n_i):
        i = rows_i[r]
        x = of_i[i // 3].j[i % 3] + 6 * side_i
        for s in range(n_j):
            j = rows_j[s]
            out[r * n_j + s] += six(x, of_j[j // 3].j[j % 3] + 6 * side_j)


cdef void factor_assembly(const Assembly* a, const LinkMemory* m,
                          const Cone* cones) noexcept nogil:
    """Factor A = J Jt + soft of the rows without bounds, as they are now."""
    cdef Factor* f = a.f
    cdef const Link* one
    cdef const Link* two
    cdef const Coupling* c
    cdef int[MOST_HARD] rows_i, rows_j
    cdef double* D
    cdef int32_t k
    cdef int n_i, n_j, r
    clear_blocks(f)
    for k in range(a.n):
        one = member(a, m, k)
        n_i = hard_rows(one, rows_i)
        D = &f.D[f.diagonal[f.place[k]]]
        couple(&cones[one.first], rows_i, n_i, False, &cones[one.first], rows_i, n_i, False, D)
        couple(&cones[one.first], rows_i, n_i, True, &cones[one.first], rows_i, n_i, True, D)
        for r in range(n_i):
            D[r * n_i + r] += cones[one.first + rows_i[r] // 3].box.soft[rows_i[r] % 3]
    for k in range(a.n_couplings):
        c = &a.couplings[k]
        one, two = member(a, m, c.i), member(a, m, c.j)
        n_i, n_j = hard_rows(one, rows_i), hard_rows(two, rows_j)
        couple(&cones[one.first], rows_i, n_i, c.side_i, &cones[two.first], rows_j, n_j, c.side_j,
               &f.L[f.offset[c.block]])
    factor_blocks(f, SHIFT)


cdef double solve_assembly(const Assembly* a, const LinkMemory* m, Cone* cones,
                           double* V) noexcept nogil:
    """Give these rows the impulses that make their y zero; returns the largest |y| (m/s) there was.
    """
    cdef Factor* f = a.f
    cdef const Link* link
    cdef Cone* cone
    cdef int[MOST_HARD] rows
    cdef double* x
    cdef double worst = 0.0
    cdef int32_t k
    cdef int n, r, i
    for k in range(a.n):
        link = member(a, m, k)
        n = hard_rows(link, rows)
        x = &a.x[f.start[f.place[k]]]
        for r in range(n):
            cone, i = &cones[link.first + rows[r] // 3], rows[r] % 3
            x[r] = -(rate(cone, i, V) + cone.box.soft[i] * cone.p[i])
            worst = greater(worst, fabs(x[r]))
    if worst == 0.0:
        return 0.0
    solve_blocks(f, a.x)
    for k in range(a.n):
        link = member(a, m, k)
        n = hard_rows(link, rows)
        x = &a.x[f.start[f.place[k]]]
        for r in range(n):
            cone, i = &cones[link.first + rows[r] // 3], rows[r] % 3
            cone.p[i] += x[r]
            push(cone, i, x[r], V)
    return worst


cdef double solve_joints(LinkMemory* m, Cone* cones, double* V, bint anew) noexcept nogil:
    """Solve the assemblies of the island, each met at its first joint; anew: factor them first.
    Returns the largest |y| (m/s) there was."""
    cdef const Assembly* a
    cdef int32_t k, row
    cdef double worst = 0.0
    for k in range(m.n):
        row = <int32_t> (m.links[k].joint - m.joints)
        a = &m.assemblies[m.of_joint[row]]
        if m.members[a.first] != row:
            continue
        if anew:
            factor_assembly(a, m, cones)
        worst = greater(worst, solve_assembly(a, m, cones, V))
    return worst


cdef void hold_rigid(Cone* cones, LinkMemory* m, double* V, bint anew) noexcept nogil:
    solve_joints(m, cones, V, anew)
    # what the shift of the factor left
    solve_joints(m, cones, V, False)


# ---- sweeps -----------------------------------------------------------------------------------

cdef double sweep_bounded(LinkMemory* m, Cone* cones, double* V) noexcept nogil:
    """One pass over the joints' rows with bounds; returns the largest change of a rate (m/s)."""
    cdef const Link* link
    cdef Cone* cone
    cdef Bounded* box
    cdef double y, p, d, worst = 0.0
    cdef int32_t k
    cdef int i, r
    for k in range(m.n):
        link = &m.links[k]
        if link.joint.head.hard == (1 << link.n) - 1:
            continue
        for i in range(link.n):
            if link.joint.head.hard & (1 << i):
                continue
            cone, r = &cones[link.first + i // 3], i % 3
            box = cone.box
            d = box.d[r] + box.soft[r]
            if not box.d[r] > 0.0:
                continue
            y = rate(cone, r, V) + box.soft[r] * cone.p[r]
            p = greater(box.lo[r], lesser(box.hi[r], cone.p[r] - y / d))
            worst = greater(worst, fabs(p - cone.p[r]) * d)
            push(cone, r, p - cone.p[r], V)
            cone.p[r] = p
    return worst


cdef double sweep_contact(Cone* c, const double* d, double* V) noexcept nogil:
    """Normal, then friction on its disc; returns the largest change of a rate (m/s)."""
    cdef double x, z, most, size, worst
    if not d[0] > 0.0:
        return 0.0
    x = greater(0.0, c.p[0] - rate(c, 0, V) / d[0])
    worst = fabs(x - c.p[0]) * d[0]
    push(c, 0, x - c.p[0], V)
    c.p[0] = x
    if c.mu == 0.0 or not d[1] > 0.0:
        return worst
    x = c.p[1] - rate(c, 1, V) / d[1]
    z = c.p[2] - rate(c, 2, V) / d[1]
    size, most = sqrt(x * x + z * z), c.mu * c.p[0]
    if size > most:
        x *= most / size
        z *= most / size
    worst = greater(worst, greater(fabs(x - c.p[1]), fabs(z - c.p[2])) * d[1])
    push(c, 1, x - c.p[1], V)
    push(c, 2, z - c.p[2], V)
    c.p[1], c.p[2] = x, z
    return worst


cdef void begin_contacts(Cone* cones, int32_t n, double* d, double* V) noexcept nogil:
    """Diagonals, and the impulses that contacts start with, inside their cones."""
    cdef Cone* c
    cdef double size, most
    cdef int32_t k
    cdef int r
    for k in range(n):
        c = &cones[k]
        d[2 * k] = response(c, 0)
        # the mean of the two ways would not do: the larger is a bound, and sweeps never gain
        d[2 * k + 1] = greater(response(c, 1), response(c, 2))
        c.p[0] = greater(c.p[0], 0.0) if d[2 * k] > 0.0 else 0.0
        size, most = sqrt(c.p[1] * c.p[1] + c.p[2] * c.p[2]), c.mu * c.p[0]
        for r in range(1, 3):
            if not size <= most:
                c.p[r] *= most / size if size > 0.0 else 0.0
        for r in range(3):
            push(c, r, c.p[r], V)


cdef void begin_joints(LinkMemory* m, Cone* cones, double* V) noexcept nogil:
    cdef Cone* c
    cdef Bounded* box
    cdef int32_t k
    cdef int r
    for k in range(m.n_cones):
        c = &cones[k]
        box = c.box
        for r in range(3):
            box.d[r] = response(c, r)
            c.p[r] = greater(box.lo[r], lesser(box.hi[r], c.p[r])) if box.d[r] > 0.0 else 0.0
            push(c, r, c.p[r], V)


cdef void name_modes(Cone* cones, int32_t n) noexcept nogil:
    cdef Cone* c
    cdef double most
    cdef int32_t k
    for k in range(n):
        c = &cones[k]
        most = c.mu * c.p[0] * (1.0 - 1e-9)
        if c.p[0] <= 0.0:
            c.mode = OPEN
        elif c.p[1] * c.p[1] + c.p[2] * c.p[2] < most * most:
            c.mode = STICK
        else:
            c.mode = SLIDE


cdef int64_t solve_swept(Cone* cones, int32_t n, LinkMemory* m, double* V,
                         double least) noexcept nogil:
    cdef Cone* joints = cones + n
    cdef double changed
    cdef int32_t k, at
    cdef int64_t count = 0
    begin_contacts(cones, n, m.diagonal, V)
    begin_joints(m, joints, V)
    solve_joints(m, joints, V, True)
    while count < SWEEPS:
        changed = sweep_bounded(m, joints, V)
        for at in range(n):
            k = n - 1 - at if count & 1 else at
            changed = greater(changed, sweep_contact(&cones[k], &m.diagonal[2 * k], V))
        count += 1
        if changed <= least:
            break
        solve_joints(m, joints, V, False)
    # what the shift of the factor left
    solve_joints(m, joints, V, False)
    name_modes(cones, n)
    for k in range(m.n_cones):
        joints[k].mode = BOUNDED
    return count
