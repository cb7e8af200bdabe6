"""The loop of World.advance over steps and events; docs/maths/exact.md has the method."""

from libc.math cimport fabs, sqrt
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy

from enginecore.ode cimport estimate_error, next_step_factor, take_step
from enginecore.scalar cimport greater, lesser
from engine2d.exact.blows cimport stop_slips, strike_all, strike_paradox
from engine2d.exact.events cimport first_event, flag_events, land
from engine2d.exact.joints cimport add_micro_rows, measure_joints, take_event
from engine2d.exact.link cimport (
    load_state, measure_link, write_normal_row, write_roll_row, write_slip_row)
from engine2d.exact.modes cimport (
    assemble, capture, find_energy, find_modes, find_slopes, find_slow, is_jammed,
    keep_forces, project, push_out, row_rate, solve_bounded, sweep)
from engine2d.exact.run cimport (
    CHANGE_BEGINS, CHANGE_BREAKS, CHANGE_FEATURE, CHANGE_FREES, CHANGE_HALTS, CHANGE_LEAVES,
    CHANGE_LIMIT, CHANGE_ROLLS, CHANGE_SLIPS, CHANGE_STICKS, CHANGE_TAUT, CHANGE_TOOTH, FLAG_BREAK,
    FLAG_CONE_HIGH, FLAG_CONE_LOW, FLAG_GAP, FLAG_HALT, FLAG_MOTOR_HIGH, FLAG_MOTOR_LOW,
    FLAG_ROLL_HIGH, FLAG_ROLL_LOW, FLAG_SLIP, FLAG_STOP, FLAG_TOOTH, FLAG_TWIST, HOLD_BEARS, LOOSE,
    PER_BODY, SLIDES, STICKS, WORK_SPRINGS, ChangeRecord, RunBody, RunHold, RunLink, RunRow)
from engine2d.exact.touching cimport (
    allow_jump, allow_overlaps, collect_links, is_met, longest_step, note_return, note_speeds,
    note_travel, part_pairs)
from engine2d.joint.joint cimport DRIVE, PULLEY, ROPE, SOFT, STOP
from engine2d.pose cimport rotate
from engine2d.vec2 cimport add, length, scaled, sub, vec2

# Of the tolerance: the error of one step.
cdef double STEP_SHARE = 1e-3
# Of a number: what rounding costs.
cdef double STATE_ROUNDING = 1e-14
# Events that may follow each other without time going by before a micro-step is taken.
cdef int32_t MOST_CROWDED = 15
# Impulses without collision at one moment.
cdef int MOST_PARADOXES = 8
# Rounds in which small bounces at one moment are brought to rest.
cdef int MOST_CAPTURES = 4
# Searches of a step for its first event.
cdef int MOST_SEARCHES = 12
# Micro-steps in a row before the run is given up.
cdef int32_t MOST_MICRO = 2000
# Steps and events until the interpreter is asked whether its user wants to end the run.
cdef int MOST_TURNS = 200
# Halvings of a micro-step in which something would meet.
cdef int MOST_HALVINGS = 12
cdef int MOST_DOUBLINGS = 4
# Rounds in which what a micro-step has sunk is pushed out, and how deep that can be, in the gaps
# that are contact.
cdef int MOST_RAISES = 3
cdef double SUNK = 100.0
# s, the shortest step, as a share of the duration.
cdef double SHORTEST = 1e-15


# -------------------------------------------------------------------------------------- events

cdef void note_change(Run* run, int kind, const RunLink* link) noexcept nogil:
    cdef ChangeRecord* out
    if run.n_changes < run.change_room:
        out = &run.changes[run.n_changes]
        run.n_changes += 1
        out.time, out.kind, out.pair, out.point = run.t, kind, link.pair, link.at.point
        out.joint = -1


