# distutils: include_dirs = engine3d/solve enginecore
"""A step of one large island; large_step.pxd has the contract, docs/maths/solver3d.md why."""

from libc.math cimport exp, sqrt
from libc.string cimport memset

from enginecore.body_head cimport DYNAMIC, INITIAL_OVERLAP
from enginecore.constants cimport CCD_SHARE, MET_DEPTH, SPEED_RESERVE
from enginecore.memory cimport hold
from enginecore.pair_table cimport high_of, low_of
from enginecore.rule cimport ONE_WAY, PASSING
from enginecore.scalar cimport greater, lesser
from engine3d.body cimport BodyData, Motion
from engine3d.solve.cone cimport STICK
from engine3d.contact cimport FAST, STRUCK, Contact, Pair, pair_thickness, pushes_along
from engine3d.collide.geometry cimport ROUND, Geometry
from engine3d.solve.integrate cimport fly, move_body, sync_spin
from engine3d.collide.narrow_phase cimport (
    FACE_POINT, MOST_POINTS, POINT_FACE, Touch, find_contacts, refresh)
from engine3d.pose cimport Pose
from engine3d.solve.momentum cimport (
    Rigid, Totals, keep_totals, measure_totals, rigid_motion, slow_about)
from engine3d.quat cimport Quat, conjugate, matrix_of, product, turned_by
from engine3d.solve.rule cimport drive_of, resist_turning, resists_turning, rolling_axis
from engine3d.solve.solver_iterative cimport BlockPoint, Softness, make_soft, run_pass
from engine3d.collide.time_of_impact cimport Sweep, find_impact_time, gap_between, sweep_pose
from engine3d.vec3 cimport (
    across, add, add_scaled, apply, apply_transposed, cross, dot, length, negated, scaled, sub,
    times, transposed, vec3,
)

# s: sub-steps are about this long; at twice the length springs stiff enough for piles pump walls.
cdef double SUB_STEP = 1.0 / 960.0
# Springs per sub-step: 1/8 of its rate, twice that against what cannot move; overdamped.
cdef double SPRING = 0.125
cdef double STIFFER = 2.0
cdef double DAMPING = 10.0
cdef double PUSH_SPEED = 3.0      # m/s, the fastest that an overlap is pushed out
# Share of touch at which two shapes have met.
cdef double MET_TOUCHES = 0.01
# m: the gap of points that are not there.
cdef double FAR = 1e6
# Share of the kinetic energy that a second may add.
cdef double MOST_GAIN = 1e-4
# Times touch: what lifting all by this much takes is no gain.
cdef double LEAST_GAIN = 10.0
cdef enum:
    LANES = 4
    COLOURS = 64        # the last is for what finds no other: blocks of one manifold
    KINDS = 4           # spheres, one point, two, three or four
    GROUPS = 2 * COLOURS * KINDS
    LEAST_SUB_STEPS = 2
    MOST_SUB_STEPS = 64


cdef void step_large(StepContext* ctx, const int32_t* rows, int32_t n_rows, const int32_t* pairs,
                     int32_t n_pairs, const Place* before, LargeWorkspace* work) noexcept nogil:
    cdef int n = <int> (ctx.dt / (SUB_STEP * ctx.tol.root) + 0.5), k
    cdef double h, start
    cdef Totals first = measure_totals(ctx, rows, n_rows, pairs, n_pairs)
    cdef Vec3 origin
    cdef Softness soft, stiff
    n = LEAST_SUB_STEPS if n < LEAST_SUB_STEPS else MOST_SUB_STEPS if n > MOST_SUB_STEPS else n
    h = ctx.dt / n
    origin = ctx.places[rows[0]].x
    start = energy_of(ctx, rows, n_rows, origin)
    load_lines(ctx, rows, n_rows, h, work)
    find_manifolds(ctx, pairs, n_pairs, work)
    lay_out_blocks(ctx, work, h)
    warm_start(work)
    soft = make_soft(SPRING / h, DAMPING, h)
    stiff = make_soft(STIFFER * SPRING / h, DAMPING, h)
    for k in range(n):
        note_speeds(work)
        resist_rolling(ctx, work, h)
        drive_bodies(h, work)
        pass_all(ctx, work, &soft, &stiff, h, k & 1, False)
        advance(h, work)
        pass_all(ctx, work, &soft, &stiff, h, False, True)
    ctx.counters.sweeps += 2 * n
    bounce(ctx, work)
    store_contacts(ctx, work, h)
    store_bodies(ctx, work)
    # what was set back has not had all of its time
    if stop_fast(ctx, rows, n_rows, pairs, n_pairs, before, work):
        first.alone = False
    keep_totals(ctx, rows, n_rows, &first)
    take_back_gain(ctx, rows, n_rows, pairs, n_pairs, origin, start + work.work)


cdef inline void pass_all(StepContext* ctx, LargeWorkspace* work, const Softness* soft,
                          const Softness* stiff, double h, bint backwards,
                          bint relax) noexcept nogil:
    """One pass over all blocks: those of two moving bodies, then those with a fixed one."""
    cdef double fastest = PUSH_SPEED * ctx.tol.root
    cdef int32_t fixed = work.n_blocks - work.first_fixed
    if backwards:
        run_pass(work.lines, work.blocks + work.first_fixed, fixed, stiff, h, fastest, True, relax)
    run_pass(work.lines, work.blocks, work.first_fixed, soft, h, fastest, backwards, relax)
    if not backwards:
        run_pass(work.lines, work.blocks + work.first_fixed, fixed, stiff, h, fastest, False, relax)


# ---- bodies ------------------------------------------------------------------------------------

