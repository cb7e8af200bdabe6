"""A step of one small island; small_step.pxd has the contract, docs/maths/solver3d.md why."""

cimport cython
from libc.math cimport INFINITY, fabs
from libc.string cimport memcpy, memset

from enginecore.body_head cimport DYNAMIC
from enginecore.constants cimport CCD_SHARE, SPEED_RESERVE
from enginecore.memory cimport hold
from enginecore.pair_table cimport high_of, low_of
from enginecore.rule cimport ONE_WAY
from enginecore.scalar cimport greater, lesser
from enginecore.status cimport check
from engine3d.body cimport BodyData, Motion, Place
from engine3d.joint.assembly_solve cimport needs_assemblies, solve_swept
from engine3d.joint.joint cimport JointData
from engine3d.joint.link_step cimport (
    cones_of, count_sub_steps, gather_links, hold_velocities, link_error, mark_driven,
    position_cones, scatter_links, solve_links, take_links)
from engine3d.solve.cone cimport OPEN, STICK
from engine3d.contact cimport (
    FAST, OLD, PARTLY_REFUSED, REFUSED, Contact, Counters, Pair, detect, pair_thickness,
    pushes_along,
)
from engine3d.solve.integrate cimport damped_vector, move_body, spin_of, turn_freely
from engine3d.collide.narrow_phase cimport FACE_POINT, POINT_FACE, Touch, refresh
from engine3d.pose cimport Pose
from engine3d.quat cimport matrix_of, turned_by
from engine3d.solve.momentum cimport Totals, keep_totals, measure_totals
from engine3d.solve.polyhedral cimport solve_polyhedral
from engine3d.solve.rule cimport drive_of, resist_turning, resists_turning, rolling_axis
from engine3d.solve.solver_direct cimport solve_cones
from engine3d.solve.strike cimport (
    MOST_GROUPED, SubStep, closing_at, point_velocity, set_speed, strike_closed, sync_spin,
    touch_nearest)
from engine3d.collide.time_of_impact cimport (
    Sweep, find_impact_time, gap_between, sweep_pose)
from engine3d.vec3 cimport (
    Mat3, Vec3, across, add, add_scaled, apply, apply_transposed, cross, dot, length, negated,
    scaled, sub, vec3,
)

# m/s: two bodies slower than this in sum do not turn their contact within a sub-step.
cdef double STILL = 1e-9
# rad: beyond this in a sub-step the c terms, expansions of the rotation, mean nothing.
cdef double MOST_SPIN = 0.5
# rad in a sub-step: above this a body that bears load turns as a top under a mean moment.
cdef double FAST_SPIN = 0.05
# 1 - cosine of the turn of a normal beyond which the c terms mean nothing.
cdef double MOST_TURN = 0.01
# Share of an island's kinetic energy that a second may add to it before it is taken back.
cdef double MOST_GAIN = 1e-4
# Times touch: what lifting an island by this much takes is no gain.
cdef double LEAST_GAIN = 1e-3
# Times touch: the gap up to which a contact that bore load counts as in touch.
cdef double TOUCH_LOADED = 20.0
# Times slop: contacts deeper than this do not decide how an island moves.
cdef double DEEP_SLOPS = 10.0
# How much faster bodies may get than the fastest was when an island was given up.
cdef double LOOK_AHEAD = 1.5
# s, as a share of the step: shorter rests are none.
cdef double NO_TIME = 1e-9
# m, as a share of touch: where the search for a time of impact ends.
cdef double SEARCH_END = 1e-8
# m/s: velocities below this are as good as zero for the solver.
cdef double LEAST_SCALE = 1e-6
# Times touch: errors of joints (m, rad) below this are rounding and not corrected; beyond the
# other one a correction is not enough.
cdef double NO_ERROR = 1e-6
cdef double ERROR_LEFT = 1e-2
# m/s: closing speeds below this are rounding.
cdef double NO_SPEED = 1e-9
# m/s: what a body that is pushed out of another may get in a sub-step, times that.
cdef double PUSH_SPEED = 2.4
cdef enum:
    SEARCH_STEPS = 40
    LEAST_STRIKES = 20         # of an island in a step, and so many more per contact
    STRIKES_PER_CONTACT = 10
    MOST_PROJECTIONS = 6       # where joints hold
    LEAST_CUTS = 100           # likewise of its sub-steps
    CUTS_PER_PAIR = 10
    MOST_CUTS = 400            # a light body that rattles between heavy ones has no end of them
    MOST_TURNS = 600           # of its sub-steps in all
    EARLY_ROUNDS = 3           # of blows and new looks in a sub-step of a sparse island
    MOST_CORRECTIONS = 2       # of its places in a sub-step
    SPARSE_CUTS = 4            # what meets later in its step is struck early
    MEETS = -2                 # as the turn when a pair was swept: it meets in this sub-step