cdef void note_joint_change(Run* run, int kind, int32_t joint) noexcept nogil:
    """A change of a joint, at its anchor on b."""
    cdef ChangeRecord* out
    cdef const RunBody* b = &run.bodies[run.joints[joint].b]
    if run.n_changes < run.change_room:
        out = &run.changes[run.n_changes]
        run.n_changes += 1
        out.time, out.kind, out.pair, out.joint = run.t, kind, -1, joint
        out.point = add(b.x, rotate(b.pose.q, sub(run.joints[joint].data.anchor_b,
                                                  b.local_center)))


cdef void note_hold_changes(Run* run) noexcept nogil:
    """Compare the modes of holds with those before."""
    cdef int32_t k
    cdef const RunHold* hold
    cdef int kind
    for k in range(run.n_holds):
        hold = &run.holds[k]
        if hold.mode == hold.old_mode or run.joints[hold.joint].broken:
            continue
        kind = run.joints[hold.joint].data.head.kind
        if hold.kind == STOP and hold.mode == HOLD_BEARS:
            note_joint_change(run, CHANGE_TAUT if kind == ROPE or kind == PULLEY else CHANGE_LIMIT,
                              hold.joint)
        elif hold.kind == STOP:
            note_joint_change(run, CHANGE_FREES, hold.joint)
        elif hold.kind == DRIVE:
            note_joint_change(run, CHANGE_STICKS if hold.mode == HOLD_BEARS else CHANGE_SLIPS,
                              hold.joint)


cdef const RunLink* find_same(const RunLink* links, int32_t n, const RunLink* link) noexcept nogil:
    """The link of the same features, or NULL."""
    cdef int32_t k
    for k in range(n):
        if (links[k].pair == link.pair and links[k].at.f1 == link.at.f1
                and links[k].at.f2 == link.at.f2):
            return &links[k]
    return NULL


cdef const RunLink* find_replaced(const Run* run, const RunLink* others, int32_t n,
                                  const RunLink* mine, int32_t n_mine,
                                  const RunLink* link) noexcept nogil:
    """Among others, a bearing link of the pair at this place whose features are not among mine."""
    cdef int32_t k
    for k in range(n):
        if (others[k].pair == link.pair and others[k].mode != LOOSE
                and length(sub(others[k].at.point, link.at.point)) < 1e3 * run.touch
                and find_same(mine, n_mine, &others[k]) == NULL):
            return &others[k]
    return NULL


cdef bint is_stuck(const Run* run, const RunLink* link) noexcept nogil:
    """Whether another link of the same two bodies sticks."""
    cdef int32_t k
    for k in range(run.n_links):
        if (run.links[k].mode == STICKS and run.links[k].a == link.a
                and run.links[k].b == link.b):
            return True
    return False


cdef void note_changes(Run* run, int32_t n_old) noexcept nogil:
    """Compare the links with those before, which are in run.fresh."""
    cdef int32_t k
    cdef const RunLink* link
    cdef const RunLink* old
    for k in range(run.n_links):
        link = &run.links[k]
        old = find_same(run.fresh, n_old, link)
        if link.mode == LOOSE:
            if old != NULL and old.mode != LOOSE:
                note_change(run, CHANGE_LEAVES, link)
            continue
        if old == NULL and find_replaced(run, run.fresh, n_old, run.links, run.n_links,
                                         link) != NULL:
            note_change(run, CHANGE_FEATURE, link)
        elif old == NULL or old.mode == LOOSE:
            note_change(run, CHANGE_BEGINS, link)
        elif old.mode == STICKS and link.mode == SLIDES and link.mu > 0.0:
            # one of two corners at the limit of its friction: the other still holds both
            if not is_stuck(run, link):
                note_change(run, CHANGE_SLIPS, link)
        elif old.mode == SLIDES and link.mode == STICKS:
            note_change(run, CHANGE_STICKS, link)
        if old != NULL and old.mode != LOOSE and link.rolling > 0.0 and (
                (old.roll == 0) != (link.roll == 0)):
            note_change(run, CHANGE_ROLLS if link.roll else CHANGE_HALTS, link)
    for k in range(n_old):
        old = &run.fresh[k]
        if (old.mode != LOOSE and find_same(run.links, run.n_links, old) == NULL
                and find_replaced(run, run.links, run.n_links, run.fresh, n_old, old) == NULL):
            note_change(run, CHANGE_LEAVES, old)


