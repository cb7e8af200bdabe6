"""The pieces of an impact with a closed form: straight sliding, sticking, the diverging ray."""

from libc.math cimport INFINITY, sqrt

from enginecore.scalar cimport greater
from engine3d.impact_ray cimport find_diverging_ray


cdef ImpactEnd leave_from_stick(Contact* c, Trace* trace) noexcept nogil:
    """Without slip: friction holds, or the contact leaves along the diverging ray; to the end."""
    cdef double dx, dy, rate
    c.ux = c.uy = 0.0
    if c.stick_x * c.stick_x + c.stick_y * c.stick_y <= c.mu * c.mu:
        finish(c, trace, c.stick_x, c.stick_y, 0.0, 0.0, c.stick_rate)
        return END_STABLE_STICK
    find_diverging_ray(c.mu, c.Mxx, c.Mxy, c.Myy, c.kx, c.ky, &dx, &dy)
    # Never below the rate of sticking (docs/maths/impact3d.md), whatever the rounding.
    rate = greater(c.K33 - c.mu * (c.kx * dx + c.ky * dy), c.stick_rate)
    finish(c, trace, -c.mu * dx, -c.mu * dy, c.kx - c.mu * (c.Mxx * dx + c.Mxy * dy),
           c.ky - c.mu * (c.Mxy * dx + c.Myy * dy), rate)
    return END_UNSTABLE_STICK


cdef bint slide_straight(Contact* c, Trace* trace) noexcept nogil:
    """Slide on in the present direction as if on a ray of constant sliding.

    Returns True at the end of the impact, False where slip ends first (ux = uy = 0 then).
    """
    cdef double r = sqrt(c.ux * c.ux + c.uy * c.uy)
    cdef double dx = c.ux / r, dy = c.uy / r
    cdef double qx = -c.mu * dx, qy = -c.mu * dy
    cdef double gx = c.kx + c.Mxx * qx + c.Mxy * qy, gy = c.ky + c.Mxy * qx + c.Myy * qy
    cdef double G = dx * gx + dy * gy
    cdef double rate = c.K33 + c.kx * qx + c.ky * qy
    cdef double to_stick = INFINITY, to_turn, to_end
    gx = G * dx
    gy = G * dy
    if G >= 0.0:
        finish(c, trace, qx, qy, gx, gy, greater(rate, c.stick_rate))
        return True
    while True:
        to_stick = sqrt(c.ux * c.ux + c.uy * c.uy) / -G
        # Where uz passes zero next, if it does.
        to_turn = -c.uz / rate if rate * c.uz < 0.0 else INFINITY
        to_end = -1.0 if is_compressing(c) else impulse_for_work(work_left(c), c.uz, rate)
        if 0.0 <= to_end <= to_stick and to_end <= to_turn:
            trace_advance(c, trace, to_end, qx, qy, gx, gy, rate)
            record(trace, c)
            return True
        if to_turn > to_stick:
            trace_advance(c, trace, to_stick, qx, qy, gx, gy, rate)
            c.ux = c.uy = 0.0
            record(trace, c)
            return False
        trace_advance(c, trace, to_turn, qx, qy, gx, gy, rate)
        c.uz = 0.0
        c.phase += 1
        record(trace, c)