cdef void step_island(StepContext* ctx, const int32_t* body_rows, int n_bodies,
                      const int32_t* pair_numbers, int n_pairs, const int32_t* joint_rows,
                      int n_joints, SmallMemory* memory) noexcept nogil:
    cdef SubStep s
    cdef double whole = ctx.dt / SUB_STEPS, tau, before
    cdef int cuts = min(LEAST_CUTS + CUTS_PER_PAIR * n_pairs, <int> MOST_CUTS)
    cdef bint is_cut, is_kept = False
    cdef Counters counters = ctx.counters
    cdef Totals first
    check(n_bodies <= memory.n_bodies and n_pairs <= memory.n_pairs)
    check(ctx.n_bodies <= memory.n_world)
    s.ctx, s.bodies, s.contacts = ctx, memory.bodies, memory.contacts
    s.cones, s.V, s.direct = memory.cones, memory.V, memory.direct
    s.left, s.turn, s.early, s.least_h = ctx.dt, 0, False, 0.0
    s.swept_until, s.swept_turn = memory.swept_until, memory.swept_turn
    memset(s.swept_turn, -1, n_pairs * sizeof(int32_t))
    s.direct.least = LEAST_SCALE * ctx.tol.root
    s.links = memory.links if n_joints > 0 else NULL
    gather(&s, body_rows, n_bodies, pair_numbers, n_pairs, memory.local_row)
    if n_joints > 0:
        join(&s, joint_rows, n_joints, memory.local_row)
        memory.links.sparse = is_sparse(ctx, n_bodies, pair_numbers, n_pairs,
                                        memory.links.joints, joint_rows, 0, n_joints)
        whole = ctx.dt / count_sub_steps(&s, ctx.dt)
        s.least_h = 0.5 * whole if memory.links.sparse else 0.0
    set_forces(&s, whole)
    list_meetings(&s, pair_numbers, n_pairs, memory.local_row)
    if n_joints > 0:
        mark_driven(&s)
    # joints keep what they bore: their islands are not done again
    if ctx.may_look and n_joints == 0 and may_leave(&s):
        is_kept = True
        keep_contacts(ctx, pair_numbers, n_pairs, memory)
    s.strikes_left = LEAST_STRIKES + STRIKES_PER_CONTACT * (s.n_contacts + n_bodies)
    while s.left > NO_TIME * ctx.dt:
        s.turn += 1
        if s.turn > MOST_TURNS:
            # sub-steps that nothing cuts may be short, too; the rest of the step is given up
            ctx.counters.cut_limit += 1
            break
        s.h = whole if s.left > whole * (1.0 + NO_TIME) else s.left
        strike(&s)
        mark_resting(&s)
        is_cut = False
        s.h = lesser(s.h, time_allowed(&s))
        if s.h <= NO_TIME * ctx.dt:
            # struck off to where nobody has looked
            if is_kept:
                ctx.counters = counters
                give_up(&s, pair_numbers, n_pairs, memory)
                return
            # the rest of the step is given up
            ctx.counters.waits += 1
            break
        if n_joints > 0 and memory.links.sparse and s.turn > SPARSE_CUTS:
            strike_early(&s, pair_numbers, n_pairs, memory.local_row)
            tau = INFINITY
        else:
            tau = lesser(find_first_impact(&s),
                         find_first_swept(&s, pair_numbers, n_pairs, memory.local_row))
        if tau < s.h:
            if cuts == 0:
                # what is left of the step is given up: nothing goes where nobody has looked
                ctx.counters.cut_limit += 1
                break
            is_cut = True
            s.h = tau
            cuts -= 1
            ctx.counters.cuts += 1
        if s.h > 0.0:
            before = energy_of(&s)
            sub_step(&s)
            take_back_gain(&s, before)
            s.left -= s.h
        look_again(&s, pair_numbers, n_pairs, memory.local_row, is_cut)
    # a blow at the very end is struck, too
    strike(&s)
    if n_joints > 0:
        scatter(&s, memory.local_row)
        return
    first = measure_totals(ctx, body_rows, n_bodies, pair_numbers, n_pairs)
    scatter(&s, memory.local_row)
    keep_totals(ctx, body_rows, n_bodies, &first)


cdef bint is_sparse(const StepContext* ctx, int n_bodies, const int32_t* pair_numbers, int n_pairs,
                    const JointData* joints, const int32_t* joint_rows, int32_t offset,
                    int n_joints) noexcept nogil:
    cdef const JointData* joint
    cdef bint is_bounded = n_pairs > 0
    cdef int32_t slots = 0, cones = 0
    cdef int k
    for k in range(n_pairs):
        slots += ctx.pairs[pair_numbers[k]].room
    for k in range(n_joints):
        joint = &joints[joint_rows[k] - offset]
        cones += cones_of(joint.n_rows)
        is_bounded = is_bounded or joint.hard != (1 << joint.n_rows) - 1
    return needs_assemblies(n_bodies, slots, cones, is_bounded)


cdef void strike(SubStep* s) noexcept nogil:
    """Strike what has closed; in sparse islands each blow is felt by two bodies alone, and what
    joints do not allow of that is taken out afterwards: neither adds energy."""
    if strike_closed(s) and s.links != NULL and s.links.sparse:
        hold_velocities(s)


cdef void strike_early(SubStep* s, const int32_t* pair_numbers, int n_pairs,
                       const int32_t* local_row) noexcept nogil:
    """Strike what will meet within the sub-step where it is now; the solve keeps it apart. A cut
    for each blow would cost a solve of all joints."""
    cdef int k, _round
    cdef bint met
    for _round in range(EARLY_ROUNDS):
        met = meet_swept(s, pair_numbers, n_pairs, local_row)
        if not (find_first_impact(s) < s.h or met):
            break
        s.early = True
        strike(s)
        s.early = False
    for k in range(s.n_contacts):
        s.contacts[k].time = -1.0


