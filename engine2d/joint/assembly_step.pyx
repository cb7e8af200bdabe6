"""A step of an island that joints hold together; assembly_step.pxd has the contract."""

cimport cython
from libc.math cimport INFINITY, exp, fabs
from libc.stdint cimport int64_t
from libc.string cimport memset

from enginecore.memory cimport hold
from enginecore.scalar cimport greater, lesser
from enginecore.status cimport check
from engine2d.body cimport DYNAMIC, KINEMATIC, RESTING, BodyData
from engine2d.contact cimport ASLEEP, OLD, STRUCK, Contact
from engine2d.solve.integrate cimport move_body, place_kinematic
from enginecore.assembly_store cimport EARLIER, NO_FACTOR, PRESENT
from engine2d.joint.assemblies cimport solve_assembly, sweep_rows
from engine2d.joint.assembly_audit cimport audit, kinetic_of
from engine2d.joint.heavy cimport find_heavy, solve_heavy, weigh_heavy
from engine2d.joint.hinges cimport (
    place_hinges, predict_turns, prepare_hinges, put_hinge, solve_hinges, start_hinges,
    stiffen_hinges, take_hinges)
from engine2d.joint.joint cimport frame_of
from engine2d.joint.link cimport (
    calm, cap_drags, is_plain, loosen, position_rows, predict, prepare_links,
    spring_energy, stiffen, swing_energy, take_links)
from engine2d.joint.swept cimport (
    book_contacts, look_at, prepare_contacts, push, sweep_contacts, take_contact,
    threshold, weigh_contacts)
from engine2d.solve.energy cimport inverse, kinetic_energy
from engine2d.solve.solver_direct cimport solve_rows
from engine2d.vec2 cimport Vec2, add, dot, scaled, vec2

# Relative change of an inertia that asks for another solve, and how many there are at most.
cdef double CHANGED = 0.2
cdef enum:
    MOST_SOLVES = 3
    MOST_PROJECTIONS = 6
    MOST_SUB_STEPS = 16
    SWEEPS = 12           # of rows with bounds around the factor, at most
    CONTACT_SWEEPS = 3    # of contacts and these
    PIN_SWEEPS = 2        # of contacts where all joints are pins
    RELAX_SWEEPS = 1
# m or rad: errors below this are rounding, and are not corrected; beyond the other one a correction
# is not enough.
cdef double NO_ERROR = 1e-11
cdef double ERROR_LEFT = 1e-7
# A correction after which the error is so many times larger did harm: it is taken back.
cdef double MOST_GROWN = 2.0
# m or rad: beyond this the factor of the velocities is too old to correct places with.
cdef double FAR = 1e-5
# rad: how far a body may turn in a sub-step; the c terms, expansions of the rotation, mean little
# beyond.
cdef double MOST_TURN = 0.2
# Times the kinetic energy before it: a solve that failed and has more did harm.
cdef double GAINED = 1.01
# m/s: sweeps that change no row by more are the last.
cdef double LAST_CHANGE = 1e-10
# m/s: what joints hold and moves no faster is not solved again. Far below a speed at rest, far
# above rounding. Among swept contacts the same goes for LEFT of what the first solve found.
cdef double STILL = 1e-12
cdef double LEFT = 1e-9


