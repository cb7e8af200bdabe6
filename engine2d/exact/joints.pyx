"""Joints under the exact clock; joints.pxd has the contract, docs/maths/exact.md the terms.

A joint's rows come from its kind, as in a step (engine2d/joint). What is added here are the
velocity terms of C'', and modes: a limit is free or bears, a motor keeps its rate or gives all the
force it has. Springs are forces like any other.
"""

from libc.math cimport INFINITY, fabs, sqrt

from enginecore.scalar cimport greater
from engine2d.exact.run cimport (
    FLAG_BREAK, FLAG_MOTOR_HIGH, FLAG_MOTOR_LOW, FLAG_MOTOR_RATE, FLAG_STOP, FLAG_STOP_CLOSES,
    FLAG_STOP_DIP, FLAG_STOP_FORCE, FLAG_TOOTH, FLAG_TWIST, HOLD_BEARS, HOLD_FREE, HOLD_PUSHES,
    WORK_APPLIED, WORK_DRIVEN, WORK_FRICTION, WORK_MOTORS, WORK_NORMAL, WORK_SPRINGS, RunBody)
from engine2d.joint.joint cimport (
    ACROSS, DRAG, DRIVE, MOST_ROWS, PULLEY, RATCHET, RIGID, ROD, ROPE, SLIDER, SOFT, STOP, WHEEL,
    Frame, JointRow, class_of)
from engine2d.pose cimport rotate
from engine2d.vec2 cimport Vec2, cross, length, sub, vec2

# Of the scale of accelerations, as for contacts: less is no event.
cdef double FORCE_SLACK = 4.0
cdef double RATE_SLACK = 2.0
# Of the way at its rate in a step: a limit farther off was not met within it.
cdef double MOST_DIP = 2.0
# Of a force: beyond by less is not beyond.
cdef double AT_LIMIT = 1e-9


# ------------------------------------------------------------------------------------ measuring

cdef inline Frame frame_of_body(const RunBody* body) noexcept nogil:
    cdef Frame out
    out.x, out.q, out.angle, out.center = body.x, body.pose.q, body.angle, body.local_center
    return out


cdef inline double rate_of(const double* ja, const double* jb, const RunBody* a,
                           const RunBody* b) noexcept nogil:
    return (ja[0] * a.v.x + ja[1] * a.v.y + ja[2] * a.w
            + jb[0] * b.v.x + jb[1] * b.v.y + jb[2] * b.w)


cdef inline double response(const RunHold* hold, const RunBody* a,
                            const RunBody* b) noexcept nogil:
    return (a.inv_m * (hold.ja[0] * hold.ja[0] + hold.ja[1] * hold.ja[1])
            + a.inv_I * hold.ja[2] * hold.ja[2]
            + b.inv_m * (hold.jb[0] * hold.jb[0] + hold.jb[1] * hold.jb[1])
            + b.inv_I * hold.jb[2] * hold.jb[2])


cdef double velocity_terms(int kind, const JointRow* rows, int n, int i, const RunBody* a,
                           const RunBody* b) noexcept nogil:
    """C'' of a row without accelerations: v . H v, H the second derivatives of C."""
    cdef const JointRow* row = &rows[i]
    cdef double out = row.ha * a.w * a.w + row.hb * b.w * b.w, across
    cdef int k
    if kind == SLIDER or kind == WHEEL:
        # the axis turns with a: 2 wa (z x n) . (the velocity of b's anchor against a's centre)
        out += 2.0 * a.w * (-row.jb[1] * (b.v.x - a.v.x) + row.jb[0] * (b.v.y - a.v.y)
                            - row.hb * b.w)
    elif (kind == ROD or kind == ROPE or kind == PULLEY) and i == 0:
        # a line that turns: (speed across)^2 / length
        for k in range(1, n):
            across = rate_of(rows[k].ja, rows[k].jb, a, b)
            out += rows[k].ha * across * across
    return out