cdef bint meet_swept(SubStep* s, const int32_t* pair_numbers, int n_pairs,
                     const int32_t* local_row) noexcept nogil:
    """Contacts of swept pairs that will meet within the sub-step, as they will be then; whether
    there are any."""
    cdef Pair* pair
    cdef const SubBody* a
    cdef const SubBody* b
    cdef Sweep sa, sb
    cdef Pose pa, pb
    cdef double t = 0.0
    cdef int k, i
    cdef bint met = False
    for k in range(n_pairs):
        pair = &s.ctx.pairs[pair_numbers[k]]
        if not pair.flags & FAST:
            continue
        a, b = &s.bodies[local_row[pair.a]], &s.bodies[local_row[pair.b]]
        sa, sb = sweep_of(a), sweep_of(b)
        if find_impact_time(s.ctx.shapes[low_of(pair.key)].geometry, &sa,
                            s.ctx.shapes[high_of(pair.key)].geometry, &sb, s.h,
                            0.5 * s.ctx.tol.closed, &t):
            met = True
            pa, pb = sweep_pose(&sa, t), sweep_pose(&sb, t)
            detect(s.ctx, pair, &pa, &pb, s.ctx.tol.margin)
            for i in range(pair.first, pair.first + pair.n):
                refresh(&s.ctx.contacts[i].at, &a.pose, &b.pose)
    if met:
        list_meetings(s, pair_numbers, n_pairs, local_row)
    return met


cdef bint may_leave(const SubStep* s) noexcept nogil:
    """Whether a blow may give some body more speed than was looked at for it."""
    cdef double fastest = 0.0, least = INFINITY
    cdef int k
    for k in range(s.n_bodies):
        fastest = greater(fastest, s.bodies[k].speed)
    for k in range(s.n_movable):
        least = lesser(least, s.bodies[k].allowed)
    return 2.0 * fastest * s.ctx.dt > least


cdef void keep_contacts(const StepContext* ctx, const int32_t* pair_numbers, int n_pairs,
                        SmallMemory* memory) noexcept nogil:
    """Copy the pairs of an island and their contacts as they are when its step begins."""
    cdef const Pair* pair
    cdef int k, at = 0
    for k in range(n_pairs):
        pair = &ctx.pairs[pair_numbers[k]]
        memory.old_pairs[k] = pair[0]
        memcpy(&memory.old_contacts[at], &ctx.contacts[pair.first], pair.n * sizeof(Contact))
        at += pair.n


cdef void give_up(SubStep* s, const int32_t* pair_numbers, int n_pairs,
                  SmallMemory* memory) noexcept nogil:
    """Leave an island as it was, and say how far it must look to be stepped at all."""
    cdef Pair* pair
    cdef double fastest = 0.0
    cdef int k, at = 0
    for k in range(n_pairs):
        pair = &s.ctx.pairs[pair_numbers[k]]
        pair[0] = memory.old_pairs[k]
        memcpy(&s.ctx.contacts[pair.first], &memory.old_contacts[at], pair.n * sizeof(Contact))
        at += pair.n
    for k in range(s.n_movable):
        fastest = greater(fastest, way_speed(&s.bodies[k]))
    for k in range(s.n_bodies):
        memory.local_row[s.bodies[k].row] = -1
        if s.bodies[k].movable:
            s.ctx.need[s.bodies[k].row] = LOOK_AHEAD * s.ctx.dt * fastest
    s.ctx.undone += 1
    s.ctx.counters.looks += 1


cdef void sub_step(SubStep* s) noexcept nogil:
    """Resting contact and motion over s.h; nothing that closes fast is in the way."""
    s.work = 0.0
    predict(s)
    prepare_cones(s)
    whiten_velocities(s)
    solve(s)
    take_impulses(s)
    if s.links != NULL:
        take_links(s)
    move(s)
    project(s)


# ---------------------------------------------------------------------------------- in and out

cdef int32_t add_mover(SubStep* s, int32_t row) noexcept nogil:
    cdef SubBody* body = &s.bodies[s.n_bodies]
    cdef const Motion* motion = &s.ctx.motions[row]
    cdef const Place* place = &s.ctx.places[row]
    cdef const BodyData* data = &s.ctx.bodies[row]
    memset(body, 0, sizeof(SubBody))
    body.row = row
    body.movable = s.ctx.heads[row].kind == DYNAMIC
    body.x, body.q, body.pose = place.x, place.q, place.pose
    body.v, body.w, body.L = motion.v, motion.w, motion.L
    body.local_center, body.bounding_radius = data.local_center, place.bounding_radius
    body.swept_radius = data.swept_radius
    if body.movable:
        body.inv_m = motion.inv_m
        body.root_m = data.mass ** 0.5
        body.inv_I, body.root, body.inv_root = data.inv_I, data.root, data.inv_root
    set_speed(body)
    # as boxes and margins were made
    body.allowed = (s.ctx.tol.margin + s.ctx.fall + motion.push
                    + SPEED_RESERVE * s.ctx.dt * way_speed(body))
    s.n_bodies += 1
    return s.n_bodies - 1


cdef void gather(SubStep* s, const int32_t* body_rows, int n_bodies, const int32_t* pair_numbers,
                 int n_pairs, int32_t* local_row) noexcept nogil:
    """Bodies of the island side by side; those it only leans on come last."""
    cdef Pair* pair
    cdef int k
    s.n_bodies, s.n_movable, s.n_contacts = 0, n_bodies, 0
    for k in range(n_bodies):
        local_row[body_rows[k]] = add_mover(s, body_rows[k])
    for k in range(n_pairs):
        pair = &s.ctx.pairs[pair_numbers[k]]
        if local_row[pair.a] < 0:
            local_row[pair.a] = add_mover(s, pair.a)
        if local_row[pair.b] < 0:
            local_row[pair.b] = add_mover(s, pair.b)


