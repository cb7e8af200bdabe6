"""Frictional impact of two bodies at one point in the plane, in closed form.

Baber's ten steps (section 5.2 of his correction to Mirtich's thesis) with Stronge's restitution;
docs/maths/impact2d.md has the derivation and says where this differs in rounding.
"""

from typing import NamedTuple

import numpy as np

from libc.math cimport INFINITY, NAN, fabs, isfinite, sqrt

from enginecore.arguments cimport (
    read_columns, read_mass, read_number, read_numbers, write_columns)
from enginecore.scalar cimport greater
from enginecore.status cimport check
from engine2d.vec2 cimport Vec2, add, cross, dot, length, scaled, sub, turn, vec2

from enginecore.arguments import as_rows, refuse, stretch_rows

# A normal may be off unit length by 1e-6, its square by twice that; it is then normalised.
cdef double LEAST_UNIT = (1.0 - 1e-6) ** 2
cdef double MOST_UNIT = (1.0 + 1e-6) ** 2
# m/s: below the first, normal speeds are counted in the second.
cdef double SLOW = 1e-100
cdef double SLOW_UNIT = 2.0 ** -600
# Of the sum of both: how far bodies that joints hold yield at least, in any direction.
cdef double LEAST_YIELD = 1e-12


# The impact in the contact frame: impulse on A, and velocity of A relative to B.
cdef struct Contact:
    Vec2 f, t             # its axes: normal and tangent
    double Ktt, Ktn, Knn  # 1/kg: change of relative velocity per impulse
    double stick_rate     # 1/kg: d un / d pn while sticking, the determinant of K over Ktt
    double unit           # m/s, 1 but for the slowest impacts: of what follows
    double ut, un         # relative velocity at the contact
    double pt, pn         # kg unit, impulse so far
    double Wc, Wd         # kg unit^2, work so far
    int path              # the branches taken


cdef void strike(const ImpactInput* given, ImpactOutput* out) noexcept nogil:
    """Solve the impact; the input must have passed find_fault."""
    cdef Contact c
    measure(given, &c)
    run_through(given, &c)
    conclude(given, &c, out)


cdef void strike_held(double e, double mu, Vec2 f, const double* K, Vec2 u,
                      ImpactOutput* out) noexcept nogil:
    """Solve the impact of bodies that joints hold; see impact.pxd."""
    cdef Contact c
    cdef ImpactInput given
    cdef double least = LEAST_YIELD * (K[0] + K[3])
    given.e, given.mu = e, mu
    c.f, c.t = f, vec2(f.y, -f.x)
    c.unit = SLOW_UNIT if fabs(dot(u, f)) < SLOW else 1.0
    c.ut, c.un = dot(u, c.t) / c.unit, dot(u, f) / c.unit
    c.Ktt = least + dot(c.t, vec2(K[0] * c.t.x + K[1] * c.t.y, K[2] * c.t.x + K[3] * c.t.y))
    c.Ktn = dot(c.t, vec2(K[0] * f.x + K[1] * f.y, K[2] * f.x + K[3] * f.y))
    c.Knn = least + dot(f, vec2(K[0] * f.x + K[1] * f.y, K[2] * f.x + K[3] * f.y))
    c.stick_rate = greater(c.Knn - c.Ktn * c.Ktn / c.Ktt, least)
    c.pt = c.pn = c.Wc = c.Wd = 0.0
    run_through(&given, &c)
    out.p = scaled(c.unit, add(scaled(c.pt, c.t), scaled(c.pn, c.f)))
    out.Wc, out.Wd, out.path = c.unit * c.unit * c.Wc, c.unit * c.unit * c.Wd, c.path


