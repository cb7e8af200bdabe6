"""Stage impact of small islands; strike.pxd has the contract, docs/maths/fixed_step.md why."""

from libc.math cimport INFINITY, fabs
from libc.string cimport memset

from enginecore.scalar cimport greater
from engine2d.contact cimport STRUCK, Contact
from engine2d.impact cimport ImpactBody, ImpactInput, ImpactOutput
from engine2d.impact cimport strike as strike_point
from engine2d.narrow_phase cimport refresh
from engine2d.pose cimport to_world
from engine2d.row cimport INSIDE
from engine2d.solver_direct cimport solve_rows
from engine2d.vec2 cimport add, cross, dot, length, scaled

# Two normals are parallel, and faces are flat on each other, to this cosine.
cdef double PARALLEL = 1.0 - 1e-5
# m and s: where the search for a time of impact ends.
cdef double CLOSED = 1e-13
cdef double NO_TIME = 1e-15
# m/s: slower approaches are rounding, whatever the threshold.
cdef double LEAST_APPROACH = 1e-12
# Share of the sub-step within which two impacts are at the same time; share of a speed likewise.
cdef double SAME_TIME = 1e-9
cdef double SAME_SPEED = 1e-12
# Share of the sub-step by which an impact may come later than it was foreseen.
cdef double LATER = 0.02
cdef enum:
    SEARCH_STEPS = 8
    LEAST_STRIKES = 20         # of an island in a sub-step, and so many more per contact
    STRIKES_PER_CONTACT = 10


# The contacts of one strike, seen as contacts of two bodies with one normal.
cdef struct Group:
    int count
    int members[MOST_GROUPED]      # meetings
    Vec2 points[MOST_GROUPED]      # m
    double share[MOST_GROUPED]     # of the impulse, sum 1
    Vec2 normal


cdef void run_strikes(SubStep* s) noexcept nogil:
    cdef int k, next_one, left = LEAST_STRIKES + STRIKES_PER_CONTACT * s.n_meetings
    cdef Meeting* m
    cdef bint any_close = False
    for k in range(s.n_meetings):
        find_impact(s, &s.meetings[k])
        any_close = any_close or s.meetings[k].time >= 0.0
    while any_close:
        next_one = choose(s)
        if next_one < 0:
            return
        if left == 0:
            # what is left is resting contact's problem
            s.ctx.counters.strike_limit += 1
            return
        left -= 1
        m = &s.meetings[next_one]
        if m.halts:
            halt(s, m)
        else:
            strike_group(s, m, m.time)
        for k in range(s.n_meetings):
            if shares_movable(s, m, &s.meetings[k]):
                # what was foreseen was for the old way
                s.ctx.contacts[s.meetings[k].contact].due = -1.0
                find_impact(s, &s.meetings[k])


cdef int choose(const SubStep* s) noexcept nogil:
    """The earliest impact, of several at once the fastest, of these the first; -1: none."""
    cdef int k, best = -1
    cdef const Meeting* m
    cdef const Meeting* b
    for k in range(s.n_meetings):
        m = &s.meetings[k]
        if m.time < 0.0 or not (m.halts
                                or m.approach > greater(s.threshold, LEAST_APPROACH)):
            continue
        if best >= 0:
            b = &s.meetings[best]
            if m.time > b.time + SAME_TIME * s.h:
                continue
            if m.time >= b.time - SAME_TIME * s.h and m.approach <= b.approach * (1 + SAME_SPEED):
                continue
        best = k
    return best


cdef inline bint shares_movable(const SubStep* s, const Meeting* m,
                                const Meeting* o) noexcept nogil:
    if s.movers[m.a].movable and (o.a == m.a or o.b == m.a):
        return True
    return s.movers[m.b].movable and (o.a == m.b or o.b == m.b)


# --------------------------------------------------------------------------------- time of impact

cdef void approach_at(SubStep* s, Meeting* m, double t, double* gap,
                      double* rate) noexcept nogil:
    """Refresh the contact at time t: its gap, and the rate at which that opens."""
    cdef const Mover* a = &s.movers[m.a]
    cdef const Mover* b = &s.movers[m.b]
    cdef Contact* c = &s.ctx.contacts[m.contact]
    cdef Pose pa = pose_at(a, t), pb = pose_at(b, t)
    cdef Vec2 va, vb
    refresh(&c.at, &pa, &pb)
    m.fresh = False
    va = point_velocity(a, &pa, t, c.at.point)
    vb = point_velocity(b, &pb, t, c.at.point)
    gap[0] = c.at.gap
    rate[0] = dot(c.at.normal, sub(va, vb))