cdef void join(SubStep* s, const int32_t* joint_rows, int n, int32_t* local_row) noexcept nogil:
    """The island's joints, with what else they hold: bodies it leans on, and the world."""
    cdef const JointData* joint
    cdef int32_t world = -1
    cdef int k
    for k in range(n):
        joint = &s.links.joints[joint_rows[k]]
        if joint.a >= 0 and local_row[joint.a] < 0:
            local_row[joint.a] = add_mover(s, joint.a)
        if joint.b >= 0 and local_row[joint.b] < 0:
            local_row[joint.b] = add_mover(s, joint.b)
        if world < 0 and (joint.a < 0 or joint.b < 0):
            world = s.n_bodies
            memset(&s.bodies[world], 0, sizeof(SubBody))
            s.bodies[world].row = -1
            s.bodies[world].q.w = 1.0
            s.bodies[world].pose.r = matrix_of(s.bodies[world].q)
            s.n_bodies += 1
    gather_links(s, joint_rows, n, local_row, world)


cdef void list_meetings(SubStep* s, const int32_t* pair_numbers, int n_pairs,
                        const int32_t* local_row) noexcept nogil:
    """The contacts of all pairs; each is up to date with the sub-step bodies' poses."""
    cdef Pair* pair
    cdef SubContact* m
    cdef int k, i
    s.n_contacts = 0
    for k in range(n_pairs):
        pair = &s.ctx.pairs[pair_numbers[k]]
        for i in range(pair.n):
            m = &s.contacts[s.n_contacts]
            m.c, m.pair = &s.ctx.contacts[pair.first + i], pair
            m.a, m.b = local_row[pair.a], local_row[pair.b]
            m.time = -1.0
            if not m.c.flags & OLD:
                m.c.fn = 0.0
                m.c.ft = vec3(0.0, 0.0, 0.0)
                m.c.mode = OPEN
                m.c.flags |= OLD
            s.n_contacts += 1


cdef void scatter(SubStep* s, int32_t* local_row) noexcept nogil:
    cdef const SubBody* body
    cdef Motion* motion
    cdef int k
    if s.links != NULL:
        scatter_links(s)
    for k in range(s.n_bodies):
        body = &s.bodies[k]
        if body.row >= 0:
            local_row[body.row] = -1
        if not body.movable:
            continue
        motion = &s.ctx.motions[body.row]
        motion.v, motion.L, motion.w = body.v, body.L, body.w
        move_body(&s.ctx.bodies[body.row], body.x, body.q, motion, &s.ctx.places[body.row])


cdef void set_forces(SubStep* s, double whole) noexcept nogil:
    """External accelerations, and the threshold that follows from them."""
    cdef SubBody* body
    cdef const BodyData* data
    cdef int k
    s.force = length(s.ctx.gravity)
    s.driven = False
    s.origin = s.bodies[0].x
    for k in range(s.n_movable, s.n_bodies):
        s.driven = s.driven or s.bodies[k].speed != 0.0
    for k in range(s.n_movable):
        body = &s.bodies[k]
        data = &s.ctx.bodies[body.row]
        body.outer = add_scaled(scaled(data.gravity_scale, s.ctx.gravity), body.inv_m, data.force)
        body.torque = data.torque
        s.force = greater(s.force, length(body.outer))
        if body.torque.x != 0.0 or body.torque.y != 0.0 or body.torque.z != 0.0:
            s.driven = True
            s.force = greater(s.force, length(body.outer) + body.bounding_radius * length(
                spin_of(&body.pose.r, &body.inv_I, body.torque)))
    # what a body at rest picks up in a sub-step is no approach
    s.threshold = 2.0 * s.force * whole


cdef inline double way_speed(const SubBody* body) noexcept nogil:
    """m/s: how fast a body leaves what was looked at for it."""
    return length(body.v) + length(body.w) * body.swept_radius


cdef double time_allowed(const SubStep* s) noexcept nogil:
    """s: how long all bodies stay within what was looked at for them when the step began."""
    cdef double out = INFINITY, speed
    cdef int k
    for k in range(s.n_movable):
        speed = way_speed(&s.bodies[k])
        if speed * s.h > s.bodies[k].allowed:
            out = lesser(out, greater(s.bodies[k].allowed, 0.0) / speed)
    return out


cdef void mark_resting(SubStep* s) noexcept nogil:
    """Which bodies rest on something: their way is not free fall."""
    cdef const SubContact* m
    cdef int k
    for k in range(s.n_bodies):
        s.bodies[k].rests = False
    for k in range(s.n_contacts):
        m = &s.contacts[k]
        if m.c.at.gap <= s.ctx.tol.touch and fabs(m.rate) <= s.threshold:
            s.bodies[m.a].rests = s.bodies[m.b].rests = True
    if s.links != NULL and s.links.is_held:
        for k in range(s.n_movable):
            # what hangs on joints does not fall freely either
            s.bodies[k].rests = s.bodies[k].rests or s.links.riders[k].joined


# --------------------------------------------------------------------------------- times of impact

cdef Sweep sweep_of(const SubBody* body) noexcept nogil:
    """The way of a body from now on; of one that rests without acceleration."""
    cdef Sweep out
    out.x, out.q, out.v, out.w = body.x, body.q, body.v, body.w
    out.a = vec3(0.0, 0.0, 0.0) if body.rests or not body.movable else body.outer
    out.local_center, out.bounding_radius = body.local_center, body.swept_radius
    return out


cdef double find_first_impact(SubStep* s) noexcept nogil:
    """When within the sub-step a contact that is apart first meets faster than the threshold;
    infinite if none does. Writes the contacts' times."""
    cdef double first = INFINITY, fastest
    cdef SubContact* m
    cdef int k
    for k in range(s.n_contacts):
        m = &s.contacts[k]
        m.time = -1.0
        fastest = s.bodies[m.a].speed + s.bodies[m.b].speed + 2.0 * s.h * s.force
        if m.c.at.gap <= s.ctx.tol.closed or m.c.at.gap > fastest * s.h or (
                fastest <= s.threshold):
            continue
        find_impact(s, m)
        if m.time >= 0.0:
            first = lesser(first, m.time)
    return first


