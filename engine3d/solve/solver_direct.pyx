"""Small islands solved exactly; solver_direct.pxd has the contract, docs/maths/solver3d.md why.

The order of attempts: the impulses of last time as they are; semi-smooth Newton on the modes (open,
stick, slide) of Alart and Curnier's equations; a ladder of proximal problems, from a strong pull to
a weak one; the best of all that.
"""

import numpy as np

cimport cython

from libc.math cimport INFINITY, fabs, sqrt
from libc.string cimport memcpy, memset

from enginecore.scalar cimport greater, lesser
from enginecore.row_solver cimport (
    ENOUGH, GAIN, LEAST_SCALE, MOST_PASSES, PASSES, PROXIMAL, SUM_ROUNDING, WEAK_PROXIMAL,
    most_kept, wanted_of)
from enginecore.status cimport check
from engine3d.solve.cone cimport AT_HIGH, AT_LOW, BOUNDED, OPEN, SLIDE, STICK, Bounded
from engine3d.solve.direct_newton cimport take_step
from engine3d.solve.direct_system cimport System, row_mode, six

# Shares of the largest of b: where Newton ends without having got to WANTED, and below which a step
# that gains little is the last.
cdef double SETTLED = 1e-9
cdef double STALLED = 1e-10
# The ladder: the first pull, its factors when Newton settles and when it does not, its bounds.
cdef double LADDER = 0.1
cdef double LADDER_DOWN = 0.2
cdef double LADDER_UP = 5.0
cdef double LADDER_LEAST = 1e-8
cdef double LADDER_MOST = 1.0
cdef double LADDER_DONE = 1e-12
cdef enum:
    NEWTON_STEPS = 8
    LADDER_STEPS = 12
    LADDER_ROUNDS = 60
    SWEEPS = 30


cdef double solve_cones(Cone* cones, int n, double* V, int m, double drift, DirectMemory* memory,
                        DirectCounters* counters) noexcept nogil:
    cdef System s
    cdef double residual
    cdef int i, r
    check(n <= memory.n_cones and m <= memory.n_bodies)
    s.cones, s.n, s.m, s.work = cones, n, m, memory
    s.pull = 0.0
    s.factored = s.symmetric = False
    counters.direct_solves += 1
    memcpy(memory.free_V, V, 6 * (m + 1) * sizeof(double))
    measure(&s)
    residual = evaluate(&s)
    if residual <= allowed(&s, drift):
        counters.direct_kept += 1
    elif rests_at_zero(&s):
        memset(memory.p, 0, 3 * n * sizeof(double))
        memset(memory.mode, 0, n * sizeof(int))
        residual = evaluate(&s)
    else:
        residual = solve_passes(&s, residual, counters)
        if not residual <= greater(ENOUGH * s.scale, SUM_ROUNDING * s.size):
            counters.direct_failures += 1
    for i in range(n):
        for r in range(3):
            cones[i].p[r] = memory.p[3 * i + r]
        cones[i].mode = memory.mode[i]
    memcpy(V, memory.V, 6 * (m + 1) * sizeof(double))
    return residual


# ------------------------------------------------------------------------ the problem and its test

cdef inline double allowed(const System* s, double drift) noexcept nogil:
    """The residual up to which impulses are kept, m/s."""
    return most_kept(s.scale, s.size, drift)


cdef inline double wanted(const System* s) noexcept nogil:
    """The residual to aim at, m/s."""
    return wanted_of(s.scale, s.size)


cdef inline void push(const Cone* c, int r, double q, double* V) noexcept nogil:
    """Apply the impulse q of row r."""
    cdef double* a = V + 6 * c.a
    cdef double* b = V + 6 * c.b
    cdef int k
    for k in range(6):
        a[k] += q * c.j[r][k]
        b[k] += q * c.j[r][6 + k]


