"""Times of impact; impact_time.pxd has the contract, docs/maths/contact3d.md why."""

from libc.math cimport INFINITY, fabs
from libc.stdint cimport int32_t
from libc.string cimport memset

from enginecore.constants cimport CCD_SHARE
from enginecore.pair_table cimport high_of, low_of
from enginecore.rule cimport ONE_WAY
from enginecore.scalar cimport lesser
from engine3d.collide.geometry cimport CYLINDER, PLANE, SEGMENT, Geometry
from engine3d.collide.narrow_phase cimport Touch, refresh
from engine3d.collide.time_of_impact cimport (
    Sweep, find_impact_time, find_sink_time, gap_between, sweep_pose)
from engine3d.contact cimport (
    FAST, PARTLY_REFUSED, REFUSED, Contact, Pair, detect, pair_thickness, pushes_along)
from engine3d.pose cimport Pose
from engine3d.solve.small_gather cimport list_contacts
from engine3d.solve.strike cimport touch_nearest
from engine3d.solve.sub_step cimport NO_TIME, SubBody, SubContact, closing_at
from engine3d.vec3 cimport Vec3, add, add_scaled, cross, dot, length, sub, vec3

# m, as a share of touch: where the search for a time of impact ends.
cdef double SEARCH_END = 1e-8
# Times touch: how much deeper what is in touch and swept may get before it is looked at again.
cdef double SUNK = 10.0
# Times the gap at which shapes have met: how far they go back for their nearest points, where these
# cannot be told since they overlap by rounding.
cdef double MOST_BACK = 300.0
cdef enum:
    SEARCH_STEPS = 40
    MEETS = -2                 # as the turn when a pair was swept: it meets in this sub-step


cdef Sweep sweep_of(const SubBody* body) noexcept nogil:
    """The way of a body from now on; of one that rests without acceleration."""
    cdef Sweep out
    out.x, out.q, out.v, out.w = body.x, body.q, body.v, body.w
    out.a = vec3(0.0, 0.0, 0.0) if body.rests or not body.movable else body.outer
    out.local_center, out.bounding_radius = body.local_center, body.swept_radius
    return out


cdef double find_first_impact(SubStep* s) noexcept nogil:
    cdef double first = INFINITY, fastest
    cdef SubContact* m
    cdef int k
    for k in range(s.n_contacts):
        m = &s.contacts[k]
        m.time = -1.0
        fastest = s.bodies[m.a].speed + s.bodies[m.b].speed + 2.0 * s.h * s.force
        if m.c.at.gap <= s.ctx.tol.closed or m.c.at.gap > fastest * s.h or (
                fastest <= s.threshold):
            continue
        find_impact(s, m)
        if m.time >= 0.0:
            first = lesser(first, m.time)
    return first


cdef bint is_swept(const SubStep* s, const Pair* pair) noexcept nogil:
    """Whether a pair is followed by its distance: one that is fast, and one with a rim that is not
    in touch yet, whose contact jumps from feature to feature."""
    cdef int32_t a, b, k
    if pair.flags & FAST:
        return True
    for k in range(pair.first, pair.first + pair.n):
        if s.ctx.contacts[k].at.gap <= s.ctx.tol.touch:
            return False
    a = s.ctx.shapes[low_of(pair.key)].geometry.kind
    b = s.ctx.shapes[high_of(pair.key)].geometry.kind
    return (a == CYLINDER or b == CYLINDER) and SEGMENT <= a < PLANE and SEGMENT <= b < PLANE


cdef double find_first_swept(SubStep* s, const int32_t* pair_numbers, int n_pairs,
                             const int32_t* local_row) noexcept nogil:
    cdef double first = INFINITY, t = 0.0, now = s.ctx.dt - s.left
    cdef Pair* pair
    cdef const SubBody* a
    cdef const SubBody* b
    cdef int k
    for k in range(n_pairs):
        pair = &s.ctx.pairs[pair_numbers[k]]
        if not is_swept(s, pair):
            continue
        a, b = &s.bodies[local_row[pair.a]], &s.bodies[local_row[pair.b]]
        # what was found for two bodies in flight holds until something moves one of them
        if (s.swept_turn[k] > a.turn and s.swept_turn[k] > b.turn
                and s.swept_until[k] >= now + s.h * (1.0 - NO_TIME)):
            continue
        if find_swept(s, pair, a, b, &t):
            first = lesser(first, t)
            s.swept_turn[k] = MEETS
        else:
            s.swept_turn[k], s.swept_until[k] = s.turn, now + s.h
    return first