cdef double find_first_swept(SubStep* s, const int32_t* pair_numbers, int n_pairs,
                             const int32_t* local_row) noexcept nogil:
    """The same of pairs that are swept, whatever their contacts say."""
    cdef double first = INFINITY, t = 0.0, now = s.ctx.dt - s.left
    cdef Pair* pair
    cdef const SubBody* a
    cdef const SubBody* b
    cdef int k
    for k in range(n_pairs):
        pair = &s.ctx.pairs[pair_numbers[k]]
        if not pair.flags & FAST:
            continue
        a, b = &s.bodies[local_row[pair.a]], &s.bodies[local_row[pair.b]]
        # what was found for two bodies in flight holds until something moves one of them
        if (s.swept_turn[k] > a.turn and s.swept_turn[k] > b.turn
                and s.swept_until[k] >= now + s.h * (1.0 - NO_TIME)):
            continue
        if find_swept(s, pair, a, b, &t):
            first = lesser(first, t)
            s.swept_turn[k] = MEETS
        else:
            s.swept_turn[k], s.swept_until[k] = s.turn, now + s.h
    return first


cdef bint slides(const SubStep* s, const Pair* pair, const SubBody* a,
                 const SubBody* b) noexcept nogil:
    """Whether contacts of a pair are in touch, and none of these closes fast."""
    cdef const Touch* at
    cdef int32_t k
    cdef bint any_touch = False
    for k in range(pair.first, pair.first + pair.n):
        at = &s.ctx.contacts[k].at
        if at.gap <= s.ctx.tol.touch:
            any_touch = True
            if closing_at(a, b, at) > s.threshold:
                return False
    return any_touch


cdef bint find_swept(SubStep* s, Pair* pair, const SubBody* a, const SubBody* b,
                     double* t) noexcept nogil:
    """Whether a pair that is swept meets within the sub-step, and when; one that touches is looked
    at again before it has gone far."""
    cdef Sweep sa = sweep_of(a), sb = sweep_of(b)
    cdef Vec3 n
    cdef double gap
    gap = gap_between(s.ctx.shapes[low_of(pair.key)].geometry, &a.pose,
                      s.ctx.shapes[high_of(pair.key)].geometry, &b.pose, &n)
    if gap <= s.ctx.tol.closed or (gap <= s.ctx.tol.touch and slides(s, pair, a, b)):
        t[0] = CCD_SHARE * pair_thickness(s.ctx, pair) / (
            length(sub(a.v, b.v)) + length(a.w) * a.swept_radius + length(b.w) * b.swept_radius
            + s.h * s.force)
        return t[0] < s.h
    return find_impact_time(s.ctx.shapes[low_of(pair.key)].geometry, &sa,
                            s.ctx.shapes[high_of(pair.key)].geometry, &sb, s.h,
                            0.5 * s.ctx.tol.closed, t)


cdef void approach_at(SubStep* s, SubContact* m, const Sweep* sa, const Sweep* sb, double t,
                      double* gap, double* rate) noexcept nogil:
    """Gap of the contact's features at time t, and the rate at which that opens."""
    cdef Pose pa = sweep_pose(sa, t), pb = sweep_pose(sb, t)
    cdef Vec3 xa, xb
    refresh(&m.c.at, &pa, &pb)
    xa = add_scaled(add_scaled(sa.x, t, sa.v), 0.5 * t * t, sa.a)
    xb = add_scaled(add_scaled(sb.x, t, sb.v), 0.5 * t * t, sb.a)
    gap[0] = m.c.at.gap
    rate[0] = dot(m.c.at.normal, sub(
        add(add_scaled(sa.v, t, sa.a), cross(sa.w, sub(m.c.at.point, xa))),
        add(add_scaled(sb.v, t, sb.a), cross(sb.w, sub(m.c.at.point, xb)))))


cdef void find_impact(SubStep* s, SubContact* m) noexcept nogil:
    """Write when the features of an open contact meet faster than the threshold; < 0: not."""
    cdef Sweep sa = sweep_of(&s.bodies[m.a]), sb = sweep_of(&s.bodies[m.b])
    cdef double low = 0.0, high = s.h, gap, rate, high_gap, high_rate, t, guess
    cdef int _step
    approach_at(s, m, &sa, &sb, 0.0, &gap, &rate)
    approach_at(s, m, &sa, &sb, high, &high_gap, &high_rate)
    if high_gap > 0.0 and rate < 0.0 and high_rate > 0.0:
        # they may have met and passed each other in between: where they are nearest
        for _step in range(SEARCH_STEPS):
            t = 0.5 * (low + high)
            approach_at(s, m, &sa, &sb, t, &high_gap, &high_rate)
            if high_gap <= 0.0:
                high = t
                break
            if high_rate < 0.0:
                low = t
            else:
                high = t
        low = 0.0
    if high_gap <= 0.0:
        t = high * gap / (gap - high_gap)
        for _step in range(SEARCH_STEPS):
            approach_at(s, m, &sa, &sb, t, &high_gap, &rate)
            if fabs(high_gap) < SEARCH_END * s.ctx.tol.touch:
                break
            if high_gap > 0.0:
                low = t
            else:
                high = t
            guess = t - high_gap / rate if rate < 0.0 else -1.0
            if not (low < guess < high):
                guess = 0.5 * (low + high)
            t = guess
        if -rate > s.threshold:
            m.time = t
    refresh(&m.c.at, &s.bodies[m.a].pose, &s.bodies[m.b].pose)


