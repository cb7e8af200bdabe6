"""A step of one small island; small_step.pxd has the contract, docs/maths/fixed_step.md why."""

cimport cython
from libc.math cimport copysign, fabs
from libc.stdint cimport int64_t
from libc.string cimport memset

from enginecore.constants cimport LARGE
from enginecore.memory cimport hold
from enginecore.row_solver cimport LEAST_SCALE
from enginecore.scalar cimport greater, lesser
from enginecore.status cimport check
from engine2d.body cimport RESTING, BodyData
from engine2d.contact cimport ON_AHEAD, ROLLING, Contact, Pair, keep_forces, kept_force
from engine2d.solve.integrate cimport turn_by
from engine2d.solve.row cimport AT_LOW, INSIDE
from engine2d.solve.rule cimport rolling_limit
from engine2d.solve.energy cimport inverse
from engine2d.solve.small_energy cimport audit_step, keep_free, limit_gain, open_account
from engine2d.solve.press cimport is_jammed, let_stand
from engine2d.solve.small_books cimport book_sub_step
from engine2d.solve.small_gather cimport forget_rows, gather, gather_joints, hide_seams, scatter
from engine2d.solve.small_joints cimport close_springs, open_springs, solve_linked
from engine2d.solve.small_push cimport push_apart, stand_back
from engine2d.solve.small_rows cimport accelerate, predict, prepare_rows
from engine2d.solve.solver_direct cimport ANY_EFFORT, FEW_TURNS, SWEEPS_ONLY, solve_rows
from engine2d.solve.strike cimport run_strikes
from engine2d.solve.sub_step cimport MOST_GROUPED, SubStep, go_back, shift
from engine2d.vec2 cimport Vec2, add, length, scaled, sub, vec2

# Share of the threshold: contacts that close or open faster do not make a body resting.
cdef double RESTING_SHARE = 0.05
# Times the external one: a resting body is not accelerated more than this.
cdef double RESTING_FORCE = 2.0
# Times the external one: what turns the ends of a body faster was a blow.
cdef double RESTING_TURN = 10.0
# Share of the sub-step that tells what a body feels on the next edge of a bent floor.
cdef double LEAST_LEFT = 0.02
# Times slop: contacts deeper than this do not decide how an island moves.
cdef double DEEP_SLOPS = 10.0
# m/s, times the root of the unit: contacts that close or open faster are in motion.
cdef double RESTLESS_RATE = 0.01
# Times the momentum that an island has and is given: no impulse that is needed is so large.
cdef double STRESSED = 1e3
# Share of the step: a piece no longer than this is over at once.
cdef double NO_PIECE = 1e-9


cdef double step_island(StepContext* ctx, const int32_t* body_rows, int n_bodies,
                        const int32_t* contact_indices, int n_contacts,
                        const int32_t* joint_rows, int n_joints, int n_sub,
                        const Piece* piece, SmallMemory* memory) noexcept nogil:
    cdef SubStep s
    cdef int64_t failures
    cdef double gone = piece.duration
    cdef int k
    check(n_bodies <= memory.n_bodies and n_contacts <= memory.n_contacts)
    check(n_joints <= memory.n_joints)
    check(ctx.n_bodies <= memory.n_world and n_sub > 0)
    s.ctx, s.bodies, s.motions, s.contacts = ctx, memory.bodies, memory.motions, memory.contacts
    s.rows, s.direct, s.saved = memory.rows, memory.direct, memory.saved
    s.direct.least_scale = LEAST_SCALE * ctx.root
    s.links, s.riders, s.n_links, s.n_link_rows = memory.links, memory.riders, n_joints, 0
    s.duration, s.ref_h, s.may_cut = piece.duration, piece.ref_h, piece.may_cut
    s.h = piece.duration / n_sub
    s.whole_h = ctx.dt / n_sub
    gather(&s, body_rows, n_bodies, contact_indices, n_contacts, piece.start, memory.local_row)
    gather_joints(&s, memory.joints, joint_rows, piece.start, memory.local_row)
    forget_rows(&s, memory.local_row)
    hide_seams(&s)
    s.jammed = False
    open_account(&s)
    if n_joints > 0:
        open_springs(&s)
    for k in range(n_sub):
        s.start = k * s.h
        s.direct.effort = ANY_EFFORT
        predict(&s)
        run_strikes(&s)
        if s.cut >= 0.0:
            gone = s.start + s.cut
            s.h = s.cut
            go_on_together(&s)
            if s.h <= NO_PIECE * ctx.dt:
                take_velocities(&s)
                break
        prepare_rows(&s)
        accelerate(&s)
        keep_free(&s)
        if ctx.has_rules:
            resume_rolling(&s)
        failures = ctx.counters.direct_failures
        if s.n_links > 0:
            solve_linked(&s)
        else:
            choose_effort(&s)
            solve_rows(s.rows, 2 * s.n_contacts, s.motions, s.n_bodies, s.drift, s.direct,
                       &ctx.counters)
            if is_stressed(&s):
                solve_stressed(&s)
            if s.n_bodies > s.n_movable and is_jammed(&s, 2 * s.n_contacts):
                solve_jammed(&s)
            if ctx.has_rules:
                resist_rolling(&s)
            limit_gain(&s, s.direct.swept or ctx.counters.direct_failures > failures)
            note_effort(&s, ctx.counters.direct_failures > failures)
        take_impulses(&s)
        book_sub_step(&s, move(&s))
        push_apart(&s)
        if gone < piece.duration:
            break
    if n_joints > 0:
        close_springs(&s)
    if audit_step(&s):
        stand_back(&s)
    scatter(&s)
    return gone