cdef inline Vec2 point_velocity(const Mover* body, const Pose* pose, double t,
                                Vec2 point) noexcept nogil:
    """Velocity at time t of the body's point that is at `point` then."""
    cdef Vec2 r = sub(point, to_world(pose, body.local_center))
    cdef double w
    t = own_time(body, t)
    w = body.w + body.alpha * t
    return vec2(body.v.x + body.a.x * t - w * r.y, body.v.y + body.a.y * t + w * r.x)


cdef inline double most_speed(const Mover* body, double h) noexcept nogil:
    """m/s: no point of it is faster within the sub-step."""
    return body.speed + h * (fabs(body.a.x) + fabs(body.a.y) + fabs(body.alpha) * body.reach)


cdef void find_impact(SubStep* s, Meeting* m) noexcept nogil:
    """Write when the contact closes, and how fast; time < 0 where it does not, or only slowly."""
    cdef const Mover* a = &s.movers[m.a]
    cdef const Mover* b = &s.movers[m.b]
    cdef double begin = greater(a.lived, b.lived)
    cdef double fastest = most_speed(a, s.h) + most_speed(b, s.h)
    cdef double gap, rate, late_gap, late_rate, late
    m.time = -1.0
    m.halts = False
    # bounds first: most contacts are at rest or too far away
    if fastest <= s.threshold:
        return
    approach_at(s, m, begin, &gap, &rate)
    m.approach = -rate
    # a blow at the very end of the sub-step is passed on, too
    if rate < 0.0 and (gap <= 0.0 or (begin >= s.h and gap <= CLOSED)):
        m.time = begin
        return
    if begin >= s.h:
        return
    if find_foreseen(s, m, begin, gap):
        return
    if gap > fastest * (s.h - begin) or (gap <= s.ctx.tol.touch and rate >= 0.0):
        return
    late = s.h
    approach_at(s, m, late, &late_gap, &late_rate)
    if late_gap > 0.0 and gap <= s.ctx.tol.touch and -rate > s.threshold:
        # it closes at once, though it will have turned away by the end
        late = begin - gap / rate
        m.time = late if late < s.h else -1.0
        return
    if late_gap > 0.0:
        # round things may have met and passed each other in between
        late = nearest_time(s, m, begin)
        if late <= begin or late >= s.h:
            return
        approach_at(s, m, late, &late_gap, &late_rate)
        if late_gap > 0.0:
            return
    search(s, m, begin, gap, late, late_gap)


cdef bint find_foreseen(SubStep* s, Meeting* m, double begin, double gap) noexcept nogil:
    """The impact of a fast pair where and when it was foreseen, if that is in this sub-step.

    What was foreseen left accelerations out. Where nothing closes fast after all, the bodies halt:
    farther on they would meet what nobody has looked for.
    """
    cdef double t = s.ctx.contacts[m.contact].due - s.start, late, late_gap, rate
    if s.ctx.contacts[m.contact].due < 0.0 or not begin <= t < s.h:
        return False
    approach_at(s, m, t, &late_gap, &rate)
    late = t
    if rate < 0.0 and late_gap > 0.0:
        late = t - 2.0 * late_gap / rate
        if late < s.h and late - t <= LATER * s.h:
            approach_at(s, m, late, &late_gap, &rate)
    if late_gap <= 0.0 < gap and late < s.h:
        search(s, m, begin, gap, late, late_gap)
    if m.time < 0.0 or not m.approach > greater(s.threshold, LEAST_APPROACH):
        m.time = t
        m.approach = 0.0
        m.halts = True
    return True


cdef void halt(SubStep* s, Meeting* m) noexcept nogil:
    """Stop the fast ones of two bodies where they are, for the rest of the step."""
    cdef Mover* body
    cdef int k
    for k in range(2):
        body = &s.movers[m.b if k else m.a]
        if body.movable and is_fast(s, body, m.time):
            body.lived = m.time
            body.waits = True
            body.carrier = carrier_of(s, m.a if k else m.b)


cdef inline int32_t carrier_of(const SubStep* s, int32_t other) noexcept nogil:
    """Whom a body that met another goes along with while it waits: what cannot wait for it. Two
    movable ones both wait: to be carried would cost energy."""
    return -1 if s.movers[other].movable else other


cdef inline bint is_fast(const SubStep* s, const Mover* body, double t) noexcept nogil:
    """Whether a body goes too far after time t to know what it meets."""
    return ((length(body.v) + fabs(body.w) * body.swept_reach) * (s.ctx.dt - s.start - t)
            > body.free_way)


