"""Before the solve; small_rows.pxd has the contract, docs/maths/fixed_step.md why."""

from libc.math cimport INFINITY, exp, fabs

from enginecore.scalar cimport greater, lesser
from engine2d.body cimport RESTING, BodyData, Motion
from engine2d.collide.facing cimport is_on_hull
from engine2d.collide.narrow_phase cimport Touch, refresh
from engine2d.contact cimport VOID, Contact
from engine2d.pose cimport Pose
from engine2d.solve.rest cimport DEAD_BAND, STILL
from engine2d.solve.row cimport INSIDE, Row
from engine2d.solve.rule cimport drive_of
from engine2d.solve.small_joints cimport prepare_joints
from engine2d.solve.sub_step cimport (
    SubBody, SubContact, pose_at, pose_without_force, rate_of, write_axes)
from engine2d.vec2 cimport Vec2, add, cross, dot, length, scaled, sub

# rad: beyond this in a sub-step the c terms, expansions of the rotation, mean nothing.
cdef double MOST_SPIN = 0.5
# Times touch: the gap up to which a contact that bore load counts as in touch.
cdef double TOUCH_LOADED = 20.0
# Cosine: contacts whose normals differ less are one floor.
cdef double LEVEL = 0.999
# Share of its reach: how near to its centre a contact bears a body alone.
cdef double ON_CENTRE = 1e-9
# Of gravity times its speed: a body that was given more power has it from others that move.
cdef double DRIVEN = 0.01
# m/s: closing speeds below this are rounding.
cdef double NO_SPEED = 1e-9
# m: how far a circle's centre may be from the centre of mass for its spin not to matter.
cdef double CENTRED = 1e-12


cdef void find_shaken(SubStep* s) noexcept nogil:
    """Which bodies are borne by others that move unsteadily: what they felt is no guess then."""
    cdef const SubContact* m
    cdef SubBody* a
    cdef SubBody* b
    cdef int k
    for k in range(s.n_bodies):
        s.bodies[k].shaken = s.bodies[k].carried = False
    for k in range(s.n_contacts):
        m = &s.contacts[k]
        if not s.ctx.contacts[m.contact].fn > 0.0:
            continue
        a = &s.bodies[m.a]
        b = &s.bodies[m.b]
        if a.movable and not s.ctx.bodies[a.row].flags & RESTING:
            b.shaken = True
        if b.movable and not s.ctx.bodies[b.row].flags & RESTING:
            a.shaken = True
        if not a.movable and a.speed > 0.0:
            b.carried = True
        if not b.movable and b.speed > 0.0:
            a.carried = True


cdef inline bint is_driven(const SubStep* s, const SubBody* body,
                           const BodyData* data) noexcept nogil:
    """Whether what bore a body last time gave it energy: that came from other bodies, which may
    feel something else now, and is not to be had again without them."""
    cdef double power = dot(sub(data.a, body.outer), body.v)
    if body.inv_I > 0.0:
        power += (data.alpha - body.outer_turn) * body.w * body.inv_m / body.inv_I
    return not body.carried and power > DRIVEN * s.force * body.speed


cdef void predict(SubStep* s) noexcept nogil:
    cdef SubBody* body
    cdef BodyData* data
    cdef int k
    find_shaken(s)
    s.force = length(s.ctx.gravity)
    for k in range(s.n_bodies):
        body = &s.bodies[k]
        body.consumed = 0.0
        body.bears = body.unsteady = body.turned_on = False
        if not body.movable:
            continue
        data = &s.ctx.bodies[body.row]
        body.outer = add(scaled(data.gravity_scale, s.ctx.gravity), scaled(body.inv_m, data.force))
        body.outer_turn = body.inv_I * data.torque
        if data.force.x != 0.0 or data.force.y != 0.0 or data.torque != 0.0:
            s.force = greater(s.force, length(body.outer)
                              + fabs(body.outer_turn) * body.bounding_radius)
        if data.flags & RESTING and not body.shaken and not is_driven(s, body, data):
            body.a, body.alpha = data.a, data.alpha
        else:
            body.a = sub(body.outer, scaled(data.linear_damping, body.v))
            body.alpha = body.outer_turn - data.angular_damping * body.w
    expect_rest(s)
    # what a body at rest picks up in a sub-step is no approach
    s.threshold = s.ctx.strike_speed if s.ctx.strike_speed > 0.0 else 2.0 * s.force * s.ref_h