cdef bint is_stressed(const SubStep* s) noexcept nogil:
    """Whether impulses are beyond all that motion and forces can ask for."""
    cdef const SubBody* body
    cdef double load = 0.0, most = 0.0, fastest = 0.0
    cdef int k
    for k in range(s.n_contacts):
        most = greater(most, s.rows[2 * k].p)
    for k in range(s.n_movable, s.n_bodies):
        body = &s.bodies[k]
        fastest = greater(fastest, length(body.v) + fabs(body.w) * body.bounding_radius)
    for k in range(s.n_movable):
        body = &s.bodies[k]
        load += inverse(body.inv_m) * (length(body.free_v) + length(body.v) + fastest
                                       + fabs(body.free_w) * body.bounding_radius
                                       + s.h * length(body.outer))
    return most > STRESSED * load


cdef void solve_stressed(SubStep* s) noexcept nogil:
    """Between walls that are rough enough any force holds itself, and a solution may have any: look
    for one from no impulses, and if that has them, too, sweep."""
    start_again(s)
    solve_rows(s.rows, 2 * s.n_contacts, s.motions, s.n_bodies, 0.0, s.direct, &s.ctx.counters)
    if is_stressed(s):
        s.direct.effort = SWEEPS_ONLY
        start_again(s)
        solve_rows(s.rows, 2 * s.n_contacts, s.motions, s.n_bodies, 0.0, s.direct,
                   &s.ctx.counters)


cdef void solve_jammed(SubStep* s) noexcept nogil:
    """Where a kinematic body comes on without room no velocities satisfy all contacts: look for
    some with all effort, and if there are none, it goes on alone and stands for the others."""
    s.direct.effort = ANY_EFFORT
    start_again(s)
    solve_rows(s.rows, 2 * s.n_contacts, s.motions, s.n_bodies, 0.0, s.direct, &s.ctx.counters)
    if is_jammed(s, 2 * s.n_contacts):
        let_stand(s)
        start_again(s)
        solve_rows(s.rows, 2 * s.n_contacts, s.motions, s.n_bodies, 0.0, s.direct,
                   &s.ctx.counters)


cdef void start_again(SubStep* s) noexcept nogil:
    """To what there was before the solve, without impulses to begin with."""
    cdef int k
    go_back(s)
    for k in range(2 * s.n_contacts):
        s.rows[k].p = 0.0
        s.rows[k].mode = INSIDE if k % 2 else AT_LOW


cdef bint is_restless(const SubStep* s) noexcept nogil:
    """Whether an island is in motion where it touches, or under forces of its user, which change:
    its problem is another one in every sub-step."""
    cdef const BodyData* data
    cdef int k
    if s.drift > RESTLESS_RATE * s.ctx.root:
        return True
    for k in range(s.n_contacts):
        if (s.contacts[k].gap <= s.ctx.tol.touch
                and fabs(s.contacts[k].rate) > RESTLESS_RATE * s.ctx.root):
            return True
    for k in range(s.n_movable):
        data = &s.ctx.bodies[s.bodies[k].row]
        if data.force.x != 0.0 or data.force.y != 0.0 or data.torque != 0.0:
            return True
    return False


