# distutils: include_dirs = engine3d/solve enginecore
"""Bodies of large islands; large_motion.pxd has the contract, docs/maths/solver3d.md why."""

from libc.math cimport exp
from libc.string cimport memset

from enginecore.body_head cimport DYNAMIC
from enginecore.constants cimport SPEED_RESERVE
from engine3d.body cimport BodyData, Motion, Place
from engine3d.contact cimport Pair
from engine3d.quat cimport Quat, matrix_of, turned_by
from engine3d.solve.integrate cimport fly, move_body, sync_spin
from engine3d.solve.large_work cimport Drive
from engine3d.solve.rule cimport resist_turning, rolling_axis
from engine3d.solve.solver_iterative cimport Block, Line
from engine3d.vec3 cimport (
    Mat3, Vec3, add, add_scaled, apply, apply_transposed, dot, length, scaled, sub, times,
    transposed, vec3)


cdef void load_lines(StepContext* ctx, const int32_t* rows, int32_t n_rows, double h,
                     LargeWorkspace* work) noexcept nogil:
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
