"""A step of one small island; small_step.pxd has the contract, docs/maths/fixed_step.md why."""

cimport cython
from libc.math cimport INFINITY, exp, fabs
from libc.stdint cimport int64_t
from libc.string cimport memset

from enginecore.constants cimport LARGE
from enginecore.memory cimport hold
from enginecore.scalar cimport greater, lesser
from enginecore.status cimport check
from engine2d.body cimport DYNAMIC, KINEMATIC, STATIC, RESTING, BodyData, Place
from engine2d.contact cimport (
    ASLEEP, OLD, ON_AHEAD, ROLLING, STRUCK, VOID, YIELDING, Contact, Pair, keep_impulses,
    kept_scale,
)
from engine2d.collide.facing cimport faces, is_floor, is_hidden, is_on_hull
from engine2d.solve.axes cimport write_axes as write_axes_of
from engine2d.solve.integrate cimport move_body, place_kinematic, turn_by
from engine2d.joint.joint cimport Frame
from engine2d.joint.link cimport (
    calm, cap_drags, loosen, position_rows, prepare_links, spring_energy, stiffen, take_links)
from engine2d.collide.narrow_phase cimport Touch, refresh
from engine2d.pose cimport Pose, to_world
from engine2d.solve.row cimport AT_LOW, INSIDE
from engine2d.solve.rule cimport drive_of, rolling_limit
from engine2d.solve.small_energy cimport (
    audit_step, has_given, hold_back, keep_free, kinematic_work, limit_gain, open_account,
    outer_work_of_push)
from engine2d.solve.rest cimport DEAD_BAND, STILL
from engine2d.solve.small_books cimport book_sub_step
from engine2d.solve.solver_direct cimport (
    ANY_EFFORT, FEW_TURNS, LEAST_SCALE, SWEEPS_ONLY, solve_rows,
)
from engine2d.solve.strike cimport (
    MOST_GROUPED, SubStep, is_driver, is_jammed, let_stand, place_frame, pose_at,
    pose_without_force, run_strikes)
from engine2d.vec2 cimport Vec2, add, cross, dot, length, scaled, sub, vec2

# rad: beyond this in a sub-step the c terms, expansions of the rotation, mean nothing.
cdef double MOST_SPIN = 0.5
# Times touch: the gap up to which a contact that bore load counts as in touch.
cdef double TOUCH_LOADED = 20.0
# Share of the threshold: contacts that close or open faster do not make a body resting.
cdef double RESTING_SHARE = 0.05
# Times the external one: a resting body is not accelerated more than this.
cdef double RESTING_FORCE = 2.0
# Times the external one: what turns the ends of a body faster was a blow.
cdef double RESTING_TURN = 10.0
# Share of the sub-step that tells what a body feels on the next edge of a bent floor.
cdef double LEAST_LEFT = 0.02
# Cosine: contacts whose normals differ less are one floor.
cdef double LEVEL = 0.999
# Share of its reach: how near to its centre a contact bears a body alone.
cdef double ON_CENTRE = 1e-9
# Of gravity times its speed: a body that was given more power has it from others that move.
cdef double DRIVEN = 0.01
# Times slop: contacts deeper than this do not decide how an island moves.
cdef double DEEP_SLOPS = 10.0
# m, the most that a sub-step pushes an overlap apart, for bodies of about a metre; and in long ones
# m/s.
cdef double MOST_PUSH = 0.02
cdef double PUSH_SPEED = 2.4
# Times that: no body goes farther in a correction; where nothing solved it, a push may be anything.
cdef double FARTHEST_PUSH = 2.0
# m: overlaps below this are corrected slowly where that lifts bodies, for bodies of about a metre.
cdef double SHALLOW = 0.01
# m/s: closing speeds below this are rounding.
cdef double NO_SPEED = 1e-9
# Share of its thickness that a struck body may stray from its way within a step before it is looked
# at again: it meets then what it did not face when the step began.
cdef double FREE_WAY = 0.25
# m: how far a circle's centre may be from the centre of mass for its spin not to matter.
cdef double CENTRED = 1e-12
# Relative change of an inertia under tension that asks for another solve, and how many there are.
cdef double STIFFENED = 0.2
cdef enum:
    MOST_SOLVES = 3
    MOST_PROJECTIONS = 4
