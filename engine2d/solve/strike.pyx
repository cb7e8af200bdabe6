"""Stage impact of small islands; strike.pxd has the contract, docs/maths/fixed_step.md why."""

from libc.math cimport INFINITY, atan2, cos, fabs, sin, sqrt
from libc.string cimport memcpy, memset
from libc.stdint cimport int32_t

from enginecore.scalar cimport greater
from engine2d.body cimport Motion
from engine2d.collide.facing cimport has_outline
from engine2d.contact cimport FAST, ON_AHEAD, Contact
from engine2d.solve.books cimport Books, blow_work
from engine2d.solve.energy cimport inverse
from engine2d.solve.hit cimport mark_struck
from engine2d.impact cimport ImpactBody, ImpactInput, ImpactOutput
from engine2d.impact cimport strike as strike_point
from engine2d.joint.link cimport position_rows
from engine2d.pose cimport Pose, to_world
from engine2d.solve.impact_time cimport approach_at, find_impact, least_approach
from engine2d.solve.press cimport has_thrown, is_jammed, let_stand, press_speed
from engine2d.solve.row cimport INSIDE, Row
from engine2d.solve.rule cimport boost_of, drive_of, kick
from engine2d.solve.solver_direct cimport solve_rows
from engine2d.solve.sub_step cimport (
    LEAST_APPROACH, MOST_GROUPED, SubBody, SubContact, own_time, place_frame, pose_at, spin_at,
    velocity_at)
from engine2d.vec2 cimport Vec2, add, cross, dot, length, scaled, sub, turn, vec2

# Two normals are parallel, and faces are flat on each other, to this cosine.
cdef double FLAT_ON_COSINE = 1.0 - 1e-5
# Share of the sub-step within which two impacts are at the same time; share of a speed likewise.
cdef double BLOW_ROUNDING = 1e-12     # of the energy of a blow
cdef double SAME_TIME = 1e-9
cdef double SAME_SPEED = 1e-12
# Share of its free way: strikes that bend a body's way by less do not end a piece. Where two turn
# against each other without gravity, blows of 1e-10 m/s did, until rounds ran out.
cdef double HARDLY_BENT = 1e-3
# Share of its free way that what struck a body which waits may go on.
cdef double TOGETHER = 0.08
# Share of the mean: joints let a contact yield at least so much in every direction.
cdef double LEAST_YIELD = 1e-9
cdef enum:
    LEAST_STRIKES = 20         # of an island in a sub-step, and so many more per contact
    STRIKES_PER_CONTACT = 10


# The contacts of one strike, seen as contacts of two bodies with one normal.
cdef struct Group:
    int count
    int members[MOST_GROUPED]      # sub-step contacts
    Vec2 points[MOST_GROUPED]      # m
    double share[MOST_GROUPED]     # of the impulse, sum 1
    Vec2 normal


cdef void run_strikes(SubStep* s) noexcept nogil:
    cdef double speed = 0.0, work = s.work
    cdef Books books
    if s.ctx.has_drivers and s.n_contacts > 0:
        speed = press_speed(s)
    if not speed > LEAST_APPROACH * s.ctx.root:
        strike_all(s)
        return
    save(s)
    books = s.ctx.books
    if strike_all(s) > LEAST_STRIKES and has_thrown(s, speed):
        # there is no room, or the gap narrows to none: what is pressed waits for the press
        s.work = work
        s.ctx.books = books
        take_back(s)
        let_stand(s)
        strike_all(s)


cdef void save(SubStep* s) noexcept nogil:
    """Keep what strikes change."""
    cdef SubContact* m
    cdef const Contact* c
    cdef int k
    memcpy(s.saved, s.bodies, s.n_bodies * sizeof(SubBody))
    for k in range(s.n_contacts):
        m = &s.contacts[k]
        c = &s.ctx.contacts[m.contact]
        m.sum_n, m.sum_t, m.hit, m.toi = c.sum_n, c.sum_t, c.hit, c.toi
        if c.hit > 0:
            m.blow = s.ctx.hits.hits[c.hit - 1]
        m.flags = c.flags