cdef void expect_rest(SubStep* s) noexcept nogil:
    """What lies on something that cannot be pushed is not expected to fall into it, though it has
    not borne load there yet: what glides would meet the next piece of its floor below the floor."""
    cdef SubBody* body
    cdef const SubContact* m
    cdef const Contact* c
    cdef double into
    cdef int k
    for k in range(s.n_movable):
        s.bodies[k].propped = False
    for k in range(s.n_contacts):
        m = &s.contacts[k]
        c = &s.ctx.contacts[m.contact]
        if (c.at.gap <= s.ctx.tol.touch and s.bodies[m.a].movable != s.bodies[m.b].movable
                and is_on_hull(s.ctx, c)):
            note_prop(s, c, &s.bodies[m.a if s.bodies[m.a].movable else m.b], s.bodies[m.a].movable)
    for k in range(s.n_movable):
        body = &s.bodies[k]
        into = dot(body.a, body.prop)
        if (body.propped and into < 0.0 and body.prop_low <= ON_CENTRE * body.bounding_radius
                and body.prop_high >= -ON_CENTRE * body.bounding_radius):
            body.a = sub(body.a, scaled(into, body.prop))


cdef void note_prop(const SubStep* s, const Contact* c, SubBody* body, bint is_a) noexcept nogil:
    """A contact that may bear a body, unless that has borne load already, or closes fast."""
    cdef Vec2 n = c.at.normal if is_a else scaled(-1.0, c.at.normal)
    cdef double arm = cross(sub(c.at.point, body.x), n)
    if (s.ctx.bodies[body.row].flags & RESTING
            or fabs(dot(body.v, n) + body.w * arm) > 2.0 * s.force * s.ref_h):
        return
    if not body.propped:
        body.propped, body.prop, body.prop_low, body.prop_high = True, n, arm, arm
    elif dot(n, body.prop) > LEVEL:
        body.prop_low = lesser(body.prop_low, arm)
        body.prop_high = greater(body.prop_high, arm)


cdef void prepare_rows(SubStep* s) noexcept nogil:
    cdef SubBody* body
    cdef int k
    s.drift = 0.0
    for k in range(s.n_bodies):
        body = &s.bodies[k]
        if body.speed > 0.5 * STILL * s.ctx.root:
            body.mid = pose_without_force(body, 0.5 * s.h)
            body.end = pose_without_force(body, s.h)
        else:
            body.mid = body.end = body.pose
    for k in range(s.n_contacts):
        prepare_contact(s, &s.contacts[k], &s.rows[2 * k], &s.rows[2 * k + 1])
        s.rows[2 * k].normal = -1
        s.rows[2 * k + 1].normal = 2 * k
    if s.n_links > 0:
        prepare_joints(s)


cdef inline double spin_of(const SubBody* body, Vec2 c, double r, double unit) noexcept nogil:
    """Angular speed as far as the contact feels it: a disc may spin about its own centre."""
    if r != INFINITY and length(sub(c, body.local_center)) <= CENTRED * unit:
        return 0.0
    return fabs(body.w)


