"""An impact by the loop of the text (section 4): Euler steps of fixed length.

With one erratum mended: the work condition is tested only where uz >= 0 (with e = 0 it would hold
after the first step). First order, and it overshoots by up to a step: for comparison and teaching.
"""

from libc.math cimport sqrt

from enginecore.status cimport MAX_ITERATIONS, SOLVED, StatusCode, check
from engine3d.impact_contact cimport (
    END_SLIDE, Contact, ImpactEnd, Trace, is_compressing, leave_from_stick, record, work_left)

# A step so small that more are needed is refused rather than waited for (some seconds).
cdef Py_ssize_t MOST_STEPS = 100_000_000


cdef StatusCode run_euler(Contact* c, double step, Trace* trace, ImpactEnd* end) noexcept nogil:
    """Steps 3 to 6 of section 4; see impact_euler.pxd."""
    cdef double r, dx, dy, gx, gy, rate
    cdef Py_ssize_t _i
    check(c.uz < 0.0 and step > 0.0)
    record(trace, c)
    end[0] = END_SLIDE
    for _i in range(MOST_STEPS):
        r = sqrt(c.ux * c.ux + c.uy * c.uy)
        if r == 0.0:
            end[0] = leave_from_stick(c, trace)
            return SOLVED
        dx = c.ux / r
        dy = c.uy / r
        gx = c.kx - c.mu * (c.Mxx * dx + c.Mxy * dy)
        gy = c.ky - c.mu * (c.Mxy * dx + c.Myy * dy)
        rate = c.K33 - c.mu * (c.kx * dx + c.ky * dy)
        c.evaluations += 1
        # "approximately 0": the step would carry the slip to or past the origin
        if r + step * (dx * gx + dy * gy) <= 0.0:
            c.ux = c.uy = 0.0
            record(trace, c)
            end[0] = leave_from_stick(c, trace)
            return SOLVED
        take_euler_step(c, step, dx, dy, gx, gy, rate)
        record(trace, c)
        if not is_compressing(c) and work_left(c) <= 0.0:
            return SOLVED
    return MAX_ITERATIONS


cdef void take_euler_step(Contact* c, double step, double dx, double dy, double gx, double gy,
                          double rate) noexcept nogil:
    """Step 3(b): work with the velocity before the step, then the velocity."""
    if c.uz < 0.0:
        c.Wc += c.uz * step
    else:
        c.Wd += c.uz * step
    c.ux += gx * step
    c.uy += gy * step
    c.uz += rate * step
    c.px -= c.mu * dx * step
    c.py -= c.mu * dy * step
    c.pz += step
    if (c.uz < 0.0) != is_compressing(c):
        c.phase += 1
