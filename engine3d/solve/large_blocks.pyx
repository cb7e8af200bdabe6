# distutils: include_dirs = engine3d/solve enginecore
"""Blocks of large islands; large_blocks.pxd has the contract, docs/maths/solver3d.md why."""

from libc.math cimport fabs, sqrt
from libc.stdint cimport uint64_t
from libc.string cimport memset

from enginecore.body_head cimport DYNAMIC, INITIAL_OVERLAP
from enginecore.pair_table cimport high_of, low_of
from enginecore.scalar cimport greater, lesser
from engine3d.body cimport Motion, Place
from engine3d.collide.geometry cimport ROUND
from engine3d.collide.narrow_phase cimport FACE_POINT, POINT_FACE, Touch, refresh
from engine3d.contact cimport Contact, Pair
from engine3d.pose cimport Pose
from engine3d.quat cimport matrix_of, turned_by
from engine3d.solve.cone cimport OPEN
from engine3d.solve.large_work cimport COLOURS, GROUPS, KINDS, LANES, Drive, Found
from engine3d.solve.rule cimport drive_of, resists_turning
from engine3d.solve.solver_iterative cimport Line
from engine3d.vec3 cimport (
    Vec3, across, add, add_scaled, apply, cross, dot, length, negated, scaled, sub, vec3)

# m: the gap of points that are not there.
cdef double FAR = 1e6
# Cosine: edges that push farther aside than this from a face beside them are obstacles.
cdef double UPRIGHT = 0.7
# Times touch: edges no higher than this above a face beside them are flush with it.
cdef double FLUSH = 1.0


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


# ---- seams -------------------------------------------------------------------------------------

cdef inline bint is_face(const Touch* at) noexcept nogil:
    return at.kind == POINT_FACE or at.kind == FACE_POINT


cdef inline bint is_fixed_pair(const StepContext* ctx, const Pair* pair) noexcept nogil:
    return ctx.heads[pair.a].kind != DYNAMIC or ctx.heads[pair.b].kind != DYNAMIC


cdef inline bint is_still(const Motion* motion) noexcept nogil:
    return (motion.v.x == 0.0 and motion.v.y == 0.0 and motion.v.z == 0.0
            and motion.w.x == 0.0 and motion.w.y == 0.0 and motion.w.z == 0.0)


cdef void list_floors(StepContext* ctx, const int32_t* pairs, int32_t n_pairs,
                      LargeWorkspace* work) noexcept nogil:
    """Which pairs have a face of something fixed, by the body that it is under."""
    cdef const Pair* pair
    cdef int32_t k, line
    memset(work.floors, -1, work.n_lines * sizeof(int32_t))
    for k in range(n_pairs):
        pair = &ctx.pairs[pairs[k]]
        if pair.n > 0 and is_fixed_pair(ctx, pair) and is_face(&ctx.contacts[pair.first].at):
            line = work.line_of[pair.a if ctx.heads[pair.a].kind == DYNAMIC else pair.b]
            work.next_floor[k] = work.floors[line]
            work.floors[line] = k


cdef int32_t hide_seams(StepContext* ctx, const int32_t* pairs, Pair* pair,
                        LargeWorkspace* work) noexcept nogil:
    """Bits of a pair's contacts with edges and corners that are flush with a face which is under
    the same body, and that are no deeper in it: a ball sinks into a floor a little, and would lean
    on the next tile's edge before it is above it."""
    cdef Contact* c
    cdef int32_t k, out = 0
    if not is_fixed_pair(ctx, pair):
        return 0
    for k in range(pair.n):
        c = &ctx.contacts[pair.first + k]
        if not is_face(&c.at) and is_flush(ctx, pairs, work, pair, &c.at):
            out |= 1 << k
            c.fn, c.mode = 0.0, OPEN
            c.ft = vec3(0.0, 0.0, 0.0)
    return out