# Times the error before, and m or rad: a correction that leaves more did harm, and is taken back.
cdef double MOST_GROWN = 2.0
cdef double HARM = 1e-4
# m or rad: errors of joints below this are rounding; beyond the other one a correction is not
# enough.
cdef double NO_ERROR = 1e-11
cdef double ERROR_LEFT = 1e-7
# m/s, times the root of the unit: contacts that close or open faster are in motion.
cdef double RESTLESS_RATE = 0.01
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
    s.full = <double>n_sub / SUB_STEPS
    gather(&s, body_rows, n_bodies, contact_indices, n_contacts, piece.start, memory.local_row)
    gather_joints(&s, memory.joints, joint_rows, piece.start, memory.local_row)
    forget_rows(&s, memory.local_row)
    hide_seams(&s)
    s.jammed = False
    open_account(&s)
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
        s.share = s.h * SUB_STEPS / ctx.dt
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
    audit_step(&s)
    scatter(&s)
    return gone


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
            s.motions[m.a].w += s.bodies[m.a].inv_I * s.share * pair.roll
            s.motions[m.b].w -= s.bodies[m.b].inv_I * s.share * pair.roll


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
        torque = s.share * pair.roll - (s.motions[m.a].w - s.motions[m.b].w) / yields
        torque = greater(-most, lesser(torque, most))
        s.motions[m.a].w += s.bodies[m.a].inv_I * (torque - s.share * pair.roll)
        s.motions[m.b].w -= s.bodies[m.b].inv_I * (torque - s.share * pair.roll)
        pair.roll = torque * kept_scale(fabs(torque), fabs(pair.roll), 1.0 / s.share, s.full)


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


# ---------------------------------------------------------------------------------- in and out

cdef int32_t add_mover(SubStep* s, int32_t row) noexcept nogil:
    cdef SubBody* body = &s.bodies[s.n_bodies]
    cdef const Motion* motion = &s.ctx.motions[row]
    cdef const Place* place = &s.ctx.places[row]
    body.row = row
    body.movable = s.ctx.bodies[row].kind == DYNAMIC
    body.x, body.angle, body.pose = place.x, place.angle, place.pose
    body.v, body.w = motion.v, motion.w
    body.inv_m = motion.inv_m if body.movable else 0.0
    body.inv_I = motion.inv_I if body.movable else 0.0
    body.local_center, body.bounding_radius = s.ctx.bodies[row].local_center, place.bounding_radius
    body.swept_radius = s.ctx.bodies[row].swept_radius
    body.free_way = FREE_WAY * s.ctx.bodies[row].thickness
    body.through = body.movable and not s.ctx.left[row] > 0.0
    body.waits = body.through
    body.struck_dv = 0.0
    body.carried_by = -1
    body.a = body.outer = vec2(0.0, 0.0)
    body.alpha = body.outer_turn = body.consumed = 0.0
    body.speed = length(body.v) + fabs(body.w) * body.bounding_radius
    s.n_bodies += 1
    return s.n_bodies - 1


cdef int32_t add_support(SubStep* s, int32_t row, double start) noexcept nogil:
    """A body that is not dynamic, where it is at this time (s) of the step."""
    if s.ctx.bodies[row].kind == KINEMATIC:
        place_kinematic(&s.ctx.bodies[row], &s.ctx.motions[row], &s.ctx.before[row], start,
                        &s.ctx.places[row])
    return add_mover(s, row)


cdef int32_t find_mover(SubStep* s, int32_t row, bint stands, double start,
                        int32_t* local_row) noexcept nogil:
    """The mover of a body; stands: one of its own that does not move, of a kinematic body."""
    cdef int32_t k
    if stands and s.ctx.bodies[row].kind == KINEMATIC:
        k = add_support(s, row, start)
        s.bodies[k].v, s.bodies[k].w, s.bodies[k].speed = vec2(0.0, 0.0), 0.0, 0.0
        return k
    if local_row[row] < 0:
        local_row[row] = add_support(s, row, start)
    return local_row[row]