cdef void measure_joint(Run* run, RunJoint* joint) noexcept nogil:
    cdef const RunBody* a = &run.bodies[joint.a]
    cdef const RunBody* b = &run.bodies[joint.b]
    cdef Frame fa = frame_of_body(a), fb = frame_of_body(b)
    cdef JointRow[MOST_ROWS] rows
    cdef RunHold* hold
    cdef double scale
    cdef int n = class_of(joint.data.head.kind).rows(&joint.data, &fa, &fb, rows), i, k
    for i in range(n):
        hold = &run.holds[joint.first + i]
        hold.kind = <signed char>rows[i].kind
        scale = 1.0
        if (rows[i].kind != SOFT and rows[i].ja[0] == 0.0 and rows[i].ja[1] == 0.0
                and rows[i].jb[0] == 0.0 and rows[i].jb[1] == 0.0):
            scale = joint.scale
        for k in range(3):
            hold.ja[k], hold.jb[k] = scale * rows[i].ja[k], scale * rows[i].jb[k]
        hold.C = scale * rows[i].C
        hold.speed = rate_of(hold.ja, hold.jb, a, b)
        hold.rate = hold.speed - (scale * rows[i].rate if rows[i].kind == DRIVE else 0.0)
        hold.bias = scale * velocity_terms(joint.data.head.kind, rows, n, i, a, b)
        hold.stiffness, hold.damping = rows[i].stiffness, rows[i].damping
        hold.most = rows[i].most / scale
        hold.metric = response(hold, a, b)
        if hold.kind == SOFT:
            hold.f = -hold.stiffness * hold.C - hold.damping * hold.speed
    if joint.data.head.kind == DRAG:
        cap_drag(&run.holds[joint.first], joint.data.head.most)


cdef void cap_drag(RunHold* holds, double most) noexcept nogil:
    """A drag's force is bounded as a vector."""
    cdef double size = sqrt(holds[0].f * holds[0].f + holds[1].f * holds[1].f)
    if size > most:
        holds[0].f *= most / size
        holds[1].f *= most / size


cdef void measure_joints(Run* run) noexcept nogil:
    cdef int32_t k
    for k in range(run.n_joints):
        if not run.joints[k].broken:
            measure_joint(run, &run.joints[k])


# --------------------------------------------------------------------------------------- forces

cdef inline bint is_live(const Run* run, const RunHold* hold) noexcept nogil:
    """Whether a hold's joint is there and something can be moved by it."""
    return not run.joints[hold.joint].broken and hold.metric > 0.0 and hold.kind != ACROSS


cdef inline bint is_stiff(const RunHold* hold) noexcept nogil:
    """Whether it is held by any force: also in a blow."""
    return hold.kind == RIGID or (hold.kind == DRIVE and hold.most == INFINITY)


cdef inline void shove(Run* run, const RunHold* hold, double f) noexcept nogil:
    cdef RunBody* a = &run.bodies[hold.a]
    cdef RunBody* b = &run.bodies[hold.b]
    a.a = vec2(a.a.x + a.inv_m * hold.ja[0] * f, a.a.y + a.inv_m * hold.ja[1] * f)
    b.a = vec2(b.a.x + b.inv_m * hold.jb[0] * f, b.a.y + b.inv_m * hold.jb[1] * f)
    a.alpha += a.inv_I * hold.ja[2] * f
    b.alpha += b.inv_I * hold.jb[2] * f


cdef void add_joint_forces(Run* run) noexcept nogil:
    cdef int32_t k
    cdef RunHold* hold
    for k in range(run.n_holds):
        hold = &run.holds[k]
        if not is_live(run, hold):
            continue
        if hold.kind == DRIVE and hold.mode == HOLD_PUSHES:
            hold.f = -hold.slip * hold.most
        elif hold.kind != SOFT:
            continue
        shove(run, hold, hold.f)


# ----------------------------------------------------------------------------------------- rows

cdef inline void write_hold_row(const RunHold* hold, RunRow* row) noexcept nogil:
    cdef int k
    row.a, row.b = hold.a, hold.b
    for k in range(3):
        row.ja[k] = row.pa[k] = hold.ja[k]
        row.jb[k] = row.pb[k] = hold.jb[k]
    row.bias, row.metric = hold.bias, hold.metric
    row.drive = 0.0
    row.low, row.high = -INFINITY, INFINITY
    row.normal, row.mu = -1, 0.0