cdef void choose_effort(SubStep* s) noexcept nogil:
    """How much work the solve may be: any at rest; in motion a few turns of Newton's method, and
    none for a while after these did not do."""
    cdef BodyData* data
    cdef int k
    cdef bint rests = s.ctx.thorough or not is_restless(s)
    if rests:
        for k in range(s.n_movable):
            s.ctx.bodies[s.bodies[k].row].restless = 0
        return
    s.direct.effort = FEW_TURNS
    for k in range(s.n_movable):
        data = &s.ctx.bodies[s.bodies[k].row]
        if data.restless & TIRED:
            data.restless = 0
        elif data.restless > 0:
            data.restless -= 1
            s.direct.effort = SWEEPS_ONLY


cdef void note_effort(SubStep* s, bint failed) noexcept nogil:
    """After the solve: an island that had to be swept is, for a while; so is one at rest that no
    effort settled, if it is large enough to be solved by sweeps."""
    cdef int k
    if failed and s.direct.effort == ANY_EFFORT and s.n_contacts >= LARGE and not s.ctx.thorough:
        for k in range(s.n_movable):
            s.ctx.bodies[s.bodies[k].row].restless = TIRED + TIRED_STEPS
    if s.direct.effort == FEW_TURNS and s.direct.swept:
        for k in range(s.n_movable):
            s.ctx.bodies[s.bodies[k].row].restless = RESTLESS
    if s.direct.effort == SWEEPS_ONLY:
        # of positions: these have nothing to start from
        s.direct.effort = FEW_TURNS


cdef inline Pair* rolling_pair(SubStep* s, const SubContact* m) noexcept nogil:
    """The pair of a contact that resists rolling, if it is the pair's first; else NULL."""
    cdef Pair* pair = &s.ctx.pairs[s.ctx.contacts[m.contact].pair]
    return pair if pair.flags & ROLLING and pair.first == m.contact else NULL


cdef void resume_rolling(SubStep* s) noexcept nogil:
    """Begin with the torques that resisted rolling in the last sub-step."""
    cdef const SubContact* m
    cdef const Pair* pair
    cdef int k
    for k in range(s.n_contacts):
        m = &s.contacts[k]
        pair = rolling_pair(s, m)
        if pair != NULL:
            s.motions[m.a].w += s.bodies[m.a].inv_I * s.h * pair.roll
            s.motions[m.b].w -= s.bodies[m.b].inv_I * s.h * pair.roll


cdef void resist_rolling(SubStep* s) noexcept nogil:
    """Bring those torques up to date: what stops the turning of A against B, within their limit."""
    cdef const SubContact* m
    cdef Pair* pair
    cdef double yields, most, torque
    cdef int k
    for k in range(s.n_contacts):
        m = &s.contacts[k]
        pair = rolling_pair(s, m)
        yields = s.bodies[m.a].inv_I + s.bodies[m.b].inv_I
        if pair == NULL or yields == 0.0:
            continue
        most = rolling_limit(pair, &s.ctx.contacts[m.contact], s.rows[2 * k].p)
        torque = s.h * pair.roll - (s.motions[m.a].w - s.motions[m.b].w) / yields
        torque = greater(-most, lesser(torque, most))
        s.motions[m.a].w += s.bodies[m.a].inv_I * (torque - s.h * pair.roll)
        s.motions[m.b].w -= s.bodies[m.b].inv_I * (torque - s.h * pair.roll)
        pair.roll = copysign(kept_force(fabs(torque), fabs(pair.roll), s.h, s.whole_h), torque)


cdef void go_on_together(SubStep* s) noexcept nogil:
    """After a cut nobody waits: all go to the moment of it, and are looked at again there."""
    cdef int k
    for k in range(s.n_bodies):
        if not s.bodies[k].through:
            s.bodies[k].waits = False
            s.bodies[k].carried_by = -1


cdef void take_velocities(SubStep* s) noexcept nogil:
    """Of a piece that is over at once: blows change velocities, and nothing else happens."""
    cdef SubBody* body
    cdef int k
    for k in range(s.n_movable):
        body = &s.bodies[k]
        if not body.through:
            body.v = add(body.v, scaled(body.consumed, body.a))
            body.w += body.consumed * body.alpha


# --------------------------------------------------------------------------------- after the solve

