"""What contacts give to a small island; small_energy.pxd has the contract."""

from libc.math cimport fabs, isfinite, sqrt

from enginecore.scalar cimport greater
from engine2d.body cimport RESTING, BodyData
from engine2d.joint.joint cimport DRIVE, SOFT
from engine2d.joint.link cimport Link, position_rows
from engine2d.solve.energy cimport (
    Frame, Momentum, Turning, add_momentum, change_by, find_turning, inverse, kinetic_energy,
    no_momentum, rigid_frame, share_within, shift_by, spin_by, standing_frame,
    velocity_in,
)
from engine2d.solve.row cimport Row
from engine2d.solve.sub_step cimport SubBody, shift
from engine2d.vec2 cimport Vec2, add, dot, length, scaled, sub

# Times the energy that external forces give from rest in a sub-step, and share of the kinetic
# energy in a whole step: what the linearisation of a sub-step may add.
cdef double UNREST = 4.0
cdef double UNREST_SHARE = 8e-4
# Of the kinetic energy: what rows that hold may give in a sub-step before they are taken not to
# have been solved; the audit of the step takes less.
cdef double GIVEN_SHARE = 0.25
# Times the fastest point of an island: what an unsolved problem makes faster was thrown by it.
cdef double THROWN = 2.0
# Of the kinetic energy: differences below are rounding.
cdef double ENERGY_ROUNDING = 1e-12
# Of the kinetic energy: what a step may gain by the error of its integrator.
cdef double STEP_GAIN = 1e-5
# The same where joints hold bodies: what swings gains and loses by turns.
cdef double LINKED_GAIN = 2e-4
cdef double LINKED_UNREST = 0.1
# Of the kinetic energy when a piece begins: what is solved never gains so much.
cdef double WILD = 1.0
# Of the kinetic energy when it ends: nor is most of that made from nothing.
cdef double MADE = 0.5
# m or rad: errors that joints do not come to by themselves.
cdef double TORN = 1e-3
# And the share of them that corrections leave, at most.
cdef double MENDED = 0.5


cdef double kinetic_of(const SubStep* s) noexcept nogil:
    cdef double sum = 0.0
    cdef const SubBody* body
    cdef int k
    for k in range(s.n_movable):
        body = &s.bodies[k]
        sum += kinetic_energy(inverse(body.inv_m), inverse(body.inv_I), body.v, body.w)
    return sum


cdef inline double turns_as(const SubStep* s, const SubBody* body) noexcept nogil:
    """kg m^2, of a body that contacts can turn; else 0: its spin stays what it is."""
    return 0.0 if s.ctx.glides[body.row] else inverse(body.inv_I)


cdef Momentum momentum_of(const SubStep* s) noexcept nogil:
    cdef Momentum sum = no_momentum(s.bodies[0].x)
    cdef const SubBody* body
    cdef int k
    for k in range(s.n_movable):
        body = &s.bodies[k]
        add_momentum(inverse(body.inv_m), turns_as(s, body), body.x, body.v, body.w, &sum)
    return sum


cdef void open_account(SubStep* s) noexcept nogil:
    s.kinetic = kinetic_of(s)
    s.work = s.lifted = 0.0
    if s.n_bodies == s.n_movable and s.n_movable > 1:
        s.before = momentum_of(s)


cdef void keep_free(SubStep* s) noexcept nogil:
    cdef int k
    for k in range(s.n_movable):
        s.bodies[k].free_v, s.bodies[k].free_w = s.motions[k].v, s.motions[k].w


cdef double kinematic_work(const SubStep* s) noexcept nogil:
    """J, that the rows' impulses carry from bodies that cannot be pushed, and from surfaces that
    run."""
    cdef double sum = 0.0
    cdef const SubBody* body
    cdef const Row* row
    cdef int k
    if s.ctx.has_rules:
        # what surfaces run at, beyond the turning of the rows
        for k in range(s.n_contacts):
            sum -= s.rows[2 * k + 1].p * (s.rows[2 * k + 1].bias - s.contacts[k].turn_t)
    if s.n_bodies == s.n_movable:
        return sum
    for k in range(2 * s.n_contacts):
        row = &s.rows[k]
        body = &s.bodies[row.a]
        if not body.movable:
            sum -= row.p * (row.ja[0] * body.v.x + row.ja[1] * body.v.y + row.ja[2] * body.w)
        body = &s.bodies[row.b]
        if not body.movable:
            sum -= row.p * (row.jb[0] * body.v.x + row.jb[1] * body.v.y + row.jb[2] * body.w)
    return sum