cdef inline void measure(const ImpactInput* given, Contact* c) noexcept nogil:
    """Steps 1 and 2: the contact frame, the relative velocity and the collision matrix in it."""
    cdef Vec2 f = scaled(1.0 / length(given.f), given.f), t = vec2(f.y, -f.x)
    cdef Vec2 u = sub(add(given.a.v, turn(given.a.w, given.a.r)),
                      add(given.b.v, turn(given.b.w, given.b.r)))
    cdef double m = given.a.inv_m + given.b.inv_m, ja = given.a.inv_I, jb = given.b.inv_I
    cdef double at = dot(given.a.r, t), an = dot(given.a.r, f)
    cdef double bt = dot(given.b.r, t), bn = dot(given.b.r, f)
    cdef double ab = cross(given.a.r, given.b.r)
    c.f = f
    c.t = t
    # speeds whose squares would be lost are measured in a smaller unit, a power of two
    c.unit = SLOW_UNIT if fabs(dot(u, f)) < SLOW else 1.0
    c.ut = dot(u, t) / c.unit
    c.un = dot(u, f) / c.unit
    c.Ktt = m + ja * an * an + jb * bn * bn
    c.Ktn = -(ja * at * an + jb * bt * bn)
    c.Knn = m + ja * at * at + jb * bt * bt
    # det K as a sum of positive terms: no cancellation, however slender the bodies.
    c.stick_rate = (m * (m + ja * dot(given.a.r, given.a.r) + jb * dot(given.b.r, given.b.r))
                    + ja * jb * ab * ab) / c.Ktt
    c.pt = c.pn = c.Wc = c.Wd = 0.0


cdef inline void run_through(const ImpactInput* given, Contact* c) noexcept nogil:
    """Steps 3 to 8: accumulate the impulse and the work."""
    cdef double e = given.e, mu = given.mu, side, kt, kn
    if c.un >= 0.0:
        c.path = START_SEPARATING
    elif c.ut == 0.0:
        c.path = START_STICK + leave_from_stick(e, mu, c)
    else:
        # 3: on which ray do we slide, towards the origin or away from it?
        side = 1.0 if c.ut > 0.0 else -1.0
        kt = c.Ktn - side * mu * c.Ktt
        kn = c.Knn - side * mu * c.Ktn
        if side * kt >= 0.0:
            c.path = START_RIGHT_DIVERGING if side > 0.0 else START_LEFT_DIVERGING
            c.path += finish(e, -side * mu, greater(kn, c.stick_rate), c)
        else:
            c.path = START_RIGHT_CONVERGING if side > 0.0 else START_LEFT_CONVERGING
            c.path += APPROACH * slide_to_stick(e, -side * mu, kt, kn, c)
            if c.path < APPROACH * APPROACH_SLIDES:
                c.path += leave_from_stick(e, mu, c)


cdef inline void conclude(const ImpactInput* given, const Contact* c,
                          ImpactOutput* out) noexcept nogil:
    """Steps 9 and 10: the velocities after the impulse, in world axes."""
    out.p = scaled(c.unit, add(scaled(c.pt, c.t), scaled(c.pn, c.f)))
    out.Wc = c.unit * c.unit * c.Wc
    out.Wd = c.unit * c.unit * c.Wd
    out.path = c.path
    push(&given.a, 1.0, out.p, &out.vA, &out.wA)
    push(&given.b, -1.0, out.p, &out.vB, &out.wB)


cdef inline int slide_to_stick(double e, double q, double kt, double kn,
                               Contact* c) noexcept nogil:
    """Step 4: slide with dpt = q dpn until slip ends or the impact does; returns the approach."""
    cdef double dp = -c.ut / kt
    cdef double u_origin = c.un + kn * dp
    cdef double Wc_all = -c.un * c.un / (2.0 * kn)
    cdef int approach
    if u_origin <= 0.0:
        approach = APPROACH_STICKS_COMPRESSING if kn > 0.0 else APPROACH_STICKS_JAMMING
        c.Wc = dp * (c.un + u_origin) / 2.0
    elif u_origin < -e * c.un:
        approach = APPROACH_STICKS_DECOMPRESSING
        c.Wc = Wc_all
        c.Wd = u_origin * u_origin / (2.0 * kn)
    else:
        approach = APPROACH_SLIDES
        dp = -(1.0 + e) * c.un / kn
        c.Wc = Wc_all
        c.Wd = -e * e * Wc_all
    c.pn = dp
    c.pt = q * dp
    c.ut += kt * dp
    c.un += kn * dp
    return approach


cdef inline int leave_from_stick(double e, double mu, Contact* c) noexcept nogil:
    """Steps 5 to 7: without slip, friction holds or the contact slips off along the one ray."""
    cdef double rate
    if fabs(c.Ktn) <= mu * c.Ktt:
        return STICK * STICK_STABLE + finish(e, -c.Ktn / c.Ktt, c.stick_rate, c)
    rate = greater(c.Knn - mu * fabs(c.Ktn), c.stick_rate)
    if c.Ktn > 0.0:
        return STICK * STICK_RIGHT + finish(e, -mu, rate, c)
    return STICK * STICK_LEFT + finish(e, mu, rate, c)