cdef void measure(System* s) noexcept nogil:
    """Diagonal, y without impulses and their sizes; p and modes as last time, inside the cone."""
    cdef DirectMemory* m = s.work
    cdef Cone* c
    cdef const double* a
    cdef const double* b
    cdef double size, most
    cdef double[3] d
    cdef int i, r, k
    s.scale = m.least
    s.size = 0.0
    for i in range(s.n):
        c = &s.cones[i]
        a = m.free_V + 6 * c.a
        b = m.free_V + 6 * c.b
        for r in range(3):
            d[r] = six(c.j[r], c.j[r]) + six(c.j[r] + 6, c.j[r] + 6)
            m.b[3 * i + r] = c.bias[r] + six(c.j[r], a) + six(c.j[r] + 6, b)
            s.scale = greater(s.scale, fabs(m.b[3 * i + r]))
            most = fabs(c.bias[r])
            for k in range(6):
                most += fabs(c.j[r][k] * a[k]) + fabs(c.j[r][6 + k] * b[k])
            s.size = greater(s.size, most)
        if c.box != NULL:
            measure_box(s, i, d)
            continue
        m.d[2 * i] = d[0]
        m.d[2 * i + 1] = 0.5 * (d[1] + d[2])
        for r in range(3):
            # where no impulse has an effect there is none
            m.p[3 * i + r] = c.p[r] if d[0] > 0.0 else 0.0
        m.mode[i] = c.mode
        project(s, i)
        size = m.p[3 * i] * d[0]
        s.size = greater(s.size, size)


cdef void measure_box(System* s, int i, const double* d) noexcept nogil:
    """The same of the rows of a joint; those that move nothing are out of it."""
    cdef DirectMemory* m = s.work
    cdef Cone* c = &s.cones[i]
    cdef int r
    m.d[2 * i] = m.d[2 * i + 1] = 1.0
    m.mode[i] = c.mode if c.mode >= BOUNDED else BOUNDED
    for r in range(3):
        c.box.d[r] = d[r]
        m.p[3 * i + r] = c.p[r] if d[r] > 0.0 else 0.0
        if d[r] <= 0.0:
            m.b[3 * i + r] = 0.0
    project(s, i)
    for r in range(3):
        s.size = greater(s.size, fabs(m.p[3 * i + r]) * (d[r] + c.box.soft[r]))


cdef int box_mode_at(const System* s, int i) noexcept nogil:
    """The modes that the rows of a joint ask for at the present p and y."""
    cdef const Bounded* box = s.cones[i].box
    cdef double at
    cdef int r, out = BOUNDED
    for r in range(3):
        if box.d[r] <= 0.0:
            out |= AT_LOW << (2 * r)
            continue
        at = s.work.p[3 * i + r] - s.work.y[3 * i + r] / (box.d[r] + box.soft[r])
        if at < box.lo[r]:
            out |= AT_LOW << (2 * r)
        elif at > box.hi[r]:
            out |= AT_HIGH << (2 * r)
    return out


cdef double box_residual(const System* s, int i) noexcept nogil:
    """m/s: how far p is from its projection after a step against y, row by row."""
    cdef const Bounded* box = s.cones[i].box
    cdef double d, p, off, worst = 0.0
    cdef int r
    for r in range(3):
        d = box.d[r] + box.soft[r]
        if box.d[r] <= 0.0:
            continue
        p = s.work.p[3 * i + r]
        off = fabs(p - greater(box.lo[r], lesser(box.hi[r], p - s.work.y[3 * i + r] / d))) * d
        worst = off if not off <= worst else worst
    return worst


cdef inline void project(System* s, int i) noexcept nogil:
    """Bring the impulse of a contact into its cone; what is no number is none."""
    cdef double* p = s.work.p + 3 * i
    cdef double most, size
    cdef const Bounded* box = s.cones[i].box
    cdef int r
    if box != NULL:
        for r in range(3):
            p[r] = greater(box.lo[r], lesser(box.hi[r], p[r])) if (
                -INFINITY < p[r] < INFINITY and box.d[r] > 0.0) else 0.0
        return
    if not 0.0 < p[0] < INFINITY:
        p[0] = p[1] = p[2] = 0.0
        return
    most = s.cones[i].mu * p[0]
    size = sqrt(p[1] * p[1] + p[2] * p[2])
    if not size <= most:
        size = most / size if 0.0 < size < INFINITY else 0.0
        p[1] *= size
        p[2] *= size
        if size == 0.0:
            p[1] = p[2] = 0.0


