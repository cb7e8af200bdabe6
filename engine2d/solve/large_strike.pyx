# distutils: include_dirs = engine2d/solve enginecore
"""Strikes of large islands; large_strike.pxd has the contract."""

from libc.math cimport sqrt
from libc.stdint cimport int32_t

from enginecore.scalar cimport greater, lesser
from engine2d.body cimport Motion
from engine2d.contact cimport Contact
from engine2d.impact cimport ImpactBody, ImpactInput, ImpactOutput, strike
from engine2d.solve.books cimport blow_work
from engine2d.solve.hit cimport mark_struck
from engine2d.solve.large_work cimport LANES, Account, arm_of, gap_at, point_then, speed_at
from engine2d.solve.rule cimport boost_of, kick
from engine2d.solve.solver_iterative cimport Block, Drive
from engine2d.vec2 cimport Vec2, add, cross, dot, length, scaled, sub, turn, vec2

cdef int STRIKE_PASSES = 8         # over all bouncing manifolds in a sub-step

ctypedef struct Blow:
    double t          # s into the sub-step
    double speed      # m/s, of approach there
    double share[2]   # of the impulse that each point takes


cdef void measure_gaps(LargeWorkspace* work) noexcept nogil:
    """Bring all gaps up to date, after blows that changed the ways of bodies: to the bit as a relax
    pass has them."""
    cdef int32_t k
    cdef int j, lane
    cdef Block* m
    cdef const Motion* a
    cdef const Motion* b
    for k in range(work.n_blocks):
        m = &work.blocks[k]
        for lane in range(LANES):
            a, b = &work.lines[m.a[lane]], &work.lines[m.b[lane]]
            for j in range(m.points[lane]):
                m.point[j].now[lane] = m.point[j].gap[lane] + (
                    (m.nx[lane] * (a.d.x - b.d.x) + m.ny[lane] * (a.d.y - b.d.y))
                    + (m.point[j].ra[lane] * a.turned - m.point[j].rb[lane] * b.turned))


cdef double free_acceleration(const LargeWorkspace* work, const Block* m, int lane) noexcept nogil:
    """m/s^2, at which the gap's speed changes while nothing pushes the two bodies; 0 if something
    did in the last sub-step: then their speed is what it is."""
    cdef const Drive* a = &work.drives[m.a[lane]]
    cdef const Drive* b = &work.drives[m.b[lane]]
    if work.tags[m.a[lane]].pushed or work.tags[m.b[lane]].pushed:
        return 0.0
    return m.nx[lane] * (a.a.x - b.a.x) + m.ny[lane] * (a.a.y - b.a.y)


cdef double time_to_close(double gap, double speed, double a, double h) noexcept nogil:
    """When within h (s) a gap closes that ends with this speed, with the constant acceleration a;
    > h: it does not. What the passes would stop closes in any case."""
    cdef double u = speed - a * h, root, t = 2.0 * h
    if gap <= 0.0:
        return 0.0
    # the earlier root of gap + u t + a t^2 / 2, without cancellation
    root = u * u - 2.0 * a * gap
    if root >= 0.0 and sqrt(root) > u:
        t = 2.0 * gap / (sqrt(root) - u)
    return lesser(t, h) if gap + h * speed <= 0.0 else t


