"""Before the solve; small_rows.pxd has the contract, docs/maths/solver3d.md why."""

from libc.math cimport fabs
from libc.string cimport memset

from enginecore.scalar cimport greater
from engine3d.body cimport BodyData
from engine3d.collide.narrow_phase cimport FACE_POINT, POINT_FACE, Touch, refresh
from engine3d.contact cimport Contact
from engine3d.pose cimport Pose
from engine3d.quat cimport matrix_of, turned_by
from engine3d.solve.cone cimport STICK
from engine3d.solve.integrate cimport damped_vector, spin_of, turn_freely
from engine3d.solve.rule cimport drive_of, resist_turning, resists_turning, rolling_axis
from engine3d.solve.sub_step cimport SubBody, point_velocity
from engine3d.vec3 cimport (
    Mat3, Vec3, across, add, add_scaled, apply, apply_transposed, cross, dot, length, negated,
    scaled, sub, vec3)

# m/s: two bodies slower than this in sum do not turn their contact within a sub-step.
cdef double STILL = 1e-9
# rad: beyond this in a sub-step the c terms, expansions of the rotation, mean nothing.
cdef double MOST_SPIN = 0.5
# 1 - cosine of the turn of a normal beyond which the c terms mean nothing.
cdef double MOST_TURN = 0.01
# Times touch: the gap up to which a contact that bore load counts as in touch.
cdef double TOUCH_LOADED = 20.0
# m/s: closing speeds below this are rounding.
cdef double NO_SPEED = 1e-9


cdef void predict(SubStep* s) noexcept nogil:
    cdef SubBody* body
    cdef const BodyData* data
    cdef double h = s.h
    cdef int k
    for k in range(s.n_bodies):
        body = &s.bodies[k]
        place_at(body, 0.5 * h, &body.mid, &body.x_mid)
        place_at(body, h, &body.end, &body.x_end)
        body.bears = False
        body.impulse_L = vec3(0.0, 0.0, 0.0)
        if not body.movable:
            continue
        data = &s.ctx.bodies[body.row]
        body.free_v = damped_vector(body.v, body.outer, data.linear_damping, h)
        body.free_L = damped_vector(body.L, body.torque, data.angular_damping, h)
        # the momentum halfway: second order in a torque
        body.free_q = turn_freely(body.q, &body.inv_I, scaled(0.5, add(body.L, body.free_L)), h)


cdef inline void place_at(const SubBody* body, double t, Pose* pose, Vec3* x) noexcept nogil:
    """Where a body is at time t if it moves on as it does now."""
    x[0] = add_scaled(body.x, t, body.v)
    if body.w.x == 0.0 and body.w.y == 0.0 and body.w.z == 0.0:
        pose.r = body.pose.r
    else:
        pose.r = matrix_of(turned_by(body.q, scaled(t, body.w)))
    pose.p = sub(x[0], apply(&pose.r, body.local_center))


cdef void prepare_cones(SubStep* s) noexcept nogil:
    cdef SubContact* m
    cdef int k, n = 0
    s.drift = 0.0
    for k in range(s.n_contacts):
        m = &s.contacts[k]
        m.cone = -1
        m.gap = m.c.at.gap
        m.rate = dot(m.c.at.normal, sub(point_velocity(&s.bodies[m.a], m.c.at.point),
                                        point_velocity(&s.bodies[m.b], m.c.at.point)))
        if m.time >= 0.0:
            continue
        m.cone = n
        prepare_contact(s, m, &s.cones[n])
        n += 1


cdef inline Vec3 slip_at(const SubBody* a, const SubBody* b, Vec3 ra, Vec3 rb) noexcept nogil:
    """Relative velocity with the present motion and these arms."""
    return sub(add(a.v, cross(a.w, ra)), add(b.v, cross(b.w, rb)))


