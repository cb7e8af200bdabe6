"""Stage impact of small islands; strike.pxd has the contract, docs/maths/contact3d.md why."""

from libc.math cimport fabs
from libc.string cimport memset

from enginecore.pair_table cimport high_of, low_of
from enginecore.scalar cimport greater, lesser
from engine3d.collide.geometry cimport HULL, PLANE, Geometry
from engine3d.collide.gjk cimport Nearest, find_nearest
from engine3d.collide.hull cimport touch_points
from engine3d.collide.narrow_phase cimport refresh
from engine3d.collide.time_of_impact cimport radius_of
from engine3d.contact cimport Contact, take_blow
from engine3d.impact cimport (
    ADAPTIVE, ImpactBody, ImpactInput, ImpactOptions, ImpactOutput,
)
from engine3d.impact cimport strike as strike_point
from engine3d.joint.link_step cimport feel_blow, spread_blow
from engine3d.pose cimport Pose, seen_from
from engine3d.solve.cone cimport OPEN, STICK, Cone
from engine3d.solve.hit cimport mark_struck
from engine3d.solve.rule cimport drive_of, kick
from engine3d.solve.solver_direct cimport solve_cones
from engine3d.solve.sub_step cimport (
    MOST_GROUPED, SubBody, SubContact, point_velocity, set_speed, sync_spin)
from engine3d.vec3 cimport (
    Mat3, Vec3, across, add, add_scaled, apply, apply_transposed, cross, dot, length, scaled, sub,
    times, times_transposed, vec3)

# Two normals are parallel, and faces are flat on each other, to this cosine.
cdef double FLAT_ON_COSINE = 1.0 - 1e-5
# m/s: slower approaches are rounding, whatever the threshold.
cdef double LEAST_APPROACH = 1e-12
# Share of a speed within which two approaches are equally fast: the first is struck.
cdef double SAME_SPEED = 1e-12
# Relative error aimed at by the impact's integrator.
cdef double IMPACT_TOLERANCE = 1e-10

# The contacts of one strike, seen as contacts of two bodies with one normal.
cdef struct Group:
    int count
    int members[MOST_GROUPED]      # sub-step contacts
    Vec3 points[MOST_GROUPED]      # m
    double share[MOST_GROUPED]     # of the impulse, sum 1
    Vec3 normal
    double total                   # N s, of the group struck without restitution
    double twist                   # N m s, moment of its friction about the normal


cdef bint strike_closed(SubStep* s) noexcept nogil:
    cdef int next_one, k
    cdef bint any_struck = False
    cdef SubContact* m
    for k in range(s.n_contacts):
        set_rate(s, &s.contacts[k])
    while True:
        next_one = choose(s)
        if next_one < 0:
            return any_struck
        if s.strikes_left <= 0:
            # what is left is resting contact's problem
            s.ctx.counters.strike_limit += 1
            return any_struck
        m = &s.contacts[next_one]
        if misses(s, m):
            continue
        s.strikes_left -= 1
        any_struck = True
        strike_group(s, m)
        for k in range(s.n_contacts):
            if s.links != NULL or shares_movable(s, m, &s.contacts[k]):
                set_rate(s, &s.contacts[k])


cdef inline void take_over(Contact* c, const Contact* gone) noexcept nogil:
    """What a contact that goes has borne in this step becomes another's of its pair."""
    c.sum_n += gone.sum_n
    c.sum_t = add(c.sum_t, gone.sum_t)
    take_blow(c, gone)


cdef bint misses(SubStep* s, SubContact* m) noexcept nogil:
    """Whether two hulls are still apart though a contact of theirs says that they have met: the
    axis that parts them most does not say how far they are from each other where corners are
    nearest. Their nearest points are then their contact."""
    cdef const SubBody* a = &s.bodies[m.a]
    cdef const SubBody* b = &s.bodies[m.b]
    cdef Pair* pair = m.pair
    cdef Contact* first
    cdef Touch near
    cdef int k, kept = 0
    if s.early or s.ctx.shapes[low_of(pair.key)].geometry.kind < HULL or (
            s.ctx.shapes[high_of(pair.key)].geometry.kind < HULL):
        return False
    if not touch_nearest(s, pair, &a.pose, &b.pose, &near) or (
            near.gap <= 2.0 * s.ctx.tol.closed):
        return False
    first = &s.ctx.contacts[pair.first]
    for k in range(s.n_contacts):
        if s.contacts[k].pair == pair and s.contacts[k].c != first:
            take_over(first, s.contacts[k].c)
            continue
        s.contacts[kept] = s.contacts[k]
        if s.contacts[k].c == first:
            m = &s.contacts[kept]
        kept += 1
    s.n_contacts = kept
    pair.n = 1
    first.at, first.fn, first.ft, first.mode = near, 0.0, vec3(0.0, 0.0, 0.0), OPEN
    set_rate(s, m)
    return True