cdef void step_linked(StepContext* ctx, const Island* island, const int32_t* body_rows,
                      const int32_t* joint_rows, const int32_t* contact_indices,
                      const Piece* piece, LinkMemory* memory) noexcept nogil:
    cdef Linked s
    cdef int k, n_sub
    s.ctx, s.m = ctx, memory
    s.direct = not needs_plan(island)
    n_sub = (DIRECT_SUB_STEPS if s.direct else SWEPT_SUB_STEPS if island.n_contacts > 0
             else SPARSE_SUB_STEPS)
    gather(&s, body_rows, island.n_bodies, joint_rows, island.n_joints, piece.start)
    gather_contacts(&s, contact_indices, island.n_contacts, piece.start)
    free_riders(&s)
    if not s.direct:
        renew_rows(&s, NO_FACTOR)
    n_sub = count_sub_steps(&s, n_sub)
    s.h = piece.duration / n_sub
    s.kinetic = kinetic_of(&s)
    s.work, s.lifted, s.torn = springs_of(&s) - swing_of(&s), 0.0, 0.0
    if not s.is_plain:
        s.torn = position_rows(memory.links, s.n_links, memory.riders, NULL)
    s.whole_h = ctx.dt / n_sub
    check(s.n_rows + 2 * s.n_swept <= memory.n_rows)
    for k in range(n_sub):
        predict_riders(&s)
        # what was found in this round has not moved yet; pins are brought back after the last one
        prepare_contacts(&s, k == 0, k == 0 and piece.start == 0.0 and ctx.round == 0,
                         k > 0 and s.is_plain)
        find_heavy(&s)
        solve(&s, prepare_joints(&s))
        take_joints(&s)
        book_contacts(&s)
        book_damping(&s)
        move(&s)
        if s.is_plain:
            if s.n_swept > 0:
                # with the rows of the sub-step, and their factor; places drift little
                relax(&s, k == n_sub - 1)
            if s.n_swept == 0 or k == n_sub - 1:
                project(&s)
            continue
        s.lifted -= ctx.books.projection + springs_of(&s)
        project(&s)
        s.lifted += ctx.books.projection + springs_of(&s)
        if s.n_swept > 0:
            relax(&s, k == n_sub - 1)
    s.work -= springs_of(&s) - swing_of(&s)
    audit(&s, piece.duration)
    scatter(&s)


cdef inline double springs_of(const Linked* s) noexcept nogil:
    """J, in the springs of the island."""
    return 0.0 if s.is_plain else spring_energy(s.m.links, s.n_links, s.m.riders)


cdef inline double swing_of(const Linked* s) noexcept nogil:
    """J, that springs give and take beyond what they hold: by the sub-steps of a step that nothing
    cuts short, so that pieces of a step agree on it."""
    return 0.0 if s.is_plain else swing_energy(
        s.m.links, s.n_links, s.m.riders,
        s.ctx.dt / (DIRECT_SUB_STEPS if s.direct else SWEPT_SUB_STEPS))


cdef void predict_riders(Linked* s) noexcept nogil:
    """Where bodies go by themselves."""
    if s.is_plain:
        predict_turns(s.m.riders, s.n_riders, s.h)
    else:
        predict(s.m.riders, s.n_riders, s.h)


cdef double prepare_joints(Linked* s) noexcept nogil:
    """Rows for a sub-step; returns how fast (m/s) what the direct solver holds has moved."""
    cdef LinkMemory* m = s.m
    if s.is_plain:
        prepare_hinges(m.hinges, s.n_links, m.riders, s.h)
        return 0.0
    return prepare_links(m.links, s.n_links, m.riders, s.h, s.ctx.tol.touch, m.rows)


cdef void take_joints(Linked* s) noexcept nogil:
    """Impulses of a sub-step into the joints."""
    cdef LinkMemory* m = s.m
    if s.is_plain:
        s.work += take_hinges(m.hinges, s.n_links, m.riders, m.motions, s.h, &s.ctx.books)
    else:
        s.work += take_links(m.links, s.n_links, m.riders, m.motions, m.rows, s.h, threshold(s),
                             &s.ctx.books)


cdef double stiffen_joints(Linked* s) noexcept nogil:
    """The inertia that tension adds; returns the largest relative change."""
    cdef LinkMemory* m = s.m
    if s.is_plain:
        return stiffen_hinges(m.hinges, s.n_links, m.riders, s.n_riders, s.h, m.motions)
    return stiffen(m.links, s.n_links, m.riders, s.n_riders, s.h, m.rows, m.motions)


cdef double place_joints(Linked* s) noexcept nogil:
    """Rows that bring places back; returns the largest error, m or rad."""
    cdef LinkMemory* m = s.m
    if s.is_plain:
        return place_hinges(m.hinges, s.n_links, m.riders)
    return position_rows(m.links, s.n_links, m.riders, m.rows)