cdef bint is_flush(const StepContext* ctx, const int32_t* pairs, const LargeWorkspace* work,
                   const Pair* pair, const Touch* at) noexcept nogil:
    """Whether the feature of something fixed that a body meets is flush with a face under it."""
    cdef bint is_a = ctx.heads[pair.a].kind == DYNAMIC
    cdef int32_t body = pair.a if is_a else pair.b, fixed = pair.b if is_a else pair.a
    cdef int32_t k = work.floors[work.line_of[body]], i, other
    cdef Vec3 up = at.normal if is_a else negated(at.normal), n
    cdef Vec3 edge = add_scaled(at.point, -0.5 * at.gap, up)
    cdef const Pair* floor
    cdef const Contact* under
    while k >= 0:
        floor = &ctx.pairs[pairs[k]]
        k = work.next_floor[k]
        other = floor.b if floor.a == body else floor.a
        if other != fixed and not (is_still(&ctx.motions[other]) and is_still(
                &ctx.motions[fixed])):
            continue
        for i in range(floor.n):
            under = &ctx.contacts[floor.first + i]
            n = under.at.normal if floor.a == body else negated(under.at.normal)
            if (under.at.gap <= at.gap and dot(n, up) > UPRIGHT
                    and dot(n, sub(edge, under.at.point)) + 0.5 * under.at.gap
                    <= FLUSH * ctx.tol.touch):
                return True
    return False


cdef void find_manifolds(StepContext* ctx, const int32_t* pairs, int32_t n_pairs,
                         LargeWorkspace* work) noexcept nogil:
    cdef const Pair* pair
    cdef Found* found
    cdef int32_t k
    cdef uint64_t taken
    cdef int colour, kind
    cdef int32_t hidden
    cdef bint fixed
    work.n_found = 0
    list_floors(ctx, pairs, n_pairs, work)
    for k in range(n_pairs):
        pair = &ctx.pairs[pairs[k]]
        if pair.n == 0:
            continue
        hidden = hide_seams(ctx, pairs, pair, work)
        if hidden == (1 << pair.n) - 1:
            continue
        found = &work.found[work.n_found]
        work.n_found += 1
        found.pair, found.hidden = pairs[k], hidden
        found.a = line_of(ctx, pair, pair.a, ctx.contacts[pair.first].at.point, work)
        found.b = line_of(ctx, pair, pair.b, ctx.contacts[pair.first].at.point, work)
        fixed = is_fixed_pair(ctx, pair)
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
            out.point[k].gap[lane] = out.point[k].now[lane] = gap
        out.arm[k][lane] = length(sub(c[k].at.point, middle))
        twist += dot(n, cross(sub(c[k].at.point, middle), c[k].ft))
        if found.hidden & (1 << k):
            clear_point(lane, &out.point[k])
        elif (pair.e > 0.0 or pair.boost > 0.0) and not pair.flags & INITIAL_OVERLAP:
            note_bouncer(ctx, work, pair, &c[k], block, lane, k)
    for k in range(pair.n, 4):
        clear_point(lane, &out.point[k])
        out.arm[k][lane] = 0.0
    fill_matrix(out, lane, pair.n, inv_m)
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


cdef void fill_matrix(Block* out, int lane, int n, double inv_m) noexcept nogil:
    """What impulses at the points do to their speeds, and how far steps by each point's own mass
    may go together: 2 over a bound on the greatest eigenvalue, at most all of it."""
    cdef const BlockPoint* p
    cdef const BlockPoint* q
    cdef int i, j, r, at = 0
    cdef double sum, largest = 1.0
    cdef double[4] rows
    rows[0] = rows[1] = rows[2] = rows[3] = 1.0
    for i in range(4):
        for j in range(i, 4):
            if j >= n:
                # points that are not there meet nothing
                sum = 1.0 if i == j else 0.0
            elif i == j:
                sum = 1.0 / out.point[i].mass[lane]
            else:
                p, q = &out.point[i], &out.point[j]
                sum = inv_m
                for r in range(3):
                    sum += p.ja[r][lane] * q.ja[r][lane] + p.jb[r][lane] * q.jb[r][lane]
                rows[i] += fabs(sum) * sqrt(p.mass[lane] * q.mass[lane])
                rows[j] += fabs(sum) * sqrt(p.mass[lane] * q.mass[lane])
            out.k[at][lane] = sum
            at += 1
    for i in range(n):
        largest = greater(largest, rows[i])
    out.most[lane] = lesser(2.0 / largest, 1.0)


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