cdef double evaluate(System* s) noexcept nogil:
    """Velocities of the present p; y; the largest residual (m/s). NaN counts as infinite."""
    cdef DirectMemory* m = s.work
    cdef const Cone* c
    cdef double worst = 0.0, r_i
    cdef int i, r
    memcpy(m.V, m.free_V, 6 * (s.m + 1) * sizeof(double))
    for i in range(s.n):
        if m.p[3 * i] != 0.0 or m.p[3 * i + 1] != 0.0 or m.p[3 * i + 2] != 0.0:
            for r in range(3):
                push(&s.cones[i], r, m.p[3 * i + r], m.V)
    for i in range(s.n):
        c = &s.cones[i]
        for r in range(3):
            m.y[3 * i + r] = (c.bias[r] + six(c.j[r], m.V + 6 * c.a)
                              + six(c.j[r] + 6, m.V + 6 * c.b))
            if c.box != NULL:
                m.y[3 * i + r] += (c.box.soft[r] * m.p[3 * i + r] + s.pull * c.box.d[r]
                                   * (m.p[3 * i + r] - m.center[3 * i + r]))
            elif s.pull > 0.0:
                m.y[3 * i + r] += (s.pull * m.d[2 * i + (1 if r else 0)]
                                   * (m.p[3 * i + r] - m.center[3 * i + r]))
        r_i = residual_of(s, i)
        worst = r_i if not r_i <= worst else worst
    return worst if worst <= INFINITY else INFINITY


cdef inline double residual_of(const System* s, int i) noexcept nogil:
    """m/s: how far p is from its projection after a step against y."""
    cdef const double* p = s.work.p + 3 * i
    cdef const double* y = s.work.y + 3 * i
    cdef double dn = s.work.d[2 * i], dt = s.work.d[2 * i + 1], along, x, z, size, most, off
    if s.cones[i].box != NULL:
        return box_residual(s, i)
    if dn <= 0.0:
        return 0.0
    along = fabs(p[0] - greater(0.0, p[0] - y[0] / dn)) * dn
    if dt <= 0.0 or s.cones[i].mu == 0.0:
        return along
    x = p[1] - y[1] / dt
    z = p[2] - y[2] / dt
    size = sqrt(x * x + z * z)
    most = s.cones[i].mu * greater(0.0, p[0])
    if size > most:
        x *= most / size
        z *= most / size
    x -= p[1]
    z -= p[2]
    off = sqrt(x * x + z * z) * dt
    return off if not off <= along else along


cdef bint rests_at_zero(const System* s) noexcept nogil:
    """Whether no impulse at all is an answer, seen from b alone."""
    cdef int i
    for i in range(s.n):
        if s.cones[i].box != NULL or (s.work.b[3 * i] < 0.0 and s.work.d[2 * i] > 0.0):
            return False
    return True


# ------------------------------------------------------------------------------------------- modes

cdef inline int mode_at(const System* s, int i) noexcept nogil:
    """The mode that a contact asks for at the present p and y."""
    cdef const double* p = s.work.p + 3 * i
    cdef const double* y = s.work.y + 3 * i
    cdef double dn = s.work.d[2 * i], dt = s.work.d[2 * i + 1], most, x, z
    if s.cones[i].box != NULL:
        return box_mode_at(s, i)
    if dn <= 0.0 or p[0] - y[0] / dn <= 0.0:
        return OPEN
    if s.cones[i].mu == 0.0:
        return SLIDE
    most = s.cones[i].mu * greater(0.0, p[0])
    if most <= 0.0:
        # where it begins to press, friction sticks until shown otherwise
        return STICK
    x = p[1] - y[1] / dt
    z = p[2] - y[2] / dt
    return SLIDE if x * x + z * z > most * most else STICK


cdef void start_modes(System* s) noexcept nogil:
    """The modes of last time, but contacts that the kept impulses leave violated take part."""
    cdef int i
    for i in range(s.n):
        if s.work.mode[i] == OPEN or s.cones[i].box != NULL:
            s.work.mode[i] = mode_at(s, i)
        elif s.work.mode[i] == SLIDE and s.work.p[3 * i] <= 0.0 and s.cones[i].mu > 0.0:
            s.work.mode[i] = STICK
        if s.cones[i].mu == 0.0 and s.work.mode[i] == STICK:
            s.work.mode[i] = SLIDE


cdef inline void set_slip(System* s, int i) noexcept nogil:
    """Direction of sliding and the share kappa = mu p_n / |p_t - y_t/d_t| of Alart and Curnier."""
    cdef const double* p = s.work.p + 3 * i
    cdef const double* y = s.work.y + 3 * i
    cdef double* slip = s.work.slip + 3 * i
    cdef double dt = s.work.d[2 * i + 1], x, z, size
    x = p[1] - y[1] / dt if dt > 0.0 else 0.0
    z = p[2] - y[2] / dt if dt > 0.0 else 0.0
    size = sqrt(x * x + z * z)
    if size > 0.0:
        slip[0], slip[1] = x / size, z / size
        slip[2] = lesser(1.0, s.cones[i].mu * greater(0.0, p[0]) / size)
    else:
        slip[0], slip[1], slip[2] = 1.0, 0.0, 1.0