cdef inline double fastest_point(const SubBody* body, Vec2 v, double w) noexcept nogil:
    """m/s: no point of a body that moves so is faster."""
    return length(v) + fabs(w) * body.bounding_radius


cdef void slow_thrown(SubStep* s) noexcept nogil:
    """After a solve that nothing settled: no body becomes much faster than any was. A light one
    takes no energy worth an audit to go through a wall."""
    cdef double most = 0.0, speed, share
    cdef const SubBody* body
    cdef int k
    for k in range(s.n_bodies):
        body = &s.bodies[k]
        most = greater(most, fastest_point(body, body.v, body.w))
        if body.movable:
            most = greater(most, fastest_point(body, body.free_v, body.free_w))
    for k in range(s.n_movable):
        body = &s.bodies[k]
        speed = fastest_point(body, s.motions[k].v, s.motions[k].w)
        if speed > THROWN * most:
            share = THROWN * most / speed
            s.ctx.books.impacts -= (1.0 - share * share) * kinetic_energy(
                inverse(body.inv_m), inverse(body.inv_I), s.motions[k].v, s.motions[k].w)
            s.motions[k].v = scaled(share, s.motions[k].v)
            s.motions[k].w *= share


cdef void limit_gain(SubStep* s, bint failed) noexcept nogil:
    cdef double b, q = 0.0, e0 = 0.0, forced = 0.0, m, inertia, w, share, limit, work
    cdef Vec2 dv
    cdef const SubBody* body
    cdef int k
    work = kinematic_work(s)
    b = -work
    for k in range(s.n_movable):
        body = &s.bodies[k]
        m, inertia = inverse(body.inv_m), inverse(body.inv_I)
        dv = sub(s.motions[k].v, body.free_v)
        w = s.motions[k].w - body.free_w
        b += m * dot(body.free_v, dv) + inertia * body.free_w * w
        q += m * dot(dv, dv) + inertia * w * w
        if not body.waits:
            forced += m * dot(body.outer, body.outer)
            e0 += kinetic_energy(m, inertia, body.free_v, body.free_w)
    limit = 0.0 if failed else UNREST * 0.5 * s.h * s.h * forced + (
        UNREST_SHARE * s.h / s.ctx.whole * e0)
    if q > 0.0 and b + 0.5 * q > limit + ENERGY_ROUNDING * e0:
        s.ctx.counters.energy_limits += 1
        share = share_within(b, q, limit) if limit > 0.0 else -b / q if b < 0.0 else 0.0
        for k in range(s.n_movable):
            body = &s.bodies[k]
            s.motions[k].v = add(body.free_v, scaled(share, sub(s.motions[k].v, body.free_v)))
            s.motions[k].w = body.free_w + share * (s.motions[k].w - body.free_w)
        for k in range(2 * s.n_contacts):
            s.rows[k].p *= share
        work *= share
    s.work += work
    if failed and s.n_bodies > s.n_movable:
        slow_thrown(s)


cdef double soft_work(const SubStep* s) noexcept nogil:
    """J, that springs, motors and bodies which cannot be pushed gave by the rows' impulses."""
    cdef const Row* row
    cdef const Link* link
    cdef const SubBody* body
    cdef const double* j
    cdef int k, side, at
    cdef double rate, sum = 0.0
    for k in range(2 * s.n_contacts + s.n_link_rows):
        row = &s.rows[k]
        for side in range(2):
            at = row.b if side else row.a
            body, j = &s.bodies[at], &row.jb[0] if side else &row.ja[0]
            if not body.movable:
                sum -= row.p * (j[0] * body.v.x + j[1] * body.v.y + j[2] * body.w)
    for k in range(s.n_links):
        link = &s.links[k]
        for at in range(0 if link.plain else link.n):
            if link.at[at].kind != SOFT and link.at[at].kind != DRIVE:
                continue
            row = &s.rows[link.first + at]
            rate = link.old_rate[at]
            rate += row.ja[0] * s.motions[row.a].v.x + row.ja[1] * s.motions[row.a].v.y
            rate += row.ja[2] * s.motions[row.a].w + row.jb[2] * s.motions[row.b].w
            rate += row.jb[0] * s.motions[row.b].v.x + row.jb[1] * s.motions[row.b].v.y
            sum += 0.5 * row.p * rate
    return sum