cdef void take_back(SubStep* s) noexcept nogil:
    """As if there had been no strikes."""
    cdef SubContact* m
    cdef Contact* c
    cdef int k
    memcpy(s.bodies, s.saved, s.n_bodies * sizeof(SubBody))
    for k in range(s.n_contacts):
        m = &s.contacts[k]
        m.fresh = m.ready = False
        c = &s.ctx.contacts[m.contact]
        c.sum_n, c.sum_t, c.hit, c.toi = m.sum_n, m.sum_t, m.hit, m.toi
        if c.hit > 0:
            s.ctx.hits.hits[c.hit - 1] = m.blow
        c.flags = m.flags


cdef int strike_all(SubStep* s) noexcept nogil:
    """Strike until nothing closes; returns how many strikes that took."""
    cdef int count = 0
    cdef int k, next_one, left = LEAST_STRIKES + STRIKES_PER_CONTACT * s.n_contacts
    cdef SubContact* m
    cdef bint any_close = False, at_once = False
    s.cut = -1.0
    for k in range(s.n_contacts):
        find_impact(s, &s.contacts[k])
        any_close = any_close or s.contacts[k].time >= 0.0
    while any_close:
        next_one = choose(s)
        if next_one < 0:
            return count
        m = &s.contacts[next_one]
        if s.cut >= 0.0 and m.time > s.cut + SAME_TIME * s.h:
            # the piece ends before: what comes then is looked for anew
            return count
        if left == 0:
            s.ctx.counters.strike_limit += 1
            if at_once:
                # what is left is resting contact's problem
                return count
            at_once = True
            left = LEAST_STRIKES + s.n_contacts
            strike_at_once(s, m.time)
            if s.may_cut and s.cut < 0.0 and not s.jammed and are_bent(s, m.time):
                s.cut = m.time
            for k in range(s.n_contacts):
                s.ctx.contacts[s.contacts[k].contact].toi = -1.0
                find_impact(s, &s.contacts[k])
            continue
        left -= 1
        count += 1
        if m.halts and s.may_cut:
            # nobody's way is changed: the piece ends here, and all is looked at again
            if s.cut < 0.0:
                s.cut = m.time
            m.time = -1.0
            continue
        if m.halts:
            halt(s, m)
        else:
            strike_group(s, m, m.time)
        if s.may_cut and s.cut < 0.0 and (must_wait(&s.bodies[m.a]) or must_wait(&s.bodies[m.b])):
            s.cut = m.time
        for k in range(s.n_contacts):
            if s.n_links > 0 or shares_movable(s, m, &s.contacts[k]):
                # what was predicted was for the old way
                s.ctx.contacts[s.contacts[k].contact].toi = -1.0
                find_impact(s, &s.contacts[k])
    return count


cdef inline bint must_wait(const SubBody* body) noexcept nogil:
    """Whether a body goes no farther before it is looked at again."""
    return body.waits and not body.through


cdef bint are_bent(const SubStep* s, double t) noexcept nogil:
    """Whether strikes of this piece bend some body's way."""
    cdef int k
    for k in range(s.n_movable):
        if not s.bodies[k].through and is_bent(s, &s.bodies[k], t, HARDLY_BENT):
            return True
    return False


cdef int choose(const SubStep* s) noexcept nogil:
    """The earliest impact, of several at once the fastest, of these the first; -1: none."""
    cdef int k, best = -1
    cdef const SubContact* m
    cdef const SubContact* b
    for k in range(s.n_contacts):
        m = &s.contacts[k]
        if m.time < 0.0 or not (m.halts
                                or m.approach > least_approach(s, m)):
            continue
        if best >= 0:
            b = &s.contacts[best]
            if m.time > b.time + SAME_TIME * s.h:
                continue
            if m.time >= b.time - SAME_TIME * s.h and m.approach <= b.approach * (1 + SAME_SPEED):
                continue
        best = k
    return best


cdef inline bint shares_movable(const SubStep* s, const SubContact* m,
                                const SubContact* o) noexcept nogil:
    if s.bodies[m.a].movable and (o.a == m.a or o.b == m.a):
        return True
    return s.bodies[m.b].movable and (o.a == m.b or o.b == m.b)