# ---------------------------------------------------------------------------------------- Newton

cdef inline void set_at_bounds(System* s, int i) noexcept nogil:
    """Rows of a joint that are at a bound bear just that."""
    cdef const Bounded* box = s.cones[i].box
    cdef int r, mode
    for r in range(3):
        mode = row_mode(s.work.mode[i], r)
        if box.d[r] <= 0.0:
            s.work.p[3 * i + r] = 0.0
        elif mode == AT_LOW:
            s.work.p[3 * i + r] = box.lo[r]
        elif mode == AT_HIGH:
            s.work.p[3 * i + r] = box.hi[r]


cdef bint impose(System* s, bint at_first) noexcept nogil:
    """Set what the modes say: open contacts bear nothing, sliding friction follows its normal.
    Whether any slides with friction."""
    cdef DirectMemory* m = s.work
    cdef double tau, most
    cdef int i
    cdef bint slides = False
    for i in range(s.n):
        if s.cones[i].box != NULL:
            set_at_bounds(s, i)
        elif m.mode[i] == OPEN:
            m.p[3 * i] = m.p[3 * i + 1] = m.p[3 * i + 2] = 0.0
    evaluate(s)
    for i in range(s.n):
        if m.mode[i] != SLIDE or s.cones[i].mu == 0.0:
            continue
        slides = True
        if m.p[3 * i] > 0.0 or at_first:
            set_slip(s, i)
        most = s.cones[i].mu * m.p[3 * i]
        tau = m.slip[3 * i] * m.p[3 * i + 2] - m.slip[3 * i + 1] * m.p[3 * i + 1]
        m.p[3 * i + 1] = most * m.slip[3 * i] - tau * m.slip[3 * i + 1]
        m.p[3 * i + 2] = most * m.slip[3 * i + 1] + tau * m.slip[3 * i]
    if slides:
        evaluate(s)
    return slides


cdef bint settle(System* s, int steps) noexcept nogil:
    """Newton until the modes stay and the residual is none; the best it met is left. Whether it
    settled."""
    cdef DirectMemory* m = s.work
    cdef double r, best = INFINITY, last = INFINITY
    cdef int k, i, mode
    cdef bint slides, changed
    for k in range(steps):
        slides = impose(s, k == 0)
        if not take_step(s):
            break
        r = evaluate(s)
        if r <= wanted(s):
            return True
        if r < best:
            best = r
            memcpy(m.tried, m.p, 3 * s.n * sizeof(double))
            memcpy(m.tried_mode, m.mode, s.n * sizeof(int))
        changed = False
        for i in range(s.n):
            mode = mode_at(s, i)
            if mode != m.mode[i]:
                m.mode[i] = mode
                changed = True
        if changed:
            s.factored = False
        elif not slides:
            return r <= ENOUGH * s.scale
        elif r <= STALLED * s.scale and r > 0.3 * last:
            return True
        last = r
    s.factored = False
    if best == INFINITY:
        return False
    memcpy(m.p, m.tried, 3 * s.n * sizeof(double))
    memcpy(m.mode, m.tried_mode, s.n * sizeof(int))
    return evaluate(s) <= SETTLED * s.scale


# ------------------------------------------------------------------------------ order of attempts

cdef void sweep_box(System* s, int i) noexcept nogil:
    """One pass over the rows of a joint."""
    cdef const Cone* c = &s.cones[i]
    cdef const Bounded* box = c.box
    cdef double* p = s.work.p + 3 * i
    cdef double y, x
    cdef int r
    for r in range(3):
        if box.d[r] <= 0.0:
            continue
        y = (c.bias[r] + box.soft[r] * p[r] + six(c.j[r], s.work.V + 6 * c.a)
             + six(c.j[r] + 6, s.work.V + 6 * c.b))
        x = greater(box.lo[r], lesser(box.hi[r], p[r] - y / (box.d[r] + box.soft[r])))
        push(c, r, x - p[r], s.work.V)
        p[r] = x