cdef bint find_blow(const StepContext* ctx, const LargeWorkspace* work, const Block* m, int lane,
                    double h, Blow* out) noexcept nogil:
    """Whether a manifold is struck in this sub-step; when, how fast, and at which of its points.

    Two points that close together share the blow as the impulses of a blow without friction and
    restitution would: at their centre of pressure.
    """
    cdef const Motion* a = &work.lines[m.a[lane]]
    cdef const Motion* b = &work.lines[m.b[lane]]
    cdef double acceleration = free_acceleration(work, m, lane), most = 2.0 * h
    cdef double u[2]
    cdef double t, gap, k00, k01, k11, f0, f1
    cdef int k, first = -1, n = m.points[lane]
    cdef const Contact* contact = &ctx.contacts[m.contact[lane]]
    for k in range(n):
        u[k] = speed_at(a, b, m, lane, k)
        t = time_to_close(gap_at(a, b, m, lane, k), u[k], acceleration, h)
        u[k] -= acceleration * (h - lesser(t, h))
        if t <= h and u[k] < 0.0 and t < most:
            most = t
            first = k
    if first < 0:
        return False
    out.t = most
    out.speed = -u[first]
    out.share[first] = 1.0
    out.share[1 - first] = 0.0
    if n == 1:
        return True
    # the other point, if it closes at the same time or nearly
    k = 1 - first
    gap = gap_at(a, b, m, lane, k) + most * u[k]
    t = ctx.tol.flat * length(sub(contact[1].at.point, contact.at.point))
    if u[k] >= 0.0 or gap > greater(ctx.tol.touch, t):
        return True
    k01 = (a.inv_m + b.inv_m + a.inv_I * m.point[0].ra[lane] * m.point[1].ra[lane]
           + b.inv_I * m.point[0].rb[lane] * m.point[1].rb[lane])
    k00 = 1.0 / m.point[0].mass[lane]
    k11 = 1.0 / m.point[1].mass[lane]
    f0 = greater(k01 * u[1] - k11 * u[0], 0.0)
    f1 = greater(k01 * u[0] - k00 * u[1], 0.0)
    if f0 + f1 > 0.0:
        out.share[0] = f0 / (f0 + f1)
        out.share[1] = f1 / (f0 + f1)
        out.speed = -(out.share[0] * u[0] + out.share[1] * u[1])
    return True


cdef inline void give(LargeWorkspace* work, int32_t at, Vec2 dv, double dw,
                      double t) noexcept nogil:
    """Change a body's velocity at a time t of the sub-step: its new way leads through where it was
    at t. The blow is no impulse to start the next sub-step from."""
    cdef Motion* line = &work.lines[at]
    cdef Drive* drive = &work.drives[at]
    line.v = add(line.v, dv)
    line.w += dw
    if not work.tags[at].stands:
        line.d = sub(line.d, scaled(t, dv))
        line.turned -= t * dw
    drive.v0 = add(drive.v0, dv)
    drive.w0 += dw


cdef void book_blow(LargeWorkspace* work, const Block* m, int lane, const ImpactInput* given,
                    Vec2 p) noexcept nogil:
    """The work (J) that a kinematic body did in a blow that gave p (N s) to body A."""
    if not work.tags[m.b[lane]].moves:
        work.accounts[work.island_of[m.a[lane]]].work += dot(
            p, add(given.b.v, turn(given.b.w, given.b.r)))
    elif not work.tags[m.a[lane]].moves:
        work.accounts[work.island_of[m.b[lane]]].work -= dot(
            p, add(given.a.v, turn(given.a.w, given.a.r)))


cdef void book_rules(LargeWorkspace* work, const Block* m, int lane, double boost,
                     double pt) noexcept nogil:
    """The work (J) of a boost and of surfaces that run, in a blow that gave pt (N s) along t."""
    cdef int32_t line = m.a[lane] if work.tags[m.a[lane]].moves else m.b[lane]
    cdef Account* account = &work.accounts[work.island_of[line]]
    account.work += boost
    if work.tags[m.a[lane]].moves:
        account.work -= pt * m.drive[lane]


cdef void note_blow(StepContext* ctx, const LargeWorkspace* work, const Block* m, int lane,
                    const ImpactInput* given, const Blow* blow) noexcept nogil:
    """Mark the contacts that a blow struck: where they are at its moment."""
    cdef bint of_a = work.tags[m.a[lane]].moves
    cdef const Motion* line = &work.lines[m.a[lane] if of_a else m.b[lane]]
    cdef const ImpactBody* body = &given.a if of_a else &given.b
    cdef Vec2 d = add(line.d, scaled(blow.t, body.v))
    cdef Contact* contact
    cdef int k
    for k in range(m.points[lane]):
        if blow.share[k] > 0.0:
            contact = &ctx.contacts[m.contact[lane] + k]
            mark_struck(ctx.hits, contact, blow.speed,
                        point_then(ctx, contact, of_a, d, line.turned + blow.t * body.w), given.f)