cdef void gather(SubStep* s, const int32_t* body_rows, int n_bodies,
                 const int32_t* contact_indices, int n_contacts, double start,
                 int32_t* local_row) noexcept nogil:
    """Bodies and contacts of the island side by side; bodies it only leans on come last."""
    cdef SubContact* m
    cdef Contact* c
    cdef int k
    s.n_bodies, s.n_movable, s.n_contacts = 0, n_bodies, n_contacts
    for k in range(n_bodies):
        local_row[body_rows[k]] = add_mover(s, body_rows[k])
    for k in range(n_contacts):
        m = &s.contacts[k]
        m.contact = contact_indices[k]
        c = &s.ctx.contacts[m.contact]
        m.yields = s.ctx.pairs[c.pair].flags & YIELDING != 0
        m.a = find_mover(s, c.a, m.yields, start, local_row)
        m.b = find_mover(s, c.b, m.yields, start, local_row)
        m.fresh, m.ready = True, False
        if c.flags & ASLEEP:
            c.sum_n = c.sum_t = c.hit_speed = 0.0
            c.flags = c.flags & ~(ASLEEP | STRUCK)
        if not c.flags & OLD:
            c.pn = c.pt = 0.0
            c.mode_n, c.mode_t = AT_LOW, INSIDE


cdef inline SubBody* mover_on_static(SubStep* s, const SubContact* m) noexcept nogil:
    """The body that a contact holds against something static; NULL: there is none."""
    cdef const Contact* c = &s.ctx.contacts[m.contact]
    if s.ctx.bodies[c.a].kind == STATIC:
        return &s.bodies[m.b]
    return &s.bodies[m.a] if s.ctx.bodies[c.b].kind == STATIC else NULL


cdef void hide_seams(SubStep* s) noexcept nogil:
    """What a body glides onto is flush with what it stands on: its sides and corners are not in the
    way, though they may be a little above where the body has sunk to."""
    cdef SubBody* body
    cdef SubContact* m
    cdef const Contact* c
    cdef Vec2 up
    cdef bint several = False
    cdef int k, j
    for k in range(s.n_movable):
        s.bodies[k].floors[0] = s.bodies[k].floors[1] = -1
    for k in range(s.n_contacts):
        m = &s.contacts[k]
        m.hidden = False
        body = mover_on_static(s, m)
        if body == NULL:
            continue
        if body.floors[0] < 0:
            body.floors[0] = m.contact
        elif s.ctx.contacts[body.floors[0]].pair != s.ctx.contacts[m.contact].pair:
            several = True
    if not several:
        return
    for k in range(s.n_movable):
        s.bodies[k].floors[0] = -1
    for k in range(s.n_contacts):
        m = &s.contacts[k]
        c = &s.ctx.contacts[m.contact]
        body = mover_on_static(s, m)
        if body == NULL or body.floors[1] >= 0 or not is_floor(s.ctx, c, &up):
            continue
        if body.floors[0] < 0:
            body.floors[0] = m.contact
        elif s.ctx.contacts[body.floors[0]].pair != c.pair:
            body.floors[1] = m.contact
    for k in range(s.n_contacts):
        m = &s.contacts[k]
        body = mover_on_static(s, m)
        if body == NULL:
            continue
        for j in range(2):
            if (body.floors[j] >= 0 and not m.hidden
                    and is_hidden(s.ctx, &s.ctx.contacts[m.contact],
                                  &s.ctx.contacts[body.floors[j]])):
                m.hidden = True
                s.ctx.pairs[s.ctx.contacts[m.contact].pair].recycling_margin = -1.0


cdef void forget_rows(SubStep* s, int32_t* local_row) noexcept nogil:
    """The table of sub-step bodies is empty between the calls."""
    cdef int k
    for k in range(s.n_bodies):
        if s.bodies[k].row >= 0:
            local_row[s.bodies[k].row] = -1


