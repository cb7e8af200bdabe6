"""A step of one small island; small_step.pxd has the contract, docs/maths/solver3d.md why."""

cimport cython
from libc.math cimport INFINITY, fabs
from libc.stdint cimport int64_t
from libc.string cimport memcpy, memset

from enginecore.memory cimport hold
from enginecore.row_solver cimport LEAST_SCALE
from enginecore.rule cimport BOOSTED, DRIVEN
from enginecore.scalar cimport greater, lesser
from enginecore.status cimport check
from engine3d.joint.assembly_solve cimport needs_assemblies
from engine3d.joint.joint cimport JointData
from engine3d.joint.link_step cimport (
    cones_of, count_sub_steps, has_motors, hold_velocities, mark_driven, solve_links, spring_energy,
    take_links)
from engine3d.solve.cone cimport OPEN
from engine3d.contact cimport Contact, Counters, Pair
from engine3d.solve.impact_time cimport (
    find_first_impact, find_first_swept, look_again, meet_swept)
from engine3d.solve.integrate cimport turn_freely
from engine3d.collide.narrow_phase cimport refresh
from engine3d.quat cimport matrix_of, turned_by
from engine3d.solve.momentum cimport Totals, keep_totals, measure_totals
from engine3d.solve.polyhedral cimport solve_polyhedral
from engine3d.solve.solver_direct cimport solve_cones
from engine3d.solve.small_energy cimport (
    energy_of, kinetic_of, slow_down, slow_thrown, take_back_gain, take_back_step)
from engine3d.solve.small_gather cimport gather, join, list_contacts, scatter, set_forces
from engine3d.solve.small_push cimport project
from engine3d.solve.small_rows cimport predict, prepare_cones, whiten_velocities
from engine3d.solve.strike cimport strike_closed
from engine3d.solve.sub_step cimport (
    MOST_GROUPED, NO_TIME, SubStep, set_speed, sync_spin, way_speed)
from engine3d.vec3 cimport (
    Vec3, add, add_scaled, apply, apply_transposed, cross, dot, length, scaled, sub, vec3)

# rad in a sub-step: above this a body that bears load turns as a top under a mean moment.
cdef double FAST_SPIN = 0.05
# Times slop: contacts deeper than this do not decide how an island moves.
cdef double DEEP_SLOPS = 10.0
# Contacts cubed: an island is stepped as a large one once its cuts in a step exceed this over its
# contacts to the third power, as the work of its solves goes. Less, and crowds of fast bodies lose
# accuracy; more, and one step of theirs takes a second.
cdef double CUT_WORK = 4e6
# How much faster bodies may get than the fastest was when an island was given up.
cdef double LOOK_AHEAD = 1.5
# Share of the kinetic energy that blows of an island with joints may add: rounding.
cdef double BLOW_GAIN = 1e-9
cdef enum:
    LEAST_STRIKES = 20         # of an island in a step, and so many more per contact
    STRIKES_PER_CONTACT = 10
    LEAST_CUTS = 100           # likewise of its sub-steps
    CUTS_PER_PAIR = 10
    CUTS_PER_FAILURE = 10      # that a sub-step costs whose forces nothing settles: without room
    MOST_CUTS = 400            # a light body that rattles between heavy ones has no end of them
    MOST_TURNS = 600           # of its sub-steps in all
    EARLY_ROUNDS = 3           # of blows and new looks in a sub-step of a sparse island
    SPARSE_CUTS = 4            # what meets later in its step is struck early