cdef bint touch_nearest(const SubStep* s, const Pair* pair, const Pose* pose_a,
                        const Pose* pose_b, Touch* out) noexcept nogil:
    cdef const Geometry* g = s.ctx.shapes[low_of(pair.key)].geometry
    cdef const Geometry* o = s.ctx.shapes[high_of(pair.key)].geometry
    cdef Nearest near
    cdef Pose rel
    if g.kind >= PLANE or o.kind >= PLANE:
        return False
    rel = seen_from(pose_b, pose_a)
    find_nearest(g, o, &rel, vec3(0.0, 0.0, 0.0), &near)
    if not near.distance > 0.0:
        return False
    touch_points(&rel, &near, radius_of(g), radius_of(o), out)
    out.id = -1
    refresh(out, pose_a, pose_b)
    return True


cdef inline void set_rate(SubStep* s, SubContact* m) noexcept nogil:
    """How fast the gap opens now; the contact is up to date with the poses."""
    m.rate = dot(m.c.at.normal, sub(point_velocity(&s.bodies[m.a], m.c.at.point),
                                    point_velocity(&s.bodies[m.b], m.c.at.point)))


cdef int choose(const SubStep* s) noexcept nogil:
    """Of what has closed and approaches faster than the threshold the fastest; -1: none."""
    cdef int k, best = -1
    cdef double most = greater(s.threshold, LEAST_APPROACH * s.ctx.tol.root)
    for k in range(s.n_contacts):
        if (s.contacts[k].c.at.gap <= s.ctx.tol.closed or (
                s.early and s.contacts[k].time >= 0.0)) and (
                -s.contacts[k].rate > most * (1.0 + SAME_SPEED)):
            best = k
            most = -s.contacts[k].rate
    return best


cdef inline bint shares_movable(const SubStep* s, const SubContact* m,
                                const SubContact* o) noexcept nogil:
    if s.bodies[m.a].movable and (o.a == m.a or o.b == m.a):
        return True
    return s.bodies[m.b].movable and (o.a == m.b or o.b == m.b)


cdef inline int identity(const SubStep* s, int sub_body) noexcept nogil:
    """Which body it is; all that stand still for good are one."""
    cdef const SubBody* body = &s.bodies[sub_body]
    if body.movable or body.speed != 0.0:
        return sub_body
    return -1


cdef void gather_group(const SubStep* s, const SubContact* struck, Group* out) noexcept nogil:
    """The struck contact, and those of the same two bodies that close with it as one face."""
    cdef const SubContact* m
    cdef int a = identity(s, struck.a), b = identity(s, struck.b), x, y, k
    cdef double cosine, near
    out.count = 1
    out.members[0] = <int> (struck - s.contacts)
    out.points[0] = struck.c.at.point
    out.share[0] = 1.0
    out.normal = struck.c.at.normal
    out.total = out.twist = 0.0
    for k in range(s.n_contacts):
        m = &s.contacts[k]
        x = identity(s, m.a)
        y = identity(s, m.b)
        if m == struck or out.count == MOST_GROUPED or not (
                (x == a and y == b) or (x == b and y == a)):
            continue
        near = greater(s.ctx.tol.touch,
                       s.ctx.tol.flat * length(sub(m.c.at.point, out.points[0])))
        cosine = dot(m.c.at.normal, out.normal)
        if m.c.at.gap <= near and (cosine if x == a and y == b else -cosine) > FLAT_ON_COSINE:
            out.members[out.count] = k
            out.points[out.count] = m.c.at.point
            out.count += 1