cdef void halt(SubStep* s, SubContact* m) noexcept nogil:
    """Stop the fast ones of two bodies where they are, for the rest of the step."""
    cdef SubBody* body
    cdef int k
    for k in range(2):
        body = &s.bodies[m.b if k else m.a]
        if body.movable and not body.through and is_fast(s, body, m.time):
            body.consumed = m.time
            body.waits = True
            body.carried_by = who_carries(s, m.a if k else m.b)


cdef inline int32_t who_carries(const SubStep* s, int32_t other) noexcept nogil:
    """Whom a body that met another goes along with while it waits: what cannot wait for it. Two
    movable ones both wait: to be carried would cost energy."""
    return -1 if s.bodies[other].movable else other


cdef inline bint is_fast(const SubStep* s, const SubBody* body, double t) noexcept nogil:
    """Whether a body goes too far after time t to know what it meets."""
    return way_on(s, body, t) > body.free_way


cdef inline bint is_bent(const SubStep* s, const SubBody* body, double t,
                         double share) noexcept nogil:
    """Whether strikes of this piece bend a body's way after time t by more than a share of what it
    may go blindly."""
    return body.struck_dv * (s.duration - s.start - t) > share * body.free_way


cdef inline double way_on(const SubStep* s, const SubBody* body, double t) noexcept nogil:
    """m, that points of a body can go after time t in what is left of the piece."""
    return (length(body.v) + fabs(body.w) * body.swept_radius) * (s.duration - s.start - t)


# ------------------------------------------------------------------------------------- the strike

cdef inline int identity(const SubStep* s, int sub_body) noexcept nogil:
    """Which body it is; all that stand still for good are one."""
    cdef const SubBody* body = &s.bodies[sub_body]
    if body.movable or body.v.x != 0.0 or body.v.y != 0.0 or body.w != 0.0:
        return sub_body
    return -1


cdef void gather_group(SubStep* s, SubContact* struck, double t, Group* out) noexcept nogil:
    """The struck contact, and those of the same two bodies that close with it as one face."""
    cdef Contact* c = &s.ctx.contacts[struck.contact]
    cdef Contact* other
    cdef SubContact* m
    cdef int a = identity(s, struck.a), b = identity(s, struck.b), x, y, k
    cdef double gap, rate, cosine, near
    approach_at(s, struck, t, &gap, &rate)
    out.count = 1
    out.members[0] = <int>(struck - s.contacts)
    out.points[0] = c.at.point
    out.share[0] = 1.0
    out.normal = c.at.normal
    for k in range(s.n_contacts):
        m = &s.contacts[k]
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
        if gap <= near and (cosine if x == a and y == b else -cosine) > FLAT_ON_COSINE:
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


cdef void load_body(const SubBody* body, double t, ImpactBody* out) noexcept nogil:
    out.inv_m, out.inv_I = body.inv_m, body.inv_I
    out.v = vec2(body.v.x + body.a.x * t, body.v.y + body.a.y * t)
    out.w = body.w + body.alpha * t


cdef inline double closing_speed(const ImpactInput* given) noexcept nogil:
    cdef const ImpactBody* a = &given.a
    cdef const ImpactBody* b = &given.b
    cdef Vec2 u = vec2(a.v.x - a.w * a.r.y - b.v.x + b.w * b.r.y,
                       a.v.y + a.w * a.r.x - b.v.y - b.w * b.r.x)
    return -dot(u, given.f)


