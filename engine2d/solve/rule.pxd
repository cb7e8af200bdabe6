"""Rules of a pair of shapes that reach into the solvers (docs/maths/rules.md).

Surfaces that run, as on a conveyor; blows that give more than they take; resistance to rolling.
They are kept with the pair (engine2d.contact), and asked for only where the world has any.
"""

from libc.math cimport INFINITY

from engine2d.contact cimport BOOSTED, DRIVEN, Contact, Pair
from engine2d.impact cimport ImpactInput, ImpactOutput
from engine2d.pose cimport rotate
from engine2d.solve.step_context cimport StepContext
from engine2d.vec2 cimport Vec2, add, cross, dot, scaled, sub, turn, vec2


cdef inline double drive_of(const StepContext* ctx, const Contact* c, Vec2 normal) noexcept nogil:
    """m/s, along T = z x normal: how fast A's surface runs over A, less B's over B. Friction acts
    on the slip of the bodies plus this."""
    cdef const Pair* pair
    if not ctx.has_rules:
        return 0.0
    pair = &ctx.pairs[c.pair]
    if not pair.flags & DRIVEN:
        return 0.0
    return cross(normal, sub(rotate(ctx.places[c.a].pose.q, pair.surface_a),
                             rotate(ctx.places[c.b].pose.q, pair.surface_b)))


cdef inline double boost_of(const StepContext* ctx, const Contact* c) noexcept nogil:
    """Share of the speed of approach that a blow adds to the speed of parting."""
    if not ctx.has_rules or not ctx.pairs[c.pair].flags & BOOSTED:
        return 0.0
    return ctx.pairs[c.pair].boost


cdef inline double speed_of_parting(Vec2 va, double wa, Vec2 vb, double wb,
                                    const ImpactInput* given) noexcept nogil:
    return dot(given.f, sub(add(va, turn(wa, given.a.r)), add(vb, turn(wb, given.b.r))))


cdef inline double kick(const ImpactInput* given, double boost, ImpactOutput* out) noexcept nogil:
    """Part two bodies faster than the blow did, by `boost` times their speed of approach; returns
    the work (J) of that."""
    cdef double before = speed_of_parting(given.a.v, given.a.w, given.b.v, given.b.w, given)
    cdef double after = speed_of_parting(out.vA, out.wA, out.vB, out.wB, given)
    cdef double arm_a = cross(given.a.r, given.f), arm_b = cross(given.b.r, given.f), j
    cdef double k = (given.a.inv_m + given.b.inv_m + given.a.inv_I * arm_a * arm_a
                     + given.b.inv_I * arm_b * arm_b)
    if not (before < 0.0 and k > 0.0):
        return 0.0
    j = -boost * before / k
    out.vA = add(out.vA, scaled(j * given.a.inv_m, given.f))
    out.vB = sub(out.vB, scaled(j * given.b.inv_m, given.f))
    out.wA += j * given.a.inv_I * arm_a
    out.wB -= j * given.b.inv_I * arm_b
    out.p = add(out.p, scaled(j, given.f))
    return j * (after + 0.5 * j * k)


cdef inline double rolling_limit(const Pair* pair, const Contact* c, double pn) noexcept nogil:
    """N m s: the most that can resist rolling under a normal impulse; the smaller of the round
    edges rolls."""
    cdef double r = INFINITY
    if 0.0 < c.at.r1 < r:
        r = c.at.r1
    if 0.0 < c.at.r2 < r:
        r = c.at.r2
    return pair.rolling * r * pn if r < INFINITY else 0.0