cdef void take_impulses(SubStep* s) noexcept nogil:
    """Rows back into contacts; which bodies bear load, and whether steadily."""
    cdef Contact* c
    cdef const SubContact* m
    cdef const Row* n
    cdef const Row* t
    cdef int k
    for k in range(s.n_contacts):
        m = &s.contacts[k]
        c = &s.ctx.contacts[m.contact]
        n = &s.rows[2 * k]
        t = &s.rows[2 * k + 1]
        keep_forces(c, n.p, t.p, s.h, s.whole_h)
        c.mode_n, c.mode_t = n.mode, t.mode
        c.sum_n += n.p
        c.sum_t += t.p
        if n.p > 0.0:
            s.bodies[m.a].bears = s.bodies[m.b].bears = True
            if fabs(m.rate) > RESTING_SHARE * s.threshold and not c.flags & ON_AHEAD:
                s.bodies[m.a].unsteady = s.bodies[m.b].unsteady = True


cdef bint would_sink(const SubStep* s) noexcept nogil:
    """Whether the trapezoid rule would take a contact that bears load below the slop."""
    cdef const SubContact* m
    cdef const Row* n
    cdef double rate, slop = s.ctx.tol.slop
    cdef int k
    for k in range(s.n_contacts):
        m = &s.contacts[k]
        n = &s.rows[2 * k]
        if n.p > 0.0 and m.gap > -DEEP_SLOPS * slop:
            rate = n_rate(n, &s.motions[m.a], &s.motions[m.b]) + m.turn_n
            if m.gap + 0.5 * s.h * (m.rate + rate) < -slop:
                return True
    return False


cdef inline double n_rate(const Row* row, const Motion* a, const Motion* b) noexcept nogil:
    return (row.ja[0] * a.v.x + row.ja[1] * a.v.y + row.ja[2] * a.w
            + row.jb[0] * b.v.x + row.jb[1] * b.v.y + row.jb[2] * b.w)


cdef bint move(SubStep* s) noexcept nogil:
    """Move by the mean of old and new velocity; by the new one where that would sink something.
    Returns whether that was so."""
    cdef SubBody* body
    cdef const Motion* new
    cdef double left, share
    cdef bint sinks = would_sink(s), struck = False
    cdef int k
    for k in range(s.n_bodies):
        body = &s.bodies[k]
        new = &s.motions[k]
        struck = struck or body.waits or body.consumed > 0.0
        left = s.h - body.consumed if body.movable else s.h
        if body.waits:
            left = 0.0
        share = 0.0 if sinks else 0.5
        if not body.movable:
            shift(body, scaled(left, body.v), left * body.w)
            continue
        shift(body, vec2(left * (new.v.x + share * (body.old_v.x - new.v.x)),
                         left * (new.v.y + share * (body.old_v.y - new.v.y))),
              left * (new.w + share * (body.old_w - new.w)))
        body.v, body.w = new.v, new.w
        body.speed = length(body.v) + fabs(body.w) * body.bounding_radius
        if not body.through:
            note_steady(s, body, left, sinks)
    if struck and s.n_bodies == s.n_movable:
        move_together(s, 1.0 if sinks else 0.5)
    for k in range(s.n_movable):
        if s.bodies[k].waits and s.bodies[k].carried_by >= 0:
            carry(s, &s.bodies[k], &s.bodies[s.bodies[k].carried_by])
    return sinks


cdef inline double time_left(const SubStep* s, const SubBody* body) noexcept nogil:
    return 0.0 if body.waits else s.h - body.consumed


cdef void move_together(SubStep* s, double share) noexcept nogil:
    """What two bodies gave each other has moved both for the same time: else their common centre
    would not go straight on. So the whole island is shifted by what that is off. (Not the one body
    of a pair that went longer: a light one between two heavy ones bears impulses that only
    together are small.) Only where nothing immovable is near: what keeps a body off a wall must
    keep its way. share: of the time that a change of velocity acts on."""
    cdef const SubContact* m
    cdef const Row* n
    cdef const Row* t
    cdef Vec2 off = vec2(0.0, 0.0)
    cdef double early, mass = 0.0
    cdef int k
    for k in range(s.n_contacts):
        m = &s.contacts[k]
        n, t = &s.rows[2 * k], &s.rows[2 * k + 1]
        early = share * (time_left(s, &s.bodies[m.a]) - time_left(s, &s.bodies[m.b]))
        off = sub(off, vec2(early * (n.p * n.ja[0] + t.p * t.ja[0]),
                            early * (n.p * n.ja[1] + t.p * t.ja[1])))
    if off.x == 0.0 and off.y == 0.0:
        return
    for k in range(s.n_movable):
        mass += inverse(s.bodies[k].inv_m)
    for k in range(s.n_movable):
        shift(&s.bodies[k], scaled(1.0 / mass, off), 0.0)