cdef void strike_group(SubStep* s, SubContact* struck, double t) noexcept nogil:
    """Strike a contact, and what closes with it, at time t."""
    cdef SubBody* a = &s.bodies[struck.a]
    cdef SubBody* b = &s.bodies[struck.b]
    cdef Contact* c = &s.ctx.contacts[struck.contact]
    cdef Pose pa = pose_at(a, t), pb = pose_at(b, t)
    cdef Vec2 xa = to_world(&pa, a.local_center), xb = to_world(&pb, b.local_center), center
    cdef Group group
    cdef ImpactInput given
    cdef ImpactOutput out
    cdef double drive, work = s.work
    cdef bint blind = is_blind(s, c)
    gather_group(s, struck, t, &group)
    given.e, given.mu, given.f = c.e, c.mu, group.normal
    load_body(a, own_time(a, t), &given.a)
    load_body(b, own_time(b, t), &given.b)
    # the surface that is struck may run
    drive = drive_of(s.ctx, c, given.f)
    given.a.v = add(given.a.v, scaled(drive, vec2(-given.f.y, given.f.x)))
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
    if c.flags & ON_AHEAD and closing_speed(&given) <= s.threshold:
        given.e = 0.0
        a.turned_on = b.turned_on = True
    if is_linked(s, struck):
        strike_linked(s, struck, t, &given, &group)
        return
    strike_point(&given, &out)
    s.ctx.books.impacts += blow_work(&given, &out)
    if s.ctx.has_rules:
        s.work += kick(&given, boost_of(s.ctx, c), &out)
        if a.movable:
            s.work -= drive * cross(given.f, out.p)
    s.ctx.counters.strikes += 1
    note_strike(s, &group, &given, out.p)
    book_work(s, struck, &given, out.p)
    s.ctx.books.driven += s.work - work
    bend_way(s, a, struck.b, sub(out.vA, given.a.v), out.wA - given.a.w, own_time(a, t), blind)
    bend_way(s, b, struck.a, sub(out.vB, given.b.v), out.wB - given.b.w, own_time(b, t), blind)
    catch_up(s, a, b, sub(out.vA, given.a.v), out.wA - given.a.w, t)
    catch_up(s, b, a, sub(out.vB, given.b.v), out.wB - given.b.w, t)
    wait_together(s, a, b, t)
    wait_together(s, b, a, t)


cdef bint is_linked(const SubStep* s, const SubContact* m) noexcept nogil:
    """Whether a joint holds one of the two bodies of a contact."""
    cdef int k
    for k in range(s.n_links):
        if (s.links[k].a == m.a or s.links[k].a == m.b or s.links[k].b == m.a
                or s.links[k].b == m.b):
            return True
    return False


cdef void strike_linked(SubStep* s, SubContact* struck, double t, const ImpactInput* given,
                        const Group* group) noexcept nogil:
    """Strike a contact whose bodies joints hold: all that they hold feels the blow with them.

    K = J P Jt, P the inverse masses without what rigid joints forbid, is found by two solves. A
    body with that K at its contact, struck against a wall, gives the impulse.
    """
    cdef ImpactInput alike
    cdef ImpactOutput out
    cdef double[4] K
    cdef const double* felt
    cdef double work = s.work
    cdef int k
    for k in range(s.n_contacts):
        s.contacts[k].ready = False
    hold_joints(s, t)
    feel_impulse(s, struck, given, 0, &K[0])
    feel_impulse(s, struck, given, 1, &K[2])
    if not make_alike(given, K, &alike):
        return
    strike_point(&alike, &out)
    s.ctx.books.impacts += blow_work(&alike, &out)
    s.ctx.counters.strikes += 1
    note_strike(s, group, given, out.p)
    book_work(s, struck, given, out.p)
    s.ctx.books.driven += s.work - work
    for k in range(s.n_movable):
        felt = s.riders[k].felt
        if k == struck.a or k == struck.b or felt[0] != 0.0 or felt[1] != 0.0 or felt[2] != 0.0 \
                or felt[3] != 0.0 or felt[4] != 0.0 or felt[5] != 0.0:
            bend_way(s, &s.bodies[k], struck.a if k == struck.b else struck.b,
                     vec2(out.p.x * felt[0] + out.p.y * felt[3],
                          out.p.x * felt[1] + out.p.y * felt[4]),
                     out.p.x * felt[2] + out.p.y * felt[5], own_time(&s.bodies[k], t),
                     is_blind(s, &s.ctx.contacts[struck.contact]))