cdef bint meet_swept(SubStep* s, const int32_t* pair_numbers, int n_pairs,
                     const int32_t* local_row) noexcept nogil:
    cdef Pair* pair
    cdef const SubBody* a
    cdef const SubBody* b
    cdef Sweep sa, sb
    cdef Pose pa, pb
    cdef double t = 0.0
    cdef int k, i
    cdef bint met = False
    for k in range(n_pairs):
        pair = &s.ctx.pairs[pair_numbers[k]]
        if not pair.flags & FAST:
            continue
        a, b = &s.bodies[local_row[pair.a]], &s.bodies[local_row[pair.b]]
        sa, sb = sweep_of(a), sweep_of(b)
        if find_impact_time(s.ctx.shapes[low_of(pair.key)].geometry, &sa,
                            s.ctx.shapes[high_of(pair.key)].geometry, &sb, s.h,
                            0.5 * s.ctx.tol.closed, &t):
            met = True
            pa, pb = sweep_pose(&sa, t), sweep_pose(&sb, t)
            detect(s.ctx, pair, &pa, &pb, s.ctx.tol.margin)
            for i in range(pair.first, pair.first + pair.n):
                refresh(&s.ctx.contacts[i].at, &a.pose, &b.pose)
    if met:
        list_contacts(s, pair_numbers, n_pairs, local_row)
    return met


cdef bint slides(const SubStep* s, const Pair* pair, const SubBody* a,
                 const SubBody* b) noexcept nogil:
    """Whether contacts of a pair are in touch, and none of these closes fast."""
    cdef const Touch* at
    cdef int32_t k
    cdef bint any_touch = False
    for k in range(pair.first, pair.first + pair.n):
        at = &s.ctx.contacts[k].at
        if at.gap <= s.ctx.tol.touch:
            any_touch = True
            if closing_at(a, b, at) > s.threshold:
                return False
    return any_touch


cdef double time_until_deeper(const SubStep* s, const Pair* pair, const SubBody* a,
                              const SubBody* b) noexcept nogil:
    """s: when a body in touch with a half space or a hollow sphere would have sunk into it:
    something that turns may meet it with another corner."""
    cdef const Geometry* g = s.ctx.shapes[low_of(pair.key)].geometry
    cdef const Geometry* o = s.ctx.shapes[high_of(pair.key)].geometry
    cdef Sweep sa = sweep_of(a), sb = sweep_of(b)
    if pair.n == 0 or (g.kind < PLANE) == (o.kind < PLANE):
        return INFINITY
    return find_sink_time(g, &sa, o, &sb, s.ctx.contacts[pair.first].at.normal, s.h,
                          SUNK * s.ctx.tol.touch)


cdef bint find_swept(SubStep* s, Pair* pair, const SubBody* a, const SubBody* b,
                     double* t) noexcept nogil:
    """Whether a pair that is swept meets within the sub-step, and when; one that touches is looked
    at again before it has gone far."""
    cdef Sweep sa = sweep_of(a), sb = sweep_of(b)
    cdef Vec3 n
    cdef double gap
    gap = gap_between(s.ctx.shapes[low_of(pair.key)].geometry, &a.pose,
                      s.ctx.shapes[high_of(pair.key)].geometry, &b.pose, &n)
    if gap <= s.ctx.tol.closed or (gap <= s.ctx.tol.touch and slides(s, pair, a, b)):
        t[0] = CCD_SHARE * pair_thickness(s.ctx, pair) / (
            length(sub(a.v, b.v)) + length(a.w) * a.swept_radius + length(b.w) * b.swept_radius
            + s.h * s.force)
        t[0] = lesser(t[0], time_until_deeper(s, pair, a, b))
        return t[0] < s.h
    return find_impact_time(s.ctx.shapes[low_of(pair.key)].geometry, &sa,
                            s.ctx.shapes[high_of(pair.key)].geometry, &sb, s.h,
                            0.5 * s.ctx.tol.closed, t)


cdef void approach_at(SubStep* s, SubContact* m, const Sweep* sa, const Sweep* sb, double t,
                      double* gap, double* rate) noexcept nogil:
    """Gap of the contact's features at time t, and the rate at which that opens."""
    cdef Pose pa = sweep_pose(sa, t), pb = sweep_pose(sb, t)
    cdef Vec3 xa, xb
    refresh(&m.c.at, &pa, &pb)
    xa = add_scaled(add_scaled(sa.x, t, sa.v), 0.5 * t * t, sa.a)
    xb = add_scaled(add_scaled(sb.x, t, sb.v), 0.5 * t * t, sb.a)
    gap[0] = m.c.at.gap
    rate[0] = dot(m.c.at.normal, sub(
        add(add_scaled(sa.v, t, sa.a), cross(sa.w, sub(m.c.at.point, xa))),
        add(add_scaled(sb.v, t, sb.a), cross(sb.w, sub(m.c.at.point, xb)))))