cdef void land_blow(StepContext* ctx, LargeWorkspace* work, const Block* m, int lane, double h,
                    const Blow* blow) noexcept nogil:
    """Strike the two bodies of a manifold by the closed form (docs/maths/impact2d.md)."""
    cdef Motion* a = &work.lines[m.a[lane]]
    cdef Motion* b = &work.lines[m.b[lane]]
    cdef Contact* contact = &ctx.contacts[m.contact[lane]]
    cdef Vec2 point = contact.at.point
    cdef ImpactInput given
    cdef ImpactOutput out
    cdef double pn, pt
    cdef int k
    if m.points[lane] == 2:
        point = add(scaled(blow.share[0], point), scaled(blow.share[1], contact[1].at.point))
    given.e = contact.e
    given.mu = contact.mu
    given.f = vec2(m.nx[lane], m.ny[lane])
    given.a.inv_m, given.a.inv_I, given.a.v, given.a.w = a.inv_m, a.inv_I, a.v, a.w
    given.b.inv_m, given.b.inv_I, given.b.v, given.b.w = b.inv_m, b.inv_I, b.v, b.w
    given.a.r = arm_of(ctx, contact, contact.a, point, &ctx.motions[contact.a])
    given.b.r = arm_of(ctx, contact, contact.b, point, &ctx.motions[contact.b])
    if free_acceleration(work, m, lane) != 0.0:
        # the velocities at the time of the blow; what is left of the acceleration comes after it
        given.a.v = sub(given.a.v, scaled(h - blow.t, work.drives[m.a[lane]].a))
        given.b.v = sub(given.b.v, scaled(h - blow.t, work.drives[m.b[lane]].a))
    given.a.v = add(given.a.v, scaled(m.drive[lane], vec2(-given.f.y, given.f.x)))
    strike(&given, &out)
    ctx.books.impacts += blow_work(&given, &out)
    if ctx.has_rules:
        book_rules(work, m, lane, kick(&given, boost_of(ctx, contact), &out),
                   cross(given.f, out.p))
    note_blow(ctx, work, m, lane, &given, blow)
    give(work, m.a[lane], sub(out.vA, given.a.v), out.wA - given.a.w, blow.t)
    give(work, m.b[lane], sub(out.vB, given.b.v), out.wB - given.b.w, blow.t)
    book_blow(work, m, lane, &given, out.p)
    pn = dot(out.p, given.f)
    pt = cross(given.f, out.p)
    for k in range(m.points[lane]):
        if blow.share[k] > 0.0:
            contact[k].sum_n += blow.share[k] * pn
            contact[k].sum_t += blow.share[k] * pt
    ctx.counters.strikes += 1


cdef void strike_bouncers(StepContext* ctx, double h, double slowest,
                          LargeWorkspace* work) noexcept nogil:
    """Strike, one after the other, what closes within the sub-step faster than `slowest` (m/s),
    until nothing does or the bound is met: what is left is pushed apart without a bounce."""
    cdef int32_t k, n
    cdef int _turn, lane
    cdef const Block* m
    cdef Blow blow
    for _turn in range(STRIKE_PASSES):
        n = 0
        for k in range(work.n_bouncers):
            m = &work.blocks[work.bouncers[k].block]
            lane = work.bouncers[k].lane
            if find_blow(ctx, work, m, lane, h, &blow) and blow.speed > slowest:
                land_blow(ctx, work, m, lane, h, &blow)
                n += 1
        if n == 0:
            return
    ctx.counters.strike_limit += 1


cdef void hold_bouncers(double slowest, LargeWorkspace* work) noexcept nogil:
    """Take what is about to strike out of the relax pass, which would slow it down before that."""
    cdef int32_t k
    cdef int j, lane
    cdef Block* m
    cdef const Motion* a
    cdef const Motion* b
    for k in range(work.n_bouncers):
        m = &work.blocks[work.bouncers[k].block]
        lane = work.bouncers[k].lane
        a = &work.lines[m.a[lane]]
        b = &work.lines[m.b[lane]]
        for j in range(m.points[lane]):
            work.bouncers[k].mass[j] = m.point[j].mass[lane]
            if gap_at(a, b, m, lane, j) > 0.0 and speed_at(a, b, m, lane, j) < -slowest:
                m.point[j].mass[lane] = 0.0


cdef void release_bouncers(LargeWorkspace* work) noexcept nogil:
    """Undo hold_bouncers."""
    cdef int32_t k
    cdef int j
    cdef Block* m
    for k in range(work.n_bouncers):
        m = &work.blocks[work.bouncers[k].block]
        for j in range(m.points[work.bouncers[k].lane]):
            m.point[j].mass[work.bouncers[k].lane] = work.bouncers[k].mass[j]
