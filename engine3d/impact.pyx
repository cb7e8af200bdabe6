"""Frictional impact of two bodies at one point in space.

Baber's correction to Mirtich's thesis, section 4, with Stronge's restitution over all compression
phases. This file turns bodies into a Contact and back; impact_adaptive and impact_euler run it.
"""

from typing import NamedTuple

import numpy as np

from libc.math cimport INFINITY, NAN, fabs, frexp, hypot, isfinite, ldexp, sqrt
from libc.string cimport memset

from enginecore.arguments cimport (
    read_columns, read_mass, read_number, read_numbers, write_columns)
from enginecore.scalar cimport greater
from enginecore.status cimport SOLVED, StatusCode
from engine3d.impact_adaptive cimport run_adaptive
from engine3d.impact_contact cimport END_SEPARATING, TRACE_WIDTH, Contact, Trace
from engine3d.impact_euler cimport run_euler
from engine3d.vec3 cimport (
    Mat3, Vec3, add, apply, apply_transposed, cross, dot, length, mat3, scaled, sub, vec3)

from enginecore.arguments import as_rows, refuse, stretch_rows
from enginecore.status import SolverError
from engine3d.impact_ray import Ray, diverging_ray, sliding_rays  # no-cython-lint

# A normal may be off unit length by this much; it is then normalised.
cdef double UNIT_TOLERANCE = 1e-6
# Entries ij and ji of an inertia tensor may differ by this share of the root of ii times jj; the
# mean is then taken.
cdef double SYMMETRY_TOLERANCE = 1e-9
# Slip below this share of the speeds it is the difference of is rounding: there is none.
cdef double SLIP_ROUNDING = 1e-15
# What the trace buffer holds at first; it grows to what an impact turns out to need.
cdef Py_ssize_t TRACE_CAPACITY = 1024


cdef StatusCode strike(const ImpactInput* given, const ImpactOptions* options, Trace* trace,
                       ImpactOutput* out) noexcept nogil:
    """Solve the impact; see impact.pxd."""
    cdef Mat3 R = contact_frame(scaled(1.0 / length(given.f), given.f))
    cdef Contact c
    cdef StatusCode status = SOLVED
    cdef double impulse
    measure_velocity(given, &R, &c)
    measure_matrix(given, &R, &c)
    impulse = c.unit_mass * c.unit_speed
    out.path = END_SEPARATING
    if c.uz < 0.0:
        if options.method == ADAPTIVE:
            status = run_adaptive(&c, options.tol, trace, &out.path)
        else:
            status = run_euler(&c, euler_step(options, impulse, &c), trace, &out.path)
    out.p = scaled(impulse, apply_transposed(&R, vec3(c.px, c.py, c.pz)))
    out.Wc = impulse * c.unit_speed * c.Wc
    out.Wd = impulse * c.unit_speed * c.Wd
    out.unit_impulse = impulse
    out.unit_speed = c.unit_speed
    out.evaluations = c.evaluations
    push(&given.a, 1.0, out.p, &out.vA, &out.wA)
    push(&given.b, -1.0, out.p, &out.vB, &out.wB)
    return status


cdef Mat3 contact_frame(Vec3 f) noexcept nogil:
    """Section 3.1: the rotation that takes f to z the short way; its rows are the frame's axes."""
    cdef double size = hypot(f.x, f.y)
    cdef double nx = f.y / size if size > 0.0 else 1.0
    cdef double ny = -f.x / size if size > 0.0 else 0.0
    cdef double c = f.z, versine = 1.0 - f.z
    return mat3(vec3(c + versine * nx * nx, versine * nx * ny, -f.x),
                vec3(versine * nx * ny, c + versine * ny * ny, -f.y),
                f)


cdef void measure_velocity(const ImpactInput* given, const Mat3* R, Contact* c) noexcept nogil:
    """Step 2: the relative velocity in the frame R, and a fresh Contact around it."""
    cdef Vec3 u = apply(R, sub(add(given.a.v, cross(given.a.w, given.a.r)),
                               add(given.b.v, cross(given.b.w, given.b.r))))
    memset(c, 0, sizeof(Contact))
    c.e = given.e
    c.mu = given.mu
    c.unit_speed = power_of_two(greater(fabs(u.x), greater(fabs(u.y), fabs(u.z))))
    c.uz = u.z / c.unit_speed
    if hypot(u.x, u.y) > SLIP_ROUNDING * (size(&given.a) + size(&given.b)):
        c.ux = u.x / c.unit_speed
        c.uy = u.y / c.unit_speed


