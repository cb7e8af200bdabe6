"""Contacts that bear much; heavy.pxd has the contract, docs/maths/joints.md why."""

from libc.math cimport INFINITY, fabs
from libc.stdint cimport int32_t

from enginecore.scalar cimport greater, lesser
from enginecore.assembly_store cimport Assembly
from engine2d.joint.assemblies cimport spread_assembly
from engine2d.joint.assembly_step cimport MOST_HEAVY, LinkMemory, Swept
from engine2d.joint.hinges cimport spread_hinges
from engine2d.joint.swept cimport change, slip
from engine2d.solve.row cimport Row
from engine2d.vec2 cimport length, vec2

# Times the mass of the jointed body: what is as heavy as this bears much on it.
cdef double HEAVY = 20.0
# And so many times its weight: what bears as much, and goes on bearing it; boxes that land do not.
cdef double LOADED = 100.0
cdef enum:
    PASSES = 200          # over these contacts, at most
    TURNS = 3             # of friction
# m/s: passes that change no rate by more are the last.
cdef double LAST_CHANGE = 1e-10


cdef inline bint bears_much(const Linked* s, const Row* row, int32_t on, int32_t by) noexcept nogil:
    """Whether a contact bears more on one body than sweeps can tell it."""
    cdef double light = s.m.riders[on].inv_m, heavy = s.m.riders[by].inv_m
    if not (s.m.riders[on].joined and light > 0.0):
        return False
    return (heavy > 0.0 and light >= HEAVY * heavy
            or row.p * light > LOADED * s.h * length(s.ctx.gravity))


cdef void find_heavy(Linked* s) noexcept nogil:
    cdef int32_t k
    cdef Swept* t
    cdef const Row* row
    s.n_heavy = 0
    for k in range(s.n_swept):
        t, row = &s.m.swept[k], &s.m.rows[s.n_rows + 2 * k]
        t.heavy = -1
        if s.n_heavy < MOST_HEAVY and (bears_much(s, row, t.a, t.b)
                                       or bears_much(s, row, t.b, t.a)):
            t.heavy = s.n_heavy
            s.m.heavy[s.n_heavy] = k
            s.n_heavy += 1


cdef void spread(Linked* s) noexcept nogil:
    """Let joints answer the motions of the probe."""
    cdef LinkMemory* m = s.m
    cdef int32_t k = 0
    cdef Assembly* a
    while s.is_plain and k < s.n_links:
        a = &m.assemblies[m.of_joint[m.hinges[k].joint - m.joints]]
        spread_hinges(a, &m.hinges[k], m.motions, m.probe)
        k += a.n
    for k in range(0 if s.is_plain else s.n_links):
        a = &m.assemblies[m.of_joint[m.links[k].joint - m.joints]]
        if &m.joints[m.members[a.first]] == m.links[k].joint:
            spread_assembly(a, m.members, m.link_of, m.links, m.rows, m.motions, m.probe)


cdef inline Row* row_of(const Linked* s, int32_t i) noexcept nogil:
    """The i-th row of these contacts: normal and tangent by turns."""
    return &s.m.rows[s.n_rows + 2 * s.m.heavy[i >> 1] + (i & 1)]


cdef void weigh_heavy(Linked* s) noexcept nogil:
    cdef LinkMemory* m = s.m
    cdef int32_t i, j, k, n = 2 * s.n_heavy
    cdef Row* row
    cdef Swept* t
    cdef double p
    for j in range(n):
        for k in range(s.n_riders):
            m.probe[k].v, m.probe[k].w = vec2(0.0, 0.0), 0.0
            m.probe[k].inv_m, m.probe[k].inv_I = m.motions[k].inv_m, m.motions[k].inv_I
        row = row_of(s, j)
        p = row.p
        row.p = 0.0
        change(row, 1.0, 0.0, &m.probe[row.a], &m.probe[row.b])
        row.p = p
        spread(s)
        for i in range(n):
            row = row_of(s, i)
            m.responses[n * i + j] = slip(row, &m.probe[row.a], &m.probe[row.b])
    for k in range(s.n_heavy):
        t = &m.swept[m.heavy[k]]
        # as stiff as what answers is heavy
        row_of(s, 2 * k).soft = t.soft * m.responses[(n + 1) * 2 * k]


cdef void solve_heavy(Linked* s) noexcept nogil:
    cdef LinkMemory* m = s.m
    cdef int32_t i, _turn, n = 2 * s.n_heavy
    cdef Row* row
    cdef double p
    cdef double[2 * MOST_HEAVY] rates, start
    for i in range(n):
        row = row_of(s, i)
        rates[i] = slip(row, &m.motions[row.a], &m.motions[row.b])
        start[i] = row.p
    for _turn in range(TURNS):
        if settle_all(s, rates) <= 1:
            break
    for i in range(n):
        row = row_of(s, i)
        p, row.p = row.p, start[i]
        change(row, p, 0.0, &m.motions[row.a], &m.motions[row.b])


cdef int settle_all(Linked* s, double* rates) noexcept nogil:
    """Passes over the rows; returns how many. Bounds of friction are those of the pressing there
    is: while these stay what they are each pass lowers the energy, whatever wedges."""
    cdef int32_t i
    cdef int passes = 0
    cdef Row* row
    cdef double worst = INFINITY
    for i in range(2 * s.n_heavy):
        row = row_of(s, i)
        row.lo, row.hi = 0.0, INFINITY
        if i & 1:
            row.hi = row.mu * row_of(s, i - 1).p
            row.lo = -row.hi
    while worst > LAST_CHANGE * s.ctx.root and passes < PASSES:
        worst = 0.0
        passes += 1
        for i in range(2 * s.n_heavy):
            worst = greater(worst, settle(s, i, rates))
    return passes


cdef inline double settle(Linked* s, int32_t i, double* rates) noexcept nogil:
    """Give a row the impulse that makes its y zero, within its bounds; returns by how much (m/s)
    that changed its rate."""
    cdef int32_t k, n = 2 * s.n_heavy
    cdef Row* row = row_of(s, i)
    cdef const double* of = &s.m.responses[(n + 1) * i]
    cdef double p, d = of[0]
    if not d > 0.0:
        return 0.0
    p = row.p - (rates[i] + row.bias + row.soft * row.p) / (d + row.soft)
    p = greater(lesser(p, row.hi), row.lo)
    for k in range(n):
        rates[k] += s.m.responses[n * k + i] * (p - row.p)
    d *= fabs(p - row.p)
    row.p = p
    return d