cdef void scatter(SubStep* s) noexcept nogil:
    cdef const SubBody* body
    cdef Motion* motion
    cdef int k
    for k in range(s.n_movable):
        body = &s.bodies[k]
        motion = &s.ctx.motions[body.row]
        motion.v, motion.w = body.v, body.w
        if s.n_links > 0:
            s.ctx.bodies[body.row].last_w = s.riders[k].last_w
        move_body(&s.ctx.bodies[body.row], body.x, body.angle, motion, &s.ctx.places[body.row])


# -------------------------------------------------------------------------------- before the solve

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
        if not s.ctx.contacts[m.contact].pn > 0.0:
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
    """External accelerations, and those expected for the ways: of a body that bears load steadily,
    what it felt last time."""
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
    """Rows of all contacts at mid-step, with their c and gap terms."""
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


cdef inline void write_axes(const Touch* at, const SubBody* a, const Pose* pose_a, const SubBody* b,
                            const Pose* pose_b, Row* n, Row* t) noexcept nogil:
    """Jacobians of a contact of two sub-step bodies that is up to date with these poses."""
    write_axes_of(at, pose_a, a.local_center, pose_b, b.local_center, n, t)


cdef inline double rate_of(const Row* row, const SubBody* a, const SubBody* b) noexcept nogil:
    return (row.ja[0] * a.v.x + row.ja[1] * a.v.y + row.ja[2] * a.w
            + row.jb[0] * b.v.x + row.jb[1] * b.v.y + row.jb[2] * b.w)


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
    if c.pn > 0.0:
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
    n.p, t.p, n.mode, t.mode = s.share * c.pn, s.share * c.pt, c.mode_n, c.mode_t


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
        m.gap <= s.ctx.tol.touch or (c.pn > 0.0 and m.gap < TOUCH_LOADED * s.ctx.tol.touch))
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
    """Bring struck bodies to their own time, and give all the external acceleration of the rest.

    Damping is exact for a constant force: v' = a - c v.
    """
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


# ------------------------------------------------------------------------------------------ joints

cdef int32_t add_world(SubStep* s) noexcept nogil:
    """The world as a sub-step body that joints hold on to."""
    cdef SubBody* body = &s.bodies[s.n_bodies]
    memset(body, 0, sizeof(SubBody))
    body.row = body.carried_by = -1
    body.pose.q = vec2(1.0, 0.0)
    s.n_bodies += 1
    return s.n_bodies - 1


cdef void gather_joints(SubStep* s, JointData* joints, const int32_t* joint_rows, double start,
                        int32_t* local_row) noexcept nogil:
    """The joints of the island, and what they hold on to."""
    cdef Link* link
    cdef int32_t k, row, world = -1
    cdef int side
    for k in range(s.n_links):
        link = &s.links[k]
        link.joint = &joints[joint_rows[k]]
        link.first, link.n = 2 * s.n_contacts + s.n_link_rows, link.joint.n_rows
        s.n_link_rows += link.n
        for side in range(2):
            row = link.joint.b if side else link.joint.a
            if row < 0 and world < 0:
                world = add_world(s)
            elif row >= 0 and local_row[row] < 0:
                local_row[row] = add_support(s, row, start)
        link.a = world if link.joint.a < 0 else local_row[link.joint.a]
        link.b = world if link.joint.b < 0 else local_row[link.joint.b]
    if s.n_links > 0:
        for k in range(s.n_bodies):
            memset(&s.riders[k], 0, sizeof(Rider))
            if s.bodies[k].row >= 0:
                s.riders[k].last_w = s.ctx.bodies[s.bodies[k].row].last_w


cdef inline Frame frame_at(const SubBody* body, const Pose* pose, double turned) noexcept nogil:
    cdef Frame out
    out.q, out.center, out.angle = pose.q, body.local_center, body.angle + turned
    out.x = to_world(pose, body.local_center)
    return out


cdef void see_riders(SubStep* s) noexcept nogil:
    """The sub-step bodies as their joints see them."""
    cdef int k
    cdef const SubBody* body
    cdef Rider* out
    for k in range(s.n_bodies):
        body, out = &s.bodies[k], &s.riders[k]
        out.start = frame_at(body, &body.pose, 0.0)
        out.start.x = body.x
        out.v, out.w, out.inv_m, out.inv_I = body.v, body.w, body.inv_m, body.inv_I
        out.movable, out.row = body.movable, body.row