# Rows of G in K = m 1 + G^T G: three for each body, columns x, y, z of the contact frame.
cdef enum:
    ROWS = 6


cdef void measure_matrix(const ImpactInput* given, const Mat3* R, Contact* c) noexcept nogil:
    """Step 2: the collision matrix K in the frame R, and how the contact would stick."""
    cdef double m = given.a.inv_m + given.b.inv_m, kappa
    cdef Vec3 G[ROWS]
    cdef Py_ssize_t i
    fill_rows(&given.a, R, G)
    fill_rows(&given.b, R, G + 3)
    kappa = 3.0 * m
    for i in range(ROWS):
        kappa += dot(G[i], G[i])
    c.unit_mass = 1.0 / power_of_two(kappa)
    m *= c.unit_mass
    c.Mxx = c.Myy = c.K33 = m
    for i in range(ROWS):
        c.Mxx += c.unit_mass * G[i].x * G[i].x
        c.Myy += c.unit_mass * G[i].y * G[i].y
        c.K33 += c.unit_mass * G[i].z * G[i].z
        c.Mxy += c.unit_mass * G[i].x * G[i].y
        c.kx += c.unit_mass * G[i].x * G[i].z
        c.ky += c.unit_mass * G[i].y * G[i].z
    measure_sticking(m, G, c)


cdef void fill_rows(const ImpactBody* body, const Mat3* R, Vec3* G) noexcept nogil:
    """G = L^T [r] with I^-1 = L L^T: the three rows of one body."""
    cdef Mat3 L = cholesky(&body.inv_I)
    cdef Vec3 x = cross(body.r, R.x), y = cross(body.r, R.y), z = cross(body.r, R.z)
    x = apply_transposed(&L, x)
    y = apply_transposed(&L, y)
    z = apply_transposed(&L, z)
    G[0] = vec3(x.x, y.x, z.x)
    G[1] = vec3(x.y, y.y, z.y)
    G[2] = vec3(x.z, y.z, z.z)


cdef void measure_sticking(double m, const Vec3* G, Contact* c) noexcept nogil:
    """stick_x, stick_y, stick_rate by minors of G.

    By the theorem of Cauchy and Binet det M and det K are m^2 + m tr + ... with sums of squares of
    minors of G, where K33 - k M^-1 k would cancel for slender bodies.
    """
    cdef double squares = 0.0, xy_xz = 0.0, xy_yz = 0.0, pairs = 0.0, triples = 0.0
    cdef double u = c.unit_mass, det_M, det_K
    cdef Vec3 minors
    cdef Py_ssize_t i, j, k
    for i in range(ROWS):
        for j in range(i):
            minors = scaled(u, cross(G[j], G[i]))  # of columns yz, zx, xy
            squares += minors.z * minors.z
            xy_xz -= minors.z * minors.y
            xy_yz += minors.z * minors.x
            pairs += dot(minors, minors)
            for k in range(j):
                triples += u * dot(minors, G[k]) * dot(minors, G[k])
    det_M = m * (c.Mxx + c.Myy - m) + squares
    det_K = m * m * (c.Mxx + c.Myy + c.K33 - 2.0 * m) + m * pairs + triples
    c.stick_x = (xy_yz - m * c.kx) / det_M
    c.stick_y = -(xy_xz + m * c.ky) / det_M
    c.stick_rate = det_K / det_M


cdef Mat3 cholesky(const Mat3* a) noexcept nogil:
    """L, lower triangular, with L L^T = a; columns of what is not positive definite are 0."""
    cdef double xx, yx = 0.0, zx = 0.0, yy, zy = 0.0, zz
    xx = sqrt(greater(a.x.x, 0.0))
    if xx > 0.0:
        yx = a.y.x / xx
        zx = a.z.x / xx
    yy = sqrt(greater(a.y.y - yx * yx, 0.0))
    if yy > 0.0:
        zy = (a.z.y - zx * yx) / yy
    zz = sqrt(greater(a.z.z - zx * zx - zy * zy, 0.0))
    return mat3(vec3(xx, 0.0, 0.0), vec3(yx, yy, 0.0), vec3(zx, zy, zz))


cdef inline double power_of_two(double x) noexcept nogil:
    """The power of two next above |x|, by which to divide without rounding; 1 for 0."""
    cdef int exponent
    if x == 0.0 or not isfinite(x):
        return 1.0
    frexp(x, &exponent)
    return ldexp(1.0, exponent)


