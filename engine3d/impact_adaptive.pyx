"""An impact integrated with error control and with its events located exactly.

While the contact slides in direction d = (cos theta, sin theta) at speed r, the text's equation is

    du_t/dpz = g(d) = k - mu M d,    duz/dpz = H(d) = K33 - mu k.d,

singular where r = 0. With ds = dpz/r it becomes smooth everywhere, polynomial even:

    d' = F d_perp,   r' = r G,   uz' = r H,   p' = r (-mu d, 1),   W' = r uz,
    F = d_perp.g,    G = d.g,

and the end of slip is r -> 0 as s -> infinity, reached in closed form once r is negligible.
docs/maths/impact3d.md, section 3.
"""

from libc.math cimport fabs, sqrt
from libc.string cimport memcpy

from enginecore.ode cimport STAGES, estimate_error, next_step_factor, take_step
from enginecore.scalar cimport greater, lesser
from enginecore.status cimport MAX_ITERATIONS, SOLVED, StatusCode, check
from engine3d.impact_contact cimport (
    END_SLIDE, TRACE_POINTS, Contact, ImpactEnd, Trace, finish, is_compressing, leave_from_stick,
    record, slide_straight, work_left)

# The state along s: direction, slip speed, normal speed, impulse, work of the normal force.
cdef enum:
    DX, DY, R, UZ, PX, PY, PZ, W  # W from the start of the step
    N

cdef enum Event:
    NORMAL_STOPS   # uz = 0: compression and decompression meet
    NORMAL_TURNS   # H = 0: uz has an extremum
    WORK_DONE      # decompression has regained e^2 of the work of compression
    JAM_PASSES     # d is along k, where H is least

# Steps and root searches are far shorter than these; they only bound a failure.
cdef int MOST_STEPS = 20000
cdef int MOST_SEARCH = 80
# Slip below this share of the greatest normal speed so far is none at all.
cdef double STICK_SHARE = 1e-15
# Slip may be off by this share of itself even where it hardly counts: it must stay positive.
cdef double SLIP_TOLERANCE = 1e-3
# Events are located to this share of tol.
cdef double EVENT_SHARE = 1e-3
# |F| below this (of 1 + mu) is rounding: the direction is a ray of constant sliding.
cdef double ON_RAY = 4e-16
# H and the direction of k, both of order 1, are passed to within this.
cdef double TURN_RESOLUTION = 1e-9
# The direction may be off by this share of tol in a step. One nearer than tol to a ray that draws
# it in has settled on it: where that is far faster than all else, the stepper keeps it no nearer.
cdef double DIRECTION_SHARE = 0.1
# An angle to a ray below this is small: the ray draws it in exponentially.
cdef double NEAR_RAY = 1e-4
cdef double EPSILON = 2.3e-16

ctypedef struct Slide:
    Contact* c
    Trace* trace
    double tol       # relative error that a step may make
    double uz_scale  # greatest |uz| so far: what errors are measured against
    double least_slip  # slip that counts as none
    bint jams        # H < 0 for some direction: uz may turn round
    double y[N]           # state at the start of the step
    double k[STAGES * N]  # stages of the step; the first is the slope at its start


cdef StatusCode run_adaptive(Contact* c, double tol, Trace* trace, ImpactEnd* end) noexcept nogil:
    """Slide, stick and leave; see impact_adaptive.pxd."""
    cdef Slide slide
    cdef StatusCode status
    cdef bint ended
    check(c.uz < 0.0)
    record(trace, c)
    end[0] = END_SLIDE
    if c.mu == 0.0 and (c.ux != 0.0 or c.uy != 0.0):
        finish(c, trace, 0.0, 0.0, c.kx, c.ky, c.K33)  # u moves along a straight line
        return SOLVED
    start(&slide, c, tol, trace)
    status = integrate(&slide, &ended)
    if status == SOLVED and not ended:
        end[0] = leave_from_stick(c, trace)
    return status


