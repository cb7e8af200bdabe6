"""The ledger within a step: what was done to the energy, by account (docs/maths/energy.md).

An impulse p on a rate that goes from u to u' does the work p (u + u')/2. Summed over all impulses
that is the change of the kinetic energy exactly, and on bodies that move by the mean of their old
and new velocity it is force times way. So each account is known to rounding, and `integrator` is
what is left of the change of energy.
"""

from libc.math cimport isfinite

from engine2d.impact cimport ImpactInput, ImpactOutput
from engine2d.vec2 cimport Vec2, add, dot, sub, turn

cdef enum:
    N_ACCOUNTS = 10

# J, since the step began; as the accounts of engine2d.exact.ledger, in their order.
ctypedef struct Books:
    double impacts       # lost in blows, and where contacts or limits close
    double friction      # lost where contacts slide and roll, and joints rub
    double damping
    double applied       # of the users' forces and torques, and of drags
    double motors
    double driven        # of kinematic bodies, surfaces that run and bumpers
    double springs       # lost in dampers
    double normal        # of what holds contacts and joints, on what does not close
    double projection    # of corrections of places
    double integrator


# Of the speed from which contacts are struck: what closes more slowly rests.
cdef extern from *:
    """
    #define ENGINE_RESTING_SHARE 0.05
    """
    double RESTING_SHARE "ENGINE_RESTING_SHARE"


cdef inline void book_normal(Books* books, double p, double rates, double before, double after,
                             double threshold) noexcept nogil:
    """Book the impulse p (N s) of what holds, whose rate went by `rates`, the sum of old and new;
    before, after: how fast the gap closed (m/s, < 0) at the two ends. To close is a blow, unless it
    is slow against the threshold (m/s) of strikes."""
    cdef double blow = 0.0
    if before < -RESTING_SHARE * threshold:
        blow = 0.5 * p * (before + (after if after < 0.0 else 0.0))
    books.impacts += blow
    books.normal += 0.5 * p * rates - blow


cdef inline void net_blows(Books* books, double impacts, double normal) noexcept nogil:
    """Contacts that are solved together pass blows on: what one gives, another has taken. The
    arguments are the two accounts (J) before these contacts were booked."""
    cdef double given = books.normal - normal, lost = impacts - books.impacts
    if given > 0.0 and lost > 0.0:
        if given > lost:
            given = lost
        books.normal -= given
        books.impacts += given


cdef inline void add_step(const Books* books, double* sums) noexcept nogil:
    """Add a step to the sums (J, by account) of the steps before it. One whose bodies left the
    range of numbers is not booked."""
    cdef const double* work = <const double*> books
    cdef int k
    for k in range(N_ACCOUNTS):
        if not isfinite(sums[k] + work[k]):
            return
    for k in range(N_ACCOUNTS):
        sums[k] += work[k]


cdef inline Vec2 parting(Vec2 va, double wa, Vec2 vb, double wb,
                         const ImpactInput* given) noexcept nogil:
    """m/s, of A against B at a blow's point."""
    return sub(add(va, turn(wa, given.a.r)), add(vb, turn(wb, given.b.r)))


cdef inline double blow_work(const ImpactInput* given, const ImpactOutput* out) noexcept nogil:
    """J, of a blow's impulse on the motion of A against B: what it lost, < 0."""
    return 0.5 * dot(out.p, add(
        parting(given.a.v, given.a.w, given.b.v, given.b.w, given),
        parting(out.vA, out.wA, out.vB, out.wB, given)))