cdef inline int finish(double e, double q, double kn, Contact* c) noexcept nogil:
    """Step 8: dpt = q dpn and d un = kn dpn (> 0) to the end of the impact; returns the end."""
    cdef int end = END_FROM_DECOMPRESSION
    cdef double compress = 0.0, work, dp = 0.0
    check(kn > 0.0)
    if c.un < 0.0:
        end = END_FROM_COMPRESSION
        compress = -c.un / kn
        c.Wc += c.un * compress / 2.0
        c.un = 0.0
    work = greater(-e * e * c.Wc - c.Wd, 0.0)
    if work > 0.0:
        # (sqrt(2 kn work + un^2) - un)/kn, written without the difference.
        dp = 2.0 * work / (sqrt(2.0 * kn * work + c.un * c.un) + c.un)
    c.Wd += work
    c.pn += compress + dp
    c.pt += q * (compress + dp)
    return END * end


cdef inline void push(const ImpactBody* body, double sign, Vec2 p, Vec2* v,
                      double* w) noexcept nogil:
    """Step 9: the body's velocities after the impulse sign p at its contact."""
    v[0] = add(body.v, scaled(sign * body.inv_m, p))
    w[0] = body.w + sign * body.inv_I * cross(body.r, p)


cdef inline double inverse(double m) noexcept nogil:
    """1/m for m > 0, 0 for an infinite one; NaN for anything else."""
    return 1.0 / m if m > 0.0 else NAN


cdef int find_fault(const ImpactInput* given) noexcept nogil:
    """The place of the first bad argument in collide's signature, from 1; 0 if all are good."""
    cdef double f2 = dot(given.f, given.f)
    cdef int fault
    if not 0.0 <= given.e <= 1.0:
        return 1
    if not 0.0 <= given.mu < INFINITY:
        return 2
    if not LEAST_UNIT <= f2 <= MOST_UNIT:
        return 3
    fault = find_body_fault(&given.a)
    if fault:
        return 3 + fault
    fault = find_body_fault(&given.b)
    if fault:
        return 8 + fault
    if given.a.inv_m == 0.0 and given.b.inv_m == 0.0:
        return BOTH_IMMOVABLE
    return 0


cdef inline int find_body_fault(const ImpactBody* body) noexcept nogil:
    """The place of the first bad value among m, I, r, v, w, from 1; 0 if all are good."""
    if not 0.0 <= body.inv_m < INFINITY:
        return 1
    if not 0.0 <= body.inv_I < INFINITY:
        return 2
    if not (isfinite(body.r.x) and isfinite(body.r.y)):
        return 3
    if not (isfinite(body.v.x) and isfinite(body.v.y)):
        return 4
    if not isfinite(body.w):
        return 5
    return 0


cdef bint is_finite(const ImpactOutput* out) noexcept nogil:
    """Whether the numbers stayed within what a double holds."""
    return isfinite(out.vA.x + out.vA.y + out.wA + out.vB.x + out.vB.y + out.wB
                    + out.p.x + out.p.y + out.Wc + out.Wd)


# ------------------------------------------------------------------------------- the Python face

NAMES = ("e", "mu", "f", "mA", "IA", "rA", "vA", "wA", "mB", "IB", "rB", "vB", "wB")
cdef enum:
    BOTH_IMMOVABLE = 14
    OVERFLOWS = 15
cdef dict WANTED = {
    "e": "a number from 0 to 1",
    "mu": "finite and >= 0",
    "f": "a unit vector (to 1e-6)",
    "m": "> 0, or inf or None for an immovable body",
    "I": "> 0, or inf or None for a body that does not turn",
    "r": "two finite numbers",
    "v": "two finite numbers",
    "w": "a finite number",
}
cdef dict TAILS = {name: (2,) if name[0] in "frv" else () for name in NAMES}


