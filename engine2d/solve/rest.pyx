"""Islands that need no solve; rest.pxd has the contract."""

from libc.math cimport INFINITY, fabs
from libc.string cimport memset

from enginecore.lcp cimport clamp
from enginecore.row_solver cimport LEAST_SCALE, most_kept
from enginecore.scalar cimport greater, lesser
from engine2d.body cimport RESTING, BodyData, Motion, Place
from engine2d.contact cimport ASLEEP, DRIVEN, OLD, ROLLING, Contact
from engine2d.solve.axes cimport write_axes
from engine2d.solve.integrate cimport move_body
from engine2d.solve.row cimport INSIDE, Row
from engine2d.vec2 cimport Vec2, add, scaled, sub, vec2

# Share of the largest of b: residuals and speeds below this are of motion that rounding made.
cdef double UNREST = 1e-9


# What the test of an island needs and finds.
cdef struct Rest:
    StepContext* ctx
    Motion* motions     # of its bodies, and at n_bodies of what cannot be pushed
    int n_bodies
    Row* rows           # two a contact; lo: the diagonal of A
    int32_t* local_row  # by row of a body: its motion; -1 between the calls
    double h            # s, of a sub-step
    double ref_h
    double scale        # m/s, the largest of b
    double size         # m/s, the largest term that is summed
    double drift        # m/s, the most that a contact that bears moves
    double worst        # m/s, the largest residual
    bint propped        # something that cannot be pushed takes part


cdef inline Vec2 pull_of(const StepContext* ctx, const BodyData* body,
                         const Motion* motion) noexcept nogil:
    """m/s^2, of gravity and the user."""
    return add(scaled(body.gravity_scale, ctx.gravity), scaled(motion.inv_m, body.force))


cdef inline bint is_damped(const BodyData* body) noexcept nogil:
    return body.linear_damping != 0.0 or body.angular_damping != 0.0


cdef bint fly(StepContext* ctx, int32_t row, const Piece* piece) noexcept nogil:
    cdef BodyData* body = &ctx.bodies[row]
    cdef Motion* motion = &ctx.motions[row]
    cdef Place* place = &ctx.places[row]
    cdef double dt = piece.duration, alpha = motion.inv_I * body.torque
    cdef Vec2 a = pull_of(ctx, body, motion), v = motion.v
    if is_damped(body) or not ctx.left[row] > 0.0:
        return False
    move_body(body, vec2(place.x.x + dt * (v.x + 0.5 * dt * a.x),
                         place.x.y + dt * (v.y + 0.5 * dt * a.y)),
              place.angle + dt * (motion.w + 0.5 * dt * alpha), motion, place)
    motion.v = add(v, scaled(dt, a))
    motion.w += dt * alpha
    body.flags &= ~<int>RESTING
    return True


# ---------------------------------------------------------------------------------------- at rest

cdef bint are_still(const StepContext* ctx, const int32_t* body_rows, int n) noexcept nogil:
    """Whether bodies stand still, and have borne load steadily."""
    cdef const BodyData* body
    cdef const Motion* motion
    cdef int32_t row
    cdef int k
    for k in range(n):
        row = body_rows[k]
        body, motion = &ctx.bodies[row], &ctx.motions[row]
        if (fabs(motion.v.x) + fabs(motion.v.y) + fabs(motion.w) * ctx.places[row].bounding_radius
                > 0.5 * STILL * ctx.root or not body.flags & RESTING or is_damped(body)
                or not ctx.left[row] > 0.0):
            return False
    return True


cdef void load_bodies(Rest* s, const int32_t* body_rows) noexcept nogil:
    """The bodies with the velocities of a sub-step without contacts."""
    cdef const StepContext* ctx = s.ctx
    cdef const BodyData* body
    cdef const Motion* motion
    cdef Motion* out
    cdef int k
    for k in range(s.n_bodies):
        body, motion = &ctx.bodies[body_rows[k]], &ctx.motions[body_rows[k]]
        out = &s.motions[k]
        out.inv_m, out.inv_I = motion.inv_m, motion.inv_I
        out.v = add(motion.v, scaled(s.h, pull_of(ctx, body, motion)))
        out.w = motion.w + s.h * motion.inv_I * body.torque
        s.local_row[body_rows[k]] = k
    memset(&s.motions[s.n_bodies], 0, sizeof(Motion))


cdef inline bint stands(const StepContext* ctx, int32_t row) noexcept nogil:
    cdef const Motion* motion = &ctx.motions[row]
    return motion.v.x == 0.0 and motion.v.y == 0.0 and motion.w == 0.0


cdef inline double rate_n(const Row* n, const Motion* a, const Motion* b) noexcept nogil:
    return (n.ja[0] * (a.v.x - b.v.x) + n.ja[1] * (a.v.y - b.v.y) + n.ja[2] * a.w
            + n.jb[2] * b.w)