cdef void look_again(SubStep* s, const int32_t* pair_numbers, int n_pairs,
                     const int32_t* local_row, bint is_cut) noexcept nogil:
    """Contacts up to date with the poses; pairs that were swept or have met are looked at anew."""
    cdef Pair* pair
    cdef const SubBody* a
    cdef const SubBody* b
    cdef double margin
    cdef int k, i
    cdef bint any_new = False
    for k in range(s.n_contacts):
        if is_cut and 0.0 <= s.contacts[k].time <= s.h * (1.0 + NO_TIME):
            s.contacts[k].pair.recycling_margin = -2.0
    for k in range(n_pairs):
        pair = &s.ctx.pairs[pair_numbers[k]]
        a, b = &s.bodies[local_row[pair.a]], &s.bodies[local_row[pair.b]]
        if pair.recycling_margin == -2.0 or (pair.flags & FAST and (is_cut or s.left > 0.0)
                                             and (pair.n > 0 or s.swept_turn[k] == MEETS)):
            margin = s.ctx.tol.margin
            if not pair.flags & FAST:
                margin += (a.speed + b.speed) * s.left
            pair.recycling_margin = -2.0
            detect(s.ctx, pair, &a.pose, &b.pose, margin)
            # pairs that only pass each other are marked so
            if is_cut and pair.flags & FAST and (pair.n > 0 or pair.recycling_margin == -2.0):
                add_nearest(s, pair, a, b)
            pair.recycling_margin = -1.0
            any_new = True
        else:
            for i in range(pair.first, pair.first + pair.n):
                refresh(&s.ctx.contacts[i].at, &a.pose, &b.pose)
    if any_new:
        list_meetings(s, pair_numbers, n_pairs, local_row)


cdef void add_nearest(SubStep* s, Pair* pair, const SubBody* a, const SubBody* b) noexcept nogil:
    """Where two shapes have just met and none of their contacts says so, since faces are preferred
    to edges: a contact at their nearest points."""
    cdef Touch near
    cdef Touch* at
    cdef int32_t k
    if pair.room == 0 or not touch_nearest(s, pair, a, b, &near):
        return
    if near.gap > s.ctx.tol.closed or closing_at(a, b, &near) <= s.threshold:
        return
    if pair.flags & (REFUSED | PARTLY_REFUSED) or (pair.flags & ONE_WAY and not pushes_along(
            s.ctx, pair, &a.pose, &b.pose, near.normal)):
        return
    for k in range(pair.first, pair.first + pair.n):
        at = &s.ctx.contacts[k].at
        if at.gap <= s.ctx.tol.closed and closing_at(a, b, at) > s.threshold:
            return
    k = pair.n if pair.n < pair.room else pair.room - 1
    if k == pair.n:
        pair.n += 1
        memset(&s.ctx.contacts[pair.first + k], 0, sizeof(Contact))
    s.ctx.contacts[pair.first + k].at = near


# -------------------------------------------------------------------------------- before the solve

cdef void predict(SubStep* s) noexcept nogil:
    """Poses halfway and at the end if all goes on as it does, and velocities without contacts."""
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
    """Rows of all contacts halfway, with their c and gap terms; those that close fast are out."""
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
    """Whitened Jacobians halfway through the sub-step; what immovable bodies do is bias."""
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
    """V of all bodies without contacts."""
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


# --------------------------------------------------------------------------- the solve and after it

cdef void solve(SubStep* s) noexcept nogil:
    """Impulses of the contacts, and the velocities they lead to."""
    cdef SubBody* body
    cdef const double* V
    cdef int k, n = 0
    for k in range(s.n_contacts):
        if s.contacts[k].cone >= 0:
            n += 1
    if s.links != NULL:
        solve_links(s, n)
    elif n > 0 and s.ctx.friction_cone > 0:
        solve_polyhedral(s.cones, n, s.V, s.n_movable, s.ctx.friction_cone)
    elif n > 0:
        solve_cones(s.cones, n, s.V, s.n_movable, s.drift, s.direct, &s.ctx.counters.direct)
    for k in range(s.n_movable):
        body = &s.bodies[k]
        V = s.V + 6 * k
        body.new_v = vec3(V[0] / body.root_m, V[1] / body.root_m, V[2] / body.root_m)
        body.new_w = apply(&body.mid.r, apply(&body.root, vec3(V[3], V[4], V[5])))


cdef void take_impulses(SubStep* s) noexcept nogil:
    """The answer back into contacts and angular momenta."""
    cdef SubContact* m
    cdef const Cone* cone
    cdef SubBody* a
    cdef SubBody* b
    cdef Vec3 pt, p
    cdef double h
    cdef int k
    for k in range(s.n_contacts):
        m = &s.contacts[k]
        if m.cone < 0:
            m.c.fn = 0.0
            m.c.ft = vec3(0.0, 0.0, 0.0)
            m.c.mode = OPEN
            continue
        cone = &s.cones[m.cone]
        pt = add(scaled(cone.p[1], m.t1), scaled(cone.p[2], m.t2))
        h = greater(s.h, s.least_h)
        m.c.fn, m.c.ft, m.c.mode = cone.p[0] / h, scaled(1.0 / h, pt), cone.mode
        if cone.p[0] <= 0.0:
            continue
        m.c.sum_n += cone.p[0]
        m.c.sum_t = add(m.c.sum_t, pt)
        s.work -= dot(pt, m.drive)
        p = add_scaled(pt, cone.p[0], m.n)
        a, b = &s.bodies[m.a], &s.bodies[m.b]
        a.bears = b.bears = True
        a.impulse_L = add(a.impulse_L, cross(m.ra, p))
        b.impulse_L = sub(b.impulse_L, cross(m.rb, p))