cdef inline double size(const ImpactBody* body) noexcept nogil:
    """m/s: what the contact's velocity on this body is rounded relative to."""
    return length(body.v) + length(body.w) * length(body.r)


cdef double euler_step(const ImpactOptions* options, double impulse,
                       const Contact* c) noexcept nogil:
    """The step asked for in units of impulse or, if none is, a thousandth of a frictionless impact.

    Never so small that the steps of an impact could not be counted.
    """
    cdef double usual = -(1.0 + c.e) * c.uz / (1000.0 * c.K33)
    return greater(options.step / impulse, 1e-12 * usual) if options.step > 0.0 else usual


cdef void push(const ImpactBody* body, double sign, Vec3 p, Vec3* v, Vec3* w) noexcept nogil:
    """Step 7: the body's velocities after the impulse sign p at its contact."""
    cdef Vec3 moment = cross(body.r, p)
    v[0] = add(body.v, scaled(sign * body.inv_m, p))
    w[0] = add(body.w, scaled(sign, apply(&body.inv_I, moment)))


cdef int find_fault(const ImpactInput* given) noexcept nogil:
    """The place of the first bad argument in collide's signature, from 1; 0 if all are good."""
    cdef int fault
    if not 0.0 <= given.e <= 1.0:
        return 1
    if not 0.0 <= given.mu < INFINITY:
        return 2
    if not fabs(length(given.f) - 1.0) <= UNIT_TOLERANCE:
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


cdef int find_body_fault(const ImpactBody* body) noexcept nogil:
    """The place of the first bad value among m, I, r, v, w, from 1; 0 if all are good."""
    if not 0.0 <= body.inv_m < INFINITY:
        return 1
    if not (is_finite3(body.inv_I.x) and is_finite3(body.inv_I.y) and is_finite3(body.inv_I.z)):
        return 2
    if not is_finite3(body.r):
        return 3
    if not is_finite3(body.v):
        return 4
    if not is_finite3(body.w):
        return 5
    return 0


cdef inline bint is_finite3(Vec3 a) noexcept nogil:
    return isfinite(a.x) and isfinite(a.y) and isfinite(a.z)


cdef bint is_finite(const ImpactOutput* out) noexcept nogil:
    """Whether the numbers stayed within what a double holds."""
    return (is_finite3(out.vA) and is_finite3(out.wA) and is_finite3(out.vB)
            and is_finite3(out.wB) and is_finite3(out.p) and isfinite(out.Wc + out.Wd))


cdef void fill_body(ImpactBody* body, double m, const double* I, const double* r, const double* v,
                    const double* w) noexcept nogil:
    """Set a body from mass (kg) and inertia (9 numbers, kg m^2; all infinite: does not turn). What
    is bad becomes a NaN, for find_fault."""
    cdef Py_ssize_t i, infinite = 0
    body.inv_m = 1.0 / m if m > 0.0 else NAN
    memset(&body.inv_I, 0, sizeof(Mat3))
    if m < INFINITY:
        for i in range(9):
            infinite += I[i] == INFINITY
        if infinite < 9:
            body.inv_I = invert_inertia(I)
    body.r = read3(r)
    body.v = read3(v)
    body.w = read3(w)


cdef Mat3 invert_inertia(const double* I) noexcept nogil:
    """The inverse of a symmetric positive definite tensor; NaN in it if it is not one."""
    cdef double xx = I[0], yy = I[4], zz = I[8]
    cdef double xy = 0.5 * (I[1] + I[3]), xz = 0.5 * (I[2] + I[6]), yz = 0.5 * (I[5] + I[7])
    cdef Mat3 given = mat3(vec3(xx, xy, xz), vec3(xy, yy, yz), vec3(xz, yz, zz))
    cdef Mat3 L = cholesky(&given)
    cdef double a, b, c
    cdef bint good = (L.x.x > 0.0 and L.y.y > 0.0 and L.z.z > 0.0
                      and fabs(I[1] - I[3]) <= SYMMETRY_TOLERANCE * sqrt(xx * yy)
                      and fabs(I[2] - I[6]) <= SYMMETRY_TOLERANCE * sqrt(xx * zz)
                      and fabs(I[5] - I[7]) <= SYMMETRY_TOLERANCE * sqrt(yy * zz))
    if not good:
        return mat3(vec3(NAN, NAN, NAN), vec3(NAN, NAN, NAN), vec3(NAN, NAN, NAN))
    # rows of L^-1, whose product with its transpose is the inverse
    a = -L.y.x / (L.x.x * L.y.y)
    b = -L.z.y / (L.y.y * L.z.z)
    c = -(L.z.x / L.x.x + L.z.y * a) / L.z.z
    return multiply_transposed(vec3(1.0 / L.x.x, 0.0, 0.0), vec3(a, 1.0 / L.y.y, 0.0),
                               vec3(c, b, 1.0 / L.z.z))