cdef int count_sub_steps(const Linked* s, int n_sub) noexcept nogil:
    """So many more sub-steps as the fastest turning asks for: n_sub times a power of two."""
    cdef int32_t k
    cdef double fastest = 0.0
    for k in range(s.n_riders):
        fastest = greater(fastest, fabs(s.m.riders[k].w))
    while n_sub < MOST_SUB_STEPS and fastest * s.ctx.dt > MOST_TURN * n_sub:
        n_sub *= 2
    return n_sub


# ---- in and out -------------------------------------------------------------------------------

cdef int32_t add_rider(Linked* s, int32_t row, double start) noexcept nogil:
    """A body, or the world (-1); one that is not dynamic where it is at this time of the step."""
    cdef Rider* body = &s.m.riders[s.n_riders]
    cdef const BodyData* data
    cdef const Motion* motion
    body.row = row
    body.v = body.pull = vec2(0.0, 0.0)
    body.w = body.last_w = body.inv_m = body.inv_I = body.m = body.inertia = body.twist = 0.0
    body.movable = body.joined = body.through = False
    s.m.motions[s.n_riders].d = vec2(0.0, 0.0)
    s.m.motions[s.n_riders].turned = 0.0
    if row >= 0 and s.ctx.bodies[row].kind == KINEMATIC:
        place_kinematic(&s.ctx.bodies[row], &s.ctx.motions[row], &s.ctx.before[row], start,
                        &s.ctx.places[row])
    body.start = frame_of(s.ctx.places, s.ctx.bodies, row)
    if row >= 0:
        data, motion = &s.ctx.bodies[row], &s.ctx.motions[row]
        body.v, body.w = motion.v, motion.w
        body.last_w = data.last_w
        body.movable = data.kind == DYNAMIC
        body.through = body.movable and not s.ctx.left[row] > 0.0
        if body.movable:
            body.inv_m, body.inv_I = motion.inv_m, motion.inv_I
            body.m, body.inertia = inverse(body.inv_m), inverse(body.inv_I)
            body.pull = add(scaled(data.gravity_scale, s.ctx.gravity),
                            scaled(body.inv_m, data.force))
            body.twist = body.inv_I * data.torque
            s.is_damped = s.is_damped or data.linear_damping > 0.0 or data.angular_damping > 0.0
        s.m.rider_of[row] = s.n_riders
    s.n_riders += 1
    return s.n_riders - 1


cdef inline int32_t rider_at(Linked* s, int32_t row, double start) noexcept nogil:
    return s.m.rider_of[row] if s.m.rider_of[row] >= 0 else add_rider(s, row, start)


cdef void gather(Linked* s, const int32_t* body_rows, int32_t n_bodies, const int32_t* joint_rows,
                 int32_t n_joints, double start) noexcept nogil:
    """Bodies and joints of the island side by side; what it only leans on comes last."""
    cdef LinkMemory* m = s.m
    cdef Link* link
    cdef int32_t k, world = -1
    s.n_riders, s.n_movable, s.n_links, s.n_rows = 0, n_bodies, n_joints, 0
    s.has_bounds, s.is_plain = False, n_joints > 0 and not s.direct
    s.is_damped = False
    for k in range(n_bodies):
        add_rider(s, body_rows[k], start)
    for k in range(n_joints):
        link = &m.links[k]
        link.joint = &m.joints[joint_rows[k]]
        link.first, link.n, link.worked = s.n_rows, link.joint.head.n_rows, link.joint.head.work
        memset(link.implicit, 0, sizeof(link.implicit))
        s.n_rows += link.n
        s.has_bounds = s.has_bounds or link.joint.head.hard != (1 << link.n) - 1
        s.is_plain = s.is_plain and is_plain(link)
        m.link_of[joint_rows[k]] = k
        if world < 0 and (link.joint.head.a < 0 or link.joint.head.b < 0):
            world = add_rider(s, -1, start)
        link.a = world if link.joint.head.a < 0 else rider_at(s, link.joint.head.a, start)
        link.b = world if link.joint.head.b < 0 else rider_at(s, link.joint.head.b, start)
        m.riders[link.a].joined = m.riders[link.b].joined = True
    if s.is_plain:
        gather_hinges(s)


