"""Sweeps over the contacts of a small island; direct_sweep.pxd has the contract.

The two rows of a contact are of the same two bodies. What its normal impulse does to the rate of
its friction is one number, A_tn: both impulses are known before the bodies are touched, and then
are given to them at once. That is Gauss-Seidel as row by row, in half the time.
"""

from libc.math cimport fabs

from enginecore.lcp cimport clamp
from enginecore.scalar cimport greater
from enginecore.status cimport check
from engine2d.body cimport Motion
from engine2d.solve.row cimport AT_HIGH, AT_LOW, INSIDE, Row

# Share of the largest of b: sweeps that change less are the last.
cdef double LAST_CHANGE = 1e-3
cdef enum:
    MOST_SWEEPS = 20


cdef inline double rate_of(const Row* row, const Motion* a, const Motion* b) noexcept nogil:
    """m/s, of a row with its bias. Summed two by two: one sum does not wait for all others."""
    return (((row.ja[0] * a.v.x + row.ja[1] * a.v.y) + (row.ja[2] * a.w + row.jb[0] * b.v.x))
            + ((row.jb[1] * b.v.y + row.jb[2] * b.w) + row.bias))


cdef inline double coupling(const Row* one, const Row* two, const Motion* a,
                            const Motion* b) noexcept nogil:
    """1/kg, of two rows of the same bodies: how an impulse on one changes the rate of the other."""
    return (a.inv_m * (one.ja[0] * two.ja[0] + one.ja[1] * two.ja[1])
            + a.inv_I * one.ja[2] * two.ja[2]
            + b.inv_m * (one.jb[0] * two.jb[0] + one.jb[1] * two.jb[1])
            + b.inv_I * one.jb[2] * two.jb[2])


cdef inline void push(const Row* n, const Row* t, double pn, double pt, Motion* a,
                      Motion* b) noexcept nogil:
    """Apply the impulses of both rows of a contact."""
    a.v.x += a.inv_m * (pn * n.ja[0] + pt * t.ja[0])
    a.v.y += a.inv_m * (pn * n.ja[1] + pt * t.ja[1])
    a.w += a.inv_I * (pn * n.ja[2] + pt * t.ja[2])
    b.v.x += b.inv_m * (pn * n.jb[0] + pt * t.jb[0])
    b.v.y += b.inv_m * (pn * n.jb[1] + pt * t.jb[1])
    b.w += b.inv_I * (pn * n.jb[2] + pt * t.jb[2])


cdef void begin(System* s) noexcept nogil:
    """Velocities of the present p; the inverses of the diagonal into x, A_tn into scale of the
    friction rows."""
    cdef int i
    cdef Row* n
    cdef Row* t
    cdef Motion* a
    cdef Motion* b
    for i in range(0, s.n, 2):
        n, t = &s.rows[i], &s.rows[i + 1]
        a, b = &s.motions[n.a], &s.motions[n.b]
        check(t.normal == i and t.a == n.a and t.b == n.b)
        s.work.x[i] = 1.0 / s.work.d[i] if s.work.d[i] > 0.0 else 0.0
        s.work.x[i + 1] = 1.0 / s.work.d[i + 1] if s.work.d[i + 1] > 0.0 else 0.0
        s.work.scale[i + 1] = coupling(n, t, a, b)
        push(n, t, s.work.p[i], s.work.p[i + 1], a, b)


cdef double sweep_once(System* s) noexcept nogil:
    """One sweep; the largest change of a row's rate (m/s)."""
    cdef const double* x = s.work.x
    cdef double* p = s.work.p
    cdef const Row* n
    cdef const Row* t
    cdef Motion* a
    cdef Motion* b
    cdef double pn, pt, dn, dt, bound, rate, most = 0.0
    cdef int i
    for i in range(0, s.n, 2):
        n, t = &s.rows[i], &s.rows[i + 1]
        a, b = &s.motions[n.a], &s.motions[n.b]
        rate = rate_of(t, a, b)
        pn = clamp(p[i] - (rate_of(n, a, b) + n.soft * p[i]) * x[i], n.lo, n.hi)
        dn = pn - p[i]
        bound = t.mu * greater(pn, 0.0)
        rate += s.work.scale[i + 1] * dn + t.soft * p[i + 1]
        pt = clamp(p[i + 1] - rate * x[i + 1], -bound, bound)
        dt = pt - p[i + 1]
        if dn != 0.0 or dt != 0.0:
            push(n, t, dn, dt, a, b)
            p[i], p[i + 1] = pn, pt
            most = greater(most, greater(fabs(dn) * s.work.d[i], fabs(dt) * s.work.d[i + 1]))
    return most


cdef void note_modes(System* s) noexcept nogil:
    """The modes that the impulses tell."""
    cdef int* mode = s.work.mode
    cdef double pn, pt, bound
    cdef int i
    for i in range(0, s.n, 2):
        pn, pt = s.work.p[i], s.work.p[i + 1]
        bound = s.rows[i + 1].mu * greater(pn, 0.0)
        mode[i] = INSIDE if pn > s.rows[i].lo else AT_LOW
        mode[i + 1] = INSIDE
        if bound > 0.0 and fabs(pt) >= bound:
            mode[i + 1] = AT_HIGH if pt > 0.0 else AT_LOW


cdef void sweep_contacts(System* s) noexcept nogil:
    cdef int _sweep
    begin(s)
    for _sweep in range(MOST_SWEEPS):
        if sweep_once(s) <= LAST_CHANGE * s.scale:
            break
    note_modes(s)