cdef inline double diagonal(const Row* row, const Motion* a, const Motion* b) noexcept nogil:
    return (a.inv_m + b.inv_m + a.inv_I * row.ja[2] * row.ja[2]
            + b.inv_I * row.jb[2] * row.jb[2])


cdef inline double gap_bias(const Rest* s, double gap) noexcept nogil:
    """m/s: how fast the gap may close; as in small_step."""
    cdef double touch = s.ctx.tol.touch
    if gap > touch:
        return gap / s.h
    gap = greater(gap - DEAD_BAND * touch, 0.0) + lesser(gap + DEAD_BAND * touch, 0.0)
    return s.ctx.tol.baumgarte * gap / greater(s.h, s.ref_h)


cdef bint load_contact(Rest* s, const Contact* c, Row* n, Row* t) noexcept nogil:
    """The rows of a contact; False: it does not stand still, or did not last time."""
    cdef const StepContext* ctx = s.ctx
    cdef double touch = ctx.tol.touch, rate
    cdef const Motion* a
    cdef const Motion* b
    if (not c.flags & OLD or c.flags & ASLEEP or c.toi >= 0.0 or c.at.gap < -touch
            or (c.at.gap > touch and c.fn > 0.0)):
        return False
    if ctx.has_rules and ctx.pairs[c.pair].flags & (ROLLING | DRIVEN):
        return False
    n.a, n.b = s.local_row[c.a], s.local_row[c.b]
    if n.a < 0 or n.b < 0:
        if not stands(ctx, c.a if n.a < 0 else c.b):
            return False
        s.propped = True
        if n.a < 0:
            n.a = s.n_bodies
        else:
            n.b = s.n_bodies
    write_axes(&c.at, &ctx.places[c.a].pose, ctx.bodies[c.a].local_center, &ctx.places[c.b].pose,
               ctx.bodies[c.b].local_center, n, t)
    n.p, t.p, t.mu = s.h * c.fn, s.h * c.ft, c.mu
    n.bias = gap_bias(s, c.at.gap)
    a, b = &s.motions[n.a], &s.motions[n.b]
    n.lo, t.lo = diagonal(n, a, b), diagonal(t, a, b)
    rate = fabs(n.ja[0] * a.v.x) + fabs(n.ja[1] * a.v.y) + fabs(n.ja[0] * b.v.x) + (
        fabs(n.ja[1] * b.v.y))
    s.scale = greater(s.scale, fabs(rate_n(n, a, b) + n.bias))
    s.size = greater(s.size, greater(rate + fabs(n.bias), n.p * n.lo))
    if c.fn > 0.0:
        a, b = &ctx.motions[c.a], &ctx.motions[c.b]
        s.drift = greater(s.drift, fabs(rate_n(n, a, b)))
        if c.mode_t == INSIDE:
            s.drift = greater(s.drift, fabs(
                n.ja[0] * (a.v.y - b.v.y) - n.ja[1] * (a.v.x - b.v.x) + t.ja[2] * a.w
                + t.jb[2] * b.w))
    return True


cdef inline void push(const Row* n, const Row* t, Motion* motions) noexcept nogil:
    """Apply the impulses of a contact."""
    cdef Motion* a = &motions[n.a]
    cdef Motion* b = &motions[n.b]
    cdef double x = n.ja[0] * n.p - n.ja[1] * t.p, y = n.ja[1] * n.p + n.ja[0] * t.p
    a.v.x += a.inv_m * x
    a.v.y += a.inv_m * y
    a.w += a.inv_I * (n.ja[2] * n.p + t.ja[2] * t.p)
    b.v.x -= b.inv_m * x
    b.v.y -= b.inv_m * y
    b.w += b.inv_I * (n.jb[2] * n.p + t.jb[2] * t.p)


cdef double residual(const Rest* s, const Row* n, const Row* t) noexcept nogil:
    """m/s, what a contact's impulses leave: the larger one of its rows, as solver_direct has it."""
    cdef const Motion* a = &s.motions[n.a]
    cdef const Motion* b = &s.motions[n.b]
    cdef double most = t.mu * n.p, found = fabs(lesser(rate_n(n, a, b) + n.bias, n.p * n.lo)), y
    if n.p > 0.0 or t.p != 0.0:
        y = (n.ja[0] * (a.v.y - b.v.y) - n.ja[1] * (a.v.x - b.v.x) + t.ja[2] * a.w
             + t.jb[2] * b.w)
        found = greater(found, fabs(clamp(y, (t.p - most) * t.lo, (t.p + most) * t.lo)))
    return found