cdef void gather_hinges(Linked* s) noexcept nogil:
    """Pins assembly after assembly, each in the order of its factor; they have no rows."""
    cdef LinkMemory* m = s.m
    cdef int32_t k, n = 0
    cdef const Link* link
    cdef Assembly* a
    cdef double longest
    s.n_rows = 0
    s.longest = 0.0
    for k in range(s.n_links):
        link = &m.links[k]
        a = &m.assemblies[m.of_joint[link.joint - m.joints]]
        if &m.joints[m.members[a.first]] == link.joint:
            a.base, a.listed = n, 0
            n += a.n
        longest = put_hinge(link.joint, a, a.listed, link.a, link.b, m.riders, &m.hinges[a.base])
        s.longest = greater(s.longest, longest)
        a.listed += 1
    check(n == s.n_links)


cdef void free_riders(Linked* s) noexcept nogil:
    """The table of riders is empty between the calls."""
    cdef int32_t k
    for k in range(s.n_riders):
        if s.m.riders[k].row >= 0:
            s.m.rider_of[s.m.riders[k].row] = -1


cdef void scatter(Linked* s) noexcept nogil:
    cdef int32_t k
    cdef const Rider* body
    cdef Motion* motion
    cdef BodyData* data
    for k in range(s.n_movable):
        body = &s.m.riders[k]
        motion = &s.ctx.motions[body.row]
        data = &s.ctx.bodies[body.row]
        motion.v, motion.w = body.v, body.w
        data.last_w = body.last_w
        data.flags = data.flags & ~RESTING
        move_body(data, body.start.x, body.start.angle, motion, &s.ctx.places[body.row])


# ---- velocities -------------------------------------------------------------------------------

cdef inline double damped(double v, double a, double c, double t) noexcept nogil:
    """v after a time t of v' = a - c v."""
    cdef double left
    if c <= 0.0:
        return v + a * t
    left = exp(-c * t)
    return v * left + a * (1.0 - left) / c


cdef void accelerate(Linked* s) noexcept nogil:
    """External accelerations, into motions; what tension makes stiff is calmed."""
    cdef int32_t k
    cdef const Rider* body
    cdef const BodyData* data
    cdef Motion* out
    for k in range(s.n_riders):
        body, out = &s.m.riders[k], &s.m.motions[k]
        out.inv_m, out.inv_I = body.inv_m, body.inv_I
        out.v = add(body.v, scaled(s.h, body.pull))
        out.w = body.w + s.h * body.twist
        if not (s.is_damped and body.movable):
            continue
        data = &s.ctx.bodies[body.row]
        out.v = vec2(damped(body.v.x, body.pull.x, data.linear_damping, s.h),
                     damped(body.v.y, body.pull.y, data.linear_damping, s.h))
        out.w = damped(body.w, body.twist, data.angular_damping, s.h)


cdef void set_free(Linked* s, bint keep) noexcept nogil:
    """Keep the velocities before the solve, or go back to them."""
    cdef int32_t k
    cdef double* v = s.m.free_v
    cdef Motion* out
    for k in range(s.n_riders):
        out = &s.m.motions[k]
        if keep:
            v[3 * k], v[3 * k + 1], v[3 * k + 2] = out.v.x, out.v.y, out.w
        else:
            out.v, out.w = vec2(v[3 * k], v[3 * k + 1]), v[3 * k + 2]


cdef void solve(Linked* s, double drift) noexcept nogil:
    """Velocities after the sub-step: solved with the inertia that tension gives, which follows from
    the forces of the same solve."""
    cdef LinkMemory* m = s.m
    cdef int _solve
    cdef int32_t k
    cdef double changed
    accelerate(s)
    stiffen_joints(s)
    calm(m.riders, s.n_riders, s.h, m.motions)
    set_free(s, True)
    solve_once(s, drift)
    for _solve in range(MOST_SOLVES):
        for k in range(s.n_riders):
            m.probe[k].inv_I = m.motions[k].inv_I
        changed = stiffen_joints(s)
        if not s.is_plain and cap_drags(m.links, s.n_links, s.h, m.rows):
            changed = INFINITY
        if changed < CHANGED:
            # factors are of the inertias that were solved with
            for k in range(0 if s.direct else s.n_riders):
                m.motions[k].inv_I = m.probe[k].inv_I
            break
        set_free(s, False)
        solve_once(s, drift)