cdef void load_lines(StepContext* ctx, const int32_t* rows, int32_t n_rows, double h,
                     LargeWorkspace* work) noexcept nogil:
    """Lines and drives of the island's bodies; angular velocity by the momentum, as seen from the
    orientation expected halfway through the step."""
    cdef int32_t k, row
    cdef Line* line
    cdef Drive* drive
    cdef Mat3 back
    cdef Vec3 w
    memset(work.lines, 0, sizeof(Line))
    memset(work.drives, 0, sizeof(Drive))
    work.drives[0].row = -1
    work.n_lines = 1
    for k in range(n_rows):
        row = rows[k]
        line = &work.lines[work.n_lines]
        drive = &work.drives[work.n_lines]
        memset(line, 0, sizeof(Line))
        memset(drive, 0, sizeof(Drive))
        drive.mid = matrix_of(turned_by(ctx.places[row].q, scaled(0.5 * ctx.dt,
                                                                  ctx.motions[row].w)))
        back = transposed(&drive.mid)
        drive.to_line = times(&ctx.bodies[row].root, &back)
        w = apply(&drive.to_line, ctx.motions[row].L)
        line.v[0], line.v[1] = ctx.motions[row].v.x, ctx.motions[row].v.y
        line.v[2], line.inv_m = ctx.motions[row].v.z, ctx.motions[row].inv_m
        line.w[0], line.w[1], line.w[2] = w.x, w.y, w.z
        drive.a = add_scaled(scaled(ctx.bodies[row].gravity_scale, ctx.gravity), line.inv_m,
                             ctx.bodies[row].force)
        drive.alpha = apply(&drive.to_line, ctx.bodies[row].torque)
        drive.keep_v = exp(-ctx.bodies[row].linear_damping * h)
        drive.keep_w = exp(-ctx.bodies[row].angular_damping * h)
        drive.v0 = ctx.motions[row].v
        drive.w0 = w
        drive.row = row
        work.allowed[row] = (ctx.tol.margin + ctx.fall + ctx.motions[row].push + (
            SPEED_RESERVE * ctx.dt) * (
            length(ctx.motions[row].v)
            + length(ctx.motions[row].w) * ctx.bodies[row].swept_radius))
        work.line_of[row] = work.n_lines
        work.used[work.n_lines] = 0
        work.n_lines += 1


cdef void drive_bodies(double h, LargeWorkspace* work) noexcept nogil:
    """External forces, and what contacts gave in the last sub-step as a start for this one."""
    cdef int32_t k
    cdef int r
    cdef Line* line
    cdef Drive* drive
    cdef double* v0
    cdef double* w0
    cdef double* a
    cdef double* alpha
    cdef double given
    for k in range(1, work.n_lines):
        line = &work.lines[k]
        drive = &work.drives[k]
        if drive.row < 0:
            continue
        v0, w0, a, alpha = &drive.v0.x, &drive.w0.x, &drive.a.x, &drive.alpha.x
        for r in range(3):
            given = line.v[r] - v0[r]
            drive.pushed = drive.pushed or given != 0.0
            v0[r] = drive.keep_v * (line.v[r] + h * a[r])
            line.v[r] = v0[r] + given
            given = line.w[r] - w0[r]
            drive.pushed = drive.pushed or given != 0.0
            w0[r] = drive.keep_w * (line.w[r] + h * alpha[r])
            line.w[r] = w0[r] + given


cdef inline Vec3 spin_of_line(const LargeWorkspace* work, int32_t line, Vec3 w) noexcept nogil:
    """rad/s of a whitened angular velocity; 0 of what does not move."""
    if work.drives[line].row < 0:
        return vec3(0.0, 0.0, 0.0)
    return apply_transposed(&work.drives[line].to_line, w)


cdef inline double softness(const LargeWorkspace* work, int32_t line, Vec3 axis) noexcept nogil:
    """1/(kg m^2): what a moment about an axis does to the rotation about it."""
    cdef Vec3 turn
    if work.drives[line].row < 0:
        return 0.0
    turn = apply(&work.drives[line].to_line, axis)
    return dot(turn, turn)


cdef inline void turn_line(LargeWorkspace* work, int32_t line, Vec3 moment) noexcept nogil:
    """An angular impulse (N m s) that is no contact's: it is no start for the next sub-step."""
    cdef Vec3 turn
    if work.drives[line].row < 0:
        return
    turn = apply(&work.drives[line].to_line, moment)
    work.lines[line].w[0] += turn.x
    work.lines[line].w[1] += turn.y
    work.lines[line].w[2] += turn.z
    work.drives[line].w0 = add(work.drives[line].w0, turn)


cdef void resist_rolling(StepContext* ctx, LargeWorkspace* work, double h) noexcept nogil:
    """Take from the lines what resistance to rolling and spin takes in a sub-step."""
    cdef const Block* m
    cdef const double* wa
    cdef const double* wb
    cdef Vec3 n, w, axis, torque
    cdef double force
    cdef int32_t k
    cdef int lane, i
    for k in range(work.n_rollers):
        m, lane = &work.blocks[work.rollers[k].block], work.rollers[k].lane
        force = 0.0
        for i in range(m.points[lane]):
            force += m.point[i].p[lane] / h
        n = vec3(m.n[0][lane], m.n[1][lane], m.n[2][lane])
        wa, wb = work.lines[m.a[lane]].w, work.lines[m.b[lane]].w
        w = sub(spin_of_line(work, m.a[lane], vec3(wa[0], wa[1], wa[2])),
                spin_of_line(work, m.b[lane], vec3(wb[0], wb[1], wb[2])))
        # of a kinematic body, whose line has the speed of its surface only
        w = sub(w, own_spin(ctx, &ctx.pairs[m.pair[lane]]))
        axis = rolling_axis(n, w)
        work.rollers[k].held = ctx.pairs[m.pair[lane]].torque
        torque = resist_turning(
            &ctx.pairs[m.pair[lane]], n, w,
            softness(work, m.a[lane], axis) + softness(work, m.b[lane], axis),
            softness(work, m.a[lane], n) + softness(work, m.b[lane], n), force, h)
        torque = sub(torque, work.rollers[k].held)
        turn_line(work, m.a[lane], scaled(-h, torque))
        turn_line(work, m.b[lane], scaled(h, torque))
    for k in range(work.n_rollers):
        m, lane = &work.blocks[work.rollers[k].block], work.rollers[k].lane
        turn_line(work, m.a[lane], scaled(-h, work.rollers[k].held))
        turn_line(work, m.b[lane], scaled(h, work.rollers[k].held))