cdef bint has_room(const Run* run) noexcept nogil:
    """Whether there is room for what can happen at one moment."""
    return (run.n_hits + 64 + 16 * run.link_room <= run.hit_room
            and run.n_changes + 4 * run.link_room + run.n_holds + 8 <= run.change_room)


cdef void let_go(Run* run) noexcept nogil:
    """Velocities are new: what had just come to rest may move again."""
    cdef int32_t k
    for k in range(run.n_links):
        run.links[k].held = run.links[k].roll_held = 0
    for k in range(run.n_holds):
        run.holds[k].held = 0


cdef bint find_modes_or_strike(Run* run) noexcept nogil:
    """Modes of all links; where friction leaves no forces, impulses without collision first."""
    cdef int _k
    cdef bint stopped = False
    for _k in range(MOST_PARADOXES):
        if find_modes(run):
            if _k < MOST_CAPTURES and capture(run, run.y):
                let_go(run)
                continue
            return True
        let_go(run)
        if not strike_paradox(run, run.y) or not strike_all(run, run.y):
            if stopped or not stop_slips(run, run.y):
                break
            stopped = True
        load_state(run, run.y)
    return False


cdef RunStatus find_links(Run* run) noexcept nogil:
    """The links of this moment. Where the user has a filter, it is to be asked which they are."""
    cdef int32_t k
    if not has_room(run):
        return RUN_NO_ROOM
    load_state(run, run.y)
    for k in range(run.n_holds):
        run.holds[k].old_mode = run.holds[k].mode
    find_slow(run)
    part_pairs(run)
    k = run.n_links
    if collect_links(run) < 0:
        return RUN_NO_ROOM
    run.n_old = k
    run.asked = run.asks and run.n_links > 0
    return RUN_ASKS if run.asked else RUN_DONE


cdef RunStatus settle(Run* run) noexcept nogil:
    """What happens at this moment: links, blows, modes; then the slopes to go on with."""
    cdef int64_t blows = run.count.impacts + run.count.together
    cdef RunStatus status = RUN_DONE if run.asked else find_links(run)
    if status != RUN_DONE:
        return status
    run.asked = False
    # run.fresh holds the old links until here: changes are told from them
    if not strike_all(run, run.y):
        return give_up(run)
    load_state(run, run.y)
    if blows != run.count.impacts + run.count.together:
        let_go(run)
    if run.crowded > MOST_CROWDED or not find_modes_or_strike(run):
        return take_micro_step(run)
    keep_forces(run)
    if run.count.events > 0:
        note_changes(run, run.n_old)
        note_hold_changes(run)
    run.pressed = False
    let_go(run)
    project(run, run.y)
    run.failed = False
    find_slopes(0.0, run.y, run.k, run)
    if run.failed or is_jammed(run):
        load_state(run, run.y)
        return take_micro_step(run)
    keep_forces(run)
    if blows != run.count.impacts + run.count.together:
        find_slow(run)
    run.restart = False
    run.count.events += 1
    return RUN_DONE