cdef void solve_once(Linked* s, double drift) noexcept nogil:
    cdef LinkMemory* m = s.m
    cdef int _sweep
    cdef double changed, enough
    if s.direct:
        solve_directly(s, drift)
        return
    start_rows(s)
    renew_rows(s, EARLIER)
    enough = STILL * s.ctx.root
    weigh_heavy(s)
    if s.is_plain and s.n_swept > 0:
        sweep_around_pins(s, enough)
        return
    changed = solve_all(s, enough)
    if s.n_swept == 0 and not s.has_bounds:
        # what the shift of the factor left: the next sub-step may then begin with nothing to do
        if changed > enough:
            solve_all(s, enough)
        return
    enough = greater(enough, LEFT * changed)
    for _sweep in range(SWEEPS if s.n_swept == 0 else CONTACT_SWEEPS):
        s.ctx.counters.sweeps += 1
        changed = 0.0
        if s.has_bounds:
            changed = sweep_rows(m.links, s.n_links, m.rows, m.motions, False)
        changed = greater(changed, sweep_contacts(s))
        if s.n_heavy > 0:
            solve_all(s, enough)
            solve_heavy(s)
        elif changed <= LAST_CHANGE:
            break
        solve_all(s, enough)
    # what the shift of the factor left
    solve_all(s, enough)


cdef void sweep_around_pins(Linked* s, double enough) noexcept nogil:
    """Contacts first: their impulses of last time, and those of the pins, are a good start."""
    cdef int _sweep
    for _sweep in range(PIN_SWEEPS):
        s.ctx.counters.sweeps += 1
        sweep_contacts(s)
        enough = greater(enough, LEFT * solve_all(s, enough))
        if s.n_heavy > 0:
            solve_heavy(s)
            solve_all(s, enough)


cdef bint has_gained(const Linked* s) noexcept nogil:
    """Whether a solve that failed gave energy: joints that are redundant did not get on."""
    cdef double free = 0.0, now = 0.0, m, inertia
    cdef const double* v = s.m.free_v
    cdef const Motion* motion
    cdef int32_t k
    for k in range(s.n_movable):
        motion = &s.m.motions[k]
        m, inertia = inverse(motion.inv_m), inverse(motion.inv_I)
        free += kinetic_energy(m, inertia, vec2(v[3 * k], v[3 * k + 1]), v[3 * k + 2])
        now += kinetic_energy(m, inertia, motion.v, motion.w)
    return now > GAINED * free


cdef void solve_directly(Linked* s, double drift) noexcept nogil:
    """All rows at once; those of redundant joints give a little."""
    cdef LinkMemory* m = s.m
    cdef int64_t failures = s.ctx.counters.direct_failures
    solve_rows(m.rows, s.n_rows, m.motions, s.n_riders, drift, m.direct, &s.ctx.counters)
    if s.ctx.counters.direct_failures > failures and has_gained(s):
        set_free(s, False)
        loosen(m.links, s.n_links, m.riders, m.rows)
        solve_rows(m.rows, s.n_rows, m.motions, s.n_riders, drift, m.direct, &s.ctx.counters)


cdef void renew_rows(Linked* s, int age) noexcept nogil:
    """Rows of joints were written: factors are of earlier ones, or of none (FactorAge)."""
    cdef LinkMemory* m = s.m
    cdef int32_t k
    cdef Assembly* a
    for k in range(s.n_links):
        a = &m.assemblies[m.of_joint[m.links[k].joint - m.joints]]
        if a.age == PRESENT or age == NO_FACTOR:
            a.age = age