class Impact(NamedTuple):
    """What an impact leaves behind; from collide_many each field is an array with n rows.

    vA, wA, vB, wB: velocities after it (m/s, rad/s). p: impulse on A in world axes (N s).
    Wc, Wd: work of the normal force in compression and in decompression (J).
    path: the steps of the text that were taken, such as "3b-conv/4b/6/8b"; "separating" if the
    bodies were already moving apart and nothing happened.
    """

    vA: object
    wA: object
    vB: object
    wB: object
    p: object
    Wc: object
    Wd: object
    path: object


def collide(e, mu, f, mA, IA, rA, vA, wA, mB, IB, rB, vB, wB):
    """Strike bodies A and B together at one point and return an Impact.

    e: restitution, 0 to 1 (Stronge: work regained is e^2 times work spent). mu: friction, >= 0.
    f: unit normal from B into A. For each body: m mass (kg; inf or None: immovable, and I is not
    looked at), I moment of inertia about the centre of mass (kg m^2), r from the centre of mass
    to the contact (m), v velocity of the centre of mass (m/s), w angular velocity (rad/s).

    A bad value raises ValueError naming the argument; numbers too large for doubles OverflowError.
    """
    cdef ImpactInput given
    cdef ImpactOutput out
    cdef int fault
    given.e = read_number(e, "e")
    given.mu = read_number(mu, "mu")
    read_numbers(f, "f", 2, &given.f.x)
    read_body((mA, IA, rA, vA, wA), "A", &given.a)
    read_body((mB, IB, rB, vB, wB), "B", &given.b)
    fault = find_fault(&given)
    if fault:
        complain(fault, (e, mu, f, mA, IA, rA, vA, wA, mB, IB, rB, vB, wB), "")
    strike(&given, &out)
    if not is_finite(&out):
        raise OverflowError("the numbers of the impact are too large for double precision")
    return Impact(np.array((out.vA.x, out.vA.y)), out.wA, np.array((out.vB.x, out.vB.y)), out.wB,
                  np.array((out.p.x, out.p.y)), out.Wc, out.Wd, PATHS[out.path])


def collide_many(e, mu, f, mA, IA, rA, vA, wA, mB, IB, rB, vB, wB):
    """Strike n pairs, each as collide would, bit for bit; returns an Impact of arrays.

    Each argument has n rows, or no row dimension if it is the same for all. Runs without the GIL.
    """
    values = (e, mu, f, mA, IA, rA, vA, wA, mB, IB, rB, vB, wB)
    rows = {name: as_rows(name, value, TAILS[name], none=np.inf if name[0] in "mI" else None)
            for name, value in zip(NAMES, values)}
    n, rows = stretch_rows(rows, TAILS)
    result = Impact(np.empty((n, 2)), np.empty(n), np.empty((n, 2)), np.empty(n), np.empty((n, 2)),
                    np.empty(n), np.empty(n), np.empty(n, np.intc))
    cdef int[::1] paths = result.path
    cdef Columns columns
    cdef Py_ssize_t done, count = n
    cdef int fault = 0
    if count:
        read_columns([rows[name] for name in NAMES], columns.given)
        write_columns(result[:7], columns.out)
        columns.path = &paths[0]
        with nogil:
            done = strike_rows(&columns, count, &fault)
        if fault == OVERFLOWS:
            raise OverflowError(f"the numbers of impact {done} are too large for double precision")
        if fault:
            complain(fault, [rows[name][done] for name in NAMES], f" in row {done}")
    return result._replace(path=PATH_TABLE[result.path])


# The arguments and results of collide_many, column by column.
cdef struct Columns:
    const double* given[13]  # in the order of NAMES
    double* out[7]           # in the order of Impact
    int* path


cdef enum:
    BLOCK = 32  # impacts that go through each stage together, so that their latencies overlap


cdef Py_ssize_t strike_rows(const Columns* columns, Py_ssize_t n, int* fault) noexcept nogil:
    """Strike all rows; returns n, or the row at which there was a fault."""
    cdef ImpactInput given[BLOCK]
    cdef Contact c[BLOCK]
    cdef ImpactOutput out
    cdef Py_ssize_t start = 0, i, count
    while start < n:
        count = n - start if n - start < BLOCK else BLOCK
        for i in range(count):
            load_row(columns, start + i, &given[i])
            fault[0] = find_fault(&given[i])
            if fault[0]:
                return start + i
            measure(&given[i], &c[i])
        for i in range(count):
            run_through(&given[i], &c[i])
        for i in range(count):
            conclude(&given[i], &c[i], &out)
            if not is_finite(&out):
                fault[0] = OVERFLOWS
                return start + i
            store_row(columns, start + i, &out)
        start += count
    return n