cdef inline Mat3 multiply_transposed(Vec3 x, Vec3 y, Vec3 z) noexcept nogil:
    """N^T N for the matrix N with rows x, y, z."""
    return mat3(add(add(scaled(x.x, x), scaled(y.x, y)), scaled(z.x, z)),
                add(add(scaled(x.y, x), scaled(y.y, y)), scaled(z.y, z)),
                add(add(scaled(x.z, x), scaled(y.z, y)), scaled(z.z, z)))


# ------------------------------------------------------------------------------- the Python face

NAMES = ("e", "mu", "f", "mA", "IA", "rA", "vA", "wA", "mB", "IB", "rB", "vB", "wB")
cdef tuple PATHS = ("separating", "slide", "stable_stick", "unstable_stick")
PATH_TABLE = np.array(PATHS, dtype=object)
cdef enum:
    BOTH_IMMOVABLE = 14
    OVERFLOWS = 15
cdef dict WANTED = {
    "e": "a number from 0 to 1",
    "mu": "finite and >= 0",
    "f": "a unit vector (to 1e-6)",
    "m": "> 0, or inf or None for an immovable body",
    "I": "symmetric and positive definite, or inf or None for a body that does not turn",
    "r": "three finite numbers",
    "v": "three finite numbers",
    "w": "three finite numbers",
}
cdef dict TAILS = {name: (3, 3) if name[0] == "I" else () if name in ("e", "mu", "mA", "mB")
                   else (3,) for name in NAMES}


class Impact(NamedTuple):
    """What an impact leaves behind; from collide_many each field is an array with n rows.

    vA, wA, vB, wB: velocities after it (m/s, rad/s). p: impulse on A in world axes (N s).
    Wc, Wd: work of the normal force in compression and in decompression (J).
    path: "slide", "stable_stick" or "unstable_stick" by how the contact slipped at its end;
    "separating" if the bodies were already moving apart and nothing happened.
    """

    vA: object
    wA: object
    vB: object
    wB: object
    p: object
    Wc: object
    Wd: object
    path: object


class ImpactTrace(NamedTuple):
    """An impact as it went on, in n points, in the contact frame (z along the normal).

    p_z: normal impulse (N s). u: n x 3, velocity of A relative to B at the contact (m/s).
    Wc, Wd: work of the normal force so far (J). phase: 0, 2, ... in compression, 1, 3, ... in
    decompression; a point with u_z = 0 between two phases counts to the later one.
    frame: 3 x 3, the frame's axes as rows, so that frame @ (world vector) is in the frame.
    evaluations: how often the method evaluated the right-hand side du/dp_z.
    """

    p_z: object
    u: object
    Wc: object
    Wd: object
    phase: object
    frame: object
    evaluations: int


def collide(e, mu, f, mA, IA, rA, vA, wA, mB, IB, rB, vB, wB, *, method="adaptive", tol=1e-10,
            step=None, trace=False):
    """Strike bodies A and B together at one point and return an Impact.

    e: restitution, 0 to 1 (Stronge: work regained is e^2 times work spent). mu: friction, >= 0.
    f: unit normal from B into A. For each body: m mass (kg; inf or None: immovable, and I is not
    looked at), I inertia tensor about the centre of mass in world axes (3 x 3, kg m^2), r from the
    centre of mass to the contact (m), v velocity of the centre of mass (m/s), w angular velocity
    (rad/s).

    method: "adaptive" (order 8, relative error about tol, events located) or "euler" (fixed steps
    of `step` N s of normal impulse; by default a thousandth of a frictionless impact).
    trace: also return the way there: (Impact, ImpactTrace).

    A bad value raises ValueError naming the argument; numbers too large for doubles OverflowError;
    SolverError if the method comes to no end: Euler's, if it would take over 10^8 steps.
    """
    cdef ImpactInput given
    cdef ImpactOutput out
    cdef ImpactOptions options = read_options(method, tol, step)
    cdef int fault
    given.e = read_number(e, "e")
    given.mu = read_number(mu, "mu")
    read_numbers(f, "f", 3, &given.f.x)
    read_body((mA, IA, rA, vA, wA), "A", &given.a)
    read_body((mB, IB, rB, vB, wB), "B", &given.b)
    fault = find_fault(&given)
    if fault:
        complain(fault, (e, mu, f, mA, IA, rA, vA, wA, mB, IB, rB, vB, wB), "")
    if trace:
        way = run_traced(&given, &options, &out)
    else:
        with nogil:
            status = strike(&given, &options, NULL, &out)
        raise_status(status, is_finite(&out), "the impact")
    impact = Impact(as_array(out.vA), as_array(out.wA), as_array(out.vB), as_array(out.wB),
                    as_array(out.p), out.Wc, out.Wd, PATHS[out.path])
    return (impact, way) if trace else impact