cdef bint has_given(const SubStep* s) noexcept nogil:
    cdef int k
    cdef const SubBody* body
    cdef double given = -soft_work(s), limit = 0.0, free, m, inertia
    for k in range(s.n_movable):
        body = &s.bodies[k]
        m, inertia = inverse(body.inv_m), inverse(body.inv_I)
        free = kinetic_energy(m, inertia, body.free_v, body.free_w)
        given += kinetic_energy(m, inertia, s.motions[k].v, s.motions[k].w) - free
        limit += GIVEN_SHARE * free + UNREST * 0.5 * s.h * s.h * m * dot(body.outer, body.outer)
    return not given <= limit


cdef void hold_back(SubStep* s) noexcept nogil:
    cdef double b = 0.0, q = 0.0, m, inertia, w, share
    cdef Vec2 dv
    cdef const SubBody* body
    cdef int k
    s.ctx.counters.energy_limits += 1
    for k in range(s.n_movable):
        body = &s.bodies[k]
        m, inertia = inverse(body.inv_m), inverse(body.inv_I)
        dv, w = sub(s.motions[k].v, body.free_v), s.motions[k].w - body.free_w
        b += m * dot(body.free_v, dv) + inertia * body.free_w * w
        q += m * dot(dv, dv) + inertia * w * w
    share = -b / q if b < 0.0 < q else 0.0
    for k in range(s.n_movable):
        body = &s.bodies[k]
        s.motions[k].v = add(body.free_v, scaled(share, sub(s.motions[k].v, body.free_v)))
        s.motions[k].w = body.free_w + share * (s.motions[k].w - body.free_w)
    for k in range(2 * s.n_contacts + s.n_link_rows):
        s.rows[k].p *= share


cdef double outer_work_of_push(const SubStep* s) noexcept nogil:
    cdef double sum = 0.0
    cdef int k
    for k in range(s.n_movable):
        sum += inverse(s.bodies[k].inv_m) * dot(s.bodies[k].outer, s.motions[k].v)
    return sum


cdef Frame support_of(const SubStep* s) noexcept nogil:
    """The motion of what the island leans on; of one that leans on nothing, its own."""
    cdef Frame out
    cdef Momentum sum
    cdef const SubBody* body
    if s.n_bodies == s.n_movable:
        sum = momentum_of(s)
        return rigid_frame(&sum)
    if s.n_bodies > s.n_movable + 1:
        return standing_frame()
    body = &s.bodies[s.n_movable]
    out.x, out.v, out.w = body.x, body.v, body.w
    return out


cdef double slow_down(SubStep* s, double excess) noexcept nogil:
    """Take an energy (J) from the motion against the support, as far as there is any. One that
    moves by itself does work on what is slowed against it. Returns what there is too little of (J).
    """
    cdef Frame frame = support_of(s)
    cdef double energy = 0.0, carried = 0.0, share
    cdef bint is_driven = s.n_bodies > s.n_movable
    cdef SubBody* body
    cdef Vec2 v, base
    cdef int k
    for k in range(s.n_movable):
        body = &s.bodies[k]
        v = sub(body.v, velocity_in(&frame, body.x))
        energy += kinetic_energy(inverse(body.inv_m), turns_as(s, body), v, body.w - frame.w)
    if energy <= 0.0:
        return excess
    share = sqrt(1.0 - excess / energy) - 1.0 if energy > excess else -1.0
    for k in range(s.n_movable):
        body = &s.bodies[k]
        base = velocity_in(&frame, body.x)
        v = scaled(share, sub(body.v, base))
        carried += inverse(body.inv_m) * dot(v, base)
        body.v = add(body.v, v)
        if turns_as(s, body) > 0.0:
            carried += share * (body.w - frame.w) * frame.w / body.inv_I
            body.w += share * (body.w - frame.w)
        # what it felt is no guess any more
        s.ctx.bodies[body.row].flags &= ~<int>RESTING
    if is_driven:
        s.work += carried
        s.ctx.books.driven += carried
    return greater(excess - energy, 0.0)