cdef inline bint bears(const Run* run, const RunHold* hold) noexcept nogil:
    return is_live(run, hold) and hold.kind != SOFT and (hold.kind == RIGID
                                                         or hold.mode == HOLD_BEARS)


cdef int32_t add_locked_rows(Run* run, int32_t m) noexcept nogil:
    cdef int32_t k
    cdef RunHold* hold
    for k in range(run.n_holds):
        hold = &run.holds[k]
        hold.row = -1
        if bears(run, hold):
            write_hold_row(hold, &run.rows[m])
            run.f[m] = hold.base
            hold.row = m
            m += 1
    return m


cdef int32_t add_open_rows(Run* run, int32_t m) noexcept nogil:
    cdef int32_t k
    cdef RunHold* hold
    for k in range(run.n_holds):
        hold = &run.holds[k]
        hold.row = -1
        if not is_live(run, hold) or hold.kind == SOFT:
            continue
        if hold.kind == STOP and (hold.C > run.touch or hold.rate > run.slow):
            continue
        write_hold_row(hold, &run.rows[m])
        if hold.kind == STOP:
            run.rows[m].low = 0.0
        elif hold.kind == DRIVE and hold.most < INFINITY:
            if fabs(hold.rate) > run.slow and not hold.held:
                hold.mode = HOLD_PUSHES
                hold.slip = 1 if hold.rate > 0.0 else -1
                continue
            hold.mode = HOLD_BEARS
            run.rows[m].low, run.rows[m].high = -hold.most, hold.most
        run.f[m] = hold.base if hold.mode == HOLD_BEARS else 0.0
        hold.row = m
        m += 1
    return m


cdef int32_t add_held_rows(Run* run, int32_t m, bint rates) noexcept nogil:
    cdef int32_t k
    cdef RunHold* hold
    for k in range(run.n_holds):
        hold = &run.holds[k]
        if not bears(run, hold) or (hold.kind == DRIVE and not rates):
            continue
        write_hold_row(hold, &run.rows[m])
        run.errors[m] = hold.C
        run.b[m] = hold.rate
        m += 1
    return m


cdef int32_t add_stiff_rows(Run* run, int32_t m, bint stops) noexcept nogil:
    cdef int32_t k
    cdef RunHold* hold
    for k in range(run.n_holds):
        hold = &run.holds[k]
        hold.row = -1
        if not is_live(run, hold):
            continue
        if is_stiff(hold) or (stops and hold.kind == STOP and hold.C <= run.touch):
            write_hold_row(hold, &run.rows[m])
            if hold.kind == STOP:
                run.rows[m].low = 0.0
            run.b[m] = hold.rate
            run.f[m] = 0.0
            hold.row = m
            m += 1
    return m


cdef int32_t add_micro_rows(Run* run, int32_t m, double h) noexcept nogil:
    cdef int32_t k
    cdef RunHold* hold
    for k in range(run.n_holds):
        hold = &run.holds[k]
        if not is_live(run, hold) or hold.kind == SOFT:
            continue
        write_hold_row(hold, &run.rows[m])
        run.b[m] = hold.rate
        run.f[m] = 0.0
        if hold.kind == STOP:
            run.rows[m].low = 0.0
            run.b[m] += greater(hold.C, 0.0) / h
        elif hold.kind == DRIVE and hold.most < INFINITY:
            run.rows[m].low, run.rows[m].high = -h * hold.most, h * hold.most
        m += 1
    return m


cdef bint is_struck(const Run* run) noexcept nogil:
    cdef int32_t k
    cdef const RunHold* hold
    for k in range(run.n_holds):
        hold = &run.holds[k]
        if not is_live(run, hold):
            continue
        if is_stiff(hold) and fabs(hold.rate) > run.slow:
            return True
        if hold.kind == STOP and hold.C <= run.touch and hold.rate < -run.slow:
            return True
    return False


# --------------------------------------------------------------------------------- after a solve