cdef void start(Slide* s, Contact* c, double tol, Trace* trace) noexcept nogil:
    cdef double r = sqrt(c.ux * c.ux + c.uy * c.uy)
    s.c = c
    s.tol = tol
    s.trace = trace
    s.uz_scale = fabs(c.uz)
    s.jams = c.mu * sqrt(c.kx * c.kx + c.ky * c.ky) >= c.K33
    s.y[DX] = c.ux / r if r > 0.0 else 1.0
    s.y[DY] = c.uy / r if r > 0.0 else 0.0
    s.y[R] = r
    s.y[UZ] = c.uz
    s.y[PX] = s.y[PY] = s.y[PZ] = s.y[W] = 0.0


cdef StatusCode integrate(Slide* s, bint* ended) noexcept nogil:
    """Slide until the impact ends (ended) or slip does (not ended)."""
    cdef double y1[N]
    cdef double h = 0.5 / (1.0 + s.c.mu), error
    cdef int _step
    ended[0] = False
    for _step in range(MOST_STEPS):
        slope(0.0, s.y, s.k, s.c)
        # slip that no longer counts, or a direction that no longer turns: closed forms
        s.least_slip = STICK_SHARE * s.uz_scale
        if s.y[R] <= s.least_slip or turns_no_more(s):
            ended[0] = slide_on(s)
            return SOLVED
        # a step within the tolerance
        take_step(slope, s.c, N, 0.0, s.y, h, s.k, y1)
        error = weigh(s, h, y1)
        if not error <= 1.0:
            h *= next_step_factor(error)
            continue
        # cut at the first event inside it
        if cut_at_events(s, h, y1):
            ended[0] = True
            return SOLVED
        h *= next_step_factor(error)
    return MAX_ITERATIONS


cdef void slope(double t, const double* y, double* dy, void* context) noexcept nogil:
    """The right-hand side, d/ds of the state."""
    cdef Contact* c = <Contact*> context
    cdef double gx = c.kx - c.mu * (c.Mxx * y[DX] + c.Mxy * y[DY])
    cdef double gy = c.ky - c.mu * (c.Mxy * y[DX] + c.Myy * y[DY])
    cdef double F = y[DX] * gy - y[DY] * gx
    c.evaluations += 1
    dy[DX] = -y[DY] * F
    dy[DY] = y[DX] * F
    dy[R] = y[R] * (y[DX] * gx + y[DY] * gy)
    dy[UZ] = y[R] * rise(c, y)
    dy[PX] = -c.mu * y[DX] * y[R]
    dy[PY] = -c.mu * y[DY] * y[R]
    dy[PZ] = y[R]
    dy[W] = y[R] * y[UZ]


cdef inline double rise(const Contact* c, const double* y) noexcept nogil:
    """H: d uz / d pz."""
    return c.K33 - c.mu * (c.kx * y[DX] + c.ky * y[DY])


cdef bint turns_no_more(Slide* s) noexcept nogil:
    """Whether the direction is that of a ray, or so near one that draws it in that u, going
    straight on, would be off by far less than tol."""
    cdef const Contact* c = s.c
    cdef double F = fabs(s.y[DX] * s.k[DY] - s.y[DY] * s.k[DX]), G = s.k[R] / s.y[R]
    cdef double pull = G + across(c, s.y[DX], s.y[DY])
    if F <= ON_RAY * (1.0 + c.mu):
        return True
    if pull > 0.0 and F <= s.tol * pull:
        settle(s)
        return True
    # The angle left to a ray that draws it in is F/pull; on the way to the end of slip it is wrong
    # over an impulse of r/|G| only.
    return (pull > 0.0 and G < 0.0 and F <= NEAR_RAY * pull
            and s.y[R] * F <= EVENT_SHARE * s.tol * s.uz_scale * pull * -G)