cdef void prepare_contact(SubStep* s, SubContact* m, Row* n, Row* t) noexcept nogil:
    cdef const SubBody* a = &s.bodies[m.a]
    cdef const SubBody* b = &s.bodies[m.b]
    cdef Contact* c = &s.ctx.contacts[m.contact]
    cdef bint still = a.speed + b.speed <= STILL * s.ctx.root
    if not (m.ready and m.fresh and still):
        if not m.fresh:
            refresh(&c.at, &a.pose, &b.pose)
        m.gap = c.at.gap
        write_axes(&c.at, a, &a.pose, b, &b.pose, n, t)
    m.rate = rate_of(n, a, b)
    if c.fn > 0.0:
        s.drift = greater(s.drift, fabs(m.rate))
        if c.mode_t == INSIDE:
            s.drift = greater(s.drift, fabs(rate_of(t, a, b)
                                            + drive_of(s.ctx, c, c.at.normal)))
    if m.ready and m.fresh and still:
        # all as it was, the impulses and modes of the rows too
        return
    m.ready = still
    m.turn_n = m.turn_t = 0.0
    if not still:
        turn_rows(s, m, n, t)
    n.bias = m.turn_n + gap_bias(s, m, n)
    t.bias = m.turn_t + drive_of(s.ctx, c, c.at.normal)
    n.a = t.a = m.a
    n.b = t.b = m.b
    n.soft = t.soft = n.lo = t.lo = t.hi = n.mu = 0.0
    n.hi = INFINITY
    t.mu = c.mu
    n.p, t.p, n.mode, t.mode = s.h * c.fn, s.h * c.ft, c.mode_n, c.mode_t


cdef void turn_rows(SubStep* s, SubContact* m, Row* n, Row* t) noexcept nogil:
    """Rows at mid-step; on resting contacts c = (J at the end - J at mid-step) v."""
    cdef const SubBody* a = &s.bodies[m.a]
    cdef const SubBody* b = &s.bodies[m.b]
    cdef Contact* c = &s.ctx.contacts[m.contact]
    cdef bint resting
    m.fresh = False
    if turns_far(s, m):
        return
    resting = fabs(m.rate) <= s.threshold + NO_SPEED * s.ctx.root and (
        m.gap <= s.ctx.tol.touch or (c.fn > 0.0 and m.gap < TOUCH_LOADED * s.ctx.tol.touch))
    if resting:
        refresh(&c.at, &a.end, &b.end)
        write_axes(&c.at, a, &a.end, b, &b.end, n, t)
        m.turn_n = rate_of(n, a, b)
        m.turn_t = rate_of(t, a, b)
    refresh(&c.at, &a.mid, &b.mid)
    write_axes(&c.at, a, &a.mid, b, &b.mid, n, t)
    if resting:
        m.turn_n -= rate_of(n, a, b)
        m.turn_t -= rate_of(t, a, b)


cdef double gap_bias(SubStep* s, SubContact* m, const Row* n) noexcept nogil:
    """m/s: how fast the gap may close; docs/maths/fixed_step.md, the gap terms."""
    cdef double touch = s.ctx.tol.touch, d = m.gap
    if (s.bodies[m.a].waits or s.bodies[m.b].waits
            or s.ctx.contacts[m.contact].is_void == VOID):
        # out of the way: it is looked at again, or not there
        return out_of_the_way(s, m, n)
    if d > touch and turns_far(s, m):
        # its row says nothing of where it will be: if it closes, it is struck
        return out_of_the_way(s, m, n)
    if -m.rate > s.threshold and -m.rate > NO_SPEED * s.ctx.root:
        return fast_gap_term(s, m, n)
    if fabs(d) <= touch:
        d = greater(d - DEAD_BAND * touch, 0.0) + lesser(d + DEAD_BAND * touch, 0.0)
        # a piece that was cut short must not push faster
        return s.ctx.tol.baumgarte * d / greater(s.h, s.ref_h)
    return open_gap_term(s, m, n) if d > 0.0 else 0.0


cdef inline double out_of_the_way(const SubStep* s, const SubContact* m,
                                  const Row* n) noexcept nogil:
    """m/s: so much that a contact does not act, unless others make it close its gap."""
    cdef double rate = lesser(rate_after(s, m, n, 0.0), rate_after(s, m, n, s.h))
    return greater(-rate, 0.0) + greater(s.ctx.tol.touch, m.gap) / s.h


cdef inline bint turns_far(const SubStep* s, const SubContact* m) noexcept nogil:
    """Whether a contact turns in the sub-step so far that its row at mid-step means nothing."""
    cdef const Touch* at = &s.ctx.contacts[m.contact].at
    return s.h * greater(spin_of(&s.bodies[m.a], at.c1, at.r1, s.ctx.unit),
                         spin_of(&s.bodies[m.b], at.c2, at.r2, s.ctx.unit)) > MOST_SPIN