cdef void move(SubStep* s) noexcept nogil:
    """Move by the mean of old and new velocity; by the new one where that would sink something."""
    cdef SubBody* body
    cdef int k
    for k in range(s.n_bodies):
        set_end(s, &s.bodies[k], 0.5)
    if would_sink(s):
        for k in range(s.n_movable):
            set_end(s, &s.bodies[k], 0.0)
    for k in range(s.n_bodies):
        body = &s.bodies[k]
        body.allowed -= length(sub(body.x_end, body.x)) + s.h * length(body.w) * body.swept_radius
        body.x, body.q, body.pose = body.x_end, body.free_q, body.end
        if body.bears:
            body.turn = s.turn
        if body.movable:
            body.v = body.new_v
            body.L = add(body.free_L, body.impulse_L)
            sync_spin(body)
        set_speed(body)


cdef void set_end(const SubStep* s, SubBody* body, double share) noexcept nogil:
    """x_end, free_q and end: where a body comes to, by `share` of the old velocity. One that bears
    nothing turns as a free top."""
    if not body.movable:
        body.x_end = add_scaled(body.x, s.h, body.v)
        body.free_q = turned_by(body.q, scaled(s.h, body.w))
    else:
        body.x_end = add_scaled(body.x, s.h, add_scaled(
            body.new_v, share, sub(body.v, body.new_v)))
        if body.bears and length(body.w) * s.h > FAST_SPIN:
            # of a fast top the free motion counts more than the contact's moment: energy is kept
            body.free_q = turn_freely(body.q, &body.inv_I, add_scaled(
                scaled(0.5, add(body.L, body.free_L)), 0.5, body.impulse_L), s.h)
        elif body.bears:
            body.free_q = turned_by(body.q, scaled(s.h, add_scaled(
                body.new_w, share, sub(body.w, body.new_w))))
    body.end.r = matrix_of(body.free_q)
    body.end.p = sub(body.x_end, apply(&body.end.r, body.local_center))


cdef bint would_sink(SubStep* s) noexcept nogil:
    """Whether a contact that bears load would go below the slop."""
    cdef SubContact* m
    cdef int k
    cdef double gap
    for k in range(s.n_contacts):
        m = &s.contacts[k]
        if m.c.fn > 0.0 and m.gap > -DEEP_SLOPS * s.ctx.tol.slop:
            refresh(&m.c.at, &s.bodies[m.a].end, &s.bodies[m.b].end)
            gap = m.c.at.gap
            if gap < -s.ctx.tol.slop and gap < m.gap:
                return True
    return False


cdef void project(SubStep* s) noexcept nogil:
    """Correct positions where bodies overlap by more than the slop, or joints are torn; velocities
    stay as they are."""
    cdef int k
    if s.links == NULL:
        correct(s, False)
        return
    for k in range(MOST_CORRECTIONS if s.links.sparse else MOST_PROJECTIONS):
        if not correct(s, link_error(s) > (ERROR_LEFT if k > 0 else NO_ERROR) * s.ctx.tol.touch):
            return


cdef bint correct(SubStep* s, bint torn) noexcept nogil:
    """One correction, if something overlaps or is torn: whether it was needed."""
    cdef SubContact* m
    cdef SubBody* body
    cdef const double* V
    cdef double least = INFINITY, most = greater(s.ctx.tol.push, PUSH_SPEED * s.ctx.tol.root * s.h)
    cdef Vec3 turn
    cdef int k, n
    for k in range(s.n_contacts):
        m = &s.contacts[k]
        refresh(&m.c.at, &s.bodies[m.a].pose, &s.bodies[m.b].pose)
        least = lesser(least, m.c.at.gap)
    if not (torn or least < -s.ctx.tol.slop):
        return False
    s.ctx.counters.projections += 1
    for k in range(s.n_bodies):
        body = &s.bodies[k]
        body.mid, body.x_mid = body.pose, body.x
    for k in range(s.n_contacts):
        m = &s.contacts[k]
        m.n = m.c.at.normal
        m.t1 = across(m.n)
        m.t2 = cross(m.n, m.t1)
        m.ra = sub(m.c.at.point, s.bodies[m.a].x)
        m.rb = sub(m.c.at.point, s.bodies[m.b].x)
        write_rows(s, m, &s.cones[k])
        s.cones[k].bias[0] = greater(m.c.at.gap + 0.5 * s.ctx.tol.slop, -most)
        s.cones[k].bias[1] = s.cones[k].bias[2] = 0.0
    memset(s.V, 0, 6 * (s.n_movable + 1) * sizeof(double))
    n = s.n_contacts
    if s.links != NULL:
        n += position_cones(s, &s.cones[n])
    # of this problem the rows are lengths
    s.direct.least = LEAST_SCALE * s.ctx.tol.unit
    if s.links != NULL and s.links.sparse:
        solve_swept(s.cones, s.n_contacts, s.links, s.V, NO_ERROR * s.direct.least)
    else:
        solve_cones(s.cones, n, s.V, s.n_movable, 0.0, s.direct, &s.ctx.counters.direct)
    s.direct.least = LEAST_SCALE * s.ctx.tol.root
    for k in range(s.n_movable):
        body = &s.bodies[k]
        V = s.V + 6 * k
        body.x = vec3(body.x.x + V[0] / body.root_m, body.x.y + V[1] / body.root_m,
                      body.x.z + V[2] / body.root_m)
        turn = apply(&body.pose.r, apply(&body.root, vec3(V[3], V[4], V[5])))
        body.turn = s.turn
        body.q = turned_by(body.q, turn)
        body.pose.r = matrix_of(body.q)
        body.pose.p = sub(body.x, apply(&body.pose.r, body.local_center))
        sync_spin(body)
    return True


