"""World.advance: smooth motion between events, everything else at its moment.

docs/maths/exact.md has the method. `run_on` is the loop; the Clock below it makes a Run of a world
and gives the world back what came of it.
"""

import numpy as np

from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY, fabs, sqrt
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy, memset

from enginecore.joint cimport is_apart
from enginecore.memory cimport address
from enginecore.mix cimport allowed, mix
from enginecore.lcp cimport LCP_AUTO, LcpProblem, Workspace
from enginecore.ode cimport STAGES, estimate_error, next_step_factor, take_step
from enginecore.scalar cimport greater, lesser
from engine2d.body cimport DYNAMIC, KINEMATIC, STATIC, BodyData, Motion, Place
from engine2d.exact.blows cimport strike_all, strike_paradox
from engine2d.exact.events cimport first_event, flag_events, land
from engine2d.exact.joints cimport (
    add_micro_rows, measure_joints, sum_joint_forces, take_event)
from engine2d.exact.link cimport load_state, measure_link, write_normal_row, write_slip_row
from engine2d.exact.modes cimport (
    assemble, capture, find_energy, find_modes, find_slopes, find_slow, is_jammed,
    keep_forces, project, push_out, row_rate, solve_bounded, sweep)
from engine2d.exact.run cimport (
    CHANGE_BEGINS, CHANGE_BREAKS, CHANGE_FEATURE, CHANGE_FREES, CHANGE_LEAVES, CHANGE_LIMIT,
    CHANGE_SLIPS, CHANGE_STICKS, CHANGE_TAUT, CHANGE_TOOTH, FLAG_BREAK, FLAG_CONE_HIGH,
    FLAG_CONE_LOW, FLAG_GAP, FLAG_MOTOR_HIGH, FLAG_MOTOR_LOW, FLAG_SLIP, FLAG_STOP, FLAG_TOOTH,
    FLAG_TWIST, HOLD_BEARS, LOOSE, N_ACCOUNTS, PER_BODY, SLIDES, STICKS, WORK_SPRINGS,
    ChangeRecord, Flag, HitRecord, Run, RunBody, RunHold, RunJoint, RunLink, RunPair, RunRow)
from engine2d.exact.touching cimport (
    allow_overlaps, collect_links, is_met, longest_step, note_return, note_speeds,
    note_travel)
from engine2d.joint.joint cimport (
    DRIVE, MOST_ROWS, PULLEY, ROPE, SOFT, STOP, Frame, JointRow, JointStore, class_of,
    frame_of,
)
from engine2d.pose cimport rotate
from engine2d.store cimport BodyStore, ShapeData
from engine2d.solve.integrate cimport bring_to
from engine2d.vec2 cimport add, length, scaled, sub, vec2
from engine2d.world cimport World

from enginecore.status import SolverError, Status

# Of the tolerance: the error of one step.
cdef double STEP_SHARE = 1e-3
# Of the tolerance: gaps up to this count as contact.
cdef double TOUCH_TOLERANCES = 20.0
# Of a number: what rounding costs.
cdef double STATE_ROUNDING = 1e-14
# Events that may follow each other without time going by before a micro-step is taken.
cdef int32_t MOST_CROWDED = 15
# Of the time in which a body falls by the tolerance: events nearer to each other are at one time.
cdef double ONE_TIME = 1e-3
# Impulses without collision at one moment.
cdef int MOST_PARADOXES = 8
# Rounds in which small bounces at one moment are brought to rest.
cdef int MOST_CAPTURES = 4
# Searches of a step for its first event.
cdef int MOST_SEARCHES = 12
# Micro-steps in a row before the run is given up.
cdef int32_t MOST_MICRO = 2000
# Steps and events until the interpreter is asked whether its user wants to end the run; and how
# often in a row time may hardly go on meanwhile.
cdef int MOST_TURNS = 5000
cdef int MOST_STUCK = 4
# Halvings of a micro-step in which something would meet.
cdef int MOST_HALVINGS = 12
cdef int MOST_DOUBLINGS = 4
# s, the shortest step, as a share of the duration; and a share of a first guess.
cdef double SHORTEST = 1e-15
cdef double FIRST_STEP = 0.05
# Reach that stands for that of bodies without shapes.
cdef double NO_REACH = 1.0     # m


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
        kind = run.joints[hold.joint].data.kind
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
        run.links[k].held = 0
    for k in range(run.n_holds):
        run.holds[k].held = 0