cdef void prepare_joints(SubStep* s) noexcept nogil:
    """Rows of all joints at mid-step, after those of the contacts."""
    cdef int k
    cdef const SubBody* body
    cdef Rider* out
    cdef double t
    see_riders(s)
    for k in range(s.n_bodies):
        body, out = &s.bodies[k], &s.riders[k]
        t = body.consumed if body.waits and body.consumed < s.h else s.h
        out.mid = frame_at(body, &body.mid, 0.5 * t * body.w)
        out.end = frame_at(body, &body.end, t * body.w)
    s.drift = greater(s.drift, prepare_links(s.links, s.n_links, s.riders, s.h, s.share,
                                             s.ctx.tol.touch, s.rows))


cdef void solve_linked(SubStep* s) noexcept nogil:
    """All rows at once, with the inertia that tension gives, which follows from the forces of the
    same solve."""
    cdef int k, _solve, n = 2 * s.n_contacts + s.n_link_rows
    cdef double changed
    cdef int64_t failures = s.ctx.counters.direct_failures
    stiffen(s.links, s.n_links, s.riders, s.n_bodies, s.h, s.rows, s.motions)
    calm(s.riders, s.n_bodies, s.h, s.motions)
    keep_free(s)
    solve_rows(s.rows, n, s.motions, s.n_bodies, s.drift, s.direct, &s.ctx.counters)
    for _solve in range(MOST_SOLVES):
        changed = stiffen(s.links, s.n_links, s.riders, s.n_bodies, s.h, s.rows, s.motions)
        if not cap_drags(s.links, s.n_links, s.h, s.rows) and changed < STIFFENED:
            break
        go_back(s)
        failures = s.ctx.counters.direct_failures
        solve_rows(s.rows, n, s.motions, s.n_bodies, s.drift, s.direct, &s.ctx.counters)
    if s.ctx.counters.direct_failures > failures and has_given(s):
        solve_again(s, n)
    # what joints and bodies that move by themselves give is no gain
    s.work += take_links(s.links, s.n_links, s.riders, s.motions, s.rows, s.share, s.h,
                         s.threshold, &s.ctx.books)
    s.work += kinematic_work(s)
    for k in range(s.n_movable):
        s.riders[k].last_w = s.bodies[k].w
    for k in range(s.n_links):
        s.bodies[s.links[k].a].bears = s.bodies[s.links[k].b].bears = True
        s.bodies[s.links[k].a].unsteady = s.bodies[s.links[k].b].unsteady = True


cdef void solve_again(SubStep* s, int n) noexcept nogil:
    """Where nothing solved the rows and those that hold gave energy: joints give a little, and if
    that does no good all count less."""
    cdef int64_t failures = s.ctx.counters.direct_failures
    go_back(s)
    loosen(s.links, s.n_links, s.riders, s.rows)
    solve_rows(s.rows, n, s.motions, s.n_bodies, s.drift, s.direct, &s.ctx.counters)
    if s.ctx.counters.direct_failures > failures and has_given(s):
        hold_back(s)


cdef void go_back(SubStep* s) noexcept nogil:
    """To the velocities before the solve."""
    cdef int k
    for k in range(s.n_movable):
        s.motions[k].v, s.motions[k].w = s.bodies[k].free_v, s.bodies[k].free_w