cdef RunStatus take_micro_step(Run* run) noexcept nogil:
    """Go on at velocity level for a moment: impulses of a short time that hold what touches.

    It ends before anything else meets; what it has sunk is pushed out again.
    """
    cdef double h = sqrt(run.tol / (10.0 * greater(run.pull, 1e-3))), before
    cdef int32_t k
    cdef int _turn
    # one after another they grow: what keeps the run from going on may be far
    h *= 1 << (run.micro_row if run.micro_row < MOST_DOUBLINGS else MOST_DOUBLINGS)
    if h > run.duration - run.t > 0.0:
        h = run.duration - run.t
    run.micro_row += 1
    run.count.micro_steps += 1
    run.crowded = 0
    # what a failed step has left in the links is not of this state
    for k in range(run.n_links):
        measure_link(run, &run.links[k])
    if run.micro_row > MOST_MICRO:
        return give_up(run)
    before = find_energy(run)
    memcpy(run.y3, run.y, run.n * sizeof(double))
    for _turn in range(MOST_HALVINGS):
        push_on(run, h)
        if not solve_micro(run, h):
            return give_up(run)
        move_micro(run, h)
        if not is_met(run) or _turn == MOST_HALVINGS - 1:
            break
        memcpy(run.y, run.y3, run.n * sizeof(double))
        load_state(run, run.y)
        h *= 0.5
    run.t += h
    run.impact_loss += find_energy(run) - before
    run.restart = True
    if not raise_sunk(run):
        return RUN_NO_ROOM
    allow_overlaps(run)
    return RUN_DONE


cdef bint raise_sunk(Run* run) noexcept nogil:
    """Push out what a micro-step has sunk, and what that has sunk in turn; False if there is no
    room for its links."""
    cdef int32_t n = 0
    cdef int _turn
    push_out(run, run.y)
    run.sunk = SUNK * run.touch
    for _turn in range(MOST_RAISES):
        n = collect_links(run)
        if n < 0:
            break
        push_out(run, run.y)
        if not is_met(run):
            break
    run.sunk = 0.0
    return n >= 0


cdef RunStatus give_up(Run* run) noexcept nogil:
    """Nothing goes on: a pair for the message, one that moves if there is one."""
    cdef int32_t k
    run.bad_pair = -1
    for k in range(run.n_links):
        if run.bad_pair < 0 or fabs(run.links[k].vn) > run.slow:
            run.bad_pair = run.links[k].pair
    return RUN_FAILED


cdef void push_on(Run* run, double h) noexcept nogil:
    """Velocities after h seconds of gravity, users' forces, damping and springs."""
    cdef int32_t i, k
    cdef RunBody* body
    for i in range(run.n_moving):
        body = &run.bodies[run.moving[i]]
        if body.dynamic:
            body.v = add(body.v, scaled(h, add(body.weight, scaled(body.inv_m, body.force))))
            body.v = scaled(1.0 / (1.0 + h * body.damping), body.v)
            body.w = (body.w + h * body.inv_I * body.torque) / (1.0 + h * body.spin_damping)
    measure_joints(run)
    for k in range(run.n_holds):
        if run.holds[k].kind == SOFT and not run.joints[run.holds[k].joint].broken:
            shove(&run.bodies[run.holds[k].a], run.holds[k].ja, h * run.holds[k].f)
            shove(&run.bodies[run.holds[k].b], run.holds[k].jb, h * run.holds[k].f)
    measure_joints(run)


cdef bint solve_micro(Run* run, double h) noexcept nogil:
    """Impulses that hold what touches, on the velocities."""
    cdef int32_t i, k, m = 0, normal
    cdef RunLink* link
    cdef RunRow* row
    for k in range(run.n_links):
        link = &run.links[k]
        normal = m
        write_normal_row(run, link, &run.rows[m])
        run.b[m] = row_rate(run, &run.rows[m]) + greater(link.at.gap - link.rest, 0.0) / h
        run.f[m] = 0.0
        m += 1
        if link.mu > 0.0:
            write_slip_row(run, link, &run.rows[m])
            run.rows[m].normal, run.rows[m].mu = normal, link.mu
            run.b[m] = row_rate(run, &run.rows[m])
            run.f[m] = 0.0
            m += 1
        if link.rolling > 0.0:
            write_roll_row(run, link, &run.rows[m])
            run.rows[m].normal, run.rows[m].mu = normal, link.rolling
            run.b[m] = row_rate(run, &run.rows[m])
            run.f[m] = 0.0
            m += 1
    m = run.n_rows = add_micro_rows(run, m, h)
    if m == 0:
        return True
    assemble(run)
    if not solve_bounded(run) and not sweep(run):
        return False
    for i in range(m):
        row = &run.rows[i]
        shove(&run.bodies[row.a], row.pa, run.f[i])
        shove(&run.bodies[row.b], row.pb, run.f[i])
    return True