cdef object run_traced(const ImpactInput* given, const ImpactOptions* options, ImpactOutput* out):
    """Run the impact with a trace, twice if the first buffer was too small."""
    cdef Trace trace
    cdef StatusCode status
    cdef double[:, ::1] points
    cdef int[::1] phases
    trace.count = 0
    trace.capacity = TRACE_CAPACITY
    while True:
        buffer = np.empty((trace.capacity, TRACE_WIDTH)), np.empty(trace.capacity, np.intc)
        points, phases = buffer
        trace.count = 0
        trace.points = &points[0, 0]
        trace.phases = &phases[0]
        with nogil:
            status = strike(given, options, &trace, out)
        raise_status(status, is_finite(out), "the impact")
        if trace.count <= trace.capacity:
            break
        trace.capacity = trace.count
    rows = buffer[0][:trace.count]
    cdef Mat3 R = contact_frame(scaled(1.0 / length(given.f), given.f))
    frame = np.array([as_array(R.x), as_array(R.y), as_array(R.z)])
    unit_work = out.unit_impulse * out.unit_speed
    return ImpactTrace(rows[:, 0] * out.unit_impulse, rows[:, 1:4] * out.unit_speed,
                       rows[:, 4] * unit_work, rows[:, 5] * unit_work,
                       buffer[1][:trace.count].copy(), frame, out.evaluations)


def collide_many(e, mu, f, mA, IA, rA, vA, wA, mB, IB, rB, vB, wB, *, method="adaptive",
                 tol=1e-10, step=None):
    """Strike n pairs, each as collide would, bit for bit; returns an Impact of arrays.

    Each argument has n rows, or no row dimension if it is the same for all. Runs without the GIL.
    """
    cdef ImpactOptions options = read_options(method, tol, step)
    values = (e, mu, f, mA, IA, rA, vA, wA, mB, IB, rB, vB, wB)
    rows = {name: as_rows(name, spread_inertia(value) if name[0] == "I" else value, TAILS[name],
                          none=np.inf if name[0] == "m" else None)
            for name, value in zip(NAMES, values)}
    n, rows = stretch_rows(rows, TAILS)
    result = Impact(*(np.empty((n, 3)) for _ in range(5)), np.empty(n), np.empty(n),
                    np.empty(n, np.intc))
    cdef int[::1] paths = result.path
    cdef Columns columns
    cdef Py_ssize_t done, count = n
    cdef int fault = 0
    cdef StatusCode status = SOLVED
    if count:
        read_columns([rows[name] for name in NAMES], columns.given)
        write_columns(result[:7], columns.out)
        columns.path = &paths[0]
        with nogil:
            done = strike_rows(&columns, count, &options, &fault, &status)
        if fault and fault != OVERFLOWS:
            complain(fault, [rows[name][done] for name in NAMES], f" in row {done}")
        raise_status(status, fault != OVERFLOWS, f"impact {done}")
    return result._replace(path=PATH_TABLE[result.path])


# The arguments and results of collide_many, column by column.
cdef struct Columns:
    const double* given[13]  # in the order of NAMES
    double* out[7]           # in the order of Impact
    int* path


cdef Py_ssize_t strike_rows(const Columns* columns, Py_ssize_t n, const ImpactOptions* options,
                            int* fault, StatusCode* status) noexcept nogil:
    """Strike all rows; returns n, or the row at which something was wrong."""
    cdef ImpactInput given
    cdef ImpactOutput out
    cdef Py_ssize_t i
    for i in range(n):
        load_row(columns, i, &given)
        fault[0] = find_fault(&given)
        if fault[0]:
            return i
        status[0] = strike(&given, options, NULL, &out)
        if not is_finite(&out):
            fault[0] = OVERFLOWS
        if fault[0] or status[0] != SOLVED:
            return i
        store_row(columns, i, &out)
    return n