cdef void sweep(System* s, int count) noexcept nogil:
    """Projected Gauss-Seidel, forwards and backwards, without the pull; leaves its modes."""
    cdef DirectMemory* m = s.work
    cdef const Cone* c
    cdef double* p
    cdef double x, z, y, most, size, dt
    cdef int k, i, at
    s.pull = 0.0
    for i in range(s.n):
        project(s, i)
    evaluate(s)
    for k in range(count):
        for at in range(s.n):
            i = s.n - 1 - at if k & 1 else at
            c = &s.cones[i]
            p = m.p + 3 * i
            if c.box != NULL:
                sweep_box(s, i)
                continue
            dt = m.d[2 * i + 1]
            if m.d[2 * i] <= 0.0:
                continue
            y = c.bias[0] + six(c.j[0], m.V + 6 * c.a) + six(c.j[0] + 6, m.V + 6 * c.b)
            x = greater(0.0, p[0] - y / m.d[2 * i])
            push(c, 0, x - p[0], m.V)
            p[0] = x
            if c.mu == 0.0 or dt <= 0.0:
                continue
            y = c.bias[1] + six(c.j[1], m.V + 6 * c.a) + six(c.j[1] + 6, m.V + 6 * c.b)
            x = p[1] - y / dt
            y = c.bias[2] + six(c.j[2], m.V + 6 * c.a) + six(c.j[2] + 6, m.V + 6 * c.b)
            z = p[2] - y / dt
            size, most = sqrt(x * x + z * z), c.mu * p[0]
            if size > most:
                x *= most / size
                z *= most / size
            push(c, 1, x - p[1], m.V)
            push(c, 2, z - p[2], m.V)
            p[1], p[2] = x, z
    for i in range(s.n):
        project(s, i)
    evaluate(s)
    for i in range(s.n):
        m.mode[i] = mode_at(s, i)
    s.factored = False


cdef double note_best(System* s, double least) noexcept nogil:
    """Keep the present p if it is the best for the problem without a pull; the least residual."""
    cdef DirectMemory* m = s.work
    cdef double pull = s.pull, r
    s.pull = 0.0
    r = evaluate(s)
    s.pull = pull
    if r < least:
        memcpy(m.best, m.p, 3 * s.n * sizeof(double))
        memcpy(m.best_mode, m.mode, s.n * sizeof(int))
        return r
    return least


cdef double climb(System* s, double least) noexcept nogil:
    """The ladder: proximal problems centred where the last one ended, the pull weaker where Newton
    settles and stronger where it does not. Returns the least residual met."""
    cdef DirectMemory* m = s.work
    cdef size_t size = 3 * s.n * sizeof(double)
    cdef double pull = LADDER, r
    cdef int _round
    memcpy(m.p, m.center, size)
    sweep(s, SWEEPS)
    least = note_best(s, least)
    memcpy(m.center, m.p, size)
    for _round in range(LADDER_ROUNDS):
        s.pull = pull
        s.factored = False
        if settle(s, LADDER_STEPS):
            s.pull = 0.0
            r = evaluate(s)
            least = note_best(s, least)
            if r <= LADDER_DONE * s.scale or (r <= SETTLED * s.scale and pull <= PROXIMAL):
                break
            memcpy(m.center, m.p, size)
            pull = greater(LADDER_LEAST, LADDER_DOWN * pull)
        else:
            memcpy(m.p, m.center, size)
            sweep(s, SWEEPS)
            least = note_best(s, least)
            memcpy(m.center, m.p, size)
            pull = lesser(LADDER_MOST, LADDER_UP * pull)
    return least


cdef double solve_passes(System* s, double residual, DirectCounters* counters) noexcept nogil:
    """Newton around the impulses of last time, again around what it found, until nothing is gained;
    where it does not settle, the ladder. Leaves the best, and returns its residual."""
    cdef DirectMemory* m = s.work
    cdef size_t size = 3 * s.n * sizeof(double)
    cdef double least = residual, before
    cdef int k, i
    cdef bint settled
    memcpy(m.best, m.p, size)
    memcpy(m.best_mode, m.mode, s.n * sizeof(int))
    start_modes(s)
    s.pull = PROXIMAL
    for k in range(MOST_PASSES):
        memcpy(m.center, m.p, size)
        s.factored = s.factored and s.symmetric
        settled = settle(s, NEWTON_STEPS)
        if not settled:
            counters.direct_fallbacks += 1
            least = climb(s, least)
            break
        before = least
        for i in range(s.n):
            project(s, i)
        least = note_best(s, least)
        if least <= wanted(s):
            break
        if k >= PASSES - 1 and least > GAIN * before:
            if least <= STALLED * s.scale or s.pull <= WEAK_PROXIMAL:
                break
            s.pull = WEAK_PROXIMAL
            s.factored = False
    memcpy(m.p, m.best, size)
    memcpy(m.mode, m.best_mode, s.n * sizeof(int))
    s.pull = 0.0
    return evaluate(s)


# ------------------------------------------------------------------------------------------ memory

