"""Assemblies and their factors; assemblies.pxd has the contract, docs/maths/joints.md why."""

import numpy as np

from libc.math cimport NAN, fabs
from libc.string cimport memcmp, memset

from enginecore.assembly cimport clear_blocks, factor_blocks, find_block, solve_blocks
from enginecore.memory cimport address
from enginecore.scalar cimport greater, lesser
from engine2d.body cimport DYNAMIC
from engine2d.joint.joint cimport MOST_ROWS, JointData

# Share of the diagonal that makes systems of redundant joints regular; a solve that corrects what
# it left takes it out again.
cdef double SHIFT = 1e-9
cdef enum:
    FEW_BLOCKS = 4        # of L a joint: fewer, and a factor costs about as much as a solve

# ---- numbers ----------------------------------------------------------------------------------

cdef inline int hard_rows(const Link* link, int* out) noexcept nogil:
    """The rows of a joint that are in the factor; returns how many."""
    cdef int i, n = 0
    for i in range(link.n):
        if link.joint.hard & (1 << i):
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
            if link.joint.hard & (1 << i) and not hard:
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


# ---- lists and plans --------------------------------------------------------------------------

cdef int32_t root_of(int32_t* parent, int32_t row) noexcept nogil:
    while parent[row] != row:
        parent[row] = parent[parent[row]]
        row = parent[row]
    return row