cdef void hold_joints(SubStep* s, double t) noexcept nogil:
    """Rows of the rigid joints at time t: they must not move."""
    cdef int k, i
    cdef Pose pose
    cdef Row* row
    for k in range(s.n_bodies):
        pose = pose_at(&s.bodies[k], t)
        s.riders[k].start.q, s.riders[k].start.center = pose.q, s.bodies[k].local_center
        s.riders[k].start.x = to_world(&pose, s.bodies[k].local_center)
        s.riders[k].start.angle = s.bodies[k].angle
    position_rows(s.links, s.n_links, s.riders, s.rows)
    for k in range(s.n_link_rows):
        row = &s.rows[2 * s.n_contacts + k]
        row.bias = 0.0
        if row.lo == 0.0:
            for i in range(3):
                row.ja[i] = row.jb[i] = 0.0


cdef void feel_impulse(SubStep* s, const SubContact* struck, const ImpactInput* given, int axis,
                       double* K) noexcept nogil:
    """What a unit impulse along x or y at the contact, on A and back on B, gives to all bodies, and
    to the velocity of A against B there (m/s per N s)."""
    cdef Vec2 p = vec2(0.0, 1.0) if axis else vec2(1.0, 0.0)
    cdef Motion* a = &s.motions[struck.a]
    cdef Motion* b = &s.motions[struck.b]
    cdef int k
    for k in range(s.n_bodies):
        s.motions[k].v = vec2(0.0, 0.0)
        s.motions[k].w = 0.0
        s.motions[k].inv_m, s.motions[k].inv_I = s.bodies[k].inv_m, s.bodies[k].inv_I
    for k in range(s.n_link_rows):
        s.rows[2 * s.n_contacts + k].p = 0.0
    a.v, a.w = scaled(a.inv_m, p), a.inv_I * cross(given.a.r, p)
    b.v, b.w = scaled(-b.inv_m, p), -b.inv_I * cross(given.b.r, p)
    solve_rows(&s.rows[2 * s.n_contacts], s.n_link_rows, s.motions, s.n_bodies, 0.0, s.direct,
               &s.ctx.counters)
    for k in range(s.n_bodies):
        s.riders[k].felt[3 * axis] = s.motions[k].v.x
        s.riders[k].felt[3 * axis + 1] = s.motions[k].v.y
        s.riders[k].felt[3 * axis + 2] = s.motions[k].w
    K[0] = a.v.x - a.w * given.a.r.y - b.v.x + b.w * given.b.r.y
    K[1] = a.v.y + a.w * given.a.r.x - b.v.y - b.w * given.b.r.x


cdef bint make_alike(const ImpactInput* given, const double* K, ImpactInput* out) noexcept nogil:
    """A body whose contact yields as K says, against a wall at rest; False if nothing yields.

    K = low (1) + (high - low) e et: a mass 1/low, and an inertia on an arm of 1 m across e.
    """
    cdef double mean = 0.5 * (K[0] + K[3]), diff = 0.5 * (K[0] - K[3])
    cdef double off = 0.5 * (K[1] + K[2]), radius = sqrt(diff * diff + off * off), angle
    cdef const ImpactBody* a = &given.a
    cdef const ImpactBody* b = &given.b
    if not mean > 0.0:
        return False
    angle = 0.5 * atan2(off, diff)
    memset(out, 0, sizeof(ImpactInput))
    out.e, out.mu, out.f = given.e, given.mu, given.f
    out.a.inv_m = greater(mean - radius, LEAST_YIELD * mean)
    out.a.inv_I = mean + radius - out.a.inv_m
    out.a.r = vec2(sin(angle), -cos(angle))
    out.a.v = vec2(a.v.x - a.w * a.r.y - b.v.x + b.w * b.r.y,
                   a.v.y + a.w * a.r.x - b.v.y - b.w * b.r.x)
    return True


cdef void wait_together(const SubStep* s, const SubBody* waiting, SubBody* body,
                        double t) noexcept nogil:
    """What would go on into a body that waits, waits too."""
    if (must_wait(waiting) and waiting.movable and body.movable and not body.waits
            and way_on(s, body, t) > TOGETHER * waiting.free_way):
        body.waits = True
        body.carried_by = -1


# ------------------------------------------------------------------------------------- all at once