cdef double solve_all(Linked* s, double enough) noexcept nogil:
    """Solve the assemblies of the island: each is met first at its first joint. Returns the largest
    |y| (m/s) there was; none above `enough`: nothing is done."""
    cdef LinkMemory* m = s.m
    cdef int32_t k
    cdef Assembly* a
    cdef double worst = 0.0
    if s.is_plain:
        k = 0
        while k < s.n_links:
            a = &m.assemblies[m.of_joint[m.hinges[k].joint - m.joints]]
            worst = greater(worst, solve_hinges(a, &m.hinges[k], m.motions, enough))
            k += a.n
        return worst
    for k in range(s.n_links):
        a = &m.assemblies[m.of_joint[m.links[k].joint - m.joints]]
        if &m.joints[m.members[a.first]] == m.links[k].joint:
            worst = greater(worst, solve_assembly(a, m.members, m.link_of, m.links, m.rows,
                                                  m.motions, enough))
    return worst


cdef void start_rows(Linked* s) noexcept nogil:
    """Apply the impulses that the rows start with, inside their bounds."""
    cdef LinkMemory* m = s.m
    cdef int32_t k
    cdef Row* row
    weigh_contacts(s)
    if s.is_plain:
        start_hinges(m.hinges, s.n_links, m.motions)
    for k in range(s.n_rows + 2 * s.n_swept):
        row = &m.rows[k]
        if k < s.n_rows:
            row.p = greater(lesser(row.p, row.hi), row.lo)
        push(row, row.p, &m.motions[row.a], &m.motions[row.b])


# ---- contacts ---------------------------------------------------------------------------------

cdef void gather_contacts(Linked* s, const int32_t* contact_indices, int32_t n,
                          double start) noexcept nogil:
    cdef int32_t k
    cdef Swept* t
    cdef Contact* c
    s.n_swept = n
    for k in range(n):
        t = &s.m.swept[k]
        t.contact = contact_indices[k]
        c = &s.ctx.contacts[t.contact]
        t.a, t.b = rider_at(s, c.a, start), rider_at(s, c.b, start)
        if c.flags & ASLEEP:
            c.sum_n = c.sum_t = 0.0
            c.hit = 0
            c.flags = c.flags & ~(ASLEEP | STRUCK)
        if not c.flags & OLD:
            c.fn = c.ft = 0.0


cdef void relax(Linked* s, bint last) noexcept nogil:
    """After the move: velocities without what pushed overlaps apart; in the last sub-step contacts
    that were struck leave with their restitution."""
    cdef LinkMemory* m = s.m
    cdef int32_t k
    cdef Contact* c
    cdef Row* rows
    cdef Rider* body
    cdef int _pass
    cdef double had = kinetic_of(s)
    for k in range(s.n_riders):
        m.motions[k].v, m.motions[k].w = m.riders[k].v, m.riders[k].w
    if not s.is_plain:
        for k in range(s.n_rows):
            # joints keep their rates: they start from what they hold
            m.rows[k].p = 0.0
        joint_rates(s)
    for k in range(s.n_swept):
        c = &s.ctx.contacts[m.swept[k].contact]
        rows = &m.rows[s.n_rows + 2 * k]
        look_at(s, &m.swept[k], rows)
        rows[0].bias = greater(m.swept[k].gap, 0.0) / s.h
        m.swept[k].soft = 0.0
        if last and c.e > 0.0 and rows[0].p > 0.0 and -m.swept[k].rate > threshold(s):
            rows[0].bias = c.e * m.swept[k].rate
    weigh_contacts(s)
    weigh_heavy(s)
    for _pass in range(RELAX_SWEEPS):
        sweep_contacts(s)
        solve_all(s, STILL * s.ctx.root)
        if s.n_heavy > 0:
            solve_heavy(s)
            solve_all(s, STILL * s.ctx.root)
    for k in range(s.n_swept):
        take_contact(s, &m.swept[k], &m.rows[s.n_rows + 2 * k])
    for k in range(s.n_movable):
        body = &m.riders[k]
        if not body.through:
            body.v, body.w = m.motions[k].v, m.motions[k].w
    # what pushed overlaps apart is given back, and blows end
    s.ctx.books.impacts += kinetic_of(s) - had


