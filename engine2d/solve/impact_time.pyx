"""Times of impact; impact_time.pxd has the contract, docs/maths/fixed_step.md why."""

from libc.math cimport INFINITY, fabs

from enginecore.scalar cimport greater
from engine2d.collide.facing cimport (
    are_apart, corners_face, faces, find_nearest, has_outline, time_to_meet)
from engine2d.collide.narrow_phase cimport Touch, refresh
from engine2d.collide.time_of_impact cimport Sweep
from engine2d.contact cimport ON_AHEAD, VOID, Contact
from engine2d.pose cimport Pose, to_world
from engine2d.solve.sub_step cimport SubBody, own_time, pose_at
from engine2d.vec2 cimport Vec2, add, dot, scaled, sub, vec2

# m and s: where the search for a time of impact ends.
cdef double SEARCH_END = 1e-13
cdef double NO_TIME = 1e-15
# Share of the sub-step by which an impact may come later than it was predicted.
cdef double LATER = 0.02
# Share of the step: what was predicted for the very begin of a piece is there already.
cdef double AT_ONCE = 1e-6
# m, times the unit: how far behind two corners that meet the edges beside them are looked for.
cdef double BEHIND = 1e-6
# m, times the unit: what is no higher above a floor is carried by it. Cosine of the angle at which
# floors go on from each other, at most.
cdef double CARRIED = 1e-3
cdef double GOES_ON = 0.9
cdef enum:
    SEARCH_STEPS = 8


cdef void approach_at(SubStep* s, SubContact* m, double t, double* gap,
                      double* rate) noexcept nogil:
    """Refresh the contact at time t: its gap, and the rate at which that opens."""
    cdef const SubBody* a = &s.bodies[m.a]
    cdef const SubBody* b = &s.bodies[m.b]
    cdef Contact* c = &s.ctx.contacts[m.contact]
    cdef Pose pa = pose_at(a, t), pb = pose_at(b, t)
    cdef Vec2 va, vb
    refresh(&c.at, &pa, &pb)
    m.fresh = False
    va = point_velocity(a, &pa, t, c.at.point)
    vb = point_velocity(b, &pb, t, c.at.point)
    gap[0] = c.at.gap
    rate[0] = dot(c.at.normal, sub(va, vb))


cdef inline Vec2 point_velocity(const SubBody* body, const Pose* pose, double t,
                                Vec2 point) noexcept nogil:
    """Velocity at time t of the body's point that is at `point` then."""
    cdef Vec2 r = sub(point, to_world(pose, body.local_center))
    cdef double w
    t = own_time(body, t)
    w = body.w + body.alpha * t
    return vec2(body.v.x + body.a.x * t - w * r.y, body.v.y + body.a.y * t + w * r.x)


cdef inline double most_speed(const SubBody* body, double h) noexcept nogil:
    """m/s: no point of it is faster within the sub-step."""
    return body.speed + h * (fabs(body.a.x) + fabs(body.a.y)
                             + fabs(body.alpha) * body.bounding_radius)


cdef void find_impact(SubStep* s, SubContact* m) noexcept nogil:
    """Write when the contact closes, and how fast; time < 0 where it does not, or only slowly.

    Features end: what closes beyond them is nothing, or something else that the pair meets later.
    """
    s.ctx.contacts[m.contact].is_void = VOID if m.hidden else 0
    if m.hidden:
        m.time = -1.0
        m.halts = False
        return
    find_closing(s, m)
    if m.time < 0.0:
        look_past_corner(s, m)
    elif not m.halts and m.approach > least_approach(s, m):
        look_whether_there(s, m)


cdef void look_whether_there(SubStep* s, SubContact* m) noexcept nogil:
    """Whether what closes at m.time is there. If not, and the pair meets later in the sub-step, the
    piece ends there: its features are looked for anew. If it does not, the contact is void."""
    cdef Contact* c = &s.ctx.contacts[m.contact]
    cdef Pose pa, pb
    cdef double t = m.time
    # what was predicted was looked for
    if not 0.0 <= c.toi <= s.start + t + LATER * s.h:
        pa, pb = pose_at(&s.bodies[m.a], t), pose_at(&s.bodies[m.b], t)
        refresh(&c.at, &pa, &pb)
        m.fresh = False
        if not faces(s.ctx, c, &pa, &pb) or are_apart(s.ctx, c, s.ctx.tol.touch, &pa, &pb):
            if c.flags & ON_AHEAD and is_carried(s, m):
                # it comes there along the piece of the floor before this one
                if s.may_cut and s.start + t > AT_ONCE * s.ctx.dt:
                    m.halts = True
            else:
                meet_later(s, m, t)
            return
    if c.at.r1 == 0.0 and c.at.r2 == 0.0:
        look_behind_corners(s, m, t)