cdef void strike_at_once(SubStep* s, double t) noexcept nogil:
    """Strike all contacts that are closed at time t as one problem without restitution: where blow
    after blow between the same bodies leads to. It cannot gain energy."""
    cdef SubContact* m
    cdef SubBody* body
    cdef Contact* c
    cdef double gap, rate
    cdef int k, i, count = 0
    for k in range(s.n_bodies):
        body = &s.bodies[k]
        s.motions[k].v, s.motions[k].w = velocity_at(body, t), spin_at(body, t)
        s.motions[k].inv_m, s.motions[k].inv_I = body.inv_m, body.inv_I
    for k in range(s.n_contacts):
        m = &s.contacts[k]
        m.ready = False
        approach_at(s, m, t, &gap, &rate)
        m.time = -1.0
        if gap <= s.ctx.tol.touch and not s.ctx.contacts[m.contact].is_void:
            m.time = t
            fill_rows_at(s, m, t, 2 * count)
            count += 1
    solve_rows(s.rows, 2 * count, s.motions, s.n_bodies, 0.0, s.direct, &s.ctx.counters)
    if is_jammed(s, 2 * count):
        let_stand(s)
        for k in range(s.n_bodies):
            s.motions[k].v, s.motions[k].w = velocity_at(&s.bodies[k], t), spin_at(&s.bodies[k], t)
        for k in range(2 * count):
            s.rows[k].p = 0.0
        solve_rows(s.rows, 2 * count, s.motions, s.n_bodies, 0.0, s.direct, &s.ctx.counters)
    limit_blow(s, 2 * count, t)
    # to the contacts, and the bodies that felt something
    i = 0
    for k in range(s.n_contacts):
        m = &s.contacts[k]
        if m.time < 0.0:
            continue
        c = &s.ctx.contacts[m.contact]
        c.sum_n += s.rows[2 * i].p
        c.sum_t += s.rows[2 * i + 1].p
        if s.rows[2 * i].p > 0.0:
            mark_struck(s.ctx.hits, c, 0.0, c.at.point, c.at.normal)
            take_velocity(s, m.a, m.b, t)
            take_velocity(s, m.b, m.a, t)
        i += 1


cdef void fill_rows_at(SubStep* s, const SubContact* m, double t, int first) noexcept nogil:
    """Rows of a contact that is up to date at time t, between its sub-step bodies."""
    cdef const Contact* c = &s.ctx.contacts[m.contact]
    cdef Pose pa = pose_at(&s.bodies[m.a], t), pb = pose_at(&s.bodies[m.b], t)
    fill_contact_rows(s.rows, first, c.at.point, c.at.normal,
                      to_world(&pa, s.bodies[m.a].local_center),
                      to_world(&pb, s.bodies[m.b].local_center), c.mu)
    s.rows[first].a = s.rows[first + 1].a = m.a
    s.rows[first].b = s.rows[first + 1].b = m.b


cdef void take_velocity(SubStep* s, int32_t k, int32_t other, double t) noexcept nogil:
    """Bend a body's way at time t to the velocity in s.motions."""
    cdef SubBody* body = &s.bodies[k]
    cdef Vec2 dv = sub(s.motions[k].v, velocity_at(body, t))
    cdef double dw = s.motions[k].w - spin_at(body, t)
    bend_way(s, body, other, dv, dw, own_time(body, t), False)
    catch_up(s, body, &s.bodies[other], dv, dw, t)


