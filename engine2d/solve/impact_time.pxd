"""When contacts of a small island close within a sub-step, and whether what closes is there."""

from engine2d.contact cimport ON_AHEAD
from engine2d.solve.sub_step cimport LEAST_APPROACH, SubContact, SubStep, is_steady
from enginecore.scalar cimport greater

cdef extern from *:
    """
    #define ENGINE_TURNED_ON 1e-3
    """
    # Share of the threshold from which the next edge of a bent floor is struck.
    double TURNED_ON "ENGINE_TURNED_ON"


cdef inline double least_approach(const SubStep* s, const SubContact* m) noexcept nogil:
    """m/s, above which a contact is struck. What comes to the next edge of a bent floor steadily is
    turned along it there and then, however slowly."""
    if s.ctx.contacts[m.contact].flags & ON_AHEAD and (
            is_steady(s, &s.bodies[m.a]) and is_steady(s, &s.bodies[m.b])):
        return greater(TURNED_ON * s.threshold, LEAST_APPROACH * s.ctx.root)
    return greater(s.threshold, LEAST_APPROACH * s.ctx.root)


# Refresh the contact at time t (s of the sub-step): its gap (m), and the rate (m/s) at which that
# opens.
cdef void approach_at(SubStep* s, SubContact* m, double t, double* gap,
                      double* rate) noexcept nogil

# Write when the contact closes, and how fast, into its time, approach and halts; time < 0 where it
# does not, or only slowly. Features end: what closes beyond them is nothing, which makes the
# contact void, or something else that the pair meets later.
cdef void find_impact(SubStep* s, SubContact* m) noexcept nogil