cdef void joint_rates(Linked* s) noexcept nogil:
    """Rows of joints where bodies are now: what holds must not move."""
    cdef int32_t k
    position_rows(s.m.links, s.n_links, s.m.riders, s.m.rows)
    for k in range(s.n_rows):
        s.m.rows[k].bias = 0.0
    renew_rows(s, EARLIER)


# ---- books ------------------------------------------------------------------------------------

cdef void book_damping(Linked* s) noexcept nogil:
    """The work of damping on bodies' motion; before `move`."""
    cdef int32_t k
    cdef const Rider* body
    cdef const BodyData* data
    cdef const Motion* new
    cdef Vec2 dv
    cdef double dw
    if not s.is_damped:
        return
    for k in range(s.n_movable):
        body, new = &s.m.riders[k], &s.m.motions[k]
        data = &s.ctx.bodies[body.row]
        if data.linear_damping <= 0.0 and data.angular_damping <= 0.0:
            continue
        dv = body.pull
        dv = vec2(damped(body.v.x, dv.x, data.linear_damping, s.h) - body.v.x - s.h * dv.x,
                  damped(body.v.y, dv.y, data.linear_damping, s.h) - body.v.y - s.h * dv.y)
        dw = body.twist
        dw = damped(body.w, dw, data.angular_damping, s.h) - body.w - s.h * dw
        s.ctx.books.damping += 0.5 * (body.m * dot(dv, add(body.v, new.v))
                                      + body.inertia * dw * (body.w + new.w))


cdef void book_projection(Linked* s) noexcept nogil:
    """What corrections of places, in the motions, lift."""
    cdef int32_t k
    cdef const Rider* body
    for k in range(s.n_movable):
        body = &s.m.riders[k]
        s.ctx.books.projection -= body.m * dot(body.pull, s.m.motions[k].v)


# ---- places -----------------------------------------------------------------------------------

cdef void move(Linked* s) noexcept nogil:
    """Move by the mean of old and new velocity."""
    cdef int32_t k
    cdef Rider* body
    cdef const Motion* new
    cdef double half = 0.5 * s.h
    for k in range(s.n_riders):
        body, new = &s.m.riders[k], &s.m.motions[k]
        if body.row < 0:
            continue
        if not body.through:
            shift(body, scaled(half, add(body.v, new.v)), half * (body.w + new.w))
        if body.movable:
            body.last_w = body.w
            body.v, body.w = new.v, new.w


cdef void project(Linked* s) noexcept nogil:
    """Bring places back to what joints hold, in the metric of the masses."""
    cdef LinkMemory* m = s.m
    cdef int _pass
    cdef int32_t k
    # a factor that is older than the places makes errors of long chains larger
    cdef bint anew = s.direct or s.is_plain
    cdef double worst, turned, before = INFINITY
    for _pass in range(MOST_PROJECTIONS):
        worst = place_joints(s)
        if not worst <= MOST_GROWN * before:
            # better as it was: they cannot all hold, or the factor was too old
            for k in range(s.n_movable):
                m.riders[k].start = m.riders[k].end
            if anew:
                return
            worst = place_joints(s)
            anew = True
        if worst <= (NO_ERROR if _pass == 0 else ERROR_LEFT) * s.ctx.unit:
            return
        anew = anew or worst > FAR * s.ctx.unit
        before = worst
        s.ctx.counters.projections += 1
        turned = correct_places(s, anew)
        # an error e of pins takes turns by t, and then is no more than arms t^2: not looked at
        if s.is_plain and turned * turned * s.longest <= ERROR_LEFT * s.ctx.unit:
            return


cdef double correct_places(Linked* s, bint anew) noexcept nogil:
    """One correction by the rows of places there are; anew: not by the factor of the velocities.
    Where riders were is their end. Returns the largest angle (rad) by which one was turned."""
    cdef LinkMemory* m = s.m
    cdef int32_t k
    cdef double turned = 0.0
    for k in range(s.n_riders):
        m.motions[k].v = vec2(0.0, 0.0)
        m.motions[k].w = 0.0
    if s.direct:
        solve_rows(m.rows, s.n_rows, m.motions, s.n_riders, 0.0, m.direct, &s.ctx.counters)
    else:
        project_sparse(s, anew)
    book_projection(s)
    for k in range(s.n_movable):
        m.riders[k].end = m.riders[k].start
        shift(&m.riders[k], m.motions[k].v, m.motions[k].w)
        turned = greater(turned, fabs(m.motions[k].w))
    return turned