cdef void limit_blow(SubStep* s, int n_rows, double t) noexcept nogil:
    """Where nothing solved the rows of a blow it might gain energy: then all impulses count less.
    Books the work of kinematic bodies."""
    cdef double b = 0.0, q = 0.0, work = 0.0, m, inertia, share = 1.0
    cdef const SubBody* body
    cdef const Row* row
    cdef Vec2 dv
    cdef double dw
    cdef int k
    for k in range(s.n_movable):
        body = &s.bodies[k]
        m, inertia = inverse(body.inv_m), inverse(body.inv_I)
        dv = sub(s.motions[k].v, velocity_at(body, t))
        dw = s.motions[k].w - spin_at(body, t)
        b += m * dot(velocity_at(body, t), dv) + inertia * spin_at(body, t) * dw
        q += m * dot(dv, dv) + inertia * dw * dw
    for k in range(n_rows):
        row = &s.rows[k]
        if not s.bodies[row.a].movable:
            body = &s.bodies[row.a]
            work -= row.p * (row.ja[0] * body.v.x + row.ja[1] * body.v.y + row.ja[2] * body.w)
        if not s.bodies[row.b].movable:
            body = &s.bodies[row.b]
            work -= row.p * (row.jb[0] * body.v.x + row.jb[1] * body.v.y + row.jb[2] * body.w)
    b -= work
    if q > 0.0 and b + 0.5 * q > BLOW_ROUNDING * q:
        s.ctx.counters.energy_limits += 1
        share = -b / q if b < 0.0 else 0.0
        for k in range(s.n_movable):
            body = &s.bodies[k]
            dv, dw = velocity_at(body, t), spin_at(body, t)
            s.motions[k].v = add(dv, scaled(share, sub(s.motions[k].v, dv)))
            s.motions[k].w = dw + share * (s.motions[k].w - dw)
        for k in range(n_rows):
            s.rows[k].p *= share
    s.work += share * work
    s.ctx.books.impacts += share * (b + 0.5 * share * q)
    s.ctx.books.driven += share * work


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
        c = &s.ctx.contacts[s.contacts[group.members[k]].contact]
        c.sum_n += group.share[k] * pn
        c.sum_t += group.share[k] * pt
        mark_struck(s.ctx.hits, c, speed, c.at.point, c.at.normal)


cdef void book_work(SubStep* s, const SubContact* m, const ImpactInput* given,
                    Vec2 p) noexcept nogil:
    """The work (J) of a kinematic body in a blow that gave p (N s) to body A."""
    if not s.bodies[m.b].movable:
        s.work += dot(p, add(given.b.v, turn(given.b.w, given.b.r)))
    elif not s.bodies[m.a].movable:
        s.work -= dot(p, add(given.a.v, turn(given.a.w, given.a.r)))


cdef void catch_up(const SubStep* s, SubBody* body, const SubBody* other, Vec2 dv, double dw,
                   double t) noexcept nogil:
    """A body whose time is over was struck at time t by one that has time left. It has gone that
    time already, as if nothing had happened: it gets the way that the blow adds to it, or the
    common centre of what nothing holds would not go straight on. Not under gravity: that way would
    be lifted, or fallen, for nothing."""
    cdef double left
    if not body.through or other.through or s.n_bodies > s.n_movable:
        return
    if s.ctx.gravity.x != 0.0 or s.ctx.gravity.y != 0.0:
        return
    left = s.ctx.left[other.row] - s.start - t
    if left > 0.0:
        body.x = add(body.x, scaled(left, dv))
        body.angle += left * dw
        body.pose = place_frame(body, 0.0, 0.0, left * dw)


cdef inline bint is_blind(const SubStep* s, const Contact* c) noexcept nogil:
    """Whether nobody knows what a pair meets after this blow: it was swept up to the first one, and
    an outline has other edges on the way. Edges ahead are known."""
    return (s.ctx.pairs[c.pair].flags & FAST != 0 and not c.flags & ON_AHEAD
            and has_outline(s.ctx, c))


cdef void bend_way(const SubStep* s, SubBody* body, int32_t other, Vec2 dv, double dw,
                   double t, bint blind) noexcept nogil:
    """New velocities from time t on, when it struck another: the way now begins where it must to
    pass the same place. blind: nobody knows what the two meet next."""
    if not body.movable:
        return
    body.v = add(body.v, dv)
    body.w += dw
    body.x = sub(body.x, scaled(t, dv))
    body.angle -= dw * t
    body.pose = place_frame(body, 0.0, 0.0, -dw * t)
    body.speed = length(body.v) + fabs(body.w) * body.bounding_radius
    body.consumed = t
    body.struck_dv += length(dv) + fabs(dw) * body.swept_radius
    if body.through or not is_fast(s, body, t):
        return
    # what keeps on its way, as something that is pushed along does, meets what was looked for
    if is_bent(s, body, t, HARDLY_BENT if blind or s.bodies[other].movable else 1.0):
        body.waits = True
        body.carried_by = who_carries(s, other)