cdef bint is_free(const SubStep* s) noexcept nogil:
    """Whether nothing holds or drives the island, and its bodies fall as one, at the same time:
    both momenta are to stay what they are. Of those that do not fall `keep_ways` does it."""
    cdef const SubBody* body
    cdef const BodyData* data
    cdef int k
    if s.n_bodies > s.n_movable or s.n_movable < 2:
        return False
    for k in range(s.n_movable):
        body = &s.bodies[k]
        data = &s.ctx.bodies[body.row]
        if (body.through or body.outer_turn != 0.0 or body.outer.x != s.bodies[0].outer.x
                or body.outer.y != s.bodies[0].outer.y or data.linear_damping != 0.0
                or data.angular_damping != 0.0
                or s.ctx.left[body.row] != s.ctx.left[s.bodies[0].row]):
            return False
    return s.n_links > 0 or s.bodies[0].outer.x != 0.0 or s.bodies[0].outer.y != 0.0


cdef void keep_angular_momentum(SubStep* s) noexcept nogil:
    """Give a free island back the angular momentum that it had: what is solved at mid-step keeps it
    but for the third power of the time. Energy stays."""
    cdef Momentum now = momentum_of(s)
    cdef Frame frame = rigid_frame(&now)
    cdef Turning turning
    cdef double loose = 0.0
    cdef SubBody* body
    cdef Vec2 v
    cdef int k
    for k in range(s.n_movable):
        body = &s.bodies[k]
        v = sub(body.v, velocity_in(&frame, body.x))
        loose += kinetic_energy(inverse(body.inv_m), turns_as(s, body), v, body.w - frame.w)
    if not find_turning(&s.before, &now, loose, &turning):
        return
    for k in range(s.n_movable):
        body = &s.bodies[k]
        body.v = add(body.v, change_by(&turning, body.x, body.v))
        if turns_as(s, body) > 0.0:
            body.w += spin_by(&turning, body.w)
        if turning.apart != 0.0:
            shift(body, shift_by(&turning, body.x), 0.0)


cdef void forget_velocities(SubStep* s) noexcept nogil:
    """Of an island that nothing holds the rigid motion that it had, and what it fell since; of
    others none."""
    cdef Frame was = standing_frame()
    cdef SubBody* body
    cdef int k
    cdef bint floats = s.n_bodies == s.n_movable
    if floats and s.n_movable > 1:
        was = rigid_frame(&s.before)
    for k in range(s.n_movable):
        body = &s.bodies[k]
        body.x = s.ctx.places[body.row].x
        body.v, body.w = velocity_in(&was, body.x), was.w
        if floats and not body.through:
            body.v = add(body.v, scaled(s.start + s.h, body.outer))
        s.ctx.bodies[body.row].flags &= ~<int>RESTING


cdef bint audit_step(SubStep* s) noexcept nogil:
    cdef double gain, limit, wild, turning = 0.0, forced = 0.0, m
    cdef const SubBody* body
    cdef int k
    if is_free(s):
        turning = kinetic_of(s)
        keep_angular_momentum(s)
        turning = kinetic_of(s) - turning
    gain = kinetic_of(s) - s.kinetic - s.work
    for k in range(s.n_movable):
        body = &s.bodies[k]
        m = inverse(body.inv_m)
        forced += m * dot(body.outer, body.outer)
        gain -= m * dot(body.outer, sub(body.x, s.ctx.places[body.row].x))
        gain -= inverse(body.inv_I) * body.outer_turn * (
            body.angle - s.ctx.places[body.row].angle)
    # by the time that passes: a step of many pieces may gain no more than one of a single one
    limit = (1.0 if s.n_links == 0 else LINKED_UNREST) * 0.5 * s.duration * s.ctx.dt * forced + (
        STEP_GAIN if s.n_links == 0 else LINKED_GAIN) * s.kinetic
    if gain <= limit:
        return False
    if not gain - turning <= limit:
        # else it is what one body that had time left was given to turn by: taken from all
        s.ctx.counters.energy_audits += 1
    wild = WILD * s.kinetic + 2.0 * UNREST * s.duration * s.ctx.dt * forced
    if s.n_links > 0 and (not isfinite(gain) or (
            gain - turning > wild and gain > MADE * kinetic_of(s))):
        # nothing solved it: places mean no more than velocities
        forget_velocities(s)
        return True
    gain = slow_down(s, gain)
    if s.torn > TORN * s.ctx.unit and not (
            position_rows(s.links, s.n_links, s.riders, NULL) > MENDED * s.torn):
        # where users put bodies: corrections may lift, and load springs; what cannot all hold is
        # as far apart as it was
        gain -= greater(0.0, s.lifted)
    return s.n_links > 0 and gain > limit + UNREST * 0.5 * s.duration * s.ctx.dt * forced