cdef void project_sparse(Linked* s, bint anew) noexcept nogil:
    """Corrections of places by the factor that the velocities were solved with, or a new one."""
    cdef LinkMemory* m = s.m
    cdef int _sweep
    if anew:
        renew_rows(s, EARLIER)
    solve_all(s, 0.0)
    if not s.has_bounds:
        return
    for _sweep in range(SWEEPS):
        if sweep_rows(m.links, s.n_links, m.rows, m.motions, False) <= NO_ERROR * s.ctx.unit:
            return
        solve_all(s, 0.0)


# ---- memory -----------------------------------------------------------------------------------

@cython.final
cdef class LinkWorkspace:

    def __cinit__(self):
        memset(&self.memory, 0, sizeof(LinkMemory))
        self._direct = DirectWorkspace()
        self.memory.direct = &self._direct.memory
        self._arrays = {}

    cdef int reserve(self, int32_t n_bodies, int32_t n_joints, int32_t n_rows, int32_t n_direct,
                     int32_t n_world, int32_t n_world_joints, int32_t n_contacts) except -1 nogil:
        """Make room; n_direct: the most rows that the direct solver gets."""
        cdef const LinkMemory* m = &self.memory
        cdef int32_t riders = n_bodies + 2 * n_joints + 2 * n_contacts + 1
        if (n_contacts <= m.n_swept and riders <= m.n_riders and n_joints <= m.n_links
                and n_rows + 2 * n_contacts <= m.n_rows and n_world <= m.n_world
                and n_world_joints <= m.n_joints and n_direct <= m.direct.n_rows
                and riders <= m.direct.n_motions):
            return 0
        return self.grow(n_bodies, n_joints, n_rows, n_direct, n_world, n_world_joints, n_contacts)

    cdef int grow(self, int32_t n_bodies, int32_t n_joints, int32_t n_rows, int32_t n_direct,
                  int32_t n_world, int32_t n_world_joints, int32_t n_contacts) except -1 with gil:
        cdef LinkMemory* m = &self.memory
        cdef int32_t riders = n_bodies + 2 * n_joints + 2 * n_contacts + 1
        n_rows += 2 * n_contacts
        if n_contacts > m.n_swept:
            m.n_swept = n_contacts
            m.swept = <Swept*> hold(self._arrays, "swept", n_contacts, sizeof(Swept))
        if riders > m.n_riders:
            m.n_riders = riders
            m.riders = <Rider*> hold(self._arrays, "riders", riders, sizeof(Rider))
            m.motions = <Motion*> hold(self._arrays, "motions", riders, sizeof(Motion))
            m.probe = <Motion*> hold(self._arrays, "probe", riders, sizeof(Motion))
            m.free_v = <double*> hold(self._arrays, "free_v", 3 * riders, sizeof(double))
        if n_joints > m.n_links:
            m.n_links = n_joints
            m.links = <Link*> hold(self._arrays, "links", n_joints, sizeof(Link))
            m.hinges = <Hinge*> hold(self._arrays, "hinges", n_joints, sizeof(Hinge))
        if n_rows > m.n_rows:
            m.n_rows = n_rows
            m.rows = <Row*> hold(self._arrays, "rows", n_rows, sizeof(Row))
        if n_world > m.n_world:
            m.n_world = n_world
            m.rider_of = <int32_t*> hold(self._arrays, "rider_of", n_world, sizeof(int32_t))
            memset(m.rider_of, -1, n_world * sizeof(int32_t))
        if n_world_joints > m.n_joints:
            m.n_joints = n_world_joints
            m.link_of = <int32_t*> hold(self._arrays, "link_of", n_world_joints, sizeof(int32_t))
        self._direct.reserve(n_direct, riders)
        return 0