cdef void push_linked(SubStep* s, double most, double least) noexcept nogil:
    """`push_apart` with joints: they are held to rounding, overlaps are corrected as they may."""
    cdef int _pass, k
    cdef double worst, share = 0.0, before = INFINITY
    see_riders(s)
    s.work += spring_energy(s.links, s.n_links, s.riders, s.h)
    for _pass in range(MOST_PROJECTIONS + 1):
        see_riders(s)
        worst = position_rows(s.links, s.n_links, s.riders, NULL)
        if not worst <= greater(MOST_GROWN * before, HARM * s.ctx.unit):
            # better as it was: nothing solved the last correction
            for k in range(s.n_movable):
                shift(&s.bodies[k], scaled(-share, s.motions[k].v), -share * s.motions[k].w)
            break
        before = worst
        if _pass == MOST_PROJECTIONS:
            break
        if not least < -s.ctx.tol.slop and worst <= (
                NO_ERROR if _pass == 0 else ERROR_LEFT) * s.ctx.unit:
            break
        s.ctx.counters.projections += 1
        refresh_all(s)
        write_push_rows(s, most if _pass == 0 else 0.0)
        for k in range(s.n_links):
            s.links[k].first -= s.n_contacts
        position_rows(s.links, s.n_links, s.riders, s.rows)
        for k in range(s.n_links):
            s.links[k].first += s.n_contacts
        solve_rows(s.rows, s.n_contacts + s.n_link_rows, s.motions, s.n_bodies, 0.0, s.direct,
                   &s.ctx.counters)
        # overlaps are corrected in the first pass, and only as far as they may be
        share = share_of_push(s, most, least if _pass == 0 and least < -s.ctx.tol.slop
                              else -INFINITY)
        least = 0.0
        s.ctx.books.projection -= share * outer_work_of_push(s)
        for k in range(s.n_movable):
            shift(&s.bodies[k], scaled(share, s.motions[k].v), share * s.motions[k].w)
    refresh_all(s)
    see_riders(s)
    # a correction that loads springs is paid for
    s.work -= spring_energy(s.links, s.n_links, s.riders, s.h)


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
        keep_impulses(c, n.p, t.p, 1.0 / s.share, s.full)
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
    """What two bodies gave each other has moved both for the same time, that of the one struck
    last: else their common centre would not go straight on. Only where nothing immovable is near:
    what keeps a body off a wall must keep its way. share: of the time that a change of velocity
    acts on."""
    cdef const SubContact* m
    cdef SubBody* a
    cdef SubBody* b
    cdef double early
    cdef int k
    for k in range(s.n_contacts):
        m = &s.contacts[k]
        a, b = &s.bodies[m.a], &s.bodies[m.b]
        early = time_left(s, a) - time_left(s, b)
        if early == 0.0 or not (a.movable and b.movable) or not s.rows[2 * k].p > 0.0:
            continue
        if early > 0.0:
            take_way(a, share * early, s.rows[2 * k].p, s.rows[2 * k].ja)
            take_way(a, share * early, s.rows[2 * k + 1].p, s.rows[2 * k + 1].ja)
        else:
            take_way(b, -share * early, s.rows[2 * k].p, s.rows[2 * k].jb)
            take_way(b, -share * early, s.rows[2 * k + 1].p, s.rows[2 * k + 1].jb)


cdef inline void take_way(SubBody* body, double t, double p, const double* j) noexcept nogil:
    """Take back the way that a row's impulse (N s) moved a body in a time (s)."""
    shift(body, scaled(-t * p * body.inv_m, vec2(j[0], j[1])), -t * p * body.inv_I * j[2])


cdef void carry(const SubStep* s, SubBody* body, const SubBody* by) noexcept nogil:
    """Take a body that waits along with what it met and cannot wait, which has been moved already,
    for the rest of the sub-step: else that would come into it, or leave it behind."""
    cdef double left = s.h - body.consumed
    cdef Vec2 way = scaled(left, by.v), arm = sub(body.x, sub(by.x, way))
    shift(body, add(way, sub(turn_by(arm, left * by.w), arm)), left * by.w)


cdef inline void shift(SubBody* body, Vec2 dx, double turned) noexcept nogil:
    body.pose = place_frame(body, dx.x, dx.y, turned)
    body.x = add(body.x, dx)
    body.angle += turned


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


cdef double refresh_all(SubStep* s) noexcept nogil:
    """Bring all contacts up to date, but those that stand still; the least gap."""
    cdef SubContact* m
    cdef Contact* c
    cdef double least = INFINITY
    cdef int k
    for k in range(s.n_contacts):
        m = &s.contacts[k]
        c = &s.ctx.contacts[m.contact]
        if not (m.ready and m.fresh
                and s.bodies[m.a].speed + s.bodies[m.b].speed <= STILL * s.ctx.root):
            refresh(&c.at, &s.bodies[m.a].pose, &s.bodies[m.b].pose)
            m.fresh = True
            m.ready = False
        if c.at.gap < -s.ctx.tol.slop and c.is_void != VOID and not faces(
                s.ctx, c, &s.bodies[m.a].pose, &s.bodies[m.b].pose):
            c.is_void = VOID
        if c.is_void != VOID and not is_left_alone(s, m):
            least = lesser(c.at.gap, least)
    return least