cdef class AssemblyStore:

    def __cinit__(self):
        self.arrays, self.plans = {}, {}
        self.seen_joints = self.seen_bodies = -1

    cdef int refresh(self, JointStore store) except -1:
        """List the assemblies anew if joints or kinds of bodies have changed."""
        cdef int32_t k, row, n_bodies = store.bodies.n_bodies
        cdef const JointData* joint
        cdef int32_t[::1] parent, number, first
        cdef bint moves_a, moves_b
        if store.edits == self.seen_joints and store.bodies.edits == self.seen_bodies:
            return 0
        self.seen_joints, self.seen_bodies = store.edits, store.bodies.edits
        # join
        parent = np.arange(max(n_bodies, 1), dtype=np.int32)
        for k in range(store.n):
            joint = &store.joints[k]
            if joint.a >= 0 and joint.b >= 0 and store.bodies.bodies[joint.a].kind == DYNAMIC \
                    and store.bodies.bodies[joint.b].kind == DYNAMIC:
                parent[root_of(&parent[0], joint.a)] = root_of(&parent[0], joint.b)
        # number, in the order of their first joints
        number = np.full(max(n_bodies, 1), -1, np.int32)
        self.arrays["of_joint"] = np.full(max(store.n, 1), -1, np.int32)
        self.of_joint = <int32_t*> address(self.arrays["of_joint"])
        self.n = 0
        for k in range(store.n):
            joint = &store.joints[k]
            moves_a = joint.a >= 0 and store.bodies.bodies[joint.a].kind == DYNAMIC
            moves_b = joint.b >= 0 and store.bodies.bodies[joint.b].kind == DYNAMIC
            if not (moves_a or moves_b):
                continue
            row = root_of(&parent[0], joint.a if moves_a else joint.b)
            if number[row] < 0:
                number[row] = self.n
                self.n += 1
            self.of_joint[k] = number[row]
        # their joints
        first = np.zeros(self.n + 2, np.int32)
        for k in range(store.n):
            if self.of_joint[k] >= 0:
                first[self.of_joint[k] + 2] += 1
        for k in range(self.n):
            first[k + 2] += first[k + 1]
        self.arrays["members"] = np.zeros(max(store.n, 1), np.int32)
        self.members = <int32_t*> address(self.arrays["members"])
        for k in range(store.n):
            if self.of_joint[k] >= 0:
                self.members[first[self.of_joint[k] + 1]] = k
                first[self.of_joint[k] + 1] += 1
        self.arrays["assemblies"] = np.zeros(max(self.n, 1) * sizeof(Assembly), np.uint8)
        self.assemblies = <Assembly*> address(self.arrays["assemblies"])
        for k in range(self.n):
            self.assemblies[k].first = first[k]
            self.assemblies[k].n = first[k + 1] - first[k]
        self.arrays["used"] = {}
        return 0

    cdef int plan(self, int32_t k, JointStore store) except -1:
        """Plan the factor of assembly k, unless that was done."""
        cdef Assembly* a = &self.assemblies[k]
        cdef int32_t i
        if a.f != NULL:
            return 0
        # the same joints, rows and bodies: the same plan
        key = np.array([(store.joints[self.members[a.first + i]].a,
                         store.joints[self.members[a.first + i]].b,
                         store.joints[self.members[a.first + i]].hard) for i in range(a.n)])
        fixed = np.array([[row < 0 or store.bodies.bodies[<int32_t> row].kind != DYNAMIC
                           for row in pair[:2]] for pair in key])
        name = key.tobytes() + fixed.tobytes()
        plan = self.plans.get(name)
        if plan is None:
            plan = make_plan(key, fixed)
            if len(self.plans) > 4 * self.n + 16:
                self.plans.clear()
            self.plans[name] = plan
        self.arrays["used"][k] = plan
        factor, couplings, x, systems = plan
        a.f = &(<BlockFactor> factor).f
        a.couplings = <Coupling*> address(couplings)
        a.n_couplings = <int32_t>(couplings.nbytes // sizeof(Coupling))
        if a.n_couplings > 0 and a.couplings[0].block < 0:
            a.n_couplings = 0
        a.x = <double*> address(x)
        a.is_dear = len(systems) > 0
        if a.is_dear:
            # what is in them may be of an earlier plan's end: neither is taken to be factored
            systems.fill(NAN)
            a.n_system = systems.shape[1]
            a.system = <double*> address(systems)
            a.factored = a.system + a.n_system
        return 0


def make_plan(joints, fixed):
    """The factor of an assembly: joints are (row of a, row of b, bits of hard rows), fixed says
    which of these bodies are not dynamic. Returns the factor, the couplings, room for x and, of a
    factor that is dear, for two systems."""
    cdef BlockFactor factor = BlockFactor()
    cdef Coupling* out
    cdef int32_t n = len(joints), i, j, count = 0
    cdef int64_t at = 0
    cdef int32_t[::1] width, first, member
    width = np.array([int(hard).bit_count() for _, _, hard in joints], np.int32)
    sides = {}
    for k, (pair, still) in enumerate(zip(joints, fixed)):
        for side in (0, 1):
            if pair[2] and not still[side]:
                sides.setdefault(int(pair[side]), []).append((k, side))
    bodies = [sides[row] for row in sorted(sides)]
    first = np.concatenate([[0], np.cumsum([len(body) for body in bodies])]).astype(np.int32)
    member = np.array([k for body in bodies for k, _ in body] or [0], np.int32)
    factor.plan(n, &width[0], len(bodies), &first[0], &member[0])
    total = sum(len(body) * (len(body) - 1) // 2 for body in bodies)
    couplings = np.zeros(max(total, 1) * sizeof(Coupling), np.uint8)
    out = <Coupling*> address(couplings)
    out[0].block = -1
    for body in bodies:
        for p, (one, side_one) in enumerate(body):
            for two, side_two in body[:p]:
                i, j = one, two
                if width[i] == 0 or width[j] == 0:
                    continue
                if factor.f.place[i] < factor.f.place[j]:
                    i, j, side_i, side_j = j, i, side_two, side_one
                else:
                    side_i, side_j = side_one, side_two
                out[count] = Coupling(find_block(&factor.f, i, j), i, j, side_i, side_j, at)
                at += width[i] * width[j]
                count += 1
    couplings = couplings[:max(count, 1) * sizeof(Coupling)]
    is_dear = factor.f.n_lower > FEW_BLOCKS * n
    systems = np.empty((2, factor.f.diagonal[n] + at)) if is_dear else ()
    return factor, couplings, np.zeros(max(factor.f.rows, 1)), systems