cdef bint step_island(StepContext* ctx, const int32_t* body_rows, int n_bodies,
                      const int32_t* pair_numbers, int n_pairs, const int32_t* joint_rows,
                      int n_joints, SmallMemory* memory) noexcept nogil:
    cdef SubStep s
    cdef double whole = ctx.dt / SUB_STEPS, tau, before, at_start = 0.0
    cdef int64_t failures = ctx.counters.direct.direct_failures
    cdef int all_cuts = min(LEAST_CUTS + CUTS_PER_PAIR * n_pairs, <int> MOST_CUTS), cuts = all_cuts
    cdef bint is_cut, is_kept = False
    cdef bint hands_on = ctx.may_hand_on and n_joints == 0 and is_costly(
        count_slots(ctx, pair_numbers, n_pairs), all_cuts)
    cdef Counters counters = ctx.counters
    cdef Totals first
    check(n_bodies <= memory.n_bodies and n_pairs <= memory.n_pairs)
    check(ctx.n_bodies <= memory.n_world)
    s.ctx, s.bodies, s.contacts = ctx, memory.bodies, memory.contacts
    s.cones, s.V, s.direct = memory.cones, memory.V, memory.direct
    s.left, s.turn, s.early, s.least_h = ctx.dt, 0, False, 0.0
    s.swept_until, s.swept_turn = memory.swept_until, memory.swept_turn
    s.hits = ctx.hits.n
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
    list_contacts(&s, pair_numbers, n_pairs, memory.local_row)
    if n_joints > 0:
        s.powered = s.driven or has_motors(&s) or has_rules(&s)
        mark_driven(&s)
        at_start = energy_of(&s) + spring_energy(&s)
    # joints keep what they bore: their islands are not done again
    is_kept = ctx.may_look and n_joints == 0 and may_leave(&s)
    if is_kept or hands_on:
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
                return True
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
            if hands_on and is_costly(s.n_contacts, all_cuts - cuts):
                ctx.counters = counters
                ctx.counters.handed_on += 1
                put_back(&s, pair_numbers, n_pairs, memory)
                return False
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
            if ctx.counters.direct.direct_failures > failures:
                failures = ctx.counters.direct.direct_failures
                cuts = max(cuts - CUTS_PER_FAILURE, 0)
        look_again(&s, pair_numbers, n_pairs, memory.local_row, is_cut)
    # a blow at the very end is struck, too
    strike(&s)
    if n_joints > 0:
        take_back_step(&s, at_start)
        scatter(&s, memory.local_row)
        return True
    first = measure_totals(ctx, body_rows, n_bodies, pair_numbers, n_pairs)
    if first.alone and s.left > NO_TIME * ctx.dt:
        go_straight_on(&s)
    scatter(&s, memory.local_row)
    keep_totals(ctx, body_rows, n_bodies, &first)
    return True


cdef void go_straight_on(SubStep* s) noexcept nogil:
    """Carry an island that nothing fixed touches through the rest of a step that it gave up, as one
    body: its common centre stays on its way. Not farther than was looked at for its bodies."""
    cdef Vec3 mean = vec3(0.0, 0.0, 0.0), way
    cdef double mass = 0.0, m, least = INFINITY
    cdef int k
    for k in range(s.n_movable):
        m = s.bodies[k].root_m * s.bodies[k].root_m
        mean = add_scaled(mean, m, s.bodies[k].v)
        mass += m
        least = lesser(least, s.bodies[k].allowed)
    way = add_scaled(scaled(s.left / mass, mean), 0.5 * s.left * s.left, s.bodies[0].outer)
    if length(way) > least:
        return
    for k in range(s.n_movable):
        s.bodies[k].x = add(s.bodies[k].x, way)
        s.bodies[k].pose.p = add(s.bodies[k].pose.p, way)


cdef inline bint is_costly(int32_t n_contacts, int cuts) noexcept nogil:
    """Whether an island had more cuts in a step than one with so many contacts may have."""
    cdef double n = n_contacts
    return cuts * n * n * n > CUT_WORK


cdef int32_t count_slots(const StepContext* ctx, const int32_t* pair_numbers,
                         int n_pairs) noexcept nogil:
    """How many contacts an island may have."""
    cdef int32_t slots = 0
    cdef int k
    for k in range(n_pairs):
        slots += ctx.pairs[pair_numbers[k]].room
    return slots