cdef void load_body(const SubBody* body, ImpactBody* out) noexcept nogil:
    """A body as the impact sees it, but for the arm."""
    cdef Mat3 half
    out.inv_m, out.v, out.w = body.inv_m, body.v, body.w
    half = times(&body.pose.r, &body.inv_I)
    out.inv_I = times_transposed(&half, &body.pose.r)


cdef void write_cone(const SubStep* s, const SubBody* a, const SubBody* b, Vec3 point, Vec3 normal,
                     double mu, Vec3 drive, Cone* out) noexcept nogil:
    """Rows of one contact between bodies 0 and 1 at their present poses."""
    cdef Vec3[3] axes
    cdef Vec3 t, arm, turn
    cdef const SubBody* body
    cdef int r, k
    axes[0] = normal
    axes[1] = across(normal)
    axes[2] = cross(normal, axes[1])
    memset(out, 0, sizeof(Cone))
    for r in range(3):
        for k in range(2):
            body = b if k else a
            t = scaled(-1.0 if k else 1.0, axes[r])
            arm = sub(point, body.x)
            if not body.movable:
                out.bias[r] += dot(t, add(body.v, cross(body.w, arm)))
                continue
            turn = apply(&body.root, apply_transposed(&body.pose.r, cross(arm, t)))
            out.j[r][6 * k] = t.x / body.root_m
            out.j[r][6 * k + 1] = t.y / body.root_m
            out.j[r][6 * k + 2] = t.z / body.root_m
            out.j[r][6 * k + 3], out.j[r][6 * k + 4] = turn.x, turn.y
            out.j[r][6 * k + 5] = turn.z
        out.bias[r] += dot(axes[r], drive)
    out.a = 0 if a.movable else 2
    out.b = 1 if b.movable else 2
    out.mu, out.mode = mu, STICK


cdef void load_whitened(const SubBody* body, double* out) noexcept nogil:
    cdef Vec3 w = apply(&body.inv_root, apply_transposed(&body.pose.r, body.w))
    out[0], out[1], out[2] = body.root_m * body.v.x, body.root_m * body.v.y, body.root_m * body.v.z
    out[3], out[4], out[5] = w.x, w.y, w.z


cdef Vec3 find_pressure(SubStep* s, const SubBody* a, const SubBody* b, double mu, Vec3 drive,
                        Group* group) noexcept nogil:
    """The centre of pressure of a group struck without restitution; writes shares, total and twist.
    """
    cdef Vec3 center = vec3(0.0, 0.0, 0.0), t1, t2
    cdef double total = 0.0
    cdef int k
    memset(s.V, 0, 18 * sizeof(double))
    if a.movable:
        load_whitened(a, s.V)
    if b.movable:
        load_whitened(b, s.V + 6)
    for k in range(group.count):
        write_cone(s, a, b, group.points[k], group.normal, mu, drive, &s.cones[k])
    solve_cones(s.cones, group.count, s.V, 2, 0.0, s.direct, &s.ctx.counters.direct)
    for k in range(group.count):
        total += s.cones[k].p[0]
    if not total > 0.0:
        group.count = 1
        return group.points[0]
    for k in range(group.count):
        group.share[k] = s.cones[k].p[0] / total
        # relative to the first point: far from the origin no digits are lost
        center = add_scaled(center, group.share[k], sub(group.points[k], group.points[0]))
    group.total = total
    t1 = across(group.normal)
    t2 = cross(group.normal, t1)
    for k in range(group.count):
        group.twist += dot(group.normal, cross(
            sub(sub(group.points[k], group.points[0]), center),
            add(scaled(s.cones[k].p[1], t1), scaled(s.cones[k].p[2], t2))))
    return add(group.points[0], center)


cdef inline double closing_speed(const ImpactInput* given) noexcept nogil:
    return -dot(given.f, sub(add(given.a.v, cross(given.a.w, given.a.r)),
                             add(given.b.v, cross(given.b.w, given.b.r))))