cdef double nearest_time(const SubStep* s, const Meeting* m, double begin) noexcept nogil:
    """When two circles are nearest if they go straight; `begin` for other contacts."""
    cdef const Mover* a = &s.movers[m.a]
    cdef const Mover* b = &s.movers[m.b]
    cdef Contact* c = &s.ctx.contacts[m.contact]
    cdef Pose pa, pb
    cdef Vec2 apart, u
    cdef double speed2
    if c.at.r1 == INFINITY or c.at.r2 == INFINITY or c.at.r1 + c.at.r2 < 0.0:
        return begin
    pa = pose_at(a, begin)
    pb = pose_at(b, begin)
    apart = to_world(&pa, c.at.c1)
    u = sub(point_velocity(a, &pa, begin, apart),
            point_velocity(b, &pb, begin, to_world(&pb, c.at.c2)))
    apart = sub(apart, to_world(&pb, c.at.c2))
    speed2 = dot(u, u)
    return begin - dot(apart, u) / speed2 if speed2 > 0.0 else begin


cdef void search(SubStep* s, Meeting* m, double low, double low_gap, double high,
                 double high_gap) noexcept nogil:
    """Newton between two times, one with a gap and one without; bisection where it leaves them."""
    cdef double t = low + (high - low) * low_gap / (low_gap - high_gap), gap, rate, guess
    cdef int _step
    for _step in range(SEARCH_STEPS):
        approach_at(s, m, t, &gap, &rate)
        if fabs(gap) < CLOSED:
            break
        if gap > 0.0:
            low = t
        else:
            high = t
        guess = t - gap / rate if rate < 0.0 else -1.0
        if not (low < guess < high):
            guess = 0.5 * (low + high)
        if fabs(guess - t) < NO_TIME:
            break
        t = guess
    approach_at(s, m, t, &gap, &rate)
    m.time = t
    m.approach = -rate


# ------------------------------------------------------------------------------------- the strike

cdef inline int identity(const SubStep* s, int mover) noexcept nogil:
    """Which body it is; all that stand still for good are one."""
    cdef const Mover* body = &s.movers[mover]
    if body.movable or body.v.x != 0.0 or body.v.y != 0.0 or body.w != 0.0:
        return mover
    return -1


cdef void gather_group(SubStep* s, Meeting* struck, double t, Group* out) noexcept nogil:
    """The struck contact, and those of the same two bodies that close with it as one face."""
    cdef Contact* c = &s.ctx.contacts[struck.contact]
    cdef Contact* other
    cdef Meeting* m
    cdef int a = identity(s, struck.a), b = identity(s, struck.b), x, y, k
    cdef double gap, rate, cosine, near
    approach_at(s, struck, t, &gap, &rate)
    out.count = 1
    out.members[0] = <int>(struck - s.meetings)
    out.points[0] = c.at.point
    out.share[0] = 1.0
    out.normal = c.at.normal
    for k in range(s.n_meetings):
        m = &s.meetings[k]
        x = identity(s, m.a)
        y = identity(s, m.b)
        if m == struck or out.count == MOST_GROUPED:
            continue
        if not ((x == a and y == b) or (x == b and y == a)):
            continue
        approach_at(s, m, t, &gap, &rate)
        other = &s.ctx.contacts[m.contact]
        near = greater(s.ctx.tol.touch,
                       s.ctx.tol.flat * length(sub(other.at.point, out.points[0])))
        cosine = dot(other.at.normal, out.normal)
        if gap <= near and (cosine if x == a and y == b else -cosine) > PARALLEL:
            out.members[out.count] = k
            out.points[out.count] = other.at.point
            out.count += 1


cdef void fill_contact_rows(Row* rows, int first, Vec2 point, Vec2 normal, Vec2 xa, Vec2 xb,
                            double mu) noexcept nogil:
    """Rows of one contact between motions 0 and 1, to be solved from nothing."""
    cdef Vec2 ra = sub(point, xa), rb = sub(point, xb), axis = normal
    cdef Row* row
    cdef int k
    memset(&rows[first], 0, 2 * sizeof(Row))
    for k in range(2):
        row = &rows[first + k]
        row.ja[0], row.ja[1], row.ja[2] = axis.x, axis.y, cross(ra, axis)
        row.jb[0], row.jb[1], row.jb[2] = -axis.x, -axis.y, -cross(rb, axis)
        row.a, row.b = 0, 1
        row.hi = INFINITY
        row.normal = first if k else -1
        row.mu = mu if k else 0.0
        row.mode = INSIDE
        axis = vec2(-normal.y, normal.x)