cdef void prepare_contact(SubStep* s, SubContact* m, Cone* out) noexcept nogil:
    cdef const SubBody* a = &s.bodies[m.a]
    cdef const SubBody* b = &s.bodies[m.b]
    cdef Contact* c = m.c
    cdef double touch = s.ctx.tol.touch, end_gap = m.gap
    cdef Vec3 u, end_u = vec3(0.0, 0.0, 0.0), end_n, e1, e2
    cdef bint still = a.speed + b.speed <= STILL * s.ctx.tol.root, resting
    cdef double[3] turn
    resting = fabs(m.rate) <= s.threshold + NO_SPEED * s.ctx.tol.root and (
        not is_open(s, m) or (c.fn > 0.0 and m.gap < TOUCH_LOADED * touch)) and (
        greater(length(a.w), length(b.w)) * s.h <= MOST_SPIN)
    turn[0] = turn[1] = turn[2] = 0.0
    end_n = c.at.normal
    if not still and (resting or is_open(s, m)):
        refresh(&c.at, &a.end, &b.end)
        end_gap, end_n = c.at.gap, c.at.normal
        end_u = slip_at(a, b, sub(c.at.point, a.x_end), sub(c.at.point, b.x_end))
    if not still:
        refresh(&c.at, &a.mid, &b.mid)
    m.n = c.at.normal
    m.t1 = across(m.n)
    m.t2 = cross(m.n, m.t1)
    m.ra, m.rb = sub(c.at.point, a.x_mid), sub(c.at.point, b.x_mid)
    u = slip_at(a, b, m.ra, m.rb)
    if resting and not still and dot(m.n, end_n) > 1.0 - MOST_TURN:
        # c: what the turning of the rows alone will have added by the end
        e1 = sub(m.t1, scaled(dot(m.t1, end_n), end_n))
        e1 = scaled(1.0 / length(e1), e1)
        e2 = cross(end_n, e1)
        turn[0] = dot(end_n, end_u) - dot(m.n, u)
        turn[1] = dot(e1, end_u) - dot(m.t1, u)
        turn[2] = dot(e2, end_u) - dot(m.t2, u)
    write_rows(s, m, out)
    out.bias[0] += turn[0] + gap_bias(s, m, end_gap, dot(m.n, u), still)
    m.drive = drive_of(m.pair, &a.mid.r, &b.mid.r, m.n)
    out.bias[1] += turn[1] + dot(m.drive, m.t1)
    out.bias[2] += turn[2] + dot(m.drive, m.t2)
    if c.fn > 0.0:
        s.drift = greater(s.drift, fabs(m.rate))
        if c.mode == STICK:
            s.drift = greater(s.drift, length(add(sub(u, scaled(dot(m.n, u), m.n)), m.drive)))
    out.mu = m.pair.mu
    out.p[0] = s.h * c.fn
    out.p[1], out.p[2] = s.h * dot(c.ft, m.t1), s.h * dot(c.ft, m.t2)
    out.mode = c.mode
    if not still:
        refresh(&c.at, &a.pose, &b.pose)


cdef inline bint is_open(const SubStep* s, const SubContact* m) noexcept nogil:
    """Whether a contact is none yet: beyond touch, or about to pass by within it. What rolls beside
    an edge is within touch of it long before it meets it, if it ever does."""
    return m.gap > s.ctx.tol.touch or (m.gap > s.ctx.tol.closed and (
        fabs(m.rate) > s.threshold or (m.c.fn == 0.0 and is_curved(&m.c.at))))


cdef inline bint is_curved(const Touch* at) noexcept nogil:
    """Whether the gap of a contact bends as its bodies slide past each other."""
    return at.kind != POINT_FACE and at.kind != FACE_POINT


cdef double gap_bias(const SubStep* s, const SubContact* m, double end_gap, double rate,
                     bint still) noexcept nogil:
    """m/s: how fast the gap may close. Nothing in touch; an open contact may just close, seen from
    the gap that the present motion leads to: else a sphere that rolls from tile to tile would lean
    on the next one's edge."""
    if not is_open(s, m):
        return 0.0
    if still or m.gap + s.h * rate > s.ctx.tol.touch:
        return m.gap / s.h
    # never less than nothing: an open contact is not pushed open
    return greater(end_gap / s.h - rate, 0.0)