cdef void take_joint_forces(Run* run) noexcept nogil:
    cdef int32_t k
    cdef RunHold* hold
    for k in range(run.n_holds):
        hold = &run.holds[k]
        if hold.row >= 0:
            hold.f = run.f[hold.row]
        elif hold.kind == STOP or hold.kind == RIGID:
            hold.f = 0.0


cdef inline double acceleration_of(const Run* run, const RunHold* hold) noexcept nogil:
    cdef const RunBody* a = &run.bodies[hold.a]
    cdef const RunBody* b = &run.bodies[hold.b]
    return (hold.ja[0] * a.a.x + hold.ja[1] * a.a.y + hold.ja[2] * a.alpha
            + hold.jb[0] * b.a.x + hold.jb[1] * b.a.y + hold.jb[2] * b.alpha + hold.bias)


cdef void find_hold_accelerations(Run* run) noexcept nogil:
    cdef int32_t k
    for k in range(run.n_holds):
        run.holds[k].acceleration = acceleration_of(run, &run.holds[k])


cdef double strongest_motor(const Run* run) noexcept nogil:
    cdef int32_t k
    cdef const RunHold* hold
    cdef double out = 0.0
    for k in range(run.n_holds):
        hold = &run.holds[k]
        if hold.kind == DRIVE and hold.most < INFINITY and is_live(run, hold):
            out = greater(out, hold.most * hold.metric)
    return out


cdef void choose_hold_modes(Run* run, double least) noexcept nogil:
    cdef int32_t k
    cdef RunHold* hold
    cdef double drifting
    for k in range(run.n_holds):
        hold = &run.holds[k]
        if not is_live(run, hold) or hold.kind == SOFT or hold.mode == HOLD_PUSHES:
            continue
        hold.f = run.f[hold.row] if hold.row >= 0 else 0.0
        if hold.kind == STOP:
            hold.mode = HOLD_BEARS if hold.f * hold.metric > least else HOLD_FREE
        elif hold.kind == DRIVE and hold.most < INFINITY:
            drifting = acceleration_of(run, hold)
            if (fabs(hold.f) >= hold.most * (1.0 - AT_LIMIT)
                    and (run.pressed or (fabs(drifting) > least and drifting * hold.f < 0.0))):
                hold.mode = HOLD_PUSHES
                hold.slip = 1 if hold.f < 0.0 else -1
        else:
            hold.mode = HOLD_BEARS
        if hold.mode == HOLD_FREE:
            hold.f = 0.0


# --------------------------------------------------------------------------------------- events

cdef void flag_hold(Run* run, int kind, int32_t k, double slack) noexcept nogil:
    cdef Flag* flag
    if run.n_flags < run.flag_room:
        flag = &run.flags[run.n_flags]
        run.n_flags += 1
        flag.kind, flag.index, flag.part, flag.slack = kind, k, 0, slack
        flag.jumps = False


cdef void check_holds(Run* run) noexcept nogil:
    cdef int32_t k
    cdef RunHold* hold
    cdef double slack = FORCE_SLACK * run.least
    find_hold_accelerations(run)
    for k in range(run.n_holds):
        hold = &run.holds[k]
        if not is_live(run, hold):
            continue
        if hold.kind == STOP:
            check_stop(run, k, slack)
        elif hold.kind == DRIVE and hold.mode == HOLD_PUSHES:
            if hold.slip * hold.rate < -RATE_SLACK * run.slow:
                flag_hold(run, FLAG_MOTOR_RATE, k, RATE_SLACK * run.slow)
        elif hold.kind == DRIVE and hold.most < INFINITY:
            if (hold.most + hold.f) * hold.metric < -slack:
                flag_hold(run, FLAG_MOTOR_LOW, k, slack)
            if (hold.most - hold.f) * hold.metric < -slack:
                flag_hold(run, FLAG_MOTOR_HIGH, k, slack)
    check_strength(run)