cdef Vec2 find_pressure(SubStep* s, const ImpactInput* given, Vec2 xa, Vec2 xb,
                        Group* group) noexcept nogil:
    """The centre of pressure of a group struck without restitution; writes the shares."""
    cdef Motion* motions = s.motions
    cdef const ImpactBody* body
    cdef Vec2 center = vec2(0.0, 0.0)
    cdef double total = 0.0
    cdef int k
    for k in range(2):
        body = &given.b if k else &given.a
        motions[k].inv_m, motions[k].inv_I = body.inv_m, body.inv_I
        motions[k].v, motions[k].w = body.v, body.w
    for k in range(group.count):
        fill_contact_rows(s.rows, 2 * k, group.points[k], group.normal, xa, xb, given.mu)
    solve_rows(s.rows, 2 * group.count, motions, 2, 0.0, s.direct, &s.ctx.counters)
    for k in range(group.count):
        total += s.rows[2 * k].p
    if not total > 0.0:
        group.count = 1
        return group.points[0]
    for k in range(group.count):
        group.share[k] = s.rows[2 * k].p / total
        # relative to the first point: far from the origin no digits are lost
        center = add(center, scaled(group.share[k], sub(group.points[k], group.points[0])))
    return add(group.points[0], center)


cdef void load_body(const Mover* body, double t, ImpactBody* out) noexcept nogil:
    out.inv_m, out.inv_I = body.inv_m, body.inv_I
    out.v = vec2(body.v.x + body.a.x * t, body.v.y + body.a.y * t)
    out.w = body.w + body.alpha * t


cdef inline double closing_speed(const ImpactInput* given) noexcept nogil:
    cdef const ImpactBody* a = &given.a
    cdef const ImpactBody* b = &given.b
    cdef Vec2 u = vec2(a.v.x - a.w * a.r.y - b.v.x + b.w * b.r.y,
                       a.v.y + a.w * a.r.x - b.v.y - b.w * b.r.x)
    return -dot(u, given.f)


cdef void strike_group(SubStep* s, Meeting* struck, double t) noexcept nogil:
    """Strike a contact, and what closes with it, at time t."""
    cdef Mover* a = &s.movers[struck.a]
    cdef Mover* b = &s.movers[struck.b]
    cdef Contact* c = &s.ctx.contacts[struck.contact]
    cdef Pose pa = pose_at(a, t), pb = pose_at(b, t)
    cdef Vec2 xa = to_world(&pa, a.local_center), xb = to_world(&pb, b.local_center), center
    cdef Group group
    cdef ImpactInput given
    cdef ImpactOutput out
    gather_group(s, struck, t, &group)
    given.e, given.mu, given.f = c.e, c.mu, group.normal
    load_body(a, own_time(a, t), &given.a)
    load_body(b, own_time(b, t), &given.b)
    center = group.points[0]
    if group.count > 1:
        center = find_pressure(s, &given, xa, xb, &group)
    given.a.r = sub(center, xa)
    given.b.r = sub(center, xb)
    if not closing_speed(&given) > 0.0:
        # friction alone drives the group: the struck point has the word
        group.count = 1
        group.share[0] = 1.0
        given.a.r = sub(group.points[0], xa)
        given.b.r = sub(group.points[0], xb)
    strike_point(&given, &out)
    s.ctx.counters.strikes += 1
    note_strike(s, &group, &given, out.p)
    bend_way(s, a, struck.b, sub(out.vA, given.a.v), out.wA - given.a.w, own_time(a, t))
    bend_way(s, b, struck.a, sub(out.vB, given.b.v), out.wB - given.b.w, own_time(b, t))


cdef void note_strike(SubStep* s, const Group* group, const ImpactInput* given,
                      Vec2 p) noexcept nogil:
    """Write impulses and speed into the contacts of the group.

    A contact that has the two bodies the other way round has its normal and tangent turned too, so
    its impulses have the same signs.
    """
    cdef double pn = dot(p, group.normal), pt = cross(group.normal, p)
    cdef double speed = closing_speed(given)
    cdef Contact* c
    cdef int k
    for k in range(group.count):
        c = &s.ctx.contacts[s.meetings[group.members[k]].contact]
        c.sum_n += group.share[k] * pn
        c.sum_t += group.share[k] * pt
        c.hit_speed = greater(c.hit_speed, speed)
        c.flags = c.flags | STRUCK


cdef void bend_way(const SubStep* s, Mover* body, int32_t other, Vec2 dv, double dw,
                   double t) noexcept nogil:
    """New velocities from time t on, when it struck another: the way now begins where it must to
    pass the same place."""
    if not body.movable:
        return
    body.v = add(body.v, dv)
    body.w += dw
    body.x = sub(body.x, scaled(t, dv))
    body.angle -= dw * t
    body.pose = place_frame(body, 0.0, 0.0, -dw * t)
    body.speed = length(body.v) + fabs(body.w) * body.reach
    body.lived = t
    body.bent += length(dv) + fabs(dw) * body.swept_reach
    if not is_fast(s, body, t):
        return
    # what keeps on its way, as something that is pushed along does, meets what was looked for
    if s.movers[other].movable or body.bent * (s.ctx.dt - s.start - t) > body.free_way:
        body.waits = True
        body.carrier = carrier_of(s, other)