cdef void strike_group(SubStep* s, SubContact* struck) noexcept nogil:
    """Strike a contact, and what closes with it."""
    cdef SubBody* a = &s.bodies[struck.a]
    cdef SubBody* b = &s.bodies[struck.b]
    cdef Group group
    cdef ImpactInput given, linked
    cdef ImpactOptions options
    cdef ImpactOutput out
    cdef Vec3 center, drive
    gather_group(s, struck, &group)
    given.e, given.mu, given.f = struck.pair.e, struck.pair.mu, group.normal
    load_body(a, &given.a)
    load_body(b, &given.b)
    # friction acts on the slip of the surfaces
    drive = drive_of(struck.pair, &a.pose.r, &b.pose.r, group.normal)
    given.a.v = add(given.a.v, drive)
    center = group.points[0]
    if group.count > 1:
        center = find_pressure(s, a, b, struck.pair.mu, drive, &group)
    given.a.r, given.b.r = sub(center, a.x), sub(center, b.x)
    if not closing_speed(&given) > 0.0:
        # friction alone drives the group: the struck point has the word
        group.count = 1
        group.share[0] = 1.0
        group.twist = 0.0
        given.a.r, given.b.r = sub(group.points[0], a.x), sub(group.points[0], b.x)
    if s.links != NULL and not s.links.sparse and (
            s.links.riders[struck.a].joined or s.links.riders[struck.b].joined):
        linked = given
        feel_blow(s, struck.a, struck.b, add(a.x, given.a.r), &linked)
        options.method, options.tol, options.step = ADAPTIVE, IMPACT_TOLERANCE, 0.0
        strike_point(&linked, &options, NULL, &out)
        out.p = kick(&linked, struck.pair, out.p)
        s.ctx.counters.strikes += 1
        note_strike(s, &group, &given, out.p)
        spread_blow(s, out.p)
        return
    options.method, options.tol, options.step = ADAPTIVE, IMPACT_TOLERANCE, 0.0
    strike_point(&given, &options, NULL, &out)
    out.p = kick(&given, struck.pair, out.p)
    s.ctx.counters.strikes += 1
    a.turn = b.turn = s.turn
    note_strike(s, &group, &given, out.p)
    change_motion(a, out.p, cross(given.a.r, out.p))
    change_motion(b, scaled(-1.0, out.p), scaled(-1.0, cross(given.b.r, out.p)))
    if group.twist != 0.0:
        stop_spin(a, b, &given, group.normal,
                  group.twist * dot(out.p, group.normal) / group.total)


cdef void stop_spin(SubBody* a, SubBody* b, const ImpactInput* given, Vec3 n,
                    double moment) noexcept nogil:
    """The moment about the normal that the friction of a face has around its centre, at most what
    ends the spin: it never adds energy."""
    cdef double spin = dot(n, sub(a.w, b.w)), soft
    soft = dot(n, apply(&given.a.inv_I, n)) + dot(n, apply(&given.b.inv_I, n))
    if moment * spin >= 0.0 or not soft > 0.0:
        return
    moment = (1.0 if moment > 0.0 else -1.0) * lesser(fabs(moment), fabs(spin) / soft)
    change_motion(a, vec3(0.0, 0.0, 0.0), scaled(moment, n))
    change_motion(b, vec3(0.0, 0.0, 0.0), scaled(-moment, n))


cdef void change_motion(SubBody* body, Vec3 p, Vec3 moment) noexcept nogil:
    """An impulse on the centre of mass and an angular one."""
    if not body.movable:
        return
    body.v = add_scaled(body.v, body.inv_m, p)
    body.L = add(body.L, moment)
    sync_spin(body)
    set_speed(body)


cdef void note_strike(SubStep* s, const Group* group, const ImpactInput* given,
                      Vec3 p) noexcept nogil:
    """Write impulses and speed into the contacts of the group."""
    cdef double pn = dot(p, group.normal), speed = closing_speed(given), sign
    cdef Vec3 pt = add_scaled(p, -pn, group.normal)
    cdef SubContact* m
    cdef int k
    for k in range(group.count):
        m = &s.contacts[group.members[k]]
        # one that has the two bodies the other way round feels the reaction
        sign = 1.0 if dot(m.c.at.normal, group.normal) > 0.0 else -1.0
        m.c.sum_n += group.share[k] * pn
        m.c.sum_t = add_scaled(m.c.sum_t, sign * group.share[k], pt)
        mark_struck(s.ctx.hits, m.c, speed, m.c.at.point, m.c.at.normal)