cdef bint is_sparse(const StepContext* ctx, int n_bodies, const int32_t* pair_numbers, int n_pairs,
                    const JointData* joints, const int32_t* joint_rows, int32_t offset,
                    int n_joints) noexcept nogil:
    cdef const JointData* joint
    cdef bint is_bounded = n_pairs > 0
    cdef int32_t slots = count_slots(ctx, pair_numbers, n_pairs), cones = 0
    cdef int k
    for k in range(n_joints):
        joint = &joints[joint_rows[k] - offset]
        cones += cones_of(joint.head.n_rows)
        is_bounded = is_bounded or joint.head.hard != (1 << joint.head.n_rows) - 1
    return needs_assemblies(n_bodies, slots, cones, is_bounded)


cdef void strike(SubStep* s) noexcept nogil:
    """Strike what has closed; in sparse islands each blow is felt by two bodies alone, and what
    joints do not allow of that is taken out afterwards: neither adds energy."""
    cdef double before, gain
    if s.links == NULL:
        strike_closed(s)
        return
    before = kinetic_of(s)
    if not strike_closed(s):
        return
    if s.links.sparse:
        hold_velocities(s)
    gain = kinetic_of(s) - before
    if not s.powered and gain > BLOW_GAIN * before:
        slow_down(s, gain)


cdef bint has_rules(const SubStep* s) noexcept nogil:
    """Whether surfaces that run or bumpers may add energy."""
    cdef int k
    for k in range(s.n_contacts):
        if s.contacts[k].pair.flags & (DRIVEN | BOOSTED):
            return True
    return False


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


cdef void put_back(SubStep* s, const int32_t* pair_numbers, int n_pairs,
                   SmallMemory* memory) noexcept nogil:
    """Leave the pairs of an island and their contacts as they were."""
    cdef Pair* pair
    cdef int k, at = 0
    s.ctx.hits.n = s.hits
    for k in range(n_pairs):
        pair = &s.ctx.pairs[pair_numbers[k]]
        pair[0] = memory.old_pairs[k]
        memcpy(&s.ctx.contacts[pair.first], &memory.old_contacts[at], pair.n * sizeof(Contact))
        at += pair.n
    for k in range(s.n_bodies):
        memory.local_row[s.bodies[k].row] = -1


cdef void give_up(SubStep* s, const int32_t* pair_numbers, int n_pairs,
                  SmallMemory* memory) noexcept nogil:
    """Leave an island as it was, and say how far it must look to be stepped at all."""
    cdef double fastest = 0.0
    cdef int k
    put_back(s, pair_numbers, n_pairs, memory)
    for k in range(s.n_movable):
        fastest = greater(fastest, way_speed(&s.bodies[k]))
    for k in range(s.n_bodies):
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


# --------------------------------------------------------------------------- the solve and after it

cdef void solve(SubStep* s) noexcept nogil:
    """Impulses of the contacts, and the velocities they lead to."""
    cdef SubBody* body
    cdef const double* V
    cdef int k, n = 0
    cdef int64_t failures = s.ctx.counters.direct.direct_failures
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
        body.thrown = False
    if s.ctx.counters.direct.direct_failures > failures:
        slow_thrown(s)


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
            if body.thrown:
                body.L = apply(&body.pose.r, apply(&body.inv_root, apply(
                    &body.inv_root, apply_transposed(&body.pose.r, body.new_w))))
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
                     int n_world_joints) except -1 nogil:
        """Make room for an island in a world; n_direct: the most bodies that the direct solver gets
        at once, n_direct_cones likewise. Call before `step_island`."""
        cdef const SmallMemory* m = &self.memory
        if (n_bodies <= m.n_bodies and n_pairs <= m.n_pairs and n_slots <= m.n_slots
                and n_world <= m.n_world and n_joints <= self.n_joints
                and n_joint_cones <= self.n_joint_cones and n_world_joints <= m.links.n_joints
                and n_direct <= m.direct.n_bodies and n_direct_cones <= m.direct.n_cones):
            return 0
        return self.grow(n_bodies, n_pairs, n_slots, n_world, n_joints, n_joint_cones, n_direct,
                         n_direct_cones, n_world_joints)

    cdef int grow(self, int n_bodies, int n_pairs, int n_slots, int n_world, int n_joints,
                  int n_joint_cones, int n_direct, int n_direct_cones,
                  int n_world_joints) except -1 with gil:
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
