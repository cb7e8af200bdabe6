# distutils: include_dirs = engine3d/solve enginecore
"""Continuous collision of large islands; ccd.pxd has the contract, docs/maths/solver3d.md why."""

from libc.string cimport memset

from enginecore.body_head cimport DYNAMIC
from enginecore.constants cimport CCD_SHARE, MET_DEPTH
from enginecore.pair_table cimport high_of, low_of
from enginecore.rule cimport ONE_WAY, PASSING
from enginecore.scalar cimport lesser
from engine3d.collide.geometry cimport PLANE, Geometry
from engine3d.collide.narrow_phase cimport MOST_POINTS, Touch, find_contacts
from engine3d.collide.time_of_impact cimport Sweep, find_impact_time, gap_between, sweep_pose
from engine3d.contact cimport FAST, IGNORED, SENSING, Pair, pushes_along
from engine3d.pose cimport Pose
from engine3d.quat cimport Quat, conjugate, product, turned_by
from engine3d.solve.integrate cimport move_body, sync_spin
from engine3d.vec3 cimport Vec3, add_scaled, length, scaled, sub, vec3

# Share of touch at which two shapes have met.
cdef double MET_TOUCHES = 0.01


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


cdef bint may_pass(const StepContext* ctx, const Pair* pair) noexcept nogil:
    """Whether a pair is swept: those that are fast, and what went far beside a half space or in a
    hollow sphere. Its contacts keep it there, but not where it turned or was struck so fast that
    what they say of its way is nothing."""
    cdef const Geometry* a = ctx.shapes[low_of(pair.key)].geometry
    cdef const Geometry* b = ctx.shapes[high_of(pair.key)].geometry
    if pair.flags & FAST:
        return True
    return (a.kind >= PLANE or b.kind >= PLANE) and not pair.flags & (IGNORED | SENSING) and (
        length(ctx.motions[pair.b if a.kind >= PLANE else pair.a].d)
        > CCD_SHARE * lesser(a.thickness, b.thickness))


cdef bint finds_stop(StepContext* ctx, const Pair* pair, Sweep* a, Sweep* b,
                     double* t) noexcept nogil:
    """Whether two bodies that move far in a step meet on their way, and when. Those that touch when
    it begins may go on touching, but not deep into each other."""
    cdef const Geometry* g = ctx.shapes[low_of(pair.key)].geometry
    cdef const Geometry* o = ctx.shapes[high_of(pair.key)].geometry
    cdef Touch[MOST_POINTS] found
    cdef Pose pa = sweep_pose(a, 0.0), pb = sweep_pose(b, 0.0)
    cdef Vec3 n
    cdef double thick = lesser(g.thickness, o.thickness), begin = 0.0, part
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
        if not may_pass(ctx, pair):
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