cdef inline void load_row(const Columns* columns, Py_ssize_t i, ImpactInput* given) noexcept nogil:
    cdef const double* const* x = columns.given
    given.e = x[0][i]
    given.mu = x[1][i]
    given.f = vec2(x[2][2 * i], x[2][2 * i + 1])
    fill_body(&given.a, x[3][i], x[4][i], x[5] + 2 * i, x[6] + 2 * i, x[7][i])
    fill_body(&given.b, x[8][i], x[9][i], x[10] + 2 * i, x[11] + 2 * i, x[12][i])


cdef inline void store_row(const Columns* columns, Py_ssize_t i,
                           const ImpactOutput* out) noexcept nogil:
    cdef double* const* x = columns.out
    x[0][2 * i] = out.vA.x
    x[0][2 * i + 1] = out.vA.y
    x[1][i] = out.wA
    x[2][2 * i] = out.vB.x
    x[2][2 * i + 1] = out.vB.y
    x[3][i] = out.wB
    x[4][2 * i] = out.p.x
    x[4][2 * i + 1] = out.p.y
    x[5][i] = out.Wc
    x[6][i] = out.Wd
    columns.path[i] = out.path


cdef dict list_paths():
    """Every way through the steps by its code."""
    paths = {START_SEPARATING: "separating"}
    leave = [(STICK * k + END * l, f"/{stick}/{end}")
             for k, stick in ((STICK_STABLE, "6"), (STICK_RIGHT, "7+"), (STICK_LEFT, "7-"))
             for l, end in ((END_FROM_COMPRESSION, "8b"), (END_FROM_DECOMPRESSION, "8c"))]
    arrive = ((APPROACH_STICKS_COMPRESSING, "/4b"), (APPROACH_STICKS_JAMMING, "/4b-ky<=0"),
              (APPROACH_STICKS_DECOMPRESSING, "/4c"))
    paths.update({START_STICK + code: "3a" + name for code, name in leave})
    for converging, diverging, step in (
            (START_RIGHT_CONVERGING, START_RIGHT_DIVERGING, "3b"),
            (START_LEFT_CONVERGING, START_LEFT_DIVERGING, "3c")):
        paths[diverging + END * END_FROM_COMPRESSION] = f"{step}-div/8b"
        paths[converging + APPROACH * APPROACH_SLIDES] = f"{step}-conv/4d"
        paths.update({converging + APPROACH * j + code: f"{step}-conv{approach}{name}"
                      for j, approach in arrive for code, name in leave})
    return paths


cdef dict PATHS = list_paths()
# The same by position, for collide_many to look all its codes up at once.
PATH_TABLE = np.array([PATHS.get(code) for code in range(max(PATHS) + 1)], dtype=object)


cdef int read_body(tuple values, str which, ImpactBody* body) except -1:
    cdef double m = read_mass(values[0], "m" + which), w = read_number(values[4], "w" + which)
    cdef double I = INFINITY
    cdef Vec2 r, v
    if m < INFINITY:  # not looked at where the body is immovable
        I = read_mass(values[1], "I" + which)
    read_numbers(values[2], "r" + which, 2, &r.x)
    read_numbers(values[3], "v" + which, 2, &v.x)
    fill_body(body, m, I, &r.x, &v.x, w)
    return 0


cdef inline void fill_body(ImpactBody* body, double m, double I, const double* r,
                           const double* v, double w) noexcept nogil:
    """Set a body from mass (kg) and inertia (kg m^2); a bad one becomes a NaN, for find_fault."""
    body.inv_m = inverse(m)
    body.inv_I = 0.0 if m == INFINITY else inverse(I)
    body.r = vec2(r[0], r[1])
    body.v = vec2(v[0], v[1])
    body.w = w


cdef complain(int fault, values, str where):
    """Raise the ValueError for a fault of find_fault."""
    if fault == BOTH_IMMOVABLE:
        raise ValueError(f"mA and mB are both immovable{where}: at least one must be finite")
    refuse(NAMES[fault - 1], values[fault - 1], WANTED, where)