cdef void settle(Slide* s) noexcept nogil:
    """Turn the direction onto the ray that it is near, by Newton's method."""
    cdef Contact* c = s.c
    cdef double gx, gy, angle
    cdef int _i
    for _i in range(3):
        gx = c.kx - c.mu * (c.Mxx * s.y[DX] + c.Mxy * s.y[DY])
        gy = c.ky - c.mu * (c.Mxy * s.y[DX] + c.Myy * s.y[DY])
        angle = ((s.y[DX] * gy - s.y[DY] * gx)
                 / (s.y[DX] * gx + s.y[DY] * gy + across(c, s.y[DX], s.y[DY])))
        gx = s.y[DX] - angle * s.y[DY]
        s.y[DY] += angle * s.y[DX]
        s.y[DX] = gx
        normalise(&s.y[DX], &s.y[DY])
    c.ux = s.y[R] * s.y[DX]
    c.uy = s.y[R] * s.y[DY]


cdef inline double across(const Contact* c, double dx, double dy) noexcept nogil:
    """mu d_perp.M d_perp, with which dF/dtheta = -G - across."""
    return c.mu * (c.Mxx * dy * dy - 2.0 * c.Mxy * dx * dy + c.Myy * dx * dx)


cdef double weigh(const Slide* s, double h, const double* y1) noexcept nogil:
    """The error of the step to y1 in units of tol: speeds beside the greatest normal speed."""
    cdef double weights[N]
    cdef double tol = s.tol, uz = greater(s.uz_scale, fabs(y1[UZ]))
    weights[DX] = weights[DY] = DIRECTION_SHARE * tol
    weights[R] = lesser(tol * greater(uz, y1[R]), SLIP_TOLERANCE * lesser(s.y[R], fabs(y1[R])))
    weights[UZ] = tol * uz
    weights[PX] = weights[PY] = weights[PZ] = tol * greater(uz, y1[PZ])
    weights[W] = tol * greater(uz * uz, fabs(y1[W]))
    return estimate_error(N, h, s.k, weights)


cdef bint cut_at_events(Slide* s, double h, double* y1) noexcept nogil:
    """Accept the step to y1, or the part up to its first event; True at the end of the impact."""
    cdef Contact* c = s.c
    cdef double sign = -1.0 if is_compressing(c) else 1.0
    cdef double target = -c.e * c.e * c.Wc
    cdef double rise0 = rise(c, s.y)
    cdef bint stops
    # H is least where d is along k: end the step there, so that uz turns at most once in it
    if s.jams and passes_jam(s, y1):
        h = locate(s, JAM_PASSES, h, y1)
    # where uz turns: end there too, so that it passes zero at most once (a step that starts
    # within the resolution of either place has that place behind it)
    if fabs(rise0) > TURN_RESOLUTION and rise0 * rise(c, y1) < 0.0:
        h = locate(s, NORMAL_TURNS, h, y1)
    stops = sign * y1[UZ] < 0.0
    if stops:
        h = locate(s, NORMAL_STOPS, h, y1)
    # is the impact over before that?
    if not is_compressing(c) and c.Wd + y1[W] >= target:
        h = locate(s, WORK_DONE, h, y1)
        accept(s, h, y1)
        c.Wd = target
        record(s.trace, c)
        return True
    accept(s, h, y1)
    if stops:
        s.y[UZ] = c.uz = 0.0
        c.phase += 1
    record(s.trace, c)
    return stops and not is_compressing(c) and work_left(c) <= 0.0


cdef void accept(Slide* s, double h, const double* y1) noexcept nogil:
    """Make y1, a step of h away, the present state."""
    cdef Contact on_the_way
    cdef double ym[N]
    cdef Py_ssize_t evaluations = s.c.evaluations
    cdef int i
    if s.trace != NULL:
        for i in range(1, TRACE_POINTS):
            on_the_way = s.c[0]
            take_step(slope, s.c, N, 0.0, s.y, h * i / TRACE_POINTS, s.k, ym)
            show(&on_the_way, ym)
            record(s.trace, &on_the_way)
        s.c.evaluations = evaluations
    show(s.c, y1)
    memcpy(s.y, y1, N * sizeof(double))
    normalise(&s.y[DX], &s.y[DY])
    s.y[W] = 0.0
    s.uz_scale = greater(s.uz_scale, fabs(s.y[UZ]))