cdef double open_gap_term(SubStep* s, SubContact* m, const Row* n) noexcept nogil:
    """Of an open contact: it may just close.

    Where it nearly does, by the gap that the present motion leads to: with that of the straight
    line a disc that rolls from edge to edge would lean on the next one's corner before it is there.
    """
    cdef Contact* c = &s.ctx.contacts[m.contact]
    cdef const SubBody* a = &s.bodies[m.a]
    cdef const SubBody* b = &s.bodies[m.b]
    cdef double rate = rate_of(n, a, b)
    if m.ready or m.gap + s.h * rate > s.ctx.tol.touch or a.consumed > 0.0 or b.consumed > 0.0:
        return m.gap / s.h
    refresh(&c.at, &a.end, &b.end)
    m.fresh = False
    return c.at.gap / s.h - rate


cdef inline double rate_after(const SubStep* s, const SubContact* m, const Row* n,
                              double t) noexcept nogil:
    """The rate of a row with the velocities expected at time t."""
    cdef const SubBody* a = &s.bodies[m.a]
    cdef const SubBody* b = &s.bodies[m.b]
    return (rate_of(n, a, b)
            + t * (n.ja[0] * a.a.x + n.ja[1] * a.a.y + n.ja[2] * a.alpha
                   + n.jb[0] * b.a.x + n.jb[1] * b.a.y + n.jb[2] * b.alpha))


cdef double fast_gap_term(SubStep* s, SubContact* m, const Row* n) noexcept nogil:
    """Of a contact that closes fast: out of the way if it is open at the end, to be struck then.

    A rate that ends u above the expected one changes the trapezoid's end by u h/2: only so much is
    held back as would take the gap expected at the end below -touch/2.
    """
    cdef Contact* c = &s.ctx.contacts[m.contact]
    cdef Pose pa = pose_at(&s.bodies[m.a], s.h), pb = pose_at(&s.bodies[m.b], s.h)
    cdef double closing = m.gap / s.h, touch = s.ctx.tol.touch
    refresh(&c.at, &pa, &pb)
    m.fresh = False
    if c.at.gap > -touch:
        closing = touch / s.h + greater(
            2.0 * greater(c.at.gap, 0.0) / s.h - rate_after(s, m, n, s.h), closing)
    return greater(closing, 0.0)


cdef void accelerate(SubStep* s) noexcept nogil:
    cdef SubBody* body
    cdef Motion* out
    cdef const BodyData* data
    cdef double t, left, turned
    cdef int k
    for k in range(s.n_bodies):
        body = &s.bodies[k]
        out = &s.motions[k]
        t = body.consumed
        if t > 0.0:
            turned = body.w * t + 0.5 * body.alpha * t * t
            body.pose = pose_at(body, t)
            body.x.x += body.v.x * t + 0.5 * body.a.x * t * t
            body.x.y += body.v.y * t + 0.5 * body.a.y * t * t
            body.angle += turned
            body.v = add(body.v, scaled(t, body.a))
            body.w += body.alpha * t
        body.old_v, body.old_w = body.v, body.w
        out.v, out.w, out.inv_m, out.inv_I = body.v, body.w, body.inv_m, body.inv_I
        if body.movable:
            data = &s.ctx.bodies[body.row]
            left = 0.0 if body.waits else s.h - t
            out.v.x = damped(body.v.x, body.outer.x, data.linear_damping, left)
            out.v.y = damped(body.v.y, body.outer.y, data.linear_damping, left)
            out.w = damped(body.w, body.outer_turn, data.angular_damping, left)


cdef inline double damped(double v, double a, double c, double t) noexcept nogil:
    """v after a time t of v' = a - c v."""
    cdef double left
    if c <= 0.0:
        return v + a * t
    left = exp(-c * t)
    return v * left + a * (1.0 - left) / c