cdef void move_micro(Run* run, double h) noexcept nogil:
    """Places after h seconds at the present velocities, and these, into the state."""
    cdef int32_t i
    cdef RunBody* body
    for i in range(run.n_moving):
        body = &run.bodies[run.moving[i]]
        run.y[body.at] += h * body.v.x
        run.y[body.at + 1] += h * body.v.y
        run.y[body.at + 2] += h * body.w
        run.y[body.at + 3], run.y[body.at + 4] = body.v.x, body.v.y
        run.y[body.at + 5] = body.w
        body.travelled += h * (length(body.v) + fabs(body.w) * body.swept_radius)
    load_state(run, run.y)


cdef inline void shove(RunBody* body, const double* push, double p) noexcept nogil:
    """Add an impulse's velocities to a dynamic body."""
    if body.dynamic:
        body.v = vec2(body.v.x + body.inv_m * push[0] * p, body.v.y + body.inv_m * push[1] * p)
        body.w += body.inv_I * push[2] * p


# --------------------------------------------------------------------------------------- the loop

cdef void weigh(Run* run) noexcept nogil:
    """The error that each number of the state may have in a step."""
    cdef int32_t i
    cdef int j
    cdef Py_ssize_t at
    cdef double share = STEP_SHARE * run.tol, reach, rate
    cdef const RunBody* body
    for i in range(run.n_moving):
        body = &run.bodies[run.moving[i]]
        at = body.at
        reach = body.bounding_radius if body.bounding_radius > 0.0 else NO_REACH
        rate = greater(sqrt(run.pull / reach), 1.0)
        run.weights[at] = run.weights[at + 1] = share
        run.weights[at + 2] = share / reach
        for j in range(3):
            run.weights[at + 3 + j] = rate * run.weights[at + j]
        for j in range(PER_BODY):
            run.weights[at + j] += STATE_ROUNDING * fabs(run.y[at + j])
    for at in range(PER_BODY * run.n_moving, run.n):
        run.weights[at] = 1e30


cdef bint try_step(Run* run, double* h) noexcept nogil:
    """Take one step that meets the tolerance, shorter than h if it must be; False if none does."""
    cdef double error, shortest = SHORTEST * greater(run.t, 1.0)
    weigh(run)
    while h[0] > shortest:
        run.failed = False
        take_step(find_slopes, run, run.n, run.t, run.y, h[0], run.k, run.y1)
        if not run.failed:
            error = estimate_error(run.n, h[0], run.k, run.weights)
            run.h = h[0] * next_step_factor(error)
            if error <= 1.0:
                find_slopes(0.0, run.y1, run.dy1, run)
                if not run.failed:
                    run.count.steps += 1
                    return True
        else:
            run.h = 0.25 * h[0]
        run.count.rejected += 1
        h[0] = lesser(run.h, 0.5 * h[0])
    return False


cdef void accept(Run* run, double h) noexcept nogil:
    """Go on from the step's end."""
    memcpy(run.y, run.y1, run.n * sizeof(double))
    run.t += h
    run.micro_row = 0
    if run.n_joints > 0 or (run.n_links > 0 and not run.wide):
        project(run, run.y)
        find_slopes(0.0, run.y, run.k, run)
        keep_forces(run)
    else:
        memcpy(run.k, run.dy1, run.n * sizeof(double))
    part_pairs(run)