cdef void check_stop(Run* run, int32_t k, double slack) noexcept nogil:
    cdef const RunHold* hold = &run.holds[k]
    cdef const RunJoint* joint = &run.joints[hold.joint]
    if hold.mode == HOLD_BEARS:
        if hold.f * hold.metric < -slack:
            flag_hold(run, FLAG_STOP_FORCE, k, slack)
    elif hold.C < -run.tol:
        flag_hold(run, FLAG_STOP, k, run.tol)
    elif (hold.C <= run.touch and fabs(hold.rate) <= 10.0 * run.slow
            and hold.acceleration < -slack):
        flag_hold(run, FLAG_STOP_CLOSES, k, slack)
    elif hold.rate > 0.0 and hold.C < MOST_DIP * hold.rate * run.taken:
        flag_hold(run, FLAG_STOP_DIP, k, run.tol)
    if (joint.data.head.kind == RATCHET
            and joint.scale * fabs(joint.data.head.ratio) - hold.C < -run.tol):
        flag_hold(run, FLAG_TOOTH, k, run.tol)


cdef void check_strength(Run* run) noexcept nogil:
    """Joints that bear more than they can."""
    cdef int32_t k
    cdef const RunJoint* joint
    cdef bint any_breaks = False
    for k in range(run.n_joints):
        joint = &run.joints[k]
        any_breaks = any_breaks or (not joint.broken and (
            joint.data.head.break_force < INFINITY or joint.data.head.break_torque < INFINITY))
    if not any_breaks:
        return
    sum_joint_forces(run)
    for k in range(run.n_joints):
        joint = &run.joints[k]
        if joint.broken or joint.n == 0:
            continue
        if length(joint.force) > joint.data.head.break_force * (1.0 + AT_LIMIT):
            flag_hold(run, FLAG_BREAK, joint.first, AT_LIMIT * joint.data.head.break_force)
        elif fabs(joint.torque) > joint.data.head.break_torque * (1.0 + AT_LIMIT):
            flag_hold(run, FLAG_TWIST, joint.first, AT_LIMIT * joint.data.head.break_torque)


cdef bint needs_forces(const Flag* flag) noexcept nogil:
    return not (flag.kind == FLAG_STOP or flag.kind == FLAG_STOP_DIP or flag.kind == FLAG_TOOTH
                or flag.kind == FLAG_MOTOR_RATE)


cdef double hold_limit(Run* run, const Flag* flag) noexcept nogil:
    cdef RunHold* hold = &run.holds[flag.index]
    cdef RunJoint* joint = &run.joints[hold.joint]
    if not needs_forces(flag):
        measure_joint(run, joint)
    if flag.kind == FLAG_STOP or flag.kind == FLAG_STOP_DIP:
        return hold.C
    if flag.kind == FLAG_TOOTH:
        return joint.scale * fabs(joint.data.head.ratio) - hold.C
    if flag.kind == FLAG_MOTOR_RATE:
        return hold.slip * hold.rate
    if flag.kind == FLAG_STOP_FORCE:
        return hold.f * hold.metric
    if flag.kind == FLAG_STOP_CLOSES:
        return acceleration_of(run, hold)
    if flag.kind == FLAG_MOTOR_LOW:
        return (hold.most + hold.f) * hold.metric
    if flag.kind == FLAG_MOTOR_HIGH:
        return (hold.most - hold.f) * hold.metric
    sum_joint_forces(run)
    if flag.kind == FLAG_BREAK:
        return joint.data.head.break_force - length(joint.force)
    return joint.data.head.break_torque - fabs(joint.torque)


cdef double stop_rate(Run* run, const Flag* flag) noexcept nogil:
    cdef RunHold* hold = &run.holds[flag.index]
    measure_joint(run, &run.joints[hold.joint])
    return hold.rate


cdef void take_event(Run* run, const Flag* flag) noexcept nogil:
    cdef RunHold* hold = &run.holds[flag.index]
    cdef RunJoint* joint = &run.joints[hold.joint]
    cdef Frame a = frame_of_body(&run.bodies[joint.a]), b = frame_of_body(&run.bodies[joint.b])
    if flag.kind == FLAG_TOOTH:
        # at the tooth to within rounding: it is passed
        if joint.data.head.ratio > 0.0:
            b.angle += 2.0 * run.tol / joint.scale
        else:
            b.angle -= 2.0 * run.tol / joint.scale
        class_of(joint.data.head.kind).finish(&joint.data, &a, &b)
    elif flag.kind == FLAG_BREAK or flag.kind == FLAG_TWIST:
        joint.broken = True
    elif flag.kind == FLAG_MOTOR_RATE:
        hold.held = 1


