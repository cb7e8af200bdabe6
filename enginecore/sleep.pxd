"""Who sleeps: islands whose bodies have all been still for long enough (any dimension)."""

from libc.stdint cimport int32_t

from enginecore.body_head cimport AWAKE, NO_SLEEP, BodyHead
from enginecore.island cimport IslandStore


cdef inline bint note_still(BodyHead* heads, const double* speeds, IslandStore islands,
                            int32_t k, double least, double dt, double after) noexcept nogil:
    """Count the time for which the bodies of island k are slower than `least` (m/s, of their
    fastest points, by row); whether all have been so for `after` (s)."""
    cdef int32_t i, row
    cdef bint rests = True
    for i in range(islands.islands[k].first_body,
                   islands.islands[k].first_body + islands.islands[k].n_bodies):
        row = islands.bodies[i]
        if speeds[row] <= least and not heads[row].flags & NO_SLEEP:
            heads[row].still += dt
        else:
            heads[row].still = 0.0
        rests = rests and heads[row].still >= after
    return rests


cdef inline void put_to_sleep(BodyHead* head) noexcept nogil:
    """The one place that ends being awake by rest; its velocities are the caller's to end."""
    head.flags &= ~<int> AWAKE