cdef bint find_modes_or_strike(Run* run) noexcept nogil:
    """Modes of all links; where friction leaves no forces, impulses without collision first."""
    cdef int _k
    for _k in range(MOST_PARADOXES):
        if find_modes(run):
            if _k < MOST_CAPTURES and capture(run, run.y):
                let_go(run)
                continue
            return True
        let_go(run)
        if not strike_paradox(run, run.y) or not strike_all(run, run.y):
            break
        load_state(run, run.y)
    return False


cdef RunStatus settle(Run* run) noexcept nogil:
    """What happens at this moment: links, blows, modes; then the slopes to go on with."""
    cdef int32_t n_old = run.n_links, k
    cdef int64_t blows = run.count.impacts + run.count.together
    if not has_room(run):
        return RUN_NO_ROOM
    load_state(run, run.y)
    for k in range(run.n_holds):
        run.holds[k].old_mode = run.holds[k].mode
    find_slow(run)
    if collect_links(run) < 0:
        return RUN_NO_ROOM
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
        note_changes(run, n_old)
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
    # what has sunk, and then what touches where the step has led to
    push_out(run, run.y)
    if collect_links(run) < 0:
        run.restart = True
        return RUN_NO_ROOM
    push_out(run, run.y)
    allow_overlaps(run)
    run.restart = True
    return RUN_DONE


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
    cdef int32_t i, k, m = 0
    cdef RunLink* link
    cdef RunRow* row
    for k in range(run.n_links):
        link = &run.links[k]
        write_normal_row(run, link, &run.rows[m])
        run.b[m] = row_rate(run, &run.rows[m]) + greater(link.at.gap - link.rest, 0.0) / h
        run.f[m] = 0.0
        m += 1
        if link.mu > 0.0:
            write_slip_row(run, link, &run.rows[m])
            run.rows[m].normal, run.rows[m].mu = m - 1, link.mu
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
                                     FLAG_MOTOR_HIGH)
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


# ------------------------------------------------------------------------------- the Python face

cdef tuple EXTRAS = ("none", "velocity", "velocity_and_distance")
# As in ChangeKind.
CHANGES = ("begins", "leaves", "slips", "sticks", "feature", "limit", "taut", "frees", "tooth",
           "breaks")

_HIT = np.dtype([("time", np.float64), ("pair", np.int32), ("flipped", np.int32),
                 ("point", np.float64, 2), ("normal", np.float64, 2), ("impulse", np.float64, 2),
                 ("speed", np.float64), ("loss", np.float64), ("settles", np.float64),
                 ("path", np.int32), ("fill", np.int32)])
_CHANGE = np.dtype([("time", np.float64), ("kind", np.int32), ("pair", np.int32),
                    ("joint", np.int32), ("fill", np.int32), ("point", np.float64, 2)])
if _HIT.itemsize != sizeof(HitRecord) or _CHANGE.itemsize != sizeof(ChangeRecord):
    raise ImportError("the layout of HitRecord or ChangeRecord is not what numpy was told")


cdef inline bint may_touch(const ShapeData* a, const ShapeData* b) noexcept nogil:
    """Whether two shapes push each other: filters, and no sensors."""
    return not (a.sensor or b.sensor) and allowed(&a.filter, &b.filter)