# ------------------------------------------------------------------------------------------- audit

cdef double energy_of(const SubStep* s) noexcept nogil:
    """J: kinetic energy of the island, and potential energy of its bodies' accelerations."""
    cdef const SubBody* body
    cdef double out = 0.0, m
    cdef int k
    for k in range(s.n_movable):
        body = &s.bodies[k]
        m = body.root_m * body.root_m
        out += 0.5 * (m * dot(body.v, body.v) + dot(body.L, body.w))
        # from a place of the island: far from the origin digits would be lost
        out -= m * dot(body.outer, sub(body.x, s.origin))
    return out


cdef void take_back_gain(SubStep* s, double before) noexcept nogil:
    """Where a sub-step added energy beyond a share of the kinetic one, take it out of the motion
    about the common velocity; what bodies that move by themselves, torques or surfaces that run add
    is theirs."""
    cdef SubBody* body
    cdef double gain, kinetic = 0.0, mass = 0.0, m, left
    cdef Vec3 mean = vec3(0.0, 0.0, 0.0)
    cdef int k
    if s.driven:
        return
    gain = energy_of(s) - before - s.work
    if not gain > 0.0:
        return
    for k in range(s.n_movable):
        m = s.bodies[k].root_m * s.bodies[k].root_m
        mean = add_scaled(mean, m, s.bodies[k].v)
        mass += m
    # what leans on something fixed has no velocity of its own to keep
    mean = scaled(1.0 / mass, mean) if s.n_bodies == s.n_movable else vec3(0.0, 0.0, 0.0)
    for k in range(s.n_movable):
        body = &s.bodies[k]
        m = body.root_m * body.root_m
        kinetic += 0.5 * (m * dot(sub(body.v, mean), sub(body.v, mean)) + dot(body.L, body.w))
    if not gain > MOST_GAIN * s.h / s.ctx.tol.root * kinetic + (
            LEAST_GAIN * mass * s.force * s.ctx.tol.touch):
        return
    s.ctx.counters.gains += 1
    left = (1.0 - gain / kinetic) ** 0.5 if gain < kinetic else 0.0
    for k in range(s.n_movable):
        body = &s.bodies[k]
        body.v = add_scaled(mean, left, sub(body.v, mean))
        body.L = scaled(left, body.L)
        body.turn = s.turn
        sync_spin(body)
        set_speed(body)


# ------------------------------------------------------------------------------------------ memory

@cython.final
cdef class SmallWorkspace:

    def __cinit__(self):
        memset(&self.memory, 0, sizeof(SmallMemory))
        self._direct = DirectWorkspace()
        self._links = LinkWorkspace()
        self.memory.direct = &self._direct.memory
        self.memory.links = &self._links.memory
        self._arrays = [None] * 9

    cdef int reserve(self, int n_bodies, int n_pairs, int n_slots, int n_world, int n_joints,
                     int n_joint_cones, int n_direct, int n_direct_cones,
                     int n_world_joints) except -1:
        """Make room for an island in a world; n_direct: the most bodies that the direct solver gets
        at once, n_direct_cones likewise. Call with the GIL, before `step_island`."""
        cdef SmallMemory* m = &self.memory
        cdef Py_ssize_t bodies, cones
        if (n_bodies > m.n_bodies or n_pairs > m.n_pairs or n_slots > m.n_slots
                or n_joints > self.n_joints or n_joint_cones > self.n_joint_cones):
            self.n_joints = max(n_joints, self.n_joints)
            self.n_joint_cones = max(n_joint_cones, self.n_joint_cones)
            m.n_bodies = max(2, n_bodies, m.n_bodies)
            m.n_pairs = max(n_pairs, m.n_pairs)
            m.n_slots = max(n_slots, m.n_slots)
            bodies = m.n_bodies + 2 * m.n_pairs + 2 * self.n_joints + 3
            cones = max(<int> MOST_GROUPED, m.n_slots + self.n_joint_cones)
            self._links.reserve(<int32_t> bodies, self.n_joints, self.n_joint_cones, m.n_slots)
            m.bodies = <SubBody*> hold(self._arrays, 0, bodies, sizeof(SubBody))
            m.contacts = <SubContact*> hold(self._arrays, 1, (m.n_slots + 1), sizeof(SubContact))
            m.cones = <Cone*> hold(self._arrays, 2, cones, sizeof(Cone))
            m.V = <double*> hold(self._arrays, 3, 6 * (m.n_bodies + 1), sizeof(double))
            m.swept_until = <double*> hold(self._arrays, 7, (m.n_pairs + 1), sizeof(double))
            m.swept_turn = <int32_t*> hold(self._arrays, 8, (m.n_pairs + 1), sizeof(int32_t))
            m.old_pairs = <Pair*> hold(self._arrays, 5, (m.n_pairs + 1), sizeof(Pair))
            m.old_contacts = <Contact*> hold(self._arrays, 6, (m.n_slots + 1), sizeof(Contact))
        self._direct.reserve(max(<int> MOST_GROUPED, n_direct_cones), max(2, n_direct))
        self._links.reserve_joints(n_world_joints)
        if n_world > m.n_world:
            m.n_world = n_world
            m.local_row = <int32_t*> hold(self._arrays, 4, n_world, sizeof(int32_t))
            memset(m.local_row, -1, n_world * sizeof(int32_t))
        return 0