cdef void load_row(const Columns* columns, Py_ssize_t i, ImpactInput* given) noexcept nogil:
    cdef const double* const* x = columns.given
    given.e = x[0][i]
    given.mu = x[1][i]
    given.f = read3(x[2] + 3 * i)
    fill_body(&given.a, x[3][i], x[4] + 9 * i, x[5] + 3 * i, x[6] + 3 * i, x[7] + 3 * i)
    fill_body(&given.b, x[8][i], x[9] + 9 * i, x[10] + 3 * i, x[11] + 3 * i, x[12] + 3 * i)


cdef void store_row(const Columns* columns, Py_ssize_t i, const ImpactOutput* out) noexcept nogil:
    cdef double* const* x = columns.out
    write3(x[0] + 3 * i, out.vA)
    write3(x[1] + 3 * i, out.wA)
    write3(x[2] + 3 * i, out.vB)
    write3(x[3] + 3 * i, out.wB)
    write3(x[4] + 3 * i, out.p)
    x[5][i] = out.Wc
    x[6][i] = out.Wd
    columns.path[i] = out.path


cdef ImpactOptions read_options(object method, object tol, object step) except *:
    cdef ImpactOptions options
    if not isinstance(method, str) or method not in ("adaptive", "euler"):
        raise ValueError(f"method must be 'adaptive' or 'euler', got {method!r}")
    options.method = ADAPTIVE if method == "adaptive" else EULER
    options.tol = read_number(tol, "tol")
    if not 1e-14 <= options.tol <= 1e-2:
        raise ValueError(f"tol must be from 1e-14 to 1e-2, got {tol!r}")
    options.step = 0.0
    if step is not None:
        options.step = read_number(step, "step")
        if not 0.0 < options.step < INFINITY:
            raise ValueError(f"step must be finite and > 0 (N s), got {step!r}")
    return options


cdef int read_body(tuple values, str which, ImpactBody* body) except -1:
    cdef double m = read_mass(values[0], "m" + which)
    cdef double I[9]
    cdef Vec3 r, v, w
    cdef Py_ssize_t i
    for i in range(9):
        I[i] = INFINITY
    if m < INFINITY and not is_infinite(values[1]):  # not looked at where the body is immovable
        rows = as_rows("I" + which, values[1], (3, 3))
        read_numbers(rows.ravel().tolist(), "I" + which, 9, I)
    read_numbers(values[2], "r" + which, 3, &r.x)
    read_numbers(values[3], "v" + which, 3, &v.x)
    read_numbers(values[4], "w" + which, 3, &w.x)
    fill_body(body, m, I, &r.x, &v.x, &w.x)
    return 0


cdef bint is_infinite(object inertia) except -1:
    return inertia is None or (isinstance(inertia, (float, np.floating)) and inertia == INFINITY)


cdef object spread_inertia(object inertia):
    """None and inf as a tensor, alone or in a list of tensors."""
    if is_infinite(inertia):
        return np.full((3, 3), np.inf)
    if isinstance(inertia, (list, tuple)) and any(is_infinite(item) for item in inertia):
        return [spread_inertia(item) if is_infinite(item) else item for item in inertia]
    return inertia


cdef inline Vec3 read3(const double* a) noexcept nogil:
    return vec3(a[0], a[1], a[2])


cdef inline void write3(double* out, Vec3 a) noexcept nogil:
    out[0] = a.x
    out[1] = a.y
    out[2] = a.z


cdef object as_array(Vec3 a):
    return np.array((a.x, a.y, a.z))


cdef int raise_status(StatusCode status, bint finite, str which) except -1:
    """Raise if the impact left the range of doubles or came to no end."""
    if not finite:
        raise OverflowError(f"the numbers of {which} are too large for double precision")
    if status != SOLVED:
        raise SolverError(f"{which} came to no end within the step limit", status)
    return 0


cdef complain(int fault, values, str where):
    """Raise the ValueError for a fault of find_fault."""
    if fault == BOTH_IMMOVABLE:
        raise ValueError(f"mA and mB are both immovable{where}: at least one must be finite")
    refuse(NAMES[fault - 1], values[fault - 1], WANTED, where)