cdef inline void normalise(double* x, double* y) noexcept nogil:
    cdef double size = sqrt(x[0] * x[0] + y[0] * y[0])
    x[0] /= size
    y[0] /= size


cdef void show(Contact* c, const double* y) noexcept nogil:
    """Write the state y, reached within one step from c, into c."""
    c.ux = y[R] * y[DX]
    c.uy = y[R] * y[DY]
    c.uz = y[UZ]
    c.px = y[PX]
    c.py = y[PY]
    c.pz = y[PZ]
    if is_compressing(c):
        c.Wc += y[W]
    else:
        c.Wd += y[W]


cdef bint slide_on(Slide* s) noexcept nogil:
    """Slide on in the present direction; True at the end of the impact, False where slip ends."""
    cdef bint slows_down = s.k[R] < 0.0
    if s.y[R] <= 0.0 or (not slows_down and s.y[R] <= s.least_slip):
        return False
    return slide_straight(s.c, s.trace)


cdef inline bint passes_jam(const Slide* s, const double* y1) noexcept nogil:
    """Whether the direction turns past k between the start of the step and y1."""
    cdef double before = s.y[DX] * s.c.ky - s.y[DY] * s.c.kx
    cdef double after = y1[DX] * s.c.ky - y1[DY] * s.c.kx
    return (fabs(before) > TURN_RESOLUTION and before * after < 0.0
            and y1[DX] * s.c.kx + y1[DY] * s.c.ky > 0.0)


cdef double locate(Slide* s, Event event, double high, double* y) noexcept nogil:
    """The step in (0, high) at which the event's value passes zero.

    On entry y is the state after a step of high, on return that after the step returned. Newton's
    method inside a bracket, each iterate a step of full order from the start.
    """
    cdef double dy[N]
    cdef double value = measure(s, event, y), past = value, low = 0.0, x = high, x1, rate
    cdef int i
    for i in range(MOST_SEARCH):
        slope(0.0, y, dy, s.c)
        rate = measure_rate(s, event, dy)
        x1 = x - value / rate if rate != 0.0 else low
        if i == 0 and event == NORMAL_STOPS and s.k[UZ] * s.y[UZ] < 0.0:
            x1 = -s.y[UZ] / s.k[UZ]  # nearer, where uz is small beside the slip
        if not low < x1 < high:
            x1 = 0.5 * (low + high)
        if x1 == x or not low < x1 < high:
            break
        x = x1
        take_step(slope, s.c, N, 0.0, s.y, x, s.k, y)
        value = measure(s, event, y)
        if fabs(value) <= resolution(s, event):
            break
        if value * past > 0.0:
            high = x
        else:
            low = x
    return x


cdef double measure(const Slide* s, Event event, const double* y) noexcept nogil:
    """What is zero at the event."""
    cdef const Contact* c = s.c
    if event == NORMAL_STOPS:
        return y[UZ]
    if event == NORMAL_TURNS:
        return rise(c, y)
    if event == WORK_DONE:
        return y[W] - work_left(c)
    return y[DX] * c.ky - y[DY] * c.kx


cdef double measure_rate(const Slide* s, Event event, const double* dy) noexcept nogil:
    """The derivative of measure along s, from the slope dy."""
    cdef const Contact* c = s.c
    if event == NORMAL_STOPS:
        return dy[UZ]
    if event == NORMAL_TURNS:
        return -c.mu * (c.kx * dy[DX] + c.ky * dy[DY])
    if event == WORK_DONE:
        return dy[W]
    return dy[DX] * c.ky - dy[DY] * c.kx


cdef double resolution(const Slide* s, Event event) noexcept nogil:
    """What measure may be off by: rounding for events that shape the answer, little for others."""
    if event == NORMAL_STOPS:
        return greater(EVENT_SHARE * s.tol, 4.0 * EPSILON) * s.uz_scale
    if event == WORK_DONE:
        return greater(EVENT_SHARE * s.tol, 4.0 * EPSILON) * fabs(s.c.Wc)
    return TURN_RESOLUTION