cdef void accept_event(Run* run, double when) noexcept nogil:
    """Go on from an event."""
    cdef double one_time = ONE_TIME * sqrt(run.tol / greater(run.pull, 1e-3)), before
    if when > 0.0:
        memcpy(run.y, run.y3, run.n * sizeof(double))
        run.t += when
    else:
        note_return(run)
    if run.event.kind == FLAG_SLIP and when > 0.0:
        run.links[run.event.index].held = 1
    elif run.event.kind == FLAG_HALT and when > 0.0:
        run.links[run.event.index].roll_held = 1
    elif run.event.kind == FLAG_GAP and run.event.jumps:
        load_state(run, run.y)
        allow_jump(run, run.event.index)
    elif run.event.kind >= FLAG_STOP:
        load_state(run, run.y)
        before = find_energy(run)
        take_event(run, &run.event)
        # what a spring that breaks held is lost
        run.y[PER_BODY * run.n_moving + WORK_SPRINGS] += find_energy(run) - before
        if run.event.kind == FLAG_TOOTH:
            note_joint_change(run, CHANGE_TOOTH, run.holds[run.event.index].joint)
        elif run.event.kind in (FLAG_BREAK, FLAG_TWIST):
            note_joint_change(run, CHANGE_BREAKS, run.holds[run.event.index].joint)
    run.pressed = run.event.kind in (FLAG_CONE_LOW, FLAG_CONE_HIGH, FLAG_MOTOR_LOW,
                                     FLAG_MOTOR_HIGH, FLAG_ROLL_LOW, FLAG_ROLL_HIGH)
    if run.t - run.last_event < one_time:
        run.crowded += 1
    else:
        run.crowded = 0
    run.last_event = run.t
    run.restart = True


cdef bint go_to_event(Run* run, double h) noexcept nogil:
    """Go to the first of the flagged events of a step; False if nothing has happened after all.

    What is found there may show that something else came first, that the interpolant of a long step
    did not tell: then the step to there is searched again.
    """
    cdef double when
    cdef int flag, _turn
    for _turn in range(MOST_SEARCHES):
        flag = first_event(run, h, &when)
        if flag < 0 or when > h:
            return False
        if when <= 0.0:
            break
        when = land(run, flag, h, when)
        run.event = run.flags[flag]
        run.taken = when
        # what was clear at the step's end need not be so here
        note_return(run)
        flag_events(run)
        if not overlaps(run):
            accept_event(run, when)
            return True
        memcpy(run.y1, run.y3, run.n * sizeof(double))
        memcpy(run.dy1, run.dy3, run.n * sizeof(double))
        h = when
    run.event = run.flags[flag]
    accept_event(run, 0.0 if when <= 0.0 else when)
    return True


cdef bint overlaps(const Run* run) noexcept nogil:
    """Whether a flag says that shapes overlap."""
    cdef int32_t k
    for k in range(run.n_flags):
        if run.flags[k].kind == FLAG_GAP:
            return True
    return False


cdef RunStatus run_on(Run* run, double duration) noexcept nogil:
    """The loop; see clock.pxd."""
    cdef RunStatus status
    cdef double h, left
    cdef int _turn
    run.duration = duration
    for _turn in range(MOST_TURNS):
        if run.restart:
            status = settle(run)
            if status != RUN_DONE:
                return status
            if run.restart:
                continue
        left = duration - run.t
        if left <= SHORTEST * greater(duration, 1.0):
            run.t = duration
            return RUN_DONE
        h = run.h if 1.01 * run.h < left else left
        note_speeds(run)
        h = longest_step(run, h)
        if not try_step(run, &h):
            load_state(run, run.y)
            status = take_micro_step(run)
            if status != RUN_DONE:
                return status
            continue
        note_travel(run, h)
        run.taken = h
        flag_events(run)
        if run.n_flags > 0 and go_to_event(run, h):
            continue
        if run.n_flags > 0:
            # the search has left another state behind
            load_state(run, run.y1)
        accept(run, h)
    return RUN_PAUSED