cdef void carry(const SubStep* s, SubBody* body, const SubBody* by) noexcept nogil:
    """Take a body that waits along with what it met and cannot wait, which has been moved already,
    for the rest of the sub-step: else that would come into it, or leave it behind."""
    cdef double left = s.h - body.consumed
    cdef Vec2 way = scaled(left, by.v), arm = sub(body.x, sub(by.x, way))
    shift(body, add(way, sub(turn_by(arm, left * by.w), arm)), left * by.w)


cdef inline void note_steady(SubStep* s, SubBody* body, double left, bint sinks) noexcept nogil:
    """Keep what a body felt, if it bore load steadily through the whole sub-step."""
    cdef BodyData* data = &s.ctx.bodies[body.row]
    cdef int was = data.flags & RESTING
    data.flags = data.flags & ~RESTING
    if not body.bears or body.unsteady or sinks or body.waits or (
            left < s.h and not (body.turned_on and left > LEAST_LEFT * s.h)):
        return
    if s.h < 0.5 * s.ref_h:
        # cut short: what it felt there is no acceleration
        data.flags = data.flags | was
        return
    data.a = scaled(1.0 / left, sub(body.v, body.old_v))
    data.alpha = (body.w - body.old_w) / left
    if (length(data.a) <= RESTING_FORCE * s.force
            and fabs(data.alpha) * body.bounding_radius <= RESTING_TURN * s.force):
        data.flags = data.flags | RESTING


# ------------------------------------------------------------------------------------------ memory

@cython.final
cdef class SmallWorkspace:

    def __cinit__(self):
        memset(&self.memory, 0, sizeof(SmallMemory))
        self._direct = DirectWorkspace()
        self.memory.direct = &self._direct.memory
        self._arrays = [None] * 8

    cdef int reserve(self, int n_bodies, int n_contacts, int n_world, int n_joints,
                     int n_joint_rows) except -1 nogil:
        """Make room for an island in a world; call before `step_island`."""
        cdef const SmallMemory* m = &self.memory
        if (n_bodies <= m.n_bodies and n_contacts <= m.n_contacts and n_world <= m.n_world
                and n_joints <= m.n_joints and n_joint_rows <= m.n_joint_rows):
            return 0
        return self.grow(n_bodies, n_contacts, n_world, n_joints, n_joint_rows)

    cdef int grow(self, int n_bodies, int n_contacts, int n_world, int n_joints,
                  int n_joint_rows) except -1 with gil:
        cdef SmallMemory* m = &self.memory
        cdef Py_ssize_t bodies, rows
        if (n_bodies > m.n_bodies or n_contacts > m.n_contacts or n_joints > m.n_joints
                or n_joint_rows > m.n_joint_rows):
            m.n_joints = max(n_joints, m.n_joints)
            m.n_joint_rows = max(n_joint_rows, m.n_joint_rows)
            m.n_bodies = max(n_bodies, m.n_bodies)
            m.n_contacts = max(n_contacts, m.n_contacts)
            bodies = m.n_bodies + 2 * m.n_contacts + 2 * m.n_joints + 3
            rows = 2 * max(<int>MOST_GROUPED, m.n_contacts) + m.n_joint_rows
            m.links = <Link*>hold(self._arrays, 5, m.n_joints, sizeof(Link))
            m.riders = <Rider*>hold(self._arrays, 6, (bodies if m.n_joints else 0), sizeof(Rider))
            m.bodies = <SubBody*>hold(self._arrays, 0, bodies, sizeof(SubBody))
            m.saved = <SubBody*>hold(self._arrays, 7, bodies, sizeof(SubBody))
            m.motions = <Motion*>hold(self._arrays, 1, bodies, sizeof(Motion))
            m.contacts = <SubContact*>hold(self._arrays, 2, (m.n_contacts + 1), sizeof(SubContact))
            m.rows = <Row*>hold(self._arrays, 3, rows, sizeof(Row))
            self._direct.reserve(<int>rows, <int>bodies)
        if n_world > m.n_world:
            m.n_world = n_world
            m.local_row = <int32_t*>hold(self._arrays, 4, n_world, sizeof(int32_t))
            memset(m.local_row, -1, n_world * sizeof(int32_t))
        return 0