cdef void find_impact(SubStep* s, SubContact* m) noexcept nogil:
    """Write when the features of an open contact meet faster than the threshold; < 0: not."""
    cdef Sweep sa = sweep_of(&s.bodies[m.a]), sb = sweep_of(&s.bodies[m.b])
    cdef double low = 0.0, high = s.h, gap, rate, high_gap, high_rate, t, guess
    cdef int _step
    approach_at(s, m, &sa, &sb, 0.0, &gap, &rate)
    approach_at(s, m, &sa, &sb, high, &high_gap, &high_rate)
    if high_gap > 0.0 and rate < 0.0 and high_rate > 0.0:
        # they may have met and passed each other in between: where they are nearest
        for _step in range(SEARCH_STEPS):
            t = 0.5 * (low + high)
            approach_at(s, m, &sa, &sb, t, &high_gap, &high_rate)
            if high_gap <= 0.0:
                high = t
                break
            if high_rate < 0.0:
                low = t
            else:
                high = t
        low = 0.0
    if high_gap <= 0.0:
        t = high * gap / (gap - high_gap)
        for _step in range(SEARCH_STEPS):
            approach_at(s, m, &sa, &sb, t, &high_gap, &rate)
            if fabs(high_gap) < SEARCH_END * s.ctx.tol.touch:
                break
            if high_gap > 0.0:
                low = t
            else:
                high = t
            guess = t - high_gap / rate if rate < 0.0 else -1.0
            if not (low < guess < high):
                guess = 0.5 * (low + high)
            t = guess
        if -rate > s.threshold:
            m.time = t
    refresh(&m.c.at, &s.bodies[m.a].pose, &s.bodies[m.b].pose)


cdef void look_again(SubStep* s, const int32_t* pair_numbers, int n_pairs,
                     const int32_t* local_row, bint is_cut) noexcept nogil:
    cdef Pair* pair
    cdef const SubBody* a
    cdef const SubBody* b
    cdef double margin
    cdef int k, i
    cdef bint any_new = False, swept
    for k in range(s.n_contacts):
        if is_cut and 0.0 <= s.contacts[k].time <= s.h * (1.0 + NO_TIME):
            s.contacts[k].pair.recycling_margin = -2.0
    for k in range(n_pairs):
        pair = &s.ctx.pairs[pair_numbers[k]]
        a, b = &s.bodies[local_row[pair.a]], &s.bodies[local_row[pair.b]]
        swept = pair.flags & FAST or s.swept_turn[k] == MEETS
        if pair.recycling_margin == -2.0 or (swept and (is_cut or s.left > 0.0)
                                             and (pair.n > 0 or s.swept_turn[k] == MEETS)):
            margin = s.ctx.tol.margin
            if not pair.flags & FAST:
                margin += (a.speed + b.speed) * s.left
            pair.recycling_margin = -2.0
            detect(s.ctx, pair, &a.pose, &b.pose, margin)
            # pairs that only pass each other are marked so
            if is_cut and swept and (pair.n > 0 or pair.recycling_margin == -2.0):
                add_nearest(s, pair, a, b)
            pair.recycling_margin = -1.0
            any_new = True
        else:
            for i in range(pair.first, pair.first + pair.n):
                refresh(&s.ctx.contacts[i].at, &a.pose, &b.pose)
    if any_new:
        list_contacts(s, pair_numbers, n_pairs, local_row)


cdef void add_nearest(SubStep* s, Pair* pair, const SubBody* a, const SubBody* b) noexcept nogil:
    """Where two shapes have just met and none of their contacts says so, since faces are preferred
    to edges: a contact at their nearest points."""
    cdef Touch near
    cdef Touch* at
    cdef int32_t k
    if pair.room == 0 or not (touch_nearest(s, pair, &a.pose, &b.pose, &near)
                              or touch_before(s, pair, a, b, &near)):
        return
    if near.gap > s.ctx.tol.closed or closing_at(a, b, &near) <= s.threshold:
        return
    if pair.flags & (REFUSED | PARTLY_REFUSED) or (pair.flags & ONE_WAY and not pushes_along(
            s.ctx, pair, &a.pose, &b.pose, near.normal)):
        return
    for k in range(pair.first, pair.first + pair.n):
        at = &s.ctx.contacts[k].at
        if at.gap <= s.ctx.tol.closed and closing_at(a, b, at) > s.threshold:
            return
    k = pair.n if pair.n < pair.room else pair.room - 1
    if k == pair.n:
        pair.n += 1
        memset(&s.ctx.contacts[pair.first + k], 0, sizeof(Contact))
    s.ctx.contacts[pair.first + k].at = near


cdef bint touch_before(const SubStep* s, const Pair* pair, const SubBody* a, const SubBody* b,
                       Touch* out) noexcept nogil:
    """Of two shapes that overlap by rounding though none of their contacts says so, as those of
    rims may be: the contact of the points that were nearest just before; whether there is one."""
    cdef Sweep sa = sweep_of(a), sb = sweep_of(b)
    cdef Pose pa, pb
    cdef double speed = a.speed + b.speed, back = s.ctx.tol.closed
    cdef const Touch* at
    cdef int32_t k
    for k in range(pair.first, pair.first + pair.n):
        at = &s.ctx.contacts[k].at
        # what has just met and opens is not deep
        if at.gap <= s.ctx.tol.touch and (
                at.gap >= -s.ctx.tol.touch or closing_at(a, b, at) >= -s.threshold):
            return False
    while speed > 0.0 and back <= MOST_BACK * s.ctx.tol.closed:
        pa, pb = sweep_pose(&sa, -back / speed), sweep_pose(&sb, -back / speed)
        if touch_nearest(s, pair, &pa, &pb, out):
            refresh(out, &a.pose, &b.pose)
            return True
        back *= 4.0
    return False