cdef bint is_carried(const SubStep* s, const SubContact* m) noexcept nogil:
    """Whether what comes on to an edge that cannot be pushed is on another one of hardly another
    direction."""
    cdef const SubContact* other
    cdef const Contact* c = &s.ctx.contacts[m.contact]
    cdef const Contact* by
    cdef int mover = m.a if s.bodies[m.a].movable else m.b, k
    cdef double same
    for k in range(s.n_contacts):
        other = &s.contacts[k]
        by = &s.ctx.contacts[other.contact]
        if (by.pair == c.pair or other.hidden or (other.a != mover and other.b != mover)
                or (s.bodies[other.a].movable and s.bodies[other.b].movable)
                or by.at.gap > CARRIED * s.ctx.unit):
            continue
        same = dot(by.at.normal, c.at.normal)
        if (same if (other.a == mover) == (m.a == mover) else -same) > GOES_ON:
            return True
    return False


cdef void look_behind_corners(SubStep* s, SubContact* m, double t) noexcept nogil:
    """Two corners that meet at time t pass each other in no time, whatever line joins them then:
    what strikes is the edge beside one of them that is met right after it."""
    cdef Contact* c = &s.ctx.contacts[m.contact]
    cdef Touch behind
    cdef Pose pa, pb
    cdef double gap, rate
    cdef double fastest = most_speed(&s.bodies[m.a], s.h) + most_speed(&s.bodies[m.b], s.h)
    t += BEHIND * s.ctx.unit / fastest
    pa, pb = pose_at(&s.bodies[m.a], t), pose_at(&s.bodies[m.b], t)
    if find_nearest(s.ctx, c, &pa, &pb, &behind) and behind.gap < 0.0:
        c.at = behind
        approach_at(s, m, m.time, &gap, &rate)
        m.approach = -rate


cdef void look_past_corner(SubStep* s, SubContact* m) noexcept nogil:
    """The gap of two corners never closes: once their normals are past, edges beside them may."""
    cdef Contact* c = &s.ctx.contacts[m.contact]
    cdef double begin = greater(s.bodies[m.a].consumed, s.bodies[m.b].consumed), gap, rate, t
    cdef Pose pa, pb
    if c.at.r1 != 0.0 or c.at.r2 != 0.0 or begin >= s.h:
        return
    approach_at(s, m, begin, &gap, &rate)
    if gap > (most_speed(&s.bodies[m.a], s.h) + most_speed(&s.bodies[m.b], s.h)) * (s.h - begin):
        return
    pa, pb = pose_at(&s.bodies[m.a], s.h), pose_at(&s.bodies[m.b], s.h)
    refresh(&c.at, &pa, &pb)
    if corners_face(s.ctx, c, &pa, &pb):
        return
    meet_later(s, m, begin)
    if m.time < 0.0 and c.is_void != VOID and s.may_cut and has_outline(s.ctx, c):
        # they touch elsewhere, which hides what they meet next: it is looked for where the two
        # corners are nearest
        t = nearest_time(s, m, begin)
        if begin + AT_ONCE * s.ctx.dt < t < s.h:
            m.time = t
            m.approach = 0.0
            m.halts = True


cdef void meet_later(SubStep* s, SubContact* m, double t) noexcept nogil:
    """A contact whose features are not what its pair meets after time t: it halts where that
    happens, to be looked at again, or is void. One that touches now is struck as it is, if it
    closes, unless it was looked at before this time."""
    cdef Contact* c = &s.ctx.contacts[m.contact]
    cdef Sweep wa = motion_at(&s.bodies[m.a], t), wb = motion_at(&s.bodies[m.b], t)
    cdef double later = time_to_meet(s.ctx, c, &wa, &wb, s.h - t)
    if later == 0.0:
        if s.may_cut and m.time >= 0.0 and s.start + t > AT_ONCE * s.ctx.dt:
            m.halts = True
        return
    m.time = -1.0
    c.is_void = VOID
    if later > 0.0 and s.may_cut:
        m.time = t + later
        m.approach = 0.0
        m.halts = True


cdef inline Sweep motion_at(const SubBody* body, double t) noexcept nogil:
    """Straight on from time t."""
    cdef Sweep out
    cdef bint waits = body.waits and t >= body.consumed
    t = own_time(body, t)
    out.center = add(body.x, add(scaled(t, body.v), scaled(0.5 * t * t, body.a)))
    out.local_center = body.local_center
    out.angle = body.angle + body.w * t + 0.5 * body.alpha * t * t
    out.v = vec2(0.0, 0.0) if waits else add(body.v, scaled(t, body.a))
    out.w = 0.0 if waits else body.w + body.alpha * t
    return out