cdef bint holds(Rest* s, const int32_t* body_rows, const int32_t* contact_indices,
                int n_contacts) noexcept nogil:
    """Whether the impulses of last time leave no more than may be kept; then s.motions have the
    velocities after a sub-step."""
    cdef int k
    cdef double found
    cdef bint is_known = True
    s.scale, s.size, s.drift, s.worst = LEAST_SCALE * s.ctx.root, 0.0, 0.0, INFINITY
    s.propped = False
    load_bodies(s, body_rows)
    for k in range(n_contacts):
        if not load_contact(s, &s.ctx.contacts[contact_indices[k]], &s.rows[2 * k],
                            &s.rows[2 * k + 1]):
            is_known = False
            break
    for k in range(s.n_bodies):
        s.local_row[body_rows[k]] = -1
    if not is_known:
        return False
    s.worst = 0.0
    for k in range(n_contacts):
        if s.rows[2 * k].p > 0.0:
            push(&s.rows[2 * k], &s.rows[2 * k + 1], s.motions)
    for k in range(n_contacts):
        found = residual(s, &s.rows[2 * k], &s.rows[2 * k + 1])
        if not found <= s.worst:
            s.worst = found
    return s.worst <= most_kept(s.scale, s.size, s.drift)


cdef void go_on(const Rest* s, const int32_t* body_rows, int n_sub) noexcept nogil:
    """Through all sub-steps: what one changes, they all do."""
    cdef StepContext* ctx = s.ctx
    cdef BodyData* body
    cdef Motion* motion
    cdef Place* place
    cdef Vec2 v, dv
    cdef double w, dw, all = n_sub * s.h
    cdef int k
    for k in range(s.n_bodies):
        body, motion = &ctx.bodies[body_rows[k]], &ctx.motions[body_rows[k]]
        place = &ctx.places[body_rows[k]]
        v, w = motion.v, motion.w
        dv, dw = sub(s.motions[k].v, v), s.motions[k].w - w
        move_body(body, vec2(place.x.x + all * (v.x + 0.5 * n_sub * dv.x),
                             place.x.y + all * (v.y + 0.5 * n_sub * dv.y)),
                  place.angle + all * (w + 0.5 * n_sub * dw), motion, place)
        motion.v = add(v, scaled(n_sub, dv))
        motion.w = w + n_sub * dw
        body.a, body.alpha = scaled(1.0 / s.h, dv), dw / s.h


cdef bint are_slow(const StepContext* ctx, const int32_t* body_rows, int n,
                   double most) noexcept nogil:
    """Whether no point of bodies is faster than `most` (m/s)."""
    cdef const Motion* motion
    cdef int k
    for k in range(n):
        motion = &ctx.motions[body_rows[k]]
        if (fabs(motion.v.x) + fabs(motion.v.y)
                + fabs(motion.w) * ctx.places[body_rows[k]].bounding_radius > most):
            return False
    return True


cdef void stop(StepContext* ctx, const int32_t* body_rows, int n) noexcept nogil:
    """Stop what rounding has set in motion: under impulses that stay the same a column tips, from
    the last digit on. Contacts would stop it, too, but by impulses that are not those of rest, so
    that it would have to be solved once more. What leans on nothing keeps its momentum."""
    cdef int k
    for k in range(n):
        ctx.motions[body_rows[k]].v = vec2(0.0, 0.0)
        ctx.motions[body_rows[k]].w = 0.0
        ctx.bodies[body_rows[k]].a = vec2(0.0, 0.0)
        ctx.bodies[body_rows[k]].alpha = 0.0


cdef bint rests(StepContext* ctx, const int32_t* body_rows, int n_bodies,
                const int32_t* contact_indices, int n_contacts, int n_sub, const Piece* piece,
                SmallMemory* memory) noexcept nogil:
    cdef Rest s
    cdef Contact* c
    cdef int k
    if not are_still(ctx, body_rows, n_bodies):
        return False
    s.ctx, s.motions, s.n_bodies, s.rows = ctx, memory.motions, n_bodies, memory.rows
    s.local_row, s.h, s.ref_h = memory.local_row, piece.duration / n_sub, piece.ref_h
    if not holds(&s, body_rows, contact_indices, n_contacts):
        if s.propped and s.worst <= UNREST * s.scale:
            stop(ctx, body_rows, n_bodies)
        return False
    if s.propped and are_slow(ctx, body_rows, n_bodies, UNREST * s.scale):
        # it stays where it is, to the last bit
        stop(ctx, body_rows, n_bodies)
    else:
        go_on(&s, body_rows, n_sub)
    for k in range(n_contacts):
        c = &ctx.contacts[contact_indices[k]]
        c.sum_n += n_sub * s.rows[2 * k].p
        c.sum_t += n_sub * s.rows[2 * k + 1].p
        c.is_void = 0
    ctx.counters.direct_solves += n_sub
    ctx.counters.direct_kept += n_sub
    return True