cdef void write_rows(const SubStep* s, const SubContact* m, Cone* out) noexcept nogil:
    cdef Vec3[3] axes
    cdef Vec3 t, turn, arm
    cdef const SubBody* body
    cdef int r, k, i
    axes[0], axes[1], axes[2] = m.n, m.t1, m.t2
    memset(out, 0, sizeof(Cone))
    for r in range(3):
        for k in range(2):
            body = &s.bodies[m.b if k else m.a]
            arm = m.rb if k else m.ra
            t = negated(axes[r]) if k else axes[r]
            if not body.movable:
                out.bias[r] += dot(t, add(body.v, cross(body.w, arm)))
                continue
            turn = apply(&body.root, apply_transposed(&body.mid.r, cross(arm, t)))
            i = 6 * k
            out.j[r][i] = t.x / body.root_m
            out.j[r][i + 1] = t.y / body.root_m
            out.j[r][i + 2] = t.z / body.root_m
            out.j[r][i + 3], out.j[r][i + 4], out.j[r][i + 5] = turn.x, turn.y, turn.z
    out.a = m.a if s.bodies[m.a].movable else s.n_movable
    out.b = m.b if s.bodies[m.b].movable else s.n_movable


cdef void resist_rolling(SubStep* s) noexcept nogil:
    """Take from the bodies' momenta what resistance to rolling and spin takes in the sub-step."""
    cdef SubContact* m
    cdef SubBody* a
    cdef SubBody* b
    cdef Vec3 torque, w
    cdef double force = 0.0
    cdef int k
    cdef bint any_resists = False
    for k in range(s.n_contacts):
        m = &s.contacts[k]
        m.held = vec3(0.0, 0.0, 0.0)
        if not resists_turning(m.pair):
            continue
        # of a pair as one, once the last of its contacts is known
        force += m.c.fn
        if k + 1 < s.n_contacts and s.contacts[k + 1].pair == m.pair:
            continue
        any_resists = True
        a, b = &s.bodies[m.a], &s.bodies[m.b]
        m.held = m.pair.torque
        w = sub(spin_without(a), spin_without(b))
        torque = resist_turning(m.pair, m.c.at.normal, w,
                                softness(a, b, rolling_axis(m.c.at.normal, w)),
                                softness(a, b, m.c.at.normal), force, s.h)
        turn_both(a, b, sub(torque, m.held), s.h)
        force = 0.0
    if any_resists:
        for k in range(s.n_contacts):
            m = &s.contacts[k]
            turn_both(&s.bodies[m.a], &s.bodies[m.b], m.held, s.h)


cdef inline Vec3 spin_without(const SubBody* body) noexcept nogil:
    """rad/s, at the end of the sub-step without contacts."""
    return spin_of(&body.pose.r, &body.inv_I, body.free_L) if body.movable else body.w


cdef inline void turn_both(SubBody* a, SubBody* b, Vec3 torque, double h) noexcept nogil:
    """A torque (N m) on B and its opposite on A, for a sub-step."""
    a.free_L = add_scaled(a.free_L, -h, torque)
    b.free_L = add_scaled(b.free_L, h, torque)


cdef inline double softness(const SubBody* a, const SubBody* b, Vec3 axis) noexcept nogil:
    """1/(kg m^2): what a moment about an axis does to the rotation of one against the other."""
    return (dot(axis, spin_of(&a.pose.r, &a.inv_I, axis))
            + dot(axis, spin_of(&b.pose.r, &b.inv_I, axis)))


cdef void whiten_velocities(SubStep* s) noexcept nogil:
    cdef SubBody* body
    cdef Mat3 r
    cdef Vec3 w
    cdef double* out
    cdef int k
    resist_rolling(s)
    memset(s.V, 0, 6 * (s.n_movable + 1) * sizeof(double))
    for k in range(s.n_movable):
        body = &s.bodies[k]
        out = s.V + 6 * k
        r = matrix_of(body.free_q)
        w = spin_of(&r, &body.inv_I, body.free_L)
        w = apply(&body.inv_root, apply_transposed(&body.mid.r, w))
        out[0], out[1] = body.root_m * body.free_v.x, body.root_m * body.free_v.y
        out[2] = body.root_m * body.free_v.z
        out[3], out[4], out[5] = w.x, w.y, w.z