cdef void find_closing(SubStep* s, SubContact* m) noexcept nogil:
    """As find_impact, as if features had no ends."""
    cdef const SubBody* a = &s.bodies[m.a]
    cdef const SubBody* b = &s.bodies[m.b]
    cdef double begin = greater(a.consumed, b.consumed)
    cdef double fastest = most_speed(a, s.h) + most_speed(b, s.h)
    cdef double gap, rate, late_gap, late_rate, late
    m.time = -1.0
    m.halts = False
    # bounds first: most contacts are at rest or too far away
    if fastest <= least_approach(s, m):
        return
    approach_at(s, m, begin, &gap, &rate)
    m.approach = -rate
    if gap < -s.ctx.tol.touch and is_to_come(s, m, begin):
        # it pushes nothing yet
        s.ctx.contacts[m.contact].is_void = VOID
        gap = INFINITY
    # a blow at the very end of the sub-step is passed on, too
    if rate < 0.0 and (gap <= 0.0 or (begin >= s.h and gap <= SEARCH_END * s.ctx.unit)):
        m.time = begin
        return
    if begin >= s.h:
        return
    if find_speculative(s, m, begin, gap):
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


cdef bint is_to_come(SubStep* s, const SubContact* m, double t) noexcept nogil:
    """Whether a contact that is up to date at time t was predicted for later, and its shapes are
    apart: what will meet the inside of an arc may be beyond it now."""
    cdef const Contact* c = &s.ctx.contacts[m.contact]
    cdef Pose pa, pb
    if not c.toi > s.start + t:
        return False
    pa, pb = pose_at(&s.bodies[m.a], t), pose_at(&s.bodies[m.b], t)
    return are_apart(s.ctx, c, s.ctx.tol.touch, &pa, &pb)


cdef bint find_speculative(SubStep* s, SubContact* m, double begin, double gap) noexcept nogil:
    """The impact of a fast pair where and when it was predicted, if that is in this sub-step.

    What was predicted left accelerations out. Where nothing closes fast after all, the bodies halt:
    farther on they would meet what nobody has looked for.
    """
    cdef double t = s.ctx.contacts[m.contact].toi - s.start, late, late_gap, rate
    cdef double low = begin, low_gap = gap
    if begin - LATER * s.h <= t < begin:
        # it comes a little later than predicted: not in the last sub-step any more
        t = begin
    if s.ctx.contacts[m.contact].toi < 0.0 or not begin <= t < s.h:
        return False
    approach_at(s, m, t, &late_gap, &rate)
    late = t
    if rate < 0.0 and late_gap > 0.0:
        low, low_gap = t, late_gap
        late = t - 2.0 * late_gap / rate
        if late < s.h and late - t <= LATER * s.h:
            approach_at(s, m, late, &late_gap, &rate)
    if late_gap <= 0.0 and low_gap == INFINITY:
        m.time = t
        m.approach = -rate
    elif late_gap <= 0.0 < low_gap and late < s.h:
        search(s, m, low, low_gap, late, late_gap)
    if m.time < 0.0 or not m.approach > least_approach(s, m):
        if s.may_cut and (s.start + t <= AT_ONCE * s.ctx.dt
                          or (gap <= s.ctx.tol.touch and s.start + t <= LATER * s.duration)
                          or not has_outline(s.ctx, &s.ctx.contacts[m.contact])):
            # what is met slowly, touches or was looked at just now is held by its rows: it does not
            # halt
            m.time = -1.0
            return False
        m.time = t
        m.approach = 0.0
        m.halts = True
    return True


cdef double nearest_time(const SubStep* s, const SubContact* m, double begin) noexcept nogil:
    """When two circles are nearest if they go straight; `begin` for other contacts."""
    cdef const SubBody* a = &s.bodies[m.a]
    cdef const SubBody* b = &s.bodies[m.b]
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


cdef void search(SubStep* s, SubContact* m, double low, double low_gap, double high,
                 double high_gap) noexcept nogil:
    """Newton between two times, one with a gap and one without; bisection where it leaves them."""
    cdef double t = low + (high - low) * low_gap / (low_gap - high_gap), gap, rate, guess
    cdef int _step
    for _step in range(SEARCH_STEPS):
        approach_at(s, m, t, &gap, &rate)
        if fabs(gap) < SEARCH_END * s.ctx.unit:
            break
        if gap > 0.0:
            low = t
        else:
            high = t
        guess = t - gap / rate if rate < 0.0 else -1.0
        if not (low < guess < high):
            guess = 0.5 * (low + high)
        if fabs(guess - t) < NO_TIME * s.ctx.root:
            break
        t = guess
    approach_at(s, m, t, &gap, &rate)
    m.time = t
    m.approach = -rate