cdef class Clock:
    """A run of World.advance: its arrays, made for one call."""

    cdef Run run
    cdef World world
    cdef dict arrays
    cdef Workspace lcp
    cdef double start_energy

    def __cinit__(self, World world not None, double tolerance):
        self.world = world
        self.arrays = {}
        self.lcp = Workspace()
        memset(&self.run, 0, sizeof(Run))
        self.run.tol = tolerance
        self.run.touch = TOUCH_TOLERANCES * tolerance
        self.run.band = tolerance
        self.run.bad_pair = -1

    cdef void* room(self, str name, Py_ssize_t size) except NULL:
        """Memory that numpy owns, all zeros; what an array of the name held is kept."""
        old = self.arrays.get(name)
        new = np.zeros(max(size, 8), np.uint8)
        if old is not None:
            new[:min(old.nbytes, size)] = old[:min(old.nbytes, size)]
        self.arrays[name] = new
        return <void*> address(new)

    cdef int set_band(self) except -1:
        """The settings for contacts that rest."""
        cdef Run* run = &self.run
        world = self.world
        run.extra = EXTRAS.index(world.extra)
        if world.resting_gap is not None or world.resting_speed is not None:
            run.wide = True
            if world.resting_gap is not None:
                run.band = greater(run.band, world.resting_gap)
            if world.resting_speed is not None:
                run.band_speed = world.resting_speed
        return 0

    cdef int load_bodies(self) except -1:
        """All bodies, and the state of those that move."""
        cdef Run* run = &self.run
        cdef BodyStore store = self.world.store
        cdef int32_t row
        cdef const BodyData* body
        cdef const Motion* motion
        cdef const Place* place
        cdef RunBody* out
        run.n_bodies = store.n_bodies
        # one more is the world, for joints
        run.bodies = <RunBody*> self.room("bodies", (run.n_bodies + 1) * sizeof(RunBody))
        run.bodies[run.n_bodies].at = -1
        run.bodies[run.n_bodies].pose.q = vec2(1.0, 0.0)
        run.felt = <double*> self.room("felt", 3 * (run.n_bodies + 1) * sizeof(double))
        run.moving = <int32_t*> self.room("moving", run.n_bodies * sizeof(int32_t))
        for row in range(run.n_bodies):
            body, motion, place = &store.bodies[row], &store.motions[row], &store.places[row]
            out = &run.bodies[row]
            out.dynamic = body.kind == DYNAMIC
            out.inv_m, out.inv_I = motion.inv_m, motion.inv_I
            out.local_center, out.bounding_radius = body.local_center, place.bounding_radius
            out.swept_radius = body.swept_radius
            out.x, out.angle, out.pose = place.x, place.angle, place.pose
            out.v, out.w = motion.v, motion.w
            out.at = -1
            if body.kind == STATIC or (body.kind == KINEMATIC and motion.v.x == 0.0
                                       and motion.v.y == 0.0 and motion.w == 0.0):
                continue
            out.at = PER_BODY * run.n_moving
            run.moving[run.n_moving] = row
            run.n_moving += 1
            if out.dynamic:
                out.mass = body.mass
                out.inertia = body.inertia if motion.inv_I > 0.0 else 0.0
                out.weight = scaled(body.gravity_scale, self.world.pull)
                out.force, out.torque = body.force, body.torque
                out.damping, out.spin_damping = body.linear_damping, body.angular_damping
                run.pull = greater(run.pull, length(add(out.weight,
                                                        scaled(out.inv_m, out.force))))
        return 0

    cdef int load_joints(self) except -1:
        """All joints, and a hold for each of their rows."""
        cdef Run* run = &self.run
        cdef JointStore store = self.world.joint_store
        cdef JointRow[MOST_ROWS] rows
        cdef Frame a, b
        cdef RunJoint* joint
        cdef RunHold* hold
        cdef int32_t k
        cdef int i, n, drives
        store.settle()
        store.point_at_bodies()
        if store.stale:
            store.list_apart()
        run.n_joints = store.n
        run.joints = <RunJoint*> self.room("joints", run.n_joints * sizeof(RunJoint))
        run.holds = <RunHold*> self.room("holds", MOST_ROWS * run.n_joints * sizeof(RunHold))
        for k in range(run.n_joints):
            joint = &run.joints[k]
            joint.data, joint.at = store.joints[k], k
            joint.a = joint.data.a if joint.data.a >= 0 else run.n_bodies
            joint.b = joint.data.b if joint.data.b >= 0 else run.n_bodies
            joint.scale = greater(
                run.bodies[joint.a].bounding_radius if run.bodies[joint.a].dynamic else 0.0,
                run.bodies[joint.b].bounding_radius if run.bodies[joint.b].dynamic else 0.0)
            if not joint.scale > 0.0:
                joint.scale = NO_REACH
            a = frame_of(self.world.store.places, self.world.store.bodies, joint.data.a)
            b = frame_of(self.world.store.places, self.world.store.bodies, joint.data.b)
            n = class_of(joint.data.kind).rows(&joint.data, &a, &b, rows)
            joint.first, joint.n = run.n_holds, n
            drives = 0
            for i in range(n):
                hold = &run.holds[run.n_holds + i]
                hold.joint, hold.a, hold.b, hold.row = k, joint.a, joint.b, -1
                drives += rows[i].kind == DRIVE
                # the motor is the first of two
                hold.rubs = (rows[i].kind == DRIVE and joint.data.friction > 0.0
                             and drives == (2 if joint.data.most > 0.0 else 1))
            run.n_holds += n
        return 0

    cdef int begin_state(self) except -1:
        """The arrays of the state, and the state itself."""
        cdef Run* run = &self.run
        cdef int32_t i
        cdef const RunBody* body
        cdef Py_ssize_t size
        run.n = PER_BODY * run.n_moving + N_ACCOUNTS + run.n_joints
        size = run.n * sizeof(double)
        run.y = <double*> self.room("y", size)
        run.y1 = <double*> self.room("y1", size)
        run.y2 = <double*> self.room("y2", size)
        run.y3 = <double*> self.room("y3", size)
        run.dy1 = <double*> self.room("dy1", size)
        run.dy2 = <double*> self.room("dy2", size)
        run.dy3 = <double*> self.room("dy3", size)
        run.weights = <double*> self.room("weights", size)
        run.k = <double*> self.room("k", STAGES * size)
        for i in range(run.n_moving):
            body = &run.bodies[run.moving[i]]
            run.y[body.at], run.y[body.at + 1], run.y[body.at + 2] = body.x.x, body.x.y, body.angle
            run.y[body.at + 3], run.y[body.at + 4] = body.v.x, body.v.y
            run.y[body.at + 5] = body.w
        return 0

    cdef int load_pairs(self) except -1:
        """All pairs of shapes that can push each other and of which one can be moved."""
        cdef Run* run = &self.run
        cdef BodyStore store = self.world.store
        cdef JointStore joints = self.world.joint_store
        cdef int32_t i, j, n_shapes = store.phase.boxes.n
        cdef const ShapeData* a
        cdef const ShapeData* b
        cdef RunPair* pair
        cdef Py_ssize_t count = 0
        cdef int turn
        # counted first, then written
        for turn in range(2):
            if turn == 1:
                run.pairs = <RunPair*> self.room("pairs", count * sizeof(RunPair))
            for i in range(n_shapes):
                a = &store.shapes[i]
                if a.body < 0:
                    continue
                for j in range(i + 1, n_shapes):
                    b = &store.shapes[j]
                    if (b.body < 0 or a.body == b.body or not may_touch(a, b)
                            or is_apart(joints.apart, joints.n_apart, store.bodies[a.body].id,
                                        store.bodies[b.body].id)
                            or not (run.bodies[a.body].dynamic or run.bodies[b.body].dynamic)):
                        continue
                    if turn == 0:
                        count += 1
                        continue
                    pair = &run.pairs[run.n_pairs]
                    run.n_pairs += 1
                    self.set_pair(pair, i, j)
        return 0

    cdef int set_pair(self, RunPair* pair, int32_t i, int32_t j) except -1:
        cdef const ShapeData* a = &self.world.store.shapes[i]
        cdef const ShapeData* b = &self.world.store.shapes[j]
        pair.shape_a, pair.shape_b = i, j
        pair.a, pair.b = a.body, b.body
        pair.ga, pair.gb = &a.geometry, &b.geometry
        pair.mu = mix(self.world.scene.mix_friction, a.friction, b.friction)
        pair.e = mix(self.world.scene.mix_restitution, a.restitution, b.restitution)
        pair.boost = greater(a.boost, b.boost)
        pair.surface_a, pair.surface_b = a.surface, b.surface
        pair.runs = (a.surface.x != 0.0 or a.surface.y != 0.0 or b.surface.x != 0.0
                     or b.surface.y != 0.0)
        self.check_rules(a)
        self.check_rules(b)
        pair.thickness = greater(greater(a.thickness, b.thickness),
                                 1e-2 * lesser(a.geometry.bounding_radius,
                                               b.geometry.bounding_radius))
        return 0

    cdef int check_rules(self, const ShapeData* shape) except -1:
        """Refuse what the exact clock does not know."""
        for name, there in (("rolling_resistance", shape.rolling != 0.0),
                            ("one_way", shape.through.x != 0.0 or shape.through.y != 0.0)):
            if there:
                raise ValueError(f"advance: a shape of {self._name(shape.body)} has {name}, which "
                                 "the exact clock does not know; use step")
        return 0

    cdef int grow(self) except -1:
        """Twice the room for links and all that goes with them, and for what is recorded."""
        cdef Run* run = &self.run
        cdef LcpProblem problem
        cdef int32_t n, links = 2 * run.link_room if run.link_room else 16
        cdef bint swapped = run.links != NULL and <void*> run.links != <void*> address(
            self.arrays["links"])
        if swapped:
            self.arrays["links"], self.arrays["fresh"] = self.arrays["fresh"], self.arrays["links"]
        run.links = <RunLink*> self.room("links", links * sizeof(RunLink))
        run.fresh = <RunLink*> self.room("fresh", links * sizeof(RunLink))
        run.link_room = links
        run.flag_room = 8 * links + 4 * run.n_holds
        run.flags = <Flag*> self.room("flags", run.flag_room * sizeof(Flag))
        run.hit_room = 2 * (run.n_hits + 64 + 16 * links)
        run.hits = <HitRecord*> self.room("hits", run.hit_room * sizeof(HitRecord))
        run.change_room = 2 * (run.n_changes + 4 * links + run.n_holds + 8)
        run.changes = <ChangeRecord*> self.room("changes", run.change_room * sizeof(ChangeRecord))
        n = run.room_rows = 2 * links + run.n_holds
        run.rows = <RunRow*> self.room("rows", n * sizeof(RunRow))
        run.A = <double*> self.room("A", n * n * sizeof(double))
        run.LU = <double*> self.room("LU", n * n * sizeof(double))
        run.b = <double*> self.room("b", n * sizeof(double))
        run.f = <double*> self.room("f", n * sizeof(double))
        run.g = <double*> self.room("g", n * sizeof(double))
        run.lo = <double*> self.room("lo", n * sizeof(double))
        run.hi = <double*> self.room("hi", n * sizeof(double))
        run.mu = <double*> self.room("mu", n * sizeof(double))
        run.errors = <double*> self.room("errors", n * sizeof(double))
        run.normal = <int*> self.room("normal", n * sizeof(int))
        run.order = <int*> self.room("order", n * sizeof(int))
        for i in range(n):
            run.normal[<int32_t> i] = 0
        problem.n, problem.A, problem.b = n, run.A, run.b
        problem.lo, problem.hi, problem.normal, problem.mu = run.lo, run.hi, run.normal, run.mu
        self.lcp.reserve(LCP_AUTO, &problem)
        run.lcp = &self.lcp.memory
        return 0

    def go(self, double duration):
        """Carry the world through a duration (s); it is left as it was if that fails."""
        cdef Run* run = &self.run
        cdef RunStatus status
        cdef double last = -1.0
        cdef int stuck = 0
        if self.world.filter is not None:
            raise ValueError("advance: the world has a contact_filter, which the exact clock does "
                             "not know; use step")
        self.set_band()
        self.load_bodies()
        self.load_joints()
        self.begin_state()
        self.load_pairs()
        self.grow()
        run.restart = True
        run.last_event = -INFINITY
        run.h = self.first_step(duration)
        self.start_energy = find_energy(run)
        with nogil:
            allow_overlaps(run)
        while True:
            with nogil:
                status = run_on(run, duration)
            if status == RUN_DONE:
                break
            if status == RUN_PAUSED:
                PyErr_CheckSignals()
                stuck = 0 if run.t - last > self.no_time() else stuck + 1
                last = run.t
                if stuck == MOST_STUCK:
                    give_up(run)
                    self.complain()
                continue
            if status == RUN_FAILED:
                self.complain()
            self.grow()
        with nogil:
            load_state(run, run.y)
        self.check_range()
        self.give_back()

    cdef double no_time(self):
        """s: a run that goes on by less in thousands of events does not go on."""
        return ONE_TIME * sqrt(self.run.tol / greater(self.run.pull, 1e-3))

    cdef double first_step(self, double duration):
        cdef double reach = NO_REACH
        cdef int32_t i
        for i in range(self.run.n_moving):
            if self.run.bodies[self.run.moving[i]].bounding_radius > 0.0:
                reach = lesser(reach, self.run.bodies[self.run.moving[i]].bounding_radius)
        if self.run.pull > 0.0:
            return lesser(duration, FIRST_STEP * sqrt(reach / self.run.pull))
        return lesser(duration, FIRST_STEP)

    cdef int complain(self) except -1:
        """Say what could not be resolved, and when."""
        cdef Run* run = &self.run
        cdef double when = self.world.time + run.t
        if run.bad_pair < 0:
            raise SolverError(f"advance: no step goes on at time {when!r} s; the world is as it "
                              "was before the call", Status.NO_SOLUTION)
        a = self._name(run.pairs[run.bad_pair].a)
        b = self._name(run.pairs[run.bad_pair].b)
        raise SolverError(f"advance: what happens between {a} and {b} at time {when!r} s could "
                          "not be resolved; the world is as it was before the call",
                          Status.NO_SOLUTION)

    def _name(self, row):
        """A body as errors name it: the world is busy, and handles do not tell."""
        cdef const BodyData* body = &self.world.store.bodies[<int32_t> row]
        cdef const RunBody* now = &self.run.bodies[<int32_t> row]
        kind = ("dynamic" if body.kind == DYNAMIC else "static" if body.kind == STATIC
                else "kinematic")
        return f"body {body.id} ({kind}, at ({now.x.x:.6g}, {now.x.y:.6g}))"

    cdef int check_range(self) except -1:
        cdef Py_ssize_t i
        for i in range(self.run.n):
            if not fabs(self.run.y[i]) <= 1e12:
                raise OverflowError("advance: a body left the range of places or speeds; the world "
                                    "is as it was before the call")
        return 0

    cdef int give_back(self) except -1:
        """Write the state into the world."""
        cdef Run* run = &self.run
        cdef BodyStore store = self.world.store
        cdef int32_t i, row
        cdef const RunBody* body
        for i in range(run.n_moving):
            row = run.moving[i]
            body = &run.bodies[row]
            bring_to(&store.bodies[row], body.x, body.angle, &store.places[row])
            if body.dynamic:
                store.motions[row].v, store.motions[row].w = body.v, body.w
                store.bodies[row].a = vec2(0.0, 0.0)
                store.bodies[row].alpha = 0.0
        self.give_back_joints()
        return 0

    cdef int give_back_joints(self) except -1:
        """What joints took note of, and the work of their motors and friction."""
        cdef Run* run = &self.run
        cdef JointStore store = self.world.joint_store
        cdef int32_t k
        cdef const double* work = run.y + PER_BODY * run.n_moving + N_ACCOUNTS
        sum_joint_forces(run)
        for k in range(run.n_joints):
            store.joints[k].held = run.joints[k].data.held
            store.joints[k].work += work[k]
        return 0

    # -- what happened

    @property
    def hits(self):
        """Blows, as a structured array."""
        return self.arrays["hits"][:self.run.n_hits * sizeof(HitRecord)].view(_HIT).copy()

    @property
    def changes(self):
        """Changes of links, as a structured array."""
        return self.arrays["changes"][:self.run.n_changes * sizeof(ChangeRecord)].view(
            _CHANGE).copy()

    @property
    def counts(self):
        """How much was done."""
        cdef object counters = self.run.count
        return dict(counters)

    @property
    def work(self):
        """J, by account; `integrator` is what the others leave unexplained."""
        cdef Run* run = &self.run
        cdef const double* done = run.y + PER_BODY * run.n_moving
        out = {"impacts": run.impact_loss, "friction": done[0], "normal": done[1],
               "applied": done[2], "damping": done[3], "driven": done[4] + run.impact_driven,
               "springs": done[5], "motors": done[6] + run.impact_motors,
               "projection": run.projection}
        out["integrator"] = find_energy(run) - self.start_energy - sum(out.values())
        return out

    def pair_at(self, index):
        """Shape ids and body ids of a pair."""
        cdef const RunPair* pair = &self.run.pairs[<int32_t> index]
        store = self.world.store
        return (pair.shape_a, pair.shape_b, store.bodies[pair.a].id, store.bodies[pair.b].id)

    @property
    def joints(self):
        """Of each joint at the end: row in the store, force (N) and torque (N m) on b, broken."""
        cdef const RunJoint* joint
        cdef int32_t k
        out = []
        for k in range(self.run.n_joints):
            joint = &self.run.joints[k]
            out.append((joint.at, joint.force.x, joint.force.y, joint.torque, bool(joint.broken)))
        return out

    def joint_bodies(self, index):
        """Ids of the bodies of a joint; -1: the world."""
        cdef const RunJoint* joint = &self.run.joints[<int32_t> index]
        return joint.data.body_a, joint.data.body_b

    @property
    def links(self):
        """Links at the end: dicts, for tests and for contacts."""
        cdef Run* run = &self.run
        cdef int32_t k
        cdef const RunLink* link
        out = []
        for k in range(run.n_links):
            link = &run.links[k]
            out.append({"pair": link.pair, "f1": link.at.f1, "f2": link.at.f2, "mode": link.mode,
                        "slip": link.slip, "normal_force": link.fn, "friction_force": link.ft,
                        "gap": link.at.gap})
        return out
