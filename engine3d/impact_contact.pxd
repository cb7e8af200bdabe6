"""An impact in the contact frame: z along the normal, x and y along the surface.

Everything is a pure number: speeds in units of unit_speed, the collision matrix in units of
1/unit_mass, impulses and work in what follows from these. The units are powers of two near the
relative speed and the trace of the matrix, so that nothing is rounded and everything is near 1.
"""

from libc.math cimport sqrt

from enginecore.status cimport check

cdef enum ImpactEnd:
    END_SEPARATING = 0      # the bodies were moving apart: nothing happened
    END_SLIDE = 1           # slid to the end
    END_STABLE_STICK = 2    # slip ended and friction held
    END_UNSTABLE_STICK = 3  # slip ended, friction was too weak: left along the diverging ray

# The state of an impact as the normal impulse grows, and what it knows of the two bodies.
ctypedef struct Contact:
    double unit_speed     # m/s
    double unit_mass      # kg
    double e, mu
    double Mxx, Mxy, Myy  # tangential block of the collision matrix K
    double kx, ky         # its coupling to the normal, K13 and K23
    double K33            # its normal entry
    double stick_x, stick_y  # dp_t / dpz that keeps the contact from slipping, -M^-1 k
    double stick_rate        # d uz / d pz then: 1/(K^-1)33
    double ux, uy, uz     # relative velocity at the contact now
    double px, py, pz     # impulse so far
    double Wc, Wd         # work of the normal force so far, <= 0 and >= 0
    int phase             # 0, 2, ... compression; 1, 3, ... decompression
    Py_ssize_t evaluations  # of the right-hand side, so far

# Points along an impact, as the caller wants to see them. Full when count exceeds capacity: the
# points beyond are counted but not written.
ctypedef struct Trace:
    Py_ssize_t count
    Py_ssize_t capacity
    double* points   # capacity rows of TRACE_WIDTH: pz, ux, uy, uz, Wc, Wd
    int* phases

cdef enum:
    TRACE_WIDTH = 6
    TRACE_POINTS = 16  # points recorded along each smooth piece


cdef inline void record(Trace* trace, const Contact* c) noexcept nogil:
    """Note where the impact is now; trace may be NULL."""
    cdef double* row
    if trace == NULL:
        return
    if trace.count < trace.capacity:
        row = trace.points + TRACE_WIDTH * trace.count
        row[0] = c.pz
        row[1] = c.ux
        row[2] = c.uy
        row[3] = c.uz
        row[4] = c.Wc
        row[5] = c.Wd
        trace.phases[trace.count] = c.phase
    trace.count += 1


cdef inline bint is_compressing(const Contact* c) noexcept nogil:
    return c.phase % 2 == 0


cdef inline double work_left(const Contact* c) noexcept nogil:
    """How much more work decompression may do: Stronge's -e^2 Wc less what it has done."""
    return -c.e * c.e * c.Wc - c.Wd


cdef inline void advance(Contact* c, double dp, double qx, double qy, double gx, double gy,
                         double rate) noexcept nogil:
    """Move by dp along a straight piece: dp_t = q dpz, du_t = g dpz, d uz = rate dpz."""
    cdef double work = dp * (c.uz + 0.5 * rate * dp)
    if is_compressing(c):
        c.Wc += work
    else:
        c.Wd += work
    c.ux += gx * dp
    c.uy += gy * dp
    c.uz += rate * dp
    c.px += qx * dp
    c.py += qy * dp
    c.pz += dp


cdef inline void trace_advance(Contact* c, Trace* trace, double dp, double qx, double qy,
                               double gx, double gy, double rate) noexcept nogil:
    """advance, recording points on the way (the last one is the caller's to record)."""
    cdef Contact on_the_way
    cdef int i
    if trace != NULL:
        for i in range(1, TRACE_POINTS):
            on_the_way = c[0]
            advance(&on_the_way, dp * i / TRACE_POINTS, qx, qy, gx, gy, rate)
            record(trace, &on_the_way)
    advance(c, dp, qx, qy, gx, gy, rate)


cdef inline double impulse_for_work(double work, double uz, double rate) noexcept nogil:
    """The dp >= 0 after which uz dp + rate dp^2/2 = work >= 0; negative if there is none."""
    cdef double square = uz * uz + 2.0 * rate * work
    if work <= 0.0:
        return 0.0
    if square < 0.0 or uz + sqrt(square) <= 0.0:
        return -1.0
    return 2.0 * work / (uz + sqrt(square))


cdef inline void finish(Contact* c, Trace* trace, double qx, double qy, double gx, double gy,
                        double rate) noexcept nogil:
    """Go straight to the end of the impact, with d uz = rate dpz, rate > 0."""
    check(rate > 0.0)
    if is_compressing(c):
        trace_advance(c, trace, -c.uz / rate, qx, qy, gx, gy, rate)
        c.uz = 0.0
        c.phase += 1
        record(trace, c)
    trace_advance(c, trace, impulse_for_work(work_left(c), c.uz, rate), qx, qy, gx, gy, rate)
    record(trace, c)


cdef ImpactEnd leave_from_stick(Contact* c, Trace* trace) noexcept nogil

cdef bint slide_straight(Contact* c, Trace* trace) noexcept nogil