cdef inline Vec3 own_spin(const StepContext* ctx, const Pair* pair) noexcept nogil:
    """rad/s: of B less that of A, of those that no force moves."""
    cdef Vec3 out = vec3(0.0, 0.0, 0.0)
    if ctx.heads[pair.b].kind != DYNAMIC:
        out = ctx.motions[pair.b].w
    if ctx.heads[pair.a].kind != DYNAMIC:
        out = sub(out, ctx.motions[pair.a].w)
    return out


cdef void advance(double h, LargeWorkspace* work) noexcept nogil:
    """Move all lines for a sub-step."""
    cdef int32_t k
    cdef int r
    cdef Line* line
    for k in range(1, work.n_lines):
        line = &work.lines[k]
        for r in range(3):
            line.d[r] += h * line.v[r]
            line.turned[r] += h * line.w[r]


cdef inline bint is_given(const Line* line, const Drive* drive) noexcept nogil:
    """Whether contacts gave a body something in the last sub-step."""
    return (line.v[0] != drive.v0.x or line.v[1] != drive.v0.y or line.v[2] != drive.v0.z
            or line.w[0] != drive.w0.x or line.w[1] != drive.w0.y or line.w[2] != drive.w0.z)


cdef void store_bodies(StepContext* ctx, LargeWorkspace* work) noexcept nogil:
    """Lines back into bodies; those that nothing pushed fly as they do alone."""
    cdef int32_t k, row
    cdef const Line* line
    cdef const Drive* drive
    cdef const BodyData* body
    cdef Motion* motion
    cdef Place* place
    cdef Vec3 turn, x
    cdef Quat q
    for k in range(1, work.n_lines):
        drive = &work.drives[k]
        row = drive.row
        if row < 0:
            continue
        work.line_of[row] = -1
        line = &work.lines[k]
        body, motion, place = &ctx.bodies[row], &ctx.motions[row], &ctx.places[row]
        if not drive.pushed and not is_given(line, drive):
            x, q = place.x, place.q
            fly(body, drive.a, ctx.dt, &x, &q, &motion.v, &motion.L)
            move_body(body, x, q, motion, place)
            sync_spin(body, place, motion)
            continue
        motion.v = vec3(line.v[0], line.v[1], line.v[2])
        # L = mid I^(1/2) w', and the turn mid I^(-1/2) turned'
        motion.L = apply(&drive.mid, apply(&body.inv_root, vec3(line.w[0], line.w[1], line.w[2])))
        turn = apply_transposed(&drive.to_line, vec3(line.turned[0], line.turned[1],
                                                     line.turned[2]))
        move_body(body, vec3(place.x.x + line.d[0], place.x.y + line.d[1], place.x.z + line.d[2]),
                  turned_by(place.q, turn), motion, place)
        sync_spin(body, place, motion)


# ---- manifolds ---------------------------------------------------------------------------------

cdef inline int32_t line_of(StepContext* ctx, const Pair* pair, int32_t row, Vec3 point,
                            LargeWorkspace* work) noexcept nogil:
    """The line of a body; of one that moves by itself a new one with the speed of its surface."""
    cdef Line* line
    cdef Vec3 v
    if ctx.heads[row].kind == DYNAMIC:
        return work.line_of[row]
    v = add(ctx.motions[row].v, cross(ctx.motions[row].w, sub(point, ctx.places[row].x)))
    if v.x == 0.0 and v.y == 0.0 and v.z == 0.0:
        return 0
    line = &work.lines[work.n_lines]
    memset(line, 0, sizeof(Line))
    line.v[0], line.v[1], line.v[2] = v.x, v.y, v.z
    memset(&work.drives[work.n_lines], 0, sizeof(Drive))
    work.drives[work.n_lines].row = -1
    work.n_lines += 1
    return work.n_lines - 1


cdef inline int first_free(uint64_t taken) noexcept nogil:
    """The lowest bit that is not set, or the last colour."""
    cdef int k = 0
    while k < COLOURS - 1 and taken & (<uint64_t> 1 << k):
        k += 1
    return k


cdef void find_manifolds(StepContext* ctx, const int32_t* pairs, int32_t n_pairs,
                         LargeWorkspace* work) noexcept nogil:
    """The manifolds of the island with their colours: no two of one colour share a moving body."""
    cdef const Pair* pair
    cdef Found* found
    cdef int32_t k
    cdef uint64_t taken
    cdef int colour, kind
    cdef bint fixed
    work.n_found = 0
    for k in range(n_pairs):
        pair = &ctx.pairs[pairs[k]]
        if pair.n == 0:
            continue
        found = &work.found[work.n_found]
        work.n_found += 1
        found.pair = pairs[k]
        found.a = line_of(ctx, pair, pair.a, ctx.contacts[pair.first].at.point, work)
        found.b = line_of(ctx, pair, pair.b, ctx.contacts[pair.first].at.point, work)
        fixed = ctx.heads[pair.a].kind != DYNAMIC or ctx.heads[pair.b].kind != DYNAMIC
        taken = 0
        if ctx.heads[pair.a].kind == DYNAMIC:
            taken |= work.used[found.a]
        if ctx.heads[pair.b].kind == DYNAMIC:
            taken |= work.used[found.b]
        colour = first_free(taken)
        if ctx.heads[pair.a].kind == DYNAMIC:
            work.used[found.a] |= <uint64_t> 1 << colour
        if ctx.heads[pair.b].kind == DYNAMIC:
            work.used[found.b] |= <uint64_t> 1 << colour
        if pair.n > 1:
            kind = 2 if pair.n == 2 else 3
        else:
            kind = 0 if is_round(ctx, pair) else 1
        found.group = ((COLOURS if fixed else 0) + colour) * KINDS + kind


cdef inline bint is_round(const StepContext* ctx, const Pair* pair) noexcept nogil:
    """Whether the normal goes through the centres of all bodies of a pair that can turn."""
    return (has_no_lever(ctx, pair.a, ctx.shapes[low_of(pair.key)].geometry.kind)
            and has_no_lever(ctx, pair.b, ctx.shapes[high_of(pair.key)].geometry.kind))