# --------------------------------------------------------------------------------- energy, forces

cdef double spring_energy(Run* run) noexcept nogil:
    cdef int32_t k
    cdef const RunHold* hold
    cdef double out = 0.0
    if run.n_joints == 0:
        return 0.0
    measure_joints(run)
    for k in range(run.n_holds):
        hold = &run.holds[k]
        if (hold.kind == SOFT and not run.joints[hold.joint].broken
                and run.joints[hold.joint].data.head.kind != DRAG):
            out += 0.5 * hold.stiffness * hold.C * hold.C
    return out


cdef inline double side_rate(const double* j, const RunBody* body) noexcept nogil:
    return j[0] * body.v.x + j[1] * body.v.y + j[2] * body.w


cdef double driven_work(const Run* run, const RunRow* row, double p) noexcept nogil:
    cdef double out = 0.0
    if not run.bodies[row.a].dynamic:
        out -= p * side_rate(row.ja, &run.bodies[row.a])
    if not run.bodies[row.b].dynamic:
        out -= p * side_rate(row.jb, &run.bodies[row.b])
    return out


cdef void add_joint_powers(const Run* run, double* powers, double* of_joints) noexcept nogil:
    cdef int32_t k
    cdef const RunHold* hold
    for k in range(run.n_joints):
        of_joints[k] = 0.0
    for k in range(run.n_holds):
        hold = &run.holds[k]
        if not is_live(run, hold) or hold.f == 0.0:
            continue
        if hold.kind == DRIVE:
            powers[WORK_FRICTION if hold.rubs else WORK_MOTORS] += hold.f * hold.speed
            of_joints[hold.joint] += hold.f * hold.speed
        elif hold.kind != SOFT:
            powers[WORK_NORMAL] += hold.f * hold.speed
        elif run.joints[hold.joint].data.head.kind == DRAG:
            powers[WORK_APPLIED] += hold.f * hold.speed
        else:
            powers[WORK_SPRINGS] -= hold.damping * hold.speed * hold.speed
        if not run.bodies[hold.a].dynamic:
            powers[WORK_DRIVEN] -= hold.f * side_rate(hold.ja, &run.bodies[hold.a])
        if not run.bodies[hold.b].dynamic:
            powers[WORK_DRIVEN] -= hold.f * side_rate(hold.jb, &run.bodies[hold.b])


cdef double book_motors(Run* run) noexcept nogil:
    cdef int32_t k
    cdef const RunHold* hold
    cdef double out = 0.0
    for k in range(run.n_holds):
        hold = &run.holds[k]
        if hold.row >= 0 and hold.kind == DRIVE and is_live(run, hold):
            out += run.f[hold.row] * (hold.speed - hold.rate)
    run.impact_motors += out
    return out


cdef void sum_joint_forces(Run* run) noexcept nogil:
    cdef int32_t k, i
    cdef RunJoint* joint
    cdef const RunHold* hold
    cdef const RunBody* b
    cdef Vec2 arm
    for k in range(run.n_joints):
        joint = &run.joints[k]
        joint.force = vec2(0.0, 0.0)
        joint.torque = 0.0
        if joint.broken:
            continue
        b = &run.bodies[joint.b]
        arm = rotate(b.pose.q, sub(joint.data.anchor_b, b.local_center))
        for i in range(joint.first, joint.first + joint.n):
            hold = &run.holds[i]
            if not is_live(run, hold):
                continue
            joint.force.x += hold.f * hold.jb[0]
            joint.force.y += hold.f * hold.jb[1]
            joint.torque += hold.f * (hold.jb[2] - cross(arm, vec2(hold.jb[0], hold.jb[1])))