cdef inline bint is_left_alone(const SubStep* s, const SubContact* m) noexcept nogil:
    """Whether an overlap is not corrected: a kinematic body is in it that found no room."""
    return m.yields or (s.jammed and (is_driver(s, &s.bodies[m.a])
                                      or is_driver(s, &s.bodies[m.b])))


cdef void push_apart(SubStep* s) noexcept nogil:
    """Correct positions where bodies overlap by more than the slop; velocities stay as they are."""
    cdef double most = greater(MOST_PUSH * s.ctx.unit, PUSH_SPEED * s.ctx.root * s.h)
    cdef double least = refresh_all(s), share
    cdef int k
    if s.n_links > 0:
        push_linked(s, most, least)
        return
    if not least < -s.ctx.tol.slop:
        return
    s.ctx.counters.projections += 1
    write_push_rows(s, most)
    solve_rows(s.rows, s.n_contacts, s.motions, s.n_bodies, 0.0, s.direct, &s.ctx.counters)
    share = share_of_push(s, most, least)
    s.ctx.books.projection -= share * outer_work_of_push(s)
    for k in range(s.n_movable):
        shift(&s.bodies[k], scaled(share, s.motions[k].v), share * s.motions[k].w)
    refresh_all(s)


cdef void write_push_rows(SubStep* s, double most) noexcept nogil:
    """One row a contact: its gap after a displacement; at rest to begin with."""
    cdef Contact* c
    cdef Row* n
    cdef Row spare
    cdef SubContact* m
    cdef int k
    for k in range(s.n_contacts):
        m = &s.contacts[k]
        c = &s.ctx.contacts[m.contact]
        n = &s.rows[k]
        memset(n, 0, sizeof(Row))
        write_axes(&c.at, &s.bodies[m.a], &s.bodies[m.a].pose, &s.bodies[m.b],
                   &s.bodies[m.b].pose, n, &spare)
        n.bias = most
        if c.is_void != VOID and not is_left_alone(s, m):
            n.bias = greater(c.at.gap, -most)
        n.hi = INFINITY
        n.a, n.b, n.normal, n.mode = m.a, m.b, -1, AT_LOW
        m.ready = False
    for k in range(s.n_bodies):
        s.motions[k].v = vec2(0.0, 0.0)
        s.motions[k].w = 0.0


cdef double share_of_push(const SubStep* s, double most, double least) noexcept nogil:
    """How much of the correction in s.motions is made: no body goes farther than it may (m), and
    shallow overlaps lift no more than gravity gives from rest in a sub-step."""
    cdef double farthest = 0.0, share = 1.0, lift, given = 0.0
    cdef int k
    for k in range(s.n_movable):
        farthest = greater(farthest, length(s.motions[k].v)
                           + fabs(s.motions[k].w) * s.bodies[k].bounding_radius)
        if s.bodies[k].inv_m > 0.0:
            given += 0.5 * s.h * s.h * dot(s.bodies[k].outer, s.bodies[k].outer) / s.bodies[k].inv_m
    if farthest > FARTHEST_PUSH * most:
        share = FARTHEST_PUSH * most / farthest
    lift = -outer_work_of_push(s)
    if least > -SHALLOW * s.ctx.unit and lift * share > given:
        share = given / lift
    return share


# ------------------------------------------------------------------------------------------ memory

@cython.final
cdef class SmallWorkspace:

    def __cinit__(self):
        memset(&self.memory, 0, sizeof(SmallMemory))
        self._direct = DirectWorkspace()
        self.memory.direct = &self._direct.memory
        self._arrays = [None] * 8

    cdef int reserve(self, int n_bodies, int n_contacts, int n_world, int n_joints,
                     int n_joint_rows) except -1:
        """Make room for an island in a world; call with the GIL, before `step_island`."""
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