cdef inline bint has_no_lever(const StepContext* ctx, int32_t row, int32_t kind) noexcept nogil:
    return ctx.heads[row].kind != DYNAMIC or (kind == ROUND and ctx.bodies[row].swept_radius == 0.0)


cdef inline bint is_overflow(int32_t group) noexcept nogil:
    """Whether manifolds of a group may share bodies: each then has a block of its own."""
    return (group // KINDS) % COLOURS == COLOURS - 1


cdef void lay_out_blocks(StepContext* ctx, LargeWorkspace* work, double h) noexcept nogil:
    """Give every manifold a lane and fill it."""
    cdef int32_t[GROUPS] counts
    cdef int32_t[GROUPS] places
    cdef int32_t k, group, n = 0, at, i
    memset(counts, 0, sizeof(counts))
    for k in range(work.n_found):
        counts[work.found[k].group] += 1
    for group in range(GROUPS):
        if group == COLOURS * KINDS:
            work.first_fixed = n
        places[group] = LANES * n
        if counts[group] == 0:
            continue
        at = n
        n += counts[group] if is_overflow(group) else (counts[group] + LANES - 1) // LANES
        for i in range(at, n):
            # lanes that stay empty must do nothing
            if i == n - 1 or is_overflow(group):
                memset(&work.blocks[i], 0, sizeof(Block))
            for k in range(LANES):
                work.blocks[i].pair[k] = -1
            work.blocks[i].n_points = 1
            work.blocks[i].round = group % KINDS == 0
    work.n_blocks = n
    work.n_bouncers, work.n_rollers, work.work = 0, 0, 0.0
    for k in range(work.n_found):
        group = work.found[k].group
        at = places[group]
        places[group] += LANES if is_overflow(group) else 1
        fill_lane(ctx, work, &work.found[k], at // LANES, at % LANES, h)


cdef inline Vec3 lever(const LargeWorkspace* work, int32_t line, Vec3 arm,
                       Vec3 axis) noexcept nogil:
    """Whitened effect of an impulse along an axis; 0 for what does not move."""
    if work.drives[line].row < 0:
        return vec3(0.0, 0.0, 0.0)
    return apply(&work.drives[line].to_line, cross(arm, axis))


cdef inline void put(double* out, int lane, Vec3 a) noexcept nogil:
    """Write a lane's vector into three rows of LANES."""
    out[lane] = a.x
    out[LANES + lane] = a.y
    out[2 * LANES + lane] = a.z


cdef void fill_lane(StepContext* ctx, LargeWorkspace* work, const Found* found, int32_t block,
                    int lane, double h) noexcept nogil:
    """Write a manifold into a lane of a block."""
    cdef Block* out = &work.blocks[block]
    cdef const Pair* pair = &ctx.pairs[found.pair]
    cdef const Contact* c = &ctx.contacts[pair.first]
    cdef Vec3 n = vec3(0.0, 0.0, 0.0), t, u, middle = n, force = n, xa, xb, drive
    cdef double inv_m = work.lines[found.a].inv_m + work.lines[found.b].inv_m, twist = 0.0
    cdef double gap
    cdef bint is_fixed = found.group >= COLOURS * KINDS, is_curved
    cdef int k
    for k in range(pair.n):
        n = add(n, c[k].at.normal)
        middle = add_scaled(middle, 1.0 / pair.n, c[k].at.point)
        force = add(force, c[k].ft)
    n = scaled(1.0 / length(n), n)
    t = across(n)
    u = cross(n, t)
    out.a[lane], out.b[lane] = found.a, found.b
    out.pair[lane], out.points[lane] = found.pair, pair.n
    out.n_points = pair.n if pair.n > out.n_points else out.n_points
    put(&out.n[0][0], lane, n)
    put(&out.t[0][0], lane, t)
    put(&out.u[0][0], lane, u)
    out.mu[lane] = pair.mu
    xa, xb = ctx.places[pair.a].x, ctx.places[pair.b].x
    for k in range(pair.n):
        fill_point(ctx, work, found, &c[k], n, xa, xb, inv_m, h, lane, &out.point[k])
        gap = c[k].at.gap
        is_curved = c[k].at.kind != POINT_FACE and c[k].at.kind != FACE_POINT
        if gap > ctx.tol.touch or (is_fixed and is_curved):
            gap = curved_gap(ctx, pair, &c[k].at, h)
            if is_fixed and is_curved and found.group % KINDS == 0 and c[k].fn == 0.0:
                # a ball on a floor has sunk into it a little, and so into the next tile's edge
                gap += ctx.tol.touch
            out.point[k].gap[lane] = out.point[k].now[lane] = gap
        out.arm[k][lane] = length(sub(c[k].at.point, middle))
        twist += dot(n, cross(sub(c[k].at.point, middle), c[k].ft))
        if (pair.e > 0.0 or pair.boost > 0.0) and not pair.flags & INITIAL_OVERLAP:
            note_bouncer(ctx, work, pair, &c[k], block, lane, k)
    for k in range(pair.n, 4):
        clear_point(lane, &out.point[k])
        out.arm[k][lane] = 0.0
    fill_friction(work, found, sub(middle, xa), sub(middle, xb), n, t, u, inv_m, lane, out)
    drive = drive_of(pair, &ctx.places[pair.a].pose.r, &ctx.places[pair.b].pose.r, n)
    out.drive_t[lane], out.drive_u[lane] = dot(drive, t), dot(drive, u)
    if resists_turning(pair):
        work.rollers[work.n_rollers].block, work.rollers[work.n_rollers].lane = block, lane
        work.n_rollers += 1
    out.pt[lane], out.pu[lane] = h * dot(force, t), h * dot(force, u)
    out.pk[lane] = h * twist if pair.n > 1 else 0.0
    out.sum_t[lane] = out.sum_u[lane] = 0.0


cdef void fill_point(const StepContext* ctx, const LargeWorkspace* work, const Found* found,
                     const Contact* c, Vec3 n, Vec3 xa, Vec3 xb, double inv_m, double h, int lane,
                     BlockPoint* out) noexcept nogil:
    cdef Vec3 ja = lever(work, found.a, sub(c.at.point, xa), n)
    cdef Vec3 jb = negated(lever(work, found.b, sub(c.at.point, xb), n))
    put(&out.ja[0][0], lane, ja)
    put(&out.jb[0][0], lane, jb)
    out.mass[lane] = 1.0 / (inv_m + dot(ja, ja) + dot(jb, jb))
    out.gap[lane] = out.now[lane] = c.at.gap
    out.p[lane] = h * c.fn
    out.sum[lane] = 0.0


cdef Pose pose_after(const StepContext* ctx, int32_t row, double t) noexcept nogil:
    """Where a body's frame is after a time t (s) of its present motion."""
    cdef Pose out
    cdef const Place* place = &ctx.places[row]
    if ctx.motions[row].w.x == 0.0 and ctx.motions[row].w.y == 0.0 and ctx.motions[row].w.z == 0.0:
        out.r = place.pose.r
    else:
        out.r = matrix_of(turned_by(place.q, scaled(t, ctx.motions[row].w)))
    out.p = sub(add_scaled(place.x, t, ctx.motions[row].v),
                apply(&out.r, ctx.bodies[row].local_center))
    return out


cdef double curved_gap(const StepContext* ctx, const Pair* pair, const Touch* at,
                       double h) noexcept nogil:
    """m: the gap of a contact from which its present rate leads to the gap that the present
    motion leads to. A sphere that rolls from tile to tile would else lean on the next one's edge.
    """
    cdef const Motion* a = &ctx.motions[pair.a]
    cdef const Motion* b = &ctx.motions[pair.b]
    cdef double rate = dot(at.normal, sub(
        add(a.v, cross(a.w, sub(at.point, ctx.places[pair.a].x))),
        add(b.v, cross(b.w, sub(at.point, ctx.places[pair.b].x))))), t
    cdef Touch then
    cdef Pose pa, pb
    cdef int k
    if rate >= 0.0 or at.gap + 2.0 * ctx.dt * rate > ctx.fall + ctx.tol.touch:
        return at.gap
    # halfway, and at the end of the sub-step after the last, which the last pass looks at
    for k in range(2):
        t = 0.5 * ctx.dt if k == 0 else ctx.dt + h
        then = at[0]
        pa, pb = pose_after(ctx, pair.a, t), pose_after(ctx, pair.b, t)
        refresh(&then, &pa, &pb)
        if then.gap < lesser(at.gap, 0.0) - ctx.tol.touch:
            return at.gap
    return greater(at.gap, then.gap - t * rate)


cdef void clear_point(int lane, BlockPoint* out) noexcept nogil:
    """A point that is not there."""
    put(&out.ja[0][0], lane, vec3(0.0, 0.0, 0.0))
    put(&out.jb[0][0], lane, vec3(0.0, 0.0, 0.0))
    out.mass[lane] = out.p[lane] = out.sum[lane] = 0.0
    out.gap[lane] = out.now[lane] = FAR


cdef void fill_friction(const LargeWorkspace* work, const Found* found, Vec3 ra, Vec3 rb, Vec3 n,
                        Vec3 t, Vec3 u, double inv_m, int lane, Block* out) noexcept nogil:
    """Levers and effective masses of friction at the middle, and of the twist."""
    cdef Vec3 at = lever(work, found.a, ra, t), au = lever(work, found.a, ra, u)
    cdef Vec3 bt = negated(lever(work, found.b, rb, t)), b_u = negated(lever(work, found.b, rb, u))
    cdef double ktt = inv_m + dot(at, at) + dot(bt, bt), kuu = inv_m + dot(au, au) + dot(b_u, b_u)
    cdef double ktu = dot(at, au) + dot(bt, b_u), det = 1.0 / (ktt * kuu - ktu * ktu)
    put(&out.jat[0][0], lane, at)
    put(&out.jau[0][0], lane, au)
    put(&out.jbt[0][0], lane, bt)
    put(&out.jbu[0][0], lane, b_u)
    out.mtt[lane], out.mtu[lane], out.muu[lane] = kuu * det, -ktu * det, ktt * det
    at = vec3(0.0, 0.0, 0.0)
    bt = at
    if work.drives[found.a].row >= 0:
        at = apply(&work.drives[found.a].to_line, n)
    if work.drives[found.b].row >= 0:
        bt = negated(apply(&work.drives[found.b].to_line, n))
    put(&out.ka[0][0], lane, at)
    put(&out.kb[0][0], lane, bt)
    ktt = dot(at, at) + dot(bt, bt)
    out.mass_k[lane] = 1.0 / ktt if ktt > 0.0 else 0.0


cdef inline double get(const double* j, int lane, const double* w) noexcept nogil:
    """The product of a lane's vector, of three rows of LANES, with another."""
    return j[lane] * w[0] + j[LANES + lane] * w[1] + j[2 * LANES + lane] * w[2]


cdef double speed_at(const LargeWorkspace* work, const Block* m, int lane,
                     const BlockPoint* at) noexcept nogil:
    """m/s: how fast the gap of a point opens."""
    cdef const Line* a = &work.lines[m.a[lane]]
    cdef const Line* b = &work.lines[m.b[lane]]
    return (get(&m.n[0][0], lane, a.v) - get(&m.n[0][0], lane, b.v)
            + get(&at.ja[0][0], lane, a.w) + get(&at.jb[0][0], lane, b.w))


cdef void note_bouncer(StepContext* ctx, LargeWorkspace* work, const Pair* pair, const Contact* c,
                       int32_t block, int lane, int point) noexcept nogil:
    """List a contact that approaches fast: it shall leave with its restitution, once it is closed.
    """
    cdef double speed = speed_at(work, &work.blocks[block], lane,
                                 &work.blocks[block].point[point])
    if -speed > 2.0 * length(ctx.gravity) * ctx.dt:
        work.bouncers[work.n_bouncers].block = block
        work.bouncers[work.n_bouncers].lane = lane
        work.bouncers[work.n_bouncers].point = point
        work.bouncers[work.n_bouncers].speed = -speed
        work.bouncers[work.n_bouncers].most = -speed + length(ctx.gravity) * ctx.dt
        work.n_bouncers += 1


cdef void note_speeds(LargeWorkspace* work) noexcept nogil:
    """How fast contacts that shall bounce approach until they have met; asked before the start from
    the last impulses, which may point anywhere."""
    cdef Bouncer* one
    cdef const Block* m
    cdef int32_t k
    for k in range(work.n_bouncers):
        one = &work.bouncers[k]
        m = &work.blocks[one.block]
        if m.point[one.point].sum[one.lane] == 0.0:
            one.speed = lesser(one.most, greater(
                one.speed, -speed_at(work, m, one.lane, &m.point[one.point])))


cdef void bounce(StepContext* ctx, LargeWorkspace* work) noexcept nogil:
    """Give contacts that were closed in this step the speed they shall leave with."""
    cdef Bouncer* one
    cdef Block* m
    cdef BlockPoint* at
    cdef Line* a
    cdef Line* b
    cdef const Pair* pair
    cdef double p, speed, leave
    cdef int32_t k
    cdef int r
    for k in range(work.n_bouncers):
        one = &work.bouncers[k]
        m = &work.blocks[one.block]
        at = &m.point[one.point]
        if at.sum[one.lane] <= 0.0:
            continue
        pair = &ctx.pairs[m.pair[one.lane]]
        speed = speed_at(work, m, one.lane, at)
        leave = (pair.e + pair.boost) * one.speed
        p = at.mass[one.lane] * (leave - speed)
        if not p > 0.0:
            continue
        if pair.boost > 0.0:
            # m (leave^2 - old^2)/2, with what it leaves with without the boost, if that is more
            speed = greater(speed, pair.e * one.speed)
            work.work += 0.5 * at.mass[one.lane] * (leave * leave - speed * speed)
        a, b = &work.lines[m.a[one.lane]], &work.lines[m.b[one.lane]]
        for r in range(3):
            a.v[r] += a.inv_m * p * m.n[r][one.lane]
            b.v[r] -= b.inv_m * p * m.n[r][one.lane]
            a.w[r] += p * at.ja[r][one.lane]
            b.w[r] += p * at.jb[r][one.lane]
        at.sum[one.lane] += p
        ctx.counters.strikes += 1


cdef void warm_start(LargeWorkspace* work) noexcept nogil:
    """Begin as if contacts had just given the impulses they kept from the last step."""
    cdef Block* m
    cdef BlockPoint* at
    cdef int32_t k
    cdef int lane, i, r
    cdef double[3] p
    cdef double[3] la
    cdef double[3] lb
    for k in range(work.n_blocks):
        m = &work.blocks[k]
        for lane in range(LANES):
            if m.pair[lane] < 0:
                continue
            for r in range(3):
                p[r] = m.t[r][lane] * m.pt[lane] + m.u[r][lane] * m.pu[lane]
                la[r] = (m.jat[r][lane] * m.pt[lane] + m.jau[r][lane] * m.pu[lane]
                         + m.ka[r][lane] * m.pk[lane])
                lb[r] = (m.jbt[r][lane] * m.pt[lane] + m.jbu[r][lane] * m.pu[lane]
                         + m.kb[r][lane] * m.pk[lane])
            for i in range(m.points[lane]):
                at = &m.point[i]
                for r in range(3):
                    p[r] += m.n[r][lane] * at.p[lane]
                    la[r] += at.ja[r][lane] * at.p[lane]
                    lb[r] += at.jb[r][lane] * at.p[lane]
            start_from(work, m.a[lane], p, la, 1.0)
            start_from(work, m.b[lane], p, lb, -1.0)


cdef inline void start_from(LargeWorkspace* work, int32_t line, const double* p, const double* turn,
                            double sign) noexcept nogil:
    """An impulse (N s) and its whitened moment as part of what contacts gave."""
    cdef Drive* drive = &work.drives[line]
    cdef double share = sign * work.lines[line].inv_m
    if drive.row < 0:
        return
    drive.v0.x -= share * p[0]
    drive.v0.y -= share * p[1]
    drive.v0.z -= share * p[2]
    drive.w0.x -= turn[0]
    drive.w0.y -= turn[1]
    drive.w0.z -= turn[2]


cdef void store_contacts(StepContext* ctx, LargeWorkspace* work, double h) noexcept nogil:
    """Impulses back into contacts, as forces; friction is shared by load."""
    cdef Block* m
    cdef Pair* pair
    cdef Contact* c
    cdef Vec3 t, u, n, force, sums
    cdef double total, share
    cdef int32_t k
    cdef int lane, i
    for k in range(work.n_blocks):
        m = &work.blocks[k]
        for lane in range(LANES):
            if m.pair[lane] < 0:
                continue
            pair = &ctx.pairs[m.pair[lane]]
            n = vec3(m.n[0][lane], m.n[1][lane], m.n[2][lane])
            t = vec3(m.t[0][lane], m.t[1][lane], m.t[2][lane])
            u = vec3(m.u[0][lane], m.u[1][lane], m.u[2][lane])
            force = scaled(1.0 / h, add(scaled(m.pt[lane], t), scaled(m.pu[lane], u)))
            sums = add(scaled(m.sum_t[lane], t), scaled(m.sum_u[lane], u))
            work.work -= (m.sum_t[lane] * m.drive_t[lane] + m.sum_u[lane] * m.drive_u[lane])
            total = 0.0
            for i in range(pair.n):
                total += m.point[i].p[lane]
            for i in range(pair.n):
                c = &ctx.contacts[pair.first + i]
                share = m.point[i].p[lane] / total if total > 0.0 else 1.0 / pair.n
                c.fn, c.ft = m.point[i].p[lane] / h, scaled(share, force)
                c.mode = STICK if c.fn > 0.0 else 0
                c.sum_n += m.point[i].sum[lane]
                c.sum_t = add_scaled(c.sum_t, share, sums)
            add_twist(ctx, pair, n, m.pk[lane] / h)
    for k in range(work.n_bouncers):
        m = &work.blocks[work.bouncers[k].block]
        lane = work.bouncers[k].lane
        if m.point[work.bouncers[k].point].sum[lane] > 0.0:
            c = &ctx.contacts[ctx.pairs[m.pair[lane]].first + work.bouncers[k].point]
            c.flags |= STRUCK
            c.hit_speed = greater(c.hit_speed, work.bouncers[k].speed)


cdef void add_twist(StepContext* ctx, Pair* pair, Vec3 n, double twist) noexcept nogil:
    """Friction forces around the middle whose moment about the normal is the twist (N m)."""
    cdef Vec3 middle = vec3(0.0, 0.0, 0.0), arm
    cdef double size = 0.0
    cdef Contact* c = &ctx.contacts[pair.first]
    cdef int k
    if pair.n < 2 or twist == 0.0:
        return
    for k in range(pair.n):
        middle = add_scaled(middle, 1.0 / pair.n, c[k].at.point)
        # of the moment, what shared friction has already
    for k in range(pair.n):
        arm = sub(c[k].at.point, middle)
        twist -= dot(n, cross(arm, c[k].ft))
        arm = cross(n, arm)
        size += dot(arm, arm)
    if not size > 0.0:
        return
    for k in range(pair.n):
        arm = cross(n, sub(c[k].at.point, middle))
        c[k].ft = add_scaled(c[k].ft, twist / size, arm)


# ---- fast bodies -------------------------------------------------------------------------------

cdef Sweep sweep_of(const StepContext* ctx, int32_t row, const Place* before) noexcept nogil:
    """The way of a body in this step, straight."""
    cdef Sweep out
    cdef const Place* now = &ctx.places[row]
    cdef Quat turn = product(now.q, conjugate(before.q))
    cdef double s = 2.0 if turn.w >= 0.0 else -2.0
    memset(&out, 0, sizeof(Sweep))
    out.x, out.q = before.x, before.q
    out.v = scaled(1.0 / ctx.dt, sub(now.x, before.x))
    # for small turns; a body that turns more is followed by its centre
    out.w = scaled(s / ctx.dt, vec3(turn.x, turn.y, turn.z))
    out.local_center = ctx.bodies[row].local_center
    out.bounding_radius = ctx.bodies[row].swept_radius
    return out


cdef inline void go_on(Sweep* s, double t) noexcept nogil:
    """The same motion from a later time on."""
    s.x = add_scaled(s.x, t, s.v)
    s.q = turned_by(s.q, scaled(t, s.w))


cdef bint finds_stop(StepContext* ctx, const Pair* pair, Sweep* a, Sweep* b,
                     double* t) noexcept nogil:
    """Whether two bodies that move far in a step meet on their way, and when. Those that touch when
    it begins may go on touching, but not deep into each other."""
    cdef const Geometry* g = ctx.shapes[low_of(pair.key)].geometry
    cdef const Geometry* o = ctx.shapes[high_of(pair.key)].geometry
    cdef Touch[MOST_POINTS] found
    cdef Pose pa = sweep_pose(a, 0.0), pb = sweep_pose(b, 0.0)
    cdef Vec3 n
    cdef double thick = pair_thickness(ctx, pair), begin = 0.0, part
    cdef int k, count
    part = CCD_SHARE * thick / (length(sub(a.v, b.v)) + length(a.w) * a.bounding_radius
                                + length(b.w) * b.bounding_radius)
    while gap_between(g, &pa, o, &pb, &n) <= ctx.tol.touch:
        t[0] = begin
        begin += part
        if begin >= ctx.dt:
            return False
        pa, pb = sweep_pose(a, begin), sweep_pose(b, begin)
        count = find_contacts(g, &pa, o, &pb, 0.0, NULL, found)
        for k in range(count):
            if found[k].gap < -MET_DEPTH * thick:
                return True
    go_on(a, begin)
    go_on(b, begin)
    if find_impact_time(g, a, o, b, ctx.dt - begin, MET_TOUCHES * ctx.tol.touch, t):
        t[0] += begin
        return True
    return False


cdef bint goes_through(StepContext* ctx, Pair* pair, const Place* before, double t) noexcept nogil:
    """Whether a pair that meets after a time t (s) on its way does so from behind a one-way shape;
    then it passes until it has parted."""
    cdef Sweep sa = sweep_of(ctx, pair.a, &before[pair.a])
    cdef Sweep sb = sweep_of(ctx, pair.b, &before[pair.b])
    cdef Pose pa = sweep_pose(&sa, t), pb = sweep_pose(&sb, t)
    cdef Vec3 n
    if not gap_between(ctx.shapes[low_of(pair.key)].geometry, &pa,
                       ctx.shapes[high_of(pair.key)].geometry, &pb, &n) > 0.0:
        return False
    if pushes_along(ctx, pair, &pa, &pb, n):
        return False
    pair.flags |= PASSING
    return True


cdef bint stop_fast(StepContext* ctx, const int32_t* rows, int32_t n_rows, const int32_t* pairs,
                    int32_t n_pairs, const Place* before, LargeWorkspace* work) noexcept nogil:
    """Set bodies that moved far back to where they met something: they go on in the next step.
    Whether there were any."""
    cdef Pair* pair
    cdef Sweep sa, sb
    cdef double t = 0.0, way
    cdef int32_t k, row
    cdef bint any_stop = False
    for k in range(n_rows):
        row = rows[k]
        work.stops[row] = 1.0
        # no farther than was looked at for it when the step began
        way = length(ctx.motions[row].d)
        t = work.allowed[row] / way if way > 0.0 else 1.0
        if t < 1.0:
            work.stops[row] = t
            any_stop = True
    for k in range(n_pairs):
        pair = &ctx.pairs[pairs[k]]
        if not pair.flags & FAST:
            continue
        sa, sb = sweep_of(ctx, pair.a, &before[pair.a]), sweep_of(ctx, pair.b, &before[pair.b])
        if finds_stop(ctx, pair, &sa, &sb, &t) and not (
                pair.flags & ONE_WAY and goes_through(ctx, pair, before, t)):
            any_stop = True
            if ctx.heads[pair.a].kind == DYNAMIC:
                work.stops[pair.a] = lesser(work.stops[pair.a], t / ctx.dt)
            if ctx.heads[pair.b].kind == DYNAMIC:
                work.stops[pair.b] = lesser(work.stops[pair.b], t / ctx.dt)
    if not any_stop:
        return False
    for k in range(n_rows):
        row = rows[k]
        if work.stops[row] < 1.0:
            ctx.counters.stopped += 1
            sa = sweep_of(ctx, row, &before[row])
            t = work.stops[row] * ctx.dt
            move_body(&ctx.bodies[row], add_scaled(sa.x, t, sa.v), turned_by(sa.q, scaled(t, sa.w)),
                      &ctx.motions[row], &ctx.places[row])
            sync_spin(&ctx.bodies[row], &ctx.places[row], &ctx.motions[row])
    return True


# ---- audit -------------------------------------------------------------------------------------

cdef double energy_of(const StepContext* ctx, const int32_t* rows, int32_t n,
                      Vec3 origin) noexcept nogil:
    """J: kinetic energy of bodies, and potential energy of what accelerates them."""
    cdef double out = 0.0
    cdef int32_t k, row
    cdef Vec3 a
    for k in range(n):
        row = rows[k]
        a = add_scaled(scaled(ctx.bodies[row].gravity_scale, ctx.gravity), ctx.motions[row].inv_m,
                       ctx.bodies[row].force)
        out += (0.5 * (ctx.bodies[row].mass * dot(ctx.motions[row].v, ctx.motions[row].v)
                       + dot(ctx.motions[row].L, ctx.motions[row].w))
                - ctx.bodies[row].mass * dot(a, sub(ctx.places[row].x, origin)))
    return out


cdef bint is_driven(const StepContext* ctx, const int32_t* rows, int32_t n, const int32_t* pairs,
                    int32_t n_pairs, bint* is_alone) noexcept nogil:
    """Whether torques or bodies that move by themselves may add energy; is_alone: nothing that
    cannot be moved takes part."""
    cdef int32_t k, row
    cdef int side
    is_alone[0] = True
    for k in range(n):
        if length(ctx.bodies[rows[k]].torque) != 0.0:
            return True
    for k in range(n_pairs):
        for side in range(2):
            row = ctx.pairs[pairs[k]].b if side else ctx.pairs[pairs[k]].a
            if ctx.heads[row].kind != DYNAMIC:
                is_alone[0] = False
                if length(ctx.motions[row].v) != 0.0 or length(ctx.motions[row].w) != 0.0:
                    return True
    return False


cdef void take_back_gain(StepContext* ctx, const int32_t* rows, int32_t n, const int32_t* pairs,
                         int32_t n_pairs, Vec3 origin, double before) noexcept nogil:
    """Take energy that a step added beyond a share of the kinetic one out of the motion about the
    common velocity."""
    cdef Motion* motion
    cdef double gain = energy_of(ctx, rows, n, origin) - before, kinetic = 0.0, mass = 0.0
    cdef Rigid common
    cdef int32_t k
    cdef bint is_alone = True
    if not gain > 0.0 or is_driven(ctx, rows, n, pairs, n_pairs, &is_alone):
        return
    memset(&common, 0, sizeof(Rigid))
    for k in range(n):
        mass += ctx.bodies[rows[k]].mass
        motion = &ctx.motions[rows[k]]
        kinetic += 0.5 * (ctx.bodies[rows[k]].mass * dot(motion.v, motion.v)
                          + dot(motion.L, motion.w))
    if is_alone:
        # what momenta ask for stays
        common = rigid_motion(ctx, rows, n)
        kinetic -= common.energy
    if not gain > MOST_GAIN * ctx.dt / ctx.tol.root * kinetic + mass * length(ctx.gravity) * (
            LEAST_GAIN * ctx.tol.touch):
        return
    ctx.counters.gains += 1
    slow_about(ctx, rows, n, &common, sqrt(1.0 - gain / kinetic) if gain < kinetic else 0.0)


# ---- memory ------------------------------------------------------------------------------------

cdef class LargeBuffers:

    def __cinit__(self):
        self.arrays = {}

    cdef int reserve(self, Py_ssize_t bodies, Py_ssize_t pairs) except -1:
        cdef LargeWorkspace* work = &self.work
        cdef Py_ssize_t lines
        if bodies > self.most_bodies or pairs > self.most_pairs:
            self.most_bodies = max(2 * bodies, self.most_bodies, 64)
            self.most_pairs = max(2 * pairs, self.most_pairs, 64)
            lines = self.most_bodies + 2 * self.most_pairs + 1
            work.lines = <Line*> hold(self.arrays, "lines", lines, sizeof(Line))
            work.drives = <Drive*> hold(self.arrays, "drives", lines, sizeof(Drive))
            work.used = <uint64_t*> hold(self.arrays, "used", lines, sizeof(uint64_t))
            work.line_of = <int32_t*> hold(self.arrays, "line_of", self.most_bodies,
                                           sizeof(int32_t))
            work.stops = <double*> hold(self.arrays, "stops", self.most_bodies, sizeof(double))
            work.allowed = <double*> hold(self.arrays, "allowed", self.most_bodies, sizeof(double))
            work.found = <Found*> hold(self.arrays, "found", self.most_pairs, sizeof(Found))
            work.bouncers = <Bouncer*> hold(self.arrays, "bouncers", 4 * self.most_pairs,
                                            sizeof(Bouncer))
            work.rollers = <Roller*> hold(self.arrays, "rollers", self.most_pairs, sizeof(Roller))
            work.blocks = <Block*> hold(self.arrays, "blocks", self.most_pairs + GROUPS,
                                        sizeof(Block))
            memset(work.line_of, -1, self.most_bodies * sizeof(int32_t))
        return 0