@cython.final
cdef class DirectWorkspace:

    def __cinit__(self):
        memset(&self.memory, 0, sizeof(DirectMemory))
        self._arrays = []

    cdef void* allocate(self, Py_ssize_t size) except NULL:
        """Memory that numpy owns, aligned for doubles."""
        cdef double[::1] view = np.zeros(size // sizeof(double) + 1)
        self._arrays.append(view)
        return &view[0]

    cdef int reserve(self, int n_cones, int n_bodies) except -1:
        """Make room for a problem; call with the GIL, before `solve_cones`."""
        cdef DirectMemory* m = &self.memory
        cdef Py_ssize_t n, k
        if n_cones <= m.n_cones and n_bodies <= m.n_bodies:
            return 0
        n = max(n_cones, m.n_cones)
        k = max(n_bodies, m.n_bodies)
        self._arrays = []
        m.d = <double*> self.allocate(2 * n * sizeof(double))
        m.b = <double*> self.allocate(3 * n * sizeof(double))
        m.y = <double*> self.allocate(3 * n * sizeof(double))
        m.p = <double*> self.allocate(3 * n * sizeof(double))
        m.center = <double*> self.allocate(3 * n * sizeof(double))
        m.best = <double*> self.allocate(3 * n * sizeof(double))
        m.tried = <double*> self.allocate(3 * n * sizeof(double))
        m.g = <double*> self.allocate(3 * n * sizeof(double))
        m.G = <double*> self.allocate(9 * n * sizeof(double))
        m.slip = <double*> self.allocate(3 * n * sizeof(double))
        m.V = <double*> self.allocate(6 * (k + 1) * sizeof(double))
        m.free_V = <double*> self.allocate(6 * (k + 1) * sizeof(double))
        m.x = <double*> self.allocate(6 * k * sizeof(double))
        m.M = <double*> self.allocate(36 * k * k * sizeof(double))
        m.mode = <int*> self.allocate(n * sizeof(int))
        m.best_mode = <int*> self.allocate(n * sizeof(int))
        m.tried_mode = <int*> self.allocate(n * sizeof(int))
        m.order = <int*> self.allocate(6 * k * sizeof(int))
        m.first = <int*> self.allocate(6 * k * sizeof(int))
        m.n_cones, m.n_bodies = <int> n, <int> k
        return 0


# ---- the face -----------------------------------------------------------------------------------

def solve_contacts(J, bias, mu, v, bodies, start=None):
    """The impulses (n x 3, N s) of n contacts of m bodies with isotropic Coulomb friction.

    J (n x 3 x 12): whitened Jacobians, rows normal and two tangents, six columns for each of two
    bodies; bias (n x 3, m/s); mu (n); v (m x 6): whitened velocities without impulses; bodies
    (n x 2): numbers of the bodies, m for what is immovable; start (n x 3): a guess. Returns
    (impulses, velocities after, residual in m/s). For teaching and tests.
    """
    J = np.ascontiguousarray(J, np.float64)
    cdef int n = J.shape[0], m = len(v), i, r, k
    cdef DirectWorkspace work = DirectWorkspace()
    cdef DirectCounters counters
    cdef double residual
    memset(&counters, 0, sizeof(DirectCounters))
    if n == 0:
        return np.zeros((0, 3)), np.array(v, np.float64), 0.0
    room = np.zeros(n * sizeof(Cone), np.uint8)
    cdef unsigned char[::1] view = room
    cdef Cone* cones = <Cone*> &view[0]
    cdef double[:, ::1] V = np.zeros((m + 1, 6))
    for i in range(m):
        for k in range(6):
            V[i, k] = v[i][k]
    for i in range(n):
        cones[i].a, cones[i].b = bodies[i][0], bodies[i][1]
        if not (0 <= cones[i].a <= m and 0 <= cones[i].b <= m):
            raise ValueError(f"bodies must be from 0 to {m}, got {bodies[i]!r}")
        cones[i].mu = mu[i]
        for r in range(3):
            cones[i].bias[r] = bias[i][r]
            cones[i].p[r] = 0.0 if start is None else start[i][r]
            for k in range(12):
                cones[i].j[r][k] = J[i, r, k]
    work.reserve(n, m)
    work.memory.least = LEAST_SCALE
    residual = solve_cones(cones, n, &V[0, 0], m, 0.0, &work.memory, &counters)
    return (np.array([[cones[i].p[r] for r in range(3)] for i in range(n)]),
            np.array(V)[:m], residual)
